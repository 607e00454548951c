package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// absolute is the folder of the test's interfaces, from wherever a test goes.
var absolute = func() string {
	path, err := filepath.Abs(prefix)
	if err != nil {
		panic(err)
	}
	return path
}()

// generated runs generate for the test's interfaces with further options, in an empty folder,
// and returns the folder and what the command wrote to stderr.
func generated(t *testing.T, options ...string) (dir, errs string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	args := append([]string{"generate", "-d", "msgs", "--message-module-prefix", "m/msgs"}, options...)
	if !slices.Contains(options, "--root-path") {
		args = append(args, "-r", absolute)
	}
	code, _, errs := command(args...)
	if code != 0 {
		t.Fatalf("%q: %s", args, errs)
	}
	return "msgs", errs
}

// packagesIn lists the ROS packages that have bindings in a folder.
func packagesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func contains(t *testing.T, path string, wants ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q:\n%.400s", path, want, text)
		}
	}
}

func TestRootPathIsAListWithColons(t *testing.T) {
	source, err := filepath.Abs("../../internal/gen/testdata/source")
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := generated(t, "--root-path", source+":"+absolute, "--include-package", "source_msgs|demo_msgs")
	if got := packagesIn(t, dir); !slices.Contains(got, "source_msgs") || !slices.Contains(got, "demo_msgs") {
		t.Errorf("got %q", got)
	}
	if code, _, errs := command("generate", "--root-path", "/nowhere:"+absolute, "-d", dir, "--message-module-prefix",
		"m"); code != 1 || !strings.Contains(errs, `"/nowhere"`) {
		t.Errorf("a root that does not exist: %d, %s", code, errs)
	}
}

func TestRootPathDefaultsToTheSourcedPrefixes(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("AMENT_PREFIX_PATH", "/nowhere:"+absolute)
	if code, _, errs := command("generate", "--message-module-prefix", "m"); code != 0 {
		t.Fatal(errs)
	}
	// The default destination is the current folder.
	contains(t, "demo_msgs/msg/Spoon.gen.go", "package demo_msgs_msg")
}

func TestIncludePackageDeps(t *testing.T) {
	dir, _ := generated(t, "--include-package-deps", "action_msgs")
	if got := packagesIn(t, dir); !slices.Equal(got, []string{"action_msgs", "unique_identifier_msgs"}) {
		t.Errorf("got %q", got)
	}
}

func TestIncludePackageMatchesWholeNames(t *testing.T) {
	dir, _ := generated(t, "--include-package", "unique_.*", "--include-package", "builtin_interfaces")
	if got := packagesIn(t, dir); !slices.Equal(got, []string{"builtin_interfaces", "unique_identifier_msgs"}) {
		t.Errorf("got %q", got)
	}
	if code, _, errs := command("generate", "-r", "/", "--include-package", "("); code != 2 ||
		!strings.Contains(errs, "invalid value") {
		t.Errorf("%d, %s", code, errs)
	}
}

// TestIncludeType: single types, with what they need. An action needs more than its fields name.
func TestIncludeType(t *testing.T) {
	for wanted, want := range map[string][]string{
		"demo_msgs/msg/Empty":        {"demo_msgs/msg/Empty"},
		"action_msgs/srv/CancelGoal": {"action_msgs/srv/CancelGoal", "unique_identifier_msgs/msg/UUID"},
		"demo_msgs/action/.*": {"action_msgs/msg/GoalStatus", "action_msgs/msg/GoalStatusArray",
			"action_msgs/srv/CancelGoal",
			"builtin_interfaces/msg/Time", "demo_msgs/action/Dine", "demo_msgs/msg/Spoon",
			"unique_identifier_msgs/msg/UUID"},
	} {
		dir, _ := generated(t, "--include-type", wanted)
		var got []string
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*.gen.go"))
		for _, f := range files {
			name, _ := filepath.Rel(dir, f)
			if name = strings.TrimSuffix(filepath.ToSlash(name), ".gen.go"); !strings.HasSuffix(name, "/doc") {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", wanted, got, want)
		}
	}
	code, _, errs := command("generate", "-r", absolute, "-d", t.TempDir(), "--message-module-prefix", "m",
		"--include-type", "demo_msgs/msg/Nothing")
	if code != 1 || !strings.Contains(errs, "demo_msgs/msg/Nothing") {
		t.Errorf("a type that is not there: %d, %s", code, errs)
	}
}

func TestRclgoImportPath(t *testing.T) {
	dir, _ := generated(t, "--rclgo-import-path", "example.org/fork")
	contains(t, dir+"/demo_msgs/msg/Spoon.gen.go", `"example.org/fork/pkg/rclgo/types"`)
	dir, _ = generated(t)
	contains(t, dir+"/demo_msgs/msg/Spoon.gen.go", `"github.com/tiiuae/rclgo/pkg/rclgo/types"`)
}

func TestIgnoreROSDistroMismatch(t *testing.T) {
	t.Setenv("ROS_DISTRO", "rolling")
	generated(t)
	generated(t, "--ignore-ros-distro-mismatch")
}

func TestCGOFlagsPath(t *testing.T) {
	generated(t)
	contains(t, "cgo-flags.env", "export CGO_CFLAGS=", "export CGO_LDFLAGS=")
	generated(t, "--cgo-flags-path", "build/flags.env")
	contains(t, "build/flags.env", "export CGO_CFLAGS=")
	generated(t, "--cgo-flags-path", "")
	if _, err := os.Stat("cgo-flags.env"); err == nil {
		t.Error("an empty path wrote a file")
	}
	stdout := os.Stdout
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = f
	generated(t, "--cgo-flags-path", "-")
	os.Stdout = stdout
	contains(t, f.Name(), "export CGO_CFLAGS=")
}

func TestImporterOfAllBindings(t *testing.T) {
	dir, _ := generated(t, "--build-tag", "ros")
	contains(t, dir+"/msgs.gen.go", "//go:build ros\n", "package msgs\n", `_ "m/msgs/demo_msgs/action"`,
		`_ "m/msgs/demo_msgs/msg"`,
		`_ "m/msgs/demo_msgs/srv"`, `_ "m/msgs/unique_identifier_msgs/msg"`)
	dir, _ = generated(t, "--no-importer")
	if _, err := os.Stat(dir + "/msgs.gen.go"); err == nil {
		t.Error("--no-importer wrote the file")
	}
}

func TestGenerateRclgoDoesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	code, _, errs := command("generate-rclgo", "--root-path", "/usr", "--license-header-path", "", "-d", ".")
	if code != 0 || !strings.Contains(errs, "nothing to do") {
		t.Errorf("%d, %s", code, errs)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("it wrote %v: %v", left, err)
	}
	if code, _, _ := command("generate-rclgo", "--colour"); code != 2 {
		t.Errorf("an unknown option: %d", code)
	}
}

