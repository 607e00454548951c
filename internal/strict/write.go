package strict

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

// Written is a value as a file has it; nil stands for a key that is left out, since reading gives the same without it.
type Written *yaml.Node

// Pair is one key of a mapping that is written.
type Pair struct {
	Key   string
	Value Written
}

// Map writes a mapping, in order, without the keys that are left out.
func Map(pairs ...Pair) Written {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, p := range pairs {
		if p.Value != nil {
			n.Content = append(n.Content, Word(p.Key), p.Value)
		}
	}
	return n
}

// Mapping writes what Record reads with the same fields: every key that has a value, also where that is the default.
// Keys that are kept raw are left to the caller.
func Mapping[R any](fields []Field[R], from *R) Written { return Map(Pairs(fields, from)...) }

// Pairs returns the keys of Mapping, for a caller that adds keys of its own.
func Pairs[R any](fields []Field[R], from *R) []Pair {
	pairs := make([]Pair, len(fields))
	for i, f := range fields {
		pairs[i] = Pair{f.Key, f.write(from)}
	}
	return pairs
}

// Word writes text.
func Word(text string) Written { return scalar(text) }

// Yes writes true.
func Yes() Written { return scalar(true) }

// Number writes a number.
func Number(n int) Written { return scalar(n) }

// Scalar writes a number, or true or false.
func Scalar[T float64 | bool](value T) Written { return scalar(value) }

// Quoted writes text that reads back as text, whatever it looks like.
func Quoted(text string) Written {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
}

// Words writes a list of text, in one line.
func Words[T ~string](list []T) Written {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, w := range list {
		n.Content = append(n.Content, Word(string(w)))
	}
	return n
}

// Writtens writes a list of values.
func Writtens(list []Written) Written {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, w := range list {
		n.Content = append(n.Content, w)
	}
	return n
}

// Print returns the text of a file.
func Print(w Written) string {
	text, err := yaml.Marshal((*yaml.Node)(w))
	if err != nil {
		panic("strict: plain data cannot be written as YAML: " + err.Error()) // a fault of this program, not of a file
	}
	return string(text)
}

// written is the value as a file has it. Text that is empty says nothing.
func (k Kind[T]) written(t T) Written {
	switch {
	case k.Write != nil:
		return k.Write(t)
	case k.Show != nil:
		return scalar(k.Show(t))
	}
	return nil
}

// scalar writes what the schema shows of a value: text, a number, true or false, or a list of these.
func scalar(shown any) Written {
	if shown == "" {
		return nil
	}
	n := &yaml.Node{}
	if err := n.Encode(shown); err != nil {
		panic(fmt.Sprintf("strict: %v cannot be written as YAML: %v", shown, err)) // a fault of this program
	}
	if n.Kind == yaml.SequenceNode {
		n.Style = yaml.FlowStyle
	}
	return n
}
