package schedule

import (
	"slices"
	"strconv"
	"time"

	"rstate/internal/engine/guards"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// drawKeepers draws which nodes go down with a lost one, and whether a guard is required, and how many there are. It
// is apart from all else that is drawn of a seed.
func (s *Schedule) drawKeepers() {
	a := s.apart(107)
	for i := range s.Network.Nodes {
		n := &s.Network.Nodes[i]
		if with := a.chance(0.2); with && n.OnLoss.Do != network.ToError {
			n.OnLoss.With = network.Dependents
		}
	}
	needs := slices.ContainsFunc(s.Network.Nodes, func(n network.Node) bool { return n.Guardable() })
	if needs && a.chance(0.4) {
		s.Network.Arming.Guard, s.options.Guards = network.GuardRequired, 1+a.IntN(2)
	}
}

// lives sends the commands of a life in which nothing goes wrong. If guards are required, the first one waits until
// the youngest node has lived long enough for each guard to have found it.
func (s *Schedule) lives(w *simnet.World) {
	if s.options.Guards == 0 {
		w.Send(lifetime...)
		return
	}
	beats := []simnet.Beat{{When: simnet.Settled().Later(youngest + 3*guards.Every), Do: simnet.Send{Command: lifetime[0]}}}
	for k, command := range lifetime[1:] {
		beats = append(beats, simnet.Beat{When: simnet.Ended(lifetime[k]), Do: simnet.Send{Command: command}})
	}
	w.Tell(beats...)
}

// guardsFate lets guards die, hang, hear nothing, end in order, and come back.
func (s *Schedule) guardsFate(w *simnet.World) {
	a, x := s.apart(108), s.apart(109)
	for k := range s.options.Guards {
		if a.chance(0.5) {
			continue
		}
		id := "guard " + strconv.Itoa(k+1)
		var beats []simnet.Beat
		for range 1 + a.IntN(3) {
			bad := pick(a, simnet.GuardDead, simnet.GuardFrozen, simnet.GuardDeaf)
			if x.chance(0.4) {
				bad = simnet.GuardEnds
			}
			beats = append(beats,
				simnet.Beat{When: simnet.Then().Later(a.upTo(20 * time.Second)), Do: simnet.Guard{ID: id, To: bad}},
				simnet.Beat{When: simnet.Then().Later(a.upTo(2 * time.Second)), Do: simnet.Guard{ID: id, To: simnet.GuardLives}})
		}
		w.Aside(beats...)
	}
}
