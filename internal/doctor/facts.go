// Package doctor says what is wrong with a ROS 2 and a network in it, for a person who wants it to run. It is a pure
// function from facts, which others gather, to findings: each with its level, what was seen, and what to do. It imports
// strict (for names that are nearly right) and nothing that looks at the world.
package doctor

import (
	"time"

	"rstate/internal/middleware"
)

// Facts is what was seen. What was not looked for, or not reached in time, is empty.
type Facts struct {
	Env       map[string]string // the variables of Variables that are set
	Missing   []string          // the variables that name a file which is not there
	Stack     Stack
	Host      Host
	Router    Router
	Elsewhere []Process // of ROS, on this host, of this user; not those that we see in any case

	File    string // the network file; empty: the nodes are those that the daemon names
	Network Network
	Asked   string // the full name of the daemon that is looked for
	Daemons []Daemon
	Circles []Circle

	Nodes    []string // full names, one for each node that is there; ours is left out
	Services []Service
	Topics   []Topic // those that are used here, with their ends
	Others   []Named // every topic there is, for names that are nearly right
	Vendors  []Vendor
	Answers  []Answer
	Clock    Clock
}

// Variables are the environment variables that decide which processes a ROS process communicates
// with.
var Variables = []string{
	"ROS_DISTRO", "RMW_IMPLEMENTATION", "ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY",
	"ROS_STATIC_PEERS",
	"ROS_DISCOVERY_SERVER", "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE", "CYCLONEDDS_URI",
	"ZENOH_ROUTER_CHECK_ATTEMPTS", "ZENOH_SESSION_CONFIG_URI", "ZENOH_CONFIG_OVERRIDE",
}

// Stack is the ROS that this process uses.
type Stack struct {
	Distro string // as far as it can be told; empty: not known
	Prefix string // where it is installed
	RMW    string // the middleware that is loaded
	Maker  string // of it, as the ids of our own endpoints say; empty: they do not
	// Abilities is what it gives; zero if that could not be tried.
	Abilities middleware.Abilities
	Domain    uint     // the domain in use
	Fault     string   // why it cannot be used at all
	Lacking   []string // the types that are not installed, each with what that stops
}

// Router is what a middleware of which processes discover each other through a router needs.
type Router struct {
	At    []string // the addresses that this process tries; none: no router is needed
	Found bool     // one of them accepts connections
}

// Host is what this machine lets through.
type Host struct {
	Loopback bool // a datagram to 127.0.0.1 comes back
	Links    []Link
	Shared   int64 // bytes free in /dev/shm; -1: not known
}

// Link is a network interface that is up.
type Link struct {
	Name      string
	Loopback  bool
	Multicast bool // a datagram to ROS's multicast group comes back over it
}

// Process is one that uses ROS, with the environment that it was started in.
type Process struct {
	PID     int
	Command string
	Env     map[string]string
	Stopped bool // by a signal or a debugger
}

// Network is what a network file, or its daemon, says that there is to be.
type Network struct {
	Simulation string
	Proof      time.Duration // the greatest age of a proof; 0: not known
	Peers      []string      // those that are required
	Nodes      []Node
}

// Node is one that is to be there.
type Node struct {
	Name      string
	Lifecycle bool
	Optional  bool
	Arm       *Call    // nil: not armed, or not known how
	ArmServer string   // the node that is to serve Arm, if it is another one
	ArmedBy   []string // the nodes of all processes that serve Arm, as the graph shows them
	Proves    bool     // it is read while the network is armed
	Checks    []Check
	Expected  string // the state that the daemon wants it in; empty: not known
	Running   string // what the daemon has asked it for and has no answer to
	Silent    bool   // the daemon shows it as unresponsive (S5)
}

// Call is a service by name and type.
type Call struct{ Name, Type string }

// Check is one check of a node. Type may be empty: any.
type Check struct {
	Topic, Service, Type string
	Subject              string        // what it looks at, in words
	Rate                 float64       // that is asked for, Hz; 0: none
	Age                  time.Duration // that is allowed for the newest message; 0: any
	Found                Found
}

// Found is what a check said when the doctor measured it.
type Found struct {
	Measured bool          // false: it was not
	Passes   bool          // as rstate would judge it
	Value    string        // in words
	Fault    string        // why it does not pass
	Do       string        // what a person can do about it
	Rate     float64       // of the topic, Hz
	Gap      time.Duration // the longest between two messages
}

// Daemon is an rstate that publishes its state, or did.
type Daemon struct {
	Name       string
	Writers    int  // of its state
	Alive      bool // it renews its life
	Simulation string
	State      string // empty: nothing was heard of it
	Intact     bool
	Settled    bool
	Cause      string
	Warnings   []string
	Nodes      []string
}

// Circle is the instances of one simulation, as they tell each other how they are.
type Circle struct {
	Simulation string
	Instances  []Instance // in the order of their names
	Silent     []string   // nodes that are to speak there, and do not
}

// Instance is one run of an rstate. The names are those of programs, too.
type Instance struct {
	Name     string        `json:"name"`
	Instance string        `json:"instance_id"`
	Alive    bool          `json:"alive"` // it was heard a moment ago
	Age      time.Duration `json:"-"`     // since it was heard last
	State    string        `json:"state"`
	Settled  bool          `json:"settled"`
	Intact   bool          `json:"intact"`
	// the state to which the changes lead that it has seen; empty: there are none
	Common     string            `json:"common"`
	Behind     bool              `json:"behind"` // it is not there, and not on its way
	Leaving    bool              `json:"leaving"`
	Cause      string            `json:"cause,omitempty"`
	Seen       map[string]uint64 `json:"seen"` // how many changes of each instance
	Machine    string            `json:"machine"`
	Hash       string            `json:"machine_hash"`
	Nodes      []string          `json:"nodes"` // that it drives
	MayBeArmed []string          `json:"may_be_armed"`
	Requires   []string          `json:"requires"`
}

// Named is a name with its types.
type Named struct {
	Name  string
	Types []string
}

// Service is one that is offered, by so many.
type Service struct {
	Named
	Servers int
	Nodes   []string // of Facts.Network that offer it
}

// Topic is a topic with its two ends.
type Topic struct {
	Name             string
	Writers, Readers []End
}

// End is a publisher or a subscription. Durations of 0 are without end.
type End struct {
	Node                    string
	Type                    string
	Reliable, Latched       bool // else best effort, volatile
	ByHand                  bool // liveliness is asserted by the program
	Deadline, LivelinessFor time.Duration
}

// Vendor is a maker of middleware, told by the ids of its endpoints.
type Vendor struct {
	Name string
	Ends int
	Of   []string // some of the nodes
}

// Answer is what a node of the network answered.
type Answer struct {
	Node    string
	State   string // to get_state; empty: nothing
	Within  time.Duration
	SimTime string // its parameter use_sim_time: true, false; empty: not known
	Trips   Trips  // of further requests of its state, for a node that proves
}

// Clock is simulated time.
type Clock struct {
	Writers  int
	Messages int // heard while the rest was looked at
	Looked   time.Duration
}
