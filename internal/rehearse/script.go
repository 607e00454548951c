package rehearse

import (
	"rstate/internal/network"
	"rstate/internal/strict"
)

// Script is the cases of one file, in its order.
type Script struct {
	File  string
	Cases []Case
}

// Case is one life of the network: acts and what must hold at the end, or scenes.
type Case struct {
	Name   string
	Given  string // state to which the network is brought first; empty: as the start leaves it
	Nodes  []Behaviour
	Do     []Step
	Expect Expect
	Scenes []Scene // instead of Do and Expect
}

// Scene is a part of a life, with words for the reader. It ends as soon as what it expects holds; then the next one
// begins. The same scenes can be played in a simulated network, and in a real one (`rstate demo`).
type Scene struct {
	Title  string // what is about to happen
	Do     []Step
	Expect Expect
	Result string // what has come of it
}

// Load reads a script for a network. Its error is network.Faults.
func Load(path string, net *network.Network) (*Script, error) {
	report := &strict.Report{}
	data, problem, hint := strict.ReadFile(path)
	if problem != "" {
		report.Fault(path, problem, hint)
		return nil, report.Err()
	}
	return Parse(path, data, net)
}

// Parse reads the content of a script. Its error is network.Faults.
func Parse(file string, data []byte, net *network.Network) (*Script, error) {
	report := &strict.Report{}
	root, ok := strict.Parse(file, data, report)
	if !ok {
		return nil, report.Err()
	}
	s := &Script{File: file}
	r := reader{net}
	strict.Record(r.scriptFields(), Script{}).Read(root, s)
	if report.Err() == nil && len(s.Cases) == 0 {
		root.Find("cases").Fault("there are no cases",
			"add one: {a name: {do: [{send: active}], expect: {state: active}}}")
	}
	if err := report.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Schema is the JSON Schema of scripts.
func Schema() strict.Schema {
	r := reader{&network.Network{}}
	s := strict.Record(r.scriptFields(), Script{}).Schema
	return s.With("$schema", "https://json-schema.org/draft/2020-12/schema").With("title",
		"rehearsal of an rstate network")
}

// reader reads the parts of a script that name parts of the network.
type reader struct{ net *network.Network }

func (r reader) scriptFields() []strict.Field[Script] {
	cases := strict.Table(r.oneCase(), ".", false, func(e strict.Entry) (Case, bool) { return Case{Name: e.Name}, true })
	return []strict.Field[Script]{
		strict.Key("cases", "the lives to play, by name", cases,
			func(s *Script) *[]Case { return &s.Cases }).Required(),
	}
}

func (r reader) caseFields() []strict.Field[Case] {
	return []strict.Field[Case]{
		strict.Key("given", "the state to which the network is brought first", r.state(),
			func(c *Case) *string { return &c.Given }).Plain(),
		strict.Key("nodes", "how nodes differ from good ones, by name", r.behaviours(),
			func(c *Case) *[]Behaviour { return &c.Nodes }).Plain(),
		strict.Key("do", "what is done, in order", r.steps(new([]Step)), func(c *Case) *[]Step { return &c.Do }).Plain(),
		strict.Key("expect", "what must hold at the end", strict.Record(r.expectFields(), Expect{}),
			func(c *Case) *Expect { return &c.Expect }).Plain(),
		strict.Key("scenes", "instead of do and expect: the parts of a longer life, in order", r.scenes(),
			func(c *Case) *[]Scene { return &c.Scenes }).Plain(),
	}
}

// oneCase reads a case, which has acts or scenes.
func (r reader) oneCase() strict.Kind[Case] {
	k := strict.Record(r.caseFields(), Case{})
	read := k.Read
	k.Schema = k.Schema.With("oneOf", []strict.Schema{
		{"required": []string{"do", "expect"}, "properties": strict.Schema{"scenes": false}},
		{"required": []string{"scenes"}, "properties": strict.Schema{"do": false, "expect": false}}})
	k.Read = func(v strict.Value, into *Case) {
		read(v, into)
		has := func(key string) bool { return v.IsMap() && v.Has(key) }
		switch {
		case !v.IsMap():
		case !has("scenes"):
			for _, f := range []struct{ key, doc string }{{"do", "what is done, in order"},
				{"expect", "what must hold at the end"}} {
				if !has(f.key) {
					v.Fault("the key "+f.key+" is missing", "add it: "+f.doc)
				}
			}
		case has("do") || has("expect"):
			v.Find("scenes").Fault("stands beside do or expect", "move what is done and expected into a scene")
		}
	}
	return k
}

// scenes reads the scenes of a case, in order.
func (r reader) scenes() strict.Kind[[]Scene] {
	one := func(before *[]Step) strict.Kind[Scene] { return strict.Record(r.sceneFields(before), Scene{}) }
	return strict.Kind[[]Scene]{
		Schema: strict.Schema{"type": "array", "minItems": 1, "items": one(new([]Step)).Schema},
		Read: func(v strict.Value, into *[]Scene) {
			items, ok := v.Items("a list of scenes, like [{title: It comes up., do: [send: active], expect: {state: active}}]")
			if ok && len(items) == 0 {
				v.Fault("has no scene", "add one, or write do and expect")
			}
			var before []Step
			for _, item := range items {
				var s Scene
				one(&before).Read(item, &s)
				before = append(before, s.Do...)
				*into = append(*into, s)
			}
		},
	}
}

// sceneFields are the keys of a scene. before are the steps of the scenes before it.
func (r reader) sceneFields(before *[]Step) []strict.Field[Scene] {
	return []strict.Field[Scene]{
		strict.Key("title", "what is about to happen, for the reader", words(),
			func(s *Scene) *string { return &s.Title }).Required(),
		strict.Key("do", "what is done, in order", r.steps(before), func(s *Scene) *[]Step { return &s.Do }).Plain(),
		strict.Key("expect", "what must hold before the next scene begins", strict.Record(r.expectFields(), Expect{}),
			func(s *Scene) *Expect { return &s.Expect }).Required(),
		strict.Key("result", "what has come of it, for the reader", words(),
			func(s *Scene) *string { return &s.Result }).Plain(),
	}
}
