package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

const nrp = "simulation: demo\nmachine: nrp\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n"

// The life of a simulation of the NRP: its triggers, what they ask of nodes, and where a failing hook leads.
func TestPresetNRP(t *testing.T) {
	refuse := simnet.On{End: simnet.Refuse}
	err := simnet.On{End: simnet.Err}
	play(t, []story{
		{
			name: "a whole life", net: nrp, tell: []simnet.Beat{
				send("initialized"), after("initialized", "started"), after("started", "paused"),
				after("paused", "stopped"),
			},
			goals:  "initialized: succeeded done, started: succeeded done, paused: succeeded done, stopped: succeeded done",
			states: "created paused started paused stopped", ends: "finalized finalized", exit: 1,
		},
		{
			name: "initialize fails (N1)", net: nrp, scripts: one("/b", on("configure", refuse)),
			tell:  []simnet.Beat{send("initialized")},
			goals: "initialized: aborted restored", states: "created failed", ends: "finalized finalized", exit: 2,
			calls: "configure a, configure b, cleanup a, shutdown b, shutdown a",
		},
		{
			name: "start fails (N1)", net: nrp, scripts: one("/b", on("activate", err)), first: []string{"initialized"},
			tell:  []simnet.Beat{send("started")},
			goals: "started: aborted restored", states: "halted", ends: "inactive inactive", why: "/b activate erred",
		},
		{
			name: "a repeat is ignored (N2)", net: nrp, first: []string{"initialized"},
			tell:  []simnet.Beat{send("initialized")},
			goals: "initialized: succeeded already", calls: "none",
		},
		{
			name: "an invalid trigger is refused (N3)", net: nrp, first: []string{"initialized", "started"},
			tell:  []simnet.Beat{send("initialized")},
			goals: "initialized: rejected", calls: "none",
		},
		{
			name: "failed from started", net: nrp, first: []string{"initialized", "started"},
			tell:  []simnet.Beat{send("failed")},
			goals: "failed: succeeded done", states: "halted", ends: "inactive inactive",
			calls: "deactivate b, deactivate a",
		},
		{
			name: "failed from paused", net: nrp, first: []string{"initialized"}, tell: []simnet.Beat{send("failed")},
			goals: "failed: succeeded done", states: "halted", calls: "none",
		},
		{
			name: "failed always arrives", net: nrp, first: []string{"initialized", "started"},
			scripts: one("/b", on("deactivate", refuse)),
			tell:    []simnet.Beat{send("failed")}, states: "halted", ends: "inactive active",
			goals: "failed: aborted held", why: "the network is halted; failed failed: /b answered no to deactivate",
		},
		{
			name: "stopped from halted is failed", net: nrp, first: []string{"initialized", "failed"},
			tell:  []simnet.Beat{send("stopped")},
			goals: "stopped: succeeded done", states: "failed", ends: "finalized finalized", exit: 2,
		},
		{
			name: "reset from started", net: nrp, first: []string{"initialized", "started"},
			tell:  []simnet.Beat{send("reset")},
			goals: "reset: succeeded done", states: "paused", ends: "inactive inactive",
			calls: "deactivate b, cleanup b, deactivate a, cleanup a, configure a, configure b",
		},
		{
			name: "reset from paused", net: nrp, first: []string{"initialized"}, tell: []simnet.Beat{send("reset")},
			goals: "reset: succeeded done", ends: "inactive inactive",
			calls: "cleanup b, cleanup a, configure a, configure b",
		},
		{
			name: "a state whose command depends on the origin is repaired", net: nrp,
			first: []string{"initialized", "failed"},
			tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/b", To: lifecycle.Unconfigured}),
				when(simnet.Then().Later(time.Second), simnet.Send{Command: "halted"})},
			goals: "halted: succeeded done", ends: "inactive inactive", calls: "configure b",
		},
		{
			name: "failed interrupts a start", net: nrp, first: []string{"initialized"},
			scripts: one("/a", on("activate", simnet.On{Takes: 2e9})),
			tell: []simnet.Beat{send("started"),
				when(simnet.Begun("activate", "/a"), simnet.Send{Command: "failed"})},
			goals: "started: aborted preempted, failed: succeeded done", states: "halted", ends: "inactive inactive",
		},
	})
}

// after sends a command when the goal of another one has ended.
func after(goal, command string) simnet.Beat {
	return when(simnet.Ended(goal), simnet.Send{Command: command})
}

