package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestRepairCMake(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Python's headers", `INCLUDE "/opt/python/cp311-cp311/include/python3.11"`, `INCLUDE "/usr/include/py"`},
		{"numpy's headers", `"/opt/python/cp313-cp313/lib/python3.13/site-packages/numpy/_core/include;x"`,
			`"/np$1;x"`},
		{"old numpy's headers", `/opt/python/cp310-cp310/lib/python3.10/site-packages/numpy/core/include`, `/np$1`},
		{"both, twice", "/opt/python/cp312-cp312/include/python3.12\n/opt/python/cp312-cp312/lib/python3.12/site-packages/numpy/_core/include;/opt/python/cp312-cp312/include/python3.12",
			"/usr/include/py\n/np$1;/usr/include/py"},
		{"anything else stays", `"${_IMPORT_PREFIX}/include" /opt/python/bin`,
			`"${_IMPORT_PREFIX}/include" /opt/python/bin`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := repairCMake(c.text, "/usr/include/py", "/np$1"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRepairCMakeFilesTouchesCMakeFilesOnly(t *testing.T) {
	const before, after = "/opt/python/cp311-cp311/include/python3.11", "/inc"
	share := t.TempDir()
	cmake, other := filepath.Join(share, "a", "cmake", "x.cmake"), filepath.Join(share, "a", "x.txt")
	writeFile(t, cmake, before)
	writeFile(t, other, before)
	for range 2 { // a repaired file does not change
		if err := repairCMakeFiles(share, "/inc", "/np"); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{cmake: after, other: before} {
			if text, err := os.ReadFile(path); err != nil || string(text) != want {
				t.Errorf("%s: got %q, %v, want %q", path, text, err, want)
			}
		}
	}
}

func TestLinkBundled(t *testing.T) {
	prefix := t.TempDir()
	lib, packages := filepath.Join(prefix, "lib"), filepath.Join(prefix, "lib", "python3.11", "site-packages")
	writeFile(t, filepath.Join(packages, "ros_rcl.libs", "libyaml-1.so"), "yaml")
	writeFile(t, filepath.Join(packages, "ros_rclpy.libs", "libyaml-1.so"), "yaml") // bundled twice
	writeFile(t, filepath.Join(packages, "ros_fastdds.libs", "libssl.so"), "ssl")
	if err := linkBundled(packages, lib); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"libyaml-1.so": "yaml", "libssl.so": "ssl"} {
		if text, err := os.ReadFile(filepath.Join(lib, name)); err != nil || string(text) != want {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
}

func TestRemovals(t *testing.T) {
	got := removals([]string{"librcl.so", "libstd_msgs__rosidl_generator_py.so", "libc.so.6",
		"liba__rosidl_generator_py.so"})
	want := []string{"--remove-needed", "libstd_msgs__rosidl_generator_py.so", "--remove-needed",
		"liba__rosidl_generator_py.so"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := removals([]string{"librcl.so"}); len(got) != 0 {
		t.Errorf("a library without fault: got %q", got)
	}
}

func TestUnlinkPythonLeavesPythonsOwnLibrariesAlone(t *testing.T) {
	lib := t.TempDir()
	writeFile(t, filepath.Join(lib, "libstd_msgs__rosidl_generator_py.so"), "never opened")
	if err := unlinkPython(lib, "/nonexistent/patchelf"); err != nil {
		t.Error(err)
	}
	writeFile(t, filepath.Join(lib, "librcl.so"), "not a library")
	if err := unlinkPython(lib, "/nonexistent/patchelf"); err == nil {
		t.Error("a file that is no library was passed over")
	}
}
