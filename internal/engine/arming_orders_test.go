package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/simnet"
)

// ordered is a status of /b that counts its orders to disarm.
func ordered(state string, seen []mirror.Seen, orders int) simnet.Act {
	return told(state, seen, func(s *mirror.Status) { s.Orders = knows("b 1", orders) })
}

// TestC4AnOrderJoinsADisarmThatRuns: it makes that go one way, and neither ends its goal nor begins another disarm.
func TestC4AnOrderJoinsADisarmThatRuns(t *testing.T) {
	slow := one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: 1500 * ms}}})
	order := []simnet.Beat{when(simnet.Then(), ordered("active", nil, 0)), when(simnet.Then(), simnet.Nothing{})}
	play(t, []story{
		{
			name: "its goal goes on", first: ways[3].way, scripts: slow,
			tell: append(order, send("disarm"),
				when(simnet.Called("disarm", "/arm_driver").Later(300*ms), ordered("active", nil, 1))),
			states: "disarming active", goals: "disarm: aborted peers_behind", why: "peers behind: /b has not",
		},
		{
			name: "a goal for a lower state cannot be cancelled any more", first: ways[3].way, scripts: slow,
			tell: append(order, send("inactive"),
				when(simnet.Called("disarm", "/arm_driver").Later(300*ms), ordered("active", nil, 1)),
				when(simnet.Then().Later(100*ms), simnet.Cancel{Handle: "inactive"})),
			states: "disarming active deactivating inactive", goals: "inactive: succeeded done",
		},
		{
			name: "without the order it can", first: ways[3].way, scripts: slow,
			tell: append(order, send("inactive"),
				when(simnet.Called("disarm", "/arm_driver").Later(400*ms), simnet.Cancel{Handle: "inactive"})),
			states: "disarming active", goals: "inactive: canceled canceled",
		},
	})
}

// TestC4APeerThatEndsHasConfirmedIfNothingMayBeArmedThere, and is named otherwise.
func TestC4APeerThatEndsHasConfirmedIfNothingMayBeArmedThere(t *testing.T) {
	ends := func(armed ...string) simnet.Act {
		return told("active", nil, func(s *mirror.Status) { s.Leaving, s.MayBeArmed = true, armed })
	}
	disarm := when(simnet.Then().Later(100*ms), simnet.Send{Command: "disarm"})
	play(t, []story{
		{name: "nothing may be armed", first: ways[2].way, tell: []simnet.Beat{when(simnet.Then(), ends()), disarm},
			goals: "disarm: succeeded already"},
		{
			name: "a node may be armed", first: ways[2].way,
			tell:  []simnet.Beat{when(simnet.Then(), ends("/b_arm")), disarm},
			goals: "disarm: aborted peers_behind", why: "/b has not heard of the disarm",
		},
	})
}

// TestS1AnOrderBeforeTheNameIsOwnedWritesNothing: another instance of the name may have armed the node.
func TestS1AnOrderBeforeTheNameIsOwnedWritesNothing(t *testing.T) {
	trace := story{
		scripts: map[string]simnet.Script{"/arm_driver": {State: lifecycle.Active, Armed: true}},
		opt:     simnet.Options{Listen: engine.Listen{Least: 2 * time.Second, Most: 3 * time.Second}},
		early: []simnet.Beat{when(simnet.At(500*ms), ordered("active", nil, 0)),
			when(simnet.At(600*ms), ordered("active", nil, 1))},
	}.run(t)
	for _, c := range trace.Calls {
		if c.Do == "disarm" && c.At < 2*time.Second {
			t.Errorf("a disarm was sent %v after the start\n%v", c.At, trace)
		}
	}
}

// ofAnother makes a message of /b one of /c.
func ofAnother(a simnet.Act) simnet.Act {
	h, _ := a.(simnet.Hear)
	switch in := h.In.(type) {
	case engine.PeerTold:
		in.Status.Name, in.Status.Instance = "/c", "c 1"
		h.In = in
	case engine.PeerChanged:
		in.Change.Name, in.Change.Instance = "/c", "c 1"
		h.In = in
	case engine.PeerLost:
		in.Name, in.Instance = "/c", "c 1"
		h.In = in
	}
	return h
}

