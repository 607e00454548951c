package rehearse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/machine"
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

// Behaviour is how one node differs from a good one.
type Behaviour struct {
	Node    string
	State   string        // at the start
	Armed   bool          // at the start
	Appears time.Duration // when its process starts
	Never   bool          // its process never starts
	// the number of the step of a stepped loop in which it fails, once; 0: in none
	FailStep int
	// What it does in each step.
	Configure, Activate, Deactivate, Cleanup, Shutdown, Arm, Disarm Conduct
}

// Conduct is how a node behaves in one step. The zero value succeeds at once.
type Conduct struct {
	Does  Fault
	Times int           // how often; 0: every time
	Takes time.Duration // how long the callback runs
}

// Fault is one way in which a step can end.
type Fault string

// The ways.
const (
	OK         Fault = "ok"
	RefuseIt   Fault = "refuse"     // it answers no, and stays where it was
	ErrIn      Fault = "error"      // its callback fails; on_error brings it to unconfigured
	ErrFatally Fault = "fatal"      // its callback and on_error fail; it is finalized
	DieIn      Fault = "die"        // its process ends in the callback
	Respawn    Fault = "respawn"    // the same, and a new process starts a second later
	HangIn     Fault = "hang"       // its callback never returns
	Unanswered Fault = "unanswered" // it does what it is asked, and the answer is lost
)

// Step is one thing that is done. Exactly one of the acts is set.
type Step struct {
	Send, Cancel                                         string
	Argument                                             string // of what is sent
	Ask                                                  string // another program asks a node: "deactivate /slam"
	Kill, Respawn, Freeze, Thaw, Cut, Mend, Fail, Repair string // names of nodes
	Offer, Withdraw                                      string // the unsafe names of a node
	// the daemon is killed, and starts again after so long
	Restart time.Duration
	Wait    time.Duration
	// When: in the callback of a step of a node ("activate /slam"), or so long after the previous step. Without both, a
	// step waits for the end of the goal that the previous one sent.
	In    string
	After time.Duration
}

// Expect is what must hold at the end of a case or of a scene. What is not set is not looked at.
type Expect struct {
	State    string
	Intact   *bool
	Nodes    []Word   // the state of a node, "gone" or "armed"
	Legal    []string // all commands that are legal
	Step     *int     // of the stepped loop: it rests after this step, or runs and is in a later one
	Cause    string   // part of why the network is in its state
	Goals    []Word   // how a goal ended: "succeeded", "aborted restored", "rejected"
	Says     string   // part of what the last goal was told
	Exit     *int     // the code with which the daemon ended
	Asked    []string // steps that nodes were asked for since the scene began, in this order: "configure /lidar"
	NotAsked []string
	Journal  []string // parts of what the journal says of states of the network, in this order
}

// Word is a name with what is expected of it.
type Word struct{ Name, Is string }

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

// words reads any text.
func words() strict.Kind[string] {
	return strict.Text("a text", "", func(string) (string, string) { return "", "" })
}

func (r reader) behaviours() strict.Kind[[]Behaviour] {
	words := []string{"unconfigured", "inactive", "active", "finalized"}
	state := strict.Text("the state of a node", "", func(s string) (string, string) {
		return unless(slices.Contains(words, s), fmt.Sprintf("%q is no state of a node", s), s, words)
	})
	fields := []strict.Field[Behaviour]{
		strict.Key("state", "in which it is found at the start", state,
			func(b *Behaviour) *string { return &b.State }).Else("unconfigured"),
		strict.Key("armed", "true: it is armed at the start", strict.Bool(),
			func(b *Behaviour) *bool { return &b.Armed }),
		strict.Key("appears", "when its process starts", strict.Duration(true),
			func(b *Behaviour) *time.Duration { return &b.Appears }),
		strict.Key("never", "true: its process never starts", strict.Bool(),
			func(b *Behaviour) *bool { return &b.Never }),
	}
	fields = append(fields, strict.Key("fail_step", "the step of the stepped loop in which it fails, once",
		strict.Int(1, 1000000), func(b *Behaviour) *int { return &b.FailStep }).Plain())
	for _, step := range steps {
		fields = append(fields, strict.Key(step, "what it does when it is asked to "+step, conduct(),
			func(b *Behaviour) *Conduct { return b.In(step) }).Plain())
	}
	return strict.Table(strict.Record(fields, Behaviour{}), ".", false, func(e strict.Entry) (Behaviour, bool) {
		problem, hint := r.unknownNode(e.Name)
		if problem != "" {
			e.Key.Fault(problem, hint)
		}
		return Behaviour{Node: e.Name}, problem == ""
	})
}

