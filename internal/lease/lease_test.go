package lease

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// vector is one case of the file with which every receiver is tested: messages with times, and the
// results.
type vector struct {
	Name  string `json:"name"`
	Steps []struct {
		At      time.Duration `json:"at_ns"` // on the receiver's steady clock
		Message *Message      `json:"message"`
		Taken   bool          `json:"taken"`
		Holds   bool          `json:"holds"`
		Ends    time.Duration `json:"ends_ns"`
	} `json:"steps"`
}

func TestA6VectorsOfAReceiver(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) < 10 {
		t.Fatalf("there are only %d vectors", len(file.Vectors))
	}
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			var r Receiver
			for k, s := range v.Steps {
				taken := s.Message != nil && r.Take(s.At, *s.Message)
				if holds := r.Holds(s.At); taken != s.Taken || holds != s.Holds || r.Ends() != s.Ends {
					t.Errorf("step %d: taken %v, holds %v, ends %d; want %v, %v, %d", k, taken, holds, r.Ends(),
						s.Taken, s.Holds, s.Ends)
				}
			}
		})
	}
}

// TestA6AnExpiredTermOfASourceIsOver also if nothing has looked at the source since its last message.
func TestA6AnExpiredTermOfASourceIsOver(t *testing.T) {
	const s = time.Second
	message := func(term, seq uint64, proved time.Duration) Message {
		return Message{Instance: "a", Term: term, Seq: seq, Proved: proved, Valid: s}
	}
	var one Source
	for _, c := range []struct {
		at time.Duration
		Message
		taken bool
	}{
		{10 * s, message(1, 1, 0), true},
		{12 * s, message(1, 2, 2*s), false}, // it has expired at 11 s
		{12 * s, message(2, 1, 2*s), true},
		{14 * s, message(2, 2, 2500*time.Millisecond), false}, // so has the next one, at 13 s
	} {
		if taken := one.Take(c.at, c.Message); taken != c.taken {
			t.Errorf("at %v %+v counts: %v, want %v", c.at, c.Message, taken, c.taken)
		}
	}
}

// TestA6TermsGoUp: each arming takes a term above all known ones.
func TestA6TermsGoUp(t *testing.T) {
	var s Sender
	if s.Held() || s.Term() != 0 {
		t.Errorf("a lease is held before any arming: %+v", s)
	}
	s.Begin()
	first, second := s.Next(5, 7), s.Next(6, 7)
	if first != (Message{Term: 1, Seq: 1, Proved: 5, Valid: 7}) || second.Seq != 2 || second.Term != 1 {
		t.Errorf("said %+v and %+v", first, second)
	}
	s.End()
	if s.Term() != 0 {
		t.Error("it is held after its end")
	}
	s.Heard(9)
	s.Heard(4)
	s.Begin()
	if m := s.Next(0, 1); m.Term != 10 || m.Seq != 1 {
		t.Errorf("said %+v", m)
	}
}

// TestA6ForgedTermsDoNotOverflow: a term that no daemon comes to is refused, and whatever is heard, ours have room to
// go up.
func TestA6ForgedTermsDoNotOverflow(t *testing.T) {
	var s Sender
	var r Receiver
	takes := func(at time.Duration) uint64 {
		m := s.Next(at, time.Second)
		if m.Instance = "a"; !r.Take(at, m) {
			t.Errorf("a receiver refuses term %d", m.Term)
		}
		return m.Term
	}
	s.Begin()
	takes(time.Second)
	for _, forged := range []uint64{1<<64 - 1, 1<<63 + 1, Most + 1, Most, Jump + 2} {
		if s.Heard(forged) {
			t.Errorf("term %d counts after term 1", forged)
		}
	}
	last := uint64(1)
	for k, heard := range []uint64{Jump + 1, 2*Jump + 1, Jump + 5, Most} {
		s.Heard(heard)
		for term := uint64(1); k == 3 && term < Most; term += Jump { // one that goes up step by step
			s.Heard(term)
		}
		s.Begin()
		term := takes(time.Duration(k+1) * time.Minute)
		if term <= last {
			t.Errorf("term %d comes after term %d", term, last)
		}
		last = term
		s.End()
	}
}

// TestA6DelayNeverExtends: late messages never extend a lease beyond the end that it would have
// without delays.
func TestA6DelayNeverExtends(t *testing.T) {
	var r Receiver
	const valid = 500 * time.Millisecond
	r.knows(time.Hour, "a")
	for k := range 2000 {
		proved := time.Duration(k)*Every + time.Hour
		delay := time.Duration(k*7919%300) * time.Millisecond
		if k%50 < 3 {
			delay = time.Millisecond
		}
		at := proved + delay
		if !r.Take(at, Message{Instance: "a", Term: 1, Seq: uint64(k + 1), Proved: proved, Valid: valid}) {
			t.Fatalf("message %d does not count", k)
		}
		drift := (50*Every + delay) / Drift
		if most := proved + time.Millisecond + valid + drift; r.Ends() > most || r.Ends() < most-drift {
			t.Fatalf("message %d: it ends at %v, want %v, and %v for the clocks at most", k, r.Ends(), most-drift, drift)
		}
	}
}
