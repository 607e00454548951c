package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// one check at a node that is armed.
func oneCheck(check string) string {
	return "simulation: x\nnodes:\n  /a: {arm: {}, checks: [" + check + "]}\n"
}

// TestA11EnterAndStay: a check counts before the network is armed, while it is, or in both; with warn in neither.
func TestA11EnterAndStay(t *testing.T) {
	const in, out = "arming armed", "arming errorprocessing active"
	fails := when(simnet.Then(), simnet.Fail{Node: "/a"})
	silent := when(simnet.Then(), simnet.Publish{Node: "/a"})
	bad := when(simnet.Then(), simnet.Measure{Node: "/a", Value: network.Number(7)})
	nothing := when(simnet.Then().Later(20*time.Second), simnet.Nothing{})
	for _, r := range []struct {
		check    string
		breaks   simnet.Beat
		entered  string // the states after an Arm with what it looks at broken
		disarmed string // the states after it has broken while armed
	}{
		{"{service: /s}", fails, out, "disarming active"},
		{"{service: /s, when: enter}", fails, out, "none"},
		{"{service: /s, when: stay}", fails, "arming armed disarming active", "disarming active"},
		{"{service: /s, warn: true}", fails, in, "none"},
		{"{topic: /t, rate: 10Hz, when: enter}", silent, out, "none"},
		{"{topic: /t, rate: 10Hz, when: stay}", silent, "arming armed disarming active", "disarming active"},
		{"{topic: /t, rate: 10Hz, warn: true}", silent, in, "none"},
		{"{topic: /t, age: 500ms}", silent, out, "disarming active"},
		{"{topic: /t, age: 500ms, when: enter}", silent, out, "none"},
		{"{topic: /t, field: x, below: 5}", bad, out, "disarming active"},
		{"{topic: /t, field: x, below: 5, when: stay}", bad, "arming armed disarming active", "disarming active"},
		{"{parameter: p, below: 5}", bad, out, "disarming active"},
		{"{parameter: p, below: 5, when: enter}", bad, out, "none"},
		{"{file: /run/x}", fails, out, "disarming active"},
		{"{file: /run/x, warn: true}", fails, in, "none"},
	} {
		play(t, []story{
			{name: r.check + " at Arm", net: oneCheck(r.check), first: ways[2].way,
				tell:   []simnet.Beat{r.breaks, when(simnet.Then().Later(6*time.Second), simnet.Send{Command: "arm"}), nothing},
				states: r.entered},
			{name: r.check + " while armed", net: oneCheck(r.check), first: armedAll, tell: []simnet.Beat{r.breaks, nothing},
				states: r.disarmed},
		})
	}
}

// TestA11StayHasTimeToBegin: what a check looks at that counts only while armed may begin after the Arm.
func TestA11StayHasTimeToBegin(t *testing.T) {
	net := oneCheck("{topic: /t, rate: 10Hz, when: stay}")
	begins := func(after time.Duration) []simnet.Beat {
		return []simnet.Beat{
			when(simnet.Then(), simnet.Publish{Node: "/a"}),
			when(simnet.Then().Later(3*time.Second), simnet.Send{Command: "arm"}),
			when(simnet.Ended("arm").Later(after), simnet.Publish{Node: "/a", Share: 1}),
			when(simnet.Then().Later(10*time.Second), simnet.Nothing{}),
		}
	}
	play(t, []story{
		{name: "in time", net: net, first: ways[2].way, tell: begins(1500 * ms), states: "arming armed"},
		{name: "too late", net: net, first: ways[2].way, tell: begins(5 * time.Second),
			states: "arming armed disarming active"},
		{name: "it has come and stops", net: net, first: armedAll, states: "disarming active",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/a"})}},
	})
}

// TestA11WarnIsShown: a check that only warns is shown with its reason, and readiness does not name it.
func TestA11WarnIsShown(t *testing.T) {
	w := activeWorld(t, oneCheck("{file: /run/x, warn: true}"))
	if got := w.Now(); len(got.Warnings) > 0 || got.Readiness.Word != engine.Ready {
		t.Errorf("%v, warnings %q", got.Readiness, got.Warnings)
	}
	w.Do(simnet.Fail{Node: "/a"})
	w.Pass(6 * time.Second)
	got := w.Now()
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "/a does not pass its check of /run/x") ||
		got.Readiness.Word != engine.Ready {
		t.Errorf("%v, warnings %q", got.Readiness, got.Warnings)
	}
}

