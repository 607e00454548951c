package network

// ServerOf returns the node whose process serves the arming service of the node.
func (n *Node) ServerOf() string {
	if n.Arm == nil || n.Arm.ServedBy == "" {
		return n.Name
	}
	return n.Arm.ServedBy
}

// servers checks the nodes that serve the arms of others, and notes of each which.
func (c *checker) servers() {
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if n.Arm != nil && n.Arm.ServedBy == n.Name {
			n.Arm.ServedBy = ""
		}
		if n.Arm == nil || n.Arm.ServedBy == "" || c.full() {
			continue
		}
		at := c.at[n.Name].Value.Find("arm", "served_by")
		j, ours := c.index[n.Arm.ServedBy]
		switch {
		case ours && c.Nodes[j].Optional:
			at.Fault(n.Arm.ServedBy+" is optional, and "+n.Name+" cannot be armed without it",
				"leave out optional at "+n.Arm.ServedBy)
		case ours:
			c.Nodes[j].Serves = append(c.Nodes[j].Serves, n.Name)
		}
	}
}
