package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/simnet"
)

// Stories at the edges of arming and disarming: a second event comes while the first one is still open.

const driveAlone = "simulation: x\nlast_resort: hold\nnodes:\n  /drive: {arm: {dead_man: none}}\n"

// TestA1ARefusalEndsTheArming: a node that waits for the one that refuses is not asked any more, and nothing has to
// settle.
func TestA1ARefusalEndsTheArming(t *testing.T) {
	trace := story{
		net:   "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {after: [/a], arm: {}}\n",
		first: ways[2].way, scripts: one("/a", simnet.Script{Arm: []simnet.Reply{{No: true}}}),
		tell:   []simnet.Beat{send("arm")},
		states: "arming errorprocessing active", goals: "arm: aborted restored", calls: "arm a", ends: "active active",
	}.run(t)
	if took := trace.Goal("arm").Ended - trace.Goal("arm").Asked; took > time.Second {
		t.Errorf("the result took %v, as if a node had to settle\n%v", took, trace)
	}
}

// TestF1AnArmingThatHasAskedANodeTakesEveryRung: only an arming that has asked nothing leaves the network as it is.
func TestF1AnArmingThatHasAskedANodeTakesEveryRung(t *testing.T) {
	story{
		net: "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {}\n", first: ways[2].way,
		scripts: one("/a", simnet.Script{Arm: []simnet.Reply{{Takes: 1500 * ms, No: true}}}),
		tell:    []simnet.Beat{send("arm"), when(simnet.Called("arm", "/a"), simnet.Freeze{Node: "/b"})},
		states:  "arming errorprocessing unconfigured", goals: "arm: aborted unconfigured",
	}.run(t)
}

// TestA1TheLossOfItsMakerEndsAnArmInFlight: the yes to a request that was sent before the loss arms nothing.
func TestA1TheLossOfItsMakerEndsAnArmInFlight(t *testing.T) {
	cast(t, []several{{name: "it is killed while the node arms", all: []instance{
		{script: up, tell: []simnet.Beat{asks(2, "arm"), does(2.5, simnet.Crash{DownFor: 30 * time.Second})}},
		{script: up, arm: []simnet.Reply{{Takes: 1500 * ms}}, states: "arming errorprocessing active",
			ends: "active, wants armed, behind"},
	}}})
}

// TestA3TheEndpointOfADeadProcessHidesNoConfirmation: the process that has taken its name confirms alone.
func TestA3TheEndpointOfADeadProcessHidesNoConfirmation(t *testing.T) {
	opt := endsTold
	opt.Rest = 5 * time.Second
	story{
		net: "simulation: x\nnodes:\n  /drive: {arm: {dead_man: none}}\n  /eye: {}\n", opt: opt,
		keys: "defaults: {on_loss: report}\n", first: ways[3].way,
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Kill{Node: "/drive"}),
			when(simnet.Then().Later(500*ms), simnet.Respawn{Node: "/drive", State: lifecycle.Active}),
			when(simnet.Then().Later(3*time.Second), simnet.Send{Command: "arm"}),
		},
		goals: "arm: succeeded done", ends: "active* active",
	}.run(t)
}

// TestA3ADisarmFromBeforeTheLastAnswerProvesNothing: its yes may come after that of the arm, and it was handled before.
func TestA3ADisarmFromBeforeTheLastAnswerProvesNothing(t *testing.T) {
	story{
		net: driveAlone, first: ways[2].way,
		scripts: one("/drive", simnet.Script{
			Parallel: true, Arm: []simnet.Reply{{Takes: 300 * ms}},
			Disarm: []simnet.Reply{{Takes: 500 * ms}, {Silent: true}, {}},
		}),
		tell: []simnet.Beat{send("arm"),
			when(simnet.Called("arm", "/drive").Later(100*ms), simnet.Send{Command: "disarm"})},
		goals: "arm: aborted preempted, disarm: succeeded done",
		calls: "arm drive, disarm drive, disarm drive, disarm drive", ends: "active",
	}.run(t)
}

