package schedule

import (
	"slices"
	"strconv"
	"time"

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

// guardsFate lets guards die, hang, hear nothing, and come back.
func (s *Schedule) guardsFate(w *simnet.World) {
	a := s.apart(108)
	for k := range s.options.Guards {
		if a.chance(0.5) {
			continue
		}
		id := "guard " + strconv.Itoa(k+1)
		var beats []simnet.Beat
		for range 1 + a.IntN(3) {
			bad := pick(a, simnet.GuardDead, simnet.GuardFrozen, simnet.GuardDeaf)
			beats = append(beats,
				simnet.Beat{When: simnet.Then().Later(a.upTo(20 * time.Second)), Do: simnet.Guard{ID: id, To: bad}},
				simnet.Beat{When: simnet.Then().Later(a.upTo(2 * time.Second)), Do: simnet.Guard{ID: id, To: simnet.GuardLives}})
		}
		w.Aside(beats...)
	}
}
