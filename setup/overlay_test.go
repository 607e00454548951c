package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEachInterfaceIsParsedOnce: the generators of a build are processes of their own, and what one has parsed, the others
// do not parse.
func TestEachInterfaceIsParsedOnce(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	p := place{root: t.TempDir(), distro: "jazzy"}
	text, err := os.ReadFile(parser)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(p.root, "setup", parser), string(text))
	build := filepath.Join(t.TempDir(), "build")
	variable, err := parseOnce(p, build)
	if err != nil {
		t.Fatal(err)
	}
	wheels := t.TempDir()
	writeFile(t, filepath.Join(wheels, "rosidl_parser", "__init__.py"), "")
	writeFile(t, filepath.Join(wheels, "rosidl_parser", "parser.py"), `
def parse_idl_string(text, png_file=None):
    print("parses", text)
    return {"content": text}

def parse_idl_file(text):
    return parse_idl_string(text, png_file=None)
`)
	for _, c := range []struct{ text, want string }{
		{"struct A", "parses struct A\nstruct A\n"}, {"struct A", "struct A\n"}, {"struct B", "parses struct B\nstruct B\n"},
	} {
		cmd := exec.Command(python, "-c", `
import sys
from rosidl_parser.parser import parse_idl_file
print(parse_idl_file(sys.argv[1])["content"])`, c.text)
		cmd.Env = append(withoutPython(os.Environ()), variable+":"+wheels)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%s: got %q, want %q (%v)", c.text, out, c.want, err)
		}
	}
	if _, err := parseOnce(place{root: t.TempDir()}, build); err == nil || !strings.Contains(err.Error(), parser) {
		t.Errorf("without the module: %v", err)
	}
}
