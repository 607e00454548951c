package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutation is one file of test/mutations: a header of "key: value" lines, then a unified diff.
type mutation struct {
	name  string // of its file
	rule  string // that it breaks
	pkg   string // of the test
	test  string // that has to fail
	files []change
}

// change is what a patch does to one file.
type change struct {
	path  string
	hunks []hunk
}

// hunk replaces lines. Before and after both hold the context.
type hunk struct {
	line          int // of the first line of before, as the patch has it
	before, after []string
}

// readMutation reads a patch. Its header must say "rule: E3" and "test: ./internal/engine TestE3".
func readMutation(path string) (mutation, error) {
	m := mutation{name: filepath.Base(path)}
	data, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for len(lines) > 0 && !strings.HasPrefix(lines[0], "--- ") {
		key, value, _ := strings.Cut(lines[0], ":")
		switch strings.TrimSpace(key) {
		case "rule":
			m.rule = strings.TrimSpace(value)
		case "test":
			m.pkg, m.test, _ = strings.Cut(strings.TrimSpace(value), " ")
		}
		lines = lines[1:]
	}
	if m.rule == "" || m.pkg == "" || m.test == "" {
		return m, fmt.Errorf("cannot read %s: its header must have the lines \"rule: E3\" and \"test: ./internal/engine TestE3\"", m.name)
	}
	if m.files, err = readDiff(lines); err != nil {
		return m, fmt.Errorf("cannot read %s: %w", m.name, err)
	}
	return m, nil
}

// readDiff reads the files of a unified diff.
func readDiff(lines []string) (files []change, err error) {
	for len(lines) > 0 {
		switch line := lines[0]; {
		case strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+++ "):
			path := strings.TrimPrefix(strings.Fields(line)[1], "b/")
			files = append(files, change{path: path})
		case strings.HasPrefix(line, "@@ ") && len(files) > 0:
			h, rest, err := readHunk(lines)
			if err != nil {
				return nil, err
			}
			last := &files[len(files)-1]
			last.hunks = append(last.hunks, h)
			lines = rest
			continue
		default:
			return nil, fmt.Errorf("this line has no place in a diff: %q", line)
		}
		lines = lines[1:]
	}
	if len(files) == 0 {
		return nil, errors.New("there is no diff in it")
	}
	return files, nil
}

func readHunk(lines []string) (h hunk, rest []string, err error) {
	at, _, _ := strings.Cut(strings.TrimPrefix(lines[0], "@@ -"), ",")
	at, _, _ = strings.Cut(at, " ")
	if h.line, err = strconv.Atoi(at); err != nil {
		return h, nil, fmt.Errorf("this is no head of a hunk: %q", lines[0])
	}
	for k, line := range lines[1:] {
		switch {
		case line == "":
			h.before, h.after = append(h.before, ""), append(h.after, "")
		case line[0] == ' ':
			h.before, h.after = append(h.before, line[1:]), append(h.after, line[1:])
		case line[0] == '-' && !strings.HasPrefix(line, "--- "):
			h.before = append(h.before, line[1:])
		case line[0] == '+':
			h.after = append(h.after, line[1:])
		default:
			return h, lines[k+1:], nil
		}
	}
	return h, nil, nil
}

// apply changes the files below root, and returns what undoes that. Nothing is changed where a hunk has no place. stale
// says that the code around one is not what it was when the patch was made.
func (m mutation) apply(root string) (undo func() error, stale bool, err error) {
	before := map[string][]byte{}
	after := map[string][]byte{}
	for _, c := range m.files {
		path := filepath.Join(root, c.path)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, false, fmt.Errorf("does not apply: %w", err)
		}
		lines := strings.Split(string(data), "\n")
		for k, h := range c.hunks {
			var cut int
			if lines, cut, err = h.apply(lines); err != nil {
				return nil, false, fmt.Errorf("does not apply: hunk %d of %s: %w; make the patch anew", k+1, c.path, err)
			}
			stale = stale || cut > 0
		}
		before[path], after[path] = data, []byte(strings.Join(lines, "\n"))
	}
	undo = func() error { return write(before) }
	return undo, stale, write(after)
}

func write(files map[string][]byte) error {
	for path, data := range files {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fuzz is how many lines of context at either end of a hunk may have changed since the patch was made.
const fuzz = 2

// apply finds the one place of a hunk, wherever it has moved to, and replaces it. cut is how many lines of context it had
// to leave out for that.
func (h hunk) apply(lines []string) (changed []string, cut int, err error) {
	for cut = range fuzz + 1 {
		top, bottom := min(cut, h.context(false)), min(cut, h.context(true))
		want := h.before[top : len(h.before)-bottom]
		place, places := 0, 0
		for k := 0; k+len(want) <= len(lines); k++ {
			if slices.Equal(lines[k:k+len(want)], want) {
				place, places = k, places+1
			}
		}
		switch {
		case places == 1:
			return slices.Replace(slices.Clone(lines), place, place+len(want), h.after[top:len(h.after)-bottom]...), cut, nil
		case places > 1:
			return nil, cut, fmt.Errorf("there are %d places for it", places)
		}
	}
	return nil, cut, errors.New("there is no place for it")
}

// context counts the lines at the head of a hunk, or at its foot, that it leaves as they are.
func (h hunk) context(foot bool) int {
	before, after := slices.Clone(h.before), slices.Clone(h.after)
	if foot {
		slices.Reverse(before)
		slices.Reverse(after)
	}
	n := 0
	for n < len(before) && n < len(after) && before[n] == after[n] {
		n++
	}
	return n
}
