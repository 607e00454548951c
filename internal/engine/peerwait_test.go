package engine_test

import (
	"fmt"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// waits is a goal of somebody at that second who waits for peers.
func waits(second float64, command string) simnet.Beat {
	return does(second, simnet.Send{Command: command, Handle: fmt.Sprint(command, " ", second), WaitPeers: true})
}

// TestP8AGoalWaitsForPeers: until each is there, has failed, is lost, or it has lasted too long. The state stands.
func TestP8AGoalWaitsForPeers(t *testing.T) {
	slow := func(step string, d time.Duration) simnet.Script {
		return simnet.Script{State: in, On: []simnet.On{{Do: step, Takes: d}}}
	}
	const short = "peers: {deadline: 1s}\n"
	on := simnet.Script{State: in}
	cast(t, []several{
		{name: "all are there", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: succeeded done"},
			{script: slow("activate", time.Second)},
		}},
		{name: "a lowering", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "cleanup")}, goals: "cleanup 2: succeeded done"},
			{script: slow("cleanup", time.Second)},
		}},
		{name: "nobody is there", all: []instance{{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: succeeded done"}}},
		{name: "one fails", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind", ends: "active, wants active",
				why: "the network is active; peers behind: /b is inactive and does not follow: activate failed: /b_base answered no to activate; it is still inactive",
			},
			{script: simnet.Script{State: in, On: []simnet.On{{Do: "activate", End: simnet.Refuse}}}},
			{script: on},
		}},
		{name: "one is lost", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind", why: "peers behind: /b is lost: "},
			{script: slow("activate", 2*time.Second), tell: []simnet.Beat{does(2.5, simnet.Crash{DownFor: 30 * time.Second})}},
		}},
		{name: "one leaves", all: []instance{
			{script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind", why: "peers behind: /b is "},
			{script: slow("activate", 2*time.Second), tell: []simnet.Beat{does(2.5, simnet.Stop{})}},
		}},
		{name: "it lasts too long", all: []instance{
			{keys: short, script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind", why: "peers behind: /b is still activating"},
			{script: slow("activate", 1900*ms)},
		}},
		{name: "a required one was never there", all: []instance{
			{keys: "peers: {required: [/z], deadline: 2s}\n", script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted peers_behind", why: "/z is not there"},
		}},
		{name: "cancelling only ends the waiting", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate"), does(2.5, simnet.Cancel{Handle: "activate 2"})}, goals: "activate 2: canceled canceled",
				published: "active+", ends: "active, wants active", why: "the waiting for peers was cancelled",
			},
			{script: slow("activate", time.Second), ends: "active, wants active"},
		}},
		{name: "it blocks nothing, and is superseded by a newer change", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate"), asks(2.5, "deactivate")}, goals: "activate 2: aborted superseded, deactivate 2.5: succeeded done",
				ends: "inactive, wants inactive",
			},
			{script: slow("activate", time.Second), ends: "inactive, wants inactive"},
		}},
		{name: "of a peer, too", all: []instance{
			{
				script: on, tell: []simnet.Beat{waits(2, "activate")}, goals: "activate 2: aborted superseded", ends: "inactive, wants inactive",
				why: "superseded by /c ",
			},
			{script: slow("activate", time.Second), ends: "inactive, wants inactive"},
			{script: on, tell: []simnet.Beat{asks(2.5, "deactivate")}},
		}},
		{name: "who is there already", all: []instance{
			{script: on, tell: []simnet.Beat{asks(2, "activate"), waits(2.2, "active")}, goals: "activate 2: succeeded done, active 2.2: succeeded already"},
			{script: slow("activate", time.Second), ends: "active, wants active"},
		}},
	})
}

// TestP8AnOpenGoalIsShown as long as it waits.
func TestP8AnOpenGoalIsShown(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes: {/plain: {lifecycle: false}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := engine.New(net, engine.Options{Instance: "a 1", Name: "/a"})
	st := mirror.Status{Name: "/b", Instance: "b 1", State: "unconfigured", Target: "unconfigured", Settled: true, Intact: true, Hash: rstateHash}
	there := st
	there.State, there.Target, there.Seen = "inactive", "inactive", knows("a 1", 1)
	var open [][]string
	for k, in := range []engine.Input{
		engine.Tick{}, engine.NodeSeen{Node: 0, Epoch: 1, Count: 1}, engine.Tick{}, engine.PeerTold{Status: st},
		engine.GoalAsked{Handle: "g", Command: "configure", WaitPeers: true}, engine.Tick{}, engine.PeerTold{Status: there},
	} {
		s, _ = engine.Step(s, engine.Time{Steady: time.Duration(k) * 4 * time.Second}, in)
		open = append(open, s.Snapshot().OpenGoals)
	}
	if got := fmt.Sprint(open); got != "[[] [] [] [] [g] [g] []]" {
		t.Errorf("these goals are shown as open, from input to input: %s", got)
	}
}
