package engine

import (
	"time"

	"rstate/internal/network"
	"rstate/internal/patient"
)

// A raising goal writes its way to the journal and asks the disk to keep it. After a loss of power,
// the next start finds there that a transition ran. Only arming waits for the disk, for a second at
// most. Every other goal goes on at once, because the lost lines moved nothing and a start reads
// the nodes.
//
// A goal that runs several commands writes its whole path with the first, and each state that it
// passes says what follows. So a loss of power never leaves such a state as the last settled one.

// journalWait is the longest time that arming waits for the journal.
const journalWait = time.Second * patient.Factor

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

// syncJournal asks for a sync of the journal before the running work sends any request to a node.
func (co *course) syncJournal() {
	w := co.work
	if w.goal != nil && w.goal.synced && !w.arms {
		return
	}
	co.disk.syncing = syncing{co.next(), co.now.Steady + journalWait}
	co.do(SyncJournal{co.disk.syncing.ticket})
	co.wakeWhole(co.disk.syncing.by)
	if w.goal != nil {
		w.goal.synced = true
	}
	if w.arms {
		w.arm.ticket = co.disk.syncing.ticket
	}
}

// awaitsJournal reports whether the running work has to wait for the journal.
func (co *course) awaitsJournal() bool { return co.work.arm.ticket != 0 }

func (co *course) journalSynced(in JournalSynced) {
	co.judgeJournal(in.Err)
	if in.Ticket == co.disk.syncing.ticket {
		co.journalAnswered(in.Err)
	}
}

// journalLate goes on without a disk that does not answer.
func (co *course) journalLate() {
	if co.disk.syncing.ticket == 0 || co.now.Steady < co.disk.syncing.by {
		return
	}
	why := "the journal was not safe within " + journalWait.String() + ": its disk does not answer; see to that disk"
	co.judgeJournal(why)
	co.journalAnswered(why)
}

func (co *course) journalAnswered(why string) {
	if w := co.work; w != nil && w.arm.ticket == co.disk.syncing.ticket {
		w.arm.ticket, w.arm.unsafe = 0, why
		co.touchAll()
	}
	co.disk.syncing = syncing{}
}

// judgeJournal notes whether the journal can be written, and reports each change.
func (co *course) judgeJournal(fault string) {
	if fault == co.disk.journal {
		return
	}
	co.disk.journal = fault
	co.changed = true
	if fault == "" {
		co.record(Entry{Kind: EntryJournal, Event: EventDone, Sentence: "the journal is written again"})
		return
	}
	co.record(Entry{Kind: EntryJournal, Event: EventFailed, Sentence: fault})
}

// withoutJournal says why nothing may be armed if the file requires a journal; empty: it may.
func (f *facts) withoutJournal(fault string) string {
	if fault == "" || f.net.Journal != network.JournalRequired {
		return ""
	}
	return "the network file says journal: required, and " + fault
}
