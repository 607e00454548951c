package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// stubborn never confirms that it is disarmed.
var stubborn = simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}

// TestA3DisarmIsRepeatedAndThenTheNodeIsTakenDown: a node that may be armed is named, keeps Arm away, is asked again
// every second, is deactivated when its deadline has passed, and shut down when that did not help.
func TestA3DisarmIsRepeatedAndThenTheNodeIsTakenDown(t *testing.T) {
	three := []simnet.Reply{{Silent: true}, {Silent: true}, {Silent: true}, {}}
	play(t, []story{
		{
			name: "it never confirms", first: ways[3].way, scripts: one("/arm_driver", stubborn),
			tell: []simnet.Beat{send("disarm")},
			opt:  simnet.Options{Rest: 10 * time.Second}, states: "disarming active", goals: "disarm: aborted held",
			why:   "/arm_driver",
			calls: "disarm arm_driver, disarm arm_driver, disarm arm_driver, deactivate arm_driver, disarm arm_driver, disarm arm_driver, shutdown arm_driver",
			ends:  "active active active finalized",
		},
		{
			name:  "its deadline passes right before it is asked again",
			net:   strings.Replace(demo, "arm: {}", "arm: {}, deadline: {disarm: 1990ms}", 1),
			first: ways[3].way, scripts: one("/arm_driver", stubborn), tell: []simnet.Beat{send("disarm")},
			opt:    simnet.Options{Rest: 10 * time.Second},
			states: "disarming active", ends: "active active active finalized",
		},
		{
			name: "it confirms when it is deactivated", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: three}), tell: []simnet.Beat{send("disarm")},
			opt: simnet.Options{Rest: 10 * time.Second}, states: "disarming active", goals: "disarm: aborted held",
			calls: "disarm arm_driver, disarm arm_driver, disarm arm_driver, deactivate arm_driver, disarm arm_driver",
			ends:  "active active active inactive",
		},
		{
			name: "nothing is armed meanwhile", first: ways[3].way, scripts: one("/arm_driver", stubborn),
			tell:  []simnet.Beat{send("disarm"), when(simnet.Ended("disarm"), simnet.Send{Command: "arm"})},
			goals: "disarm: aborted held, arm: rejected", why: "/arm_driver",
		},
		{
			name: "one that refuses, and no turning back", first: ways[3].way,
			opt:     simnet.Options{Rest: 10 * time.Second},
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{No: true}}}),
			tell:    []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/lidar"})},
			states:  "disarming active", ends: "- active active finalized",
		},
		{
			name: "a busy one is not taken down: it has not heard yet", first: ways[3].way,
			opt:     simnet.Options{Rest: 20 * time.Second},
			scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 8 * time.Second}, {}}}),
			tell:    []simnet.Beat{send("disarm")},
			states:  "disarming active", ends: "active active active active",
		},
	})
}

// TestA3NothingHoldsADisarmUp: it goes to all side by side, beside whatever runs; a late one holds up what comes after
// for a second at the most.
func TestA3NothingHoldsADisarmUp(t *testing.T) {
	const many = "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {after: [/a], arm: {}}\n  /c: {after: [/b], arm: {}, optional: true}\n"
	trace := story{
		net: many, first: ways[2].way, scripts: one("/c",
			simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}, Disarm: []simnet.Reply{{Silent: true}, {}}}),
		tell: []simnet.Beat{send("arm"), when(simnet.Called("arm", "/c").Later(100*ms),
			simnet.Send{Command: "shutdown"})}, exit: 1,
	}.run(t)
	asked := trace.Goal("shutdown").Asked
	var disarms, shutdowns []time.Duration
	for _, c := range trace.Calls {
		switch {
		case c.At >= asked && c.Do == "disarm":
			disarms = append(disarms, c.At-asked)
		case c.Do == "shutdown":
			shutdowns = append(shutdowns, c.At-asked)
		}
	}
	if len(disarms) < 3 || disarms[2] != 0 {
		t.Errorf("disarms went out %v after shutdown was asked for, want three at once\n%v", disarms, trace)
	}
	if len(shutdowns) == 0 || shutdowns[0] < 900*ms || shutdowns[0] > 1100*ms {
		t.Errorf("shutdowns went out %v after it was asked for, want the first one after a second\n%v", shutdowns,
			trace)
	}
}

