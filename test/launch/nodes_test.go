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

// TestExamplesAreInstalled: ros2 run finds the executable ones, and all can be read.
func TestExamplesAreInstalled(t *testing.T) {
	if !slices.Contains(installedPrograms(t), "rstate/leased_node.py") {
		t.Errorf("the example in Python is not among the programs: %v", installedPrograms(t))
	}
	info, err := os.Stat(filepath.Join(ament, "examples", "leased_node.py"))
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the example in Python cannot be run: %v, %v", info, err)
	}
	if text := readAment(t, "examples/leased_node.py"); !strings.HasPrefix(text, "#!/usr/bin/env python3\n") {
		t.Error("the example in Python does not say that it is Python")
	}
	cmake(t, `install\(DIRECTORY (examples) DESTINATION share/\$\{PROJECT_NAME\}`)
}

// TestExamplesUseWhatTheManifestNames: each example must start where the package is installed.
func TestExamplesUseWhatTheManifestNames(t *testing.T) {
	own := readManifest(t, "ros/rstate")
	used := matches(readAment(t, "examples/leased_node.py"), `(?m)^(?:from|import) (\w+)`)
	if len(used) < 4 {
		t.Fatalf("the example in Python imports %v only", used)
	}
	for _, pkg := range used {
		if pkg != "time" && pkg != own.Name && !slices.Contains(own.ExecDepend, pkg) {
			t.Errorf("the example in Python imports %s, which is no exec_depend", pkg)
		}
	}
	found := cmakeAll(t, `find_package\((\w+) REQUIRED\)`)
	used = matches(readAment(t, "examples/leased_node.cpp"), `#include "(\w+)/`)
	if len(used) < 4 {
		t.Fatalf("the example in C++ includes %v only", used)
	}
	for _, pkg := range used {
		if pkg != own.Name && !slices.Contains(found, pkg) {
			t.Errorf("the example in C++ includes a header of %s, which CMakeLists.txt does not look for", pkg)
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
		"examples/leased_node.py":  {"BEST_EFFORT", "VOLATILE", "depth=1", `"/arm_lease"`},
		"examples/leased_node.cpp": {"best_effort()", "durability_volatile()", "QoS(1)", `"/arm_lease"`},
	} {
		text := readAment(t, file)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not say %s", file, word)
			}
		}
	}
}
