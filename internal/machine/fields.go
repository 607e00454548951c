package machine

import (
	"rstate/internal/lifecycle"
	"rstate/internal/strict"
)

// Source is a machine as it is written: what it extends, and its own states and transitions, not looked into yet.
type Source struct {
	Name        string
	Extends     strict.Value
	Initial     strict.Value
	Error       strict.Value
	Repeat      strict.Value
	States      strict.Value
	Transitions strict.Value
}

// Fields are the keys of a machine, for a file of its own and for those that hold one among other keys.
func Fields() []strict.Field[Source] {
	text := func(more string) strict.Schema { return strict.Schema{"type": "string", "pattern": more} }
	raw := strict.Raw
	return []strict.Field[Source]{
		strict.Key("extends", "the machine that this one adds to: the name of a preset, or a YAML file beside this one", raw(text(`.`)), func(s *Source) *strict.Value { return &s.Extends }),
		strict.Key("initial", "the state of a network to which nothing was done yet; an extended machine has one", raw(text(namePattern)), func(s *Source) *strict.Value { return &s.Initial }),
		strict.Key("error", "the passing state in which failures are put right; without one a failure is put right in the state that the transition passes through", raw(text(namePattern)), func(s *Source) *strict.Value { return &s.Error }),
		strict.Key("repeat", "what becomes of a command whose end is reached already: reject or ignore", raw(repeatKind.Schema), func(s *Source) *strict.Value { return &s.Repeat }),
		strict.Key("states", "the states, by name; the name of an extended machine's state changes the keys that are given", raw(statesSchema()), func(s *Source) *strict.Value { return &s.States }),
		strict.Key("transitions", "the commands, by name; the name of an extended machine's command changes the keys that are given", raw(transitionsSchema()), func(s *Source) *strict.Value { return &s.Transitions }),
		strict.Later[Source]("auto", "remove it, and let a client send the command"),
		strict.Later[Source]("outcomes", "remove it: a clean end has the exit code 0"),
	}
}

// FileFields are the keys of a machine that stands alone.
func FileFields() []strict.Field[Source] {
	name := strict.Key("name", "what the machine is called", nameKind(), func(s *Source) *string { return &s.Name }).Else("the file's name, or <extended>-extended")
	return append([]strict.Field[Source]{name}, Fields()...)
}

var repeatKind = strict.Enum(Reject, Ignore)

func stateFields() []strict.Field[State] {
	return []strict.Field[State]{
		strict.Key("nodes", "what the lifecycle nodes are to be in: one state for all, or a state for each group and for others", wantKind(), func(s *State) *Want { return &s.Nodes }),
		strict.Key("armed", "what is armed: true for every node that can be, or a list of groups", armedKind(), func(s *State) *Armed { return &s.Armed }),
		strict.Key("disarmed", "of a state that arms: the state that it is with nothing armed", nameKind(), func(s *State) *string { return &s.Disarmed }).Plain(),
		strict.Key("transition", "a state that a transition passes through", strict.Bool(), func(s *State) *bool { return &s.Passing }),
		strict.Key("final", "a state that nothing leads out of", strict.Bool(), func(s *State) *bool { return &s.Final }),
		strict.Key("id", "the state's number on the wire", idKind(), func(s *State) *uint8 { return &s.ID }).Else("the next free one from 100"),
		strict.Later[State]("exit", "remove it: a clean end has the exit code 0"),
		strict.Later[State]("loop", "remove it: rstate runs no stepped loop"),
		strict.Later[State]("adopt_as", "remove it: a start adopts the state that the nodes fit"),
	}
}

func transitionFields() []strict.Field[Transition] {
	return []strict.Field[Transition]{
		strict.Key("from", "the states in which the command is legal, or any", fromKind(), func(t *Transition) *fromText { return (*fromText)(&t.From) }),
		strict.Key("via", "the state that is passed through", nameKind(), func(t *Transition) *string { return &t.Via }).Plain(),
		strict.Key("to", "the state that it leads to", toKind(), func(t *Transition) *string { return &t.To }).Plain(),
		strict.Key("cancel", "what a cancel request does: origin takes the nodes back to where they were, refuse refuses it", strict.Enum(ToOrigin, Refuse), func(t *Transition) *Cancel { return &t.Cancel }),
		strict.Key("loop", "leads back to where it began, and always runs", strict.Bool(), func(t *Transition) *bool { return &t.Loop }),
		strict.Later[Transition]("else", "remove it, and write to: and one state"),
		strict.Later[Transition]("on_failure", failureToday),
		strict.Later[Transition]("on_refusal", failureToday),
		strict.Later[Transition]("on_error", failureToday),
		strict.Later[Transition]("mirrored_failure", failureToday),
		strict.Later[Transition]("preempts", "remove it: only shutdown and disarm interrupt what runs"),
		strict.Later[Transition]("arrives", "remove it: only shutdown always arrives"),
		strict.Later[Transition]("through", "remove it, and let a client send the commands one after another"),
		strict.Later[Transition]("at", loopToday),
		strict.Later[Transition]("open", loopToday),
		strict.Later[Transition]("argument", loopToday),
		strict.Later[Transition]("spread", "remove it: peers follow a failure downward where they require the instance"),
		strict.Later[Transition]("role", "remove it: a disarm leads from an armed state to its disarmed one, a shutdown from any state to a final one"),
		strict.Later[Transition]("hidden", "remove it: every command can be asked for"),
	}
}

