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

// StopFault says why a stop input with a usable type cannot be read, and what to write instead; empty: it can.
type StopFault func(s *Stop) (problem, hint string)

// LoadUsable is Load for a place in which the types of the file must be usable. Its error is Faults.
func LoadUsable(path string, fault TypeFault, stop StopFault) (*Network, error) {
	return load(path, alone, func(f *file) {
		f.stopTypes(fault, stop)
		f.types(fault)
	})
}

func (f *file) stopTypes(fault TypeFault, stop StopFault) {
	for k := range f.Stop {
		at := f.root.Find("stop", k)
		if problem, hint := fault(ToStop, f.Stop[k].Type); problem != "" {
			at.Find("type").Fault(problem, hint)
		} else if problem, hint := stop(&f.Stop[k]); problem != "" {
			at.Fault(problem, hint)
		}
	}
}

func (f *file) types(fault TypeFault) {
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
