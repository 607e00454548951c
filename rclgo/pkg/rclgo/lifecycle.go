package rclgo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// LifecycleState is a state of a lifecycle node, with the id and label that ROS has for
// it.
type LifecycleState struct {
	ID    uint8
	Label string
}

func (s LifecycleState) String() string { return s.Label }

// Primary tells the states that a node rests in from those of a running transition.
func (s LifecycleState) Primary() bool { return s.ID < LifecycleConfiguring }

// The ids of lifecycle states.
const (
	LifecycleUnconfigured    uint8 = 1
	LifecycleInactive        uint8 = 2
	LifecycleActive          uint8 = 3
	LifecycleFinalized       uint8 = 4
	LifecycleConfiguring     uint8 = 10
	LifecycleCleaningUp      uint8 = 11
	LifecycleShuttingDown    uint8 = 12
	LifecycleActivating      uint8 = 13
	LifecycleDeactivating    uint8 = 14
	LifecycleErrorProcessing uint8 = 15
)

// TransitionResult is what came of a transition's callback, with ROS's numbers.
type TransitionResult uint8

// The results. Anything else that a callback returns counts as an error.
const (
	TransitionSuccess TransitionResult = 97 // the node goes on to the transition's target
	TransitionFailure TransitionResult = 98 // it goes back; from shutting down it is finalized
	TransitionError   TransitionResult = 99 // errors are processed
)

func (r TransitionResult) String() string {
	switch r {
	case TransitionSuccess:
		return "success"
	case TransitionFailure:
		return "failure"
	case TransitionError:
		return "error"
	}
	return "TransitionResult(" + strconv.Itoa(int(r)) + ")"
}

// LifecycleCallback does the work of one transition. from is the state in which the
// transition began, for OnError too. ctx is done when the lifecycle is closed. A panic
// counts as TransitionError.
type LifecycleCallback func(ctx context.Context, from LifecycleState) TransitionResult

// LifecycleCallbacks are a node's callbacks; a nil one succeeds.
type LifecycleCallbacks struct {
	OnConfigure, OnCleanup, OnActivate, OnDeactivate, OnShutdown LifecycleCallback
	// OnError follows on a callback that erred. If it succeeds the node is
	// unconfigured, else finalized.
	OnError LifecycleCallback
}

// LifecycleOptions is how a lifecycle is made.
type LifecycleOptions struct {
	// Parallel answers questions about the state while a callback runs, as a node with
	// several threads does. Without it they are answered when the callback has
	// returned, as by a node with one thread. Requests to change the state always
	// wait for those before them.
	Parallel bool
}

// NewDefaultLifecycleOptions has one thread.
func NewDefaultLifecycleOptions() *LifecycleOptions { return &LifecycleOptions{} }

// Lifecycle makes its node a lifecycle node: with the services ~/change_state,
// ~/get_state, ~/get_available_states, ~/get_available_transitions and
// ~/get_transition_graph, served as everything of the node is, and the topic
// ~/transition_event. Closing it, or the node, ends these; a callback that runs is not
// waited for, and what it returns no longer counts.
type Lifecycle struct {
	entity
	node      *Node
	h         *rcl.Lifecycle
	callbacks map[uint8]lifecycleStep // by the state in which each runs
	parallel  bool
	turn      sync.Mutex // without parallel: held while anything is answered or done

	states      []stateMsg // of the machine, fixed
	transitions []rcl.LifecycleTransition

	state  atomic.Pointer[LifecycleState] // the present one, written by the loop
	ctx    context.Context                // of the callbacks
	cancel context.CancelFunc
}

// NewLifecycle makes n a lifecycle node, unconfigured. opts may be nil. A node has one
// lifecycle at a time.
func (n *Node) NewLifecycle(cb LifecycleCallbacks, opts *LifecycleOptions) (*Lifecycle, error) {
	if opts == nil {
		opts = NewDefaultLifecycleOptions()
	}
	op := "create the lifecycle of node " + strconv.Quote(n.fqn)
	ts, err := lifecycleTypes()
	if err != nil {
		return nil, fail(op, err)
	}
	l := &Lifecycle{node: n, callbacks: cb.byState(), parallel: opts.Parallel}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if err := n.build(op, func() error { return l.open(ts) }); err != nil {
		l.cancel()
		return nil, err
	}
	return l, nil
}

// open makes the handles. Loop only.
func (l *Lifecycle) open(ts rcl.LifecycleTypes) (err error) {
	what := "lifecycle of node " + strconv.Quote(l.node.fqn)
	if l.node.owns(what) {
		return errors.New("it has one already; close that first")
	}
	if l.h, err = rcl.NewLifecycle(l.node.h, ts); err != nil {
		return err
	}
	for _, s := range l.h.States() {
		l.states = append(l.states, stateMsg(s))
	}
	l.transitions = l.h.Transitions()
	l.moved()
	l.what, l.invalid = what, codeNotInit
	l.finalize = func() error {
		l.cancel()
		return l.h.Close(l.node.h)
	}
	l.node.adopt(&l.entity)
	l.serveAll()
	return nil
}

// owns says whether something called what was made from n and is not closed.
func (n *Node) owns(what string) bool {
	n.childMu.Lock()
	defer n.childMu.Unlock()
	return slices.ContainsFunc(n.children, func(e *entity) bool { return e.what == what })
}

// Close ends the lifecycle, not the node.
func (l *Lifecycle) Close() error { return l.closeTree() }

// Node returns what the lifecycle was made from.
func (l *Lifecycle) Node() *Node { return l.node }

// State returns the present state, or the last one of a closed lifecycle.
func (l *Lifecycle) State() LifecycleState { return *l.state.Load() }

// Trigger does a transition as if it had been asked for through ~/change_state:
// configure, cleanup, activate, deactivate or shutdown. It returns after the callback,
// which runs on the caller's goroutine, with the callback's result. The error is an
// *IllegalTransitionError if the transition is not legal now, which it never is while
// another runs; so a callback may call it, in vain. Nothing needs to spin.
func (l *Lifecycle) Trigger(label string) (TransitionResult, error) {
	run, err := l.begin(rcl.LifecycleTransition{Label: label})
	if err != nil {
		return 0, err
	}
	defer l.takeTurn()()
	return run.finish()
}

// IllegalTransitionError refuses a transition that the present state does not have.
type IllegalTransitionError struct {
	State LifecycleState
	Legal []string // the labels of the transitions that it has; none while one runs
}

func (e *IllegalTransitionError) Error() string {
	switch {
	case !e.State.Primary():
		return fmt.Sprintf("the node is %s; wait for that to end", e.State)
	case len(e.Legal) == 0:
		return fmt.Sprintf("the node is %s, for good", e.State)
	}
	return fmt.Sprintf("the node is %s; legal now: %s", e.State, strings.Join(e.Legal, ", "))
}
