package engine

import (
	"fmt"
	"strings"
	"time"

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
