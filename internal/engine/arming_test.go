package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// checked is a network with a check of each kind.
const checked = `
simulation: x
nodes:
  /a: {checks: [{topic: /scan, rate: 10Hz}]}
  /b: {arm: {}, checks: [{service: /b/test}, {topic: /joints, rate: 50Hz}]}
  /c: {}
`

// seldom is one in which arming has to wait for a rate.
const seldom = "simulation: x\nnodes:\n  /a: {checks: [{topic: /map, rate: 1Hz}]}\n  /b: {arm: {}, checks: [{service: /b/test}]}\n"

// armedAll brings the networks of these tests to armed.
var armedAll = []string{"configure", "activate", "arm"}

// TestA1ArmingTakesFreshProof: the engine reads every required node anew and every check passes, or
// it arms nothing and reports every reason at once.
func TestA1ArmingTakesFreshProof(t *testing.T) {
	back := "arming errorprocessing active"
	play(t, []story{
		{
			name: "all pass", net: checked, first: ways[2].way, tell: []simnet.Beat{send("arm")},
			states: "arming armed", goals: "arm: succeeded done",
			calls: "arm b", ends: "active active* active",
		},
		{
			name: "a rate that is not known yet is waited for", net: checked, first: ways[1].way,
			tell:   []simnet.Beat{send("armed")},
			states: "activating active arming armed", goals: "armed: succeeded done",
		},
		{
			name: "a slow topic", net: checked, first: ways[2].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/a", Share: 0.5}), send("arm")},
			states: back, goals: "arm: aborted restored", why: "/a is not fit to arm: /scan comes at", calls: "none",
		},
		{
			name: "a topic that comes in time after all", net: checked, first: ways[2].way,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Publish{Node: "/a"}),
				when(simnet.Then().Later(2*time.Second), simnet.Send{Command: "arm"}),
				when(simnet.Then().Later(500*ms), simnet.Publish{Node: "/a", Share: 1}),
			},
			states: "arming armed", goals: "arm: succeeded done",
		},
		{
			name: "a service that says no", net: checked, first: ways[2].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Fail{Node: "/b"}), send("arm")},
			states: back, goals: "arm: aborted restored", why: "/b is not fit to arm: /b/test answered no",
			calls: "none",
		},
		{
			name: "a service that says no while a rate is waited for", net: seldom, first: ways[1].way,
			tell:   []simnet.Beat{send("armed"), when(simnet.Shown("arming").Later(500*ms), simnet.Fail{Node: "/b"})},
			states: "activating active arming errorprocessing active", goals: "armed: aborted restored",
			why:   "/b is not fit to arm: /b/test answered no",
			calls: "activate a, activate b",
		},
		{
			name: "a service that says yes meanwhile", net: seldom, first: ways[1].way,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Fail{Node: "/b"}), send("armed"),
				when(simnet.Shown("arming").Later(500*ms), simnet.Fail{Node: "/b", Not: true}),
			},
			states: "activating active arming armed", goals: "armed: succeeded done",
		},
		{
			name: "a service that says no while a node arms", first: ways[2].way,
			scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: 2500 * ms}}}),
			net:     "simulation: x\nnodes:\n  /a: {checks: [{service: /a/test}]}\n  /b: {arm: {}, deadline: {arm: 10s}}\n",
			tell:    []simnet.Beat{send("arm"), when(simnet.Shown("arming").Later(500*ms), simnet.Fail{Node: "/a"})},
			states:  "arming errorprocessing active", goals: "arm: aborted restored",
			why:  "/a does not pass its check: /a/test answered no",
			ends: "active active",
		},
		{
			name: "a node that does not answer", net: checked, first: ways[2].way, keys: "last_resort: hold\n",
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("arm"),
				when(simnet.Shown("errorprocessing"), simnet.Thaw{Node: "/c"}),
			},
			states: back, goals: "arm: aborted restored", why: "/c does not answer get_state", calls: "none",
		},
		{
			name: "a lost node ends it at once", net: checked, first: ways[2].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/a"}), send("arm"),
				when(simnet.Shown("arming"), simnet.Kill{Node: "/c"})},
			states: "arming errorprocessing active", goals: "arm: aborted held", why: "left the graph",
			ends: "active active -", calls: "none",
		},
		{
			name: "so does one whose process is replaced, whatever else is known against it and others", net: checked,
			keys: "last_resort: hold\n", first: ways[2].way,
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Fail{Node: "/b"}), when(simnet.Then(), simnet.Freeze{Node: "/a"}),
				when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("arm"),
				when(simnet.Shown("arming").Later(500*ms), simnet.Respawn{Node: "/b"}),
				when(simnet.Shown("errorprocessing"), simnet.Thaw{Node: "/a"}),
				when(simnet.Then(), simnet.Thaw{Node: "/c"}), when(simnet.Then(), simnet.Kill{Node: "/b"}),
			},
			goals: "arm: aborted restored",
			why: "/b is not fit to arm: its process died and another took its place (see why its process ended, and send arm again), /b/test answered no: it has a fault (see what the service answers: ros2 service call /b/test std_srvs/srv/Trigger), /joints was counted for 400ms of 1s only (wait for that); " +
				"/a is not fit to arm: /scan was counted for 400ms of 1s only (wait for that); the network",
		},
		{
			name: "a node that left its place while checks were waited for", net: checked, first: ways[1].way,
			tell: []simnet.Beat{send("armed"),
				when(simnet.Shown("arming").Later(500*ms),
					simnet.Move{Node: "/c", To: lifecycle.Inactive, Quiet: true})},
			states: "activating active arming errorprocessing active", goals: "armed: aborted restored",
			why:   "/c is inactive, not active",
			calls: "activate a, activate b, activate c, activate c",
		},
		{
			name: "and another has failed it already", first: ways[2].way,
			net: "simulation: x\nnodes:\n  /a: {deadline: {arm: 1s}}\n  /b: {arm: {}}\n  /c: {deadline: {arm: 5s}}\n",
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Freeze{Node: "/a"}),
				when(simnet.Then(), simnet.Move{Node: "/c", To: lifecycle.Inactive, Quiet: true}),
				when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("arm"),
				when(simnet.Then().Later(2*time.Second), simnet.Thaw{Node: "/c"}),
				when(simnet.Shown("errorprocessing"), simnet.Thaw{Node: "/a"}),
			},
			goals: "arm: aborted restored",
			why:   "/a does not answer get_state (start it again if it hangs); /c is inactive, not active: arming starts no node (see its log)",
		},
		{
			name: "an optional node whose check fails is left out", first: ways[2].way,
			net:    "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {optional: true, arm: {}, checks: [{service: /b/test}]}\n",
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Fail{Node: "/b"}), send("arm")},
			states: "arming armed", goals: "arm: succeeded done", calls: "arm a", ends: "active* active",
		},
	})
}

