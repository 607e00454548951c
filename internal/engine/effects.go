package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/arming"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/stepper"
)

// World carries out effects, without blocking and in the given order, but requests to nodes need
// not wait for messages to clients. Answers come back as inputs. There are two worlds: rosnet and
// simnet.
type World interface {
	Carry(Effect)
}

// Effect is one request. The list is closed: every kind is in this file, and each prints as a
// sentence.
type Effect interface {
	fmt.Stringer
	effect()
}

// ReadState asks a node for its state. The answer, if one comes, is a StateRead with the ticket.
type ReadState struct {
	Node   int
	Ticket uint64
	Watch  bool // part of the default watch (S5): nothing waits for the answer
}

// CallNode asks a node for a transition. The answer, if one comes, is a CallAnswered with the
// call's number.
type CallNode struct {
	Node       int
	Call       uint64
	Transition lifecycle.Transition
}

// ArmNode asks a node to arm or disarm. The answer, if one comes, is an ArmAnswered with the call's
// number.
type ArmNode struct {
	Node int
	Call uint64
	Arm  bool
}

// AcceptGoal accepts a goal request. A FinishGoal follows.
type AcceptGoal struct{ Handle string }

// RejectGoal rejects a goal request. Nothing has changed.
type RejectGoal struct {
	Handle string
	Why    string
	Legal  []string // commands that are legal now
	Busy   bool     // the goal has to wait for the work that runs now
}

// AnswerCancel answers a cancel request.
type AnswerCancel struct {
	Handle   string
	Accepted bool
	Why      string
}

// SendFeedback tells the client of a goal its progress.
type SendFeedback struct {
	Handle      string
	State       string
	Done, Total int
	Last        NodeResult
}

// Ending is how a goal ended, in the terms of the action.
type Ending uint8

// The endings.
const (
	Succeeded Ending = iota
	Aborted
	Canceled
)

func (e Ending) String() string { return [...]string{"succeeded", "aborted", "canceled"}[e] }

// FinishGoal ends a goal. It is always the last effect about that goal.
type FinishGoal struct {
	Handle string
	Ending Ending
	Result Result
}

// PublishChange publishes a message on the lifecycle topic.
type PublishChange struct{ Change Change }

// Show says that the snapshot differs from the last one shown. If the network's own state has
// changed, State and Snapshot are set, and that snapshot is published by itself, because the state
// may end within this step. If a command begins or ends that shows no passing state, Snapshot alone is
// set. Other snapshots may be gathered and made when they are published.
type Show struct {
	State    string
	Snapshot *Snapshot
}

// Record is a line for the journal.
type Record struct{ Entry Entry }

// SyncJournal asks to make all records safe against a loss of power. The answer, if one comes, is a
// JournalSynced with the ticket.
type SyncJournal struct{ Ticket uint64 }

// TakeName says that this instance holds the name: the world may offer its command interfaces and
// answer requests from now on.
type TakeName struct{}

// StartLoop starts the stepped loop, or lets it go on from where it stopped. The answer is a LoopIdle
// of the same run, when the loop has stopped or if it cannot begin.
type StartLoop struct {
	Run   uint64
	DT    time.Duration // of simulated time in a step; 0: as before, and first as the network file says
	Steps uint64        // the loop stops after so many; 0: no limit
}

// StopLoop ends a run of the loop at the end of the step that runs, unless a participant wants
// something stronger than Want. Abort ends it at once.
type StopLoop struct {
	Run  uint64
	Want stepper.Want
	Why  string
}

// ResetLoop sets simulated time and the number of the step of a loop that does not run to zero.
type ResetLoop struct{}

// LoseStepper says that the process of a participant was lost or replaced while the loop runs.
type LoseStepper struct {
	Node int
	Why  string
}

// WakeAt asks for an input (a Tick is enough) at a moment on the steady clock, or earlier. The
// newest WakeAt counts.
type WakeAt struct{ Steady time.Duration }

// Exit says that the instance has ended.
type Exit struct {
	Code int
	Why  string
}

