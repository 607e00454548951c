// Package lease is the arithmetic of the arm lease, for both of its sides. The sender is the daemon of an armed network. Ten
// times a second it publishes when the oldest proof was made on which arming rests, and how long a proof is valid. The
// receiver is an armed node. It computes from these messages when it must disarm by itself. The two have no common clock: the
// receiver knows only its own steady clock.
//
// testdata/vectors.json holds sequences of messages and what a receiver must conclude from them. Receivers in other
// languages are tested with the same file. The package imports the standard library only, reads no clock and starts nothing.
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
	// An instance counts as alive after enough messages over a time that is long enough. Messages that a dead instance left
	// behind arrive one by one, or all at once.
	enough     = 3
	longEnough = 150 * time.Millisecond
)

// Message is one message of a lease.
type Message struct {
	Instance string        `json:"instance"` // the run of the daemon that holds the network armed
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

// Receiver computes when the lease ends that it has heard of. All times are of its own steady clock. The zero value has no
// lease.
//
// A lease belongs to one instance. The delay of the first message of another instance is unknown, so that message never
// extends a lease that holds. The lease passes to the other instance only when that one has sent enough messages, and the
// first one has sent none since.
type Receiver struct {
	now    source // whose lease it is
	next   source // another that has spoken since
	ends   time.Duration
	ended  []term // over, oldest first
	lapsed bool   // the present one has run out
}

// source is an instance that says something of a lease, and what is known of its messages.
type source struct {
	Message               // the newest; an empty instance: there is none
	since   time.Duration // receipt of the first
	heard   int           // so many
	ways    []way         // candidates for the fastest message of the window, the slowest last
}

type way struct{ at, took time.Duration } // receipt, and receipt minus proof: the clocks' distance and the delay
type term struct {
	instance string
	number   uint64
}

// Take takes a message that was received at a moment, and says whether it counts. What is old, of a term that is over, or of
// an instance of which too little is known while another's lease holds, does not.
func (r *Receiver) Take(at time.Duration, m Message) bool {
	held := r.Holds(at) // what has run out by now is over, whatever this message says
	if m.Instance == "" || m.Valid <= 0 || slices.Contains(r.ended, term{m.Instance, m.Term}) {
		return false
	}
	s, other := &r.now, m.Instance != r.now.Instance
	if other {
		s = &r.next
		if m.Instance != s.Instance {
			*s = source{}
		}
	}
	if !s.hear(at, m) {
		return false
	}
	if other && held && !s.lives(at) {
		r.ends = min(r.now.ends(), s.ends())
		r.Holds(at)
		return false
	}
	if other {
		if held {
			r.end()
		}
		r.now = r.next
	}
	r.next, r.lapsed = source{}, false
	r.ends = r.now.ends()
	r.Holds(at) // it may have been too long on its way
	return true
}

// hear takes a message, unless it is older than what has been heard.
func (s *source) hear(at time.Duration, m Message) bool {
	switch {
	case s.heard == 0:
		s.since = at
	case m.Term < s.Term || m.Term == s.Term && m.Seq <= s.Seq:
		return false
	}
	s.Message = m
	s.heard++
	s.note(way{at, at - m.Proved})
	return true
}

// note keeps the fastest message of the window in front.
func (s *source) note(w way) {
	for len(s.ways) > 0 && s.ways[len(s.ways)-1].took >= w.took {
		s.ways = s.ways[:len(s.ways)-1]
	}
	s.ways = append(s.ways, w)
	for w.at-s.ways[0].at > Window {
		s.ways = s.ways[1:]
	}
}

// lives says whether it has spoken often enough.
func (s *source) lives(at time.Duration) bool { return s.heard >= enough && at-s.since >= longEnough }

// ends is when its lease ends, as far as it has said.
func (s *source) ends() time.Duration { return s.Proved + s.ways[0].took + s.Valid }

// Holds says whether there is a lease that has not run out. One that has is over for good.
func (r *Receiver) Holds(at time.Duration) bool {
	if r.now.Instance == "" || r.lapsed {
		return false
	}
	if at < r.ends {
		return true
	}
	r.lapsed = true
	r.end()
	return false
}

// end remembers that the present term is over.
func (r *Receiver) end() {
	r.ended = append(r.ended, term{r.now.Instance, r.now.Term})
	if len(r.ended) > remembered {
		r.ended = r.ended[1:]
	}
}

// Ends is when the present lease ends, or ended.
func (r *Receiver) Ends() time.Duration { return r.ends }
