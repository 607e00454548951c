package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestFormsHoldTheSame: JSON and YAML give the same values when read back, whatever a text looks
// like.
func TestFormsHoldTheSame(t *testing.T) {
	value := map[string]any{
		"list": []any{}, "map": map[string]any{}, "nested": []any{map[string]any{"n": 1.5, "t": true}}, "null": nil,
		"empty": "",
		"words": []any{"yes", "null", "1", "a: b", "- c", "two\nlines", `"quoted"`, " blank ", "→ /slam", "#", "0x1f",
			"2026-03-02"},
	}
	var fromJSON, fromYAML any
	for form, read := range map[string]func([]byte) error{
		asJSON: func(text []byte) error { return json.Unmarshal(text, &fromJSON) },
		asYAML: func(text []byte) error { return yaml.Unmarshal(text, &fromYAML) },
	} {
		var b strings.Builder
		if err := printAs(&b, form, value); err != nil {
			t.Fatal(err)
		}
		if err := read([]byte(b.String())); err != nil {
			t.Fatalf("%v in:\n%s", err, b.String())
		}
	}
	if !reflect.DeepEqual(fromJSON, value) || !reflect.DeepEqual(fromYAML, value) {
		t.Errorf("got %v\nand %v\nwant %v", fromJSON, fromYAML, value)
	}
}

func TestMessagesKeepTheirNamesAndOrder(t *testing.T) {
	of := message{struct {
		Second string   `yaml:"zulu"`
		First  []uint32 `yaml:"alpha"`
	}{"yes", []uint32{1}}}
	for form, want := range map[string]string{
		asJSON: "{\"zulu\":\"yes\",\"alpha\":[1]}\n",
		asYAML: "zulu: \"yes\"\nalpha:\n  - 1\n---\n",
	} {
		var b strings.Builder
		if err := printNext(&b, form, of); err != nil || b.String() != want {
			t.Errorf("%v, got %q, want %q", err, b.String(), want)
		}
	}
}
