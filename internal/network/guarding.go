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

// Unseen says what becomes of a goal that arms and does not show what its client has seen of the network.
type Unseen string

// The settings of Unseen.
const (
	UnseenRefuse Unseen = "refuse"
	UnseenAllow  Unseen = "allow"
)

// unseen warns that a request to arm which waited may arm after a disarm.
func (c *checker) unseen() {
	if c.Arming.Unseen == UnseenAllow {
		c.root.Find("arming", "unseen").Warn("an arm that waited, for example in a link that was down, may arm after a disarm that its client has not seen",
			"remove it, and let clients bring the seen of ~/state")
	}
}

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
