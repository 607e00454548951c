package launch

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// description is what a launch file declares and starts, in any of its languages.
type description struct {
	Entities []entity
	Words    []string // every value in the file, without its documentation
}

// entity is one element of a launch file, in the order of the file. The kind determines which
// fields count.
type entity struct {
	Kind string // arg, node, lifecycle_node or include

	Name string // of an argument or a node

	Default     *string // nil: the argument must be given
	Description string
	Choices     []string

	Package, Executable, Namespace string
	Args                           []string
	Parameters                     map[string]parameter
	Output, SigtermTimeout         string

	File  string // of the included file
	Given map[string]string
}

type parameter struct{ Value, Type string }

// launchFiles lists all files of launch/.
func launchFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "launch"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "__pycache__" {
			names = append(names, e.Name())
		}
	}
	if len(names) < 4 {
		t.Fatalf("launch has only %v", names)
	}
	return names
}

// described caches the descriptions: every test reads every file.
var described = map[string]description{}

func describe(t *testing.T, name string) description {
	t.Helper()
	d, ok := described[name]
	if !ok {
		d = read(t, name)
		described[name] = d
	}
	return d
}

func read(t *testing.T, name string) description {
	t.Helper()
	path := filepath.Join(root, "launch", name)
	switch {
	case strings.HasSuffix(name, ".launch.py"):
		return describePython(t, path)
	case strings.HasSuffix(name, ".launch.xml"):
		return describeMarkup(t, path, readXML(t, path))
	case strings.HasSuffix(name, ".launch.yaml"):
		return describeMarkup(t, path, readYAML(t, path))
	}
	t.Fatalf("%s is no launch file by its name: ros2 launch would not find it", path)
	return description{}
}

func describePython(t *testing.T, path string) description {
	t.Helper()
	var out, notes bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "python3", "-B", filepath.Join("testdata", "describe.py"), path)
	cmd.Stdout, cmd.Stderr = &out, &notes
	if err := cmd.Run(); err != nil {
		t.Fatalf("cannot run %s: %v\n%s", path, err, &notes)
	}
	var d description
	strict := json.NewDecoder(&out)
	strict.DisallowUnknownFields()
	if err := strict.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// element is an element of an XML or YAML launch file.
type element struct {
	tag        string
	attributes map[string]string
	children   []element
}

// attributes are the attributes of each element that launch knows: it refuses others.
var attributes = map[string][]string{
	"launch": {},
	"arg":    {"name", "default", "description"},
	"choice": {"value"},
	"node":   {"pkg", "exec", "name", "namespace", "args", "output", "sigterm_timeout"},
	"param":  {"name", "value", "type"},
}

// inside is the parent of each element.
var inside = map[string]string{"arg": "launch", "node": "launch", "choice": "arg", "param": "node"}

func describeMarkup(t *testing.T, path string, top element) description {
	t.Helper()
	if top.tag != "launch" {
		t.Fatalf("%s is a %q, not a launch file", path, top.tag)
	}
	var d description
	var look func(e element)
	look = func(e element) {
		allowed, known := attributes[e.tag]
		if !known {
			t.Errorf("%s: launch knows no %s, or this test does not", path, e.tag)
		}
		for name, value := range e.attributes {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s: launch knows no %s of %s, or this test does not", path, name, e.tag)
			}
			if name != "description" {
				d.Words = append(d.Words, value)
			}
		}
		for _, c := range e.children {
			if inside[c.tag] != e.tag {
				t.Errorf("%s: %s stands in %s", path, c.tag, e.tag)
			}
			look(c)
		}
	}
	look(top)
	for _, e := range top.children {
		d.Entities = append(d.Entities, e.entity(t, path))
	}
	return d
}

func (e element) entity(t *testing.T, path string) entity {
	t.Helper()
	a := e.attributes
	made := entity{Kind: e.tag, Name: a["name"]}
	switch e.tag {
	case "arg":
		if value, ok := a["default"]; ok {
			made.Default = &value
		}
		made.Description = a["description"]
		for _, c := range e.children {
			made.Choices = append(made.Choices, c.attributes["value"])
		}
	case "node":
		made.Package, made.Executable, made.Namespace = a["pkg"], a["exec"], a["namespace"]
		made.Args, made.Output, made.SigtermTimeout = split(a["args"]), a["output"], a["sigterm_timeout"]
		made.Parameters = map[string]parameter{}
		for _, c := range e.children {
			made.Parameters[c.attributes["name"]] = parameter{c.attributes["value"], c.attributes["type"]}
		}
	default:
		t.Fatalf("%s: no test knows what to do with %s", path, e.tag)
	}
	return made
}

var argument = regexp.MustCompile(`(\$\([^)]*\)|\S)+`)

// split splits a command line as launch does: at blanks that are not within a substitution.
func split(line string) []string { return argument.FindAllString(line, -1) }

func readXML(t *testing.T, path string) element {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var node struct {
		XMLName  xml.Name
		Attrs    []xml.Attr `xml:",any,attr"`
		Children []rawXML   `xml:",any"`
	}
	if err := xml.Unmarshal(text, &node); err != nil {
		t.Fatalf("cannot read %s: %v", path, err)
	}
	return rawXML(node).element()
}

type rawXML struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []rawXML   `xml:",any"`
}

func (r rawXML) element() element {
	e := element{tag: r.XMLName.Local, attributes: map[string]string{}}
	for _, a := range r.Attrs {
		e.attributes[a.Name.Local] = a.Value
	}
	for _, c := range r.Children {
		e.children = append(e.children, c.element())
	}
	return e
}

func readYAML(t *testing.T, path string) element {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("cannot read %s: %v", path, err)
	}
	top := document.Content[0]
	if len(top.Content) != 2 || top.Content[1].Kind != yaml.SequenceNode {
		t.Fatalf("%s is no mapping of launch to a list", path)
	}
	e := element{tag: top.Content[0].Value}
	for _, item := range top.Content[1].Content {
		if item.Kind != yaml.MappingNode || len(item.Content) != 2 {
			t.Fatalf("%s:%d: is no mapping of one kind to its attributes", path, item.Line)
		}
		child, err := fromYAML(item.Content[0].Value, item.Content[1])
		if err != nil {
			t.Fatalf("%s:%v", path, err)
		}
		e.children = append(e.children, child)
	}
	return e
}

// fromYAML reads an element. Launch accepts no number and no boolean as a text, and no text as a
// time.
func fromYAML(tag string, n *yaml.Node) (element, error) {
	if n.Kind != yaml.MappingNode {
		return element{}, fmt.Errorf("%d: %s is no mapping", n.Line, tag)
	}
	e := element{tag: tag, attributes: map[string]string{}}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		switch value.Kind {
		case yaml.SequenceNode:
			for _, item := range value.Content {
				child, err := fromYAML(key, item)
				if err != nil {
					return e, err
				}
				e.children = append(e.children, child)
			}
		case yaml.ScalarNode:
			want := "!!str"
			if strings.HasSuffix(key, "_timeout") {
				want = "!!float"
			}
			if value.Tag != want {
				return e, fmt.Errorf("%d: %s is a %s; launch wants a %s: see to the quotes", value.Line, key, value.Tag,
					want)
			}
			e.attributes[key] = value.Value
		default:
			return e, fmt.Errorf("%d: %s is neither a value nor a list", value.Line, key)
		}
	}
	return e, nil
}
