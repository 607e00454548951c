package engine

import (
	"fmt"
	"time"

	"rstate/internal/clean"
)

// Forged messages: anyone in the domain can publish in the name of an instance. What no instance sends is refused and
// shown. Such messages may come thousands of times a second, so they have few lines in the journal.

const (
	// forgedEvery is the least time between two lines of the journal about forged leases, and how long their warning is
	// shown after the last one.
	forgedEvery = time.Minute
	// peerLines is how many lines about peers the journal takes within peerSpan.
	peerLines, peerSpan = 20, 10 * time.Second
)

// forgeries is what was refused.
type forgeries struct {
	shown bool
	until time.Duration // the warning ends
	wake  time.Duration // when to look at it: one wake at a time, however many messages come
	count int           // since the last line
	next  time.Duration // the next line
}

// refuseLease notes a lease whose term no instance comes to.
func (st *standing) refuseLease(term uint64) {
	f := &st.report.forged
	f.until = st.now.Steady + forgedEvery
	if !f.shown {
		f.shown, st.changed, f.wake = true, true, f.until
		st.wakeWhole(f.wake)
	}
	f.count++
	if f.next > 0 && st.now.Steady < f.next {
		return
	}
	f.next = st.now.Steady + forgedEvery
	st.record(Entry{Kind: EntryPeer, Event: EventFailed,
		Sentence: fmt.Sprintf("a lease with term %d was refused: no instance arms so often (%d of them since the last line)", term, f.count)})
	f.count = 0
}

// forgedWarning is shown for a while after a forged lease.
const forgedWarning = "a participant publishes arm leases that no instance sends; they were refused: see the journal and docs/security.md"

// endForged takes the warning away.
func (st *standing) endForged() {
	f := &st.report.forged
	switch {
	case !f.shown || st.now.Steady < f.wake:
	case st.now.Steady >= f.until:
		f.shown, st.changed = false, true
	default:
		f.wake = f.until
		st.wakeWhole(f.wake)
	}
}

// lines limits the lines of the journal about one subject.
type lines struct {
	since time.Duration
	count int
	out   int // left out
}

// take reports whether a line may be written now, and how many were left out before it.
func (l *lines) take(now time.Duration) (ok bool, before int) {
	if now >= l.since+peerSpan || l.count == 0 {
		before = l.out
		*l = lines{since: now}
	}
	if l.count >= peerLines {
		l.out++
		return false, 0
	}
	l.count++
	return true, before
}

// recordPeer writes a line about a peer, unless there were too many.
func (st *standing) recordPeer(e Entry) {
	ok, before := st.report.peers.take(st.now.Steady)
	if !ok {
		return
	}
	if before > 0 {
		st.record(Entry{Kind: EntryPeer, Event: EventFailed,
			Sentence: "left out, because there were too many about peers: " + clean.Count(before, "line")})
	}
	st.record(e)
}
