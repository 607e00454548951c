package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// mutation is one entry of a table: it breaks one rule.
type mutation struct {
	Rule    string   // of docs/rules.md
	Name    string   // unique among the mutations of the rule
	Why     string   // what the mutated code does wrong
	Test    string   // the package and the name of the test that must fail
	Changes []change // made one after the other

	pkg, test string // the two parts of Test
	place     string // file and line of the entry
}

// change replaces one text in the code.
type change struct {
	Package  string // a folder of Go files; needs a function
	File     string // instead of a package; only a Go file needs a function
	Function string // Name, (Type).Name, the name of a type, const or var, or "import"
	Old      string // occurs once in the function, or in the file if there is no function
	New      string
}

// id is the name of a mutation in the output, and for -run.
func (m mutation) id() string { return m.Rule + "-" + m.Name }

// wrong returns an error that says where the entry is.
func (m mutation) wrong(format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", m.place, m.id(), fmt.Errorf(format, args...))
}

// readAll reads all tables of the tree. Each rule must have a mutation.
func readAll(root string) ([]mutation, error) {
	paths, err := filepath.Glob(filepath.Join(root, "test/mutations/*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []mutation
	for _, path := range paths {
		list, err := readTable(path)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/rules.md"))
	if err != nil {
		return nil, err
	}
	var rules []string
	for _, match := range regexp.MustCompile(`(?m)^- \*\*([A-Z]\d+)\*\*`).FindAllSubmatch(text, -1) {
		rules = append(rules, string(match[1]))
	}
	for _, m := range all {
		if !slices.Contains(rules, m.Rule) {
			return nil, m.wrong("docs/rules.md has no rule %s: correct the rule, or remove the entry", m.Rule)
		}
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(all, func(m mutation) bool { return m.Rule == rule }) {
			return nil, fmt.Errorf("rule %s has no mutation: add one to test/mutations/%c.yaml", rule, rule[0])
		}
	}
	return all, nil
}

// readTable reads the table of one letter.
func readTable(path string) ([]mutation, error) {
	base := filepath.Base(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []mutation
	strict := yaml.NewDecoder(bytes.NewReader(data))
	strict.KnownFields(true)
	if err := strict.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot read test/mutations/%s: %w", base, err)
	}
	var nodes []yaml.Node // for the lines
	if err := yaml.Unmarshal(data, &nodes); err != nil {
		return nil, fmt.Errorf("cannot read test/mutations/%s: %w", base, err)
	}
	seen := map[string]bool{}
	for k := range list {
		m := &list[k]
		m.place = fmt.Sprintf("test/mutations/%s:%d", base, nodes[k].Line)
		m.pkg, m.test, _ = strings.Cut(m.Test, " ")
		if err := m.complete(base); err != nil {
			return nil, err
		}
		if seen[m.id()] {
			return nil, m.wrong("there are two entries of this name: rename one")
		}
		seen[m.id()] = true
	}
	return list, nil
}

// complete reports what an entry lacks.
func (m mutation) complete(base string) error {
	switch {
	case m.Rule == "" || m.Name == "" || m.Why == "" || len(m.Changes) == 0:
		return m.wrong("the entry needs rule, name, why, test and changes")
	case m.Rule[:1]+".yaml" != base:
		return m.wrong("rule %s belongs to %c.yaml: move the entry there", m.Rule, m.Rule[0])
	case !strings.HasPrefix(m.pkg, "./") || m.test == "":
		return m.wrong("test must be a package and a test, such as ./internal/engine TestE3AsksOnce")
	}
	for _, c := range m.Changes {
		switch {
		case (c.Package == "") == (c.File == ""):
			return m.wrong("a change needs a package or a file, and not both")
		case c.Function == "" && (c.Package != "" || strings.HasSuffix(c.File, ".go")):
			return m.wrong("a change of Go code needs a function")
		case c.Old == "" || c.Old == c.New:
			return m.wrong("a change needs old and new, and they must differ")
		}
	}
	return nil
}

// hasTest returns an error if the test of a mutation does not exist.
func (m mutation) hasTest(root string) error {
	paths, err := filepath.Glob(filepath.Join(root, m.pkg, "*_test.go"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte("\nfunc "+m.test+"(")) {
			return nil
		}
	}
	return errors.Join(err, m.wrong("%s has no test %s: correct test", m.pkg, m.test))
}
