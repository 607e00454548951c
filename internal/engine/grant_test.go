package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// drive is a node that arms for 5 s beside everything else, and disarms at once. Its arm does not mind a disarm that
// was handled meanwhile.
func drive(answers ...simnet.Reply) map[string]simnet.Script {
	return one("/drive", simnet.Script{Parallel: true, Arm: answers})
}

const driveNet = "simulation: x\nlast_resort: hold\nnodes:\n  /drive: {arm: {dead_man: none}}\n  /eye: {}\n"

// TestA1WhatWaitedIsOvertaken: an order to disarm, and whatever else lowers the network, voids every permission to arm
// that was given before, wherever it waits.
func TestA1WhatWaitedIsOvertaken(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /arm: {arm: {}}\n  /extra: {optional: true}\n  /must: {}\n"
	end := []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/extra"}),
		when(simnet.Then(), simnet.TellEnd{Node: "/extra"})}
	soon := func(after time.Duration, command string) simnet.Beat {
		return when(simnet.Then().Later(after), simnet.Send{Command: command})
	}
	play(t, []story{
		{ // V1
			name: "an arm that waits for the test of a process, and a disarm", net: net, first: ways[2].way,
			tell:   append(end, soon(20*ms, "arm"), soon(10*ms, "disarm")),
			states: "none", goals: "arm: rejected, disarm: succeeded already", calls: "none",
			ends: "active active active",
		},
		{
			name: "in a machine where a disarm of what is disarmed succeeds", net: net,
			keys: "machine: {extends: rstate, repeat: ignore}\n", first: ways[2].way,
			tell:   append(end, soon(20*ms, "arm"), soon(10*ms, "disarm")),
			states: "none", goals: "arm: rejected, disarm: succeeded already", calls: "none",
		},
		{
			name: "a goal that raises and arms nothing obeys eras too", net: net, first: ways[1].way,
			tell:   append(end, soon(20*ms, "activate"), soon(10*ms, "cleanup")),
			states: "cleaningup unconfigured", goals: "activate: rejected, cleanup: succeeded done",
		},
		{
			name: "one that waits alone is carried out", net: net, first: ways[2].way,
			tell:   append(end, soon(20*ms, "arm")),
			states: "arming armed", goals: "arm: succeeded done",
		},
	})
}

// TestA3ALateYesIsDisarmed: a node that was asked to arm is disarmed only when that is proven, however late its answers
// come and whatever is asked of it meanwhile.
func TestA3ALateYesIsDisarmed(t *testing.T) {
	slow := simnet.Reply{Takes: 5 * time.Second}
	again := func(after time.Duration, command, handle string) simnet.Beat {
		return when(simnet.Ended("arm").Later(after), simnet.Send{Command: command, Handle: handle})
	}
	play(t, []story{
		{ // V2: the second arm is refused while the first may still take effect
			name: "the operator arms again", net: driveNet, first: ways[2].way,
			scripts: drive(slow, simnet.Reply{No: true, Says: "already armed"}),
			tell: []simnet.Beat{
				send("arm"), when(simnet.Called("disarm", "/drive").Later(500*ms),
					simnet.Send{Command: "arm", Handle: "early"}), again(50*ms, "arm", "again"),
			},
			states: "arming errorprocessing active arming errorprocessing active", ends: "active active",
			goals: "arm: aborted restored, early: rejected, again: aborted restored",
			calls: "arm drive, disarm drive, disarm drive, arm drive",
		},
		{
			name: "the operator disarms meanwhile", net: driveNet, first: ways[2].way, scripts: drive(slow),
			tell: []simnet.Beat{send("arm"),
				when(simnet.Called("arm", "/drive").Later(500*ms), simnet.Send{Command: "disarm"})},
			goals: "arm: aborted preempted, disarm: succeeded done", ends: "active active",
			calls: "arm drive, disarm drive, disarm drive",
		},
		{ // V12
			name: "the late yes is lost", net: driveNet, first: ways[2].way,
			scripts: drive(simnet.Reply{Takes: 5 * time.Second, Mute: true}),
			tell:    []simnet.Beat{send("arm")}, goals: "arm: aborted restored", ends: "active active",
			calls: "arm drive, disarm drive, disarm drive",
		},
		{
			name: "after that it can be armed", net: driveNet, first: ways[2].way, scripts: drive(slow, simnet.Reply{}),
			tell:  []simnet.Beat{send("arm"), again(10*time.Second, "arm", "again")},
			goals: "arm: aborted restored, again: succeeded done", ends: "active* active",
		},
	})
}

