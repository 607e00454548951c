// Package network is the network file: which nodes there are, in what order they come, what they may take, and which
// machine takes them through their life. It reads the file strictly, with every fault at once, and hands out plain
// data that is never changed afterwards. It imports machine, lifecycle and strict (the YAML reader) only.
package network

import (
	"slices"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// Network is one network file, read and found whole.
type Network struct {
	File       string
	Simulation string
	Machine    *machine.Machine
	Startup    Startup
	OnExit     OnExit
	LastResort LastResort
	Journal    Journal
	Proof      time.Duration // the greatest age of a proof while armed
	Topic      string        // the lifecycle topic
	Peers      Peers
	Arming     Arming
	Stops
	Nodes     []Node // in file order
	Groups    []Group
	Exception string  // the group that goes to the machine's state exception with a node that errs; empty: every node
	Loop      *Loop   // nil: this instance runs no stepped loop
	Data      []Datum // simulation data that clients read
	Expect    Outcome // how the simulation is to end, for rstate batch
	Warnings  []Fault // what is allowed but doubtful
}

// Startup is what a start does with the nodes that it finds.
type Startup string

// The ways to start.
const (
	Adopt  Startup = "adopt"
	Hold   Startup = "hold"
	Reset  Startup = "reset"
	Refuse Startup = "refuse"
)

// OnExit is what a stop of the daemon does with the nodes.
type OnExit string

// The ways to exit. Each disarms.
const (
	ExitDisarm   OnExit = "disarm"
	ExitShutdown OnExit = "shutdown"
	ExitLeave    OnExit = "leave"
)

// LastResort is what follows when neither the origin nor unconfigured can be reached.
type LastResort string

// The last resorts.
const (
	ResortShutdown LastResort = "shutdown"
	ResortHold     LastResort = "hold"
)

// Journal says whether arming needs a journal that can be written.
type Journal string

// The journal's two settings.
const (
	JournalOptional Journal = "optional"
	JournalRequired Journal = "required"
)

// Peers is what other instances of this simulation have to do with us.
type Peers struct {
	Required []string
	Plain    []string
	Deadline time.Duration
}

// Arming is what a goal has to show before anything is armed.
type Arming struct {
	SecretFile string
	Guard      Guard
	Unseen     Unseen
}

// Group is a name for some nodes.
type Group struct {
	Name  string
	Nodes []string
}

// Policy is what follows when a node left its place or was lost.
type Policy string

// The policies.
const (
	Report  Policy = "report"
	Restore Policy = "restore"
	ToError Policy = "error"
)

// Late is what becomes of an optional node that appears late.
type Late string

// The two rules for late nodes.
const (
	Join  Late = "join"
	Leave Late = "leave"
)

// Clock is what a node's deadlines count.
type Clock string

// The clocks. ROS time counts only under use_sim_time; else they are the same.
const (
	ROSClock    Clock = "ros"
	SteadyClock Clock = "steady"
)

// Node is one node of the network.
type Node struct {
	Name      string
	After     []string
	Optional  bool
	Lifecycle bool // false: a plain node, present or not, never driven
	Deadline  Deadlines
	Retry     Retries
	Arm       *Arm // nil: nothing to arm
	Checks    []Check
	Unsafe    []string
	Probe     time.Duration // 0: none
	Late      Late
	OnDrift   Policy
	OnLoss    Loss
	Clock     Clock

	NeedsConfiguration bool // false: the node may stay unconfigured in a state that wants it inactive
	RuntimeStates      []string
	ExceptionStates    []string
	FatalStates        []string
	Serves             []string // the nodes of the network whose arm.served_by names it
	Process            string   // the shell command that runs the node, for rstate batch; empty: it runs already
}

// Reports reports whether the node tells its sub-states on <node>/report.
func (n *Node) Reports() bool {
	return len(n.RuntimeStates)+len(n.ExceptionStates)+len(n.FatalStates) > 0
}

// SubState is what a sub-state that a node reports means for the network.
type SubState string

// The kinds of sub-states.
const (
	Undeclared     SubState = ""
	RuntimeState   SubState = "runtime"
	ExceptionState SubState = "exception" // counts as an error of the node
	FatalState     SubState = "fatal"     // only a new process of the node recovers from it
)

// SubState returns the kind of a sub-state of the node.
func (n *Node) SubState(word string) SubState {
	switch {
	case slices.Contains(n.FatalStates, word):
		return FatalState
	case slices.Contains(n.ExceptionStates, word):
		return ExceptionState
	case slices.Contains(n.RuntimeStates, word):
		return RuntimeState
	}
	return Undeclared
}

// Deadlines are how long each kind of step may take before waiting ends.
type Deadlines struct {
	Configure, Activate, Deactivate, Cleanup, Shutdown, Arm, Disarm, Discover time.Duration
	Recover                                                                   time.Duration // 0: twice the step's
}

// Retries are how often a node is asked again for a step that it has refused. The deadline of the step covers all its
// requests. Nothing is repeated that arms, disarms or shuts down.
type Retries struct {
	Configure, Activate, Deactivate, Cleanup int
}

// Of returns how often a node is asked again for the step of that label.
func (r Retries) Of(step string) int {
	switch step {
	case "configure":
		return r.Configure
	case "activate":
		return r.Activate
	case "deactivate":
		return r.Deactivate
	case "cleanup":
		return r.Cleanup
	}
	return 0
}

// DeadMan says what ends a node's being armed when the coordinator is gone.
type DeadMan string

// The dead man's settings.
const (
	DeadManLease DeadMan = "lease"
	DeadManNone  DeadMan = "none"
)

// Arm is the call that arms and disarms a node.
type Arm struct {
	Service string
	Type    string
	// The node whose process serves Service; empty: the node itself.
	ServedBy string
	DeadMan  DeadMan
	Settles  time.Duration // how long after a disarm a request to arm that was not answered may still take effect
}

// Index returns the place of the node of that name, or -1.
func (n *Network) Index(name string) int {
	for i := range n.Nodes {
		if n.Nodes[i].Name == name {
			return i
		}
	}
	return -1
}

// Want returns what node i is to be in when the network is in the state, and false where the state leaves it as it is.
// A plain node is wanted present, which callers read from its Lifecycle.
func (n *Network) Want(state machine.State, i int) (lifecycle.State, bool) {
	if n.Exception != "" && !state.Final && n.exceptional(state.Name) && !n.in(n.Exception, n.Nodes[i].Name) {
		return lifecycle.Unknown, false
	}
	for _, g := range state.Nodes.Groups {
		if n.in(g.Group, n.Nodes[i].Name) {
			return g.State, true
		}
	}
	return state.Nodes.Others, state.Nodes.Others != lifecycle.Unknown
}

// WantAt is Want of a node that is in a state: one that needs no configuration may stay unconfigured where inactive is
// wanted.
func (n *Network) WantAt(state machine.State, i int, at lifecycle.State) (lifecycle.State, bool) {
	want, ok := n.Want(state, i)
	if want == lifecycle.Inactive && at == lifecycle.Unconfigured && !n.Nodes[i].NeedsConfiguration {
		want = at
	}
	return want, ok
}

// exceptional reports whether the error of a node leads to the state.
func (n *Network) exceptional(state string) bool {
	return slices.ContainsFunc(n.Machine.Auto, func(a machine.Auto) bool {
		return a.On.Event == machine.NodeError && slices.Contains(n.Machine.Targets(a.Do), state)
	})
}

// Arms says whether node i is armed when the network is in the state.
func (n *Network) Arms(state machine.State, i int) bool {
	if n.Nodes[i].Arm == nil || !state.Armed.Any() {
		return false
	}
	if state.Armed.All {
		return true
	}
	for _, g := range state.Armed.Groups {
		if n.in(g, n.Nodes[i].Name) {
			return true
		}
	}
	return false
}

// Unarmable says why a state that arms cannot be had in this network, whatever its nodes do; empty: it can, or it does
// not arm.
func (n *Network) Unarmable(state machine.State) string {
	if !state.Armed.Any() {
		return ""
	}
	for i := range n.Nodes {
		if n.Arms(state, i) {
			return ""
		}
	}
	return "nothing can be armed: no node that is armed in " + state.Name + " has `arm:` in the network file"
}

func (n *Network) in(group, node string) bool {
	for _, g := range n.Groups {
		if g.Name != group {
			continue
		}
		for _, member := range g.Nodes {
			if member == node {
				return true
			}
		}
	}
	return false
}

// Of returns how long a node may take for one transition.
func (d Deadlines) Of(t lifecycle.Transition) time.Duration {
	switch t.Label {
	case "configure":
		return d.Configure
	case "cleanup":
		return d.Cleanup
	case "activate":
		return d.Activate
	case "deactivate":
		return d.Deactivate
	}
	return d.Shutdown
}
