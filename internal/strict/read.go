package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The bounds of a file. They are far above what people write, and low enough that any file is answered at once.
const (
	MaxBytes  = 1 << 20
	MaxValues = 50_000
	maxDepth  = 100
)

// ReadFile reads a whole file that is fit to be parsed; else it says what is wrong with it and what to do.
func ReadFile(file string) (data []byte, problem, hint string) {
	const look = "check the path and its permissions"
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, "there is no such file", "check the path"
	case err != nil:
		return nil, "cannot be read: " + cause(err), look
	case info.IsDir():
		return nil, "is a directory", "name the YAML file in it"
	case !info.Mode().IsRegular():
		return nil, "is no regular file", "name a YAML file"
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "cannot be read: " + cause(err), look
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, MaxBytes+1)) // Parse refuses what is larger
	if err != nil {
		return nil, "cannot be read: " + cause(err), look
	}
	return data, "", ""
}

// cause drops what a PathError repeats: the operation and the path.
func cause(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// Parse reads one document; on a fault that leaves nothing to look at it returns false.
func Parse(file string, data []byte, r *Report) (Value, bool) {
	if len(data) > MaxBytes {
		r.Fault(file, "is larger than 1 MiB", "a network needs less; is it the right file?")
		return Value{}, false
	}
	if line := crowded(data); line > 0 {
		r.add(&r.faults, Fault{File: file, Line: line, Column: 1,
			Problem: fmt.Sprintf("holds more than %d values", MaxValues), Hint: "is it the right file?"})
		return Value{}, false
	}
	if f, ok := foreign(file, data); ok {
		r.add(&r.faults, f)
		return Value{}, false
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			r.Fault(file, "is empty", "config/example.yaml shows every key")
		} else {
			r.add(&r.faults, syntax(file, data, err))
		}
		return Value{}, false
	}
	if err := decoder.Decode(&second); err == nil {
		r.add(&r.faults, Fault{File: file, Line: second.Line, Column: second.Column,
			Problem: "a second document begins", Hint: "a file holds one: remove everything from the second --- on"})
		return Value{}, false
	} else if !errors.Is(err, io.EOF) {
		r.add(&r.faults, syntax(file, data, err))
		return Value{}, false
	}
	root := Value{doc: &doc{file: file, report: r}, node: document.Content[0], at: document.Content[0]}
	if !bounded(root) {
		return Value{}, false
	}
	root = root.resolve()
	if root.null() {
		r.Fault(file, "is empty", "config/example.yaml shows every key")
		return Value{}, false
	}
	return root, true
}

// foreign finds the first byte that is no text: the parser names no place for it.
func foreign(file string, data []byte) (f Fault, found bool) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return f, false // UTF-16, which the parser reads
	}
	line, column := 1, 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		what, hint := "", "remove it: a file is text"
		switch {
		case r == utf8.RuneError && size == 1:
			what, hint = fmt.Sprintf("the byte 0x%02x is not UTF-8", rest[0]), "save the file as UTF-8"
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			what = fmt.Sprintf("the control character 0x%02x is not allowed", r)
		}
		if what != "" {
			return Fault{File: file, Line: line, Column: column, Problem: "is no valid YAML: " + what, Hint: hint}, true
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
		rest = rest[size:]
	}
	return f, false
}

// crowded counts what could begin a value, from above, before the parser spends time on it; it returns the line where
// there are too many, else 0.
func crowded(data []byte) int {
	values, line := 0, 1
	for i, c := range data {
		switch c {
		case '\n':
			line++
			values++
		case ',', '[', '{', '*', '?':
			values++
		case '-', ':':
			if i+1 < len(data) && (data[i+1] == ' ' || data[i+1] == '\t') {
				values++
			}
		}
		if values > MaxValues {
			return line
		}
	}
	return 0
}

var (
	syntaxLine    = regexp.MustCompile(`^line (\d+): `)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)
	// In these the parser counts lines from 0, in all others from 1.
	countsFromZero = regexp.MustCompile(`^did not find expected (<document start>|node content|key|'-' indicator|',' or '[\]}]')`)
)

// syntax puts the parser's complaint into our form.
func syntax(file string, data []byte, err error) Fault {
	f := Fault{File: file, Line: 1, Column: 1, Hint: "check quotes, colons and indentation around this line"}
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := syntaxLine.FindStringSubmatch(problem); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		problem = problem[len(m[0]):]
		if countsFromZero.MatchString(problem) {
			f.Line++
		}
	}
	if m := unknownAnchor.FindStringSubmatch(problem); m != nil {
		if before, _, found := bytes.Cut(data, []byte("*"+m[1])); found {
			f.Line = 1 + bytes.Count(before, []byte("\n"))
			f.Column = len(before) - bytes.LastIndexByte(before, '\n')
		}
		f.Problem, f.Hint = "the alias *"+short(m[1])+" has no anchor",
			"write &"+short(m[1])+" before the value that it stands for"
		return f
	}
	if strings.Contains(problem, "cannot start any token") {
		f.Hint = "indent with blanks, not tabs, and quote text that begins with @, ` or %"
	}
	f.Problem = "is no valid YAML: " + problem
	return f
}

// bounded checks that the document, with every alias written out, stays within the limits and does not hold itself.
func bounded(root Value) bool {
	const open = -1
	sizes := map[*yaml.Node]int{}
	var size func(v Value, depth int) (int, bool)
	size = func(v Value, depth int) (int, bool) {
		if n, done := sizes[v.node]; done {
			return n, true
		}
		if depth > maxDepth {
			v.Fault(fmt.Sprintf("is nested more than %d deep", maxDepth), "is it the right file?")
			return 0, false
		}
		sizes[v.node] = open
		total := 1
		children := v.node.Content
		if v.node.Kind == yaml.AliasNode {
			if sizes[v.node.Alias] == open {
				v.Fault("the alias *"+short(v.node.Value)+" stands for a value that holds it", "write it out")
				return 0, false
			}
			children = []*yaml.Node{v.node.Alias}
		}
		for _, c := range children {
			n, ok := size(Value{doc: v.doc, node: c, at: c}, depth+1)
			if total += n; !ok {
				return 0, false
			}
			if total > MaxValues {
				v.Fault(fmt.Sprintf("is more than %d values with its aliases written out", MaxValues),
					"use fewer aliases")
				return 0, false
			}
		}
		sizes[v.node] = total
		return total, true
	}
	_, ok := size(root, 0)
	return ok
}

// Beside returns the path of a file that is named in another one: relative to it.
func Beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}
