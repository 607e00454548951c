// Package lease is the arithmetic of the arm lease, for both sides of it. Whoever holds a network armed says ten times a
// second when the oldest proof was made on which that rests, and how long such a proof is good for. Who is armed works out
// from that when it has to disarm by itself, without a common clock: it knows only its own steady one.
//
// testdata/vectors.json holds what a receiver must make of which messages; receivers in other languages are tested with
// the same file. The package imports the standard library only, reads no clock and starts nothing.
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
	// remembered is how many terms that have run out a receiver knows.
	remembered = 64
)

// Message is what is said of a lease.
type Message struct {
	Instance string        `json:"instance"` // the run of whoever holds the network armed
	Term     uint64        `json:"term"`     // one more at each arming
	Seq      uint64        `json:"seq"`      // one more with each message of the term
	Proved   time.Duration `json:"proved_ns"`
	Valid    time.Duration `json:"valid_ns"`
}

// Sender numbers the messages of one instance. The zero value holds no lease.
type Sender struct {
	term, seq, heard uint64
	held             bool
}

// Heard notes a term of another instance: ours will be above it.
func (s *Sender) Heard(term uint64) { s.heard = max(s.heard, term) }

// Begin begins a term.
func (s *Sender) Begin() { s.term, s.seq, s.held = max(s.term, s.heard)+1, 0, true }

// End ends it. Nothing is said any more: the lease runs out.
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

// Receiver works out when the lease ends that it was told of. All times are of its own steady clock. The zero value has
// none.
type Receiver struct {
	now    Message // the newest; an empty instance: there is none
	ends   time.Duration
	ways   []way  // candidates for the fastest message of the window, the slowest last
	ended  []term // run out, oldest first
	lapsed bool   // the present one has
}

type way struct{ at, took time.Duration } // receipt, and receipt minus proof: the clocks' distance and the delay
type term struct {
	instance string
	number   uint64
}

// Take takes a message that was received at a moment, and says whether it counts. What is old, of a term that has run out,
// or of another instance whose term is not above a lease that holds, does not.
func (r *Receiver) Take(at time.Duration, m Message) bool {
	r.Holds(at) // what has run out by now is over, whatever this message says
	same := m.Instance == r.now.Instance
	switch {
	case m.Instance == "" || m.Valid <= 0 || slices.Contains(r.ended, term{m.Instance, m.Term}):
		return false
	case same && (m.Term < r.now.Term || m.Term == r.now.Term && m.Seq <= r.now.Seq):
		return false
	case !same && !r.lapsed && r.now.Instance != "" && m.Term <= r.now.Term:
		return false
	}
	if !same {
		r.ways = nil // another sender's clock
	}
	r.note(way{at, at - m.Proved})
	r.now, r.lapsed = m, false
	r.ends = m.Proved + r.ways[0].took + m.Valid
	r.Holds(at) // it may have been too long on its way
	return true
}

// note keeps the fastest message of the window in front.
func (r *Receiver) note(w way) {
	for len(r.ways) > 0 && r.ways[len(r.ways)-1].took >= w.took {
		r.ways = r.ways[:len(r.ways)-1]
	}
	r.ways = append(r.ways, w)
	for w.at-r.ways[0].at > Window {
		r.ways = r.ways[1:]
	}
}

// Holds says whether there is a lease that has not run out. One that has is over for good.
func (r *Receiver) Holds(at time.Duration) bool {
	if r.now.Instance == "" || r.lapsed {
		return false
	}
	if at < r.ends {
		return true
	}
	r.lapsed = true
	r.ended = append(r.ended, term{r.now.Instance, r.now.Term})
	if len(r.ended) > remembered {
		r.ended = r.ended[1:]
	}
	return false
}

// Ends is when the present lease ends, or ended.
func (r *Receiver) Ends() time.Duration { return r.ends }