// What instances of one simulation make of each other's triggers. None of them requires another.
func TestPresetNRPPeers(t *testing.T) {
	nrp := "machine: nrp\n"
	cast(t, []several{
		{
			name: "a trigger is mirrored and not published again (N5)", all: []instance{
				{keys: nrp, plain: true, tell: []simnet.Beat{asks(2, "initialized"), asks(4, "started")},
					published: "paused+ started+", ends: "started, wants started"},
				{keys: nrp, plain: true, published: "none", states: "paused started", ends: "started, wants started"},
			},
		},
		{
			name: "failed spreads to all (N1)", mark: 5 * time.Second, all: []instance{
				{keys: nrp, plain: true, script: on("activate", simnet.On{End: simnet.Err}),
					tell: []simnet.Beat{asks(2, "initialized"), asks(6, "started")}, states: "halted",
					ends: "halted, wants halted"},
				{keys: nrp, plain: true, published: "none", states: "halted", ends: "halted, wants halted"},
			},
		},
		{
			name: "a mirrored hook that fails publishes failed (N7)", mark: 5 * time.Second, all: []instance{
				{keys: nrp, plain: true, tell: []simnet.Beat{asks(2, "initialized"), asks(6, "started")},
					states: "started halted", ends: "halted, wants halted"},
				{keys: nrp, plain: true, script: on("activate", simnet.On{End: simnet.Refuse}),
					states: "started halted", published: "started+", ends: "halted, wants halted"},
			},
		},
	})
}

// TestC6ATriggerWhoseTargetIsReached is ignored, as in the original, also where the target depends on the origin, and
// in a final state. A trigger that cannot lead there is rejected.
func TestC6ATriggerWhoseTargetIsReached(t *testing.T) {
	ends := func(command string) []simnet.Beat {
		return []simnet.Beat{send("stopped"),
			when(simnet.Ended("stopped"), simnet.Send{Command: command, Handle: "again"})}
	}
	play(t, []story{
		{name: "initialized in paused", net: nrp, first: []string{"initialized"},
			tell: []simnet.Beat{send("initialized")}, goals: "initialized: succeeded already", calls: "none"},
		{name: "failed in halted", net: nrp, first: []string{"initialized", "failed"},
			tell: []simnet.Beat{send("failed")}, goals: "failed: succeeded already", calls: "none"},
		{name: "started in halted", net: nrp, first: []string{"initialized", "failed"},
			tell: []simnet.Beat{send("started")}, goals: "started: rejected", calls: "none"},
		{name: "stopped in failed", net: nrp, first: []string{"initialized", "failed"}, tell: ends("stopped"),
			goals: "stopped: succeeded done, again: succeeded already", exit: 2},
		{name: "failed in failed", net: nrp, first: []string{"initialized", "failed"}, tell: ends("failed"),
			goals: "stopped: succeeded done, again: succeeded already", exit: 2},
		{name: "stopped in stopped", net: nrp, first: []string{"initialized"}, tell: ends("stopped"),
			goals: "stopped: succeeded done, again: succeeded already", exit: 1},
		{name: "paused in stopped", net: nrp, first: []string{"initialized"}, tell: ends("paused"),
			goals: "stopped: succeeded done, again: rejected", exit: 1},
	})
}

// TestP1AResetIsSaidAsTheOriginalSaysIt: with the word initialized, from paused or started. A peer that says that word
// from there is followed with a reset, and one that says it from created is not.
func TestP1AResetIsSaidAsTheOriginalSaysIt(t *testing.T) {
	const nrp = "machine: nrp\npeers: {plain: [/plain]}\n"
	says := func(second int, source, event, target string) simnet.Beat {
		return when(simnet.At(time.Duration(second)*time.Second),
			simnet.Plain{Name: "/plain", Source: source, Event: event, Target: target})
	}
	const reset = "cleanup, cleanup, configure, configure"
	for _, c := range []struct {
		name string
		tell []simnet.Beat
		want string // the steps that both instances ask of their two nodes after 5 s
		said string
	}{
		{
			"a command", []simnet.Beat{asks(2, "initialized"), asks(3, "started"), asks(6, "reset")},
			"deactivate, cleanup, deactivate, cleanup, configure, configure", "initialized started initialized",
		},
		{
			"a word from started", []simnet.Beat{asks(2, "initialized"), asks(3, "started"),
				says(6, "started", "initialized", "paused")},
			"deactivate, cleanup, deactivate, cleanup, configure, configure", "initialized started",
		},
		{
			"a word from paused", []simnet.Beat{asks(2, "initialized"), says(6, "paused", "initialized", "paused")},
			reset, "initialized",
		},
		{
			"the same word from created is a repeat",
			[]simnet.Beat{asks(2, "initialized"), says(6, "created", "initialized", "paused")},
			"", "initialized",
		},
		{
			"the word of ours", []simnet.Beat{asks(2, "initialized"), says(6, "paused", "reset", "paused")},
			reset, "initialized",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := instance{keys: nrp, plain: true}
			first := one
			first.tell = c.tell
			trace := several{mark: 5 * time.Second, all: []instance{first, one}}.run(t)
			var said []string
			for _, change := range trace.Worlds[0].Changes {
				if change.Event != "" {
					said = append(said, change.Event)
				}
			}
			if got := strings.Join(said, " "); got != c.said {
				t.Errorf("it said %q, want %q", got, c.said)
			}
			for k, w := range trace.Worlds {
				if got := onlySteps(w.Work()); got != c.want {
					t.Errorf("%s asked for %q, want %q", trace.Names[k], got, c.want)
				}
			}
		})
	}
}

