package bed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BuildGo builds a command in Go that speaks ROS, and returns its file.
func BuildGo(t testing.TB, folder string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(folder))
	if out, err := exec.Command("go", "build", "-tags", "ros", "-o", program, folder).CombinedOutput(); err != nil {
		t.Fatalf("cannot build %s: %v\n%s", folder, err, out)
	}
	return program
}

// BuildCpp builds a program in C++ for rcl from one file, with the headers of package rstate, and returns its file. A
// test without a compiler is left out, but not in CI.
func BuildCpp(t testing.TB, source string) string {
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
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".cpp"))
	args := []string{"-std=c++17", "-Wall", "-Wextra", "-I../../ros/rstate/include", "-o", program, source,
		"-Wl,--disable-new-dtags", "-Wl,--allow-shlib-undefined"}
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
	for _, lib := range []string{"rcl", "rcl_lifecycle", "rmw", "rcutils", "rosidl_runtime_c", "rosidl_typesupport_cpp",
		"rosidl_typesupport_c",
		"rstate_msgs__rosidl_typesupport_cpp", "std_msgs__rosidl_typesupport_cpp", "std_srvs__rosidl_typesupport_cpp",
		"lifecycle_msgs__rosidl_typesupport_cpp",
		"lifecycle_msgs__rosidl_typesupport_c"} {
		args = append(args, "-l"+lib)
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("cannot build %s: %v\n%s", source, err, out)
	}
	return program
}