func (ReadState) effect()     {}
func (CallNode) effect()      {}
func (ArmNode) effect()       {}
func (AcceptGoal) effect()    {}
func (RejectGoal) effect()    {}
func (AnswerCancel) effect()  {}
func (SendFeedback) effect()  {}
func (FinishGoal) effect()    {}
func (PublishChange) effect() {}
func (Show) effect()          {}
func (Record) effect()        {}
func (SyncJournal) effect()   {}
func (StartLoop) effect()     {}
func (StopLoop) effect()      {}
func (ResetLoop) effect()     {}
func (LoseStepper) effect()   {}
func (TakeName) effect()      {}
func (WakeAt) effect()        {}
func (Exit) effect()          {}
func (SendLease) effect()     {}
func (CountTopics) effect()   {}
func (CallCheck) effect()     {}
func (TellPeers) effect()     {}
func (DisarmLeft) effect()    {}

func (e ReadState) String() string {
	if e.Watch {
		return fmt.Sprintf("watch node %d", e.Node)
	}
	return fmt.Sprintf("ask node %d for its state", e.Node)
}

func (e CallNode) String() string { return fmt.Sprintf("%s node %d", e.Transition.Label, e.Node) }

func (e ArmNode) String() string {
	if e.Arm {
		return fmt.Sprintf("arm node %d", e.Node)
	}
	return fmt.Sprintf("disarm node %d", e.Node)
}

func (e AcceptGoal) String() string { return "accept " + e.Handle }

func (e RejectGoal) String() string {
	return fmt.Sprintf("reject %s: %s (legal: %s)", e.Handle, e.Why, strings.Join(e.Legal, ", "))
}

func (e AnswerCancel) String() string {
	if e.Accepted {
		return "accept the cancelling of " + e.Handle
	}
	return "refuse to cancel " + e.Handle + ": " + e.Why
}

func (e SendFeedback) String() string {
	return fmt.Sprintf("tell %s: %s, %d of %d", e.Handle, e.State, e.Done, e.Total)
}

func (e FinishGoal) String() string {
	return fmt.Sprintf("end %s: %v, %s", e.Handle, e.Ending, e.Result.Message)
}

func (e PublishChange) String() string { return "publish " + e.Change.String() }

func (e Show) String() string {
	if e.State == "" {
		return "show what changed"
	}
	return "show that the network is " + e.State
}

func (e Record) String() string { return "record " + e.Entry.Sentence }

func (e SyncJournal) String() string { return fmt.Sprintf("make the journal safe (%d)", e.Ticket) }

func (e StartLoop) String() string {
	words := fmt.Sprintf("start the loop (%d)", e.Run)
	if e.DT > 0 {
		words += fmt.Sprintf(", steps of %v", e.DT)
	}
	if e.Steps > 0 {
		words += fmt.Sprintf(", %d steps", e.Steps)
	}
	return words
}

func (e StopLoop) String() string {
	when := "at the end of the step"
	if e.Want == stepper.Abort {
		when = "now"
	}
	return fmt.Sprintf("stop the loop (%d) %s: %s", e.Run, when, e.Why)
}

func (ResetLoop) String() string { return "reset the loop" }

func (e LoseStepper) String() string { return fmt.Sprintf("node %d steps no more: %s", e.Node, e.Why) }

func (TakeName) String() string { return "take the name" }

func (e WakeAt) String() string { return fmt.Sprintf("wake at %v", e.Steady) }

func (e Exit) String() string { return fmt.Sprintf("exit %d: %s", e.Code, e.Why) }

// CountTopics starts or stops the counting of checked topics. Before the first one, the world does
// not count.
type CountTopics struct{ On bool }

// CallCheck asks a service if the check passes. The answer, if one comes, is a CheckAnswered with
// the ticket.
type CallCheck struct {
	Node, Check int
	Ticket      uint64
}

// SendLease tells armed nodes how long they may stay armed.
type SendLease struct{ Message lease.Message }

func (e SendLease) String() string {
	m := e.Message
	return fmt.Sprintf("say of lease %d (%d) that it was proven at %v and is good for %v", m.Term, m.Seq, m.Proved, m.Valid)
}

func (e CountTopics) String() string {
	if e.On {
		return "count what comes on checked topics"
	}
	return "count checked topics no more"
}

func (e CallCheck) String() string {
	return fmt.Sprintf("ask for check %d of node %d", e.Check, e.Node)
}

// TellPeers publishes the status of this instance. The newest one counts. The world repeats it
// twice a second, with the present age of the proof, until the next one.
type TellPeers struct{ Status mirror.Status }