// TestA3TheDisarmThatDecidesHasItsFullTime: also where a client waits for it beside the work that sends it.
func TestA3TheDisarmThatDecidesHasItsFullTime(t *testing.T) {
	story{
		net: driveAlone, first: ways[2].way,
		scripts: one("/drive", simnet.Script{
			Parallel: true, Arm: []simnet.Reply{{Takes: 3900 * ms}}, Disarm: []simnet.Reply{{}, {Takes: time.Second}},
		}),
		tell: []simnet.Beat{send("arm"),
			when(simnet.Shown("errorprocessing").Later(100*ms), simnet.Send{Command: "disarm"})},
		goals: "arm: aborted restored, disarm: succeeded done", ends: "active",
	}.run(t)
}

// TestA3AnOpenDisarmHoldsArmByItsOwnDeadline: the node may handle it after the arm, however quickly it arms.
func TestA3AnOpenDisarmHoldsArmByItsOwnDeadline(t *testing.T) {
	trace := story{
		net:     "simulation: x\nlast_resort: hold\nnodes:\n  /drive: {arm: {}, deadline: {arm: 300ms, disarm: 3s}}\n",
		first:   ways[3].way,
		scripts: one("/drive", simnet.Script{Parallel: true, Disarm: []simnet.Reply{{Mute: true}, {}}}),
		tell:    []simnet.Beat{send("disarm"), when(simnet.Ended("disarm"), simnet.Send{Command: "arm"})},
		goals:   "disarm: succeeded done, arm: succeeded done", calls: "disarm drive, disarm drive, arm drive",
		ends: "active*",
	}.run(t)
	asked := trace.Goal("disarm").Asked
	for _, c := range trace.Calls {
		if c.Do == "arm" && c.At > asked && c.At < asked+3*time.Second {
			t.Errorf("it is asked to arm %v after a disarm that has no answer\n%v", c.At-asked, trace)
		}
	}
}

// TestA3AnArmingWaitsForADisarmThatHasJustBegun: however long the arming has waited for something else before.
func TestA3AnArmingWaitsForADisarmThatHasJustBegun(t *testing.T) {
	story{
		net: "simulation: x\nlast_resort: hold\nnodes:\n  /drive: {arm: {dead_man: none}}\n  /eye: {checks: [{topic: /scan, rate: 10Hz}]}\n", first: ways[2].way,
		scripts: one("/drive", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Takes: 14 * time.Second}, {}},
			Disarm: []simnet.Reply{{}, {}, {Takes: 1500 * ms}}}),
		tell: []simnet.Beat{
			send("arm"), when(simnet.Called("arm", "/drive").Later(12*time.Second), simnet.Publish{Node: "/eye"}),
			when(simnet.Then().Later(500*ms), simnet.Send{Command: "arm", Handle: "again"}),
			when(simnet.Then().Later(1800*ms), simnet.Publish{Node: "/eye", Share: 1}),
		},
		goals: "arm: aborted restored, again: succeeded done", ends: "active* active",
	}.run(t)
}

// TestS2WithoutAJournalAPlainNodeSettles: it cannot be read, so a request to arm of the earlier run may still be open.
func TestS2WithoutAJournalAPlainNodeSettles(t *testing.T) {
	story{
		net: "simulation: x\nnodes:\n  /drive: {lifecycle: false, arm: {}}\n", opt: simnet.Options{Unsure: true},
		early: []simnet.Beat{when(simnet.At(20*time.Second), simnet.Nothing{})}, calls: "disarm drive, disarm drive",
	}.run(t)
}

// TestS2WithoutAJournalAProcessIsNotLoweredForItsSilence: this run has not asked it to arm.
func TestS2WithoutAJournalAProcessIsNotLoweredForItsSilence(t *testing.T) {
	story{
		net: driveAlone, opt: simnet.Options{Unsure: true},
		scripts: one("/drive", simnet.Script{State: lifecycle.Active, Disarm: []simnet.Reply{{Silent: true}}}),
		early:   []simnet.Beat{when(simnet.At(60*time.Second), simnet.Nothing{})}, ends: "active",
	}.run(t)
}