// TestA1TheLossOfItsMakerEndsAnArm that waits for a command here, or that runs while another peer has armed as well. It
// is not followed when that peer is back.
func TestA1TheLossOfItsMakerEndsAnArm(t *testing.T) {
	seen, more := knows("instance 1", 2, "b 1", 1), knows("instance 1", 2, "b 1", 1, "c 1", 1)
	follows := []simnet.Beat{
		when(simnet.Then(), told("inactive", nil)),
		when(simnet.Then(), heard("inactive", "activate", "active", knows("instance 1", 1, "b 1", 1))),
		when(simnet.Called("activate", "/slam").Later(100*ms),
			heard("active", "arm", "armed", knows("instance 1", 1, "b 1", 2))),
	}
	arms := told("armed", knows("instance 1", 1, "b 1", 2))
	slow := one("/slam", on("activate", simnet.On{Takes: time.Second}))
	play(t, []story{
		{
			name: "it waits, and is followed", first: ways[1].way, scripts: slow,
			states: "activating active arming armed",
			tell:   append(follows, when(simnet.Then(), arms), when(simnet.Then().Later(500*ms), arms)),
		},
		{
			name: "it waits, and the peer is lost and comes back", first: ways[1].way, scripts: slow,
			states: "activating active",
			tell: append(follows, when(simnet.Then(), arms), when(simnet.Then().Later(300*ms), lost()),
				when(simnet.Then().Later(200*ms), arms)),
		},
		{
			name: "it runs, and another peer has armed as well", first: ways[2].way,
			scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: time.Second}}}),
			tell: []simnet.Beat{
				when(simnet.Then(), told("active", nil)), when(simnet.Then(), ofAnother(told("active", nil))),
				when(simnet.Then(), heard("active", "arm", "armed", seen)), when(simnet.Then(), told("armed", seen)),
				when(simnet.Called("arm", "/arm_driver").Later(100*ms),
					ofAnother(heard("active", "arm", "armed", more))), when(simnet.Then().Later(100*ms), lost()),
			},
			states: "arming errorprocessing active", ends: "active active active active",
		},
	})
}

// TestA5TheLossOfItsMakerIsRemembered: a network that a peer has armed, which was lost, does not turn back to armed,
// also if another peer was lost after it, and it is back.
func TestA5TheLossOfItsMakerIsRemembered(t *testing.T) {
	seen := knows("instance 1", 2, "b 1", 1)
	story{
		first: ways[2].way, scripts: one("/arm_driver", simnet.Script{Disarm: []simnet.Reply{{Takes: time.Second}}}),
		tell: []simnet.Beat{
			when(simnet.Then(), told("active", nil)), when(simnet.Then(), ofAnother(told("active", nil))),
			when(simnet.Then(), heard("active", "arm", "armed", seen)), when(simnet.Then(), told("armed", seen)),
			when(simnet.Shown("armed").Later(100*ms), lost()), when(simnet.Then().Later(100*ms), ofAnother(lost())),
			when(simnet.Then().Later(100*ms), told("armed", seen)),
			when(simnet.Then().Later(100*ms), simnet.Send{Command: "disarm"}),
			when(simnet.Then().Later(100*ms), simnet.Cancel{Handle: "disarm"}),
		},
		states: "arming armed disarming active", ends: "active active active active",
	}.run(t)
}

// TestA1ARejectionLeavesOutChecksOfOptionalNodes: arming does not need them, so they are no reason. That of a required
// node is.
func TestA1ARejectionLeavesOutChecksOfOptionalNodes(t *testing.T) {
	for _, c := range []struct {
		optional string
		named    bool
	}{{"true", false}, {"false", true}} {
		trace := story{
			net: "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {}\n  /c: {optional: " + c.optional +
				", checks: [{topic: /scan, rate: 10Hz}]}\n",
			first: ways[2].way, goals: "arm: rejected", why: "/b is inactive, not active",
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Publish{Node: "/c", Share: 0.1}),
				when(simnet.Then(), simnet.Move{Node: "/b", To: lifecycle.Inactive}),
				when(simnet.Then().Later(4*time.Second), simnet.Send{Command: "arm"}),
			},
		}.run(t)
		if named := strings.Contains(trace.Goal("arm").Why, "/scan"); named != c.named {
			t.Errorf("the check of a node that is optional (%s) is named: %v\n%s", c.optional, named,
				trace.Goal("arm").Why)
		}
	}
}

// TestA2ABusyNodeOwesNoProofUpToItsDeadline: at the deadline itself the arming ends for want of an answer, not of a
// proof.
func TestA2ABusyNodeOwesNoProofUpToItsDeadline(t *testing.T) {
	story{
		first: ways[2].way, scripts: one("/arm_driver", simnet.Script{Arm: []simnet.Reply{{Takes: 10 * time.Second}}}),
		tell:  []simnet.Beat{send("arm")},
		goals: "arm: aborted restored", why: "/arm_driver no answer to arm in 2s",
	}.run(t)
}
