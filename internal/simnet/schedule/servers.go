package schedule

import (
	"fmt"
	"time"

	"rstate/internal/simnet"
)

// drawServers draws for one node that can be armed that another process serves its arm: alone, as the file says, or for
// some time beside the node. It is apart from all else that is drawn of a seed. Lives whose file changes have none.
func (s *Schedule) drawServers() {
	x := s.apart(120)
	var names []int
	for i := range s.Network.Nodes {
		if s.Network.Nodes[i].Arm != nil {
			names = append(names, i)
		}
	}
	if len(names) == 0 || s.tale == refiled {
		return
	}
	n := &s.Network.Nodes[pick(x, names...)]
	switch share := x.Float64(); {
	case share < 0.2:
		n.Arm.ServedBy = "/server"
	case share > 0.3 || s.Calm:
		return
	}
	s.options.Servers = []string{n.Name}
}

// serversFate lets servers start, end, hang, go on, refuse and agree, in a life whose network is armed again and again.
func (s *Schedule) serversFate(w *simnet.World) {
	for _, name := range s.options.Servers {
		x := s.apart(121)
		x.armsAgain(w)
		hurts := [][2]simnet.ServerDo{{simnet.ServerHangs, simnet.ServerGoesOn}, {simnet.ServerRefuses, simnet.ServerAgrees}}
		comes, goes := simnet.ServerEnds, simnet.ServerStarts
		if s.Network.Nodes[s.Network.Index(name)].Arm.ServedBy == "" {
			comes, goes = goes, comes
		}
		for range 1 + x.IntN(3) {
			hurt := pick(x, hurts...)
			does := pick(x,
				[]simnet.ServerDo{comes, goes}, []simnet.ServerDo{comes, goes}, []simnet.ServerDo{hurt[0], hurt[1]},
				[]simnet.ServerDo{hurt[0], simnet.ServerStarts, simnet.ServerEnds, hurt[1]},
				[]simnet.ServerDo{simnet.ServerStarts, hurt[0], simnet.ServerEnds, hurt[1]})
			when := simnet.Then().Later(x.upTo(20 * time.Second))
			if x.chance(0.7) {
				when = simnet.Shown(pick(x, "armed", "armed", "arming", "disarming", "active")).Time(1 + x.IntN(2)).
					Later(x.upTo(pick(x, 10*time.Millisecond, 3*time.Second)))
			}
			var beats []simnet.Beat
			for _, do := range does {
				beats = append(beats, simnet.Beat{When: when, Do: simnet.Server{Node: name, Do: do}})
				when = simnet.Then().Later(x.upTo(pick(x, 100*time.Millisecond, 3*time.Second, 20*time.Second)))
			}
			w.Perhaps(beats...)
		}
	}
}

// armsAgain asks for arming and disarming beside what else is asked for: servers count only in what is armed.
func (s *Schedule) armsAgain(w *simnet.World) {
	var beats []simnet.Beat
	when := simnet.Settled()
	for k := range 2 + s.IntN(4) {
		command := pick(s, "armed", "armed", "arm", "disarm")
		beats = append(beats, simnet.Beat{When: when.Later(s.upTo(5 * time.Second)),
			Do: simnet.Send{Command: command, Handle: fmt.Sprintf("%s served %d", command, k)}})
		when = simnet.Then()
	}
	w.Perhaps(beats...)
}
