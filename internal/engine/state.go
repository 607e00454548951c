package engine

import (
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/engine/belief"
	"rstate/internal/engine/grant"
	"rstate/internal/latch"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// The believed state of an instance.

// Options is the input of an instance's start, besides the network.
type Options struct {
	Instance string // new at each start; a later start has a greater id
	Name     string // the full name of its node
	Listen   Listen
	Last     string // the settled state in which the journal ends; empty: there is none
	// Why Last does not hold the state in which the journal ends; empty: it does, or there is none.
	NotLast string
	// Nodes that the journal says may be armed, and that the network does not arm by the same call.
	Leftovers []Leftover
	Noted     []Noted // nodes of this network that the journal says may be armed
	// How many disarm orders each run before has given. A peer may not have heard one before that run ended.
	Ordered []Ordered
	Latches []latch.Latch // the stops that the journal knows
	// The time before this start in which no run listened to the stop inputs, unless a new boot of the machine lies
	// between them.
	Unheard latch.Gap
	// The journal is not whole, or there is none: any node may have been left armed.
	Unsure bool
	// How long the middleware keeps a silent process in the graph. 0: 20 s, as Fast DDS does.
	Silent time.Duration
	Logs   bool // the world passes on what nodes log; see NodeLogged
}

// Ordered is how many orders to disarm a run has given.
type Ordered = mirror.Seen

// Listen is how long a start only reads: until every node has been read, but within these bounds.
type Listen struct {
	// From the moment when the last node was found, so that others have time to appear.
	Least time.Duration
	Most  time.Duration // 0: 3 s
}

// State is the believed state of an instance. Only Step changes it; it is not safe for concurrent
// use.
//
// It is built in layers, each a type of its own that knows the ones below it and none above: facts
// and agenda, standing, roster, league, course, clients. A method belongs to the lowest layer that has what it
// touches. What is left here is an input, a conclusion or an output of the step.
type State struct {
	clients

	loop looping
}

// node is what the engine believes of one node, and the requests to it.
type node struct {
	spec  *network.Node
	count int
	epoch uint64

	state    lifecycle.State
	at       time.Duration // time of the newest evidence for state
	provenAt time.Duration // when the newest answered read was sent
	// State was read or announced after the last request; else only an answer claims it.
	firm    bool
	doubted time.Duration // since when it is not firm while no request is open

	call     *belief.Call
	calls    calls
	reading  reading
	arm      arming.Node
	serving  serving
	permit   grant.Permit // with which the process was asked to arm last
	checks   []checkup    // as in spec
	unsafe   []string     // unsafe names that it offers now
	bare     bool         // it began to offer them after its disarm was sent
	part     part
	place    place
	absence  absence
	relation relation
	look     look
}

func (n *node) there() bool { return n.count > 0 }

// readable reports whether the node is alone, and known to be in a primary state.
func (n *node) readable() bool { return n.count == 1 && n.firm && n.state.Primary() }

// named lists the names of the nodes that are so.
func (ro *roster) named(so func(*node) bool) []string {
	var names []string
	for i := range ro.nodes {
		if so(&ro.nodes[i]) {
			names = append(names, ro.nodes[i].spec.Name)
		}
	}
	return names
}

// busy reports whether a transition runs. Reconciling is none: any command ends it.
func (co *course) busy() bool { return co.work != nil && co.work.phase != reconciling }

// armedHere reports whether the network is settled in a state that arms.
func (st *standing) armedHere() bool {
	here, _ := st.machine.State(st.settled)
	return here.Armed.Any()
}

// mayWrite reports whether the engine may send requests that no client commanded.
func (st *standing) mayWrite() bool { return st.startup.writes && !st.yields() }

// command returns a command as it is from an origin: its target may depend on that.
func (f *facts) command(name, origin string) machine.Transition {
	return f.machine.Leaving(name, origin)
}

// origin is the state that a command leaves now.
func (st *standing) origin() string {
	if st.settled == "" {
		return machine.Unknown
	}
	return st.settled
}
