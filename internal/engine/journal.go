package engine

import (
	"time"

	"rstate/internal/network"
)

// A raising goal writes its way to the journal and asks the disk to keep it. After a loss of power,
// the next start finds there that a transition ran. Only arming waits for the disk, for a second at
// most. Every other goal goes on at once, because the lost lines moved nothing and a start reads
// the nodes.
//
// A goal that runs several commands writes its whole path with the first, and each state that it
// passes says what follows. So a loss of power never leaves such a state as the last settled one.

// journalWait is the longest time that arming waits for the journal.
const journalWait = time.Second

// disk is what is known of the journal.
type disk struct {
	journal     string // why it cannot be written; empty: it can, as far as is known
	syncing     syncing
	fingerprint string // of the network; see meaning
}

// syncing is a sync of the journal without an answer.
type syncing struct {
	ticket uint64        // 0: there is none
	by     time.Duration // until then a working disk has answered
}

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
