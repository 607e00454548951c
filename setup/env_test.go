package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// valuesOf returns the environment by name.
func valuesOf(vars []variable) map[string]string {
	values := map[string]string{}
	for _, v := range vars {
		values[v.name] = v.value
	}
	return values
}

func TestEnvironmentOfWheels(t *testing.T) {
	p := completed(t)
	for _, file := range []string{"bin/rclpy-tool", "lib/librcl.so", "include/rcl/x.h", "include/python3.11/Python.h",
		"lib/python3.11/site-packages/rclpy/x.py"} {
		writeFile(t, filepath.Join(p.prefix(), file), "")
	}
	for _, file := range []string{"lib/librstate_msgs.so", "include/rstate_msgs/x.h",
		"lib/python3.11/site-packages/rstate_msgs/x.py"} {
		writeFile(t, filepath.Join(p.overlay(), file), "")
	}
	other := fakeROS(t) // left in this shell by another setup
	writeFile(t, filepath.Join(other, stampName), "{}")
	held := map[string]string{
		"PATH":              filepath.Join(other, "bin") + ":/usr/bin:/bin:/usr/bin",
		"LD_LIBRARY_PATH":   "",
		"PYTHONPATH":        filepath.Join(other, "lib", "python3.11", "site-packages") + ":/mine",
		"AMENT_PREFIX_PATH": other,
	}
	overlay, prefix := p.overlay(), p.prefix()
	got := valuesOf(p.environment(getenvOf(held)))
	for name, want := range map[string]string{
		"ROS_DISTRO":         "jazzy",
		"AMENT_PREFIX_PATH":  overlay + ":" + prefix,
		"CMAKE_PREFIX_PATH":  overlay + ":" + prefix,
		"LD_LIBRARY_PATH":    overlay + "/lib:" + prefix + "/lib",
		"PATH":               prefix + "/bin:/usr/bin:/bin",
		"PYTHONPATH":         overlay + "/lib/python3.11/site-packages:/mine",
		"RMW_IMPLEMENTATION": "rmw_fastrtps_cpp",
		"CGO_CFLAGS":         "-O2 -g -I" + overlay + "/include/rstate_msgs -I" + prefix + "/include/rcl",
		"CGO_LDFLAGS": "-L" + overlay + "/lib -L" + prefix + "/lib -Wl,--disable-new-dtags -Wl,-rpath," + overlay +
			"/lib -Wl,-rpath," + prefix + "/lib" +
			" -lrcl -lrcl_action -lrcl_lifecycle -lrcl_yaml_param_parser -lrmw -lrcutils -lrosidl_runtime_c -lrmw_fastrtps_cpp",
	} {
		if got[name] != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got[name], want)
		}
	}

	again := valuesOf(p.environment(getenvOf(got)))
	for name := range got {
		if again[name] != got[name] {
			t.Errorf("%s grows when it is set twice: %s", name, again[name])
		}
	}
}

func TestEnvironmentOfASourcedROS(t *testing.T) {
	ros := fakeROS(t)
	for _, file := range []string{"lib/librmw_implementation.so", "lib/x86_64-linux-gnu/libfastcdr.so",
		"lib/python3/dist-packages/rclpy/x.py", "local/lib/python3.12/dist-packages/y.py"} {
		writeFile(t, filepath.Join(ros, file), "")
	}
	p := completed(t)
	p.sourced = []string{ros}
	got := valuesOf(p.environment(getenvOf(map[string]string{"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"})))
	if _, set := got["RMW_IMPLEMENTATION"]; set {
		t.Error("the middleware that the user chose is overruled")
	}
	if want := ros + "/lib/python3/dist-packages:" + ros +
		"/local/lib/python3.12/dist-packages"; got["PYTHONPATH"] != want {
		t.Errorf("PYTHONPATH: got %s, want %s", got["PYTHONPATH"], want)
	}
	for _, want := range []string{"-lrmw_implementation", "-L" + ros + "/lib/x86_64-linux-gnu"} {
		if !slices.Contains(strings.Fields(got["CGO_LDFLAGS"]), want) {
			t.Errorf("CGO_LDFLAGS without %s: %s", want, got["CGO_LDFLAGS"])
		}
	}
	if strings.Contains(got["CGO_LDFLAGS"], "fastrtps") {
		t.Errorf("linked to one middleware: %s", got["CGO_LDFLAGS"])
	}
}

func TestQuoteFlag(t *testing.T) {
	for flag, want := range map[string]string{"-I/a": "-I/a", "-I/my robot": `"-I/my robot"`} {
		if got := quoteFlag(flag); got != want {
			t.Errorf("%s: got %s", flag, got)
		}
	}
}

func TestShellExportsSurviveAShell(t *testing.T) {
	const value = `it's "$HOME" \ here`
	text := shellExports([]variable{{"A_NAME", value}})
	out, err := exec.Command("sh", "-c", text+`printf %s "$A_NAME"`).Output()
	if err != nil || string(out) != value {
		t.Errorf("got %q, %v", out, err)
	}
}
