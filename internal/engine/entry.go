package engine

import (
	"fmt"
	"time"

	"rstate/internal/lifecycle"
)

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

func (s *State) record(e Entry) {
	e.At = s.now.Wall
	if e.State == "" {
		e.State = s.judge.State()
	}
	s.do(Record{e})
}

// recordState notes and shows a change of the network's state.
func (s *State) recordState(event EntryEvent, sentence string) {
	s.noteState(event, sentence)
	s.showState()
}

// noteState only notes it: it is to be shown when all that is shown with it is known.
func (s *State) noteState(event EntryEvent, sentence string) {
	e := Entry{Kind: EntryState, Event: event, Sentence: sentence, Cause: s.report.cause}
	if w := s.work; w != nil {
		e.Command, e.From, e.To = w.command, w.origin, w.target
		if w.goal != nil {
			e.Goal = w.goal.handles[0]
			if event == EventBegan {
				e.Then = w.goal.follows()
			}
		}
		if event == EventBegan {
			e.Node = w.news.from
		}
		if len(w.fault.blame) == 1 && w.command == "" { // what a policy calls a failure is one node's
			e.Node, e.Verdict = w.fault.blame[0].Node, w.fault.blame[0].Verdict
		}
	}
	s.record(e)
}

// noteSettled notes where the network rests now, which it does not where the goal of the work that led there goes on.
func (s *State) noteSettled(w *work) {
	e := Entry{Kind: EntryState, Event: EventSettled, Sentence: "the network is " + s.settled, Cause: s.report.cause, Network: s.meaning()}
	if w != nil && w.phase.commands && w.goal != nil && len(w.goal.path) > 0 {
		e.Goal, e.Then = w.goal.handles[0], w.goal.follows()
	}
	s.record(e)
}

// nodeEntry is an entry about node i, with what was last seen of it.
func (s *State) nodeEntry(i int, kind EntryKind, event EntryEvent, sentence string) Entry {
	n := &s.nodes[i]
	e := Entry{
		Kind: kind, Event: event, Node: n.spec.Name, Optional: n.spec.Optional, Seen: n.state, Sentence: n.spec.Name + " " + sentence,
	}
	if n.state != lifecycle.Unknown {
		e.SeenAgo = s.now.Steady - n.at
	}
	if n.count > 1 {
		e.Count = n.count
	}
	return e
}

// recordSent notes that a step was asked of node i: who looks while nothing answers learns whom it waits for.
func (s *State) recordSent(i int, step string) {
	e := s.nodeEntry(i, EntryStep, EventSent, "is asked to "+step)
	e.Step = step
	s.record(e)
}

// recordResult notes what became of a step.
func (s *State) recordResult(i int, r NodeResult) {
	e := s.nodeEntry(i, EntryStep, EventDone, fmt.Sprintf("%s: %s", r.Step, r.Verdict))
	if r.Step == "" {
		e.Sentence = fmt.Sprintf("%s: %s", r.Node, r.Verdict)
	}
	e.Step, e.Verdict, e.Took, e.Cause = r.Step, r.Verdict, r.Elapsed, r.Evidence
	s.record(e)
}

// recordDeviation notes that node i has left its place, or is in it again.
func (s *State) recordDeviation(i int) {
	n := &s.nodes[i]
	if n.deviant == "" {
		s.record(s.nodeEntry(i, EntryNode, EventFits, "is as "+s.settled+" says"))
		return
	}
	e := s.nodeEntry(i, EntryNode, EventStrayed, n.deviant)
	switch {
	case !n.there():
		e.Verdict = VerdictGone
	case n.arm.Belief() == MayBeArmed:
		e.Step = "disarm"
	case n.spec.Lifecycle && n.state == lifecycle.Unknown:
		e.Verdict = VerdictUnknown
	}
	s.record(e)
}
