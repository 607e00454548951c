// Package lease is the arithmetic of the arm lease, for both of its sides. The sender is the daemon of an armed
// network. Ten times a second it publishes when the oldest proof was made on which arming rests, and how long a proof
// is valid. The receiver is an armed node. It computes from these messages when it must disarm by itself. The two have
// no common clock: the receiver knows only its own steady clock.
//
// testdata/vectors.json holds sequences of messages and what a receiver must conclude from them. Receivers in other
// languages are tested with the same file. The package imports the standard library only, reads no clock and starts
// nothing.
package lease

import (
	"slices"
	"time"
)

const (
	// Every is the time between two messages of a lease that is held.
	Every = 100 * time.Millisecond
	// Window is for how long a receiver remembers how fast a message can be.
	Window = 10 * time.Second
	// Pause is for how long after the end of one source's lease another source's counts for nothing. A node that looks
	// at the lease every 20 ms sees the end.
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
	Valid  time.Duration `json:"valid_ns"`
}

// sane reports whether a daemon may have sent the message.
func (m *Message) sane() bool {
	return m.Instance != "" && m.Term <= Most && m.Seq <= Most && m.Proved >= 0 && m.Proved <= Longest && m.Valid > 0 &&
		m.Valid <= Longest
}

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

// Receiver computes when the lease ends that it has heard of. All times are of its own steady clock. The zero value has
// no lease.
//
// A lease belongs to its source: one instance and one writer. No source extends the lease of another one, or ends it.
// Which of several sources armed the node is unknown, so the lease holds only until the first of them ends. Then it
// holds no more for a Pause, whatever the others say.
type Receiver struct {
	sources []Source // the one that was heard last is the last
	ends    time.Duration
	evicted time.Duration // when a source that held was forgotten; 0: never
	lapses  uint64
}

// Source is an instance, with one writer, that says something of a lease, and what is known of its messages. The zero
// value has said nothing.
type Source struct {
	Newest Message
	ways   []way // candidates for the fastest message of the window, the slowest last
	lapsed bool  // the newest term has run out
	seen   time.Duration
}

type way struct{ at, took time.Duration } // receipt, and receipt minus proof: the clocks' distance and the delay

// Take takes a message of the source that was received at a moment, and says whether it counts. What is old, of a term
// that is over, or no message of a daemon does not.
func (s *Source) Take(at time.Duration, m Message) bool {
	s.Holds(at) // what has run out by now is over, whatever this message says
	fresh := len(s.ways) == 0
	switch {
	case !m.sane():
		return false
	case fresh:
	case m.Term < s.Newest.Term, m.Term-s.Newest.Term > Jump,
		m.Term == s.Newest.Term && (s.lapsed || m.Seq <= s.Newest.Seq):
		return false
	}
	s.Newest, s.lapsed = m, false
	s.note(way{at, at - m.Proved})
	s.Holds(at) // it may have been too long on its way
	return true
}

// note keeps the fastest message of the window in front.
func (s *Source) note(w way) {
	for len(s.ways) > 0 && s.ways[len(s.ways)-1].took >= w.took {
		s.ways = s.ways[:len(s.ways)-1]
	}
	s.ways = append(s.ways, w)
	for w.at-s.ways[0].at > Window {
		s.ways = s.ways[1:]
	}
}

// Ends is when its newest lease ends, or ended.
func (s *Source) Ends() time.Duration {
	if len(s.ways) == 0 {
		return 0
	}
	return s.Newest.Proved + s.ways[0].took + s.Newest.Valid
}

// Holds says whether the source has a lease that has not run out. One that has is over for good.
func (s *Source) Holds(at time.Duration) bool {
	if len(s.ways) == 0 || s.lapsed {
		return false
	}
	if at < s.Ends() {
		return true
	}
	s.lapsed, s.seen = true, at
	return false
}

// Is reports whether a message is of the source.
func (s *Source) Is(m Message) bool {
	return s.Newest.Instance == m.Instance && s.Newest.Writer == m.Writer
}

// Take takes a message that was received at a moment, and says whether it counts.
func (r *Receiver) Take(at time.Duration, m Message) bool {
	defer r.Holds(at)
	r.look(at)
	var s Source
	k := slices.IndexFunc(r.sources, func(s Source) bool { return s.Is(m) })
	if k >= 0 {
		s = r.sources[k]
	}
	if !s.Take(at, m) {
		return false
	}
	if s.lapsed {
		r.lapse(s)
	}
	if k < 0 && len(r.sources) == Sources {
		k = r.forget(at)
	}
	if k >= 0 {
		r.sources = slices.Delete(r.sources, k, k+1)
	}
	r.sources = append(r.sources, s)
	return true
}

// forget chooses the source to forget: of those that are over the one that was heard first, else of all. Where a lease
// is forgotten that holds, its end will not be seen, so that counts as its end.
func (r *Receiver) forget(at time.Duration) int {
	if k := slices.IndexFunc(r.sources, func(s Source) bool { return s.lapsed }); k >= 0 {
		return k
	}
	r.evicted, r.ends = at, at
	r.lapses++
	return 0
}

func (r *Receiver) lapse(s Source) {
	r.lapses++
	r.ends = s.Ends()
}

// look notes which leases have run out.
func (r *Receiver) look(at time.Duration) {
	for k := range r.sources {
		s := &r.sources[k]
		if s.lapsed {
			continue
		}
		if holds := s.Holds(at); !holds {
			r.lapse(*s)
		}
	}
}

// Holds says whether there is a lease that has not run out. One that has is over for good.
func (r *Receiver) Holds(at time.Duration) bool {
	r.look(at)
	if r.evicted > 0 && at < r.evicted+Pause {
		return false
	}
	holds, first := false, time.Duration(0)
	for _, s := range r.sources {
		switch {
		case s.lapsed && at < s.seen+Pause:
			return false
		case !s.lapsed && (!holds || s.Ends() < first):
			holds, first = true, s.Ends()
		}
	}
	if holds {
		r.ends = first
	}
	return holds
}

// Ends is when the lease ends, or ended.
func (r *Receiver) Ends() time.Duration { return r.ends }

// Lapses counts the leases that have run out. A node that may be suspended compares it with what it was when it was
// armed.
func (r *Receiver) Lapses() uint64 { return r.lapses }