// activeWorld brings a network to active, and lets it be known.
func activeWorld(t *testing.T, net string) *simnet.World {
	t.Helper()
	w := simnet.New(story{net: net}.network(t), simnet.Options{Seed: 1})
	w.Pass(5 * time.Second)
	for _, command := range []string{"configure", "activate"} {
		w.Do(simnet.Send{Command: command})
		w.Pass(5 * time.Second)
	}
	if got := w.Now().Settled; got != "active" {
		t.Fatalf("the network is %s", got)
	}
	return w
}

// TestA10ReadinessIsKnownWithoutAsking: while nothing is armed, the values of all checks are known, and a change
// is noticed: of a topic within its window, of all else within 5 s.
func TestA10ReadinessIsKnownWithoutAsking(t *testing.T) {
	w := activeWorld(t, "simulation: x\nnodes:\n  /a: {arm: {}, checks: [{topic: /t, rate: 10Hz}, {topic: /u, age: 1s}, {topic: /v, field: x, above: 0.5},"+
		" {service: /s}, {parameter: p, is: true}, {file: /run/x}]}\n")
	var values []string
	for _, c := range w.Now().Checks {
		if !c.Known || c.Fault != "" {
			t.Errorf("%+v", c)
		}
		values = append(values, c.Subject+" "+c.Value)
	}
	if got := strings.Join(values, ", "); !strings.Contains(got, "/t 10 Hz of 10 Hz") || !strings.Contains(got, "/v x 1.5, above 0.5") ||
		!strings.Contains(got, "p true, true") || !strings.Contains(got, "/run/x exists") {
		t.Errorf("the values are %s", got)
	}
	for _, r := range []struct {
		name   string
		breaks simnet.Act
		within time.Duration
		names  string
	}{
		{"a topic", simnet.Publish{Node: "/a"}, 2 * time.Second, "/t comes at"},
		{"a service", simnet.Fail{Node: "/a"}, 5*time.Second + 500*ms, "/s answered no"},
	} {
		w.Do(r.breaks)
		w.Pass(r.within)
		if got := w.Now().Readiness; got.Word != engine.NotReady || !strings.Contains(got.String(), r.names) {
			t.Errorf("%s: %v", r.name, got)
		}
	}
	if trace := w.Pass(0); slices.ContainsFunc(trace.Calls, func(c *simnet.Call) bool { return c.Do == "arm" }) {
		t.Error("something was asked to arm")
	}
}

// TestA10Words: readiness has a word and reasons in each state.
func TestA10Words(t *testing.T) {
	net := oneCheck("{topic: /t, rate: 1Hz}")
	w := simnet.New(story{net: net}.network(t), simnet.Options{Seed: 1})
	want := func(word engine.ReadyWord, names string) {
		t.Helper()
		if got := w.Now().Readiness; got.Word != word || !strings.Contains(got.String(), names) {
			t.Errorf("readiness is %q, want %s with %q", got.String(), word, names)
		}
	}
	w.Pass(0)
	want(engine.NotReady, "whether another rstate has the name")
	w.Pass(5 * time.Second)
	want(engine.NotReady, "arm is not legal in unconfigured (first: configure, activate)")
	w.Do(simnet.Send{Command: "configure"})
	w.Pass(5 * time.Second)
	w.Do(simnet.Send{Command: "activate"})
	w.Pass(0)
	want(engine.NotReady, "activate is under way")
	w.Pass(2 * time.Second)
	want(engine.Measuring, "was counted for")
	w.Pass(5 * time.Second)
	want(engine.Ready, "")
	w.Do(simnet.Send{Command: "arm"})
	w.Pass(5 * time.Second)
	want(engine.ArmedAlready, "")
	w.Do(simnet.Send{Command: "disarm"})
	w.Pass(5 * time.Second)
	want(engine.Ready, "")
	w = activeWorld(t, "simulation: x\nnodes:\n  /a: {}\n")
	want(engine.NothingToArm, "")
}