// TestA3NothingIsLoweredWhileItSettles: a goal that leads lower goes on, and its result waits until the node has
// settled.
func TestA3NothingIsLoweredWhileItSettles(t *testing.T) {
	lost := simnet.Reply{Mute: true}
	trace := story{
		net: driveNet, first: ways[2].way, scripts: drive(lost),
		tell: []simnet.Beat{send("arm"),
			when(simnet.Called("disarm", "/drive").Later(100*ms), simnet.Send{Command: "inactive"})},
		calls: "arm drive, disarm drive, disarm drive", goals: "arm: aborted restored, inactive: rejected",
		ends: "active active",
	}.run(t)
	if g := trace.Goal("arm"); g.Ended-trace.Calls[len(trace.Calls)-2].At < 5*time.Second {
		t.Errorf("arm ended %v after the disarm, before the node had settled\n%v", g.Ended, trace)
	}
}

// TestA1NoResultSaysThatNothingIsArmedWhileANodeMayBe is V7: a disarm that ends a way to armed, while a node may be
// armed from before, waits for that node. The way goes on without a node that is optional.
func TestA1NoResultSaysThatNothingIsArmedWhileANodeMayBe(t *testing.T) {
	const net = "simulation: x\nlast_resort: hold\nnodes:\n  /drive: {optional: %v, arm: {}}\n  /slow: {after: [/drive]}\n"
	const none = "nothing was armed yet"
	for _, optional := range []bool{false, true} {
		trace := story{
			net: fmt.Sprintf(net, optional), first: ways[1].way,
			scripts: map[string]simnet.Script{
				"/drive": {Disarm: []simnet.Reply{{Takes: 700 * ms}}, Parallel: true},
				"/slow":  on("activate", simnet.On{Takes: 3 * time.Second}),
			},
			tell: disarmBeside("armed"),
		}.run(t)
		g := trace.Goal("disarm")
		if g.Result.Success && g.Ended < disarmed(trace)+700*ms {
			t.Errorf("optional: %v: %s before the node had confirmed\n%v", optional, g.Result.Message, trace)
		}
		if strings.Contains(g.Result.Message, none) {
			t.Errorf("optional: %v: while /drive may be armed: %s\n%v", optional, g.Result.Message, trace)
		}
	}
	story{
		net: fmt.Sprintf(net, false), first: ways[1].way, scripts: one("/slow", on("activate", simnet.On{Takes: time.Second})),
		tell:  []simnet.Beat{send("armed"), when(simnet.Begun("activate", "/slow"), simnet.Send{Command: "disarm"})},
		goals: "armed: aborted preempted, disarm: succeeded done", why: none,
	}.run(t)
}

