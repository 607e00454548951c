package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const prefix = "../../internal/gen/testdata/prefix"

// command runs the program and returns its exit code and what it wrote.
func command(args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(args, &out, &err)
	return code, out.String(), err.String()
}

func TestGenerateThenCheck(t *testing.T) {
	dir := t.TempDir()
	args := []string{"generate", "--root-path", prefix, "-d", dir, "--message-module-prefix", "m/msgs",
		"--include-package", "^demo_msgs$", "--build-tag", "ros", "--cgo-flags-path="}
	if code, out, _ := command(append(args, "--check")...); code != 1 ||
		!strings.Contains(out, "demo_msgs/msg/Spoon.gen.go: missing") {
		t.Fatalf("check before generating: %d, %s", code, out)
	}
	code, _, errs := command(args...)
	if code != 0 || !strings.Contains(errs, "note: demo_msgs/msg/OnlyIdl has no .msg file and is read from "+prefix) {
		t.Fatalf("generate: %d, %s", code, errs)
	}
	if code, out, errs := command(append(args, "--check")...); code != 0 || out != "" {
		t.Errorf("check after generating: %d, %s%s", code, out, errs)
	}
	path := filepath.Join(dir, "demo_msgs", "action", "Dine.gen.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"//go:build ros\n", "package demo_msgs_action\n",
		`demo_msgs_msg "m/msgs/demo_msgs/msg"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	if err := os.WriteFile(path, []byte("package x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(append(args, "--check")...); code != 1 ||
		!strings.Contains(out, "Dine.gen.go: out of date") {
		t.Errorf("check after a change: %d, %s", code, out)
	}
}

func TestPackagesOfGoImports(t *testing.T) {
	dir, source := t.TempDir(), t.TempDir()
	text := "package x\nimport _ \"m/msgs/builtin_interfaces/msg\""
	if err := os.WriteFile(filepath.Join(source, "x.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := command("generate", "-r", prefix, "-d", dir, "--message-module-prefix", "m/msgs",
		"--include-go-package-deps", source+"/...", "--no-importer", "--cgo-flags-path=")
	if code != 0 {
		t.Fatal(errs)
	}
	found, err := os.ReadDir(dir)
	if err != nil || len(found) != 1 || found[0].Name() != "builtin_interfaces" {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestLicenceGoesToTheTop(t *testing.T) {
	dir := t.TempDir()
	licence := filepath.Join(dir, "LICENCE")
	if err := os.WriteFile(licence, []byte("Do as you please.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := command("generate", "-r", prefix, "-d", dir, "--message-module-prefix", "m",
		"--license-header-path", licence, "--cgo-flags-path=")
	if code != 0 {
		t.Fatal(errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "demo_msgs", "msg", "Empty.gen.go"))
	if err != nil || !strings.HasPrefix(string(text), "// Do as you please.\n\n// Code generated") {
		t.Errorf("got %v, %.80s", err, text)
	}
}

func TestBadUse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AMENT_PREFIX_PATH", "")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing", nil, 2, "Usage: rclgo-gen"},
		{"unknown command", []string{"make"}, 2, `cannot run command "make"`},
		{"unknown option", []string{"generate", "--colour"}, 2, "colour"},
		{"argument", []string{"generate", "std_msgs"}, 2, `cannot use argument "std_msgs"`},
		{"bad expression", []string{"generate", "--include-package", "("}, 2, "invalid value"},
		{"no prefix", []string{"generate"}, 1, "source a ROS 2 setup file"},
		{"no such prefix", []string{"generate", "-r", dir}, 1, "neither package.xml nor share"},
		{"no such package", []string{"generate", "-r", prefix, "--include-package", "nothing",
			"--message-module-prefix", "m"}, 1,
			`cannot include packages "nothing"`},
		{"no module", []string{"generate", "-r", prefix, "-d", dir}, 1, "--message-module-prefix"},
		{"no licence file", []string{"generate", "-r", prefix, "-d", dir, "--message-module-prefix", "m",
			"--license-header-path", dir + "/x"}, 1,
			"cannot read licence header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, _, errs := command(c.args...); code != c.code || !strings.Contains(errs, c.want) {
				t.Errorf("got %d, %s", code, errs)
			}
		})
	}
	if code, out, _ := command("help"); code != 0 || !strings.Contains(out, "-include-package") {
		t.Errorf("help: %d, %s", code, out)
	}
}

// TestNoCgo keeps the generator usable where no ROS library is.
func TestNoCgo(t *testing.T) {
	for _, dir := range []string{".", "../../internal/gen", "../../pkg/gogen"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, %v", files, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if f != "main_test.go" && (strings.Contains(string(text), `import "C"`) ||
				strings.Contains(string(text), "rclgo/pkg/rclgo\"\n")) {
				t.Errorf("%s imports cgo", f)
			}
		}
	}
}