// TestA4DisarmingForSafetyGoesOneWay: neither a client that joins the disarm nor a node that
// refuses it turns it back.
func TestA4DisarmingForSafetyGoesOneWay(t *testing.T) {
	const pair = "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {}\n"
	takes := func(r simnet.Reply) map[string]simnet.Script {
		return one("/a", simnet.Script{Disarm: []simnet.Reply{r, {}}})
	}
	stray := when(simnet.Then(), simnet.Move{Node: "/b", To: lifecycle.Inactive})
	trace := story{
		net: pair, first: armedAll, scripts: takes(simnet.Reply{Takes: time.Second}),
		tell: []simnet.Beat{
			stray, when(simnet.Shown("disarming"), simnet.Move{Node: "/b", To: lifecycle.Active}), send("disarm"),
			when(simnet.Then().Later(100*ms), simnet.Cancel{Handle: "disarm"}),
		},
		states: "disarming active", goals: "disarm: succeeded done", ends: "active active",
	}.run(t)
	if c := trace.Goal("disarm").Cancels; len(c) != 1 || c[0].Accepted {
		t.Errorf("the cancel was answered %v, want a refusal", c)
	}
	play(t, []story{{
		name: "a refusal", net: pair, first: armedAll, scripts: takes(simnet.Reply{No: true}),
		tell:   []simnet.Beat{stray, when(simnet.Shown("disarming"), simnet.Send{Command: "disarm"})},
		states: "disarming active", ends: "active inactive",
	}})
}

