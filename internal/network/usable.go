package network

// TypeFault says why a type cannot be used to arm, to check or to stop a node, and what to write instead; empty: it can.
type TypeFault func(use Use, name string) (problem, hint string)

// Use is what a type is used for.
type Use string

// The uses.
const (
	ToArm   Use = "arm"
	ToCheck Use = "check"
	ToStop  Use = "stop"
)

// LoadUsable is Load for a place in which the types of the file must be usable. Its error is Faults.
func LoadUsable(path string, fault TypeFault) (*Network, error) {
	return load(path, alone, func(f *file) { f.types(fault) })
}

func (f *file) types(fault TypeFault) {
	for k, s := range f.Stop {
		if problem, hint := fault(ToStop, s.Type); problem != "" {
			f.root.Find("stop", k, "type").Fault(problem, hint)
		}
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		at := f.nodes.Find(n.Name)
		if n.Arm != nil {
			if problem, hint := fault(ToArm, n.Arm.Type); problem != "" {
				at.Find("arm", "type").Fault(problem, hint)
			}
		}
		for k, c := range n.Checks {
			if c.Type == "" {
				continue // that of the topic
			}
			if problem, hint := fault(ToCheck, c.Type); problem != "" {
				at.Find("checks", k, "type").Fault(problem, hint)
			}
		}
	}
}
