package network

// armServices checks that each node is armed by a service of its own, which is offered before anything is armed.
func (c *checker) armServices() {
	arms := map[string]string{} // the node that a service arms
	for i := range c.Nodes {
		n := &c.Nodes[i]
		switch {
		case n.Arm == nil || c.full():
		case arms[n.Arm.Service] != "":
			c.at[n.Name].Value.Find("arm", "service").Fault(n.Arm.Service+" arms "+arms[n.Arm.Service]+" already",
				"give each node a service of its own")
		default:
			arms[n.Arm.Service] = n.Name
		}
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		for k, name := range n.Unsafe {
			if node := arms[name]; node != "" && !c.full() {
				c.at[n.Name].Value.Find("unsafe", k).Fault(name+" arms "+node+", and must be there before that", "remove it")
			}
		}
	}
}
