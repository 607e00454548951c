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
)

// World carries out effects. It does so without blocking, in the order given (but what goes to nodes need not wait for
// what is told to people), and what comes of them comes back as inputs. There are two: rosnet and simnet.
type World interface {
	Carry(Effect)
}

// Effect is one wish. The list is closed: every kind is in this file, and each prints as a sentence.
type Effect interface {
	fmt.Stringer
	effect()
}

// ReadState asks a node for its state. The answer, if one comes, is a StateRead with the ticket.
type ReadState struct {
	Node   int
	Ticket uint64
	Watch  bool // it is of the default watch (S5): nothing waits for the answer
}

// CallNode asks a node for a transition. The answer, if one comes, is a CallAnswered with the call's number.
type CallNode struct {
	Node       int
	Call       uint64
	Transition lifecycle.Transition
}

// ArmNode asks a node to arm or disarm. The answer, if one comes, is an ArmAnswered with the call's number.
type ArmNode struct {
	Node int
	Call uint64
	Arm  bool
}

// AcceptGoal answers a goal request: it is taken, and a FinishGoal will follow.
type AcceptGoal struct{ Handle string }

// RejectGoal answers a goal request: it is not taken, and nothing has changed.
type RejectGoal struct {
	Handle string
	Why    string
	Legal  []string // what would be
}

// AnswerCancel answers a cancel request.
type AnswerCancel struct {
	Handle   string
	Accepted bool
	Why      string
}

// SendFeedback tells the caller of a goal how far it is.
type SendFeedback struct {
	Handle      string
	State       string
	Done, Total int
	Last        NodeResult
}

// Ending is the way in which a goal ended, as the action knows it.
type Ending uint8

// The endings.
const (
	Succeeded Ending = iota
	Aborted
	Canceled
)

func (e Ending) String() string { return [...]string{"succeeded", "aborted", "canceled"}[e] }

// FinishGoal ends a goal. It always is the last effect about it.
type FinishGoal struct {
	Handle string
	Ending Ending
	Result Result
}

// PublishChange puts a message on the lifecycle topic.
type PublishChange struct{ Change Change }

// Show says that the snapshot differs from the one shown last. When the network's own state has changed, State and
// Snapshot are set: that very snapshot is published by itself, since a state may last no longer than the step that
// passes through it. Others may be gathered and taken from the belief when they are published.
type Show struct {
	State    string
	Snapshot *Snapshot
}

// Record is a line for the journal.
type Record struct{ Entry Entry }

// SyncJournal asks that all that was recorded be made safe against a loss of power. The answer, if one comes, is a
// JournalSynced with the ticket.
type SyncJournal struct{ Ticket uint64 }

// TakeName says that the name is ours: whatever takes commands may be offered from now on, and whoever asks is answered.
type TakeName struct{}

// WakeAt asks for an input (a Tick will do) at a moment on the steady clock, or earlier. The newest counts.
type WakeAt struct{ Steady time.Duration }

// Exit says that the instance has nothing more to do.
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

func (TakeName) String() string { return "take the name" }

func (e WakeAt) String() string { return fmt.Sprintf("wake at %v", e.Steady) }

func (e Exit) String() string { return fmt.Sprintf("exit %d: %s", e.Code, e.Why) }

// CountTopics says whether checked topics are to be counted. Nobody counts them before the first.
type CountTopics struct{ On bool }

// CallCheck asks a service whether the check passes. The answer, if one comes, is a CheckAnswered with the ticket.
type CallCheck struct {
	Node, Check int
	Ticket      uint64
}

// SendLease tells whoever is armed until when that may stay so.
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

// TellPeers makes our status known. The newest counts; whoever carries it out says it again twice a second, with the
// age of the proof as it is then, until the next one.
type TellPeers struct{ Status mirror.Status }

func (t TellPeers) String() string {
	return fmt.Sprintf("tell peers: %s on the way to %s, seen %v", t.Status.State, t.Status.Target, t.Status.Seen)
}

// DisarmLeft asks a node of Options.Left to disarm. The answer, if one comes, is a LeftAnswered with the call's number.
type DisarmLeft struct {
	Left int
	Call uint64
	Node string
}

func (e DisarmLeft) String() string {
	return fmt.Sprintf("disarm %s, which is not in the network file (%d)", e.Node, e.Call)
}

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

// EntryKind is what an entry of the journal is about.
type EntryKind string