func (t TellPeers) String() string {
	return fmt.Sprintf("tell peers: %s on the way to %s, seen %v", t.Status.State, t.Status.Target, t.Status.Seen)
}

// DisarmLeft asks a node of Options.Left to disarm. The answer, if one comes, is a LeftAnswered
// with the call's number.
type DisarmLeft struct {
	Left int
	Call uint64
	Node string
}

func (e DisarmLeft) String() string {
	return fmt.Sprintf("disarm %s, which is not in the network file (%d)", e.Node, e.Call)
}

// LoopView is what is shown of the stepped loop.
type LoopView struct {
	Runs  bool
	Phase string // that runs; empty: none
	Step  uint64 // the number of the step that runs, or of the last one; from 1 at each reset
	Now   time.Duration
	DT    time.Duration
	Rate  float64 // steps in a second
	Times []StepTime
	Fault string // why the loop stopped by a fault; empty: it did not, or goes on since
	Other string // another node that publishes simulated time while the loop runs; empty: none
}

// StepTime is how long a participant takes for one phase, in this run of the loop.
type StepTime struct {
	Node            string
	Phase           stepper.Phase
	Count           uint64
	Mean, Max, Last time.Duration
}

// Outcome is how the work of a goal ended, in one word.
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

// Verdict is the result of one node.
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

// NodeResult is the result of one node, with the evidence in words. Step is its last step.
type NodeResult struct {
	Node     string
	Step     string
	Verdict  Verdict
	Evidence string
	From     lifecycle.State // where it was found; Unknown: not read yet, or absent
	State    lifecycle.State // as last seen
	Elapsed  time.Duration
}

// Result is the final answer to the client of a goal.
type Result struct {
	Success bool
	Outcome Outcome
	Message string // one sentence for the user
	State   string // the network's state
	Nodes   []NodeResult
	Elapsed time.Duration
}

// Change is a message on the lifecycle topic.
type Change struct {
	SourceState string // the network's state before
	Event       string // the command; empty: there was none
	TargetState string
	State       string // the network's state now
	Settled     bool
	Seen        []Seen
	Orders      []Seen        // how many disarm orders of each instance are known
	Made        time.Duration // when the change was made, by the steady clock
	Cause       string
}

func (c Change) String() string {
	return fmt.Sprintf("%s: %s to %s, now %s (settled: %s)", c.Event, c.SourceState, c.TargetState, c.State, yes(c.Settled))
}

// Seen says how many changes of one instance are known.
type Seen = mirror.Seen

// Origin is what began the running work, in the words of ~/state.
type Origin string

// The origins.
const (
	ByGoal      Origin = "goal"      // on the action
	ByParent    Origin = "parent"    // a service of the network's own lifecycle, or its ~/arm
	ByAutostart Origin = "autostart" // the target state given to the start
	// The network file: for a drift, a loss, a late node or what a start found.
	ByPolicy Origin = "policy"
	ByExit   Origin = "exit" // the process has to end
)

// byPeer is the origin of work that follows a change of a peer.
func byPeer(name string) Origin { return Origin("peer " + name) }

// ArmBelief is whether a node is armed, as far as is known.
type ArmBelief = arming.Belief

// The beliefs. A node that may be armed counts as armed wherever that is safer.
const (
	Disarmed   = arming.Disarmed
	MayBeArmed = arming.MayBeArmed
	IsArmed    = arming.IsArmed
)

// NodeView is one node in a snapshot.
type NodeView struct {
	Name      string
	State     lifecycle.State // Unknown: this process was not heard yet
	Present   bool
	Count     int
	Optional  bool
	Lifecycle bool
	CanArm    bool
	Armed     ArmBelief
	Deviates  string        // why it is not as the network's state says; empty: it is
	Silent    string        // that it is unresponsive (S5), in words; empty: it is responsive
	Doing     string        // the running step; empty: none
	TimeLeft  time.Duration // to that step's deadline; 0: it has none
	Held      bool          // a clock that stands still holds that deadline
	SeenAt    time.Duration
	Failing   []string      // checks that do not pass, each with its reason
	ProofAge  time.Duration // of the newest read, if the node is probed; negative: none
	Report    string        // the sub-state that its present process reported last; empty: none
	Reports   int           // how often in a row
}

