package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/mirror"
	"rstate/internal/simnet"
)

// otherMachine is one that peers with the preset do not mirror.
const otherMachine = "extends: rstate\nstates:\n  parked: {nodes: inactive}\ntransitions:\n  park: {from: [active], to: parked}\n  unpark: {from: [parked], to: inactive}\n"

// TestC4AnEmergencyStopIsNeverRefused: a disarm is accepted at every instance, and every instance that hears of it
// disarms, whatever runs there.
func TestC4AnEmergencyStopIsNeverRefused(t *testing.T) {
	slow := []simnet.Reply{{Takes: 1500 * ms}}
	arms := []simnet.Beat{asks(2, "arm")}
	cast(t, []several{
		{name: "while another instance is arming", all: []instance{
			{script: up, arm: slow, tell: arms, goals: "arm 2: aborted superseded", why: "superseded by /b: disarm",
				states: "arming disarming active", ends: "active, wants "},
			{script: up, tell: []simnet.Beat{asks(2.5, "disarm")}, goals: "disarm 2.5: aborted peers_behind",
				why: "peers behind: /a may still be armed: /a_arm", states: "none", ends: "active, wants "},
		}},
		{name: "while another instance is on its way to arm", all: []instance{
			{
				script: simnet.Script{State: in, On: []simnet.On{{Do: "activate", Takes: time.Second}}},
				tell:   []simnet.Beat{asks(2, "armed")},
				goals:  "armed 2: aborted superseded", ends: "inactive, wants ",
			},
			{script: simnet.Script{State: in}, tell: []simnet.Beat{asks(2.5, "disarm")},
				goals: "disarm 2.5: succeeded already", ends: "inactive, wants "},
		}},
		{name: "twice", all: []instance{
			{script: up, tell: arms, ends: "active, wants active"},
			{script: up, tell: []simnet.Beat{asks(4, "disarm"), asks(4.5, "disarm")},
				goals: "disarm 4: succeeded done, disarm 4.5: succeeded already"},
		}},
		{name: "from a peer with another machine", all: []instance{
			{script: up, tell: arms, states: "arming armed disarming active", ends: "active, wants active",
				history: "disarm: from armed to active, mirrored from /b"},
			{keys: otherMachine, script: up, tell: []simnet.Beat{asks(4, "disarm")},
				goals: "disarm 4: succeeded already"},
		}},
		{name: "while a lowering that arms nothing runs", all: []instance{
			{script: simnet.Script{State: ac, On: []simnet.On{{Do: "deactivate", Takes: time.Second}}},
				tell: []simnet.Beat{asks(2, "deactivate")}, goals: "deactivate 2: succeeded done"},
			{script: up, tell: []simnet.Beat{asks(2.5, "disarm")}, goals: "disarm 2.5: succeeded already",
				ends: "inactive, wants inactive"},
		}},
		{name: "while a raising that arms nothing runs, which goes on", all: []instance{
			{script: simnet.Script{State: in, On: []simnet.On{{Do: "activate", Takes: time.Second}}},
				tell: []simnet.Beat{asks(2, "activate")}, goals: "activate 2: succeeded done"},
			{script: simnet.Script{State: in}, tell: []simnet.Beat{asks(2.5, "disarm")},
				goals: "disarm 2.5: succeeded already", ends: "active, wants active"},
		}},
		{name: "then it can be armed again", all: []instance{
			{script: up, tell: append(arms, asks(6, "arm")), goals: "arm 2: succeeded done, arm 6: succeeded done",
				ends: "armed, wants armed"},
			{script: up, tell: []simnet.Beat{asks(4, "disarm")}, ends: "armed, wants armed"},
		}},
		{name: "what was ordered before an instance started is only noted", all: []instance{
			{script: up, tell: []simnet.Beat{asks(1, "disarm"), asks(1.2, "disarm"), asks(8, "arm")},
				ends: "armed, wants armed"},
			{script: up, tell: []simnet.Beat{does(2, simnet.Crash{DownFor: time.Second})}, ends: "armed, wants armed"},
		}},
		{name: "one that no peer has heard before its instance ended", all: []instance{
			{script: up, tell: arms, states: "arming armed disarming active", ends: "active, wants active",
				history: "/b passes on an order to disarm"},
			{
				script: up, ends: "active, wants active",
				tell: []simnet.Beat{does(3.9, simnet.Cut{Sides: []int{0, 1}}), asks(4, "disarm"),
					does(4.1, simnet.Crash{DownFor: 500 * ms}), does(7, simnet.Heal{})},
			},
		}},
	})
}

