package client

import "rstate/internal/machine"

// netStand is what a state says of where the network stands.
type netStand struct {
	run     string // of the daemon
	changes uint64 // that it has made
	settled bool
	label   string
}

// loopIsOver reports whether a network rests without a loop, and has changed since before. A state from before the goal
// may come late.
func loopIsOver(m *machine.Machine, before, s netStand) bool {
	here, known := m.State(s.label)
	return s.run == before.run && s.changes > before.changes && s.settled && known && here.Loop == machine.NoLoop
}

// partTime says how often a participant has taken part in a phase.
type partTime struct {
	node  string
	ends  bool // the phase is step_end
	count uint64
}

// stepsEnded returns how many steps have ended: as many as the participant has ended that is behind the others.
func stepsEnded(times []partTime) uint64 {
	ended := map[string]uint64{}
	for _, t := range times {
		n := ended[t.node]
		if t.ends {
			n = t.count
		}
		ended[t.node] = n
	}
	if len(ended) == 0 {
		return 0
	}
	least := ^uint64(0)
	for _, n := range ended {
		least = min(least, n)
	}
	return least
}