// The kinds.
const (
	EntryStart   EntryKind = "start"   // rstate starts
	EntryEnd     EntryKind = "end"     // it is to stop, or ends
	EntryGoal    EntryKind = "goal"    // a goal was taken, cancelled, finished
	EntryRefusal EntryKind = "refusal" // a goal, or its cancelling, was not taken
	EntryState   EntryKind = "state"   // the network's own state changed
	EntryStep    EntryKind = "step"    // a node's part of a transition
	EntryNode    EntryKind = "node"    // a node came, went, strayed, or is in its place again
	EntryJournal EntryKind = "journal" // the journal itself
	EntryClock   EntryKind = "clock"   // the clock that deadlines of nodes count
	EntryConsole EntryKind = "console" // the log is not written any more
	EntryStall   EntryKind = "stall"   // the process or the loop did not run
	EntryPeer    EntryKind = "peer"    // another instance of the simulation; Node is its name
)

// EntryEvent is what happened, within a kind.
type EntryEvent string

// The events, by the kinds that have any.
const (
	EventAsked    EntryEvent = "asked"    // goal: it was accepted
	EventCanceled EntryEvent = "canceled" // goal: its cancelling was
	EventFinished EntryEvent = "finished" // goal: it ended

	EventBegan   EntryEvent = "began"   // state: a transition begins
	EventFailed  EntryEvent = "failed"  // state: it failed, or a policy calls a failure what happened; journal: it cannot be written; clock: nothing is heard of it
	EventTurned  EntryEvent = "turned"  // state: another way is taken: back, or the next rung of the ladder
	EventSettled EntryEvent = "settled" // state: the network rests in it

	EventSent EntryEvent = "sent" // step: asked of the node
	EventDone EntryEvent = "done" // step: it has a verdict; journal: it is written again; clock: it is another one now

	EventThere   EntryEvent = "there"   // node: a process of its name lives
	EventGone    EntryEvent = "gone"    // node: none does
	EventStrayed EntryEvent = "strayed" // node: it is not as the network's state says
	EventFits    EntryEvent = "fits"    // node: it is again
	EventSilent  EntryEvent = "silent"  // node: it is unresponsive (S5)
	EventAnswers EntryEvent = "answers" // node: it is not any more

	EventStalled EntryEvent = "stalled" // stall: the process did not run
	EventLate    EntryEvent = "late"    // stall: the process ran, and its loop was busy

	EventMayBeArmed EntryEvent = "may_be_armed" // node: it may be armed from now on
	EventDisarmed   EntryEvent = "disarmed"     // node: it is disarmed for certain

	EventSaid EntryEvent = "heard" // peer: it made a change, or knows of one
)

// Entry is one line of the journal: what happened, in a sentence, and in parts for whoever has to find them again.
type Entry struct {
	At    time.Time // wall clock
	Kind  EntryKind
	Event EntryEvent
	State string // of the network, after what happened

	// Of goals, refusals and changes of state.
	Command  string // as asked; of a state: the transition
	Goal     string // the handle
	Reason   string // as the caller gave it
	Client   string // who asked, as far as is known
	Outcome  string // of a finished goal: "succeeded done"
	From, To string // the settled state in which the transition began, and where it is to end
	Then     string // of a state that began or settled: the goal's commands that follow, unless the goal ends before

	// Of steps and nodes.
	Node     string // of a transition that begins: the peer whose change it follows
	Step     string // what was asked of the node
	Verdict  Verdict
	Optional bool
	Count    int             // living processes of the name, where there are several
	Seen     lifecycle.State // where the node was last seen
	SeenAgo  time.Duration
	Took     time.Duration

	// Of a node that may be armed: the call that disarms it.
	Service, Type string
	Lease         bool // it follows the arm lease

	// Of a start, and the last of a settled state: what a state means.
	Simulation, Machine string // the simulation id, and the hash of the machine
	Network             string // see network.Fingerprint

	Sentence string // for a person
	Cause    string // the reason, or what the verdict rests on
}

// Refusal is a command that was not accepted. The zero value: none was since the last accepted one.
type Refusal struct {
	Command string
	Why     string // with the legal commands
	By      Origin
	Client  string // who asked
	Handle  string
	At      time.Time // wall clock
}

// Failure is what went wrong last: a command that failed, or a lowering that no goal asked for. The zero value: nothing has,
// since a goal last succeeded.
type Failure struct {
	Command string
	By      Origin
	Client  string // who asked; empty: no client did
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
	ClockSteady ClockMode = "steady" // they count real time
	ClockROS    ClockMode = "ros"    // they count simulated time
	ClockHeld   ClockMode = "held"   // simulated time stands still, and holds them
)

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