// steps are what a node can be asked for.
var steps = []string{"configure", "activate", "deactivate", "cleanup", "shutdown", "arm", "disarm"}

// Plain reports whether the process of the node starts with the network, and the node is unconfigured then.
func (b *Behaviour) Plain() bool {
	return !b.Never && !b.Armed && b.Appears == 0 && (b.State == "" || b.State == "unconfigured")
}

// In returns how the node behaves in a step.
func (b *Behaviour) In(step string) *Conduct {
	switch step {
	case "configure":
		return &b.Configure
	case "activate":
		return &b.Activate
	case "deactivate":
		return &b.Deactivate
	case "cleanup":
		return &b.Cleanup
	case "shutdown":
		return &b.Shutdown
	case "arm":
		return &b.Arm
	}
	return &b.Disarm
}

// conduct reads a word, or a mapping where more is to be said.
func conduct() strict.Kind[Conduct] {
	does := strict.Enum(OK, RefuseIt, ErrIn, ErrFatally, DieIn, Respawn, HangIn, Unanswered)
	fields := []strict.Field[Conduct]{
		strict.Key("does", "how it ends", does, func(c *Conduct) *Fault { return &c.Does }).Else("ok"),
		strict.Key("times", "how often; 0: every time", strict.Int(0, 1000), func(c *Conduct) *int { return &c.Times }),
		strict.Key("takes", "how long it runs", strict.Duration(true),
			func(c *Conduct) *time.Duration { return &c.Takes }),
	}
	k := strict.Record(fields, Conduct{})
	whole := k.Read
	k.Schema = strict.Schema{"anyOf": []strict.Schema{does.Schema, k.Schema}}
	k.Read = func(v strict.Value, into *Conduct) {
		if v.IsMap() {
			whole(v, into)
			return
		}
		does.Read(v, &into.Does)
	}
	return k
}

// steps reads what is done. earlier are the steps of the case before them.
func (r reader) steps(earlier *[]Step) strict.Kind[[]Step] {
	one := strict.Record(r.stepFields(), Step{})
	return strict.Kind[[]Step]{
		Schema: strict.Schema{"type": "array", "items": one.Schema},
		Read: func(v strict.Value, into *[]Step) {
			items, ok := v.Items("a list of steps, like [{send: active}, {kill: /slam}]")
			if !ok {
				return
			}
			for _, item := range items {
				var s Step
				before := item.Report().Count()
				one.Read(item, &s)
				if n := s.count(); n != 1 && item.Report().Count() == before {
					item.Fault(fmt.Sprintf("does %d things", n),
						"write one step for each thing: {send: active}, {kill: /slam} or {wait: 5s}")
				}
				if s.In != "" && s.After != 0 && item.Report().Count() == before {
					item.Fault("says twice when it is done", "write in, or after")
				}
				sent := func(o Step) bool { return o.Send == s.Cancel }
				if s.Argument != "" && s.Send == "" && item.Report().Count() == before {
					item.Find("argument").Fault("is of no command", "write it beside send")
				}
				if s.Cancel != "" && !slices.ContainsFunc(slices.Concat(*earlier, *into), sent) && item.Report().Count() == before {
					item.Find("cancel").Fault(fmt.Sprintf("no step before it sends %s", s.Cancel),
						fmt.Sprintf("write {send: %s} before it", s.Cancel))
				}
				*into = append(*into, s)
			}
		},
	}
}

