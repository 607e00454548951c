package schedule

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// drawMoments shapes a life for what seldom happens: a node that refuses its step, and another that refuses the way
// back, so that the network takes every rung of the ladder.
func (s *Schedule) drawMoments() {
	x := s.apart(107)
	if s.moments = !s.Calm && x.chance(0.6); !s.moments || x.chance(0.6) {
		return
	}
	s.Network.LastResort = pick(x, network.ResortShutdown, network.ResortShutdown, network.ResortHold)
	steps := pick(x, []string{"activate", "deactivate"}, []string{"activate", "deactivate"},
		[]string{"configure", "cleanup"}, []string{"deactivate", "activate"})
	for _, step := range steps {
		name := x.node()
		script := s.options.Scripts[name]
		script.On = append([]simnet.On{{Do: step, Takes: x.upTo(500 * time.Millisecond),
			End: pick(x, simnet.Refuse, simnet.Refuse, simnet.Err)}}, script.On...)
		s.options.Scripts[name] = script
	}
}

// atMoments lets things happen while the network does what it seldom does: each thing meets each aim, from each state.
func (s *Schedule) atMoments(w *simnet.World) {
	if !s.moments {
		return
	}
	x := s.apart(108)
	for k := range 1 + x.IntN(5) {
		aim := pick(x, aims[1:]...)
		when := simnet.Doing(aim, "").Time(1 + x.IntN(2)).Later(x.upTo(pick(x, time.Microsecond, time.Millisecond,
			100*time.Millisecond, 2*time.Second)))
		w.Perhaps(simnet.Beat{When: when, Do: x.anything(k)})
	}
	if x.chance(0.2) { // a disarm turns back
		w.Perhaps(
			simnet.Beat{When: simnet.Shown("armed"), Do: simnet.Send{Command: "disarm", Handle: "disarm at moments"}},
			simnet.Beat{When: simnet.Then().Later(x.upTo(time.Millisecond)), Do: simnet.CancelOpen{}},
			simnet.Beat{When: simnet.Doing("back or repair", "armed").Later(x.upTo(time.Second)), Do: x.anything(10)})
	}
	if s.Network.Machine == presets.modes {
		w.Perhaps(
			simnet.Beat{When: simnet.Shown("active").Later(x.upTo(time.Second)),
				Do: simnet.Send{Command: "map", Handle: "map at moments"}},
			simnet.Beat{When: simnet.Doing("raising", "active").Later(x.upTo(10 * time.Millisecond)),
				Do: x.anything(11)})
	}
}

// anything draws one thing that can happen.
func (s *Schedule) anything(k int) simnet.Act {
	node := s.driver()
	lower := s.prefix == "" && s.chance(0.3)
	switch s.IntN(22) {
	case 0, 1:
		return simnet.CancelOpen{}
	case 2:
		return simnet.Kill{Node: node}
	case 3:
		return simnet.Part{Node: node}
	case 4:
		return simnet.Join{Node: node}
	case 5:
		return simnet.Respawn{Node: node,
			State: pick(s, 0, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active)}
	case 6:
		return simnet.Move{Node: node, To: pick(s, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active),
			Quiet: s.chance(0.5)}
	case 7:
		return simnet.Stop{}
	case 8:
		return simnet.Stall{For: s.gap()}
	case 9:
		return simnet.Late{For: s.gap()}
	case 10:
		return simnet.SetDisk{Disk: simnet.Disk{Fault: "the disk is full"}}
	case 11:
		return simnet.OtherLease{Term: s.Uint64N(20)}
	case 12:
		return simnet.Advertise{Node: node}
	case 13, 14, 15, 16:
		if s.prefix == "" { // others that bear the name of one of several are not what those are about
			return pick[simnet.Act](s, s.rival(node), simnet.Rival{}, simnet.Share{Others: 1}, simnet.Child{Node: node},
				simnet.Child{Node: node, Simulation: "other"},
				simnet.Rival{Instance: "instance 9"})
		}
	case 17:
		return simnet.Crash{DownFor: s.upTo(time.Second)}
	}
	command := pick(s, wishes...)
	if lower {
		command = pick(s, "disarm", "unconfigured", "inactive", "shutdown", "deactivate")
	}
	return simnet.Send{Command: command, Handle: fmt.Sprintf("%s at %d", command, k), Unauthorized: s.chance(0.2)}
}
