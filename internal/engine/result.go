package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
)

// Outcome is how a goal's work ended, in one word.
type Outcome string

// The outcomes.
const (
	OutcomeDone         Outcome = "done"
	OutcomeAlready      Outcome = "already"
	OutcomeRestored     Outcome = "restored"
	OutcomeUnconfigured Outcome = "unconfigured"
	OutcomeFinalized    Outcome = "finalized"
	OutcomeHeld         Outcome = "held"
	OutcomeCanceled     Outcome = "canceled"
	OutcomePreempted    Outcome = "preempted"
	OutcomeSuperseded   Outcome = "superseded"
	OutcomePeersBehind  Outcome = "peers_behind"
)

// Verdict is what became of one node's part.
type Verdict string

// The verdicts.
const (
	VerdictDone    Verdict = "done"
	VerdictRefused Verdict = "refused"
	VerdictErrored Verdict = "errored"
	VerdictLate    Verdict = "late"
	VerdictGone    Verdict = "gone"
	VerdictUnknown Verdict = "unknown"
	VerdictSkipped Verdict = "skipped"
	VerdictUndone  Verdict = "undone"
)

// NodeResult is the verdict on one node, with the evidence in words. Step is what was asked of it last.
type NodeResult struct {
	Node     string
	Step     string
	Verdict  Verdict
	Evidence string
	From     lifecycle.State // in which it was found; Unknown: not read yet, or not there
	State    lifecycle.State // as last seen
	Elapsed  time.Duration
}

// Result is what the caller of a goal learns in the end, however it ended.
type Result struct {
	Success bool
	Outcome Outcome
	Message string // one sentence for a person
	State   string // where the network stands
	Nodes   []NodeResult
	Elapsed time.Duration
}

// Change is a message on the lifecycle topic.
type Change struct {
	SourceState string // where the network was
	Event       string // the command; empty where nothing was commanded
	TargetState string
	State       string // where the network is now
	Settled     bool
	Seen        []Seen
	Cause       string
}

func (c Change) String() string {
	return fmt.Sprintf("%s: %s to %s, now %s (settled: %s)", c.Event, c.SourceState, c.TargetState, c.State, yes(c.Settled))
}

// Seen says how many changes of one instance are known.
type Seen = mirror.Seen

// Origin is who began what runs, in the words of ~/state.
type Origin string

// The origins.
const (
	ByGoal      Origin = "goal"      // on the action
	ByParent    Origin = "parent"    // a service of the network's own lifecycle, or its ~/arm
	ByAutostart Origin = "autostart" // what a start was told to bring the network to
	ByPolicy    Origin = "policy"    // the network file: what drifted, was lost, came late or was found at a start
	ByExit      Origin = "exit"      // the process is to end
)

// byPeer is the origin of what follows a peer's change.
func byPeer(name string) Origin { return Origin("peer " + name) }

// ArmBelief is what we know of a node's being armed.
type ArmBelief = arming.Belief

// The beliefs. A node that may be armed is treated as armed wherever that is the safer way.
const (
	Disarmed   = arming.Disarmed
	MayBeArmed = arming.MayBeArmed
	IsArmed    = arming.IsArmed
)

// NodeView is one node in a snapshot.
type NodeView struct {
	Name      string
	State     lifecycle.State // Unknown: nothing heard from this process
	Present   bool
	Count     int
	Optional  bool
	Lifecycle bool
	CanArm    bool
	Armed     ArmBelief
	Deviates  string        // why it is not as the network's state says; empty: it is
	Silent    string        // that it is unresponsive (S5), in words; empty: it is not
	Doing     string        // the step under way, empty: none
	TimeLeft  time.Duration // to that step's deadline; 0: none is waited for
	Held      bool          // a clock that stands holds that deadline
	SeenAt    time.Duration
	Failing   []string      // checks that do not pass, each with its reason
	ProofAge  time.Duration // of the newest read, where the node is probed; negative: none
}

// Snapshot is everything that may be shown of an instance at one moment.
type Snapshot struct {
	State       string // of the network: a state of its machine, or unknown
	Settled     string // the last one that was not passing
	Intact      bool
	Deviations  []string
	Target      string // empty at rest, and so are the next five
	Command     string // that runs; empty: nobody commanded what does
	By          Origin
	Client      string // who asked for it; empty: nobody waits for it
	GoalID      string // as its caller chose it
	Recovery    string // which try of a failed transition to put things right: restore, unconfigure or shutdown; empty: none is
	Elapsed     time.Duration
	Done, Total int
	Nodes       []NodeView
	Legal       []string
	Refusal     Refusal
	Failure     Failure
	Cause       string // of the last change
	Waiting     []string
	ProofAge    time.Duration // the oldest of required nodes that are probed; negative: none is
	LeaseTerm   uint64        // of the lease that is held; 0: none is
	LeaseAge    time.Duration // of its newest message; negative: none is held
	LeaseLeft   time.Duration // until it ends if it is not renewed; negative: none is held
	Warnings    []string      // what a person should know and what stops nothing
	Clock       ClockMode
	TimeLeft    time.Duration // the longest that what runs can still take by its deadlines
	Held        bool          // a clock that stands holds one of them
	Peers       []PeerView    // by name
	Common      string        // the state to which the changes in Seen lead; empty: nothing has happened yet
	Behind      bool          // it is not there, and not on its way
	Seen        []Seen
	LeftArmed   []string // nodes that are not of this network, and that an earlier run may have left armed
	OpenGoals   []string // those that are done here and wait for peers
}

// Accompanied says whether a peer lives that follows what is done here: what this network cannot arm, it may.
func (s *Snapshot) Accompanied() bool {
	return slices.ContainsFunc(s.Peers, func(p PeerView) bool { return p.Alive && p.SameMachine && !p.Leaving })
}

// PeerView is another instance of the simulation, as this one sees it.
type PeerView struct {
	Name, Instance string // the instance is empty of one that speaks only four fields, or was never heard
	Required       bool   // the network file asks for it
	Alive          bool
	SameMachine    bool
	State          string
	Settled        bool
	Intact         bool
	Target         string // the state to which the changes that it has seen lead
	Behind         bool
	Leaving        bool
	Seen           []Seen
	Nodes          []string
	Lag            time.Duration // how long it took to follow our newest change, or has not until now; negative: there is none
	Age            time.Duration // of what was heard of it; negative: nothing was
	Cause          string        // why it is not as it should be; may be empty
}
