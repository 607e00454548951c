package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestEveryVerbIsInTheHelpOnceWithAnExample(t *testing.T) {
	_, out, _ := invoke("help")
	for _, v := range verbs() {
		if n := strings.Count(out, "\n  "+v.name+" "); n != 1 {
			t.Errorf("%s is %d times in:\n%s", v.name, n, out)
		}
		if len(examples[v.name]) == 0 {
			t.Errorf("%s has no example", v.name)
		}
	}
	if strings.Contains(out, "\nmore\n") {
		t.Errorf("a verb is in no chapter:\n%s", out)
	}
}

// TestExamplesAreCommandLines: every option of an example is one that its verb has.
func TestExamplesAreCommandLines(t *testing.T) {
	known := map[string]grammar{}
	for _, g := range grammars() {
		known[g.verb.name] = g
	}
	for name, lines := range examples {
		for _, line := range lines {
			words, _ := splitROS(strings.Fields(strings.Split(line, " > ")[0]))
			g, ok := known[words[0]]
			if words[0] != name || !ok {
				t.Errorf("%q is no example of %s", line, name)
			}
			if len(g.options) < 3 && !hasROS { // built without it
				continue
			}
			for _, w := range words[1:] {
				if strings.HasPrefix(w, "-") && !hasOption(g, w) {
					t.Errorf("%q: there is no %s", line, w)
				}
			}
		}
	}
}

func hasOption(g grammar, name string) bool {
	for _, o := range g.options {
		if o.name == name {
			return true
		}
	}
	return false
}

func TestGraph(t *testing.T) {
	file := networkFile(t, "simulation: demo\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		out  string
		errs string
	}{
		"the order, unless told":   {nil, exitDone, "  2  └─ /b\n", ""},
		"nodes":                    {[]string{"nodes"}, exitDone, "simulation demo: 2 nodes", ""},
		"the machine":              {[]string{"machine"}, exitDone, "configure  ──▶ inactive", ""},
		"text is table":            {[]string{"-o", "text"}, exitDone, "simulation demo", ""},
		"dot":                      {[]string{"-o", "dot"}, exitDone, `"/a" -> "/b";`, ""},
		"mermaid":                  {[]string{"machine", "-o", "mermaid"}, exitDone, "stateDiagram-v2", ""},
		"json":                     {[]string{"-o", "json"}, exitDone, `"turn": 2`, ""},
		"yaml":                     {[]string{"machine", "-o", "yaml"}, exitDone, "machine: rstate\ninitial: unconfigured\n", ""},
		"what there is not":        {[]string{"machin"}, exitBadInput, "", "did you mean machine?"},
		"a form that there is not": {[]string{"-o", "svg"}, exitBadInput, "", "write one of table, json, yaml, dot, mermaid"},
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
		"good": {good, exitDone, checked{File: good, OK: true, Simulation: "demo", Machine: "rstate", Nodes: 1, Faults: []fault{}}},
		"bad": {bad, exitBadInput, checked{File: bad, Faults: []fault{
			{bad, 2, 1, "nods", "nods: is no key here", "did you mean nodes?"}, {bad, 3, 22, "nodes./a.after[0]", "", ""},
		}}},
		"no file": {good + ".not", exitBadInput, checked{File: good + ".not", Faults: []fault{{good + ".not", 0, 0, "", "there is no such file", ""}}}},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := invoke("check", c.file, "-o", "json")
			var got, same checked
			if err := json.Unmarshal([]byte(out), &got); err != nil || code != c.code || errs != "" {
				t.Fatalf("code %d, %v, %q:\n%s", code, err, errs, out)
			}
			if got.File != c.want.File || got.OK != c.want.OK || got.Nodes != c.want.Nodes || len(got.Faults) != len(c.want.Faults) {
				t.Errorf("got %+v", got)
			}
			for i, f := range c.want.Faults {
				if g := got.Faults[i]; g.Line != f.Line || g.Column != f.Column || g.Path != f.Path || !strings.Contains(g.Message, f.Message) ||
					!strings.Contains(g.Hint, f.Hint) || g.File != f.File || g.Message == "" {
					t.Errorf("fault %d is %+v, want %+v", i, g, f)
				}
			}
			_, out, _ = invoke("check", "-o", "yaml", c.file)
			if err := yaml.Unmarshal([]byte(out), &same); err != nil || same.OK != got.OK || len(same.Faults) != len(got.Faults) {
				t.Errorf("as YAML: %v\n%s", err, out)
			}
		})
	}
}

// TestEveryVerbThatAnswersHasTheSameForms: one name, the same values.
func TestEveryVerbThatAnswersHasTheSameForms(t *testing.T) {
	for _, g := range grammars() {
		for _, o := range g.options {
			if o.name == "-o" && strings.Join(o.value.words[:3], " ") != "table json yaml" {
				t.Errorf("%s takes -o %v", g.verb.name, o.value.words)
			}
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
