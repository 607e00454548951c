package arming

import "slices"

// Clone returns a belief that shares no memory with n.
func (n *Node) Clone() Node {
	c := *n
	c.asked.unanswered = slices.Clone(n.asked.unanswered)
	if n.before != nil {
		before := n.before.Clone()
		c.before = &before
	}
	return c
}
