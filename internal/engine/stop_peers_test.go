package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// ackOf is an acknowledgement at a time.
func ackOf(second float64) simnet.Beat { return does(second, simnet.Acknowledge{Who: "ann"}) }

// TestA12AStopIsOfAllInstances: a stop at one of two peers disarms both, and each refuses Arm until it is acknowledged at
// whichever of them.
func TestA12AStopIsOfAllInstances(t *testing.T) {
	press, release := simnet.Press{}, simnet.Press{Not: true}
	for _, row := range []struct {
		name string
		s    several
		acks [2][]string // what each instance answers, in order
	}{
		{
			name: "pressed while both are armed",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(4, press), does(6, release),
					asks(7, "arm")},
					goals: "armed 1.1: succeeded done, arm 7: rejected", ends: "active, wants active",
					why: "rstate acknowledge"},
				{tell: []simnet.Beat{asks(8, "arm"), ackOf(9)}, goals: "arm 8: rejected", ends: "active, wants active",
					why: "by /a: /estop: /button 1 says stop"},
			}},
			acks: [2][]string{nil, {"yes"}},
		},
		{
			name: "acknowledged at the peer while it is pressed",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(4, press)}},
				{tell: []simnet.Beat{ackOf(6)}},
			}},
			acks: [2][]string{nil, {"no: stop input of /a /estop: /button 1 says stop"}},
		},
		{
			name: "armed again after the acknowledgement at the peer",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(4, press), does(5, release)},
					ends: "armed, wants armed"},
				{tell: []simnet.Beat{ackOf(6), asks(8, "arm")}, goals: "arm 8: succeeded done", ends: "armed, wants armed"},
			}},
			acks: [2][]string{nil, {"yes"}},
		},
		{
			name: "acknowledged at its own instance, armed at the peer",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(4, press), does(5, release), ackOf(6)},
					ends: "armed, wants armed"},
				{tell: []simnet.Beat{asks(8, "arm")}, goals: "arm 8: succeeded done", ends: "armed, wants armed"},
			}},
			acks: [2][]string{{"yes"}, nil},
		},
		{
			name: "a silent input of the peer forbids to arm",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "active"), does(4, simnet.Hush{}),
					does(8, simnet.Hush{Not: true})}, ends: "armed, wants armed"},
				{tell: []simnet.Beat{asks(6, "arm"), does(9, simnet.Send{Command: "arm", Handle: "again"})},
					goals: "arm 6: rejected, again: succeeded done", ends: "armed, wants armed"},
			}},
		},
		{
			name: "falls silent while the peer arms",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "active"), does(4.5, simnet.Hush{})},
					ends: "active, wants active"},
				{arm: []simnet.Reply{{Takes: 1800 * ms}}, tell: []simnet.Beat{asks(4, "arm")},
					goals: "arm 4: aborted superseded", ends: "active, wants active", why: "superseded by /a"},
			}},
		},
		{
			name: "pressed while the wire is cut",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"), does(4, simnet.Cut{Sides: []int{0, 1}}),
					does(5, press), does(6, release), does(8, simnet.Heal{})}, ends: "active, wants active"},
				{tell: []simnet.Beat{asks(12, "arm")}, goals: "arm 12: rejected", ends: "active, wants active",
					why: "rstate acknowledge"},
			}},
		},
		{
			name: "the journal of the stopped instance is lost",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed"),
					does(3, simnet.SetDisk{Disk: simnet.Disk{Fault: "it is full"}}), does(4, press), does(5, release),
					does(6, simnet.Crash{DownFor: time.Second}), asks(15, "arm")},
					goals: "armed 1.1: succeeded done, arm 15: rejected", why: "rstate acknowledge"},
				{tell: []simnet.Beat{ackOf(20)}},
			}},
			acks: [2][]string{nil, {"yes"}},
		},
		{
			name: "the stopped instance is gone",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "active"), does(4, press), does(5, release),
					does(6, simnet.Crash{DownFor: 20 * time.Second})}},
				{tell: []simnet.Beat{ackOf(10), ackOf(40)}},
			}},
			acks: [2][]string{nil, {"no: /a, whose stop input has stopped the network, is not there: start it", "yes"}},
		},
		{
			name: "the peer restarts",
			s: several{all: []instance{
				{keys: stoppable, tell: []simnet.Beat{asks(1.1, "active"), does(4, press), does(5, release)}},
				{tell: []simnet.Beat{does(6, simnet.SetDisk{Disk: simnet.Disk{Fault: "it is full"}}),
					does(7, simnet.Crash{DownFor: time.Second}), asks(15, "arm"), ackOf(20)}, goals: "arm 15: rejected"},
			}},
			acks: [2][]string{nil, {"yes"}},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			trace := row.s.run(t)
			for i, want := range row.acks {
				got := trace.Worlds[i].Acks
				if len(got) != len(want) {
					t.Fatalf("the answers of %s are %v\n%v", trace.Names[i], got, trace)
				}
				for k, a := range got {
					text := map[bool]string{true: "yes", false: "no"}[a.Accepted] + ": " + a.Message
					if !strings.HasPrefix(text, want[k]) {
						t.Errorf("answer %d of %s: %s, want %s", k, trace.Names[i], text, want[k])
					}
				}
			}
			if open := trace.Worlds[1].Last.Stops.Open; len(row.acks[1]) == 0 && len(row.acks[0]) == 0 && len(open) == 0 &&
				!strings.Contains(row.name, "silent") {
				t.Errorf("%s knows no stop", trace.Names[1])
			}
		})
	}
}

// TestA12WhatNoInstanceTellsStopsNothing: a peer cannot latch in the name of this run, and cannot acknowledge more than
// there is.
func TestA12WhatNoInstanceTellsStopsNothing(t *testing.T) {
	trace := several{all: []instance{{keys: stoppable, tell: []simnet.Beat{asks(1.1, "armed")}}, {}}}.run(t)
	if s := trace.Worlds[0].Last.Stops; len(s.Open) != 0 || s.Forbids != "" {
		t.Errorf("%+v", s)
	}
	for _, e := range trace.Worlds[0].Entries {
		if e.Kind == engine.EntryStop {
			t.Errorf("%+v", e)
		}
	}
}
