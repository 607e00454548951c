package strict

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

type doc struct {
	file   string
	report *Report
}

// Value is one value of a file, with its place in it. The zero Value stands for a key that is not there.
type Value struct {
	doc  *doc
	node *yaml.Node // what it is, aliases followed
	at   *yaml.Node // where it is written
	path string
}

// Entry is one key of a mapping and its value.
type Entry struct {
	Name  string
	Key   Value // the key itself: for faults about the name
	Value Value
}

// Given says whether the value is there at all.
func (v Value) Given() bool { return v.node != nil }

// File is the file that the value is written in.
func (v Value) File() string { return v.doc.file }

// Report is where the value's faults go.
func (v Value) Report() *Report { return v.doc.report }

// Fault reports what is wrong with the value and what to write instead.
func (v Value) Fault(problem, hint string) {
	v.doc.report.add(&v.doc.report.faults, v.place(problem, hint))
}

// Warn reports what is doubtful about the value.
func (v Value) Warn(problem, hint string) {
	v.doc.report.add(&v.doc.report.warnings, v.place(problem, hint))
}

// Faulty reports whether a fault of the value, or of a part of it, is known.
func (v Value) Faulty() bool {
	return slices.ContainsFunc(v.doc.report.faults, func(f Fault) bool {
		rest, within := strings.CutPrefix(f.Key, v.path)
		return within && f.File == v.doc.file && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

func (v Value) place(problem, hint string) Fault {
	return Fault{File: v.doc.file, Line: v.at.Line, Column: v.at.Column, Key: v.path, Problem: problem, Hint: hint}
}

func (v Value) resolve() Value {
	for v.node.Kind == yaml.AliasNode {
		v.node = v.node.Alias
	}
	return v
}

func (v Value) child(n *yaml.Node, step string) Value {
	return Value{doc: v.doc, node: n, at: n, path: v.path + step}.resolve()
}

func (v Value) key(k *yaml.Node) Value {
	step := short(k.Value)
	if v.path != "" {
		step = "." + step
	}
	return v.child(k, step)
}

func (v Value) null() bool { return v.node.Kind == yaml.ScalarNode && v.node.ShortTag() == "!!null" }

// what names the kind of the value for a fault.
func (v Value) what() string {
	switch v.node.Kind {
	case yaml.MappingNode:
		return "is a mapping"
	case yaml.SequenceNode:
		return "is a list"
	}
	switch v.node.ShortTag() {
	case "!!null":
		return "has no value"
	case "!!int", "!!float":
		return "is the number " + short(v.node.Value)
	case "!!bool":
		return "is " + short(v.node.Value)
	}
	return "is the text " + quote(v.node.Value)
}

// Text returns what a scalar says, as it is written; it reports anything else.
func (v Value) Text(wanted string) (string, bool) {
	tag := v.node.ShortTag()
	switch {
	case v.node.Kind != yaml.ScalarNode, tag == "!!null":
		v.wrong(wanted)
	case tag == "!!binary", !strings.HasPrefix(tag, "!!"):
		v.Fault("has the tag "+short(v.node.Tag), "tags have no use here: remove it")
	default:
		return v.node.Value, true
	}
	return "", false
}

func (v Value) wrong(wanted string) {
	hint := "write " + wanted
	if v.null() {
		hint += ", or remove the key"
	}
	v.Fault(v.what(), hint)
}

// IsText says whether the value is a single word or number, not a list or mapping.
func (v Value) IsText() bool { return v.node.Kind == yaml.ScalarNode && !v.null() }

// IsNumber says whether the value is a number, as YAML reads it.
func (v Value) IsNumber() bool {
	tag := v.node.ShortTag()
	return v.IsText() && (tag == "!!int" || tag == "!!float")
}

// IsQuoted says whether the value is written in quotes.
func (v Value) IsQuoted() bool {
	return v.node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// IsBool says whether the value is true or false.
func (v Value) IsBool() bool { return v.IsText() && v.node.ShortTag() == "!!bool" }

// Same says whether two single words are equal.
func (v Value) Same(o Value) bool { return v.IsText() && o.IsText() && v.node.Value == o.node.Value }

// IsMap says whether the value is a mapping.
func (v Value) IsMap() bool { return v.node.Kind == yaml.MappingNode }

// IsList says whether the value is a list.
func (v Value) IsList() bool { return v.node.Kind == yaml.SequenceNode }

// Has says whether a mapping has the key.
func (v Value) Has(key string) bool {
	_, ok := v.step(key)
	return ok
}

// Entries returns the keys of a mapping in file order, those merged in by << last, and reports repeated ones.
func (v Value) Entries(wanted string) ([]Entry, bool) {
	if v.node.Kind != yaml.MappingNode {
		v.wrong(wanted)
		return nil, false
	}
	return v.entries(true), true
}

func (v Value) entries(complain bool) []Entry {
	var own []Entry
	lines := map[string]int{}
	var merged []Value
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		k, n := v.node.Content[i], v.node.Content[i+1]
		key := v.key(k)
		switch {
		case k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge":
			merged = append(merged, key.child(n, ""))
			continue
		case key.node.Kind != yaml.ScalarNode:
			if complain {
				key.Fault("is no name but "+strings.TrimPrefix(key.what(), "is "),
					"write a single word before the colon")
			}
			continue
		}
		name := key.node.Value
		if line, twice := lines[name]; twice {
			if complain {
				key.Fault(fmt.Sprintf("is given twice, first on line %d", line), "keep one of the two")
			}
			continue
		}
		lines[name] = k.Line
		value := key.child(n, "")
		own = append(own, Entry{Name: name, Key: key, Value: value})
	}
	for _, m := range merged {
		own = append(own, m.merge(lines, complain)...)
	}
	return own
}

// merge returns the entries of a << that are not given already.
func (v Value) merge(lines map[string]int, complain bool) []Entry {
	sources := []Value{v}
	if v.node.Kind == yaml.SequenceNode {
		sources = sources[:0]
		for _, n := range v.node.Content {
			sources = append(sources, v.child(n, ""))
		}
	}
	var found []Entry
	for _, s := range sources {
		if s.node.Kind != yaml.MappingNode {
			if complain {
				s.wrong("a mapping, or an alias of one, after <<")
			}
			continue
		}
		s.path = strings.TrimSuffix(strings.TrimSuffix(s.path, "<<"), ".")
		for _, e := range s.entries(complain) {
			if _, given := lines[e.Name]; !given {
				lines[e.Name] = e.Key.at.Line
				found = append(found, e)
			}
		}
	}
	return found
}

// Items returns the items of a list.
func (v Value) Items(wanted string) ([]Value, bool) {
	if v.node.Kind != yaml.SequenceNode {
		v.wrong(wanted)
		return nil, false
	}
	items := make([]Value, len(v.node.Content))
	for i, n := range v.node.Content {
		items[i] = v.child(n, fmt.Sprintf("[%d]", i))
	}
	return items, true
}

// Item returns the item of a list that says the text, else the list.
func (v Value) Item(text string) Value {
	for i, n := range v.node.Content {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if v.IsList() && n.Kind == yaml.ScalarNode && n.Value == text {
			return v.Find(i)
		}
	}
	return v
}

// Find goes down by keys (strings) and places in lists (ints), as far as they exist, so that a fault found late
// still gets the nearest place.
func (v Value) Find(way ...any) Value {
	for _, step := range way {
		next, ok := v.step(step)
		if !ok {
			return v
		}
		v = next
	}
	return v
}

func (v Value) step(step any) (Value, bool) {
	switch s := step.(type) {
	case string:
		if !v.IsMap() {
			return v, false
		}
		if i := v.keyAt(s); i >= 0 {
			return v.key(v.node.Content[i]).child(v.node.Content[i+1], ""), true
		}
		if e, ok := v.ByName()[s]; ok {
			return e.Value, true
		}
	case int:
		if v.node.Kind == yaml.SequenceNode && s < len(v.node.Content) {
			return v.child(v.node.Content[s], fmt.Sprintf("[%d]", s)), true
		}
	}
	return v, false
}

// KeyOf returns the key itself of a mapping's entry: for faults about the name.
func (v Value) KeyOf(name string) Value {
	if !v.IsMap() {
		return v
	}
	if i := v.keyAt(name); i >= 0 {
		return v.key(v.node.Content[i])
	}
	if e, ok := v.ByName()[name]; ok {
		return e.Key
	}
	return v
}

// keyAt finds a key that is written in the mapping itself, or returns -1. It reads no entry, since a mapping can be
// large and is asked often.
func (v Value) keyAt(name string) int {
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if k := v.node.Content[i]; k.Kind == yaml.ScalarNode && k.Value == name && k.ShortTag() != "!!merge" {
			return i
		}
	}
	return -1
}

// ByName returns the entries of a mapping by their names.
func (v Value) ByName() map[string]Entry {
	entries := map[string]Entry{}
	if v.IsMap() {
		for _, e := range v.entries(false) {
			entries[e.Name] = e
		}
	}
	return entries
}

// short keeps a long word from flooding a message.
func short(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

func quote(s string) string { return fmt.Sprintf("%q", short(s)) }