// TestA5ACommandedDisarmTurnsBack: where it was cancelled, or a node has answered that it refuses, and on fresh proof
// only.
func TestA5ACommandedDisarmTurnsBack(t *testing.T) {
	const two = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}, checks: [{service: /b/test}]}\n  /c: {}\n"
	disarms := func(a, b []simnet.Reply) map[string]simnet.Script {
		return map[string]simnet.Script{"/a": {Disarm: a}, "/b": {Disarm: b}}
	}
	no, silent, slow := []simnet.Reply{{No: true}, {}},
		[]simnet.Reply{{Silent: true}, {Silent: true}, {Silent: true}, {}}, []simnet.Reply{{Takes: 500 * ms}, {}}
	cancel := when(simnet.Called("disarm", "/b").Later(100*ms), simnet.Cancel{Handle: "disarm"})
	again := "disarm a, disarm b, arm a, arm b"
	play(t, []story{
		{
			name: "a node refuses", scripts: disarms(nil, no), tell: []simnet.Beat{send("disarm")},
			states: "disarming arming armed", published: "disarming+ armed",
			goals: "disarm: aborted restored", why: "/b disarm: answered no; the network is armed again", calls: again,
			ends: "active* active* active",
		},
		{
			name: "it refuses to be armed again too, which does not say that it is disarmed",
			tell: []simnet.Beat{send("disarm")},
			scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{}, {No: true}},
				Disarm: []simnet.Reply{{No: true}, {No: true}, {}}}),
			states: "disarming arming disarming active", goals: "disarm: aborted held", why: "it may still be armed",
			ends: "active active active",
		},
		{
			name:    "a node has disarmed, unsaid, and refuses to again",
			scripts: disarms(nil, []simnet.Reply{{Mute: true}, {No: true}}), tell: []simnet.Beat{send("disarm")},
			states: "disarming arming armed", goals: "disarm: aborted restored", ends: "active* active* active",
		},
		{
			name: "it is cancelled", scripts: disarms(nil, slow), tell: []simnet.Beat{send("disarm"), cancel},
			states:    "disarming arming armed",
			published: "disarming+ armed+", goals: "disarm: canceled canceled",
			calls: "disarm a, disarm b, arm a, arm b", ends: "active* active* active",
		},
		{
			name: "one refuses, one is silent", scripts: disarms(silent, no[:1]), tell: []simnet.Beat{send("disarm")},
			states: "disarming active",
			goals:  "disarm: aborted held",
		},
		{
			name:    "it is cancelled, and one never answers",
			scripts: disarms(nil, []simnet.Reply{{Silent: true}, {Silent: true}, {}}),
			tell:    []simnet.Beat{send("disarm"), cancel},
			states:  "disarming active", goals: "disarm: succeeded done", ends: "active active active",
		},
		{
			name: "it is cancelled, and a check fails by then", scripts: disarms(nil, slow),
			tell:   []simnet.Beat{send("disarm"), cancel, when(simnet.Then(), simnet.Fail{Node: "/b"})},
			states: "disarming arming disarming active", goals: "disarm: succeeded done", calls: "disarm a, disarm b",
			ends: "active active active",
		},
		{
			name: "a node refuses, and another has strayed", scripts: disarms(nil, no),
			tell: []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("disarm"),
				when(simnet.Shown("arming").Later(3*time.Second), simnet.Thaw{Node: "/c"})},
			states: "disarming arming disarming active", goals: "disarm: succeeded done", ends: "active active active",
		},
		{
			name: "a disarm ends the turning back",
			scripts: map[string]simnet.Script{"/a": {Arm: []simnet.Reply{{}, {Takes: time.Second}}},
				"/b": {Disarm: slow}},
			tell: []simnet.Beat{send("disarm"), cancel,
				when(simnet.Shown("arming").Later(100*ms), simnet.Send{Command: "disarm", Handle: "again"})},
			states: "disarming arming disarming active", goals: "disarm: aborted preempted, again: succeeded done",
			ends: "active active active",
		},
		{
			name: "a stop ends it too", scripts: disarms(nil, slow),
			tell:  []simnet.Beat{send("disarm"), cancel, when(simnet.Then().Later(50*ms), simnet.Stop{})},
			goals: "disarm: aborted preempted", ends: "active active active", exit: 1,
		},
		{
			name: "a stop ends it before anybody is armed again", scripts: disarms(nil, slow),
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("disarm"), cancel,
				when(simnet.Shown("arming").Later(100*ms), simnet.Stop{}),
				when(simnet.Then().Later(100*ms), simnet.Thaw{Node: "/c"}),
			},
			goals: "disarm: aborted preempted", calls: "disarm a, disarm b", ends: "active active active", exit: 1,
		},
	}, func(s *story) { s.net, s.first = two, armedAll })
	refused := story{
		net: two, first: armedAll, scripts: disarms(nil, no),
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("disarm"),
			when(simnet.Shown("arming").Later(100*ms), simnet.Stop{}),
		},
		goals: "disarm: aborted preempted", calls: "disarm a, disarm b, disarm b", ends: "active active active", exit: 1,
	}.run(t)
	calls := refused.Calls[len(refused.Calls)-2:]
	if late := calls[1].At - calls[0].At; late > 200*ms {
		t.Errorf("a stop after a refusal: the node was asked again after %v, not with the stop\n%v", late, refused)
	}
}

