package network

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with the file, or writes it with -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("differs from %s; if it should, run go test -update\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

// Each file in testdata/faults is refused with the messages beside it.
func TestFaults(t *testing.T) {
	t.Chdir("testdata/faults") // so that messages name files as their users do
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".yaml"), func(t *testing.T) {
			n, err := Load(file)
			var faults Faults
			if n != nil || !errors.As(err, &faults) {
				t.Fatalf("was not refused: %v", err)
			}
			for _, f := range faults {
				if f.Problem == "" || f.Hint == "" {
					t.Errorf("does not say what is wrong and what to write instead: %+v", f)
				}
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", []byte(err.Error()+"\n"))
		})
	}
}

// Each file in testdata/accepted is close to a fault, and has neither faults nor warnings.
func TestAccepted(t *testing.T) {
	files, _ := filepath.Glob("testdata/accepted/*.yaml")
	if len(files) == 0 {
		t.Fatal("no fixtures")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			n, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(n.Warnings) > 0 {
				t.Errorf("warnings: %v", n.Warnings)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	t.Chdir("testdata/warnings")
	files, _ := filepath.Glob("*.yaml")
	if len(files) == 0 {
		t.Fatal("no fixtures")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".yaml"), func(t *testing.T) {
			n, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", []byte(Faults(n.Warnings).Error()+"\n"))
		})
	}
}

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cases := []struct{ name, path, want string }{
		{"missing", filepath.Join(dir, "none.yaml"), "there is no such file"},
		{"a directory", dir, "is a directory"},
		{"a device", os.DevNull, "is no regular file"},
		{"empty", file("empty.yaml", nil, 0o644), "is empty"},
		{"too large", file("large.yaml", make([]byte, 1<<20+1), 0o644), "is larger than 1 MiB"},
		{"binary", file("binary.yaml", []byte{0, 1, 2, 0xff}, 0o644), "is no valid YAML"},
	}
	if os.Geteuid() != 0 { // root may read everything
		cases = append(cases, struct{ name, path, want string }{"unreadable", file("closed.yaml", []byte("x: y"), 0),
			"cannot be read: permission denied"})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(c.path)
			var faults Faults
			if !errors.As(err, &faults) || !strings.HasPrefix(err.Error(), c.path) ||
				!strings.Contains(err.Error(), c.want) || faults[0].Hint == "" {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// hostile returns files of up to 1 MiB that are hard to parse or to report on.
func hostile() map[string][]byte {
	fill := func(head, body string) []byte {
		return []byte((head + strings.Repeat(body, 1<<20/len(body)+1))[:1<<20])
	}
	few := func(head, body, tail string, n int) []byte { return []byte(head + strings.Repeat(body, n) + tail) }
	many := func(head, body, tail string, n int) []byte {
		b := []byte(head)
		for i := range n {
			b = fmt.Appendf(b, body, i, (i+1)%n)
		}
		return append(b, tail...)
	}
	states := func(n int) string { return string(many("states:\n", "  s%d: {nodes: active} # %d\n", "", n)) }
	return map[string][]byte{
		"items":          fill("[", "1,"),
		"open lists":     fill("", "["),
		"open mappings":  fill("", "{"),
		"block lists":    fill("", "- "),
		"block keys":     fill("", "? "),
		"lines":          fill("", "a: b\n"),
		"deep lines":     fill("", "- - - - - -\n"),
		"comments":       fill("", "#\n"),
		"long comment":   fill("a: b #", "x"),
		"tails":          fill("", "a: b #c\n#d\n\n"),
		"one word":       fill("simulation: ", "a"),
		"one key":        fill("", "a"),
		"quoted":         fill("a: \"", "\\n"),
		"folded":         fill("a: >\n", " x\n\n"),
		"anchors":        fill("", "&a "),
		"aliases":        fill("a: &a b\nc: [", "*a,"),
		"tags":           fill("", "!x "),
		"blanks":         fill("", " "),
		"tabs":           fill("", "\t"),
		"zeros":          fill("", "\x00"),
		"documents":      fill("", "---\n"),
		"directives":     fill("", "%YAML 1.1\n"),
		"dense":          few("[", "1,", "]", 24_000),
		"nodes in a row": few("simulation: t\nnodes:\n", "  /a: {after: [/b, /c]}\n", "", 6_000),
		"cyclic nodes":   many("simulation: t\nnodes:\n", "  /n%d: {after: [/n%d, /n0]}\n", "", 8_000),
		"unknown nodes":  many("simulation: t\nnodes: {/a: {after: [", "/bcdefghij%d,/b%d,", "]}}", 20_000),
		"unknown keys":   many("simulation: t\nnodes:\n", "  /n%d: {aftre: %d}\n", "", 10_000),
		"ladder": many("simulation: t\nnodes: {/a: {}}\ntransitions:\n", "  c%d: {from: [s%d], to: inactive}\n",
			states(150), 150),
		"arms": many("simulation: t\nnodes:\n", "  /n%d: {arm: {dead_man: none}, probe: %ds}\n", "more: 1",
			4_000),
		"groups": many("simulation: t\nnodes: {/a: {}}\ngroups:\n", "  g%d: [/a%d]\n", "", 10_000),
		"state groups": many("simulation: t\nnodes: {/a: {}}\nstates: {s: {nodes: {", "g%d: active, h%d: active,",
			"}}}", 10_000),
		"states": many("simulation: t\nnodes: {/a: {}}\nstates:\n", "  s%d: {nodes: active, id: %d}\n", "",
			6_000),
		"commands": many("simulation: t\nnodes: {/a: {}}\ntransitions:\n", "  s%d: {from: [a%d], to: active}\n",
			"", 6_000),
		"full machine": many("simulation: t\nnodes: {/a: {}}\ntransitions:\n", "  c%d: {from: any, to: s%d}\n",
			states(150)+"  lonely: {nodes: active}", 150),
		"unknown froms": many("simulation: t\nnodes: {/a: {}}\ntransitions: {t: {to: active, from: [", "abc%d,abd%d,",
			"]}}", 20_000),
		"unknown names": few("simulation: t\nnodes: {/a: {after: [", "/bcdefghijklm,", "]}}", 40_000),
	}
}

// Any file of 1 MiB gets an answer that a user can read.
func TestAnyMebibyteIsAnswered(t *testing.T) {
	for name, data := range hostile() {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("any.yaml", data)
			if err == nil {
				t.Fatal("was taken for a network")
			}
			if len(err.Error()) > 1<<17 {
				t.Errorf("the answer has %d bytes", len(err.Error()))
			}
			t.Log(strings.SplitN(err.Error(), "\n", 2)[0])
		})
	}
}

// BenchmarkHostileFile measures each answer, which may take 100 ms.
func BenchmarkHostileFile(b *testing.B) {
	for name, data := range hostile() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Parse("any.yaml", data); err == nil {
					b.Fatal("was taken for a network")
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(100*time.Millisecond), "of-bound")
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "../../config/*.yaml", "../../config/experiments/*.yaml",
		"testdata/faults/machines/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse("testdata/faults/fuzz.yaml", data)
		if (n == nil) == (err == nil) {
			t.Errorf("network %v, error %v", n, err)
		}
	})
}
