package engine

import (
	"cmp"
	"fmt"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// keepJournal asks for a sync of the journal before the running work sends any request to a node.
func (s *State) keepJournal() {
	w := s.work
	if w.goal != nil && w.goal.kept && !w.arms {
		return
	}
	s.disk.syncing = syncing{s.next(), s.now.Steady + journalWait}
	s.do(SyncJournal{s.disk.syncing.ticket})
	s.wakeWhole(s.disk.syncing.by)
	if w.goal != nil {
		w.goal.kept = true
	}
	if w.arms {
		w.arm.ticket = s.disk.syncing.ticket
	}
}

// awaitsJournal reports whether the running work has to wait for the journal.
func (s *State) awaitsJournal() bool { return s.work.arm.ticket != 0 }

func (s *State) journalSynced(in JournalSynced) {
	s.judgeJournal(in.Err)
	if in.Ticket == s.disk.syncing.ticket {
		s.journalAnswered(in.Err)
	}
}

// journalLate goes on without a disk that does not answer.
func (s *State) journalLate() {
	if s.disk.syncing.ticket == 0 || s.now.Steady < s.disk.syncing.by {
		return
	}
	why := "the journal was not safe within " + journalWait.String() + ": its disk does not answer; see to that disk"
	s.judgeJournal(why)
	s.journalAnswered(why)
}

func (s *State) journalAnswered(why string) {
	if w := s.work; w != nil && w.arm.ticket == s.disk.syncing.ticket {
		w.arm.ticket, w.arm.unsafe = 0, why
		s.touchAll()
	}
	s.disk.syncing = syncing{}
}

// judgeJournal notes whether the journal can be written, and reports each change.
func (s *State) judgeJournal(fault string) {
	if fault == s.disk.journal {
		return
	}
	s.disk.journal = fault
	s.report.changed = true
	if fault == "" {
		s.record(Entry{Kind: EntryJournal, Event: EventDone, Sentence: "the journal is written again"})
		return
	}
	s.record(Entry{Kind: EntryJournal, Event: EventFailed, Sentence: fault})
}

// withoutJournal says why nothing may be armed if the file requires a journal; empty: it may.
func (s *State) withoutJournal(fault string) string {
	if fault == "" || s.net.Journal != network.JournalRequired {
		return ""
	}
	return "the network file says journal: required, and " + fault
}

// warnings lists what the user should know although it stops nothing.
func (s *State) warnings() []string {
	list := append(s.leftWords(), append(s.nameWarnings(), s.peerWarnings()...)...)
	if s.disk.journal != "" {
		list = append(list, s.disk.journal)
	}
	if s.report.console != "" {
		list = append(list, s.report.console)
	}
	if s.clock.silent {
		list = append(list, noClock)
	}
	if why := s.twoClocks(); why != "" {
		list = append(list, why)
	}
	if why := s.undead(); why != "" {
		list = append(list, why)
	}
	if why := s.unwatched(); why != "" {
		list = append(list, why)
	}
	return list
}

func (s *State) record(e Entry) {
	e.At = s.now.Wall
	if e.State == "" {
		e.State = s.judge.State()
	}
	s.do(Record{e})
}

// recordState records and shows a change of the network's state.
func (s *State) recordState(event EntryEvent, sentence string) {
	s.noteState(event, sentence)
	s.showState()
}

// noteState only records the change, which is shown later together with its consequences.
func (s *State) noteState(event EntryEvent, sentence string) {
	e := Entry{Kind: EntryState, Event: event, Sentence: sentence, Cause: s.report.cause}
	if w := s.work; w != nil {
		e.Command, e.Way.From, e.Way.To = w.command, w.origin, w.target
		if w.goal != nil {
			e.Goal = w.goal.handles[0]
			if event == EventBegan {
				e.Way.Then = w.goal.follows()
			}
		}
		if event == EventBegan {
			e.Node = w.news.from
		}
		if len(w.fault.blame) == 1 && w.command == "" { // a failure by policy concerns one node
			e.Node, e.Verdict = w.fault.blame[0].Node, w.fault.blame[0].Verdict
		}
	}
	s.record(e)
}

// noteSettled records the state in which the network settled, unless the goal of the work goes on
// from there.
func (s *State) noteSettled(w *work) {
	e := Entry{Kind: EntryState, Event: EventSettled, Sentence: "the network is " + s.settled, Cause: s.report.cause, Meaning: Meaning{Network: s.meaning()}}
	if w != nil && w.phase.commands && w.goal != nil && len(w.goal.path) > 0 {
		e.Goal, e.Way.Then = w.goal.handles[0], w.goal.follows()
	}
	s.record(e)
}

// nodeEntry is an entry about node i, with its last known state.
func (s *State) nodeEntry(i int, kind EntryKind, event EntryEvent, sentence string) Entry {
	n := &s.nodes[i]
	e := Entry{
		Kind: kind, Event: event, Node: n.spec.Name, Seen: Sighting{Optional: n.spec.Optional, State: n.state}, Sentence: n.spec.Name + " " + sentence,
	}
	if n.state != lifecycle.Unknown {
		e.Seen.Ago = s.now.Steady - n.at
	}
	if n.count > 1 {
		e.Seen.Count = n.count
	}
	return e
}

// recordSent records a step that was asked of node i, so that a reader learns which node the
// network waits for.
func (s *State) recordSent(i int, step string) {
	e := s.nodeEntry(i, EntryStep, EventSent, "is asked to "+step)
	e.Step = step
	s.record(e)
}

// recordResult records the result of a step.
func (s *State) recordResult(i int, r NodeResult) {
	e := s.nodeEntry(i, EntryStep, EventDone, fmt.Sprintf("%s: %s", r.Step, r.Verdict))
	if r.Step == "" {
		e.Sentence = fmt.Sprintf("%s: %s", r.Node, r.Verdict)
	}
	e.Step, e.Verdict, e.Took, e.Cause = r.Step, r.Verdict, r.Elapsed, r.Evidence
	s.record(e)
}

// recordDeviation records that node i has left its place, or is back in it.
func (s *State) recordDeviation(i int) {
	n := &s.nodes[i]
	if n.place.deviant == "" {
		s.record(s.nodeEntry(i, EntryNode, EventFits, "is as "+s.settled+" says"))
		return
	}
	e := s.nodeEntry(i, EntryNode, EventStrayed, n.place.deviant)
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

// OutcomeLowered is the outcome of a lowering that no goal asked for. No goal ends with it.
const OutcomeLowered Outcome = "lowered"

// noteLowered notes a lowering that no goal asked for. The end of the process does not count,
// because nothing went wrong.
func (s *State) noteLowered(by Origin, command, why string) {
	if s.closing.stop != nil {
		return
	}
	s.note(Failure{Command: command, By: by, Outcome: OutcomeLowered, From: s.settled, Why: why})
}

// noteEnd notes the end of a transition: a failure that no goal reports, or a success that clears
// the last failure. Work that a policy began does not clear it, whichever client waits for that
// work.
func (s *State) noteEnd(w *work, e Ending, o Outcome, message string) {
	commanded := w.goal != nil && w.by != ByPolicy && w.by != ByExit
	f := Failure{Command: cmp.Or(w.command, "recovery"), By: w.by, Outcome: o, From: w.origin, Why: message}
	switch {
	case o == OutcomeRestored && w.command == "" && s.report.failure.Outcome == OutcomeLowered:
		// The disarm says more than its repair.
	case e == Aborted && w.goal == nil && fails(o):
		s.note(f)
	case e == Succeeded && o == OutcomeDone && commanded:
		s.report.failure = Failure{}
	}
}

// noteFinished notes a goal that failed.
func (s *State) noteFinished(g *goal, e Ending, r Result) {
	if e != Aborted || !fails(r.Outcome) {
		return
	}
	f := Failure{Command: g.asked, By: g.by, Client: g.who, Outcome: r.Outcome, From: g.from, Why: r.Message}
	if g.by != ByGoal {
		f.Client = ""
	}
	s.note(f)
}

// fails reports whether an aborted goal with this outcome has failed. A goal that gave way to
// another has not.
func fails(o Outcome) bool { return o != OutcomePreempted && o != OutcomeSuperseded }

func (s *State) note(f Failure) {
	f.At = s.now.Wall
	s.report.failure, s.report.changed = f, true
}

// leaseAges returns the age of the newest message of the lease that is held, and how long that is
// good for; negative: none is held, or nothing was said of it yet.
func (s *State) leaseAges() (age, left time.Duration) {
	if !s.hold.lease.Held() || !s.hold.leased.said {
		return -1, -1
	}
	return s.now.Steady - s.hold.leased.at, max(0, s.hold.leased.proved+s.net.Proof-s.now.Steady)
}

// noClock is the warning that simulated time is configured but not heard.
const noClock = "use_sim_time is true and nothing is heard on /clock, so deadlines count real time; start the simulation, or set use_sim_time to false"
