package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tree reads and parses each file below a root once.
type tree struct {
	root  string
	files map[string]source
}

func newTree(root string) *tree { return &tree{root, map[string]source{}} }

func (t *tree) read(path string) (source, error) {
	if s, known := t.files[path]; known {
		return s, nil
	}
	data, err := os.ReadFile(filepath.Join(t.root, path))
	if err != nil {
		return source{}, err
	}
	s, err := parse(path, string(data))
	if err == nil {
		t.files[path] = s
	}
	return s, err
}

// goFiles lists the Go files of a package, without its tests.
func (t *tree) goFiles(pkg string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(t.root, pkg))
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			paths = append(paths, filepath.Join(pkg, e.Name()))
		}
	}
	return paths, nil
}

// apply returns the new texts of the files that a mutation changes, by path. It writes nothing.
func (t *tree) apply(m mutation) (map[string]string, error) {
	after := &tree{t.root, map[string]source{}} // what earlier changes of the mutation have made
	texts := map[string]string{}
	for _, c := range m.Changes {
		path, s, err := t.find(c, after)
		if err != nil {
			return nil, m.wrong("%w", err)
		}
		text, err := c.replace(s)
		if err != nil {
			return nil, m.wrong("%s: %w", path, err)
		}
		if after.files[path], err = parse(path, text); err != nil {
			return nil, m.wrong("the result does not parse: %w: correct new", err)
		}
		texts[path] = text
	}
	return texts, nil
}

// find returns the file of a change. In a package, this is the file that has the function.
func (t *tree) find(c change, after *tree) (path string, s source, err error) {
	paths := []string{c.File}
	if c.Package != "" {
		if paths, err = t.goFiles(c.Package); err != nil {
			return "", s, fmt.Errorf("%w: correct package", err)
		}
	}
	var found []string
	for _, p := range paths {
		read, changed := after.files[p]
		if !changed {
			if read, err = t.read(p); err != nil {
				return "", s, fmt.Errorf("%w: correct file", err)
			}
		}
		if c.Function == "" || len(read.spans[c.Function]) > 0 {
			path, s, found = p, read, append(found, p)
		}
	}
	switch {
	case len(found) == 0:
		return "", s, fmt.Errorf("%s has no %s: if it has a new name or place, correct function or package",
			c.Package+c.File, c.Function)
	case len(found) > 1 || len(s.spans[c.Function]) > 1:
		return "", s, fmt.Errorf("%s occurs several times, in %s: give the file, or choose another function",
			c.Function, strings.Join(found, ", "))
	}
	return path, s, nil
}

// replace makes a change in a file.
func (c change) replace(s source) (string, error) {
	where, place := span{0, len(s.text)}, "the file"
	if c.Function != "" {
		where, place = s.spans[c.Function][0], c.Function
	}
	switch matches := c.matches(s.text[where.from:where.to]); len(matches) {
	case 0:
		return "", fmt.Errorf("old is not in %s: write what the code says now", place)
	case 1:
		m := matches[0]
		return s.text[:where.from+m.from] + indented(c.New, m.indent) + s.text[where.from+m.to:], nil
	default:
		return "", fmt.Errorf("old occurs %d times in %s: make it longer until it occurs once", len(matches), place)
	}
}

// match is a place where old occurs.
type match struct {
	span
	indent string // of its lines, if old has whole lines
}

// matches returns all places where old is. An old that ends with a line break consists of whole
// lines. The table has them without the indentation that they have in the code.
func (c change) matches(part string) (list []match) {
	lines := strings.HasSuffix(c.Old, "\n")
	for from := 0; from < len(part); {
		indent := ""
		if lines {
			indent = part[from:][:len(part[from:])-len(strings.TrimLeft(part[from:], " \t"))]
		}
		if old := indented(c.Old, indent); strings.HasPrefix(part[from:], old) {
			list = append(list, match{span{from, from + len(old)}, indent})
		}
		next := 1
		if lines {
			next = strings.IndexByte(part[from:]+"\n", '\n') + 1
		}
		from += next
	}
	return list
}

// indented puts an indentation before each line that is not empty.
func indented(text, indent string) string {
	if indent == "" {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}
