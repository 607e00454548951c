package bed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// programs holds the programs that the tests of this process have built, by what they were built from.
var programs struct {
	sync.Mutex
	files map[string]string
}

// once returns the file of a program. It builds it if no test has done that yet.
func once(t testing.TB, source string, options []string, build func(program string)) string {
	t.Helper()
	needMain(t)
	programs.Lock()
	defer programs.Unlock()
	key := fmt.Sprint(source, options)
	if programs.files[key] == "" {
		folder, err := os.MkdirTemp(shared.folder, "program-")
		if err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(folder, strings.TrimSuffix(filepath.Base(source), ".cpp"))
		build(program)
		if programs.files == nil {
			programs.files = map[string]string{}
		}
		programs.files[key] = program
	}
	return programs.files[key]
}

// BuildGo builds a command in Go that speaks ROS, and returns its file.
func BuildGo(t testing.TB, folder string) string {
	t.Helper()
	return once(t, folder, nil, func(program string) {
		if out, err := exec.Command("go", "build", "-tags", Tags, "-o", program, folder).CombinedOutput(); err != nil {
			t.Fatalf("cannot build %s: %v\n%s", folder, err, out)
		}
	})
}

// BuildCpp builds a program in C++ for rcl from one file, with the headers of package rstate, and returns its file. The
// options come first, so that other headers can take the place of those of the package. A test without a compiler is
// left out, but not in CI.
func BuildCpp(t testing.TB, source string, options ...string) string {
	t.Helper()
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "g++"
	}
	if _, err := exec.LookPath(compiler); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("cannot test C++: %v", err)
		}
		t.Skipf("cannot test C++: %v", err)
	}
	return once(t, source, options, func(program string) {
		args := append(slices.Clone(options), "-std=c++17", "-Wall", "-Wextra", "-I../../ros/rstate/include", "-o", program,
			source, "-Wl,--disable-new-dtags", "-Wl,--allow-shlib-undefined")
		for _, prefix := range filepath.SplitList(os.Getenv("AMENT_PREFIX_PATH")) {
			roots, err := filepath.Glob(prefix + "/include/*")
			if err != nil {
				t.Fatal(err)
			}
			for _, root := range roots {
				if !strings.HasPrefix(filepath.Base(root), "python") {
					args = append(args, "-isystem", root)
				}
			}
			args = append(args, "-L"+prefix+"/lib", "-Wl,-rpath,"+prefix+"/lib")
		}
		for _, lib := range []string{"rcl", "rcl_action", "rcl_lifecycle", "rmw", "rcutils", "rosidl_runtime_c",
			"rosidl_typesupport_cpp", "rosidl_typesupport_c",
			"rstate_msgs__rosidl_typesupport_cpp", "std_msgs__rosidl_typesupport_cpp", "std_srvs__rosidl_typesupport_cpp",
			"lifecycle_msgs__rosidl_typesupport_cpp",
			"lifecycle_msgs__rosidl_typesupport_c"} {
			args = append(args, "-l"+lib)
		}
		if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
			t.Fatalf("cannot build %s: %v\n%s", source, err, out)
		}
	})
}