// TestA3AnUnconfiguredProcessWithAnOpenArmIsAsked: another tool may have moved it while it still arms.
func TestA3AnUnconfiguredProcessWithAnOpenArmIsAsked(t *testing.T) {
	story{
		net: driveAlone, first: ways[2].way,
		scripts: one("/drive", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Silent: true}}}),
		tell: []simnet.Beat{
			send("arm"), when(simnet.Called("arm", "/drive").Later(100*ms),
				simnet.Move{Node: "/drive", To: lifecycle.Unconfigured, Quiet: true}),
			when(simnet.Then(), simnet.Stall{For: 2 * time.Second}),
			when(simnet.Then().Later(20*time.Second), simnet.Nothing{}),
		},
		calls: "arm drive, disarm drive, disarm drive", ends: "unconfigured",
	}.run(t)
}

// TestA3AShutdownDoesNotWaitForANodeThatSettles: a finalized node is disarmed.
func TestA3AShutdownDoesNotWaitForANodeThatSettles(t *testing.T) {
	trace := story{
		net: driveAlone, first: ways[2].way,
		scripts: one("/drive", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Silent: true}}}),
		tell: []simnet.Beat{send("arm"),
			when(simnet.Called("arm", "/drive").Later(100*ms), simnet.Send{Command: "shutdown"})},
		goals: "arm: aborted preempted, shutdown: succeeded done", ends: "finalized", exit: 1,
	}.run(t)
	if took := trace.Goal("shutdown").Ended - trace.Goal("shutdown").Asked; took > time.Second {
		t.Errorf("the shutdown took %v\n%v", took, trace)
	}
}

// TestA3ANodeThatSettlesIsNotLowered: its first yes may come when its lowering is due.
func TestA3ANodeThatSettlesIsNotLowered(t *testing.T) {
	silent := simnet.Reply{Silent: true}
	story{
		net: driveAlone, first: ways[2].way,
		scripts: one("/drive", simnet.Script{Parallel: true, Arm: []simnet.Reply{silent},
			Disarm: []simnet.Reply{silent, silent, {Takes: 60 * ms}, {}}}),
		tell:  []simnet.Beat{send("arm"), when(simnet.Ended("arm").Later(15*time.Second), simnet.Nothing{})},
		goals: "arm: aborted held", calls: "arm drive, disarm drive, disarm drive, disarm drive, disarm drive",
		ends: "active",
	}.run(t)
}

// TestC4ADisarmReachesAPeerThatIsCutOff: the common target is lowered for the time after the heal.
func TestC4ADisarmReachesAPeerThatIsCutOff(t *testing.T) {
	cast(t, []several{{name: "nothing is armed here", all: []instance{
		{script: up, tell: []simnet.Beat{asks(2, "arm")}, ends: "active, wants active"},
		{
			script: up, tell: []simnet.Beat{does(3, simnet.Kill{Node: "/b_base"}),
				does(5, simnet.Cut{Sides: []int{0, 1}}), asks(12, "disarm"), does(14, simnet.Heal{})},
			goals: "disarm 12: succeeded done", why: "the peers must disarm",
		},
	}}})
}

// TestA3ANodeThatThisRunHasArmedIsLowered if it does not confirm its disarm, whatever was unknown of its process
// before.
func TestA3ANodeThatThisRunHasArmedIsLowered(t *testing.T) {
	silent := simnet.Reply{Silent: true}
	deaf := one("/drive", simnet.Script{Parallel: true, Disarm: []simnet.Reply{{}, silent}})
	arms := func(after time.Duration) simnet.Beat {
		return when(simnet.Then().Later(after), simnet.Send{Command: "armed"})
	}
	disarms := when(simnet.Ended("armed"), simnet.Send{Command: "disarm"})
	play(t, []story{
		{
			name: "there was no journal", net: driveAlone, opt: simnet.Options{Unsure: true}, scripts: deaf,
			early: []simnet.Beat{when(simnet.At(4500*ms), simnet.Send{Command: "armed"}), disarms},
			goals: "armed: succeeded done, disarm: aborted held",
			calls: "disarm drive, configure drive, activate drive, arm drive, disarm drive, disarm drive, disarm drive, deactivate drive, disarm drive, disarm drive, shutdown drive",
			ends:  "finalized",
		},
		{
			name: "it has taken the name of another process", net: driveAlone, keys: "defaults: {on_loss: report}\n",
			first: ways[2].way, scripts: deaf,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Kill{Node: "/drive"}),
				when(simnet.Then().Later(time.Second), simnet.Respawn{Node: "/drive", State: lifecycle.Active}),
				arms(time.Second), disarms,
			},
			goals: "armed: succeeded done, disarm: aborted held", ends: "finalized",
		},
	})
}