// Snapshot is the whole published state of an instance at one moment.
type Snapshot struct {
	State      string // of the network: a state of its machine, or unknown
	Settled    string // the last one that was not passing
	Intact     bool
	Deviations []string
	Work       WorkView // zero at rest
	Nodes      []NodeView
	Legal      []string
	Refusal    Refusal
	Failure    Failure
	Cause      string        // of the last change
	Waiting    []string      // what a start waits for
	ProofAge   time.Duration // of the oldest required proof; negative: there is none
	Lease      LeaseView
	Warnings   []string // what the user should know although it stops nothing
	Clock      ClockMode
	Peers      PeersView
	LeftArmed  []string // nodes outside this network that an earlier run may have left armed
	OpenGoals  []string // goals that are done here and wait for peers or for the loop to stop
	Loop       LoopView
}

// WorkView is the running transition in a snapshot.
type WorkView struct {
	Target      string
	Command     string // empty: the work has none
	By          Origin
	Client      string // the client that asked; empty: no client waits
	GoalID      string // as the client chose it
	Recovery    string // the rung that runs: restore, unconfigure or shutdown; empty: none
	Elapsed     time.Duration
	Done, Total int
	TimeLeft    time.Duration // longest time that it can still take by the deadlines of its nodes
	Held        bool          // a clock that stands still holds one of them
}

// LeaseView is the held lease in a snapshot.
type LeaseView struct {
	Term uint64        // 0: none is held
	Age  time.Duration // of its newest message; negative: none is held
	Left time.Duration // until it ends if it is not renewed; negative: none is held
}

// PeersView is what a snapshot says of peers, and of the changes that they have made.
type PeersView struct {
	All    []PeerView // by name
	Common string     // the common target; empty: nothing has happened yet
	Behind bool       // the network is not in Common, and not on its way there
	Seen   []Seen
}

// Rests reports whether the network has settled and no command runs. A command without a passing state
// shows its origin.
func (s *Snapshot) Rests() bool {
	return s.Settled != "" && s.State == s.Settled && s.Work.Target == ""
}

// Accompanied reports whether a peer lives that follows this network: it may arm what this network
// cannot.
func (s *Snapshot) Accompanied() bool {
	return slices.ContainsFunc(s.Peers.All, func(p PeerView) bool { return p.Alive && p.SameMachine && !p.Leaving })
}

// PeerView is another instance of the simulation, as this one sees it.
type PeerView struct {
	// Instance is empty if the peer sends only four fields, or was never heard.
	Name, Instance string
	Required       bool // the network file asks for it
	Alive          bool
	SameMachine    bool
	State          string
	Settled        bool
	Intact         bool
	Target         string // the state to which its known changes lead
	Behind         bool
	Leaving        bool
	Seen           []Seen
	Nodes          []string
	// How long it took, or has taken so far, to follow our newest change; negative: there is none.
	Lag   time.Duration
	Age   time.Duration // of its newest message; negative: there is none
	Cause string        // why it is not as it should be; may be empty
}

// EntryKind is what an entry of the journal is about.
type EntryKind string

// The kinds.
const (
	EntryStart   EntryKind = "start"   // rstate starts
	EntryEnd     EntryKind = "end"     // rstate has to stop, or ends
	EntryGoal    EntryKind = "goal"    // a goal was accepted, cancelled or finished
	EntryRefusal EntryKind = "refusal" // a goal, or its cancel, was rejected
	EntryState   EntryKind = "state"   // the network's own state changed
	EntryStep    EntryKind = "step"    // a node's part of a transition
	// A node appeared, was lost, strayed, or is back in its place.
	EntryNode    EntryKind = "node"
	EntryJournal EntryKind = "journal" // the journal itself
	EntryClock   EntryKind = "clock"   // the clock that deadlines of nodes count
	EntryConsole EntryKind = "console" // the console log cannot be written any more
	EntryStall   EntryKind = "stall"   // the process or the loop did not run
	EntryPeer    EntryKind = "peer"    // another instance of the simulation; Node is its name
)

// EntryEvent is what happened, within a kind.
type EntryEvent string

