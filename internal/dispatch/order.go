package dispatch

import (
	"slices"

	"rstate/internal/engine"
)

// Snapshots returns the state of an instance after a step. *engine.State does.
type Snapshots interface {
	Snapshot() engine.Snapshot
}

// class is the place of an effect in a step. Effects of a lower class are carried first.
type class uint8

const (
	// requests go to nodes, except those that arm: nodes do not wait while something is written or
	// published. A disarm is one of them.
	requests class = iota
	// journaled lines precede what others act on.
	journaled
	// published are the states, the changes and the lease.
	published
	// arms follow the lease under which the node is armed, and the snapshot that names the node.
	arms
	// told are the clients of goals, and the peers.
	told
	// ends come last: nothing is carried after the end of the loop.
	ends
)

func classOf(e engine.Effect) class {
	switch e := e.(type) {
	case engine.Record, engine.SyncJournal:
		return journaled
	case engine.Show, engine.PublishChange, engine.SendLease:
		return published
	case engine.ArmNode:
		if e.Arms() {
			return arms
		}
	case engine.AcceptGoal, engine.RejectGoal, engine.AnswerCancel, engine.SendFeedback, engine.FinishGoal, engine.TellPeers:
		return told
	case engine.Exit:
		return ends
	}
	return requests
}

// Order sorts the effects of one step, in place, into the order in which they are carried. Within a
// class the order of the engine stays.
//
// If the step asks a node to arm, the snapshot after the step is published at once, right before the
// first such request: a process that is suspended after the request has then shown that the node may
// be armed (A1).
//
// A request to arm that the same step takes back with a disarm is left out. The disarm would leave
// first, and the node would be armed after it (A3). To the engine such a request is one that was lost.
func Order(effects []engine.Effect, after Snapshots) []engine.Effect {
	effects = withoutTakenBack(effects)
	slices.SortStableFunc(effects, func(a, b engine.Effect) int { return int(classOf(a)) - int(classOf(b)) })
	first := slices.IndexFunc(effects, func(e engine.Effect) bool { return classOf(e) == arms })
	if first < 0 {
		return effects
	}
	snap := after.Snapshot()
	return slices.Insert(effects, first, engine.Effect(engine.Show{Snapshot: &snap}))
}

// withoutTakenBack deletes each request to arm that a later disarm of the node follows.
func withoutTakenBack(effects []engine.Effect) []engine.Effect {
	var disarmed []int // later in the step
	for k := len(effects) - 1; k >= 0; k-- {
		switch a, ok := effects[k].(engine.ArmNode); {
		case !ok:
		case !a.Arms():
			disarmed = append(disarmed, a.Node)
		case slices.Contains(disarmed, a.Node):
			effects = slices.Delete(effects, k, k+1)
		}
	}
	return effects
}

// outward reports whether an effect leaves the loop. The others are journaled, published or kept
// by the loop itself, and their delay harms nothing.
func outward(e engine.Effect) bool {
	switch e.(type) {
	case engine.WakeAt, engine.Exit, engine.Record, engine.Show:
		return false
	}
	return true
}