func (r reader) stepFields() []strict.Field[Step] {
	node := strict.Text("the name of a node of the network", "", r.unknownNode)
	command := strict.Text("a command or a state", "", r.unknownCommand)
	time1 := strict.Duration(false)
	return []strict.Field[Step]{
		strict.Key("send", "a command, or a state to reach", command, func(s *Step) *string { return &s.Send }).Plain(),
		strict.Key("cancel", "the newest goal of that command is cancelled", command,
			func(s *Step) *string { return &s.Cancel }).Plain(),
		strict.Key("argument", "of the command that is sent: a number of steps, or an outcome", words(),
			func(s *Step) *string { return &s.Argument }).Plain(),
		strict.Key("ask", "another program asks a node for a transition, like deactivate /slam",
			r.call(noTransition, r.neverBegins), func(s *Step) *string { return &s.Ask }).Plain(),
		strict.Key("kill", "the process of that node is killed", node,
			func(s *Step) *string { return &s.Kill }).Plain(),
		strict.Key("respawn", "a new process of that node starts", node,
			func(s *Step) *string { return &s.Respawn }).Plain(),
		strict.Key("freeze", "the process of that node stands still", node,
			func(s *Step) *string { return &s.Freeze }).Plain(),
		strict.Key("thaw", "it goes on", node, func(s *Step) *string { return &s.Thaw }).Plain(),
		strict.Key("cut", "that node is cut off from the network", node,
			func(s *Step) *string { return &s.Cut }).Plain(),
		strict.Key("mend", "it is connected again", node, func(s *Step) *string { return &s.Mend }).Plain(),
		strict.Key("fail", "the checks of that node fail", node, func(s *Step) *string { return &s.Fail }).Plain(),
		strict.Key("repair", "they pass again", node, func(s *Step) *string { return &s.Repair }).Plain(),
		strict.Key("offer", "that node offers its unsafe names", node,
			func(s *Step) *string { return &s.Offer }).Plain(),
		strict.Key("withdraw", "it offers them no longer", node, func(s *Step) *string { return &s.Withdraw }).Plain(),
		strict.Key("restart", "the daemon is killed, and starts again after this time", time1,
			func(s *Step) *time.Duration { return &s.Restart }).Plain(),
		strict.Key("wait", "nothing is done for this time", time1,
			func(s *Step) *time.Duration { return &s.Wait }).Plain(),
		strict.Key("in", "when: while a node is in a step, like activate /slam", r.call(r.neverBegins),
			func(s *Step) *string { return &s.In }).Plain(),
		strict.Key("after", "when: so long after the previous step", time1,
			func(s *Step) *time.Duration { return &s.After }).Plain(),
	}
}

// count is how many things a step does.
func (s *Step) count() (n int) {
	for _, word := range []string{s.Send, s.Cancel, s.Ask, s.Kill, s.Respawn, s.Freeze, s.Thaw, s.Cut, s.Mend, s.Fail,
		s.Repair, s.Offer, s.Withdraw} {
		if word != "" {
			n++
		}
	}
	for _, d := range []time.Duration{s.Restart, s.Wait} {
		if d != 0 {
			n++
		}
	}
	return n
}

func (r reader) expectFields() []strict.Field[Expect] {
	truth, code, step := strict.Pointer(strict.Bool(), func() bool { return false }),
		strict.Pointer(strict.Int(0, 255), func() int { return 0 }),
		strict.Pointer(strict.Int(0, 1000000), func() int { return 0 })
	command := strict.Text("a command", "", r.unknownCommand)
	return []strict.Field[Expect]{
		strict.Key("state", "the state of the network", r.state(), func(e *Expect) *string { return &e.State }).Plain(),
		strict.Key("intact", "whether every node is as that state says", truth,
			func(e *Expect) **bool { return &e.Intact }).Plain(),
		strict.Key("nodes", "the state of each node; gone, or armed", r.named(r.unknownNode),
			func(e *Expect) *[]Word { return &e.Nodes }).Plain(),
		strict.Key("legal", "all commands that are legal, in any order",
			list(command, "a list of commands, like [arm, deactivate]"), func(e *Expect) *[]string { return &e.Legal }).Plain(),
		strict.Key("step", "the step after which the stepped loop rests; while it runs, a step that it has passed", step,
			func(e *Expect) **int { return &e.Step }).Plain(),
		strict.Key("cause", "part of why the network is in its state, as rstate status says it", words(),
			func(e *Expect) *string { return &e.Cause }).Plain(),
		strict.Key("goals", "how each goal ended: succeeded, aborted restored, canceled, rejected, orphaned",
			r.named(r.unknownGoal), func(e *Expect) *[]Word { return &e.Goals }).Plain(),
		strict.Key("says", "part of what the last goal was told", words(),
			func(e *Expect) *string { return &e.Says }).Plain(),
		strict.Key("exit", "the code with which the daemon ended", code,
			func(e *Expect) **int { return &e.Exit }).Plain(),
		strict.Key("asked", "steps that nodes were asked for since the case or scene began, in this order", r.calls(),
			func(e *Expect) *[]string { return &e.Asked }).Plain(),
		strict.Key("not_asked", "steps that no node was asked for", r.calls(),
			func(e *Expect) *[]string { return &e.NotAsked }).Plain(),
		strict.Key("journal", "parts of what the journal says of states of the network, in this order",
			list(words(), "a list of texts, like [configure failed, finalized]"),
			func(e *Expect) *[]string { return &e.Journal }).Plain(),
	}
}