// TestA5OnlyAGoalThatNamesDisarmTurnsBack: a goal for a lower state goes on down, and names the
// node that did not confirm. Where arming asks for authority, cancelling arms no node again.
func TestA5OnlyAGoalThatNamesDisarmTurnsBack(t *testing.T) {
	const two = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}}\n"
	b := func(replies ...simnet.Reply) map[string]simnet.Script {
		return one("/b", simnet.Script{Disarm: replies})
	}
	no, slow := simnet.Reply{No: true}, simnet.Reply{Takes: 500 * ms}
	cancel := func(handle string) simnet.Beat {
		return when(simnet.Called("disarm", "/b").Later(100*ms), simnet.Cancel{Handle: handle})
	}
	play(t, []story{
		{
			name: "a node refuses once", scripts: b(no, simnet.Reply{}), tell: []simnet.Beat{send("inactive")},
			states: "disarming active deactivating inactive", published: "disarming+ active deactivating+ inactive",
			goals: "inactive: succeeded done", why: "disarm failed: /b disarm: answered no", ends: "inactive inactive",
		},
		{
			name: "a node refuses for ever", scripts: b(no, no, no, no, no, no), tell: []simnet.Beat{send("inactive")},
			states: "disarming active deactivating inactive", goals: "inactive: aborted held",
			why: "/b may be armed; disarm failed: /b disarm: answered no",
		},
		{
			name: "the state is the disarmed one", scripts: b(no, no, no, no), tell: []simnet.Beat{send("active")},
			states: "disarming active", goals: "active: aborted held", why: "/b may be armed",
		},
		{
			name: "cancelled during the disarm it rests when that is done", scripts: b(slow),
			tell:   []simnet.Beat{send("inactive"), cancel("inactive")},
			states: "disarming active", published: "disarming+ active", goals: "inactive: canceled canceled",
			why: "inactive was cancelled; the network is active", calls: "disarm a, disarm b", ends: "active active",
		},
		{
			name:    "and names what has not confirmed by then",
			scripts: b(simnet.Reply{Takes: 500 * ms, No: true}, no, no, no, no),
			tell:    []simnet.Beat{send("unconfigured"), cancel("unconfigured")}, states: "disarming active",
			goals: "unconfigured: aborted held",
			why:   "unconfigured was cancelled; the network is active, but not confirmed to be disarmed, and asked again every second: /b",
		},
		{
			name: "a disarm that comes meanwhile is a goal of its own", scripts: b(slow), tell: []simnet.Beat{
				send("inactive"), when(simnet.Called("disarm", "/b").Later(100*ms), simnet.Send{Command: "disarm"}),
				when(simnet.Then().Later(50*ms), simnet.Cancel{Handle: "inactive"}),
			},
			states: "disarming active", goals: "inactive: canceled canceled, disarm: succeeded done",
			ends: "active active",
		},
		{
			name: "where arming asks for authority a disarm cannot be cancelled", keys: "arming: {secret_file: key}\n",
			scripts: b(slow),
			tell:    []simnet.Beat{send("disarm"), cancel("disarm")}, states: "disarming active",
			goals: "disarm: succeeded done",
			calls: "disarm a, disarm b", ends: "active active",
		},
	}, func(s *story) { s.net, s.first = two, armedAll })
}

