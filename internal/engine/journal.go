package engine

import (
	"time"

	"rstate/internal/network"
)

// What is raised is written down, and the disk is asked to keep it: were the machine to lose its power in the middle, the next
// start would find in the journal that something was under way. Only what arms waits for the disk, a second at most. All else
// goes on at once: it moves nothing, and a start reads the nodes.
//
// A goal that runs several commands writes its whole path down with the first, and each state that it only passes
// through says what follows; so what is lost with the power leaves no state as the last that is not.

// syncing is a sync of the journal that is not answered yet.
type syncing struct {
	ticket uint64        // 0: there is none
	by     time.Duration // until when a disk that works has answered
}

// keepJournal asks that all that was recorded be made safe, before the running work begins to ask anything of nodes.
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

// awaitsJournal says whether the running work has to wait before it asks anything of a node.
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

// judgeJournal notes whether the journal is written, and tells it when that has changed.
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

// withoutJournal says why nothing may be armed where the file requires a journal; empty: it may.
func (s *State) withoutJournal(fault string) string {
	if fault == "" || s.net.Journal != network.JournalRequired {
		return ""
	}
	return "the network file says journal: required, and " + fault
}

// warnings are what a person should know and what stops nothing.
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
	if why := s.undead(); why != "" {
		list = append(list, why)
	}
	if why := s.unwatched(); why != "" {
		list = append(list, why)
	}
	return list
}
