package main

import (
	"slices"
	"testing"
)

// TestAloneHasNoPackageThatStartsAGoroutine: neither by itself, nor in its tests, nor in what these import.
func TestAloneHasNoPackageThatStartsAGoroutine(t *testing.T) {
	files(t, map[string]string{
		"go.mod":             "module m\n\ngo 1.25\n",
		"plain/p.go":         "package plain\n\ntype T struct{ Parallel bool }\n\nvar X = T{}.Parallel\n",
		"goes/g.go":          "package goes\n\nfunc init() { go func() {}() }\n",
		"above/a.go":         "package above\n\nimport _ \"m/goes\"\n",
		"group/g.go":         "package group\n\nimport \"sync\"\n\nfunc F(g *sync.WaitGroup) { g.Go(func() {}) }\n",
		"value/v.go":         "package value\n\nimport \"sync\"\n\nfunc F(g *sync.WaitGroup) func(func()) { return g.Go }\n",
		"later/l.go":         "package later\n\nimport \"time\"\n\nvar _ = time.AfterFunc\n",
		"serves/s.go":        "package serves\n\nimport _ \"net/http\"\n",
		"tested/t.go":        "package tested\n",
		"tested/t_test.go":   "package tested\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Parallel() }\n",
		"outside/o.go":       "package outside\n",
		"outside/o_test.go":  "package outside_test\n\nimport _ \"m/goes\"\n",
		"onlytest/o_test.go": "package onlytest\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { go t.Log() }\n",
		"uses/u.go":          "package uses\n\nimport _ \"m/plain\"\n",
	})
	packages, err := list(".")
	if err != nil {
		t.Fatal(err)
	}
	many, alone, err := sorted(packages)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(many)
	slices.Sort(alone)
	if want := []string{"m/plain", "m/uses"}; !slices.Equal(alone, want) {
		t.Errorf("alone: got %q, want %q", alone, want)
	}
	if want := []string{"m/above", "m/goes", "m/group", "m/later", "m/onlytest", "m/outside", "m/serves", "m/tested",
		"m/value"}; !slices.Equal(many, want) {
		t.Errorf("with goroutines: got %q, want %q", many, want)
	}
}

// TestAloneReportsAFileThatCannotBeRead, since such a package could be on either side.
func TestAloneReportsAFileThatCannotBeRead(t *testing.T) {
	files(t, map[string]string{"go.mod": "module m\n\ngo 1.25\n", "broken/b.go": "package broken\n\nfunc {\n"})
	packages, err := list(".")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := sorted(packages); err == nil {
		t.Error("no error")
	}
}
