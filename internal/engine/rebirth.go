package engine

import (
	"time"

	"rstate/internal/network"
)

// A node that dies and is started again may answer before the graph shows its new process. What it says then looks like a
// node that strayed, and on_drift acts. When the new process is discovered it is known that the node was lost, and on_loss
// applies after all.

// discoveredIn is how long the discovery of a process may take that has answered already.
const discoveredIn = 30 * time.Second

// rebornAsDrift takes back what on_drift did to node i, whose process was replaced, and applies on_loss.
func (s *State) rebornAsDrift(i int) {
	n := &s.nodes[i]
	m := &n.mending
	if m.drift == 0 || s.now.Steady-m.drift > discoveredIn {
		return
	}
	m.drift, m.told = 0, false
	if n.spec.OnLoss == network.ToError && !n.spec.Optional {
		m.owed = "was lost: another process took its place"
	}
	if w := s.work; w != nil && w.phase.rests && w.legs.only[i] && n.spec.OnLoss == network.Report {
		s.tended()
	}
}