// TestA6AnUnsentLeaseOfAFormerTermSaysNothing of the present one.
func TestA6AnUnsentLeaseOfAFormerTermSaysNothing(t *testing.T) {
	story{
		first: []string{"configure", "activate", "arm", "disarm", "arm"},
		tell: []simnet.Beat{when(simnet.Then().Later(3*time.Second),
			simnet.Hear{In: engine.LeaseUnsent{Term: 1, Sent: true}})}, states: "none", calls: "none",
	}.run(t)
}

// TestA8TheLeaseThatHasLeftDecides after a gap in which a later message has perished: the nodes have heard no other
// one.
func TestA8TheLeaseThatHasLeftDecides(t *testing.T) {
	const proof = time.Second
	for gap := 600 * ms; gap < proof; gap += 20 * ms {
		trace := story{
			keys: "proof: 1s\n", first: armedAll, opt: simnet.Options{StallArm: 12, StallFor: gap, StallLate: true},
			tell: []simnet.Beat{when(simnet.Then().Later(5*time.Second), simnet.Nothing{})},
		}.run(t)
		var before, after simnet.Leased
		for _, l := range trace.Leases {
			if before, after = after, l; l.At-before.At > gap {
				break
			}
		}
		kept := after.Term == before.Term
		if held := after.At-before.Proved <= proof; kept != held {
			t.Errorf("a gap of %v: renewed at %v (%v), and the last message that has left proves %v\n%v", gap, after.At,
				kept, before.Proved, trace)
		}
	}
}

// TestA6AnEndpointHearsTheLease: a process whose end was reported may still run, and follow each renewal.
func TestA6AnEndpointHearsTheLease(t *testing.T) {
	story{
		net:     "simulation: x\nnodes:\n  /a: {optional: true, arm: {}}\n  /b: {after: [/a], arm: {}}\n",
		first:   ways[2].way,
		scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: 1500 * ms}}}),
		opt:     simnet.Options{Rest: 10 * time.Second},
		tell: []simnet.Beat{
			send("arm"), when(simnet.Called("arm", "/b").Later(50*ms), simnet.Freeze{Node: "/a"}),
			when(simnet.Then(), simnet.TellEnd{Node: "/a"}),
			when(simnet.Then().Later(5*time.Second), simnet.Thaw{Node: "/a"}),
		},
		states: "arming armed disarming active",
	}.run(t)
}

// TestA8AnArmingThatWasProvenBeforeAGapIsProvenAnew: a node may have left its place meanwhile.
func TestA8AnArmingThatWasProvenBeforeAGapIsProvenAnew(t *testing.T) {
	story{
		net: driveAlone + "  /eye: {}\n", first: ways[2].way, opt: simnet.Options{Disk: simnet.Disk{Takes: 900 * ms}},
		tell: []simnet.Beat{
			send("arm"), when(simnet.Shown("arming").Later(200*ms), simnet.Late{For: 600 * ms}),
			when(simnet.Then().Later(300*ms), simnet.Move{Node: "/eye", To: lifecycle.Inactive, Quiet: true}),
		},
		states: "arming errorprocessing active", goals: "arm: aborted restored", why: "/eye is inactive",
		calls: "activate eye",
	}.run(t)
}