// The events, by the kinds that have any.
const (
	EventAsked    EntryEvent = "asked"    // goal: it was accepted
	EventCanceled EntryEvent = "canceled" // goal: its cancel was accepted
	EventFinished EntryEvent = "finished" // goal: it ended

	EventBegan EntryEvent = "began" // state: a transition begins
	// State: a transition failed, or a policy treats an event as a failure; journal: it cannot be
	// written; clock: it is not heard.
	EventFailed  EntryEvent = "failed"
	EventTurned  EntryEvent = "turned"  // state: a rollback, or the next rung of recovery
	EventSettled EntryEvent = "settled" // state: the network has settled in it

	EventSent EntryEvent = "sent" // step: sent to the node
	// Step: it has a verdict; journal: it can be written again; clock: it has changed.
	EventDone EntryEvent = "done"

	EventThere   EntryEvent = "there"   // node: a process of its name lives
	EventGone    EntryEvent = "gone"    // node: no process of its name lives
	EventStrayed EntryEvent = "strayed" // node: it is not as the network's state says
	EventFits    EntryEvent = "fits"    // node: it is as the state says again
	EventSilent  EntryEvent = "silent"  // node: it is unresponsive (S5)
	EventAnswers EntryEvent = "answers" // node: it is responsive again

	EventReported EntryEvent = "reported" // node: it reports a sub-state (S6)
	EventStrange  EntryEvent = "strange"  // node: it reports a word that the network file does not declare

	EventStalled EntryEvent = "stalled" // stall: the process did not run
	EventLate    EntryEvent = "late"    // stall: the process ran, but its loop was busy

	EventMayBeArmed EntryEvent = "may_be_armed" // node: it may be armed from now on
	EventDisarmed   EntryEvent = "disarmed"     // node: it is certainly disarmed

	EventSaid EntryEvent = "heard" // peer: it made a change, or knows of one
)

// Entry is one line of the journal: what happened, as a sentence and as fields for a search.
type Entry struct {
	At    time.Time // wall clock
	Kind  EntryKind
	Event EntryEvent
	State string // of the network, after the event

	// Of goals, refusals and changes of state.
	Command string // as asked; of a state: the transition
	Goal    string // the handle
	Reason  string // as the client gave it
	Client  string // the client that asked, as far as is known
	Outcome string // of a finished goal: "succeeded done"
	Way     Way

	// Of steps and nodes.
	Node    string // of a transition that begins: the peer whose change it follows
	Step    string // what was asked of the node
	Verdict Verdict
	Seen    Sighting
	Took    time.Duration

	Disarm  DisarmCall // of a node that may be armed
	Meaning Meaning    // of a start, and the network of a settled state

	Sentence string // for the user
	Cause    string // the reason, or what the verdict rests on
}

// Way is where a transition leads.
type Way struct {
	From, To string // the settled state in which it began, and where it is to end
	// The next commands of the goal, unless it ends before; of a state that began or settled.
	Then string
}

// Sighting is what is known of a node.
type Sighting struct {
	Optional bool
	Count    int             // living processes of the name, if there are several
	State    lifecycle.State // the last known one
	Ago      time.Duration   // since when it is known
}

// DisarmCall is the call that disarms a node.
type DisarmCall struct {
	Service, Type string
	Lease         bool // the node follows the arm lease
}

// Meaning is what the name of a state means.
type Meaning struct {
	Simulation, Machine string // the simulation id, and the hash of the machine
	Network             string // see network.Fingerprint
}

// Refusal is a command that was rejected. Zero: none was since the last accepted one.
type Refusal struct {
	Command string
	Why     string // with the legal commands
	By      Origin
	Client  string // the client that asked
	Handle  string
	At      time.Time // wall clock
}

// Failure is the last failure: a command that failed, or a lowering that no goal asked for. The
// zero value: there was none since a goal last succeeded.
type Failure struct {
	Command string
	By      Origin
	Client  string // the client that asked; empty: none did
	Outcome Outcome
	From    string // the settled state in which it began
	Why     string
	At      time.Time // wall clock
}

func (f Failure) String() string {
	return fmt.Sprintf("%s %s: %s", f.Command, f.Outcome, f.Why)
}

// ClockMode is how the deadlines of nodes are counted.
type ClockMode string

// The modes.
const (
	ClockSteady ClockMode = "steady" // real time
	ClockROS    ClockMode = "ros"    // simulated time
	ClockHeld   ClockMode = "held"   // simulated time, which stands still and holds the deadlines
)

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