// TestA2AnOptionalNodeThatArmsLateIsWatched is V6: from its yes on it counts like any other.
func TestA2AnOptionalNodeThatArmsLateIsWatched(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /arm: {arm: {}}\n  /drive: {optional: true, arm: {}}\n"
	late := when(simnet.Ended("arm").Later(5*time.Second), simnet.Freeze{Node: "/drive"})
	play(t, []story{
		{
			name: "it freezes", net: net, first: ways[2].way, scripts: drive(simnet.Reply{Takes: 5 * time.Second}),
			tell:   []simnet.Beat{send("arm"), late},
			states: "arming armed disarming active", goals: "arm: succeeded done",
		},
		{
			name: "it is killed", net: net, first: ways[2].way, scripts: drive(simnet.Reply{Takes: 5 * time.Second}),
			tell: []simnet.Beat{send("arm"),
				when(simnet.Ended("arm").Later(5*time.Second), simnet.Kill{Node: "/drive"})},
			states: "arming armed disarming active", goals: "arm: succeeded done",
		},
		{
			name: "it leaves its state", net: net, first: ways[2].way, scripts: drive(simnet.Reply{Takes: 5 * time.Second}),
			tell: []simnet.Beat{send("arm"),
				when(simnet.Ended("arm").Later(5*time.Second), simnet.Move{Node: "/drive", To: in})},
			states: "arming armed disarming active", goals: "arm: succeeded done",
		},
		{
			name: "it has not armed, and endangers nothing", net: net, first: ways[2].way,
			scripts: drive(simnet.Reply{No: true}), tell: []simnet.Beat{send("arm"), late},
			states: "arming armed", goals: "arm: succeeded done",
		},
	})
}

// TestA2ACheckedServiceThatHangsWhileArmed: it fails its check when its time is over.
func TestA2ACheckedServiceThatHangsWhileArmed(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {checks: [{service: /a/test}]}\n  /b: {arm: {}}\n"
	story{
		net: net, first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/a"})},
		states: "disarming active",
	}.run(t)
}

// TestJ1ADeviationIsOneLine is V10: a measured value that changes with each look is no news.
func TestJ1ADeviationIsOneLine(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {}, optional: true}\n  /b: {arm: {}}\n  /c: {checks: [{topic: /scan, rate: 10Hz}], optional: true}\n"
	trace := story{
		net: net, first: armedAll, opt: simnet.Options{Rest: 20 * time.Second},
		tell: []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/c", Share: 0.5}),
			when(simnet.Then().Later(time.Second), simnet.Publish{Node: "/c", Share: 0.3})},
	}.run(t)
	lines := 0
	for _, e := range trace.Entries {
		if e.Kind == engine.EntryNode && e.Event == engine.EventStrayed && e.Node == "/c" {
			lines++
		}
	}
	if lines > 1 {
		t.Errorf("the journal says %d times that /c does not pass its check\n%v", lines, trace)
	}
}

// TestS2ARestartForgetsNothing is V5 and V11.
func TestS2ARestartForgetsNothing(t *testing.T) {
	const none = "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}}\n  /b: {}\n"
	const lease = "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {}\n"
	const spare = "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}, optional: true}\n  /b: {arm: {}}\n"
	both := func(then ...simnet.Beat) []simnet.Beat {
		return append([]simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/a"}),
			when(simnet.Then(), simnet.Crash{DownFor: time.Second})}, then...)
	}
	asksAt := func(after time.Duration, command, handle string) simnet.Beat {
		return when(simnet.Then().Later(after), simnet.Send{Command: command, Handle: handle})
	}
	play(t, []story{
		{
			name: "a node without a lease may be armed until a process of its name confirms", net: none,
			first: armedAll,
			tell: both(asksAt(20*time.Second, "armed", "early"), when(simnet.Then(), simnet.Respawn{Node: "/a"}),
				asksAt(5*time.Second, "active", "up"), asksAt(5*time.Second, "armed", "late")),
			goals: "early: rejected, up: succeeded done, late: succeeded done", ends: "active* active",
		},
		{
			name: "an optional one that is absent is named, and keeps the others from being armed", net: spare, first: armedAll,
			tell:  both(asksAt(20*time.Second, "arm", "early")),
			goals: "early: rejected", why: "not known to be disarmed: /a", ends: "- active",
		},
		{
			name: "an unconfigured one that does not confirm", net: none, first: armedAll,
			scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
			tell: both(when(simnet.Then().Later(2*time.Second), simnet.Respawn{Node: "/a"}),
				asksAt(15*time.Second, "armed", "late")),
			goals: "late: rejected", why: "not known to be disarmed: /a", ends: "unconfigured active",
		},
		{
			name: "one with a lease may be armed until the lease of that run is over", net: lease, first: armedAll,
			tell: both(when(simnet.Then().Later(20*time.Second), simnet.Respawn{Node: "/a"}),
				asksAt(5*time.Second, "active", "up"), asksAt(5*time.Second, "armed", "late")),
			goals: "up: succeeded done, late: succeeded done",
		},
	})
}