// TestA1AProofIsTakenOnce: a node is read again, once, where its proof has become old while another was waited for.
func TestA1AProofIsTakenOnce(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {}\n  /b: {arm: {}}\n  /c: {deadline: {arm: 10s}}\n"
	refuses := one("/b", simnet.Script{Arm: []simnet.Reply{{No: true}}}) // so that it is not watched after that
	before := story{net: net, scripts: refuses, first: ways[2].way}.run(t).Reads("/a")
	for takes, want := range map[time.Duration]int{0: 1, 300 * ms: 1, 700 * ms: 2, 3500 * ms: 2} {
		trace := story{net: net, scripts: refuses, first: ways[2].way, tell: []simnet.Beat{
			when(simnet.Then().Later(time.Second), simnet.Freeze{Node: "/c"}), send("arm"),
			when(simnet.Shown("arming").Later(takes), simnet.Thaw{Node: "/c"}),
		}, goals: "arm: aborted restored"}.run(t)
		if got := trace.Reads("/a") - before; got != want {
			t.Errorf("/c answers after %v: /a was read %d times, want %d\n%v", takes, got, want, trace)
		}
	}
}

// TestA1EveryReasonAtOnce: who asked learns all that stands against arming, not the first of it.
func TestA1EveryReasonAtOnce(t *testing.T) {
	trace := story{
		net: checked, keys: "last_resort: hold\n", first: ways[2].way,
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Publish{Node: "/a"}),
			when(simnet.Then(), simnet.Publish{Node: "/b", Share: 0.2}), when(simnet.Then(), simnet.Fail{Node: "/b"}),
			when(simnet.Then(), simnet.Freeze{Node: "/c"}), send("arm"),
			when(simnet.Shown("errorprocessing"), simnet.Thaw{Node: "/c"}),
		},
		goals: "arm: aborted restored",
	}.run(t)
	said := trace.Goal("arm").Result.Message
	for _, reason := range []string{"/a is not fit to arm: /scan comes at 0 Hz, not 10 Hz", "/b/test answered no",
		"/joints comes at", "/c does not answer get_state"} {
		if !strings.Contains(said, reason) {
			t.Errorf("nothing was said of %q:\n%s", reason, said)
		}
	}
}

