package network

import (
	"slices"

	"rstate/internal/strict"
)

// What follows when a node is lost.

// Loss is what becomes of a lost node, and of others with it.
type Loss struct {
	Do   Policy
	With Companions
}

// Companions are the nodes that go down with a lost one.
type Companions string

// The companions. Those that come after a node depend on it, also through other nodes.
const (
	NoOther    Companions = "none"
	Dependents Companions = "dependents"
)

func policies() strict.Kind[Policy] { return strict.Enum(Report, Restore, ToError) }

func lossFields() []strict.Field[Loss] {
	return []strict.Field[Loss]{
		strict.Key("do", "what follows for the node itself: report, restore or error", policies(),
			func(l *Loss) *Policy { return &l.Do }),
		strict.Key("with", "which active nodes are deactivated with it: none, or the dependents, which come after it",
			strict.Enum(NoOther, Dependents), func(l *Loss) *Companions { return &l.With }),
	}
}

// lossKind reads a policy alone, or a mapping.
func lossKind() strict.Kind[Loss] {
	policy, all := policies(), strict.Record(lossFields(), DefaultNode("").OnLoss)
	return strict.Kind[Loss]{
		Schema: strict.Schema{"anyOf": []strict.Schema{policy.Schema, all.Schema}},
		Read: func(v strict.Value, into *Loss) {
			if v.IsText() {
				into.With = NoOther
				policy.Read(v, &into.Do)
				return
			}
			all.Read(v, into)
			if into.With == Dependents && into.Do == ToError {
				v.Fault("error lowers every node of the network, not only the dependents",
					"write do: report or do: restore, or only on_loss: error")
			}
		},
		Show: func(l Loss) any { return string(l.Do) },
		Write: func(l Loss) strict.Written {
			if l.With == NoOther {
				return strict.Word(string(l.Do))
			}
			return all.Write(l)
		},
	}
}

// lonely warns of a node without dependents that are to go down with it.
func (c *checker) lonely() {
	for i := range c.Nodes {
		n := &c.Nodes[i]
		comesAfter := func(o Node) bool { return slices.Contains(o.After, n.Name) }
		at := c.at[n.Name].Value
		if n.OnLoss.With == Dependents && !c.full() && at.Has("on_loss") && !slices.ContainsFunc(c.Nodes, comesAfter) {
			at.Find("on_loss").Warn("no node comes after "+n.Name+", so none goes down with it",
				"remove with: dependents, or name the node under after: of those that need it")
		}
	}
}