// TestA3ASuccessorIsNotPunished is V8: a new process is asked every second for what its predecessor was, and is never
// lowered for it.
func TestA3ASuccessorIsNotPunished(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}}\n"
	trace := story{
		net: net, first: armedAll, opt: simnet.Options{Rest: 40 * time.Second},
		scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}),
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Kill{Node: "/a"}),
			when(simnet.Then().Later(time.Second), simnet.Respawn{Node: "/a", State: ac}),
			when(simnet.Then().Later(30*time.Second), simnet.Send{Command: "inactive"}),
		},
		ends: "inactive inactive", goals: "inactive: aborted held",
	}.run(t)
	if calls := trace.Work(); strings.Contains(calls, "shutdown") {
		t.Errorf("a node is shut down for its predecessor: %s\n%v", calls, trace)
	}
}

// TestS2WithoutAJournalAnyProcessMayBeArmed is V11: each process that is there is asked until it confirms, an
// unconfigured one too. One that cannot confirm before it is configured may be configured.
func TestS2WithoutAJournalAnyProcessMayBeArmed(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}}\n  /b: {}\n"
	opt := simnet.Options{Unsure: true}
	silent, yes := simnet.Reply{Silent: true}, simnet.Reply{}
	at := func(after time.Duration, command, handle string) simnet.Beat {
		return when(simnet.At(after), simnet.Send{Command: command, Handle: handle})
	}
	play(t, []story{
		{
			name: "it confirms", net: net, opt: opt, scripts: one("/a", simnet.Script{Armed: true}),
			early: []simnet.Beat{at(5*time.Second, "armed", "go")},
			goals: "go: succeeded done", calls: "disarm a, configure a, configure b, activate a, activate b, arm a",
		},
		{
			name: "it cannot confirm before it is configured", net: net, opt: opt,
			scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{silent, silent, silent, silent, silent, yes}}),
			early:   []simnet.Beat{at(4500*ms, "armed", "go")}, goals: "go: succeeded done", ends: "active* active",
		},
		{
			name: "it never confirms", net: net, opt: opt,
			scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{silent}}),
			early:   []simnet.Beat{at(4500*ms, "armed", "go")}, goals: "go: aborted done",
			why: "activate was not begun: the network is not intact, so it is not raised: /a may be armed",
		},
		{
			name: "it ends when the daemon ends", net: net, opt: opt,
			scripts: one("/a", simnet.Script{Disarm: []simnet.Reply{silent}}),
			early:   []simnet.Beat{when(simnet.At(4500*ms), simnet.Stop{})}, exit: 1,
		},
	})
}

// TestA8LateWhileArming: a loop that was late after a node was asked to arm gives the arming up. One for which none was
// asked begins anew.
func TestA8LateWhileArming(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /drive: {arm: {}, deadline: {arm: 10s}}\n  /eye: {checks: [{topic: /scan, rate: 2Hz}]}\n"
	play(t, []story{
		{
			name: "after a node was asked", net: net, first: ways[2].way,
			scripts: drive(simnet.Reply{Takes: 3 * time.Second}),
			tell: []simnet.Beat{send("arm"),
				when(simnet.Called("arm", "/drive").Later(500*ms), simnet.Late{For: time.Second})},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			why: "gave it up: the loop was busy", ends: "active active",
		},
		{
			name: "before one was", net: net, first: ways[1].way,
			tell: []simnet.Beat{send("armed"),
				when(simnet.Shown("arming").Later(300*ms), simnet.Late{For: time.Second})},
			states: "activating active arming armed", goals: "armed: succeeded done", ends: "active* active",
		},
	})
}

