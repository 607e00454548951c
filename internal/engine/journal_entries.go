package engine

import (
	"fmt"
	"time"

	"rstate/internal/latch"
	"rstate/internal/lifecycle"
)

// The lines of the journal, and when they are written.

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

// EntryStop is about a stop, and Node the instance whose stop input has stopped the network.
const EntryStop EntryKind = "stop"

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

	EventEnded EntryEvent = "ended" // end: in good order; no entry follows

	EventLatched      EntryEvent = "latched"      // stop: nothing is armed until a person acknowledges
	EventAcknowledged EntryEvent = "acknowledged" // stop: a person has acknowledged; Client is that person
	EventExtended     EntryEvent = "extended"     // stop: it is part of a newer one of the same instance
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
	Orders  uint64 // of a disarm that was asked for: how many orders to disarm this run has given
	Way     Way

	// Of steps and nodes.
	Node    string // of a transition that begins: the peer whose change it follows
	Step    string // what was asked of the node
	Verdict Verdict
	Seen    Sighting
	Took    time.Duration

	Latch   latch.Latch // of a stop
	Disarm  DisarmCall  // of a node that may be armed
	Meaning Meaning     // of a start, and the network of a settled state

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
	Proof         time.Duration
	Armed         bool // every request to arm was answered
}

// Meaning is what the name of a state means.
type Meaning struct {
	Simulation, Machine string // the simulation id, and the hash of the machine
	Network             string // see network.Fingerprint
}

func (st *standing) record(e Entry) {
	e.At = st.now.Wall
	if e.State == "" {
		e.State = st.judge.State()
	}
	st.do(Record{e})
}

// recordState records and shows a change of the network's state.
func (s *State) recordState(event EntryEvent, sentence string) {
	s.noteState(event, sentence)
	s.showState()
}

// noteState only records the change, which is shown later together with its consequences.
func (co *course) noteState(event EntryEvent, sentence string) {
	e := Entry{Kind: EntryState, Event: event, Sentence: sentence, Cause: co.report.cause}
	if w := co.work; w != nil {
		e.Command, e.Way.From, e.Way.To = w.command, w.origin, w.target
		if w.goal != nil {
			e.Goal = w.goal.handles[0]
			if event == EventBegan {
				e.Way.Then = w.goal.nextCommands()
			}
		}
		if event == EventBegan {
			e.Node = w.news.from
		}
		if len(w.fault.blame) == 1 && w.command == "" { // a failure by policy concerns one node
			e.Node, e.Verdict = w.fault.blame[0].Node, w.fault.blame[0].Verdict
		}
	}
	co.record(e)
}

// noteSettled records the state in which the network settled, unless the goal of the work goes on
// from there.
func (co *course) noteSettled(w *work) {
	e := Entry{Kind: EntryState, Event: EventSettled, Sentence: "the network is " + co.settled, Cause: co.report.cause,
		Meaning: Meaning{Network: co.meaning()}}
	if w != nil && w.phase == forward && w.goal != nil && len(w.goal.path) > 0 {
		e.Goal, e.Way.Then = w.goal.handles[0], w.goal.nextCommands()
	}
	co.record(e)
}

// nodeEntry is an entry about node i, with its last known state.
func (ro *roster) nodeEntry(i int, kind EntryKind, event EntryEvent, sentence string) Entry {
	n := &ro.nodes[i]
	e := Entry{
		Kind: kind, Event: event, Node: n.spec.Name, Seen: Sighting{Optional: n.spec.Optional, State: n.state},
		Sentence: n.spec.Name + " " + sentence,
	}
	if n.state != lifecycle.Unknown {
		e.Seen.Ago = ro.now.Steady - n.at
	}
	if n.count > 1 {
		e.Seen.Count = n.count
	}
	return e
}

// recordSent records a step that was asked of node i, so that a reader learns which node the
// network waits for.
func (ro *roster) recordSent(i int, step string) {
	e := ro.nodeEntry(i, EntryStep, EventSent, "is asked to "+step)
	e.Step = step
	ro.record(e)
}

// recordResult records the result of a step.
func (ro *roster) recordResult(i int, r NodeResult) {
	e := ro.nodeEntry(i, EntryStep, EventDone, fmt.Sprintf("%s: %s", r.Step, r.Verdict))
	if r.Step == "" {
		e.Sentence = fmt.Sprintf("%s: %s", r.Node, r.Verdict)
	}
	e.Step, e.Verdict, e.Took, e.Cause = r.Step, r.Verdict, r.Elapsed, r.Evidence
	ro.record(e)
}

// recordDeviation records that node i has left its place, or is back in it.
func (ro *roster) recordDeviation(i int) {
	n := &ro.nodes[i]
	if n.place.deviant == "" {
		ro.record(ro.nodeEntry(i, EntryNode, EventFits, "is as "+ro.settled+" says"))
		return
	}
	e := ro.nodeEntry(i, EntryNode, EventStrayed, n.place.deviant)
	switch {
	case !n.there():
		e.Verdict = VerdictGone
	case n.arm.Belief() == MayBeArmed:
		e.Step = "disarm"
	case n.spec.Lifecycle && n.state == lifecycle.Unknown:
		e.Verdict = VerdictUnknown
	}
	ro.record(e)
}
