package gen

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

var roots = []string{"testdata/source", "testdata/prefix"}

func read(t *testing.T, roots []string, pkgs ...string) []*Interface {
	t.Helper()
	source, err := Find(roots)
	if err != nil {
		t.Fatal(err)
	}
	all, err := source.Read(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestGolden compares whole bindings with those in testdata, which are checked by review.
// The packages that demo_msgs and source_msgs need are generated as well.
func TestGolden(t *testing.T) {
	options := Options{Module: "example.com/robot/msgs", BuildTag: "ros", License: Comment("One line.\n\nAnother."),
		Lenient: true}
	files, err := Bindings(read(t, roots, "source_msgs"), options)
	if err != nil {
		t.Fatal(err)
	}
	// A suffix keeps Go tools from taking the golden files for packages.
	golden := map[string][]byte{}
	for name, text := range files {
		golden[name+".golden"] = text
	}
	if *update {
		if err := os.RemoveAll("testdata/golden"); err != nil {
			t.Fatal(err)
		}
		if err := Write("testdata/golden", golden); err != nil {
			t.Fatal(err)
		}
	}
	faults, err := Diff("testdata/golden", golden)
	if err != nil || len(faults) > 0 {
		t.Errorf("%v, %v: look at the change, then run go test ./internal/gen -update", faults, err)
	}
}

func TestBindingsAreTheSameEveryTime(t *testing.T) {
	first, err := Bindings(read(t, roots, "demo_msgs"), Options{Module: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		again, err := Bindings(read(t, roots, "demo_msgs"), Options{Module: "m"})
		if err != nil {
			t.Fatal(err)
		}
		for name := range first {
			if string(first[name]) != string(again[name]) {
				t.Fatalf("%s differs from run to run", name)
			}
		}
	}
}

func TestDependenciesComeAlong(t *testing.T) {
	var names []string
	for _, i := range read(t, roots, "source_msgs") {
		names = append(names, i.Name.String())
	}
	for _, want := range []string{"source_msgs/msg/Drawer", "demo_msgs/msg/Spoon", "action_msgs/srv/CancelGoal",
		"unique_identifier_msgs/msg/UUID"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("%v is not sorted", names)
	}
}

func TestFirstRootWins(t *testing.T) {
	overlay := t.TempDir()
	folder := filepath.Join(overlay, "share", "unique_identifier_msgs", "msg")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "UUID.msg"), []byte("uint64 uuid"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := read(t, []string{overlay, "testdata/prefix"}, "unique_identifier_msgs")
	if got := all[0].Messages[0].Fields[0].Type.Primitive; got != "uint64" {
		t.Errorf("the field is a %s: the underlay was read", got)
	}
}

func TestOnlyIDLIsNoted(t *testing.T) {
	source, err := Find(roots)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Name{{"demo_msgs", "msg", "OnlyIdl"}}; !slices.Equal(source.IDLOnly, want) {
		t.Errorf("noted are %v, want %v", source.IDLOnly, want)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	empty := t.TempDir()
	if _, err := Find([]string{empty}); err == nil || !strings.Contains(err.Error(), "neither package.xml nor share") {
		t.Errorf("got %v", err)
	}
	source, err := Find([]string{"testdata/source"})
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"nothing_msgs", "source_msgs"} { // the second needs demo_msgs
		if _, err := source.Read([]string{pkg}); err == nil ||
			!strings.Contains(err.Error(), "no root path has interface files") {
			t.Errorf("%s: got %v", pkg, err)
		}
	}
}

func TestNestedTypeMustExist(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "share", "p", "msg")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "M.msg"), []byte("Nothing field"), 0o644); err != nil {
		t.Fatal(err)
	}
	source, err := Find([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Read([]string{"p"}); err == nil ||
		!strings.Contains(err.Error(), "p/msg/Nothing, which does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{"p/msg/A.gen.go": []byte("a"), "p/msg/B.gen.go": []byte("b")}
	if err := Write(dir, map[string][]byte{"p/msg/A.gen.go": []byte("x"), "p/msg/C.gen.go": nil,
		"q/msg/D.gen.go": nil}); err != nil {
		t.Fatal(err)
	}
	want := []string{"p/msg/A.gen.go: out of date", "p/msg/B.gen.go: missing",
		"p/msg/C.gen.go: its interface is gone; delete it"}
	if got, err := Diff(dir, files); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	if got, err := Diff(dir, files); err != nil || len(got) != 1 {
		t.Errorf("after Write: %q, %v", got, err)
	}
}

func TestImportedPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":          "package a\nimport _ \"m/msgs/std_msgs/msg\"\nimport _ \"fmt\"",
		"b/b.go":        "package b\nimport x \"m/msgs/std_srvs/srv\"",
		"b/c.gen.go":    "package b\nimport _ \"m/msgs/not_read/msg\"",
		"testdata/d.go": "package d\nimport _ \"m/msgs/not_read/msg\"",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string][]string{"": {"std_msgs"}, "/...": {"std_msgs", "std_srvs"}} {
		if got, err := ImportedPackages([]string{dir + pattern}, "m/msgs"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", pattern, got, err, want)
		}
	}
	if _, err := ImportedPackages([]string{filepath.Join(dir, "none")}, "m/msgs"); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func TestModulePath(t *testing.T) {
	if got, err := ModulePath("../testmsgs/not/there"); err != nil ||
		got != "github.com/tiiuae/rclgo/internal/testmsgs/not/there" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := ModulePath("/"); err == nil {
		t.Error("a module was found above /")
	}
}
