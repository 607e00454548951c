package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// The output formats of every verb.
const (
	asTable = "table" // for people; "text" is the same
	asJSON  = "json"
	asYAML  = "yaml"
)

// printAs prints a value whose fields have JSON names.
func printAs(out io.Writer, form string, value any) error {
	text, err := asText(form, value)
	if err == nil {
		_, err = out.Write(text)
	}
	if err != nil {
		return fmt.Errorf("cannot print the answer: %w", err)
	}
	return nil
}

// printNext prints one value of a sequence: as a line of JSON, or as a YAML document with its end
// mark.
func printNext(out io.Writer, form string, value any) error {
	text, err := asText(form, value)
	switch {
	case err != nil:
	case form == asYAML:
		text = append(text, "---\n"...)
	default:
		var line bytes.Buffer
		if err = json.Compact(&line, text); err == nil {
			text = append(line.Bytes(), '\n')
		}
	}
	if err == nil {
		_, err = out.Write(text)
	}
	if err != nil {
		return fmt.Errorf("cannot print what comes: %w", err)
	}
	return nil
}

// message is a ROS message, whose fields have YAML names.
type message struct{ of any }

// MarshalJSON keeps the names, and the order, of the interface file.
func (m message) MarshalJSON() ([]byte, error) {
	var node yaml.Node
	if err := node.Encode(m.of); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err := writeJSON(&b, &node)
	return b.Bytes(), err
}

func asText(form string, value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil || form != asYAML {
		return b.Bytes(), err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &node); err != nil { // JSON is YAML
		return nil, err
	}
	asBlocks(&node)
	b.Reset()
	lines := yaml.NewEncoder(&b)
	lines.SetIndent(2)
	if err := lines.Encode(&node); err != nil {
		return nil, err
	}
	return b.Bytes(), lines.Close()
}

// asBlocks removes the braces and quotes of JSON, so that the YAML writer chooses the style.
func asBlocks(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode && len(n.Content) == 0 {
		return // an empty value is {} or [] in YAML too
	}
	n.Style = 0
	if n.ShortTag() == "!!str" {
		// By itself the writer would quote only what YAML 1.2 reads as something else; most readers
		// are older.
		if text, err := yaml.Marshal(n.Value); err == nil && strings.ContainsAny(string(text[:1]), `"'`) {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	for _, c := range n.Content {
		asBlocks(c)
	}
}

func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		open, end, step := "[", "]", 1
		if n.Kind == yaml.MappingNode {
			open, end, step = "{", "}", 2
		}
		b.WriteString(open)
		for i, c := range n.Content {
			switch {
			case i == 0:
			case i%step == 0:
				b.WriteByte(',')
			default:
				b.WriteByte(':')
			}
			if err := writeJSON(b, c); err != nil {
				return err
			}
		}
		b.WriteString(end)
		return nil
	}
	var plain any
	if err := n.Decode(&plain); err != nil {
		return err
	}
	text, err := json.Marshal(plain)
	b.Write(text)
	return err
}
