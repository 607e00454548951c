package engine

import (
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/engine/belief"
	"rstate/internal/engine/grant"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/plan"
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
	Left  []Left
	Noted []Noted // nodes of this network that the journal says may be armed
	// The journal is not whole, or there is none: any node may have been left armed.
	Unsure bool
	Logs   bool // the world passes on what nodes log; see NodeLogged
}

// Listen is how long a start only reads: until every node has been read, but within these bounds.
type Listen struct {
	// From the moment when the last node was found, so that others have time to appear.
	Least time.Duration
	Most  time.Duration // 0: 3 s
}

// State is the believed state of an instance. Only Step changes it; it is not safe for concurrent
// use.
type State struct {
	net     *network.Network
	machine *machine.Machine
	fixed   fixed
	judge   *machine.Judge // the state of the network, and what is legal in it
	now     Time
	clock   nodeClock
	turn    turn

	nodes   []node
	grants  grant.Register
	armed   armedBy
	settled string // the last state that was not passing; empty until the start is over
	work    *work  // the running work; nil at rest
	goals   goals
	refused refusals
	name    naming
	startup startup
	peers   peering
	hold    holding
	gap     gap
	disk    disk
	report  report
	closing closing
	loop    looping
	logs    logging
}

// fixed is what does not change while the instance lives.
type fixed struct {
	order   plan.Order
	opt     Options
	names   []string // of the nodes
	armable []int    // those that can be armed
	checked []int    // those that have checks, or something unsafe
}

// node is what the engine believes of one node, and the requests to it.
type node struct {
	spec  *network.Node
	count int
	epoch uint64

	state lifecycle.State
	at    time.Duration // time of the newest evidence for state
	proof time.Duration // when the newest answered read was sent
	// State was read or announced after the last request; else only an answer claims it.
	firm    bool
	doubted time.Duration // since when it is not firm while no request is open

	call     *belief.Call
	calls    calls
	reading  reading
	arm      arming.Node
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
func (s *State) named(so func(*node) bool) []string {
	var names []string
	for i := range s.nodes {
		if so(&s.nodes[i]) {
			names = append(names, s.nodes[i].spec.Name)
		}
	}
	return names
}

// busy reports whether a transition runs. Reconciling is none: any command ends it.
func (s *State) busy() bool { return s.work != nil && !s.work.phase.rests }

// armedHere reports whether the network is settled in a state that arms.
func (s *State) armedHere() bool {
	here, _ := s.machine.State(s.settled)
	return here.Armed.Any()
}

// mayWrite reports whether the engine may send requests that no client commanded.
func (s *State) mayWrite() bool { return s.startup.writes && !s.yields() }

// command returns a command as it is from an origin: its target may depend on that.
func (s *State) command(name, origin string) machine.Transition {
	return s.machine.Leaving(name, origin)
}

// origin is the state that a command leaves now.
func (s *State) origin() string {
	if s.settled == "" {
		return machine.Unknown
	}
	return s.settled
}
