package machine

import (
	"regexp"
	"slices"

	"rstate/internal/lifecycle"
	"rstate/internal/strict"
)

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

const folderPattern = `^(/[A-Za-z_][A-Za-z0-9_]*)+$`

func folderKind() strict.Kind[string] {
	full := regexp.MustCompile(folderPattern)
	return strict.Text("the first part of a topic's name", folderPattern, func(s string) (string, string) {
		if !full.MatchString(s) {
			return "is not the first part of a topic's full name", "write it like /game"
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
	lifecycle.Unconfigured.String(), lifecycle.Inactive.String(), lifecycle.Active.String(),
	lifecycle.Finalized.String(),
}

// others is the word for the nodes of no group that a state names, and asIs for a state that asks nothing of any node.
const (
	others = "others"
	asIs   = "as_is"
)

func wantKind() strict.Kind[Want] {
	one, all := strict.Enum(nodeStates...), strict.Enum(append(slices.Clone(nodeStates), asIs)...)
	return strict.Kind[Want]{
		Schema: strict.Schema{"anyOf": []strict.Schema{all.Schema, {
			"type": "object", "additionalProperties": one.Schema, "minProperties": 1,
			"properties": strict.Schema{others: one.Schema.With("description",
				"the nodes of no group that is named here; without it they stay as they are")},
		}}},
		Read: func(v strict.Value, into *Want) {
			want := Want{}
			if v.IsText() {
				var label string
				all.Read(v, &label)
				want.AsIs = label == asIs
				want.Others, _ = lifecycle.Parse(label)
				*into = want
				return
			}
			entries, ok := v.Entries(strict.Or(nodeStates) + ", as_is, or a mapping of groups to a state")
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
	groups := strict.List(strict.Text("the name of a group", "", func(string) (string, string) { return "", "" }),
		"a list of groups")
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

// toKind reads the target of a transition: one state, or one for each origin. It reads into the transition, since the
// key fills one of two fields.
func toKind() strict.Kind[Transition] {
	name := nameKind()
	wanted := "the name of a state, or a mapping of origins to states"
	return strict.Kind[Transition]{
		Schema: strict.Schema{"anyOf": []strict.Schema{name.Schema, {
			"type": "object", "additionalProperties": false, "minProperties": 1,
			"patternProperties": strict.Schema{namePattern: name.Schema},
		}}},
		Read: func(v strict.Value, into *Transition) {
			if v.IsText() {
				name.Read(v, &into.To)
				into.Ends = nil
				return
			}
			entries, ok := v.Entries(wanted)
			if !ok {
				return
			}
			if len(entries) == 0 {
				v.Fault("names no origin", "write "+wanted)
			}
			into.To, into.Ends = "", nil
			for _, e := range entries {
				end := End{From: e.Name}
				name.Read(e.Value, &end.To)
				into.Ends = append(into.Ends, end)
			}
		},
		Write: func(t Transition) strict.Written {
			if len(t.Ends) == 0 {
				return word(t.To)
			}
			var pairs []strict.Pair
			for _, e := range t.Ends {
				pairs = append(pairs, strict.Pair{Key: e.From, Value: strict.Word(e.To)})
			}
			return strict.Map(pairs...)
		},
	}
}

// word writes a word; an empty one says nothing.
func word(text string) strict.Written {
	if text == "" {
		return nil
	}
	return strict.Word(text)
}

// failing says which of the verdicts a key of a transition is about.
type failing int

const (
	onBoth failing = iota
	onRefusal
	onError
)

// failureKind reads on_failure, on_refusal or on_error into the transition: on_failure stands for the two others.
func failureKind(of failing) strict.Kind[Transition] {
	simple, then := strict.Enum(Restore, Stay), nameKind()
	fields := []strict.Field[Failure]{strict.Key("then", "the command that runs after the rollback", then,
		func(f *Failure) *string { return &f.Then }).Required()}
	one := strict.Record(fields, Failure{})
	return strict.Kind[Transition]{
		Schema: strict.Schema{"anyOf": []strict.Schema{simple.Schema, one.Schema}},
		Read: func(v strict.Value, into *Transition) {
			f := Failure{}
			switch {
			case v.IsMap():
				one.Read(v, &f)
				f.Does = Then
			case v.IsText():
				simple.Read(v, &f.Does)
			default:
				v.Text("restore, stay or {then: COMMAND}")
			}
			if of != onError {
				into.OnRefusal = f
			}
			if of != onRefusal {
				into.OnError = f
			}
		},
		Show: func(Transition) any { return string(Restore) },
		Write: func(t Transition) strict.Written {
			both := t.OnRefusal == t.OnError
			switch {
			case of == onBoth && both, of == onError && !both:
				return t.OnError.written()
			case of == onRefusal && !both:
				return t.OnRefusal.written()
			}
			return nil
		},
	}
}

func (f Failure) written() strict.Written {
	if f.Does == Then {
		return strict.Map(strict.Pair{Key: "then", Value: strict.Word(f.Then)})
	}
	return word(string(f.Does))
}

func arrivesKind() strict.Kind[Arrival] {
	list := strict.List(nameKind(), "always, or a list of states")
	return strict.Kind[Arrival]{
		Schema: strict.Schema{"anyOf": []strict.Schema{{"const": "always"}, list.Schema}},
		Read: func(v strict.Value, into *Arrival) {
			if !v.IsText() {
				*into = Arrival{}
				list.Read(v, &into.From)
				return
			}
			if text, _ := v.Text(""); text != "always" {
				v.Fault("is one word", "write always, or a list: ["+text+"]")
				return
			}
			*into = Arrival{Always: true}
		},
		Write: func(a Arrival) strict.Written {
			switch {
			case a.Always:
				return strict.Word("always")
			case len(a.From) > 0:
				return strict.Words(a.From)
			}
			return nil
		},
	}
}

// autoText is a reaction as it is written, with one or more states.
type autoText struct {
	in   []string
	on   On
	from string
	do   string
}

func autoKind() strict.Kind[autoText] { return strict.Record(autoFields(), autoText{}) }

func inKind() strict.Kind[[]string] {
	name := nameKind()
	list := strict.List(name, "a state, or a list of states")
	return strict.Kind[[]string]{
		Schema: strict.Schema{"anyOf": []strict.Schema{name.Schema, list.Schema}},
		Read: func(v strict.Value, into *[]string) {
			if !v.IsText() {
				list.Read(v, into)
				return
			}
			var one string
			if name.Read(v, &one); one != "" {
				*into = []string{one}
			}
		},
		Write: func(in []string) strict.Written { return strict.Words(in) },
	}
}

func onKind() strict.Kind[On] {
	plain := strict.Enum(Settled, LoopIdle, Made, NodeError, NodeFatal, NodeReborn)
	report := strict.Text("a sub-state of a node", "", func(string) (string, string) { return "", "" })
	fields := []strict.Field[On]{strict.Key("report", "the sub-state that a node reports", report,
		func(o *On) *string { return &o.Word }).Required()}
	one := strict.Record(fields, On{})
	return strict.Kind[On]{
		Schema: strict.Schema{"anyOf": []strict.Schema{plain.Schema, one.Schema}},
		Read: func(v strict.Value, into *On) {
			if v.IsMap() {
				one.Read(v, into)
				into.Event = Reported
				return
			}
			plain.Read(v, &into.Event)
		},
		Write: func(o On) strict.Written {
			if o.Event == Reported {
				return strict.Map(strict.Pair{Key: "report", Value: strict.Word(o.Word)})
			}
			return strict.Word(string(o.Event))
		},
	}
}

// maxExit is the greatest exit code of a process that the shell does not use itself.
const maxExit = 125

func outcomesKind() strict.Kind[[]Outcome] {
	code := strict.Int(0, maxExit)
	one := strict.Kind[Outcome]{Schema: code.Schema,
		Read: func(v strict.Value, into *Outcome) { code.Read(v, &into.Exit) }}
	return strict.Table(one, namePattern, false, func(e strict.Entry) (Outcome, bool) {
		if !isName(e.Name) {
			e.Key.Fault("is no name of an outcome", "use small letters, digits and _, a letter first")
			return Outcome{}, false
		}
		return Outcome{Name: e.Name}, true
	})
}
