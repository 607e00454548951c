package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/stepper"
)

// Every effect.

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

func (e ReadState) String() string {
	if e.Watch {
		return fmt.Sprintf("watch node %d", e.Node)
	}
	return fmt.Sprintf("ask node %d for its state", e.Node)
}

// CallNode asks a node for a transition. The answer, if one comes, is a CallAnswered with the
// call's number.
type CallNode struct {
	Node       int
	Call       uint64
	Transition lifecycle.Transition
}

func (e CallNode) String() string { return fmt.Sprintf("%s node %d", e.Transition.Label, e.Node) }

// ArmNode asks a node to arm if it carries a permit, which only a grant yields, and else to disarm.
// The answer, if one comes, is an ArmAnswered with the call's number.
type ArmNode struct {
	Node   int
	Call   uint64
	Permit grant.Permit
}

// Arms reports whether the node is asked to arm.
func (e ArmNode) Arms() bool { return e.Permit.Given() }

func (e ArmNode) String() string {
	if e.Arms() {
		return fmt.Sprintf("arm node %d", e.Node)
	}
	return fmt.Sprintf("disarm node %d", e.Node)
}

// AcceptGoal accepts a goal request. A FinishGoal follows.
type AcceptGoal struct{ Handle string }

func (e AcceptGoal) String() string { return "accept " + e.Handle }

// RejectGoal rejects a goal request. Nothing has changed.
type RejectGoal struct {
	Handle   string
	Why      string
	Legal    []string // commands that are legal now
	Busy     bool     // the goal has to wait for the work that runs now
	Outdated bool     // the goal brings a Seen that is not the present one
}

func (e RejectGoal) String() string {
	return fmt.Sprintf("reject %s: %s (legal: %s)", e.Handle, e.Why, strings.Join(e.Legal, ", "))
}

// AnswerCancel answers a cancel request.
type AnswerCancel struct {
	Handle   string
	Accepted bool
	Why      string
}

func (e AnswerCancel) String() string {
	if e.Accepted {
		return "accept the cancelling of " + e.Handle
	}
	return "refuse to cancel " + e.Handle + ": " + e.Why
}

// SendFeedback tells the client of a goal its progress.
type SendFeedback struct {
	Handle      string
	State       string
	Done, Total int
	Last        NodeResult
}

func (e SendFeedback) String() string {
	return fmt.Sprintf("tell %s: %s, %d of %d", e.Handle, e.State, e.Done, e.Total)
}

// FinishGoal ends a goal. It is always the last effect about that goal.
type FinishGoal struct {
	Handle string
	Ending Ending
	Result Result
}

func (e FinishGoal) String() string {
	return fmt.Sprintf("end %s: %v, %s", e.Handle, e.Ending, e.Result.Message)
}

// PublishChange publishes a message on the lifecycle topic.
type PublishChange struct{ Change Change }

func (e PublishChange) String() string { return "publish " + e.Change.String() }

// Show says that the snapshot differs from the last one shown. If the network's own state has
// changed, State and Snapshot are set, and that snapshot is published by itself, because the state
// may end within this step. If a command begins or ends that shows no passing state, Snapshot alone is
// set. Other snapshots may be gathered and made when they are published.
type Show struct {
	State    string
	Snapshot *Snapshot
}

func (e Show) String() string {
	if e.State == "" {
		return "show what changed"
	}
	return "show that the network is " + e.State
}

// Record is a line for the journal.
type Record struct{ Entry Entry }

func (e Record) String() string { return "record " + e.Entry.Sentence }

// SyncJournal asks to make all records safe against a loss of power. The answer, if one comes, is a
// JournalSynced with the ticket.
type SyncJournal struct{ Ticket uint64 }

func (e SyncJournal) String() string { return fmt.Sprintf("make the journal safe (%d)", e.Ticket) }

// TakeName says that this instance holds the name: the world may offer its command interfaces and
// answer requests from now on.
type TakeName struct{}

func (TakeName) String() string { return "take the name" }

// StartLoop starts the stepped loop, or lets it go on from where it stopped. The answer is a LoopIdle
// of the same run, when the loop has stopped or if it cannot begin.
type StartLoop struct {
	Run   uint64
	DT    time.Duration // of simulated time in a step; 0: as before, and first as the network file says
	Steps uint64        // the loop stops after so many; 0: no limit
}

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

// StopLoop ends a run of the loop at the end of the step that runs, unless a participant wants
// something stronger than Want. Abort ends it at once. If the run has ended already, Abort says that
// nothing has come of what participants and triggers wanted at its end: it is due when the loop starts again.
type StopLoop struct {
	Run  uint64
	Want stepper.Want
	Why  string
}

