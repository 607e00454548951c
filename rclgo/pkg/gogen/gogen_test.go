package gogen_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/gogen"
)

func TestRules(t *testing.T) {
	rules := gogen.RuleSet{}
	for _, pattern := range []string{"std_.*", "test_msgs|demo_msgs"} {
		rule, err := gogen.NewRule(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if rule.String() != pattern {
			t.Errorf("rule %q says %q", pattern, rule)
		}
		rules = append(rules, rule)
	}
	for name, want := range map[string]bool{"std_msgs": true, "demo_msgs": true, "a_std_msgs": false,
		"demo_msgs2": false, "test_msgsdemo_msgs": false} {
		if got := rules.Includes(name); got != want {
			t.Errorf("%s is included: %v, want %v", name, got, want)
		}
	}
	if _, err := gogen.NewRule("("); err == nil {
		t.Error("a faulty expression is no error")
	}
}

func TestRclgoRepoRootPath(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(gogen.RclgoRepoRootPath(), "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+gogen.DefaultConfig.RclgoImportPath+"\n") {
		t.Errorf("%v, %s", err, text)
	}
}

// TestGenerator uses the package as a generator of the user's own would.
func TestGenerator(t *testing.T) {
	var notes strings.Builder
	dir := t.TempDir()
	config := gogen.DefaultConfig
	config.RootPaths = []string{filepath.Join(gogen.RclgoRepoRootPath(), "internal", "gen", "testdata", "prefix")}
	config.DestPath = filepath.Join(dir, "out")
	config.CGOFlagsPath = filepath.Join(dir, "flags.env")
	config.ROSPkgIncludes = []string{"demo_msgs"}
	config.LicenseHeader = "Ours."
	config.Notes = &notes
	g := gogen.New(&config)
	if files, err := g.OutOfDate(); err != nil ||
		!slices.ContainsFunc(files, func(s string) bool { return strings.Contains(s, "Spoon.gen.go") }) {
		t.Errorf("before, out of date are %q: %v", files, err)
	}
	for name, step := range map[string]func() error{
		"types": g.GenerateGolangMessageTypes, "flags": g.GenerateCGOFlags, "primitives": g.GeneratePrimitives,
		"rclgo flags": g.GenerateRclgoFlags, "test flags": g.GenerateTestGogenFlags,
		"error types": g.GenerateROS2ErrorTypes,
	} {
		if err := step(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := g.GenerateROS2AllMessagesImporter(); err != nil {
		t.Fatal(err)
	}
	if files, err := g.OutOfDate(); err != nil || len(files) != 0 {
		t.Errorf("afterwards, out of date are %q: %v", files, err)
	}
	for path, want := range map[string]string{
		"out/demo_msgs/msg/Spoon.gen.go": "// Ours.\n",
		"out/msgs.gen.go":                `_ "github.com/tiiuae/rclgo-msgs/demo_msgs/action"`,
		"flags.env":                      "export CGO_LDFLAGS=",
	} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %.300s", path, err, text)
		}
	}
	if !strings.Contains(notes.String(), "OnlyIdl") {
		t.Errorf("notes %q", notes.String())
	}
	config.ROSPkgIncludes = []string{"nothing"}
	if err := g.GenerateGolangMessageTypes(); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("an unknown package: %v", err)
	}
	config.RootPaths = nil
	if err := g.GenerateGolangMessageTypes(); err == nil || !strings.Contains(err.Error(), "root path") {
		t.Errorf("no root path: %v", err)
	}
}