// TestA1ReasonsOfARejection: a node that is not in its place does not hide the checks that are known not to pass.
func TestA1ReasonsOfARejection(t *testing.T) {
	trace := story{
		net: checked, first: ways[2].way,
		tell: []simnet.Beat{
			when(simnet.Then(), simnet.Publish{Node: "/a"}),
			when(simnet.Then(), simnet.Move{Node: "/c", To: lifecycle.Inactive}),
			when(simnet.Then().Later(2*time.Second), simnet.Send{Command: "arm"}),
		},
	}.run(t)
	said := trace.Goal("arm").Why
	for _, reason := range []string{"/c is inactive, not active",
		"/a does not pass its check: /scan comes at 0 Hz, not 10 Hz"} {
		if !strings.Contains(said, reason) {
			t.Errorf("nothing was said of %q: %s", reason, said)
		}
	}
}

// TestA2ProofsAge: what an armed network rests on is looked at all the while. What fails, is silent, lost or elsewhere
// disarms it at once.
func TestA2ProofsAge(t *testing.T) {
	const probed = "simulation: x\nnodes:\n  /a: {probe: 10s}\n  /b: {arm: {}}\n  /c: {}\n"
	frozen := func(node string) []simnet.Beat { return []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: node})} }
	for _, r := range []struct {
		story
		in time.Duration // from the blow to the disarm; 0: there is none
	}{
		{story{name: "a frozen node that is armed", net: probed, tell: frozen("/b"), states: "disarming active"},
			500 * ms},
		{story{name: "one that has to prove itself", net: probed, tell: frozen("/a"), states: "disarming active"},
			500 * ms},
		{story{name: "with a shorter proof", net: probed, keys: "proof: 200ms\n", tell: frozen("/a"),
			states: "disarming active"}, 200 * ms},
		{story{name: "one that is only watched", net: probed, tell: frozen("/c"), states: "none"}, 0},
		{story{name: "a topic that falls silent", net: checked,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/b"})}, states: "disarming active"},
			400 * ms},
		{story{name: "a topic that becomes slow", net: checked,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/b", Share: 0.7})},
			states: "disarming active"}, time.Second},
		{story{name: "one that is fast enough", net: checked,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/b", Share: 0.85})}, states: "none"}, 0},
		{story{name: "a service that says no", net: checked,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Fail{Node: "/b"})}, states: "disarming active"}, 1010 * ms},
		{story{name: "a node that strays", net: checked,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/c", To: lifecycle.Inactive})},
			states: "disarming active"}, 10 * ms},
		{story{name: "the policy says what follows: restore", net: checked, keys: "defaults: {on_drift: restore}\n",
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/c", To: lifecycle.Inactive})},
			states: "disarming active", calls: "disarm b, activate c", ends: "active active active"}, 10 * ms},
	} {
		t.Run(r.name, func(t *testing.T) {
			r.first = armedAll
			trace := r.run(t)
			blow, disarm := trace.Marked, disarmed(trace)
			switch {
			case r.in == 0 && disarm > 0:
				t.Errorf("it was disarmed\n%v", trace)
			case r.in > 0 && (disarm < blow || disarm > blow+r.in):
				t.Errorf("what happened at %v was followed by a disarm at %v, want one within %v\n%v", blow, disarm,
					r.in, trace)
			}
		})
	}
}

// disarmed is when the first disarm after the story's beginning went out; 0: none did.
func disarmed(trace *simnet.Trace) time.Duration {
	for _, c := range trace.Calls {
		if c.Do == "disarm" && c.At >= trace.Marked {
			return c.At
		}
	}
	return 0
}