func (e StopLoop) String() string {
	when := "at the end of the step"
	if e.Want == stepper.Abort {
		when = "now"
	}
	return fmt.Sprintf("stop the loop (%d) %s: %s", e.Run, when, e.Why)
}

// ResetLoop sets simulated time and the number of the step of a loop that does not run to zero.
type ResetLoop struct{}

func (ResetLoop) String() string { return "reset the loop" }

// LoseStepper says that the process of a participant was lost or replaced while the loop runs.
type LoseStepper struct {
	Node int
	Why  string
}

func (e LoseStepper) String() string { return fmt.Sprintf("node %d steps no more: %s", e.Node, e.Why) }

// CountTopics makes the world count what comes on checked topics: at once, and then as often as it says. Zero ends
// that. Before the first one, the world does not count.
type CountTopics struct{ Every time.Duration }

func (e CountTopics) String() string {
	if e.Every == 0 {
		return "count checked topics no more"
	}
	return fmt.Sprintf("count what comes on checked topics every %v", e.Every)
}

// CallCheck asks a service if the check passes. The answer, if one comes, is a CheckAnswered with
// the ticket.
type CallCheck struct {
	Node, Check int
	Ticket      uint64
}

func (e CallCheck) String() string {
	return fmt.Sprintf("ask for check %d of node %d", e.Check, e.Node)
}

// ListenLogs starts or stops the passing on of errors that nodes log. Only with Options.Logs.
type ListenLogs struct{ On bool }

func (e ListenLogs) String() string {
	if e.On {
		return "listen to what nodes log"
	}
	return "listen to what nodes log no more"
}

// SendLease tells armed nodes how long they may stay armed.
type SendLease struct{ Message lease.Message }

func (e SendLease) String() string {
	m := e.Message
	return fmt.Sprintf("say of lease %d (%d) that it was proven at %v and is good for %v", m.Term, m.Seq, m.Proved,
		m.Valid)
}

// TellPeers publishes the status of this instance. The newest one counts. The world repeats it
// twice a second, with the present age of the proof, until the next one.
type TellPeers struct{ Status mirror.Status }

func (t TellPeers) String() string {
	return fmt.Sprintf("tell peers: %s on the way to %s, seen %v", t.Status.State, t.Status.Target, t.Status.Seen)
}

// DisarmLeftover asks a node of Options.Left to disarm. The answer, if one comes, is a LeftoverAnswered
// with the call's number.
type DisarmLeftover struct {
	Leftover int
	Call     uint64
	Node     string
}

func (e DisarmLeftover) String() string {
	return fmt.Sprintf("disarm %s, which is not in the network file (%d)", e.Node, e.Call)
}

// AnswerAcknowledge answers an AcknowledgeAsked.
type AnswerAcknowledge struct {
	Handle   string
	Accepted bool
	Message  string // what was acknowledged, or why nothing was
}

func (e AnswerAcknowledge) String() string { return "answer " + e.Handle + ": " + e.Message }

// WakeAt asks for an input (a Tick is enough) at a moment on the steady clock, or earlier. The
// newest WakeAt counts.
type WakeAt struct{ Steady time.Duration }

func (e WakeAt) String() string { return fmt.Sprintf("wake at %v", e.Steady) }

// Exit says that the instance has ended.
type Exit struct {
	Code    int
	Why     string
	Outcome string // of the simulation; empty: it has none
}

func (e Exit) String() string { return fmt.Sprintf("exit %d: %s", e.Code, e.Why) }

func (ReadState) effect()      {}
func (CallNode) effect()       {}
func (ArmNode) effect()        {}
func (AcceptGoal) effect()     {}
func (RejectGoal) effect()     {}
func (AnswerCancel) effect()   {}
func (SendFeedback) effect()   {}
func (FinishGoal) effect()     {}
func (PublishChange) effect()  {}
func (Show) effect()           {}
func (Record) effect()         {}
func (SyncJournal) effect()    {}
func (StartLoop) effect()      {}
func (StopLoop) effect()       {}
func (ResetLoop) effect()      {}
func (LoseStepper) effect()    {}
func (TakeName) effect()       {}
func (WakeAt) effect()         {}
func (Exit) effect()           {}
func (ListenLogs) effect()     {}
func (SendLease) effect()      {}
func (CountTopics) effect()    {}
func (CallCheck) effect()      {}
func (TellPeers) effect()      {}
func (DisarmLeftover) effect() {}

func (AnswerAcknowledge) effect() {}
