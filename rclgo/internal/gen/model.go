package gen

import "slices"

// Name is a ROS type name, split into its parts.
type Name struct {
	Pkg  string
	Kind string // msg, srv or action
	Name string
}

func (n Name) String() string { return n.Pkg + "/" + n.Kind + "/" + n.Name }

// Interface is one parsed interface file.
type Interface struct {
	Name
	Path string
	// Messages has one message for a msg; request and response for a srv; goal, result and
	// feedback for an action, followed by the messages that every action has.
	Messages []*Message
}

// Message is one struct.
type Message struct {
	Name
	Part      bool // every action has this message; its fields are not in the interface file
	Constants []Constant
	Fields    []Field
}

// Constant is a named value; Value is a Go literal.
type Constant struct {
	Name  string
	Type  Type
	Value string
}

// Field is one field of a message. Default holds Go literals: none, one, or as many as
// the array or sequence has elements.
type Field struct {
	Name    string
	Type    Type
	Default []string
}

// Shape says how many values a field has.
type Shape int

// The shapes.
const (
	Single Shape = iota
	Array
	Sequence
)

// Type is the type of a field. It has no bounds of strings and sequences: Go has no such
// types, and the codec reads the bounds from the installed package.
type Type struct {
	Primitive string // a key of goPrimitives; empty for a nested message
	Nested    Name
	Shape     Shape
	Len       int // of an array
}

// goPrimitives maps the primitives of .msg files to Go. wchar and the long double
// occur in .idl files only.
var goPrimitives = map[string]string{
	"bool": "bool", "byte": "uint8", "char": "uint8", "wchar": "uint16",
	"float32": "float32", "float64": "float64", "long double": "float64",
	"int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16",
	"int32": "int32", "uint32": "uint32", "int64": "int64", "uint64": "uint64",
	"string": "string", "wstring": "string",
}

// Deps returns the packages of the types that i uses, without its own, sorted.
func (i *Interface) Deps() []string {
	var deps []string
	for _, n := range i.needs() {
		deps = append(deps, n.Pkg)
	}
	slices.Sort(deps)
	return slices.DeleteFunc(slices.Compact(deps), func(d string) bool { return d == i.Pkg })
}

// actionParts are what the bindings of every action use.
var actionParts = []Name{{"action_msgs", "srv", "CancelGoal"}, {"action_msgs", "msg", "GoalStatusArray"}}

// needs returns the types that i uses.
func (i *Interface) needs() (types []Name) {
	for _, m := range i.Messages {
		for _, f := range m.Fields {
			if f.Type.Primitive == "" {
				types = append(types, f.Type.Nested)
			}
		}
	}
	if i.Kind == "action" {
		types = append(types, actionParts...)
	}
	return types
}

// withParts adds to an action the messages that every action has.
func (i *Interface) withParts() {
	own := func(suffix string) Name { return Name{i.Pkg, i.Kind, i.Name.Name + suffix} }
	nested := func(name string, t Name) Field { return Field{Name: name, Type: Type{Nested: t}} }
	goalID := nested("goal_id", Name{"unique_identifier_msgs", "msg", "UUID"})
	stamp := nested("stamp", Name{"builtin_interfaces", "msg", "Time"})
	i.Messages = append(i.Messages,
		&Message{Part: true, Name: own("_SendGoal_Request"), Fields: []Field{goalID, nested("goal", own("_Goal"))}},
		&Message{Part: true, Name: own("_SendGoal_Response"),
			Fields: []Field{{Name: "accepted", Type: Type{Primitive: "bool"}}, stamp}},
		&Message{Part: true, Name: own("_GetResult_Request"), Fields: []Field{goalID}},
		&Message{Part: true, Name: own("_GetResult_Response"),
			Fields: []Field{{Name: "status", Type: Type{Primitive: "int8"}}, nested("result", own("_Result"))}},
		&Message{Part: true, Name: own("_FeedbackMessage"),
			Fields: []Field{goalID, nested("feedback", own("_Feedback"))}},
	)
}

// suffixes names the parts of an interface file, in the order of its sections.
var suffixes = map[string][]string{
	"msg":    {""},
	"srv":    {"_Request", "_Response"},
	"action": {"_Goal", "_Result", "_Feedback"},
}
