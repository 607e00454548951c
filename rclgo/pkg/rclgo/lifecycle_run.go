package rclgo

import (
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// lifecycleStep is a callback with its name, for the log.
type lifecycleStep struct {
	name string
	call LifecycleCallback
}

func (cb LifecycleCallbacks) byState() map[uint8]lifecycleStep {
	return map[uint8]lifecycleStep{
		LifecycleConfiguring:     {"OnConfigure", cb.OnConfigure},
		LifecycleCleaningUp:      {"OnCleanup", cb.OnCleanup},
		LifecycleActivating:      {"OnActivate", cb.OnActivate},
		LifecycleDeactivating:    {"OnDeactivate", cb.OnDeactivate},
		LifecycleShuttingDown:    {"OnShutdown", cb.OnShutdown},
		LifecycleErrorProcessing: {"OnError", cb.OnError},
	}
}

// outcomes are rcl's labels for the transitions that end a callback's state.
var outcomes = map[TransitionResult]string{
	TransitionSuccess: "transition_success",
	TransitionFailure: "transition_failure",
	TransitionError:   "transition_error",
}

// lifecycleRun is a transition that has begun and must be finished.
type lifecycleRun struct {
	l    *Lifecycle
	op   string
	from LifecycleState
}

// begin starts the transition that want selects, by its label or, if that is empty, by its id.
func (l *Lifecycle) begin(want rcl.LifecycleTransition) (*lifecycleRun, error) {
	name := fmt.Sprintf("%.60q", want.Label) // truncated: a client may send any text
	if want.Label == "" {
		name = strconv.Itoa(int(want.ID))
	}
	r := &lifecycleRun{l: l, op: "do transition " + name + " of node " + strconv.Quote(l.node.fqn)}
	err := l.step(r.op, func() (t rcl.LifecycleTransition, err error) {
		if r.from = l.State(); !r.from.Primary() {
			return t, &IllegalTransitionError{State: r.from}
		}
		var legal []string
		for _, t := range l.transitionsFrom(r.from) {
			if want.Label == t.Label || want.Label == "" && want.ID == t.ID {
				return t, nil
			}
			legal = append(legal, t.Label)
		}
		return t, &IllegalTransitionError{State: r.from, Legal: legal}
	})
	return r, err
}

// finish runs the callback and, if it returned an error, OnError. It returns the result of
// the first.
func (r *lifecycleRun) finish() (TransitionResult, error) {
	result, err := r.callAndLeave()
	if err == nil && result == TransitionError {
		_, err = r.callAndLeave()
	}
	return result, err
}

// callAndLeave runs the callback of the current state and follows its result.
func (r *lifecycleRun) callAndLeave() (TransitionResult, error) {
	result := r.l.call(r.from)
	err := r.l.step(r.op, func() (t rcl.LifecycleTransition, err error) {
		for _, t := range r.l.transitionsFrom(r.l.State()) {
			if t.Label == outcomes[result] {
				return t, nil
			}
		}
		return t, fmt.Errorf("state %s has no %s", r.l.State(), outcomes[result])
	})
	return result, err
}

// call runs the callback of the current state.
func (l *Lifecycle) call(from LifecycleState) (result TransitionResult) {
	step := l.callbacks[l.State().ID]
	defer func() {
		if p := recover(); p != nil {
			_ = l.node.Logger().Errorf("%s of node %q panicked: %v\n%s", step.name, l.node.fqn, p, debug.Stack())
			result = TransitionError
		}
	}()
	if step.call == nil {
		return TransitionSuccess
	}
	result = step.call(l.ctx, from)
	if _, known := outcomes[result]; !known {
		_ = l.node.Logger().Errorf("%s of node %q returned %v; taken for an error", step.name, l.node.fqn, result)
		return TransitionError
	}
	return result
}

// step follows the transition that pick chooses on the loop. If the event cannot be
// published, the transition still counts.
func (l *Lifecycle) step(op string, pick func() (rcl.LifecycleTransition, error)) error {
	var unpublished error
	err := l.ask(op, func() error {
		t, err := pick()
		if err != nil {
			return err
		}
		err = l.h.Trigger(t.ID)
		if l.moved(); l.State().ID != t.Goal.ID {
			return err
		}
		unpublished = err
		return nil
	})
	if unpublished != nil {
		_ = l.node.Logger().Errorf("cannot publish a transition event of node %q: %v", l.node.fqn, unpublished)
	}
	return err
}

// moved stores the state of the machine. Loop only.
func (l *Lifecycle) moved() {
	now := LifecycleState(l.h.State())
	l.state.Store(&now)
}

func (l *Lifecycle) transitionsFrom(s LifecycleState) []rcl.LifecycleTransition {
	var out []rcl.LifecycleTransition
	for _, t := range l.transitions {
		if t.Start.ID == s.ID {
			out = append(out, t)
		}
	}
	return out
}

// takeTurn waits, unless the node is parallel, until no other request is being answered,
// and returns the function that ends the turn. The holder of the turn does not wait for
// another transition: while one that Trigger has begun runs, requests are refused, which
// frees the turn for Trigger.
func (l *Lifecycle) takeTurn() (end func()) {
	if l.parallel {
		return func() {}
	}
	l.turn.Lock()
	return l.turn.Unlock
}