// TestA2NobodyStaysArmedWhileOthersAreArmed: proofs age from the first arming on, not only once all are armed.
func TestA2NobodyStaysArmedWhileOthersAreArmed(t *testing.T) {
	const two = "simulation: x\nlast_resort: hold\nnodes:\n  /a: {arm: {}}\n  /b: {after: [/a], arm: {}}\n"
	play(t, []story{
		{
			name: "the first freezes while the second takes its time", net: two, first: ways[2].way,
			scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: 1900 * ms}}}),
			tell: []simnet.Beat{
				send("arm"), when(simnet.Called("arm", "/b"), simnet.Freeze{Node: "/a"}),
				when(simnet.Shown("errorprocessing"), simnet.Thaw{Node: "/a"}),
			},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			why: "/a has not shown for more than 5", ends: "active active",
		},
		{
			name: "one that is busy with its own arming is given time", net: two, first: ways[2].way,
			scripts: one("/b", simnet.Script{Arm: []simnet.Reply{{Takes: 1900 * ms}}}),
			tell:    []simnet.Beat{send("arm")},
			states:  "arming armed", goals: "arm: succeeded done", ends: "active* active*",
		},
	})
}

// TestS3ThreeProbesWithoutAnAnswer: outside armed a node that has a probe is lost when three in a row were not
// answered, and is found when it speaks again. One that is busy with what was asked of it is not lost.
func TestS3ThreeProbesWithoutAnAnswer(t *testing.T) {
	const probed = "simulation: x\nnodes:\n  /a: {probe: 2s}\n  /b: {}\n"
	freeze, thaw := when(simnet.Then(), simnet.Freeze{Node: "/a"}), simnet.Thaw{Node: "/a"}
	for _, r := range []struct {
		story
		intact bool
	}{
		{story{name: "after three", tell: []simnet.Beat{freeze}, opt: simnet.Options{Rest: 9 * time.Second}}, false},
		{story{name: "not after two", tell: []simnet.Beat{freeze, when(simnet.Then().Later(5*time.Second), thaw)}},
			true},
		{story{name: "found again", tell: []simnet.Beat{freeze, when(simnet.Then().Later(9*time.Second), thaw)}}, true},
		{story{name: "the policy is that of loss",
			keys: "defaults: {on_loss: error, on_drift: report}\nlast_resort: hold\n", tell: []simnet.Beat{freeze},
			opt:    simnet.Options{Rest: 60 * time.Second},
			states: "errorprocessing unconfigured"}, false},
	} {
		t.Run(r.name, func(t *testing.T) {
			r.net, r.first = probed, ways[1].way
			trace := r.run(t)
			if trace.Last.Intact != r.intact {
				t.Errorf("intact: %v, want %v: %v\n%v", trace.Last.Intact, r.intact, trace.Last.Deviations, trace)
			}
			said := 0
			for _, e := range trace.Entries {
				if e.Kind == engine.EntryNode && strings.Contains(e.Sentence, "/a is lost") {
					said++
				}
			}
			if said > 1 || (said == 0 && !r.intact && r.states == "") {
				t.Errorf("the journal says %d times that /a is lost\n%v", said, trace)
			}
		})
	}
}

// TestFailingChecksAreShown: in ~/state, from active up.
func TestFailingChecksAreShown(t *testing.T) {
	trace := story{net: checked, first: ways[2].way,
		tell: []simnet.Beat{when(simnet.Then(), simnet.Publish{Node: "/a"})}, states: "none"}.run(t)
	if got := trace.Last.Nodes[0].Failing; len(got) != 1 || !strings.Contains(got[0], "/scan comes at 0 Hz") ||
		!trace.Last.Intact {
		t.Errorf("failing: %v, intact: %v\n%v", got, trace.Last.Intact, trace)
	}
}