// TestA8AStallBeforeTheEndDisarmsAtOnce: no time is left to read the nodes first.
func TestA8AStallBeforeTheEndDisarmsAtOnce(t *testing.T) {
	story{
		net: driveAlone, first: ways[3].way,
		scripts: one("/drive", simnet.Script{Disarm: []simnet.Reply{{Silent: true}, {}}}),
		opt:     simnet.Options{Listen: engine.Listen{Least: 500 * ms, Most: 3 * time.Second}},
		tell: []simnet.Beat{when(simnet.Then(), simnet.Stop{}),
			when(simnet.Then().Later(100*ms), simnet.Stall{For: 1500 * ms})},
		ends: "active", exit: 1,
	}.run(t)
}

// TestA1AnArmInFlightIsWorthNoMoreThanItsMaker: when the peer is lost, or another process has taken its name, a yes
// arms nothing.
func TestA1AnArmInFlightIsWorthNoMoreThanItsMaker(t *testing.T) {
	seen := knows("instance 1", 2, "b 1", 1)
	other := simnet.Hear{In: engine.PeerTold{Status: mirror.Status{
		Name: "/b", Instance: "b 2", State: "unknown", Target: "unknown", Machine: "rstate", Hash: rstateHash,
		Orders: knows("b 1", 0),
	}}}
	for name, then := range map[string]simnet.Act{"it is lost": lost(), "it speaks as another run": other} {
		t.Run(name, func(t *testing.T) {
			story{
				first: ways[2].way, scripts: one("/arm_driver",
					simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}}),
				tell: []simnet.Beat{
					when(simnet.Then(), told("active", nil)),
					when(simnet.Then(), heard("active", "arm", "armed", seen)),
					when(simnet.Then(), told("armed", seen)),
					when(simnet.Called("arm", "/arm_driver").Later(300*ms), then),
				},
				states: "arming errorprocessing active", ends: "active active active active",
			}.run(t)
		})
	}
}

// TestA1AYesAfterACancelIsDisarmedAtOnce: it does not wait for the answers of the others.
func TestA1AYesAfterACancelIsDisarmedAtOnce(t *testing.T) {
	trace := story{
		net: "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}}\n", first: ways[2].way,
		scripts: map[string]simnet.Script{
			"/a": {Arm: []simnet.Reply{{Takes: 300 * ms}}}, "/b": {Arm: []simnet.Reply{{Takes: 1900 * ms}}},
		},
		tell:  []simnet.Beat{send("arm"), when(simnet.Called("arm", "/b").Later(100*ms), simnet.Cancel{Handle: "arm"})},
		goals: "arm: canceled canceled", ends: "active active",
	}.run(t)
	if took := disarmed(trace) - trace.Goal("arm").Asked; took > time.Second {
		t.Errorf("the first disarm left %v after the arm was asked for\n%v", took, trace)
	}
}

// TestF4ACancelDisarmsWhatIsArmed: a node that has said yes does not wait for the answers of the others. A node that
// has not answered is asked when it has, or when its time is over.
func TestF4ACancelDisarmsWhatIsArmed(t *testing.T) {
	for _, c := range []struct {
		name   string
		slow   simnet.Reply  // of /b to the arm
		other  time.Duration // when /b is asked to disarm, after the cancel, at least
		calls  string
		refuse []simnet.Reply // of /a to the disarm
	}{
		{name: "another one is busy arming", slow: simnet.Reply{Takes: 1500 * ms}, other: time.Second,
			calls: "arm a, arm b, disarm a, disarm b, disarm b"},
		{
			name: "it refuses at first", slow: simnet.Reply{Takes: 1500 * ms}, other: time.Second,
			refuse: []simnet.Reply{{No: true}, {}},
			calls:  "arm a, arm b, disarm a, disarm a, disarm b, disarm b",
		},
		{name: "another one gives no answer", slow: simnet.Reply{Silent: true}, other: 1500 * ms,
			calls: "arm a, arm b, disarm a, disarm b, disarm b"},
		{name: "the next one is busy arming", slow: simnet.Reply{Takes: 100 * ms},
			calls: "arm a, arm b, arm c, disarm a, disarm b, disarm c, disarm c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := story{
				net:   "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}}\n  /c: {arm: {}, after: [/b]}\n",
				first: ways[2].way,
				scripts: map[string]simnet.Script{"/a": {Disarm: c.refuse}, "/b": {Arm: []simnet.Reply{c.slow}},
					"/c": {Arm: []simnet.Reply{{Takes: time.Second}}}},
				tell: []simnet.Beat{send("arm"),
					when(simnet.Called("arm", "/b").Later(400*ms), simnet.Cancel{Handle: "arm"})},
				goals: "arm: canceled canceled", calls: c.calls, ends: "active active active",
			}.run(t)
			asked := map[string]time.Duration{}
			for _, call := range trace.Calls {
				if _, known := asked[call.Node]; call.Do == "disarm" && call.At >= trace.Marked && !known {
					asked[call.Node] = call.At - trace.Goal("arm").Asked
				}
			}
			if asked["/a"] > 500*ms || asked["/b"] < 400*ms+c.other || c.other == 0 && asked["/b"] > 500*ms {
				t.Errorf("/a is asked to disarm after %v, /b after %v\n%v", asked["/a"], asked["/b"], trace)
			}
		})
	}
}

