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
		{"no time", func(m *Message) { m.Valid = 0 }, false},
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

// TestA6TheFastestMessageOfTheWindow: it counts for the whole window and no longer, and of equal ones one is kept.
func TestA6TheFastestMessageOfTheWindow(t *testing.T) {
	for _, c := range []struct{ after, ends time.Duration }{
		{Window, Window + time.Millisecond + time.Minute},
		{Window + 1, Window + 1 + time.Second + time.Minute},
	} {
		var s Source
		s.Take(told("a", 1, 0))
		_, m := told("a", 2, c.after-time.Second+time.Millisecond)
		if !s.Take(c.after+time.Millisecond, m) {
			t.Fatal("the second message does not count")
		}
		if want := c.ends - time.Second + time.Millisecond; s.Ends() != want {
			t.Errorf("a second message %v later ends at %v, want %v", c.after, s.Ends(), want)
		}
	}
	var s Source
	for k := range 50 {
		s.Take(told("a", uint64(k+1), time.Duration(k)*Every))
	}
	if len(s.ways) != 1 {
		t.Errorf("of 50 messages that took as long %d are kept", len(s.ways))
	}
}

// TestA6ALeaseAtTheFirstMoments: nothing of before the start of the clock keeps a lease from counting.
func TestA6ALeaseAtTheFirstMoments(t *testing.T) {
	var r Receiver
	if at, m := told("a", 1, 0); !r.Take(at, m) || !r.Holds(at) || r.Lapses() != 0 {
		t.Errorf("a millisecond after its start it holds a lease: %v, and %d have run out", r.Holds(at), r.Lapses())
	}
}

// TestA6ManySources: a receiver that knows as many sources as it can forgets one for the next, the end of which it will
// not see. So nothing holds for a while.
func TestA6ManySources(t *testing.T) {
	var r Receiver
	for k := range Sources {
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
		at, m := told(fmt.Sprint(k), 1, time.Second)
		if k == 5 {
			m.Valid = time.Second
		}
		r.Take(at, m)
	}
	at := 3 * time.Second
	if r.Holds(at) || r.Lapses() != 1 {
		t.Fatalf("%d leases have run out, want 1", r.Lapses())
	}
	at, m := told("one more", 1, at+Pause)
	if !r.Take(at, m) || !r.Holds(at) || r.Lapses() != 1 || len(r.sources) != Sources {
		t.Errorf("it holds a lease: %v, %d have run out, of %d sources", r.Holds(at), r.Lapses(), len(r.sources))
	}
	if r.sources[5].Newest.Instance != "6" {
		t.Errorf("the sixth source is %q now, want the seventh", r.sources[5].Newest.Instance)
	}
}
