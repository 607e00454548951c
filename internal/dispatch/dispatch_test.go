package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

const ms = time.Millisecond

// after is an instance whose snapshot after the step is recognized by its cause.
type after struct{}

func (after) Snapshot() engine.Snapshot { return engine.Snapshot{Cause: "after"} }

// words prints effects in their order. A snapshot prints where it is from.
func words(effects []engine.Effect) string {
	parts := make([]string, 0, len(effects))
	for _, e := range effects {
		word := e.String()
		if s, ok := e.(engine.Show); ok && s.Snapshot != nil {
			word = "show " + s.State + s.Snapshot.Cause
		}
		parts = append(parts, strings.TrimSpace(word))
	}
	return strings.Join(parts, ", ")
}

var (
	disarm1 = engine.ArmNode{Node: 1}
	arm1    = engine.ArmNode{Node: 1, Permit: permit()}
	arm2    = engine.ArmNode{Node: 2, Permit: permit()}
	read    = engine.ReadState{Node: 4}
	call    = engine.CallNode{Node: 3, Transition: lifecycle.Configure}
	check   = engine.CallCheck{Node: 5}
	lease   = engine.SendLease{}
	line    = engine.Record{Entry: engine.Entry{Sentence: "it"}}
	safe    = engine.SyncJournal{Ticket: 7}
	change  = engine.Show{}
	accept  = engine.AcceptGoal{Handle: "a"}
	finish  = engine.RejectGoal{Handle: "b", Why: "no"}
	peers   = engine.TellPeers{}
	wake    = engine.WakeAt{Steady: time.Second}
	exit    = engine.Exit{Why: "it"}
)

func state(name string) engine.Show {
	return engine.Show{State: name, Snapshot: &engine.Snapshot{State: name}}
}

func effects(list ...engine.Effect) []engine.Effect { return list }

// TestA8TheOrderOfAStep: what is carried first, and what waits for what.
func TestA8TheOrderOfAStep(t *testing.T) {
	for _, c := range []struct {
		name string
		step []engine.Effect
		want string
	}{
		{"nothing", nil, ""},
		{
			"nodes do not wait for what is written, published or told",
			effects(accept, line, state("disarming"), disarm1, read, call),
			"disarm node 1, ask node 4 for its state, configure node 3, record it, show disarming, accept a",
		},
		{
			"the journal precedes what others act on", effects(peers, state("active"), line, safe, finish),
			"record it, make the journal safe (7), show active, tell peers:  on the way to , seen [], reject b: no (legal: )",
		},
		{
			"a client hears of its goal after the state is shown", effects(finish, accept, state("active")),
			"show active, reject b: no (legal: ), accept a",
		},
		{
			"a node is asked to arm after the lease, and after the snapshot that names it",
			effects(arm1, line, change, lease, accept),
			"record it, show what changed, " + lease.String() + ", show after, arm node 1, accept a",
		},
		{
			"one snapshot names all", effects(arm1, state("arming"), arm2),
			"show arming, show after, arm node 1, arm node 2",
		},
		{"an arm alone", effects(arm1), "show after, arm node 1"},
		{
			"a disarm waits for no arm of another node", effects(arm2, disarm1),
			"disarm node 1, show after, arm node 2",
		},
		{
			"the loop ends when all is carried", effects(exit, finish, line, disarm1, wake),
			"disarm node 1, wake at 1s, record it, reject b: no (legal: ), exit 0: it",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(Order(c.step, after{})); got != c.want {
				t.Errorf("got\n %s\nwant\n %s", got, c.want)
			}
		})
	}
}

// TestA3AnArmThatIsTakenBackNeverLeaves: a step that asks a node to arm may end in a failure that disarms
// the node. The disarm leaves first, so the arm must not leave at all.
func TestA3AnArmThatIsTakenBackNeverLeaves(t *testing.T) {
	for _, c := range []struct {
		name string
		step []engine.Effect
		want string
	}{
		{
			"the other one leaves", effects(arm1, arm2, line, disarm1),
			"disarm node 1, record it, show after, arm node 2",
		},
		{
			"an arm after a disarm stays, and leaves after it", effects(disarm1, arm1),
			"disarm node 1, show after, arm node 1",
		},
		{"nothing is shown for an arm that is taken back", effects(arm1, disarm1), "disarm node 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(Order(c.step, after{})); got != c.want {
				t.Errorf("got\n %s\nwant\n %s", got, c.want)
			}
		})
	}
}