// TestA10ChangesAreShown: ~/state is published when readiness changes, although nothing else does.
func TestA10ChangesAreShown(t *testing.T) {
	w := activeWorld(t, oneCheck("{topic: /t, age: 500ms}"))
	w.Pass(10 * time.Second)
	before := w.Shows()
	w.Do(simnet.Publish{Node: "/a"})
	w.Pass(800 * ms)
	if got := w.Now().Readiness.Word; got != engine.NotReady || w.Shows() == before {
		t.Errorf("it is %s, and was shown %d times before and %d times since", got, before, w.Shows()-before)
	}
	before = w.Shows()
	w.Pass(10 * time.Second)
	if got := w.Shows() - before; got > 11 { // values alone: once a second
		t.Errorf("it was shown %d times in 10 s", got)
	}
}

// TestC4ADisarmAfterOneForSafety is done already: what the network was armed for is over.
func TestC4ADisarmAfterOneForSafety(t *testing.T) {
	for _, r := range []struct {
		name   string
		breaks simnet.Act
		states string
	}{
		{"a check fails", simnet.Fail{Node: "/a"}, "disarming active"},
		{"a stall", simnet.Stall{For: 2 * time.Second}, "unknown active"},
	} {
		play(t, []story{{name: r.name, net: oneCheck("{file: /run/x}"), first: []string{"armed"}, tell: []simnet.Beat{
			when(simnet.Then(), r.breaks),
			when(simnet.Then().Later(6*time.Second), simnet.Send{Command: "disarm"}),
			when(simnet.Then().Later(time.Second), simnet.Nothing{}),
		}, states: r.states, goals: "disarm: succeeded already"}})
	}
}

// TestA10WhatEndsByItselfIsShown: goals are old for a second after a stall, and a required peer falls silent and speaks
// again. Nothing else changes.
func TestA10WhatEndsByItselfIsShown(t *testing.T) {
	shows := func(w *simnet.World, what string, do func(), word engine.ReadyWord) {
		t.Helper()
		before := w.Shows()
		if do(); w.Now().Readiness.Word != word || w.Shows() == before {
			t.Errorf("%s: it is %v, and was shown %d times more; want %s", what, w.Now().Readiness, w.Shows()-before, word)
		}
	}
	w := activeWorld(t, "simulation: x\nnodes:\n  /a: {arm: {}}\n")
	w.Do(simnet.Stall{For: 2 * time.Second})
	w.Pass(2950 * ms)
	if got := w.Now().Readiness; got.Word != engine.NotReady || !strings.Contains(got.String(), "send it again") {
		t.Errorf("within a second after a stall it is %v", got)
	}
	shows(w, "a second after it", func() { w.Pass(60 * ms) }, engine.Ready)

	w = activeWorld(t, "simulation: x\npeers: {required: [/b]}\nnodes:\n  /a: {arm: {}}\n")
	says := told("active", knows("b 1", 1))
	w.Do(says)
	w.Pass(100 * ms)
	w.Do(says) // what they have in common is settled
	shows(w, "the peer falls silent", func() { w.Pass(1500 * ms) }, engine.NotReady)
	shows(w, "it speaks again", func() { w.Do(says); w.Pass(100 * ms) }, engine.Ready)
}

