package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const code = `package x

import "strings"

type (
	pair struct{ a, b int }
	list[T any] struct {
		all  []T
		size int
	}
)

const (
	low  = 1
	high = 9
)

var limit = 5

func (l *list[T]) add(x T) {
	if l.size < high {
		l.all = append(l.all, x)
		l.size++
	}
}

func (p pair) add() int { return p.a + p.b }

func add(a, b int) int {
	if a > limit {
		if b > limit {
			return limit
		}
	}
	if b > limit {
		return limit
	}
	return a + b + len(strings.TrimSpace(""))
}

func init() {}

func init() { limit++ }
`

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name   string
		change change
		from   string // in the code
		to     string // what it becomes; empty: an error
		says   string // of the error
	}{
		{"a method", change{Function: "(list).add", Old: "l.size < high", New: "true"}, "if l.size < high {",
			"if true {", ""},
		{"another method of the name", change{Function: "(pair).add", Old: "p.a + p.b", New: "0"}, "return p.a + p.b",
			"return 0", ""},
		{"a function of the name", change{Function: "add", Old: "a + b", New: "a"}, "return a + b +", "return a +", ""},
		{"a type in a group", change{Function: "list", Old: "size int", New: "size uint"}, "size int", "size uint", ""},
		{"a const in a group", change{Function: "high", Old: "9", New: "8"}, "high = 9", "high = 8", ""},
		{"a var", change{Function: "limit", Old: "limit = 5", New: "limit = 6"}, "limit = 5", "limit = 6", ""},
		{"the imports", change{Function: "import", Old: `"strings"`, New: `strings "bytes"`}, `import "strings"`,
			`import strings "bytes"`, ""},
		{"lines go", change{Function: "(list).add", Old: "l.all = append(l.all, x)\nl.size++\n"},
			"\t\tl.all = append(l.all, x)\n\t\tl.size++\n", "", ""},
		{"lines at their indentation", change{Function: "add", Old: "if b > limit {\n\treturn limit\n}\nreturn a",
			New: "return a"}, "", "", "old is not in add"},
		{"lines of an outer block", change{Function: "add", Old: "\tif b > limit {\n"}, "", "", "old is not in add"},
		{"lines become others", change{Function: "add",
			Old: "if b > limit {\n\treturn limit\n}\nreturn a + b + len(strings.TrimSpace(\"\"))\n",
			New: "if b > 0 {\n\treturn 0\n}\nreturn 1\n"},
			"\tif b > limit {\n\t\treturn limit\n\t}\n\treturn a + b + len(strings.TrimSpace(\"\"))\n",
			"\tif b > 0 {\n\t\treturn 0\n\t}\n\treturn 1\n", ""},
		{"lines of two places", change{Function: "add", Old: "if b > limit {\n\treturn limit\n}\n"}, "", "",
			"old occurs 2 times in add: make it longer until it occurs once"},
		{"a text of two places", change{Function: "add", Old: "b > limit"}, "", "", "old occurs 2 times in add"},
		{"outside the function", change{Function: "(pair).add", Old: "limit"}, "", "",
			"x/x.go: old is not in (pair).add: write what the code says now"},
		{"no such function", change{Function: "(pair).sub", Old: "limit"}, "", "",
			"x has no (pair).sub: if it has a new name or place, correct function or package"},
		{"a function of two places", change{Function: "init", Old: "limit"}, "", "",
			"init occurs several times, in x/x.go"},
		{"does not parse", change{Function: "high", Old: "9", New: "("}, "", "", "the result does not parse: x/x.go:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, map[string]string{"x/x.go": code, "x/y.go": "package x\n", "x/x_test.go": code})
			c.change.Package = "x"
			texts, err := newTree(root).apply(mutation{Rule: "A1", Name: "n", Changes: []change{c.change}})
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), "A1-n: ") || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v, want %q", err, c.says)
				}
				return
			}
			if want := strings.Replace(code, c.from, c.to, 1); err != nil || len(texts) != 1 ||
				texts["x/x.go"] != want {
				t.Errorf("error %v, got:\n%s", err, texts["x/x.go"])
			}
		})
	}
}

// TestChangesInOrder: each change applies to the result of the changes before it, in files of any
// kind.
func TestChangesInOrder(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"x/x.go": code, "p.py": "def f():\n    if a:\n        return b\n"})
	texts, err := newTree(root).apply(mutation{Changes: []change{
		{File: "p.py", Old: "if a:\n    return b\n", New: "return c\n"},
		{File: "x/x.go", Function: "high", Old: "9", New: "90"},
		{File: "x/x.go", Function: "high", Old: "90", New: "91"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if texts["p.py"] != "def f():\n    return c\n" ||
		texts["x/x.go"] != strings.Replace(code, "high = 9", "high = 91", 1) || len(texts) != 2 {
		t.Errorf("got %q", texts)
	}
	if got, _ := os.ReadFile(filepath.Join(root, "x/x.go")); string(got) != code {
		t.Error("the file itself was changed")
	}
}

// TestAFunctionThatHasMoved: a change finds its function in another file of the package.
func TestAFunctionThatHasMoved(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"x/x.go": "package x\n", "x/y.go": code})
	texts, err := newTree(root).apply(mutation{Changes: []change{{Package: "x", Function: "high", Old: "9", New: "8"}}})
	if err != nil || texts["x/y.go"] == "" {
		t.Errorf("error %v, got %q", err, texts)
	}
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
