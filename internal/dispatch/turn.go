package dispatch

import (
	"slices"

	"rstate/internal/engine"
)

// Turn is the carrying of the effects of one step. It is a value: copy it with Clone. The zero value
// has nothing to carry.
type Turn struct {
	rest   []engine.Effect
	unsent []engine.Effect
	gap    Gap
	exits  bool
}

// Begin returns the turn of a step with those effects, which it orders in place; see Order.
func Begin(effects []engine.Effect, after Snapshots) Turn {
	return Turn{rest: Order(effects, after)}
}

// Clone returns a turn that does not change with t.
func (t *Turn) Clone() Turn {
	c := *t
	c.unsent = slices.Clone(t.unsent)
	return c
}

// More reports whether there is another effect to carry.
func (t *Turn) More() bool { return len(t.rest) > 0 }

// Looks reports whether the loop looks for a gap before the next effect: before each one that leaves
// it.
func (t *Turn) Looks() bool { return len(t.rest) > 0 && outward(t.rest[0]) }

// Stood notes a gap of the loop since the turn began. The zero gap changes nothing.
func (t *Turn) Stood(g Gap) { t.gap = t.gap.And(g) }

// Next takes the next effect. After a gap, an effect that raises a node or keeps it armed has
// perished: it must not be carried, and Report names it (A8).
func (t *Turn) Next() (e engine.Effect, perished bool) {
	e, t.rest = t.rest[0], t.rest[1:]
	if t.gap.Any() && engine.Perishable(e) {
		t.unsent = append(t.unsent, e)
		return e, true
	}
	if _, ok := e.(engine.Exit); ok {
		t.exits = true
	}
	return e, false
}

// Peek returns the next effect without taking it.
func (t *Turn) Peek() engine.Effect { return t.rest[0] }

// Report returns, when no effect remains, the input that tells the engine of a gap in this turn. The
// engine gets it before any other input. After the end of the instance there is none.
func (t *Turn) Report() (in engine.Input, stood bool) {
	if !t.gap.Any() || t.exits {
		return nil, false
	}
	return t.gap.Input(t.unsent), true
}
