package rehearse

import "rstate/internal/strict"

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