// TestA5AContestedDisarmGoesOneWay: it cannot be cancelled once a goal of another id has joined it, and no refusal
// turns it back.
func TestA5AContestedDisarmGoesOneWay(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}}\n"
	slow := one("/b", simnet.Script{Disarm: []simnet.Reply{{Takes: time.Second, No: true}, {}}})
	second := when(simnet.Called("disarm", "/a").Later(100*ms), simnet.Send{Command: "disarm", Handle: "second"})
	play(t, []story{
		{
			name: "a node refuses", net: net, first: armedAll, scripts: slow,
			tell:   []simnet.Beat{send("disarm"), second},
			states: "disarming active", goals: "disarm: aborted held, second: aborted held",
		},
		{
			name: "uncontested it turns back", net: net, first: armedAll,
			scripts: one("/b", simnet.Script{Disarm: []simnet.Reply{{No: true}, {}}}),
			tell:    []simnet.Beat{send("disarm")}, states: "disarming arming armed", goals: "disarm: aborted restored",
		},
	})
}

// TestA6ALeaseRestsOnTheQuestion: the yes of a node that was busy with its arming proves the moment at which it was
// asked, not that of the answer.
func TestA6ALeaseRestsOnTheQuestion(t *testing.T) {
	const net = "simulation: x\nproof: 2s\nnodes:\n  /a: {probe: 50ms}\n  /b: {arm: {}}\n"
	trace := story{
		net: net, first: ways[2].way, scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: 250 * ms}}}),
		tell: []simnet.Beat{send("arm"), when(simnet.Shown("armed"), simnet.Kill{Node: "/b"})},
	}.run(t)
	asked, armed := time.Duration(0), time.Duration(0)
	for _, c := range trace.Calls {
		if c.Do == "arm" {
			asked = c.At
		}
	}
	for k, state := range trace.States {
		if state == "armed" {
			armed = trace.Shown[k]
		}
	}
	looked := 0
	for _, l := range trace.Leases {
		if l.At < armed || l.At > armed+110*ms {
			continue
		}
		looked++
		if l.Proved > asked {
			t.Errorf("at %v the lease rests on a proof of %v, and /b was asked at %v\n%v", l.At, l.Proved, asked, trace)
		}
	}
	if looked == 0 {
		t.Errorf("no lease was sent after %v\n%v", armed, trace)
	}
}

// TestA6ALeaseThatWasSentIsNotTakenBack: a node that is cut off may be armed until the latest end of all messages that
// it may have heard, also if a later message rests on an older proof.
func TestA6ALeaseThatWasSentIsNotTakenBack(t *testing.T) {
	const net = "simulation: x\nproof: 2s\nnodes:\n  /a: {arm: {}, probe: 50ms}\n  /b: {arm: {}}\n"
	story{
		net: net, first: ways[2].way, scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: 390 * ms}}}),
		tell: []simnet.Beat{
			send("arm"), when(simnet.Shown("armed"), simnet.Part{Node: "/a"}),
			when(simnet.Then(), simnet.Kill{Node: "/b"}),
		},
		states: "arming armed disarming active", opt: simnet.Options{Rest: 10 * time.Second},
	}.run(t)
}

// TestA6TheLeaseRestsOnOptionalNodesToo: it is not renewed on a proof that is newer than that of an armed optional
// node.
func TestA6TheLeaseRestsOnOptionalNodesToo(t *testing.T) {
	const net = "simulation: x\nproof: 2s\nnodes:\n  /a: {arm: {}, probe: 50ms}\n  /b: {optional: true, arm: {}}\n"
	trace := story{
		net: net, first: armedAll, tell: []simnet.Beat{when(simnet.Then().Later(time.Second),
			simnet.Freeze{Node: "/b"})}, states: "disarming active",
	}.run(t)
	frozen, looked := trace.Marked+time.Second, 0
	for _, l := range trace.Leases {
		if l.At > frozen {
			looked++
			if l.Proved > frozen {
				t.Errorf("at %v the lease rests on a proof of %v, and /b is frozen since %v\n%v", l.At, l.Proved,
					frozen, trace)
			}
		}
	}
	if looked < 5 {
		t.Errorf("only %d messages of the lease\n%v", looked, trace)
	}
}
