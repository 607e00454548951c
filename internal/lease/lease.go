// Package lease is the arithmetic of the arm lease, for both of its sides. The sender is the daemon of an armed
// network. Ten times a second it publishes when the oldest proof was made on which arming rests, and how long a proof
// is valid. The receiver is an armed node. It computes from these messages when it must disarm by itself. The two have
// no common clock: the receiver knows only its own steady clock. See Source for how it learns the distance of the two.
//
// testdata/vectors.json holds sequences of messages and what a receiver must conclude from them. Receivers in other
// languages are tested with the same file. The package imports the standard library only, reads no clock and starts
// nothing.
package lease

import "time"

const (
	// Every is the time between two messages of a lease that is held.
	Every = 100 * time.Millisecond
	// Rest is the time between two messages of a sender that holds no lease.
	Rest = time.Second
	// Window is for how long two messages that agree vouch for the distance of the clocks.
	Window = 10 * time.Second
	// Apart is the least time between the receipts of two messages that agree.
	Apart = 100 * time.Millisecond
	// Within is by how much the times between the receipts and between the departures of two messages that agree may
	// differ.
	Within = 50 * time.Millisecond
	// Drift is the part of a second by which two steady clocks go apart in one.
	Drift = 1000
	// Steps is how many numbers of a term may be missing between two messages that are compared.
	Steps = 1000
	// Pause is for how long after the end of one source's lease another source's counts for nothing. A node that looks
	// at the lease every 20 ms sees the end. One that stood still meanwhile finds it in Lapses.
	Pause = 150 * time.Millisecond
	// Most is the greatest term or number of a message. Beyond it, a message was not sent by rstate: it arms a few
	// times a day.
	Most = 1 << 48
	// Jump is how far a term may be above the one before.
	Jump = 1 << 32
	// Longest is the greatest time on a steady clock, and Longest valid time: it cannot overflow when two are added.
	Longest = time.Duration(1) << 61
	// Sources is how many sources a receiver knows.
	Sources = 64
	// Depth is how many messages a receiver queues: anyone may publish some, and a queue of one would hold only theirs.
	Depth = 100
)

// Message is one message of a lease.
type Message struct {
	Instance string `json:"instance"` // the run of the daemon that holds the network armed
	// who sent it, as the middleware knows; the receiver fills it in, or leaves it empty
	Writer string        `json:"writer"`
	Term   uint64        `json:"term"` // one more at each arming
	Seq    uint64        `json:"seq"`  // one more with each message of the term
	Proved time.Duration `json:"proved_ns"`
	Valid  time.Duration `json:"valid_ns"` // 0: no lease is held, and Proved is when the message was sent
}

// sane reports whether a daemon may have sent the message.
func (m *Message) sane() bool {
	return m.Instance != "" && m.Term <= Most && m.Seq <= Most && m.Proved >= 0 && m.Proved <= Longest && m.Valid >= 0 &&
		m.Valid <= Longest
}

// Idle reports whether a daemon says that it holds no lease. Such a message begins, ends and pauses nothing.
func (m *Message) Idle() bool { return m.Valid == 0 && m.sane() }

// Sender numbers the messages of one instance. The zero value holds no lease.
type Sender struct {
	term, seq, heard uint64
	held             bool
}

// Heard notes a term of another instance, so that ours is above it. It reports false, and notes nothing, for a term
// that no instance can have come to.
func (s *Sender) Heard(term uint64) bool {
	known := max(s.term, s.heard)
	if term > Most || term > known && term-known > Jump {
		return false
	}
	s.heard = max(s.heard, term)
	return true
}

// Begin begins a term. What was heard of others brings it nowhere near Most, so that our terms always have room to go
// up, and not beyond a Jump, or those who have heard our last term would refuse this one.
func (s *Sender) Begin() {
	next := s.term + 1
	if s.heard >= next && s.heard <= Most-Jump && s.heard-s.term < Jump {
		next = s.heard + 1
	}
	s.term, s.seq, s.held = next, 0, true
}

// End ends the term. No further message is sent, so the lease runs out.
func (s *Sender) End() { s.held = false }

// Held says whether a term has begun and not ended.
func (s *Sender) Held() bool { return s.held }

// Term is the present one; 0: none is held.
func (s *Sender) Term() uint64 {
	if !s.held {
		return 0
	}
	return s.term
}

// Next is the next message of the term. Its instance is the caller's to fill in.
func (s *Sender) Next(proved, valid time.Duration) Message {
	s.seq++
	return Message{Term: s.term, Seq: s.seq, Proved: proved, Valid: valid}
}
