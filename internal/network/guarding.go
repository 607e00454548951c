package network

import "rstate/internal/strict"

// What disarms nodes that follow no lease.

// Guard says whether such nodes may be armed without a guard.
type Guard string

// The guard's two settings.
const (
	GuardOptional Guard = "optional"
	GuardRequired Guard = "required"
)

func guardField() strict.Field[Arming] {
	return strict.Key("guard", "required refuses to arm a node with dead_man: none without a living rstate guard that covers it, and disarms when that guard is lost",
		strict.Enum(GuardOptional, GuardRequired), func(a *Arming) *Guard { return &a.Guard })
}

// Guardable reports whether the node follows no lease, so that only a guard disarms it if rstate dies.
func (n *Node) Guardable() bool { return n.Arm != nil && n.Arm.DeadMan == DeadManNone }

// guarding checks that a guard can do what is required of it.
func (c *checker) guarding() {
	if c.Arming.Guard != GuardRequired || c.full() {
		return
	}
	any := false
	for i := range c.Nodes {
		n := &c.Nodes[i]
		any = any || n.Guardable()
		if n.Guardable() && n.Arm.Type != DefaultArmType {
			c.at[n.Name].Value.Find("arm").Fault("a guard is required, and it cannot call a "+n.Arm.Type,
				"arm the node by a "+DefaultArmType+", or let it follow the lease")
		}
	}
	if !any {
		c.root.Find("arming", "guard").Warn("no node needs a guard: each that is armed follows the lease",
			"remove it, or give a node dead_man: none")
	}
}
