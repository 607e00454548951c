package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEnvNamesHeadersAndLibraries(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"include/rcl", "lib"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range strings.Fields("rcl rcl_action rcl_lifecycle rcl_yaml_param_parser rmw rcutils rosidl_runtime_c rmw_implementation") {
		if err := os.WriteFile(filepath.Join(root, "lib", "lib"+name+".so"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AMENT_PREFIX_PATH", "/nowhere:"+root)
	code, out, errs := command("env")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"export CGO_CFLAGS='-O2 -g -I" + root + "/include/rcl'\n",
		"export CGO_LDFLAGS='-L" + root + "/lib ",
		"-lrcl ", "-lrmw_implementation'\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q:\n%s", want, out)
		}
	}
}

func TestEnvWithoutROSSaysWhatToDo(t *testing.T) {
	t.Setenv("AMENT_PREFIX_PATH", "")
	code, out, errs := command("env")
	if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "source the setup file") {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}