func TestConfigFile(t *testing.T) {
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", absolute)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	begin := func() {
		t.Helper()
		t.Chdir(t.TempDir())
		t.Setenv("HOME", t.TempDir())
		t.Setenv("AMENT_PREFIX_PATH", "")
	}
	const text = `# options
generate-rclgo:
  root-path: [/nowhere]
generate:
  root-path:
    - ROOT
  dest-path: "out"   # a comment
  message-module-prefix: m/#1
  include-package-deps: [action_msgs, 'builtin_interfaces']
  ignore-ros-distro-mismatch: true
`
	for name, args := range map[string][]string{
		"after the command":  {"generate", "--config-file", "x.yaml"},
		"before the command": {"--config-file", "x.yaml", "generate"},
		"short":              {"-c", "x.yaml", "generate"},
	} {
		t.Run(name, func(t *testing.T) {
			begin()
			write("x.yaml", text)
			if code, _, errs := command(args...); code != 0 {
				t.Fatal(errs)
			}
			if got := packagesIn(t, "out"); !slices.Equal(got,
				[]string{"action_msgs", "builtin_interfaces", "unique_identifier_msgs"}) {
				t.Errorf("got %q", got)
			}
			contains(t, "out/action_msgs/msg/GoalStatus.gen.go", `"m/#1/unique_identifier_msgs/msg"`)
		})
	}
	t.Run("the command line wins", func(t *testing.T) {
		begin()
		write("x.yaml", text)
		if code, _, errs := command("generate", "-c", "x.yaml", "-d", "other", "--include-package-deps",
			"unique_identifier_msgs"); code != 0 {
			t.Fatal(errs)
		}
		if got := packagesIn(t, "other"); !slices.Equal(got, []string{"unique_identifier_msgs"}) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("the file of the home folder", func(t *testing.T) {
		begin()
		write(filepath.Join(os.Getenv("HOME"), ".rclgo.yaml"), text)
		code, _, errs := command("generate")
		if code != 0 || !strings.Contains(errs, ".rclgo.yaml") {
			t.Fatalf("%d, %s", code, errs)
		}
		packagesIn(t, "out")
	})
	for name, tc := range map[string]struct{ text, want string }{
		"no such file":   {"", "cannot read config file"},
		"unknown option": {"generate:\n  colour: red\n", `no option "colour"`},
		"bad value":      {"generate:\n  lenient: perhaps\n", "option lenient"},
		"no command":     {"  dest-path: x\n", "a command must stand above"},
		"no nesting":     {"dest-path: x\n", "below its command"},
		"lone item":      {"generate:\n  dest-path: x\n  - y\n", "above a list"},
		"open quote":     {"generate:\n  dest-path: \"x\n", "line 2"},
		"open list":      {"generate:\n  root-path: [x\n", "not closed"},
		"anchor":         {"generate:\n  dest-path: &x y\n", "not supported"},
		"no colon":       {"generate:\n  dest-path\n", "is wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			begin()
			if tc.text != "" {
				write("x.yaml", tc.text)
			}
			if code, _, errs := command("generate", "-c", "x.yaml"); code != 1 || !strings.Contains(errs, tc.want) {
				t.Errorf("%d, %s", code, errs)
			}
		})
	}
}