// TestA1NoArmIsSentBeforeItIsShown: whatever a step consists of, the newest snapshot that was
// published before each arm request is that of after the step.
func TestA1NoArmIsSentBeforeItIsShown(t *testing.T) {
	all := effects(accept, line, state("arming"), arm1, lease, change, arm2, disarm1, peers)
	for first := range all {
		step := slices.Concat(all[first:], all[:first])
		shown := ""
		for _, e := range Order(step, after{}) {
			switch e := e.(type) {
			case engine.Show:
				if e.Snapshot != nil {
					shown = e.Snapshot.Cause
				}
			case engine.ArmNode:
				if e.Arms() && shown != "after" {
					t.Errorf("%v is sent before a snapshot names it: %s", e, words(step))
				}
			}
		}
	}
}

// gap is a gap that falls before the effect that prints as before.
type gap struct {
	before string
	Gap
}

// TestA8WhatPerishesInAGap: what raises a node or keeps it armed is not carried after a gap, and the
// engine learns of it in one input.
func TestA8WhatPerishesInAGap(t *testing.T) {
	slept, late := Gap{2 * time.Second, 2 * time.Second}, Gap{2 * time.Second, 0}
	for _, c := range []struct {
		name    string
		step    []engine.Effect
		gaps    []gap
		carried string
		report  engine.Input
	}{
		{"no gap", effects(call, lease, arm1), nil, "configure node 3, " + lease.String() + ", show after, arm node 1",
			nil},
		{
			"all that raises after it",
			effects(read, call, disarm1, check, line, lease, arm2, accept), []gap{{"ask node 4 for its state", late}},
			"ask node 4 for its state, disarm node 1, record it, show after, accept a",
			engine.Late{For: 2 * time.Second, Unsent: effects(call, check, lease, arm2)},
		},
		{
			"what was carried before it stays", effects(call, arm1, arm2), []gap{{"arm node 2", late}},
			"configure node 3, show after, arm node 1", engine.Late{For: 2 * time.Second, Unsent: effects(arm2)},
		},
		{
			"between the lease and the arm", effects(lease, arm1), []gap{{"arm node 1", late}},
			lease.String() + ", show after", engine.Late{For: 2 * time.Second, Unsent: effects(arm1)},
		},
		{
			"two gaps are one report", effects(call, arm1),
			[]gap{{"configure node 3", late}, {"arm node 1", Gap{time.Second, time.Second}}},
			"show after", engine.Stalled{For: 3 * time.Second, Still: time.Second},
		},
		{
			"a pause of the process counts, though the loop was only busy later", effects(call, arm1),
			[]gap{{"configure node 3", slept}, {"arm node 1", late}},
			"show after", engine.Stalled{For: 4 * time.Second, Still: 2 * time.Second},
		},
		{
			"before the lease, in a step that publishes", effects(lease, state("armed")), []gap{{lease.String(), late}},
			"show armed", engine.Late{For: 2 * time.Second, Unsent: effects(lease)},
		},
		{
			"a gap that ends nothing is reported too", effects(disarm1), []gap{{"disarm node 1", slept}},
			"disarm node 1", engine.Stalled{For: 2 * time.Second, Still: 2 * time.Second},
		},
		{
			"nothing is reported after the end", effects(exit, disarm1), []gap{{"disarm node 1", slept}},
			"disarm node 1, exit 0: it", nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := Begin(c.step, after{})
			var carried []engine.Effect
			for turn.More() {
				if turn.Looks() {
					for _, g := range c.gaps {
						if turn.Peek().String() == g.before {
							turn.Stood(g.Gap)
						}
					}
				}
				if e, perished := turn.Next(); !perished {
					carried = append(carried, e)
				}
			}
			if got := words(carried); got != c.carried {
				t.Errorf("carried\n %s\nwant\n %s", got, c.carried)
			}
			in, stood := turn.Report()
			if stood != (c.report != nil) || fmt.Sprintf("%#v", in) != fmt.Sprintf("%#v", c.report) {
				t.Errorf("reported\n %#v\nwant\n %#v", in, c.report)
			}
		})
	}
}

// TestACloneIsAnother: two ways on from one point of a turn do not see each other.
func TestACloneIsAnother(t *testing.T) {
	a := Begin(effects(call, check, lease), after{})
	a.Stood(Gap{Loop: time.Second})
	a.Next()
	b := a.Clone()
	a.Next()
	for b.More() {
		b.Next()
	}
	in, _ := a.Report()
	if late, ok := in.(engine.Late); !ok || words(late.Unsent) != words(effects(call, check)) {
		t.Errorf("the first reports %#v", in)
	}
	in, _ = b.Report()
	if late, ok := in.(engine.Late); !ok || words(late.Unsent) != words(effects(call, check, lease)) {
		t.Errorf("the clone reports %#v", in)
	}
}