// TestC4TheResultNamesWhoHasNotConfirmed: it waits a second for living peers.
func TestC4TheResultNamesWhoHasNotConfirmed(t *testing.T) {
	first, arms := simnet.Reply{}, []simnet.Beat{asks(2, "arm")}
	cast(t, []several{
		{name: "a peer whose node is slow", all: []instance{
			{script: up, tell: append(arms, asks(4, "disarm")),
				goals: "arm 2: succeeded done, disarm 4: aborted peers_behind",
				why:   "peers behind: /b may still be armed: /b_arm"},
			{script: up, disarm: []simnet.Reply{first, {Takes: 1500 * ms}}},
		}},
		{name: "a peer that is cut off", all: []instance{
			{script: up, tell: append(arms, does(4, simnet.Cut{Sides: []int{0, 1}}), asks(4.1, "disarm"),
				does(8, simnet.Heal{})), goals: "arm 2: succeeded done, disarm 4.1: aborted peers_behind",
				why: "peers behind: /b is lost: "},
			{script: up, states: "arming armed disarming active", ends: "active, wants active"},
		}},
		{name: "a later arm supersedes it, and what may be armed is named", all: []instance{
			{script: up, tell: append(arms, asks(4, "disarm"), asks(4.5, "arm")),
				goals: "arm 2: succeeded done, disarm 4: aborted superseded, arm 4.5: succeeded done"},
			{script: up, disarm: []simnet.Reply{first, {Takes: 900 * ms}}},
		}},
	})
	trace := several{all: []instance{
		{script: up, tell: append(arms, asks(4, "disarm"), asks(4.5, "arm"))},
		{script: up, disarm: []simnet.Reply{first, {Takes: 900 * ms}}},
	}}.run(t)
	if words := trace.Worlds[0].Goal("disarm 4").Result.Message; !strings.Contains(words, "may be armed: ") {
		t.Errorf("it does not name what may be armed: %q", words)
	}
}

// TestC4AnOrderMakesADisarmGoOneWay: a disarm that another instance has joined never leads back to armed.
func TestC4AnOrderMakesADisarmGoOneWay(t *testing.T) {
	slow := []simnet.Reply{{}, {Takes: 1500 * ms}}
	cast(t, []several{{name: "cancelled", all: []instance{
		{
			script: up, disarm: slow, ends: "active, wants active", not: "back to armed",
			tell: []simnet.Beat{asks(2, "arm"), asks(4, "disarm"), does(5, simnet.Cancel{Handle: "disarm 4"})},
		},
		{script: up, tell: []simnet.Beat{asks(4.5, "disarm")}, ends: "active, wants active"},
	}}})
}

// TestA5ADisarmTurnsBackOnlyWhileItsMakerIsArmed: a node refuses to disarm in a network that was armed by the change of
// a peer. If that peer has disarmed for itself since, nothing arms again.
func TestA5ADisarmTurnsBackOnlyWhileItsMakerIsArmed(t *testing.T) {
	refuses := []simnet.Reply{{}, {No: true}, {}} // the first one at the start
	arms, dies := asks(2, "arm"), does(4, simnet.Kill{Node: "/a_arm"})
	cast(t, []several{
		{name: "the peer is armed", all: []instance{
			{script: up, tell: []simnet.Beat{arms}},
			{script: up, disarm: refuses, tell: []simnet.Beat{asks(6, "disarm")}, goals: "disarm 6: aborted restored",
				states: "arming armed disarming arming armed"},
		}},
		{name: "the peer is armed, and another one is lost", all: []instance{
			{script: up, tell: []simnet.Beat{arms}},
			{script: up, disarm: refuses, tell: []simnet.Beat{asks(12, "disarm")}, goals: "disarm 12: aborted restored",
				states: "arming armed disarming arming armed"},
			{script: up, tell: []simnet.Beat{does(4, simnet.Crash{DownFor: time.Minute})}},
		}},
		{name: "the peer has lost its node and has disarmed", all: []instance{
			{script: up, tell: []simnet.Beat{arms, dies}},
			{script: up, disarm: refuses, tell: []simnet.Beat{asks(6, "disarm")},
				states: "arming armed disarming active"},
		}},
	})
}

