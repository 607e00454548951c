package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestEveryVerbIsInTheHelpOnceWithAnExample(t *testing.T) {
	_, out, _ := invoke("help")
	for _, c := range verbsOf() {
		if n := strings.Count(out, "\n  "+c.Name()+" "); n != 1 {
			t.Errorf("%s is %d times in:\n%s", c.Name(), n, out)
		}
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example, or no summary", c.Name())
		}
		_, help, _ := invoke("help", c.Name())
		for _, part := range []string{"Usage:\n  rstate " + c.Use + "\n", "Examples:\n  rstate " + c.Name(),
			"Options:\n"} {
			if !strings.Contains(help, part) {
				t.Errorf("%q is not in the help of %s:\n%s", part, c.Name(), help)
			}
		}
	}
	if strings.Contains(out, "Additional Commands") {
		t.Errorf("a verb is in no group:\n%s", out)
	}
}

// TestExamplesAreCommandLines: the options and the number of words of an example are valid for its
// verb.
func TestExamplesAreCommandLines(t *testing.T) {
	for _, c := range verbsOf() {
		for _, line := range strings.Split(c.Example, "\n") {
			line, _, _ = strings.Cut(strings.ReplaceAll(line, `"shift starts"`, "shift"), " >")
			args, _ := splitROS(strings.Fields(line))
			if len(args) < 2 || args[0] != "rstate" || args[1] != c.Name() {
				t.Errorf("%q is no example of %s", line, c.Name())
				continue
			}
			if c.DisableFlagParsing { // built without ROS
				continue
			}
			if err := c.ParseFlags(args[2:]); err != nil {
				t.Errorf("%q: %v", line, err)
			} else if err := c.ValidateArgs(c.Flags().Args()); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

func TestManPages(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := filepath.Join(t.TempDir(), "man1")
	if code, out, errs := invoke("man", dir); code != exitDone || out+errs != "" {
		t.Fatalf("%d, %s%s", code, out, errs)
	}
	for _, c := range verbsOf() {
		if c.Name() == "help" { // every page says what it says
			continue
		}
		page, err := os.ReadFile(filepath.Join(dir, "rstate-"+c.Name()+".1"))
		if err != nil || !strings.Contains(string(page), ".SH EXAMPLE") ||
			!strings.Contains(string(page), `"Nov 2023"`) {
			t.Errorf("%s: %v\n%s", c.Name(), err, page)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "rstate.1")); err != nil {
		t.Error(err)
	}
	if code, _, errs := invoke("man", filepath.Join(dir, "rstate.1")); code != exitFailed ||
		!strings.Contains(errs, "cannot write the man pages") {
		t.Errorf("into a file: %d, %s", code, errs)
	}
}

func TestGraph(t *testing.T) {
	file := networkFile(t, "simulation: demo\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		out  string
		errs string
	}{
		"the order, unless told": {nil, exitDone, "  2  └─ /b\n", ""},
		"nodes":                  {[]string{"nodes"}, exitDone, "simulation demo: 2 nodes", ""},
		"the machine":            {[]string{"machine"}, exitDone, "configure  ──▶ inactive", ""},
		"text is table":          {[]string{"-o", "text"}, exitDone, "simulation demo", ""},
		"dot":                    {[]string{"-o", "dot"}, exitDone, `"/a" -> "/b";`, ""},
		"mermaid":                {[]string{"machine", "-o", "mermaid"}, exitDone, "stateDiagram-v2", ""},
		"json":                   {[]string{"-o", "json"}, exitDone, `"turn": 2`, ""},
		"yaml": {[]string{"machine", "-o", "yaml"}, exitDone,
			"machine: rstate\ninitial: unconfigured\n", ""},
		"what there is not": {[]string{"machin"}, exitBadInput, "", "did you mean machine?"},
		"a form that there is not": {[]string{"-o", "svg"}, exitBadInput, "",
			"write one of table, json, yaml, dot, mermaid"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke(append([]string{"graph", file}, c.args...)...)
			if code != c.code || !has(out, c.out) || !has(errs, c.errs) {
				t.Errorf("code %d\nout: %s\nerr: %s", code, out, errs)
			}
		})
	}
	bad := networkFile(t, "simulation: demo\nnods: {}\nnodes: {/a: {after: [/x]}}\n")
	if code, out, errs := invoke("graph", bad); code != exitBadInput || out != "" || strings.Count(errs, bad+":") != 2 {
		t.Errorf("a bad file: code %d, %q\n%s", code, out, errs)
	}
}

func TestCheckForPrograms(t *testing.T) {
	good := networkFile(t, "simulation: demo\nnodes:\n  /a: {arm: {dead_man: none}}\n")
	bad := networkFile(t, "simulation: demo\nnods: {}\nnodes: {/a: {after: [/x]}}\n")
	for name, c := range map[string]struct {
		file string
		code int
		want checked
	}{
		"good": {good, exitDone, checked{File: good, OK: true, Simulation: "demo", Machine: "rstate", Nodes: 1,
			Faults: []fault{}}},
		"bad": {bad, exitBadInput, checked{File: bad, Faults: []fault{
			{bad, 2, 1, "nods", "nods: is no key here", "did you mean nodes?"},
			{bad, 3, 22, "nodes./a.after[0]", "", ""},
		}}},
		"no file": {good + ".not", exitBadInput,
			checked{File: good + ".not", Faults: []fault{{good + ".not", 0, 0, "", "there is no such file", ""}}}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke("check", c.file, "-o", "json")
			var got, same checked
			if err := json.Unmarshal([]byte(out), &got); err != nil || code != c.code || errs != "" {
				t.Fatalf("code %d, %v, %q:\n%s", code, err, errs, out)
			}
			if got.File != c.want.File || got.OK != c.want.OK || got.Nodes != c.want.Nodes ||
				len(got.Faults) != len(c.want.Faults) {
				t.Errorf("got %+v", got)
			}
			for i, f := range c.want.Faults {
				if g := got.Faults[i]; g.Line != f.Line || g.Column != f.Column || g.Path != f.Path ||
					!strings.Contains(g.Message, f.Message) ||
					!strings.Contains(g.Hint, f.Hint) || g.File != f.File || g.Message == "" {
					t.Errorf("fault %d is %+v, want %+v", i, g, f)
				}
			}
			_, out, _ = invoke("check", "-o", "yaml", c.file)
			if err := yaml.Unmarshal([]byte(out), &same); err != nil || same.OK != got.OK ||
				len(same.Faults) != len(got.Faults) {
				t.Errorf("as YAML: %v\n%s", err, out)
			}
		})
	}
}

// TestEveryVerbThatAnswersHasTheSameForms: one name, the same values.
func TestEveryVerbThatAnswersHasTheSameForms(t *testing.T) {
	for _, c := range verbsOf() {
		if o := c.Flags().ShorthandLookup("o"); o != nil && !strings.HasPrefix(o.Value.Type(), "table|json|yaml") {
			t.Errorf("%s takes -o %s", c.Name(), o.Value.Type())
		}
	}
	file := filepath.Join("..", "..", "config", "demo.yaml")
	for _, args := range [][]string{{"plan", file}, {"graph", file}, {"check", file}, {"version"}} {
		_, table, _ := invoke(args...)
		if _, text, _ := invoke(append(args, "-o", "text")...); text != table || text == "" {
			t.Errorf("%v: text is not table:\n%s", args, text)
		}
		for form, read := range map[string]func([]byte, any) error{asJSON: json.Unmarshal, asYAML: yaml.Unmarshal} {
			var any any
			code, out, errs := invoke(append(args, "-o", form)...)
			if err := read([]byte(out), &any); err != nil || code != exitDone || errs != "" || any == nil {
				t.Errorf("%v as %s: %d, %v, %s\n%s", args, form, code, err, errs, out)
			}
		}
	}
}