// TestA6TheLease: it is renewed ten times a second, on proofs that are good, from the first arming to the disarm, with
// a higher term each time; a node that is gone may be armed until it has run out.
func TestA6TheLease(t *testing.T) {
	leases := func(trace *simnet.Trace) (list []simnet.Leased) {
		for _, l := range trace.Leases {
			if l.At >= trace.Marked {
				list = append(list, l)
			}
		}
		return list
	}
	t.Run("renewed while armed", func(t *testing.T) {
		trace := story{
			first: ways[2].way, states: "arming armed disarming active arming armed",
			tell: []simnet.Beat{send("arm"),
				when(simnet.Ended("arm").Later(3*time.Second), simnet.Send{Command: "disarm"}),
				when(simnet.Ended("disarm").Later(3*time.Second), simnet.Send{Command: "arm", Handle: "again"})},
		}.run(t)
		terms := map[uint64]int{}
		var last simnet.Leased
		for _, l := range leases(trace) {
			if last.Term == l.Term && (l.Seq != last.Seq+1 || l.At-last.At > 101*ms || l.Proved < last.Proved ||
				l.At-l.Proved > 120*ms) {
				t.Errorf("at %v %+v, after %+v at %v", l.At, l.Message, last.Message, last.At)
			}
			terms[l.Term]++
			last = l
		}
		if len(terms) != 2 || terms[1] < 30 || terms[1] > 32 || terms[2] < 30 {
			t.Errorf("messages by term: %v\n%v", terms, trace)
		}
	})
	t.Run("not on a proof that is too old", func(t *testing.T) {
		trace := story{first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/arm_driver"})},
			states: "disarming active"}.run(t)
		for _, l := range leases(trace) {
			if l.Proved > trace.Marked {
				t.Errorf("at %v it vouches for %v, and nothing was heard since %v", l.At, l.Proved, trace.Marked)
			}
		}
	})
	t.Run("a node that is gone may be armed until it has run out", func(t *testing.T) {
		trace := story{first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.Part{Node: "/arm_driver"})},
			states: "disarming active", opt: simnet.Options{Notice: 10 * ms}}.run(t)
		settled := trace.Shown[len(trace.Shown)-1]
		if took := settled - trace.Marked; took < 400*ms || took > 700*ms || trace.Last.Nodes[3].Armed != "disarmed" {
			t.Errorf("it was over after %v; armed: %s\n%v", took, trace.Last.Nodes[3].Armed, trace)
		}
		// with the time that the fastest message may take
		if ends := trace.Leases[len(trace.Leases)-1].Proved + 600*ms; settled < ends {
			t.Errorf("it was over at %v, and the last lease may hold until %v\n%v", settled, ends, trace)
		}
	})
	t.Run("a crash", func(t *testing.T) {
		story{first: armedAll, tell: []simnet.Beat{when(simnet.Then(), simnet.Crash{DownFor: 10 * time.Second})},
			ends: "active active active active"}.run(t)
	})
	t.Run("another's term", func(t *testing.T) {
		trace := story{first: ways[2].way,
			tell:   []simnet.Beat{when(simnet.Then(), simnet.OtherLease{Term: 41}), send("arm")},
			states: "arming armed"}.run(t)
		if list := leases(trace); len(list) == 0 || list[0].Term != 42 {
			t.Errorf("leases: %v", list)
		}
	})
}

// TestA1Authority: where the file asks for authority nothing is armed without it, by whatever name it is asked for; all
// else takes none.
func TestA1Authority(t *testing.T) {
	const secret = "arming: {secret_file: key}\n"
	without := func(command string) simnet.Beat {
		return when(simnet.Then(), simnet.Send{Command: command, Unauthorized: true})
	}
	play(t, []story{
		{name: "arm without it", keys: secret, first: ways[2].way, tell: []simnet.Beat{without("arm")},
			goals: "arm: rejected", why: "asks for authority", calls: "none", states: "none"},
		{name: "a path without it", keys: secret, first: ways[1].way, tell: []simnet.Beat{without("armed")},
			goals: "armed: rejected", why: "asks for authority", calls: "none", states: "none"},
		{name: "nor is anything else known to be right", keys: secret, first: ways[2].way,
			scripts: one("/lidar", simnet.Script{}),
			tell: []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/lidar"}),
				when(simnet.Then().Later(30*time.Second), simnet.Send{Command: "arm", Unauthorized: true})},
			goals: "arm: rejected", why: "; the network is not intact", calls: "none"},
		{name: "with it", keys: secret, first: ways[2].way, tell: []simnet.Beat{send("arm")},
			goals: "arm: succeeded done"},
		{name: "no authority is asked for", first: ways[2].way, tell: []simnet.Beat{without("arm")},
			goals: "arm: succeeded done"},
		{name: "disarming takes none", keys: secret, first: ways[3].way, tell: []simnet.Beat{without("inactive")},
			goals: "inactive: succeeded done"},
	})
}