// TestP7AnArmIsFollowedOnlyWhileItIsNew: an instance that is ready only 8 s after its peer has armed does not arm by
// itself, whether that peer lives or not.
func TestP7AnArmIsFollowedOnlyWhileItIsNew(t *testing.T) {
	late := simnet.Script{On: []simnet.On{{Do: "activate", Takes: 8 * time.Second}}}
	to := asks(2, "armed")
	trace := several{all: []instance{
		{tell: []simnet.Beat{to}, ends: "armed, wants armed"},
		{long: true, script: late, not: "is asked to arm", ends: "active, wants armed, behind"},
	}}.run(t)
	if w := strings.Join(trace.Worlds[1].Last.Warnings, "\n"); !strings.Contains(w,
		"which is too old to follow; send arm") {
		t.Errorf("it does not say why it is behind: %q", w)
	}
	cast(t, []several{
		{name: "the peer and its node are killed", all: []instance{
			{tell: []simnet.Beat{to, does(3.5, simnet.Kill{Node: "/a_arm"}),
				does(3.5, simnet.Crash{DownFor: 60 * time.Second})}},
			{long: true, script: late, not: "is asked to arm", ends: "active, wants armed, behind"},
		}},
		{name: "the peer lives, and this one is quick enough", all: []instance{
			{tell: []simnet.Beat{to}, ends: "armed, wants armed"},
			{long: true, script: simnet.Script{On: []simnet.On{{Do: "activate", Takes: time.Second}}},
				ends: "armed, wants armed"},
		}},
	})
}

// TestP7TheMakerVouchesForEachRequest: a peer that is not armed any more when a node is to be asked permits nothing,
// also if its disarm has not come yet.
func TestP7TheMakerVouchesForEachRequest(t *testing.T) {
	seen := knows("instance 1", 2, "b 1", 1)
	for name, c := range map[string]struct {
		then  simnet.Act
		armed bool
	}{
		"it is still armed": {told("armed", seen), true},
		"it is disarming": {told("armed", seen, func(s *mirror.Status) { s.State, s.Settled = "disarming", false }),
			false},
		"it is lost": {lost(), false},
		"it ends":    {told("armed", seen, func(s *mirror.Status) { s.Leaving = true }), false},
		"it speaks as another run": {simnet.Hear{In: engine.PeerTold{Status: mirror.Status{
			Name: "/b", Instance: "b 2", State: "unknown", Target: "unknown", Machine: "rstate", Hash: rstateHash,
		}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			trace := story{first: []string{"configure", "activate"}, tell: []simnet.Beat{
				when(simnet.Then(), told("active", nil)),
				when(simnet.Then(), simnet.SetDisk{Disk: simnet.Disk{Silent: true}}),
				when(simnet.Then(), heard("active", "arm", "armed", seen)), when(simnet.Then().Later(500*ms), c.then),
			}}.run(t)
			asked := false
			for _, e := range trace.Entries {
				asked = asked || strings.Contains(e.Sentence, "is asked to arm")
			}
			if asked != c.armed {
				t.Errorf("a node was asked to arm: %v, want %v\n%v", asked, c.armed, trace)
			}
		})
	}
}

// TestP2AHealNeverRaises: both sides of a cut go to states of one level, each of which raises a node of the other.
func TestP2AHealNeverRaises(t *testing.T) {
	const halves = `
groups: {left: [%s_base], right: [%s_arm]}
extends: rstate
states:
  left: {nodes: {left: active, others: inactive}}
  right: {nodes: {right: active, others: inactive}}
transitions:
  to_left: {from: [inactive], to: left}
  to_right: {from: [inactive], to: right}
  from_left: {from: [left], to: inactive}
  from_right: {from: [right], to: inactive}
`
	keys := func(name string) string { return strings.ReplaceAll(halves, "%s", name) }
	cut, heal := does(3, simnet.Cut{Sides: []int{0, 1}}), does(8, simnet.Heal{})
	cast(t, []several{{name: "to inactive, which is above neither", mark: 7 * time.Second, all: []instance{
		{keys: keys("/a"), script: simnet.Script{State: in}, tell: []simnet.Beat{cut, asks(5, "to_left"), heal},
			states: "inactive", published: "none", ends: "inactive, wants inactive"},
		{keys: keys("/b"), script: simnet.Script{State: in}, tell: []simnet.Beat{asks(5, "to_right")},
			states: "inactive", published: "none", ends: "inactive, wants inactive"},
	}}})
}