// onlySteps leaves out the nodes of "configure a, activate b".
func onlySteps(work string) string {
	var steps []string
	for _, one := range strings.Split(work, ", ") {
		step, _, _ := strings.Cut(one, " ")
		steps = append(steps, step)
	}
	return strings.Join(steps, ", ")
}

// TestF8FailuresBeforeTheCommandThatFollows: the result of a goal names the node that made it fail first, with what it
// failed in, also if a command followed by itself.
func TestF8FailuresBeforeTheCommandThatFollows(t *testing.T) {
	trace := story{
		net: nrp, scripts: one("/b", on("activate", simnet.On{End: simnet.Err})), first: []string{"initialized"},
		tell: []simnet.Beat{send("started")}, goals: "started: aborted restored", states: "halted",
	}.run(t)
	nodes := trace.Goal("started").Result.Nodes
	if len(nodes) != 2 || nodes[0].Node != "/b" || nodes[0].Step != "activate" ||
		nodes[0].Verdict != engine.VerdictErrored {
		t.Errorf("the result is %+v", nodes)
	}
}

// TestM2ACommandWithoutAPassingState: while it runs the network shows its origin, and does not rest in it; the change
// that peers hear has not settled, and comes once: a peer of four fields runs its hook for each.
func TestM2ACommandWithoutAPassingState(t *testing.T) {
	w := simnet.New(story{net: nrp}.network(t),
		simnet.Options{Seed: 1, Scripts: one("/a", on("deactivate", simnet.On{Takes: time.Second}))})
	w.Pass(3 * time.Second)
	for _, command := range []string{"initialized", "started"} {
		w.Do(simnet.Send{Command: command})
		w.Pass(time.Second)
	}
	before := len(w.Pass(0).Changes)
	if now := w.Now(); !now.Rests() || now.State != "started" {
		t.Fatalf("it is %s, at rest: %v", now.State, now.Rests())
	}
	w.Do(simnet.Send{Command: "paused"})
	w.Pass(500 * time.Millisecond)
	if now := w.Now(); now.Rests() || now.State != "started" || now.Work.Target != "paused" {
		t.Errorf("while it runs it is %s, on its way to %q, at rest: %v", now.State, now.Work.Target, now.Rests())
	}
	w.Pass(time.Second)
	if now := w.Now(); !now.Rests() || now.State != "paused" {
		t.Errorf("then it is %s, at rest: %v", now.State, now.Rests())
	}
	changes := w.Pass(0).Changes[before:]
	if len(changes) != 1 || changes[0].Settled || changes[0].TargetState != "paused" {
		t.Errorf("it has published %v", changes)
	}
}

// TestC1ARejectionSaysWhetherToWait: only a legal command that has to wait for the work that runs is rejected as
// busy, whatever the network shows. One that interrupts never is.
func TestC1ARejectionSaysWhetherToWait(t *testing.T) {
	for _, c := range []struct {
		runs, asked string
		busy        bool
	}{
		{"", "initialized", false}, {"", "nonsense", false}, {"paused", "started", true},
		{"paused", "initialized", true}, {"paused", "paused", true},
		{"paused", "nonsense", false}, {"failed", "failed", false}, {"failed", "started", true},
	} {
		w := simnet.New(story{net: nrp}.network(t),
			simnet.Options{Seed: 1, Scripts: one("/a", on("deactivate", simnet.On{Takes: time.Second}))})
		w.Pass(3 * time.Second)
		for _, command := range []string{"initialized", "started"} {
			w.Do(simnet.Send{Command: command})
			w.Pass(time.Second)
		}
		if c.runs != "" {
			w.Do(simnet.Send{Command: c.runs, Handle: "running"})
		}
		w.Do(simnet.Send{Command: c.asked, Handle: "asked"})
		if g := w.Pass(0).Goal("asked"); !g.Rejected || g.Busy != c.busy {
			t.Errorf("%s while %q runs: rejected %v, busy %v: %s", c.asked, c.runs, g.Rejected, g.Busy, g.Why)
		}
	}
}