// TestP7ALateLoopMakesNoArmYounger: what a peer has said while the loop was late may be as old as that gap.
func TestP7ALateLoopMakesNoArmYounger(t *testing.T) {
	cast(t, []several{
		{name: "it was heard after the gap", all: []instance{
			{script: up, tell: []simnet.Beat{asks(2.2, "arm")}, ends: "armed, wants armed"},
			{script: up, tell: []simnet.Beat{does(2, simnet.Late{For: 3 * time.Second})}, states: "none",
				ends: "active, wants armed, behind"},
		}},
	})
}

// TestP7ALateLoopMakesNoLaterArmOlder: an arm is as old as the clock says that comes with it, also after gaps that the
// engine leaves out of its own.
func TestP7ALateLoopMakesNoLaterArmOlder(t *testing.T) {
	cast(t, []several{
		{name: "it was late before", all: []instance{
			{script: up, tell: []simnet.Beat{does(3, simnet.Late{For: 3 * time.Second}), asks(9, "arm")},
				ends: "armed, wants armed"},
			{script: up, ends: "armed, wants armed"},
		}},
	})
}

// TestA8NoProofIsYoungerThanItsQuestion: also if a gap of the loop lies between it and the answer.
func TestA8NoProofIsYoungerThanItsQuestion(t *testing.T) {
	const gap = 700 * ms
	for after := time.Duration(0); after < 200*ms; after += 20 * ms {
		trace := story{
			keys: "proof: 1s\n", first: armedAll,
			opt: simnet.Options{Latency: simnet.Range{Min: 50 * ms, Max: 60 * ms}},
			tell: []simnet.Beat{when(simnet.Then().Later(time.Second+after), simnet.Late{For: gap}),
				when(simnet.Then().Later(3*time.Second), simnet.Nothing{})},
		}.run(t)
		begins := trace.Marked + time.Second + after
		for _, l := range trace.Leases {
			if l.Proved > begins+ms && l.Proved < begins+gap-ms {
				t.Errorf("the loop was late from %v to %v, and a lease proves %v\n%v", begins, begins+gap, l.Proved,
					trace)
			}
		}
	}
}

// TestA6ALeaseOfTheRunBeforeCountsForTenSeconds: a node that is cut off may follow it, whatever its proof is now.
func TestA6ALeaseOfTheRunBeforeCountsForTenSeconds(t *testing.T) {
	trace := story{
		first: armedAll, opt: simnet.Options{Rest: 20 * time.Second},
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Part{Node: "/arm_driver"}),
			when(simnet.Then(), simnet.Crash{DownFor: 2 * time.Second}),
			when(simnet.Then().Later(6*time.Second), simnet.Send{Command: "disarm"}),
		},
		goals: "disarm: succeeded done",
	}.run(t)
	if ends := trace.Goal("disarm").Ended - trace.Marked; ends < 12*time.Second || ends > 12200*ms {
		t.Errorf("nothing may be armed %v after the crash, want 12s\n%v", ends, trace)
	}
}