// TestF2RecoveryActivatesNoNodeThatMayBeArmed: a node that was taken down without a confirmed disarm stays inactive,
// also where the transition found it active. A node that has confirmed goes back.
func TestF2RecoveryActivatesNoNodeThatMayBeArmed(t *testing.T) {
	scripts := func(driver simnet.Script) map[string]simnet.Script {
		return map[string]simnet.Script{"/arm_driver": driver, "/slam": on("deactivate", simnet.On{End: simnet.Refuse})}
	}
	const disarm, down = "disarm arm_driver, ", "deactivate arm_driver, "
	three := strings.Replace(demo, "  /camera: {optional: true}\n", "", 1)
	fails := []simnet.Beat{send("disarm"), when(simnet.Ended("disarm"), simnet.Send{Command: "deactivate"})}
	cancels := []simnet.Beat{
		send("disarm"), when(simnet.Ended("disarm"), simnet.Send{Command: "deactivate"}),
		when(simnet.Called("deactivate", "/arm_driver").Later(ms/10), simnet.Cancel{Handle: "deactivate"}),
	}
	play(t, []story{{
		name: "a transition that failed", net: three, first: ways[3].way, scripts: scripts(stubborn), tell: fails,
		states: "disarming active deactivating errorprocessing active",
		goals:  "disarm: aborted held, deactivate: aborted held",
		why:    "but not confirmed to be disarmed", ends: "active active finalized",
		calls: strings.Repeat(disarm, 6) + down + "deactivate slam, " + strings.Repeat(disarm, 3) +
			"shutdown arm_driver",
	}, {
		name: "one that was cancelled", net: three, first: ways[3].way, scripts: one("/arm_driver", stubborn),
		tell:   cancels,
		states: "disarming active deactivating active", goals: "disarm: aborted held, deactivate: aborted held",
		why: "but not confirmed to be disarmed", ends: "active active finalized",
		calls: strings.Repeat(disarm, 6) + down + strings.Repeat(disarm, 3) + "shutdown arm_driver",
	}, {
		name: "a node that has confirmed", net: three, first: ways[3].way, scripts: scripts(simnet.Script{}),
		tell:   fails,
		states: "disarming active deactivating errorprocessing active",
		goals:  "disarm: succeeded done, deactivate: aborted restored",
		calls:  disarm + down + "deactivate slam, activate arm_driver", ends: "active active active",
	}})
}

// TestA5ADisarmInPartSaysWhatMayBeArmed: the words of its result name what is asked again, and only that.
func TestA5ADisarmInPartSaysWhatMayBeArmed(t *testing.T) {
	const again = "may still be armed and is asked again"
	const moves = "simulation: x\nnodes:\n  /a: {arm: {}, unsafe: [/a/move]}\n"
	for _, c := range []struct {
		s    story
		says bool
	}{
		{story{name: "it does not confirm", scripts: one("/arm_driver", stubborn), tell: []simnet.Beat{send("disarm")}}, true},
		{story{name: "it confirms, and offers what is unsafe", net: moves, tell: []simnet.Beat{
			when(simnet.Then(), simnet.Advertise{Node: "/a"}),
			when(simnet.Then().Later(100*ms), simnet.Send{Command: "disarm"})}}, false},
	} {
		t.Run(c.s.name, func(t *testing.T) {
			c.s.first, c.s.goals = ways[3].way, "disarm: aborted held"
			if said := c.s.run(t).Goal("disarm").Result.Message; strings.Contains(said, again) != c.says {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// TestA5ADisarmBesideOtherWorkHasAnEnd: it waits for the deadline of the disarm, not for the next time at which the
// node is asked.
func TestA5ADisarmBesideOtherWorkHasAnEnd(t *testing.T) {
	trace := story{
		net:   "simulation: x\nnodes:\n  /drive: {optional: true, arm: {}, deadline: {disarm: 2500ms}}\n  /slow: {after: [/drive]}\n",
		first: ways[1].way,
		scripts: map[string]simnet.Script{
			"/drive": {Disarm: []simnet.Reply{{Silent: true}}, Parallel: true},
			"/slow":  on("activate", simnet.On{Takes: 20 * time.Second}),
		},
		tell: disarmBeside("activate"),
	}.run(t)
	if g := trace.Goal("disarm"); g.Verdict() != "aborted held" || g.Ended-g.Asked != 2500*ms {
		t.Errorf("disarm: %s after %v: %s\n%v", g.Verdict(), g.Ended-g.Asked, g.Result.Message, trace)
	}
}

// disarmBeside sends a disarm while /slow is activated by a command, and /drive has just been cut off and come back.
func disarmBeside(command string) []simnet.Beat {
	return []simnet.Beat{
		send(command), when(simnet.Begun("activate", "/slow"), simnet.Part{Node: "/drive"}),
		when(simnet.Then().Later(500*ms), simnet.Join{Node: "/drive"}),
		when(simnet.Then().Later(50*ms), simnet.Send{Command: "disarm"}),
	}
}
