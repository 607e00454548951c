package engine

import (
	"fmt"
	"time"

	"rstate/internal/engine/guards"
	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// Every input.

// Time is the moment of an input, on every clock that a rule may count. The feeder sets it; the
// engine has no other clock.
type Time struct {
	Steady    time.Duration // never jumps; leases, probes and waits count it
	ROS       time.Duration // counted by node deadlines under use_sim_time
	Simulated bool          // ROS is a clock of its own; else it equals Steady
	Heard     bool          // simulated time was heard; until then ROS means nothing
	// Wall is for stamps. It decides one thing: whether an arm without a `seen` was sent before the end of an era, see
	// grant.Register.Outdated. So it has to be read at the moment of Steady, within 1 ms, and may be set at any time.
	Wall time.Time
}

// Input is one fact. The list is closed: every kind is in this file, and each prints as a sentence.
type Input interface {
	fmt.Stringer
	absorb(*State)
}

// Tick says that time has passed, and nothing else.
type Tick struct{}

// GoalAsked is a request on the action, or from another interface that acts like a client (a parent
// network, autostart).
type GoalAsked struct {
	Handle  string       // the feeder's name for the request; answers carry it
	Command machine.Word // a command or a target state, as the user wrote it
	Reason  string
	ID      string // chosen by the caller, may be empty
	By      Origin // empty: ByGoal
	Client  string // the client that asks, by its own words or as the feeder knows it; may be empty
	// Authorized says that the goal brought the secret that the file asks for. The feeder compares
	// it: no secret enters the engine.
	Authorized bool
	WaitPeers  bool
	Argument   string // of a command that takes one; see machine.Transition
	// What a goal that arms rests on, see grant.Basis. Seen is the text of Snapshot.Seen that the client has brought; empty: none. Sent is
	// when the client sent the request, by the wall clock of this host; zero: unknown. Here says that the client is a
	// process of this host.
	Seen string
	Sent time.Time
	Here bool

	old string // the stall before whose end it may have been sent; empty: none
	era uint64 // in which it came; see package grant
}

// CancelAsked is a cancel request for a goal that was accepted.
type CancelAsked struct{ Handle string }

// NodeSeen says that the graph shows Count nodes of the name, and which epoch the newest has. The
// feeder numbers epochs per node, from 1; a new writer GID is a new epoch.
type NodeSeen struct {
	Node   int
	Epoch  uint64
	Count  int
	Epochs []uint64 // of all of them; empty if the feeder cannot tell them apart
}

// NodeLost says that the graph shows no node of that name any more.
type NodeLost struct {
	Node int
	Why  string
}

// NodeMissed says that no node of the name has ever appeared, and which other names in the graph
// resemble it. It comes once, a moment before a start gives up the wait for the node.
type NodeMissed struct {
	Node  int
	Alike []string
}

// NodeEnded says that the process of that epoch has ended, as far as the operating system of this
// host knows. It may be another process than the node's.
type NodeEnded struct {
	Node  int
	Epoch uint64
}

// StateRead is the answer to a ReadState.
type StateRead struct {
	Node   int
	Ticket uint64
	State  lifecycle.State
}

// EventHeard is a transition_event of the node. Epoch is 0 if its writer is not known yet.
type EventHeard struct {
	Node     int
	Epoch    uint64
	From, To lifecycle.State
}

// CallAnswered is the answer to a CallNode.
type CallAnswered struct {
	Node    int
	Call    uint64
	Success bool
}

// ArmAnswered is the answer to an ArmNode.
type ArmAnswered struct {
	Node    int
	Call    uint64
	Arm     bool // as in the ArmNode
	Success bool
	Message string
}

// NodeReported is a message of the process of that epoch on <node>/report. The feeder passes on only
// messages of the node's own publisher, and each of them once.
type NodeReported struct {
	Node    int
	Epoch   uint64
	Word    string        // the sub-state
	Message string        // what happened, for a person; may be empty
	Age     time.Duration // how long ago the process published it; 0: it has just arrived
}

// NodeLogged is an error that a node has logged on /rosout, by the name of its logger.
type NodeLogged struct {
	Node int
	Text string
	Age  time.Duration // how long ago; 0: it has just arrived
}

// StopAsked says that the process has to end.
type StopAsked struct {
	Why    string
	OnExit network.OnExit // what becomes of the nodes; empty: what the network file says
}

// JournalSynced is the answer to a SyncJournal.
type JournalSynced struct {
	Ticket uint64
	Err    string // why the journal is not safe, and what to do; empty: it is
}

// JournalChanged says that the journal cannot be written any more, or that it can be written again.
type JournalChanged struct {
	Err string // why not, and what to do; empty: it can
}

// ConsoleClosed says that the log cannot be written to the console any more.
type ConsoleClosed struct{ Err string }

// LoopIdle says that a run of the stepped loop has ended, or could not begin.
type LoopIdle struct {
	Run    uint64
	Want   stepper.Want // what ended it; None: all its steps have run
	Fault  bool         // a participant failed, hung or was lost, or the loop could not begin
	ByUs   bool         // a StopLoop ended it
	Node   int          // the participant that ended it; -1: none
	Why    string
	Step   uint64        // the number of its last step
	Now    time.Duration // simulated time
	Cycles uint64        // that have ended in this run
}

// LoopSeen is how far the loop is, ten times a second at most, and at each phase of a run of one step.
type LoopSeen struct{ Loop LoopView }

// NameSeen says that another instance of this name may live: the graph shows it, and nothing was
// heard from it yet.
type NameSeen struct{}

// NameTaken says that another run of this name was heard. A message that it has published proves
// nothing: it may have outlived its process.
type NameTaken struct {
	Instance string
	Holds    bool   // it is past its start
	Renews   bool   // it renews its liveliness
	Answered bool   // it has just answered, which only the holder of the name does
	Who      string // for the user: since when it runs, and with which file; may be empty
	Stood    bool   // this process stood still a moment ago, so the other may have taken over
}

// NameShared says how many other nodes have this name and are no rstate.
type NameShared struct{ Others int }

// ChildSeen says that the node is an rstate itself, and that the feeder has asked what it drives.
type ChildSeen struct{ Node int }

// ChildFound says that the process of that epoch is an rstate itself, and what it drives.
type ChildFound struct {
	Node       int
	Epoch      uint64
	Simulation string
	// The nodes by which its network leads to this name, the last of them; empty: it does not.
	Way []string
}

// TopicCounted says what has come on a checked topic since the counting began. It comes as often as CountTopics says,
// whether the count has grown or not. The engine computes the rate, and chooses the clock.
type TopicCounted struct {
	Node, Check int            // the check's place in the node's list
	Count       uint64         // of messages; begins anew if the subscription had to
	Age         time.Duration  // of the newest message; negative: none has come
	Value       network.Scalar // of the field of the newest message, if the check names one
	Fault       string         // why the topic, or the field, cannot be read; empty: it can
}

// CheckAnswered is the answer to a CallCheck.
type CheckAnswered struct {
	Node, Check int
	Ticket      uint64
	Value       network.Scalar // of the parameter, if the check names one
	Fault       string         // why the check does not pass, or the parameter cannot be read; empty: neither
}

// LeaseHeard says that another instance of this name holds, or held, a lease of that term.
type LeaseHeard struct{ Term uint64 }

// ServersSeen says which processes serve the arming service of a node. It comes when that has changed, and before the
// NodeSeen of a process that serves its own arm. A process counts until it has left the graph, or the operating system of
// this host says that it has ended. Before the first ServersSeen, a node counts as the one server of its arm, and a node
// that arm.served_by names as absent.
type ServersSeen struct {
	Node   int
	Meant  []uint64 // the processes of the node that is to serve it, sorted by the epochs that the feeder gives them, from 1
	Others []string // for each other process the name of its node, sorted
	Why    string   // why the newest of Meant that is not among them any more does not serve it; may be empty
}

// UnsafeSeen says which names that a node must not offer unless armed are in the graph.
type UnsafeSeen struct {
	Node  int
	Names []string // as the file has them, in its order
}

// GuardHeard is the word of a guard. The feeder takes it from the topic of this instance only.
type GuardHeard struct{ guards.Word }

// LeaseUnsent says that lease messages of the present term wait for the middleware, and what the
// newest one that was sent said.
type LeaseUnsent struct {
	Term   uint64
	Sent   bool          // one of this term was sent
	Proved time.Duration // its proof time
}

// PeerChanged is a message of another instance on the lifecycle topic. The feeder drops this
// instance's own messages.
type PeerChanged struct{ Change mirror.Change }

// PeerTold is a status of another instance. It comes with each received status, changed or not,
// because its arrival keeps the peer fresh.
type PeerTold struct{ Status mirror.Status }

// PeerLost says that a peer does not renew its liveliness any more, or that its writer has left the
// graph. If the peer is heard again, a PeerTold follows.
type PeerLost struct {
	Name, Instance string
	Why            string
}

// LeftoverAnswered is the answer to a DisarmLeftover, or says that no process offers the call.
type LeftoverAnswered struct {
	Leftover int
	Call     uint64
	Success  bool
	Absent   bool
	Several  bool // more than one process offers the call
	Message  string
}

// StopHeard is a message of a stop input. The feeder may leave out words that repeat the one before, as long as
// it passes on each change at once and ten words within the time that counts as silence.
type StopHeard struct {
	Stop   int    // the input's place in the network file
	Writer string // which publisher; empty: the middleware does not say
	Word   stopinput.Word
	Fault  string // why the message cannot be read; empty: it can
}

// StopSeen says what the graph shows of a stop input. It comes when that has changed.
type StopSeen struct {
	Stop int
	Seen stopinput.Seen
}

// AcknowledgeAsked is the request of a person to acknowledge all stops.
type AcknowledgeAsked struct {
	Handle     string
	Who        string
	Authorized bool // as in GoalAsked
	// The stops that the person was shown. With ShownOnly, nothing is acknowledged if another one is open, and else all
	// that are known when it is handled are.
	Shown     []latch.Latch
	ShownOnly bool
}

// Late says that the loop was busy for longer than Stall while the process ran.
type Late struct {
	For    time.Duration
	Unsent []Effect // perishable effects from before that were not carried out
}

// Stalled says that this process did not run for longer than Stall, or that this is uncertain.
// Effects that were decided before and not sent are dropped if they are Perishable.
type Stalled struct {
	For   time.Duration // how long the loop did not run
	Still time.Duration // how long the heartbeat of the process paused in that time; 0: unknown
}
