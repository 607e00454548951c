package launch

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manifest is a package.xml.
type manifest struct {
	Name         string   `xml:"name"`
	Version      string   `xml:"version"`
	Description  string   `xml:"description"`
	Maintainer   string   `xml:"maintainer"`
	License      string   `xml:"license"`
	BuildTool    []string `xml:"buildtool_depend"`
	Depend       []string `xml:"depend"`
	ExecDepend   []string `xml:"exec_depend"`
	BuildType    string   `xml:"export>build_type"`
	FormatNumber string   `xml:"format,attr"`
}

func readManifest(t *testing.T, folder string) manifest {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, folder, "package.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := xml.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPackageIsOfTheInterfacesRelease(t *testing.T) {
	own, msgs := readManifest(t, "ros/rstate"), readManifest(t, "msgs/rstate_msgs")
	if own.Version != msgs.Version || own.License != msgs.License || own.Maintainer != msgs.Maintainer ||
		own.FormatNumber != msgs.FormatNumber {
		t.Errorf("rstate is %+v, rstate_msgs %+v", own, msgs)
	}
	if own.Name != "rstate" || own.BuildType != "ament_cmake" || !slices.Contains(own.BuildTool, "ament_cmake") {
		t.Errorf("rstate is %+v", own)
	}
	if got := cmake(t, `project\(rstate VERSION ([0-9.]+) `); got != own.Version {
		t.Errorf("CMakeLists.txt says version %s, package.xml %s", got, own.Version)
	}
}

// The program looks every interface package up by name when it runs, so the package depends on
// each.
func TestInterfacesAreDependencies(t *testing.T) {
	own := readManifest(t, "ros/rstate")
	entries, err := os.ReadDir(filepath.Join(root, "msgs", "gen"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		found++
		if !slices.Contains(own.ExecDepend, e.Name()) {
			t.Errorf("the program speaks %s, which is no exec_depend of ros/rstate", e.Name())
		}
	}
	if found < 5 {
		t.Errorf("msgs/gen has only %d packages", found)
	}
}

// The packages that launch files import are dependencies.
func TestLaunchIsADependency(t *testing.T) {
	own := readManifest(t, "ros/rstate")
	for _, want := range []string{"launch", "launch_ros", "launch_xml", "launch_yaml", "ros2launch"} {
		if !slices.Contains(own.ExecDepend, want) {
			t.Errorf("%s is no exec_depend of ros/rstate", want)
		}
	}
}

// The package links the same libraries as setup: the list is in two places, in one order.
func TestLibrariesAreThoseOfSetup(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "setup", "env.go"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`var libraries = \[\]string\{([^}]*)\}`).FindSubmatch(source)
	if m == nil {
		t.Fatal("setup/env.go has no list of libraries any more")
	}
	want := strings.Fields(strings.NewReplacer(`"`, " ", ",", " ").Replace(string(m[1])))
	got := strings.Fields(cmake(t, `set\(libraries ([^)]*)\)`))
	if !slices.Equal(got, want) {
		t.Errorf("ros/rstate links %v, setup %v", got, want)
	}
	own := readManifest(t, "ros/rstate")
	for _, library := range want {
		if !slices.Contains(own.Depend, library) {
			t.Errorf("the program is linked to %s, which is no depend of ros/rstate", library)
		}
	}
}

// installedPrograms lists the programs that launch finds, as package/name.
func installedPrograms(t *testing.T) []string {
	t.Helper()
	var programs []string
	for _, path := range cmakeAll(t, `install\(PROGRAMS ([^ ]*) DESTINATION lib/\$\{PROJECT_NAME\}\)`) {
		programs = append(programs, readManifest(t, "ros/rstate").Name+"/"+filepath.Base(path))
	}
	return programs
}

// installedFolders lists the folders of the repository that are in the package's share.
func installedFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, f := range strings.Fields(cmake(t, `install\(DIRECTORY ([^)]*?)\s+DESTINATION share/\$\{PROJECT_NAME\}`)) {
		name := strings.TrimPrefix(strings.Trim(f, `"`), "${clone}/")
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || !info.IsDir() {
			t.Errorf("ros/rstate installs %s, which is no folder of the repository", f)
		}
		folders = append(folders, name)
	}
	return folders
}

// cmake returns the match of the pattern's group in the package's CMakeLists.txt.
func cmake(t *testing.T, pattern string) string {
	t.Helper()
	return cmakeAll(t, pattern)[0]
}

// cmakeAll returns the matches of every occurrence of the pattern, at least one.
func cmakeAll(t *testing.T, pattern string) (found []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "ros", "rstate", "CMakeLists.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(data, -1) {
		found = append(found, string(m[1]))
	}
	if found == nil {
		t.Fatalf("ros/rstate/CMakeLists.txt has nothing like %s", pattern)
	}
	return found
}