// TestA8WhatAGapOfTheLoopMeans: the loop's own look at the clock, and the heart beside it.
func TestA8WhatAGapOfTheLoopMeans(t *testing.T) {
	const busy, stood = "the loop was busy for 2.0 s", "the process did not run for 2.0 s"
	for _, c := range []struct {
		name string
		look time.Duration   // of the loop, after one at 1 s
		beat []time.Duration // of the heart
		want string
	}{
		{"as long as it may be", 1500 * ms, nil, ""},
		{"longer, and the heart beat all the time", 3 * time.Second, every(Beat, 0, 3*time.Second), busy},
		{"the heart paused too", 3 * time.Second, every(Beat, 0, time.Second), stood},
		{
			"it paused for a part", 3 * time.Second,
			append(every(Beat, 0, time.Second), every(Beat, 1300*ms, 3*time.Second)...),
			"the loop did not run for 2.0 s, and the process not for 0.3 s of that",
		},
		{
			"it paused for less than a doubt", 3 * time.Second,
			append(every(Beat, 0, time.Second), every(Beat, 1249*ms, 3*time.Second)...), busy,
		},
		{
			"it paused before", 3 * time.Second,
			append(every(Beat, 0, 200*ms), every(Beat, 900*ms, 3*time.Second)...), busy,
		},
		{"it never beat", 3 * time.Second, nil, stood},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w Watch
			var h Heart
			w.Begin(time.Second)
			for _, at := range c.beat {
				h.Beat(at)
			}
			got := ""
			if g := w.Look(c.look, &h); g.Any() {
				got = g.Input(nil).String()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if g := w.Look(c.look+engine.Stall, &h); g.Any() {
				t.Errorf("the next look finds %v, which the last one has seen", g)
			}
		})
	}
}

func every(period, from, to time.Duration) (list []time.Duration) {
	for at := from; at <= to; at += period {
		list = append(list, at)
	}
	return list
}

// TestA8TheHeartRemembersWhenTheProcessDidNotRun: long enough for the loop to ask, and also right
// after the process continues.
func TestA8TheHeartRemembersWhenTheProcessDidNotRun(t *testing.T) {
	var h Heart
	if got := h.Paused(0, time.Second); got != time.Second {
		t.Errorf("a heart that never beat vouches for the process: %v", got)
	}
	for _, at := range every(Beat, time.Second, 10*time.Second) {
		h.Beat(at)
	}
	if got := h.Paused(0, 10*time.Second); got != 0 {
		t.Errorf("it beat all the time, and paused for %v", got)
	}
	if got := h.Paused(10*time.Second, 11*time.Second); got != time.Second { // the loop continues first
		t.Errorf("it paused for %v, want 1s", got)
	}
	for _, at := range every(Beat, 11*time.Second, 12*time.Second) {
		h.Beat(at)
	}
	if got := h.Paused(10500*ms, 12*time.Second); got != time.Second {
		t.Errorf("a second later the pause is %v", got)
	}
	if got := h.Paused(11*time.Second, 12*time.Second); got != 0 {
		t.Errorf("after the pause it paused for %v", got)
	}
}

// TestADisplayGathers: what shows no new state is published at most every 50 ms, and a snapshot with
// a lease again each second.
func TestADisplayGathers(t *testing.T) {
	var d Display
	if _, due := d.Due(0); due {
		t.Error("nothing changed, and a snapshot is due")
	}
	d.Changed()
	if at, due := d.Due(30 * ms); !due || at != 30*ms {
		t.Errorf("the first is due at %v, %v; want at once", at, due)
	}
	d.Published(30*ms, &engine.Snapshot{})
	if _, due := d.Due(60 * ms); due || d.Old(time.Hour) {
		t.Error("it was published, has no ages, and is due again")
	}
	d.Changed()
	if at, due := d.Due(60 * ms); !due || at != 80*ms {
		t.Errorf("the next is due at %v, %v; want 80ms", at, due)
	}
	if at, _ := d.Due(90 * ms); at != 90*ms {
		t.Errorf("it is due at %v, which is over", at)
	}
	d.Published(90*ms, &engine.Snapshot{Lease: engine.LeaseView{Term: 7}})
	if d.Dirty() || d.Old(1089*ms) || !d.Old(1090*ms) {
		t.Error("a snapshot with ages is not published again after a second")
	}
	d.Published(90*ms, &engine.Snapshot{Stops: engine.StopsView{Inputs: make([]engine.StopView, 1)}})
	if d.Old(1089*ms) || !d.Old(1090*ms) {
		t.Error("a snapshot with the ages of stop inputs is not published again after a second")
	}
}
