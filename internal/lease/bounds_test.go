package lease

import (
	"fmt"
	"testing"
	"time"
)

// TestA6WhatADaemonMaySay: at its greatest and least values a message counts, and beyond them it does not.
func TestA6WhatADaemonMaySay(t *testing.T) {
	for _, c := range []struct {
		name  string
		with  func(m *Message)
		taken bool
	}{
		{"no instance", func(m *Message) { m.Instance = "" }, false},
		{"the greatest term", func(m *Message) { m.Term = Most }, true},
		{"a greater term", func(m *Message) { m.Term = Most + 1 }, false},
		{"the greatest number", func(m *Message) { m.Seq = Most }, true},
		{"a greater number", func(m *Message) { m.Seq = Most + 1 }, false},
		{"the first moment", func(m *Message) { m.Proved = 0 }, true},
		{"a moment before it", func(m *Message) { m.Proved = -1 }, false},
		{"the last moment", func(m *Message) { m.Proved = Longest }, true},
		{"a moment after it", func(m *Message) { m.Proved = Longest + 1 }, false},
		{"less than no time", func(m *Message) { m.Valid = -1 }, false},
		{"no time: no lease is held", func(m *Message) { m.Valid = 0 }, false},
		{"the least time", func(m *Message) { m.Valid = 1 }, true},
		{"the longest time", func(m *Message) { m.Valid = Longest }, true},
		{"a longer time", func(m *Message) { m.Valid = Longest + 1 }, false},
	} {
		var r Receiver
		m := Message{Instance: "a", Term: 1, Seq: 1, Proved: time.Second, Valid: time.Second}
		c.with(&m)
		if taken := r.Take(time.Hour, m); taken != c.taken {
			t.Errorf("%s: taken %v, want %v", c.name, taken, c.taken)
		}
	}
}

// TestA6WhatIsHeardOfTerms: a term is heard up to one Jump above the known ones, and never beyond Most.
func TestA6WhatIsHeardOfTerms(t *testing.T) {
	for _, c := range []struct {
		term, heard, says uint64
		want              bool
	}{
		{0, 0, Jump, true},
		{0, 0, Jump + 1, false},
		{3, 0, Jump + 3, true},
		{3, 0, Jump + 4, false},
		{0, 2 * Jump, 2*Jump + 1, true},
		{0, 2 * Jump, 3*Jump + 1, false},
		{2 * Jump, Jump, 1, true},
		{0, Most - 1, Most, true},
		{0, Most, Most + 1, false},
	} {
		s := Sender{term: c.term, heard: c.heard}
		if got := s.Heard(c.says); got != c.want {
			t.Errorf("term %d, heard %d: %d is heard: %v, want %v", c.term, c.heard, c.says, got, c.want)
		}
		if want := max(c.heard, c.says); c.want && s.heard != want {
			t.Errorf("term %d, heard %d: after %d it has heard %d, want %d", c.term, c.heard, c.says, s.heard, want)
		}
	}
}

// TestA6WhichTermBegins: one above what was heard, unless that is near Most or a Jump away.
func TestA6WhichTermBegins(t *testing.T) {
	for _, c := range []struct{ term, heard, want uint64 }{
		{0, 0, 1},
		{4, 4, 5},
		{4, 5, 6},
		{4, 6, 7},
		{2 * Jump, 2*Jump + 5, 2*Jump + 6},
		{4, Jump + 3, Jump + 4},
		{4, Jump + 4, 5},
		{Most - 2*Jump + 1, Most - Jump, Most - Jump + 1},
		{Most - 2*Jump + 2, Most - Jump + 1, Most - 2*Jump + 3},
	} {
		s := Sender{term: c.term, heard: c.heard}
		if s.Begin(); s.Term() != c.want {
			t.Errorf("after term %d, with %d heard, term %d begins, want %d", c.term, c.heard, s.Term(), c.want)
		}
	}
}

// told is a message of a source, proved at a moment of the receiver's clock and one millisecond on its way.
func told(instance string, seq uint64, proved time.Duration) (at time.Duration, m Message) {
	return proved + time.Millisecond, Message{Instance: instance, Term: 1, Seq: seq, Proved: proved, Valid: time.Minute}
}

// rests is a message of a source that holds no lease, as told is one of a lease.
func rests(instance string, sent time.Duration) (at time.Duration, m Message) {
	return sent + time.Millisecond, Message{Instance: instance, Proved: sent}
}

// knows takes two messages without a lease of each source before the moment.
func (r *Receiver) knows(before time.Duration, instances ...string) {
	for k := range 2 {
		for _, instance := range instances {
			r.Take(rests(instance, before-time.Duration(2-k)*Apart))
		}
	}
}

// TestA6WhichMessagesAgree: at the bounds of how far apart two messages are received, and by how much that may differ
// from how far apart they were sent.
func TestA6WhichMessagesAgree(t *testing.T) {
	for _, c := range []struct {
		came, sent time.Duration
		want       bool
	}{
		{Apart, Apart, true},
		{Apart - 1, Apart, false},
		{Apart, Apart + Within, true},
		{Apart, Apart + Within + 1, false},
		{Apart, Apart - Within, true},
		{Apart, Apart - Within - 1, false},
		{Window, Window, true},
	} {
		var s Source
		s.Take(0, Message{Instance: "a"})
		s.Take(c.came, Message{Instance: "a", Proved: c.sent})
		if s.Take(c.came, Message{Instance: "a", Term: 1, Seq: 1, Proved: c.sent, Valid: 1}); s.Gives() != c.want {
			t.Errorf("received %v apart and sent %v apart: a lease is given: %v, want %v", c.came, c.sent, s.Gives(),
				c.want)
		}
	}
}

