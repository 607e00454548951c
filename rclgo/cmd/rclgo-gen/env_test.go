package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEnvNamesHeadersAndLibraries(t *testing.T) {
	prefix := t.TempDir()
	for _, dir := range []string{"include/rcl", "include/rmw", "lib"} {
		if err := os.MkdirAll(filepath.Join(prefix, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range libraries {
		if err := os.WriteFile(filepath.Join(prefix, "lib", "lib"+name+".so"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AMENT_PREFIX_PATH", "/nowhere:"+prefix)
	code, out, errs := command("env")
	if code != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"export CGO_CFLAGS='-O2 -g -I" + prefix + "/include/rcl -I" + prefix + "/include/rmw'\n",
		"export CGO_LDFLAGS='-L" + prefix + "/lib -Wl,-rpath," + prefix + "/lib -lrcl "} {
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

func TestOptionsOfTheOriginal(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := command("generate", "--root-path", "/nowhere/share:"+prefix, "-d", dir, "--message-module-prefix", "m",
		"--include-package-deps", "demo_msgs", "--rclgo-import-path", "example.org/fork", "--ignore-ros-distro-mismatch", "--cgo-flags-path", "x")
	if code == 0 {
		t.Fatal("a root that is not there is no error")
	}
	code, _, errs = command("generate", "--root-path", prefix+":"+prefix, "-d", dir, "--message-module-prefix", "m",
		"--include-package-deps", "demo_msgs", "--rclgo-import-path", "example.org/fork", "--ignore-ros-distro-mismatch", "--cgo-flags-path", "x")
	if code != 0 {
		t.Fatal(errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "demo_msgs", "msg", "Spoon.gen.go"))
	if err != nil || !strings.Contains(string(text), `"example.org/fork/pkg/rclgo/types"`) {
		t.Errorf("%v, %s", err, text)
	}
	if code, _, errs := command("generate-rclgo"); code != 0 {
		t.Errorf("generate-rclgo: %d, %s", code, errs)
	}
}
