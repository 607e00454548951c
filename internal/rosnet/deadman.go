//go:build ros

package rosnet

import (
	"slices"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/network"
)

// A node with `dead_man: none` stays armed when we are gone. That is said each time that it is asked to arm, and shown as
// long as it may be armed: whoever arms has to know it, not only who wrote the file.

func staysArmed(n *network.Node) bool { return n.Arm != nil && n.Arm.DeadMan == network.DeadManNone }

func staysArmedText(name string) string {
	return name + " stays armed if rstate dies; run rstate guard beside it, or let it follow the arm lease"
}

// warnings are those of the engine, and of nodes that stay armed without us.
func (w *World) warnings(s engine.Snapshot) []string {
	list := slices.Clone(s.Warnings)
	for _, n := range s.Nodes {
		if n.Armed != engine.Disarmed && staysArmed(&w.net.Nodes[w.net.Index(n.Name)]) {
			list = append(list, staysArmedText(n.Name))
		}
	}
	return list
}

func (r *remote) warnOfStayingArmed() {
	if staysArmed(r.spec) {
		r.w.log.Warn(staysArmedText(r.spec.Name), zap.String("node", r.spec.Name))
	}
}
