package network

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const example = "../../config/example.yaml"

func TestSchemaIsInStep(t *testing.T) {
	golden(t, "../../config/network.schema.json", Schema())
}

func TestDemoIsWhole(t *testing.T) {
	n, err := Load("../../config/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Warnings) > 0 || n.Simulation != "demo" || len(n.Nodes) != 4 || !n.Nodes[2].Optional ||
		n.Nodes[3].Arm == nil {
		t.Errorf("the demo is %+v", n)
	}
}

// keys lists the path of every key in the schema (user-defined names are *), and which have a
// default.
func keys(schema map[string]any, way string, into map[string]bool) {
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, p := range properties {
			property := p.(map[string]any)
			_, has := property["default"]
			into[way+"/"+name] = has
			keys(property, way+"/"+name, into)
		}
	}
	if patterns, ok := schema["patternProperties"].(map[string]any); ok {
		for _, p := range patterns {
			keys(p.(map[string]any), way+"/*", into)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		keys(items, way+"/*", into)
	}
	if kinds, ok := schema["anyOf"].([]any); ok {
		for _, s := range kinds {
			keys(s.(map[string]any), way, into)
		}
	}
}

// place is where a key of the schema is in the example: a mapping, and the number of the key in it.
type place struct {
	mapping *yaml.Node
	key     int
}

func places(n *yaml.Node, way string, known map[string]bool, into map[string][]place) {
	switch n.Kind {
	case yaml.DocumentNode:
		places(n.Content[0], way, known, into)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			places(c, way+"/*", known, into)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			next := way + "/" + n.Content[i].Value
			if _, ok := known[next]; ok {
				into[next] = append(into[next], place{n, i})
			} else {
				next = way + "/*"
			}
			places(n.Content[i+1], next, known, into)
		}
	}
}

// Every key of the decoder is in the schema, since the schema is generated from it. This test
// checks that the example explains every key of the schema, and that leaving out a key with a
// default changes nothing.
func TestExampleIsCompleteAndShowsTheDefaults(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	keys(schema, "", known)
	// Each key is shown once: those of a machine at the top, not again below the key machine; those
	// of nodes in the defaults; those of stop inputs in the mapping, not again in the list.
	for way := range known {
		shared := strings.Replace(way, "/nodes/*/", "/defaults/", 1)
		if _, twice := known[shared]; twice && shared != way || strings.HasPrefix(way, "/machine/") ||
			strings.HasPrefix(way, "/stop/*/") {
			delete(known, way)
		}
	}
	if len(known) < 50 {
		t.Fatalf("the schema has only %d keys", len(known))
	}
	data, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string][]place{}
	places(&document, "", known, found)
	whole := parsed(t, &document)
	for way, hasDefault := range known {
		t.Run(strings.TrimPrefix(way, "/"), func(t *testing.T) {
			if len(found[way]) == 0 {
				t.Fatal("is not in the example")
			}
			if !hasDefault {
				return
			}
			for _, p := range found[way] {
				content := p.mapping.Content
				p.mapping.Content = slices.Delete(slices.Clone(content), p.key, p.key+2)
				without := parsed(t, &document)
				p.mapping.Content = content
				if reflect.DeepEqual(without, whole) {
					return
				}
			}
			t.Error("has a default, yet every place in the example says something else")
		})
	}
}

// parsed reads the document; empty and missing lists are equal to a user.
func parsed(t *testing.T, document *yaml.Node) *Network {
	t.Helper()
	data, err := yaml.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Parse(example, data)
	if err != nil {
		t.Fatal(err)
	}
	n.Warnings = nil // warnings contain places in the text
	blank(reflect.ValueOf(n).Elem())
	return n
}

func blank(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			blank(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			blank(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		for i := range v.Len() {
			blank(v.Index(i))
		}
	}
}
