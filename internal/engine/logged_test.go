package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// TestF8TheErrorThatANodeLoggedIsQuoted: the last error that a failing node has logged during its step stands in
// the result and in the journal, cleaned and cut. What it logged before the step, what another node logged, and
// what comes after the verdict does not.
func TestF8TheErrorThatANodeLoggedIsQuoted(t *testing.T) {
	said := func(text string) engine.NodeLogged { return engine.NodeLogged{Text: text} }
	old := said("from before the step")
	old.Age = 2 * time.Second
	other := said("of another")
	other.Node = 1
	for _, c := range []struct {
		name         string
		before, late []engine.NodeLogged // the answer
		quoted       string              // empty: nothing
	}{
		{"during the step", []engine.NodeLogged{said("cannot open /dev/ttyUSB0")}, nil,
			`it logged "cannot open /dev/ttyUSB0"`},
		{"the last one", []engine.NodeLogged{said("first"), said("second")}, nil, `it logged "second"`},
		{"it comes after the answer", nil, []engine.NodeLogged{said("no device")}, `it logged "no device"`},
		{"several lines, and escapes", []engine.NodeLogged{said("a\nb\x1b[2J")}, nil, `it logged "a b�[2J"`},
		{"a long one", []engine.NodeLogged{said(strings.Repeat("x", 5000))}, nil, "xxx… (cut)\""},
		{"before the step", []engine.NodeLogged{old}, nil, ""},
		{"another node", []engine.NodeLogged{other}, nil, ""},
		{"none", nil, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := logStory(t)
			l.step(engine.GoalAsked{Handle: "g", Command: "configure"})
			l.now += 100 * ms
			for _, in := range c.before {
				l.step(in)
			}
			l.step(engine.CallAnswered{Call: l.calls[0]})
			l.now += 150 * ms
			l.step(engine.Tick{}) // the verdict is due by now, but for what the node may log
			l.now += 50 * ms
			for _, in := range c.late {
				l.step(in)
			}
			for range 20 {
				l.now += 100 * ms
				l.step(engine.Tick{})
			}
			l.step(said("too late"))
			want := "/a answered no to configure; it is still unconfigured"
			if c.quoted != "" {
				want += "; "
			}
			for place, text := range map[string]string{"result": l.result.Message, "journal": l.cause} {
				has := strings.Contains(text, "it logged")
				if !strings.Contains(text, strings.TrimPrefix(want, "/a ")) || !strings.Contains(text, c.quoted) ||
					has != (c.quoted != "") || len(text) > 800 {
					t.Errorf("%s: %q, want %q", place, text, c.quoted)
				}
			}
			if strings.Join(l.listens, " ") != "on off" {
				t.Errorf("the world was asked to listen: %v", l.listens)
			}
		})
	}
}

// logging is an engine with two nodes that are unconfigured.
type logging struct {
	state   *engine.State
	now     time.Duration
	calls   []uint64
	listens []string
	result  engine.Result
	cause   string // of the refusal, in the journal
}

func logStory(t *testing.T) *logging {
	t.Helper()
	net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	l := &logging{state: engine.New(net, engine.Options{Instance: "a", Logs: true})}
	l.step(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
	l.step(engine.NodeSeen{Node: 1, Epoch: 1, Count: 1})
	l.now = 5 * time.Second
	l.step(engine.Tick{})
	return l
}

func (l *logging) step(in engine.Input) {
	var effects []engine.Effect
	l.state, effects = engine.Step(l.state, engine.Time{Steady: l.now}, in)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.ReadState:
			l.step(engine.StateRead{Node: e.Node, Ticket: e.Ticket, State: lifecycle.Unconfigured})
		case engine.SyncJournal:
			l.step(engine.JournalSynced{Ticket: e.Ticket})
		case engine.CallNode:
			l.calls = append(l.calls, e.Call)
		case engine.ListenLogs:
			l.listens = append(l.listens, map[bool]string{true: "on", false: "off"}[e.On])
		case engine.FinishGoal:
			l.result = e.Result
		case engine.Record:
			if e.Entry.Verdict == engine.VerdictRefused {
				l.cause = e.Entry.Cause
			}
		}
	}
}
