package launch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The package gives nodes that can be armed a header, a Python module, and an example node for
// each.

const ament = root + "/ros/rstate"

func readAment(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ament, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// matches returns the matches of the pattern's group, each once.
func matches(text, pattern string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return found
}

func TestPackageInstallsHeaderAndModule(t *testing.T) {
	folder := cmake(t, `install\(DIRECTORY (\S+)/ DESTINATION include/\$\{PROJECT_NAME\}\)`)
	if said := cmake(t, `\$<INSTALL_INTERFACE:([^>]*)>`); said != "include/${PROJECT_NAME}" {
		t.Errorf("the header is looked for in %s, and lies elsewhere", said)
	}
	readAment(t, folder+"/rstate/arm_lease.hpp")
	target := cmake(t, `install\(TARGETS (\S+) EXPORT export_\$\{PROJECT_NAME\}\)`)
	if library := cmake(t, `add_library\((\S+) INTERFACE\)`); library != target {
		t.Errorf("%s is exported, and the library is %s", target, library)
	}
	cmake(t, `(ament_export_targets)\(export_\$\{PROJECT_NAME\}\)`)
	cmake(t, `(ament_python_install_package)\(\$\{PROJECT_NAME\}\)`)
	own := readManifest(t, "ros/rstate")
	if !slices.Contains(own.BuildTool, "ament_cmake_python") {
		t.Error("a Python module is installed, and ament_cmake_python is no buildtool_depend")
	}
	for _, file := range []string{"__init__.py", "arm_lease.py"} {
		readAment(t, own.Name+"/"+file)
	}
}

// examples are the nodes that the package shows, each in Python and in C++.
var examples = []string{"leased_node", "stepped_node"}

// TestExamplesAreInstalled: ros2 run finds the executable ones, and all can be read.
func TestExamplesAreInstalled(t *testing.T) {
	for _, name := range examples {
		if !slices.Contains(installedPrograms(t), "rstate/"+name+".py") {
			t.Errorf("%s.py is not among the programs: %v", name, installedPrograms(t))
		}
		info, err := os.Stat(filepath.Join(ament, "examples", name+".py"))
		if err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s.py cannot be run: %v, %v", name, info, err)
		}
		if text := readAment(t, "examples/"+name+".py"); !strings.HasPrefix(text, "#!/usr/bin/env python3\n") {
			t.Errorf("%s.py does not say that it is Python", name)
		}
		cmake(t, `add_executable\(`+name+` (examples/`+name+`\.cpp)\)`)
		if built := cmake(t, `install\(TARGETS (leased_node .*) DESTINATION lib/\$\{PROJECT_NAME\}\)`); !slices.Contains(strings.Fields(built), name) {
			t.Errorf("%s is built and not installed", name)
		}
	}
	cmake(t, `install\(DIRECTORY (examples) DESTINATION share/\$\{PROJECT_NAME\}`)
}

// TestExamplesUseWhatTheManifestNames: each example must start where the package is installed.
func TestExamplesUseWhatTheManifestNames(t *testing.T) {
	own := readManifest(t, "ros/rstate")
	found := cmakeAll(t, `find_package\((\w+) REQUIRED\)`)
	for _, name := range examples {
		used := matches(readAment(t, "examples/"+name+".py"), `(?m)^(?:from|import) (\w+)`)
		if len(used) < 3 {
			t.Fatalf("%s.py imports %v only", name, used)
		}
		for _, pkg := range used {
			if pkg != "time" && pkg != own.Name && !slices.Contains(own.ExecDepend, pkg) {
				t.Errorf("%s.py imports %s, which is no exec_depend", name, pkg)
			}
		}
		used = matches(readAment(t, "examples/"+name+".cpp"), `#include "(\w+)/`)
		if len(used) < 4 {
			t.Fatalf("%s.cpp includes %v only", name, used)
		}
		for _, pkg := range used {
			if pkg != own.Name && !slices.Contains(found, pkg) {
				t.Errorf("%s.cpp includes a header of %s, which CMakeLists.txt does not look for", name, pkg)
			}
		}
	}
}

// TestExampleInCppIsBuiltOnlyWhenAsked: installing the program does not need rclcpp.
func TestExampleInCppIsBuiltOnlyWhenAsked(t *testing.T) {
	if cmake(t, `option\(RSTATE_BUILD_EXAMPLES "[^"]*" (\w+)\)`) != "OFF" {
		t.Error("the examples are built unasked")
	}
	text := readAment(t, "CMakeLists.txt")
	begin, end := strings.Index(text, "if(RSTATE_BUILD_EXAMPLES)"), strings.LastIndex(text, "endif()")
	if rclcpp := strings.Index(text, "rclcpp REQUIRED"); begin < 0 || rclcpp < begin || rclcpp > end {
		t.Error("rclcpp is asked for although no example is to be built")
	}
	own := readManifest(t, "ros/rstate")
	if slices.Contains(append(own.Depend, own.ExecDepend...), "rclcpp") {
		t.Error("the package depends on rclcpp, which only an example needs")
	}
}

// TestExamplesListenAsTheLeaseIsSpoken: with an incompatible QoS an example receives nothing.
func TestExamplesListenAsTheLeaseIsSpoken(t *testing.T) {
	for file, words := range map[string][]string{
		"examples/leased_node.py":  {"BEST_EFFORT", "VOLATILE", "depth=100", `"/arm_lease"`},
		"examples/leased_node.cpp": {"best_effort()", "durability_volatile()", "QoS(100)", `"/arm_lease"`},
	} {
		text := readAment(t, file)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not say %s", file, word)
			}
		}
	}
}
