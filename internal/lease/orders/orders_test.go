package orders

import (
	"slices"
	"testing"
	"time"

	"rstate/internal/lease"
)

// drift is what the clocks may go apart in an order.
const drift = (End - Offset + 4*Tick) / lease.Drift

// seen is what a receiver said in one order of arrivals, and what is true of it.
type seen struct {
	t        *testing.T
	name     string
	whole    lease.Receiver
	sources  map[string]*lease.Source
	fastest  map[string]time.Duration // the smallest delay so far
	ended    map[string]uint64        // the newest term of the source that has been seen to end
	was      map[string]bool
	paused   time.Duration // until then nothing may hold
	counting []Arrival     // those that counted
	known    bool          // messages without a lease have come before
}

// idles are two messages without a lease of each source, before any of a lease.
func (s *seen) idles() (list []Arrival) {
	for _, tick := range []int{-4, -2} {
		for _, m := range []lease.Message{a(0, 0, tick), b(0, 0, tick)} {
			if m.Valid = 0; s.known {
				list = append(list, Arrival{At: Sent(m), Message: m})
			}
		}
	}
	return list
}

func (s *seen) hear() {
	for _, one := range s.idles() {
		if s.whole.Take(one.At, one.Message) || s.sources[one.Message.Instance].Take(one.At, one.Message) {
			s.t.Errorf("%s: a message without a lease counts", s.name)
		}
		s.fastest[one.Message.Instance] = 0
	}
}

// TestA6NoOrderExtendsALease goes through every order of a few messages, and holds the receiver to what the lease
// promises:
//
//   - it ends when the newest proof is as old as it may be, plus the delay of the fastest message that counted, or before;
//   - a term that has ended does not live again, and no older one does;
//   - a message that does not count changes nothing;
//   - when the lease of one source has ended, none holds for a Pause;
//   - none holds that is not given.
//
// It goes through them twice: the receiver has heard before how fast a message can be, or has not.
func TestA6NoOrderExtendsALease(t *testing.T) {
	count := 0
	for name, list := range All {
		for _, known := range []bool{false, true} {
			count++
			s := &seen{t: t, name: name, sources: map[string]*lease.Source{"a": {}, "b": {}},
				fastest: map[string]time.Duration{}, known: known,
				ended: map[string]uint64{}, was: map[string]bool{}}
			s.hear()
			s.run(list)
			s.again()
			if t.Failed() {
				return
			}
		}
	}
	if want := 2 * 2 * 2 * 15 * 15 * 15 * 15; count != want {
		t.Errorf("%d orders, want %d", count, want)
	}
}

// run lets the messages arrive, and looks at each half of a tick.
func (s *seen) run(list []Arrival) {
	for now := Offset; now <= End; now += Tick / 2 {
		for ; len(list) > 0 && list[0].At <= now; list = list[1:] {
			s.take(list[0])
		}
		s.look(now)
	}
}

func (s *seen) take(one Arrival) {
	m := one.Message
	s.look(one.At)
	before := s.sources[m.Instance].Newest
	counts := s.whole.Take(one.At, m)
	if got := s.sources[m.Instance].Take(one.At, m); got != counts {
		s.t.Errorf("%s: at %v the source and the receiver do not agree about %+v", s.name, one.At-Offset, m)
	}
	if counts && (m.Term < before.Term || m.Term <= s.ended[m.Instance] ||
		m.Term == before.Term && m.Seq <= before.Seq) {
		s.t.Errorf("%s: at %v an old message counts: %+v after %+v", s.name, one.At-Offset, m, before)
	}
	if counts {
		s.counting = append(s.counting, one)
		if old, ok := s.fastest[m.Instance]; !ok || one.Delay < old {
			s.fastest[m.Instance] = one.Delay
		}
	}
	s.look(one.At)
}

// look compares what a receiver says at a moment with what is true.
func (s *seen) look(now time.Duration) {
	any := false
	for name, one := range s.sources {
		m := one.Newest
		holds := one.Holds(now)
		any = any || holds && one.Gives()
		switch {
		case holds && one.Gives() && now >= Sent(m)+Valid+s.fastest[name]+drift:
			s.t.Errorf("%s: at %v the lease of %s holds on a proof of %v", s.name, now-Offset, name, Sent(m)-Offset)
		case holds && m.Term <= s.ended[name]:
			s.t.Errorf("%s: at %v term %d of %s lives again", s.name, now-Offset, m.Term, name)
		case !holds && m.Term > s.ended[name]: // it has ended, or came after its end
			s.paused, s.ended[name] = max(s.paused, one.Ends()+lease.Pause), m.Term
		}
		s.was[name] = holds
	}
	holds := s.whole.Holds(now)
	if holds && (!any || now < s.paused && s.over()) {
		s.t.Errorf("%s: at %v a lease holds although one has just ended", s.name, now-Offset)
	}
	if !holds && any && now >= s.paused {
		s.t.Errorf("%s: at %v no lease holds", s.name, now-Offset)
	}
}

// over reports whether the lease of a source has ended, and it has not begun a new one.
func (s *seen) over() bool {
	for name, holds := range s.was {
		if !holds && s.ended[name] > 0 {
			return true
		}
	}
	return false
}

// again: what did not count changed nothing.
func (s *seen) again() {
	var r lease.Receiver
	for _, one := range s.idles() {
		r.Take(one.At, one.Message)
	}
	list := s.counting
	for now := Offset; now <= End; now += Tick / 2 {
		for ; len(list) > 0 && list[0].At <= now; list = list[1:] {
			if !r.Take(list[0].At, list[0].Message) {
				s.t.Errorf("%s: at %v it does not count without the others", s.name, now-Offset)
			}
		}
		r.Holds(now)
	}
	if r.Ends() != s.whole.Ends() {
		s.t.Errorf("%s: ends at %v, and at %v without what does not count", s.name, s.whole.Ends(), r.Ends())
	}
}

// TestA6AllOrdersAreThere: among the orders are the one in which nothing goes wrong, and ones of each fault.
func TestA6AllOrdersAreThere(t *testing.T) {
	want := []string{"plan 0 [0] [0] [0] [0]", "plan 0 [] [] [] []", "plan 0 [3] [0] [3] [0 3]",
		"plan 1 [0] [0] [0] [2 2] later ones first"}
	for name := range All {
		want = slices.DeleteFunc(want, func(s string) bool { return s == name })
	}
	if len(want) > 0 {
		t.Errorf("missing: %q", want)
	}
}