// call reads a step of a node. Each of the checks judges it.
func (r reader) call(checks ...func(step, node string) (problem, hint string)) strict.Kind[string] {
	return strict.Text("a step and a node, like activate /slam", "", func(s string) (string, string) {
		step, name, _ := strings.Cut(s, " ")
		if !slices.Contains(steps, step) {
			return fmt.Sprintf("%q is no step of a node", step), "write a step and a node, like activate /slam"
		}
		if problem, hint := r.unknownNode(name); problem != "" {
			return problem, hint
		}
		for _, check := range checks {
			if problem, hint := check(step, name); problem != "" {
				return problem, hint
			}
		}
		return "", ""
	})
}

// noTransition judges a step for which no other program asks a node.
func noTransition(step, _ string) (problem, hint string) {
	return unless(step != "arm" && step != "disarm", step+" is no transition of a node", step, steps[:5])
}

// neverBegins judges a step that a node is never asked for.
func (r reader) neverBegins(step, name string) (problem, hint string) {
	i := slices.IndexFunc(r.net.Nodes, func(n network.Node) bool { return n.Name == name })
	if i < 0 {
		return "", ""
	}
	switch n := &r.net.Nodes[i]; {
	case step == "arm" || step == "disarm":
		if n.Arm == nil {
			return fmt.Sprintf("%s never begins %s: the network file has no arm for it", name, step),
				"name a node that is armed"
		}
	case !n.Lifecycle:
		return fmt.Sprintf("%s never begins %s: it is no lifecycle node", name, step), "name a lifecycle node"
	}
	return "", ""
}

// calls reads a list of steps of nodes, in which one may come twice.
func (r reader) calls() strict.Kind[[]string] {
	return list(r.call(), "a list of steps and nodes, like [configure /lidar]")
}

// list reads a list of texts.
func list(one strict.Kind[string], wanted string) strict.Kind[[]string] {
	return strict.Kind[[]string]{
		Schema: strict.Schema{"type": "array", "items": one.Schema},
		Read: func(v strict.Value, into *[]string) {
			items, _ := v.Items(wanted)
			list := make([]string, len(items))
			for k, item := range items {
				one.Read(item, &list[k])
			}
			*into = list
		},
	}
}

// named reads a mapping from names to words.
func (r reader) named(unknown func(string) (problem, hint string)) strict.Kind[[]Word] {
	text := words()
	one := strict.Kind[Word]{Schema: text.Schema, Read: func(v strict.Value, into *Word) { text.Read(v, &into.Is) }}
	return strict.Table(one, ".", false, func(e strict.Entry) (Word, bool) {
		problem, hint := unknown(e.Name)
		if problem != "" {
			e.Key.Fault(problem, hint)
		}
		return Word{Name: e.Name}, problem == ""
	})
}

func (r reader) state() strict.Kind[string] {
	return strict.Text("a state of the network", "", func(s string) (string, string) {
		if r.net.Machine == nil {
			return "", ""
		}
		var names []string
		for _, known := range r.net.Machine.States {
			if !known.Passing {
				names = append(names, known.Name)
			}
		}
		return unless(slices.Contains(names, s), fmt.Sprintf("%q is no state of machine %s", s, r.net.Machine.Name), s,
			names)
	})
}

func (r reader) unknownNode(name string) (problem, hint string) {
	var names []string
	for _, n := range r.net.Nodes {
		names = append(names, n.Name)
	}
	return unless(slices.Contains(names, name) || len(names) == 0, fmt.Sprintf("%q is no node of the network", name),
		name, names)
}

func (r reader) unknownCommand(word string) (problem, hint string) {
	if r.net.Machine == nil {
		return "", ""
	}
	_, _, ok := r.net.Machine.Command(machine.ReadWord(word))
	var names []string
	for _, t := range r.net.Machine.Transitions {
		names = append(names, t.Name)
	}
	for _, s := range r.net.Machine.States {
		if !s.Passing {
			names = append(names, s.Name)
		}
	}
	return unless(ok, fmt.Sprintf("%q is neither a command nor a state of machine %s", word, r.net.Machine.Name), word,
		names)
}

// unknownGoal judges the name of a goal: its command, with "#2" for the second of that name.
func (r reader) unknownGoal(name string) (problem, hint string) {
	command, _, _ := strings.Cut(name, " #")
	return r.unknownCommand(command)
}

func unless(ok bool, problem, word string, known []string) (string, string) {
	if ok {
		return "", ""
	}
	return problem, strict.Suggest(word, known, "write one of "+strings.Join(known, ", "))
}