// TestA6WhatAgreedAWindowAgo: so long two messages vouch for the distance, and no longer.
func TestA6WhatAgreedAWindowAgo(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{Window, true}, {Window + 1, false}} {
		var r Receiver
		r.knows(time.Second, "a")
		at, _ := rests("a", time.Second-Apart)
		m := Message{Instance: "a", Term: 1, Seq: 1, Proved: time.Second - Apart + c.after, Valid: time.Minute}
		if r.Take(at+c.after, m); r.Holds(at+c.after) != c.want {
			t.Errorf("%v after two messages agreed a lease holds: %v, want %v", c.after, !c.want, c.want)
		}
	}
}

// TestA6TheFastestMessageIsNotForgotten: it counts however long ago it was, and as much more as the clocks may have
// gone apart since. So an hour later a receiver still knows how late a message is.
func TestA6TheFastestMessageIsNotForgotten(t *testing.T) {
	var s Source
	s.Take(rests("a", 0))
	const slow, later = 30 * time.Second, time.Hour
	for k := range 3 {
		sent := later + time.Duration(k)*Every
		s.Take(sent+slow, Message{Instance: "a", Term: 1, Seq: uint64(k + 1), Proved: sent, Valid: time.Minute})
	}
	last := later + 2*Every
	if want := last + time.Millisecond + (last+slow-time.Millisecond)/Drift + time.Minute; s.Ends() != want {
		t.Errorf("messages that take %v end at %v, want %v", slow, s.Ends(), want)
	}
}

// TestA6ALeaseAtTheFirstMoments: nothing of before the start of the clock keeps a lease from counting.
func TestA6ALeaseAtTheFirstMoments(t *testing.T) {
	var r Receiver
	r.Take(told("a", 1, 0))
	if at, m := told("a", 2, Every); !r.Take(at, m) || !r.Holds(at) || r.Lapses() != 0 {
		t.Errorf("soon after its start it holds a lease: %v, and %d have run out", r.Holds(at), r.Lapses())
	}
}

// TestA6ManySources: a receiver that knows as many sources as it can forgets one for the next, the end of which it will
// not see. So nothing holds for a while.
func TestA6ManySources(t *testing.T) {
	var r Receiver
	for k := range Sources {
		r.knows(time.Second, fmt.Sprint(k))
		r.Take(told(fmt.Sprint(k), 1, time.Second))
	}
	at, m := told("0", 2, time.Second+1)
	if !r.Take(at, m) || !r.Holds(at) || r.Lapses() != 0 || len(r.sources) != Sources {
		t.Fatalf("another message of the first source: %v, %d have run out, of %d sources", r.Holds(at), r.Lapses(),
			len(r.sources))
	}
	at, m = told("one more", 1, 2*time.Second)
	if !r.Take(at, m) || r.Lapses() != 1 || r.Ends() != at || len(r.sources) != Sources {
		t.Errorf("one more source: %d have run out, it ends at %v, of %d sources", r.Lapses(), r.Ends(), len(r.sources))
	}
	for _, c := range []struct {
		at   time.Duration
		want bool
	}{{at, false}, {at + Pause - 1, false}, {at + Pause, true}} {
		if got := r.Holds(c.at); got != c.want {
			t.Errorf("%v after that a lease holds: %v, want %v", c.at-at, got, c.want)
		}
	}
	if r.sources[0].Newest.Instance != "2" {
		t.Errorf("the first source is %q now, want the third", r.sources[0].Newest.Instance)
	}
}

// TestA6ASourceThatIsOverIsForgottenFirst: for that nothing has to end.
func TestA6ASourceThatIsOverIsForgottenFirst(t *testing.T) {
	var r Receiver
	for k := range Sources {
		r.knows(time.Second, fmt.Sprint(k))
		at, m := told(fmt.Sprint(k), 1, time.Second)
		if k == 5 {
			m.Valid = time.Second
		}
		r.Take(at, m)
	}
	at := 3 * time.Second
	if !r.Holds(at) || r.Lapses() != 1 {
		t.Fatalf("after the pause a lease holds: %v, and %d have run out, want 1", r.Holds(at), r.Lapses())
	}
	at, m := told("one more", 1, at)
	if !r.Take(at, m) || !r.Holds(at) || r.Lapses() != 1 || len(r.sources) != Sources {
		t.Errorf("it holds a lease: %v, %d have run out, of %d sources", r.Holds(at), r.Lapses(), len(r.sources))
	}
	if r.sources[5].Newest.Instance != "6" {
		t.Errorf("the sixth source is %q now, want the seventh", r.sources[5].Newest.Instance)
	}
}

// TestA6SourcesWithoutALeaseAreForgottenFirst: one that says that it holds none takes no place of one that does.
func TestA6SourcesWithoutALeaseAreForgottenFirst(t *testing.T) {
	var r Receiver
	for k := range Sources - 1 {
		r.Take(told(fmt.Sprint(k), 1, time.Second))
	}
	for k := range 3 {
		r.Take(rests(fmt.Sprint("idle", k), time.Second))
	}
	if r.Lapses() != 0 || len(r.sources) != Sources || r.sources[Sources-1].Newest.Instance != "idle2" {
		t.Errorf("%d have run out, of %d sources: %+v", r.Lapses(), len(r.sources), r.sources[len(r.sources)-1].Newest)
	}
	r.Take(told("last", 1, time.Second))
	r.Take(rests("idle3", time.Second))
	if r.Lapses() != 0 || len(r.sources) != Sources || r.sources[Sources-1].Newest.Instance != "last" {
		t.Errorf("%d have run out, of %d sources: %+v", r.Lapses(), len(r.sources), r.sources[len(r.sources)-1].Newest)
	}
}
