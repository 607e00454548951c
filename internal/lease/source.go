package lease

import "time"

// Source is an instance, with one writer, that says something of a lease, and what is known of its messages. The zero
// value has said nothing.
//
// The lease ends at Proved plus Valid plus the distance of the two clocks. No message tells the distance: receipt minus
// departure is the distance plus the time that the message took. So the smallest such value is the distance plus one
// transport time, if a message of it came at once. A receiver that was suspended takes messages that waited, and their
// smallest value contains the wait. But such messages come faster than they were sent. So the value counts only once
// two messages agree: they were received Apart, and as far from each other as they were sent, Within 50 ms. Until then,
// and when none have agreed for a Window, the source gives no lease.
//
//   - The departure of a message without a lease is its Proved.
//   - Of two messages of one term the numbers tell how far they are apart: the sender lets Every pass between them. The
//     proofs do not tell it, because several messages may rest on one proof. So a proof that gets old between two
//     messages that waited does not make them agree.
//   - A message left no earlier than its proof was made, and no earlier than the one before it and Every. The later of
//     the two counts as its departure, so an old proof does not count as a slow transport.
//
// The smallest value is never forgotten, because all later messages may wait. It grows by a part in Drift, because the
// clocks may go apart.
type Source struct {
	Newest      Message // of a lease; without one only its instance and writer
	way         way     // the smallest one
	known       bool    // that is set
	idles, said pace    // without a lease, and of the present term
	beat        time.Duration
	left        time.Duration // the earliest departure of the newest message, by the sender's clock
	agreed      bool          // two messages have agreed
	agreedAt    time.Duration // the newest time
	ends        time.Duration
	gives       bool // the newest term ends by a distance that two messages vouch for
	lapsed      bool // the newest term has run out
}

// way is a receipt, and receipt minus departure: the clocks' distance and the delay.
type way struct{ at, took time.Duration }

// mark is a message that was received at a moment, and when it left, counted from any moment.
type mark struct{ at, left time.Duration }

// pace holds the newest messages of one kind.
type pace struct {
	marks [4]mark
	count int
}

// agrees reports whether a message came as long after one of those before it as it left.
func (p *pace) agrees(m mark) bool {
	for _, o := range p.marks[:min(p.count, len(p.marks))] {
		came, left := m.at-o.at, m.left-o.left
		if came >= Apart && max(came-left, left-came) <= Within {
			return true
		}
	}
	return false
}

func (p *pace) add(m mark) {
	p.marks[p.count%len(p.marks)] = m
	p.count++
}

// Take takes a message of the source that was received at a moment, and says whether it counts. What is old, of a term
// that is over, says that no lease is held, or is no message of a daemon does not.
func (s *Source) Take(at time.Duration, m Message) bool {
	s.Holds(at) // what has run out by now is over, whatever this message says
	switch leased := s.leased(); {
	case m.Idle():
		s.rests(at, m)
		return false
	case !m.sane():
		return false
	case leased && (m.Term < s.Newest.Term || m.Term-s.Newest.Term > Jump):
		return false
	case leased && m.Term == s.Newest.Term:
		if s.lapsed || m.Seq <= s.Newest.Seq {
			return false
		}
		s.follows(m)
	default:
		s.begins(m)
		s.gives = false
	}
	s.Newest, s.lapsed = m, false
	s.note(&s.said, mark{at, s.beat}, at-s.left)
	switch {
	case s.vouched(at):
		s.ends, s.gives = m.Proved+s.distance(at)+m.Valid, true
	case !s.gives:
		s.ends = at + m.Valid // it cannot be later
	}
	s.Holds(at) // it may have been too long on its way
	return true
}

// rests takes a message that says that no lease is held.
func (s *Source) rests(at time.Duration, m Message) {
	if !s.leased() {
		s.Newest = Message{Instance: m.Instance, Writer: m.Writer}
	}
	s.note(&s.idles, mark{at, m.Proved}, at-m.Proved)
}

// begins compares no later message with those before this one.
func (s *Source) begins(m Message) { s.said, s.beat, s.left = pace{}, 0, m.Proved }

// follows counts on from the message before.
func (s *Source) follows(m Message) {
	steps := m.Seq - s.Newest.Seq
	if steps > Steps || s.beat > Longest || s.left > Longest {
		s.begins(m)
		return
	}
	after := time.Duration(steps) * Every
	s.beat, s.left = s.beat+after, max(m.Proved, s.left+after)
}

// note keeps the smallest way, and notes whether the message agrees with another one.
func (s *Source) note(p *pace, m mark, took time.Duration) {
	if !s.known || took <= s.distance(m.at) {
		s.way, s.known = way{m.at, took}, true
	}
	if p.agrees(m) {
		s.agreed, s.agreedAt = true, m.at
	}
	p.add(m)
}

// distance is the distance of the clocks and one transport time, if two messages vouch for it.
func (s *Source) distance(at time.Duration) time.Duration {
	return s.way.took + max(0, at-s.way.at)/Drift
}

func (s *Source) vouched(at time.Duration) bool { return s.agreed && at-s.agreedAt <= Window }

// leased reports whether the source has ever said that it holds a lease.
func (s *Source) leased() bool { return s.Newest.Valid > 0 }

// Ends is when its newest lease ends, or ended: at the latest, as long as it does not give one.
func (s *Source) Ends() time.Duration { return s.ends }

// Gives reports whether a node may be armed by its newest lease while that holds: two messages have agreed.
func (s *Source) Gives() bool { return s.gives }

// Holds says whether the source has a lease that has not run out. One that has is over for good.
func (s *Source) Holds(at time.Duration) bool {
	if !s.leased() {
		return false
	}
	s.lapsed = s.lapsed || at >= s.ends
	return !s.lapsed
}

// Is reports whether a message is of the source.
func (s *Source) Is(m Message) bool {
	return s.Newest.Instance == m.Instance && s.Newest.Writer == m.Writer
}
