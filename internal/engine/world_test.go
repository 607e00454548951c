package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// demo is the network that most tests use: an order, an optional node, one that is armed.
const demo = `
simulation: demo
nodes:
  /lidar: {}
  /slam: {after: [/lidar]}
  /camera: {optional: true}
  /arm_driver: {after: [/slam], arm: {}}
`

// story is one row of a table and tells a whole story: what the nodes are like, what is asked and done, and what
// comes of it. Empty expectations are not looked at; "none" is an empty list of calls.
type story struct {
	name    string
	net     string // the network file; empty: demo
	keys    string // lines put in front of the network file
	opt     simnet.Options
	scripts map[string]simnet.Script
	first   []string // goals that bring the network where the story begins; they must succeed
	tell    []simnet.Beat
	early   []simnet.Beat // instead of tell: from the coordinator's own start on

	states    string // shown from the first beat on, in order
	published string // on the lifecycle topic, the same
	goals     string // "configure: succeeded done, ..." of the goals in tell
	ends      string // where the nodes are in truth
	calls     string // asked of nodes from the first beat on, in order
	why       string // is part of the last goal's reason or message
	exit      int    // the code that the instance ends with, plus one; 0: it does not end
}

func (s story) network(t *testing.T) *network.Network {
	t.Helper()
	text := s.net
	if text == "" {
		text = demo
	}
	net, err := network.Parse("test.yaml", []byte(s.keys+text))
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// run plays the story and compares what came of it.
func (s story) run(t *testing.T) *simnet.Trace {
	t.Helper()
	s.opt.Scripts = s.scripts
	if s.opt.Seed == 0 {
		s.opt.Seed = 1
	}
	w := simnet.New(s.network(t), s.opt)
	beats := []simnet.Beat{{When: simnet.Settled(), Do: simnet.Nothing{}}}
	for k, c := range s.first {
		if k > 0 {
			beats = append(beats, simnet.Beat{When: simnet.Ended(first(k - 1)), Do: simnet.Nothing{}})
		}
		beats = append(beats, simnet.Beat{When: simnet.Then(), Do: simnet.Send{Command: c, Handle: first(k)}})
	}
	if len(s.first) > 0 {
		beats = append(beats, simnet.Beat{When: simnet.Ended(first(len(s.first) - 1)), Do: simnet.Nothing{}})
		beats = append(beats, simnet.Beat{When: simnet.Then().Later(10 * time.Millisecond), Do: simnet.Mark{}})
	}
	if s.early != nil {
		w.Tell(s.early...)
	} else {
		w.Tell(append(beats, s.tell...)...)
	}
	trace := w.Run()
	if len(trace.Faults) > 0 {
		t.Fatalf("what must never be:\n%v", trace)
	}
	for k := range s.first {
		if got := trace.Goal(first(k)).Verdict(); got != "succeeded done" {
			t.Fatalf("%s, which begins the story: %s\n%v", s.first[k], got, trace)
		}
	}
	s.compare(t, trace)
	return trace
}

func first(k int) string { return "first " + string(rune('a'+k)) }

func (s story) compare(t *testing.T, trace *simnet.Trace) {
	t.Helper()
	bad := false
	check := func(what, got, want string) {
		t.Helper()
		if want == "none" {
			want = ""
		} else if want == "" {
			return
		}
		if got != want {
			bad = true
			t.Errorf("%s:\n got  %s\n want %s", what, got, want)
		}
	}
	var verdicts []string
	why := ""
	for _, g := range trace.Goals {
		if strings.HasPrefix(g.Handle, "first ") {
			continue
		}
		verdicts = append(verdicts, g.Handle+": "+g.Verdict())
		why = g.Why + g.Result.Message
	}
	check("states", trace.Story(), s.states)
	check("published", trace.News(), s.published)
	check("goals", strings.Join(verdicts, ", "), s.goals)
	check("nodes end", trace.Truth(), s.ends)
	check("calls", trace.Work(), s.calls)
	if !strings.Contains(why, s.why) {
		bad = true
		t.Errorf("why:\n got  %s\n want %s", why, s.why)
	}
	code := 0
	if trace.Exit != nil {
		code = trace.Exit.Code + 1
	}
	if code != s.exit {
		bad = true
		t.Errorf("exit %d, want %d", code-1, s.exit-1)
	}
	if bad {
		t.Log(trace)
	}
}

func play(t *testing.T, stories []story, all ...func(*story)) {
	t.Helper()
	for _, s := range stories {
		for _, a := range all {
			a(&s)
		}
		t.Run(s.name, func(t *testing.T) { s.run(t) })
	}
}

// Shorthands of the tables.
const ms = time.Millisecond

func send(command string) simnet.Beat {
	return simnet.Beat{When: simnet.Then(), Do: simnet.Send{Command: command}}
}

func when(m simnet.Moment, do simnet.Act) simnet.Beat { return simnet.Beat{When: m, Do: do} }

func on(label string, o simnet.On) simnet.Script {
	o.Do = label
	return simnet.Script{On: []simnet.On{o}}
}

func one(node string, s simnet.Script) map[string]simnet.Script {
	return map[string]simnet.Script{node: s}
}