// TestA8AGoalFromBeforeAStallRepairsNothing: it names the present state, and would raise a node.
func TestA8AGoalFromBeforeAStallRepairsNothing(t *testing.T) {
	story{
		first: ways[2].way, tell: []simnet.Beat{
			when(simnet.Then(), simnet.Stall{For: 2 * time.Second}),
			when(simnet.Then().Later(500*ms), simnet.Move{Node: "/slam", To: lifecycle.Inactive, Quiet: true}),
			when(simnet.Then().Later(500*ms), simnet.Send{Command: "active"}),
		},
		goals: "active: rejected", why: "so it raises nothing; send it again", ends: "active inactive active active",
	}.run(t)
}

// TestA3NothingIsArmedBesideANodeThatRefusedItsDisarm, also if it is optional. The network is not intact, and names it.
func TestA3NothingIsArmedBesideANodeThatRefusedItsDisarm(t *testing.T) {
	trace := story{
		net: "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {optional: true, arm: {}}\n", first: ways[3].way,
		scripts: one("/b", simnet.Script{Disarm: []simnet.Reply{{No: true}}}),
		tell: []simnet.Beat{when(simnet.Then(), simnet.Late{For: 700 * ms}),
			when(simnet.Then().Later(1500*ms), simnet.Send{Command: "arm"})},
		goals: "arm: rejected", why: "not intact, so it is not raised: /b may be armed",
	}.run(t)
	if last := trace.Last; last.Intact || len(last.Deviations) != 1 || last.Deviations[0] != "/b may be armed" {
		t.Errorf("intact: %v, deviations: %q; want /b, which is armed", last.Intact, last.Deviations)
	}
}

// TestS2WithoutAJournalAConfiguredProcessHasTimeToConfirm: the result of the command that has configured it waits for
// that.
func TestS2WithoutAJournalAConfiguredProcessHasTimeToConfirm(t *testing.T) {
	disarms := append(slices.Repeat([]simnet.Reply{{Silent: true}}, 8), simnet.Reply{Takes: 900 * ms})
	story{
		net: driveAlone, opt: simnet.Options{Unsure: true},
		scripts: one("/drive", simnet.Script{Parallel: true, Disarm: disarms}),
		early:   []simnet.Beat{when(simnet.At(4500*ms), simnet.Send{Command: "configure"})},
		goals:   "configure: succeeded done",
		calls:   strings.Repeat("disarm drive, ", 8) + "configure drive, disarm drive",
	}.run(t)
}

// TestA3AProcessThatIsBackWasAskedToArm: one that was cut off is a new epoch, and one that is left of two may be the
// older one. What it was asked before may take effect yet.
func TestA3AProcessThatIsBackWasAskedToArm(t *testing.T) {
	slow := one("/drive", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Takes: 5 * time.Second}}})
	mute := one("/drive", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Takes: 5 * time.Second, Mute: true}}})
	sees := func(after time.Duration, epochs ...uint64) simnet.Beat {
		in := engine.NodeSeen{Node: 0, Epoch: epochs[len(epochs)-1], Count: len(epochs), Epochs: epochs}
		beat := when(simnet.Then().Later(after), simnet.Hear{In: in})
		if len(epochs) > 1 {
			beat.When = simnet.Called("arm", "/drive").Later(after)
		}
		return beat
	}
	for name, scripts := range map[string]map[string]simnet.Script{"it says yes late": slow, "its answer is lost": mute} {
		play(t, []story{{
			name: "it was cut off, and " + name, net: driveAlone, first: ways[2].way, scripts: scripts,
			opt: simnet.Options{Rest: 15 * time.Second},
			tell: []simnet.Beat{send("arm"),
				when(simnet.Called("arm", "/drive").Later(100*ms), simnet.Part{Node: "/drive"}),
				when(simnet.Then().Later(2500*ms), simnet.Join{Node: "/drive"})},
			ends: "active",
		}, {
			name: "a second process of its name came and went, and " + name, net: driveAlone, first: ways[2].way,
			scripts: scripts, opt: simnet.Options{Rest: 15 * time.Second},
			tell: []simnet.Beat{send("arm"), sees(200*ms, 1, 2), sees(800*ms, 1)}, ends: "active",
		}})
	}
}