// TestA1ArmsWhatIsThere: an arming that would arm nothing is refused, or fails.
func TestA1ArmsWhatIsThere(t *testing.T) {
	const lone = "simulation: x\nnodes:\n  /base: {}\n  /arm: {optional: true, arm: {}}\n"
	absent := one("/arm", simnet.Script{Never: true})
	play(t, []story{
		{
			name: "the only node that can be armed is absent", scripts: absent, first: ways[2].way,
			tell:  []simnet.Beat{send("arm")},
			goals: "arm: rejected", why: "nothing can be armed: /arm is not there", states: "none", calls: "none",
		},
		{
			name: "on the way to armed", scripts: absent, tell: []simnet.Beat{here, send("armed")},
			states: "configuring inactive activating active", goals: "armed: aborted done",
			why: "nothing can be armed: /arm is not there",
		},
		{
			name: "it refuses", scripts: one("/arm", simnet.Script{Arm: []simnet.Reply{{No: true}}}),
			first: ways[2].way, tell: []simnet.Beat{send("arm")},
			states: "arming errorprocessing active", goals: "arm: aborted restored",
			why: "/arm was not armed, and nothing else can be: arm: answered no",
		},
		{
			name: "it is there, and not active", scripts: one("/arm", on("activate", simnet.On{End: simnet.Refuse})),
			first: ways[2].way,
			tell:  []simnet.Beat{send("arm")}, states: "arming errorprocessing active", goals: "arm: aborted restored",
			why: "/arm was not armed",
		},
		{
			name:    "it arms, and does not say so",
			scripts: one("/arm", simnet.Script{Parallel: true, Arm: []simnet.Reply{{Mute: true}}}), first: ways[2].way,
			tell: []simnet.Beat{send("arm")}, states: "arming errorprocessing active", goals: "arm: aborted restored",
			why: "/arm was not armed, and nothing else can be: no answer to arm in 2s", ends: "active active",
		},
		{name: "it is there", first: ways[2].way, tell: []simnet.Beat{send("arm")}, goals: "arm: succeeded done",
			ends: "active active*"},
	}, func(s *story) { s.net = lone })
	trace := story{net: lone, scripts: absent, first: ways[2].way, tell: []simnet.Beat{send("configure")},
		goals: "configure: rejected"}.run(t)
	if legal := trace.Goal("configure").Legal; slices.Contains(legal, "arm") {
		t.Errorf("arm would be rejected, and is listed as legal: %v", legal)
	}
}

// TestA9UnsafeNames: what must not be there unless armed keeps Arm away, and has to go while the network is disarmed.
func TestA9UnsafeNames(t *testing.T) {
	const moves = "simulation: x\nnodes:\n  /a: {arm: {}, unsafe: [/a/move]}\n  /b: {optional: true, unsafe: [/b/move]}\n"
	offers := func(node string) simnet.Beat { return when(simnet.Then(), simnet.Advertise{Node: node}) }
	arm := when(simnet.Then().Later(100*ms), simnet.Send{Command: "arm"})
	play(t, []story{
		{name: "only while armed", first: ways[2].way,
			tell: []simnet.Beat{send("arm"),
				when(simnet.Ended("arm").Later(time.Second), simnet.Send{Command: "disarm"})},
			goals: "arm: succeeded done, disarm: succeeded done"},
		{name: "offered before", first: ways[2].way, tell: []simnet.Beat{offers("/a"), arm}, goals: "arm: rejected",
			why: "/a advertises /a/move although it is not armed", calls: "none"},
		{name: "by one that is optional", first: ways[2].way, tell: []simnet.Beat{offers("/b"), arm},
			goals: "arm: rejected", why: "/b advertises /b/move"},
		{name: "while the journal is waited for", first: ways[2].way,
			opt: simnet.Options{Disk: simnet.Disk{Takes: 500 * ms}},
			tell: []simnet.Beat{send("arm"),
				when(simnet.Shown("arming").Later(100*ms), simnet.Advertise{Node: "/b"})},
			states: "arming errorprocessing active", goals: "arm: aborted restored", why: "/b advertises /b/move",
			calls: "none"},
		{name: "it does not go with the disarm", first: ways[3].way,
			tell:   []simnet.Beat{offers("/a"), when(simnet.Then().Later(100*ms), simnet.Send{Command: "disarm"})},
			states: "disarming active", goals: "disarm: aborted held", why: "/a still advertises /a/move"},
		{name: "it goes a little later", first: ways[3].way,
			tell: []simnet.Beat{offers("/a"), send("disarm"),
				when(simnet.Shown("disarming").Later(time.Second), simnet.Advertise{Node: "/a", Not: true})},
			states: "disarming active", goals: "disarm: succeeded done"},
	}, func(s *story) { s.net = moves })
	trace := story{net: moves, first: ways[2].way, tell: []simnet.Beat{offers("/a")}}.run(t)
	if trace.Last.Intact {
		t.Errorf("it calls itself intact while something unsafe is offered\n%v", trace)
	}
}