// TestA11AnArmingDoesNotAwaitWhatIsKnown: a value that is out of its bound fails an arming in the time that nodes have
// to answer, however old its message may be.
func TestA11AnArmingDoesNotAwaitWhatIsKnown(t *testing.T) {
	w := activeWorld(t, oneCheck("{topic: /t, field: x, above: 0, age: 30s}"))
	w.Do(simnet.Measure{Node: "/a", Value: network.Number(-1)})
	w.Pass(5 * time.Second)
	w.Do(simnet.Send{Command: "arm", Handle: "arm"})
	arm := w.Pass(3 * time.Second).Goal("arm")
	if arm.Verdict() != "aborted restored" || !strings.Contains(arm.Result.Message, "x is now -1, not above 0") {
		t.Errorf("%s: %s", arm.Verdict(), arm.Result.Message)
	}
}

// TestA11ArmingCountsAnew: topics are counted seldom while nothing is armed, so an Arm waits for a count of its own.
func TestA11ArmingCountsAnew(t *testing.T) {
	for ago := 200 * ms; ago <= 300*ms; ago += 20 * ms {
		w := activeWorld(t, oneCheck("{topic: /t, age: 150ms}"))
		w.Do(simnet.Publish{Node: "/a"})
		w.Pass(ago)
		w.Do(simnet.Send{Command: "arm", Handle: "arm"})
		trace := w.Pass(5 * time.Second)
		if slices.ContainsFunc(trace.Calls, func(c *simnet.Call) bool { return c.Do == "arm" }) {
			t.Errorf("armed on a message that has not come for %v", ago)
		}
		if got := trace.Goal("arm").Verdict(); got != "aborted restored" {
			t.Errorf("after %v: %s", ago, got)
		}
	}
}

// TestA11ArmedCountsOften: while armed, a message that has become too old disarms as soon as it is counted, within 0.1 s.
func TestA11ArmedCountsOften(t *testing.T) {
	for ago := time.Duration(0); ago < 300*ms; ago += 30 * ms {
		w := activeWorld(t, oneCheck("{topic: /t, age: 50ms}"))
		w.Do(simnet.Send{Command: "arm"})
		w.Pass(5*time.Second + ago)
		w.Do(simnet.Publish{Node: "/a"})
		w.Pass(50*ms + 110*ms)
		if got := w.Now(); got.State == "armed" {
			t.Errorf("%v after 5 s: it is armed still", ago)
		}
	}
}

// TestA10AFailedArmingNamesWhatItLeavesOut: an arming that a required node forbids also says why it would have left out
// the optional node that is all that it arms.
func TestA10AFailedArmingNamesWhatItLeavesOut(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {}, optional: true, checks: [{topic: /t, rate: 10Hz}]}\n" +
		"  /b: {checks: [{service: /s}]}\n"
	w := activeWorld(t, net)
	w.Do(simnet.Publish{Node: "/a"})
	w.Do(simnet.Fail{Node: "/b"})
	w.Pass(10 * time.Second)
	if got := w.Now().Readiness; len(got.Against) != 2 {
		t.Errorf("readiness is %v", got)
	}
	w.Do(simnet.Send{Command: "arm", Handle: "arm"})
	said := w.Pass(10 * time.Second).Goal("arm").Result.Message
	for _, want := range []string{"/b is not fit to arm: /s answered no", "/a was not armed", "/t comes at 0 Hz"} {
		if !strings.Contains(said, want) {
			t.Errorf("Arm does not say %q: %s", want, said)
		}
	}
}

// TestA10NoAnswerStaysAReason: a service that does not answer is a reason as long as it does not, however often it is asked.
func TestA10NoAnswerStaysAReason(t *testing.T) {
	w := activeWorld(t, "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {checks: [{service: /s}]}\n")
	w.Do(simnet.Freeze{Node: "/b"})
	w.Pass(8 * time.Second)
	for range 60 {
		if got := w.Now().Readiness; got.Word != engine.NotReady || !strings.Contains(got.String(), "/s did not answer in 2s") {
			t.Fatalf("readiness is %v", got)
		}
		w.Pass(250 * ms)
	}
}
