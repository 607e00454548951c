package network

import (
	"slices"

	"rstate/internal/strict"
)

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

// FieldFault says why a field of messages of a usable type cannot be compared with a bound, and what to write instead;
// empty: it can.
type FieldFault func(name, field string, bound Bound) (problem, hint string)

// LoadUsable is Load for a place in which the types of the file must be usable. Its error is Faults.
func LoadUsable(path string, fault TypeFault, field FieldFault) (*Network, error) {
	return load(path, alone, func(f *file) {
		u := usable{fault, field}
		for k := range f.Stop {
			s := &f.Stop[k]
			u.look(f.stopAt(k), ToStop, s.Type, s.Field, s.Bound())
		}
		for i := range f.Nodes {
			u.node(&f.Nodes[i], f.nodes.Find(f.Nodes[i].Name))
		}
	})
}

type usable struct {
	fault TypeFault
	field FieldFault
}

func (u usable) node(n *Node, at strict.Value) {
	if n.Arm != nil {
		u.look(at.Find("arm"), ToArm, n.Arm.Type, "", Bound{})
	}
	for k, c := range n.Checks {
		if c.Type != "" { // else it is that of the topic
			u.look(at.Find("checks", k), ToCheck, c.Type, c.Field, c.Bound)
		}
	}
}

// look reports a type that cannot be used, and a field that cannot be compared. A key that has a fault already holds a
// default, which the user did not write.
func (u usable) look(at strict.Value, use Use, name, field string, bound Bound) {
	if faulty(at, "type") {
		return
	}
	if problem, hint := u.fault(use, name); problem != "" {
		at.Find("type").Fault(problem, hint)
		return
	}
	if field == "" || !bound.Given() || faulty(at, "field", "value", "above", "below", "is") {
		return
	}
	if problem, hint := u.field(name, field, bound); problem != "" {
		at.Fault(problem, hint)
	}
}

// faulty reports whether one of the keys is there and has a fault.
func faulty(at strict.Value, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return at.Has(key) && at.Find(key).Faulty() })
}