// TestA8AfterAStall: a process that stood still believes nothing of before, holds no lease, does nothing that was asked
// for meanwhile, and reads and joins as at a start.
func TestA8AfterAStall(t *testing.T) {
	stall := when(simnet.Then(), simnet.Stall{For: 2 * time.Second})
	asks := func(command string) simnet.Beat {
		return when(simnet.Then().Later(time.Second), simnet.Send{Command: command})
	}
	play(t, []story{
		{
			name: "armed", first: ways[3].way, tell: []simnet.Beat{stall}, states: "unknown active",
			calls: "disarm arm_driver", ends: "active active active active",
		},
		{
			name: "a goal from before", first: ways[2].way, tell: []simnet.Beat{stall, asks("arm")},
			states: "unknown active", goals: "arm: rejected",
			why:   "the process did not run for 2.0 s, and the nodes have not all been read yet",
			calls: "disarm arm_driver",
		},
		{
			name: "one that runs", first: ways[1].way,
			scripts: one("/slam", on("activate", simnet.On{Takes: time.Second})), keys: "startup: hold\n",
			tell: []simnet.Beat{send("activate"),
				when(simnet.Begun("activate", "/slam"), simnet.Stall{For: 2 * time.Second})},
			states: "activating unknown inactive", goals: "activate: aborted preempted",
			why: "the process did not run for 2.0 s",
		},
		{
			name: "a shutting down goes on", first: ways[2].way,
			scripts: one("/slam", on("shutdown", simnet.On{Takes: time.Second})), exit: 1,
			tell: []simnet.Beat{send("shutdown"),
				when(simnet.Begun("shutdown", "/slam"), simnet.Stall{For: 2 * time.Second})},
			states: "shuttingdown finalized", goals: "shutdown: succeeded done",
			ends: "finalized finalized finalized finalized",
		},
		{
			name: "a third of a second is none", first: ways[2].way,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Stall{For: 350 * ms})}, states: "none",
		},
	})
}

// TestA7WhoStaysArmedIsNamed: each arming of a node that follows no lease warns the client, and the
// state shows the node.
func TestA7WhoStaysArmedIsNamed(t *testing.T) {
	const none = "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}}\n  /b: {arm: {}}\n"
	trace := story{net: none, first: ways[2].way, tell: []simnet.Beat{send("arm")}, goals: "arm: succeeded done",
		why: "; /a stays armed if rstate dies"}.run(t)
	if got := trace.Last.Warnings; len(got) != 1 || !strings.HasPrefix(got[0], "/a stays armed if rstate dies") {
		t.Errorf("warnings: %v", got)
	}
	trace = story{net: none, first: armedAll, tell: []simnet.Beat{send("disarm")},
		goals: "disarm: succeeded done"}.run(t)
	if got := trace.Last.Warnings; len(got) > 0 ||
		strings.Contains(trace.Goal("disarm").Result.Message, "stays armed") {
		t.Errorf("disarmed, and warnings: %v", got)
	}
}

// TestA2WhoIsOnlyWatchedIsNamed: while something is armed, the state names the required nodes that
// the daemon does not probe, and what that means for how soon their loss is noticed.
func TestA2WhoIsOnlyWatchedIsNamed(t *testing.T) {
	const net = "simulation: x\nnodes:\n  /a: {}\n  /b: {arm: {}}\n  /c: {probe: 1s}\n  /d: {optional: true}\n  /e: {checks: [{service: /e/test}]}\n  /f: {lifecycle: false}\n"
	trace := story{net: net, first: ways[2].way, tell: []simnet.Beat{send("arm")}, goals: "arm: succeeded done"}.run(t)
	if got := trace.Last.Warnings; len(got) != 1 ||
		!strings.HasPrefix(got[0], "while armed, no proof is asked of /a:") {
		t.Errorf("warnings: %v", got)
	}
	trace = story{net: net, first: armedAll, tell: []simnet.Beat{send("disarm")},
		goals: "disarm: succeeded done"}.run(t)
	if got := trace.Last.Warnings; len(got) > 0 {
		t.Errorf("disarmed, and warnings: %v", got)
	}
}