// What the version at hand does instead of what some keys will say.
const (
	failureToday = "remove it: a failed transition restores the state that it came from"
	loopToday    = "remove it: rstate runs no stepped loop"
)

// toKind reads the target of a transition, which is one state whatever the transition comes from.
func toKind() strict.Kind[string] {
	kind := nameKind()
	read := kind.Read
	kind.Read = func(v strict.Value, into *string) {
		if v.IsMap() {
			v.Later("a target that depends on the origin", "name one state, and make a command for each origin")
			return
		}
		read(v, into)
	}
	return kind
}

func stateKind() strict.Kind[State] { return strict.Record(stateFields(), State{}) }
func transitionKind() strict.Kind[Transition] {
	return strict.Record(transitionFields(), Transition{Cancel: ToOrigin})
}

func statesSchema() strict.Schema {
	return strict.Schema{"type": "object", "patternProperties": strict.Schema{namePattern: stateKind().Schema}, "additionalProperties": false}
}

func transitionsSchema() strict.Schema {
	return strict.Schema{"type": "object", "patternProperties": strict.Schema{namePattern: transitionKind().Schema}, "additionalProperties": false}
}

const namePattern = `^[a-z][a-z0-9_]*$`

// nameKind reads the name of a state or command: small letters, since they are labels on the wire.
func nameKind() strict.Kind[string] {
	return strict.Text("a name", namePattern, func(s string) (string, string) {
		if !isName(s) {
			return "is no name of a state or command", "use small letters, digits and _, a letter first"
		}
		return "", ""
	})
}

func isName(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func idKind() strict.Kind[uint8] {
	number := strict.Int(1, 255)
	return strict.Kind[uint8]{
		Schema: strict.Schema{"type": "integer", "minimum": int(FirstOwnID), "maximum": 255},
		Read: func(v strict.Value, into *uint8) {
			n := int(*into)
			number.Read(v, &n)
			*into = uint8(n)
		},
		Write: func(id uint8) strict.Written { return strict.Number(int(id)) },
	}
}

// nodeStates are the states that a node can be told to be in.
var nodeStates = []string{
	lifecycle.Unconfigured.String(), lifecycle.Inactive.String(), lifecycle.Active.String(), lifecycle.Finalized.String(),
}

// others is the word for the nodes of no group that a state names.
const others = "others"

func wantKind() strict.Kind[Want] {
	one := strict.Enum(nodeStates...)
	return strict.Kind[Want]{
		Schema: strict.Schema{"anyOf": []strict.Schema{one.Schema, {
			"type": "object", "additionalProperties": one.Schema, "minProperties": 1,
			"properties": strict.Schema{others: one.Schema.With("description", "the nodes of no group that is named here; without it they stay as they are")},
		}}},
		Read: func(v strict.Value, into *Want) {
			want := Want{}
			if v.IsText() {
				if text, _ := v.Text(""); text == "as_is" {
					v.Later("as_is", "write "+strict.Or(nodeStates))
					return
				}
				want.Others = readState(one, v)
				*into = want
				return
			}
			entries, ok := v.Entries(strict.Or(nodeStates) + ", or a mapping of groups to one of these")
			if !ok {
				return
			}
			for _, e := range entries {
				if e.Name == others {
					want.Others = readState(one, e.Value)
					continue
				}
				want.Groups = append(want.Groups, GroupWant{Group: e.Name, State: readState(one, e.Value)})
			}
			if len(entries) == 0 {
				v.Fault("names no group", "write a state for a group, or for "+others)
			}
			*into = want
		},
		Write: writeWant,
	}
}

func readState(one strict.Kind[string], v strict.Value) lifecycle.State {
	var label string
	one.Read(v, &label)
	s, _ := lifecycle.Parse(label)
	return s
}

func armedKind() strict.Kind[Armed] {
	groups := strict.List(strict.Text("the name of a group", "", func(string) (string, string) { return "", "" }), "a list of groups")
	return strict.Kind[Armed]{
		Schema: strict.Schema{"anyOf": []strict.Schema{{"type": "boolean"}, groups.Schema}},
		Read: func(v strict.Value, into *Armed) {
			armed := Armed{}
			if v.IsList() {
				groups.Read(v, &armed.Groups)
			} else {
				strict.Bool().Read(v, &armed.All)
			}
			*into = armed
		},
		Show:  func(a Armed) any { return a.Any() },
		Write: writeArmed,
	}
}

// anyState is the one entry of a from that was written as "any"; it is no name, so it cannot be one of a list.
const anyState = "*"

type fromText []string

func fromKind() strict.Kind[fromText] {
	list := strict.List(nameKind(), "a list of states, or any")
	return strict.Kind[fromText]{
		Schema: strict.Schema{"anyOf": []strict.Schema{{"const": "any"}, list.Schema}},
		Read: func(v strict.Value, into *fromText) {
			if v.IsText() {
				if text, _ := v.Text(""); text != "any" {
					v.Fault("is one word", "write a list, ["+text+"], or any")
					return
				}
				*into = fromText{anyState}
				return
			}
			names := []string{}
			list.Read(v, &names)
			*into = names
		},
		Write: func(from fromText) strict.Written { return strict.Words(from) },
	}
}
