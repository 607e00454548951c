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

// Primary reports whether a node rests in the state, unlike the states of a transition.
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

// TransitionResult is the result of a transition's callback, with ROS's numbers.
type TransitionResult uint8

// The results. Any other value that a callback returns counts as an error.
const (
	TransitionSuccess TransitionResult = 97 // the node goes on to the transition's target
	TransitionFailure TransitionResult = 98 // the node returns to the state before; after shutdown it is finalized
	TransitionError   TransitionResult = 99 // the node goes on to error processing
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
// transition began, also for OnError. ctx ends when the lifecycle is closed. A panic
// counts as TransitionError.
type LifecycleCallback func(ctx context.Context, from LifecycleState) TransitionResult

// LifecycleCallbacks are a node's callbacks. A nil callback succeeds.
type LifecycleCallbacks struct {
	OnConfigure, OnCleanup, OnActivate, OnDeactivate, OnShutdown LifecycleCallback
	// OnError is called after a callback that returned an error. If it succeeds the node
	// is unconfigured, else finalized.
	OnError LifecycleCallback
}

// LifecycleOptions configures a lifecycle.
type LifecycleOptions struct {
	// Parallel answers queries of the state while a callback runs, like a node with
	// several threads. Without it they are answered after the callback has returned, like
	// in a node with one thread. Requests to change the state always wait for earlier
	// ones.
	Parallel bool
}

// NewDefaultLifecycleOptions returns options for one thread.
func NewDefaultLifecycleOptions() *LifecycleOptions { return &LifecycleOptions{} }

// Lifecycle makes its node a lifecycle node: with the services ~/change_state,
// ~/get_state, ~/get_available_states, ~/get_available_transitions and
// ~/get_transition_graph, served like all entities of the node, and the topic
// ~/transition_event. Closing it, or the node, closes these. Close does not wait for a
// running callback, whose result is then ignored.
type Lifecycle struct {
	entity
	node      *Node
	h         *rcl.Lifecycle
	callbacks map[uint8]lifecycleStep // by the state in which each runs
	parallel  bool
	turn      sync.Mutex // without parallel: held while anything is answered or done

	states      []stateMsg // of the machine, fixed
	transitions []rcl.LifecycleTransition

	state  atomic.Pointer[LifecycleState] // the current one, written by the loop
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
	if l.h, err = rcl.NewLifecycle(l.node.h, l.node.clock.h, ts); err != nil {
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

// owns reports whether n has an open child of that description.
func (n *Node) owns(what string) bool {
	n.childMu.Lock()
	defer n.childMu.Unlock()
	return slices.ContainsFunc(n.children, func(e *entity) bool { return e.what == what })
}

// Close ends the lifecycle, not the node.
func (l *Lifecycle) Close() error { return l.closeTree() }

// Node returns what the lifecycle was made from.
func (l *Lifecycle) Node() *Node { return l.node }

// State returns the current state, or the last one of a closed lifecycle.
func (l *Lifecycle) State() LifecycleState { return *l.state.Load() }

// Trigger does a transition as if a client had requested it through ~/change_state:
// configure, cleanup, activate, deactivate or shutdown. The callback runs on the caller's
// goroutine, and Trigger returns its result. The error is an *IllegalTransitionError if the
// transition is not legal in the current state, which is always so while another transition
// runs; a callback that calls Trigger therefore gets this error. Trigger needs no spin.
func (l *Lifecycle) Trigger(label string) (TransitionResult, error) {
	run, err := l.begin(rcl.LifecycleTransition{Label: label})
	if err != nil {
		return 0, err
	}
	defer l.takeTurn()()
	return run.finish()
}

// IllegalTransitionError refuses a transition that is not legal in the current state.
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
