package mirror

import (
	"strings"
	"testing"
	"time"
)

// sent is a message of /b, whose steady clock is an hour ahead of ours: a status, or its arm that it made at a moment.
func sent(at time.Duration) Status { return Status{Steady: time.Hour + at} }

func armMade(b *Book, made, at time.Duration) Change {
	c := change(b, "B", "arm", "active", "armed", "B1")
	c.Made, c.Steady = time.Hour+made, time.Hour+at
	return c
}

// TestP7HowOldAChangeIs: the age counts from the making, by the fastest message of the last 10 s, however late the
// change or any other message comes.
func TestP7HowOldAChangeIs(t *testing.T) {
	type word struct{ sent, took time.Duration } // of a status
	const sec = time.Second
	for _, c := range []struct {
		name     string
		statuses []word
		made     time.Duration
		at       time.Duration // when the change is sent
		took     time.Duration
		asked    time.Duration
		want     string
	}{
		{name: "at once", statuses: []word{{sec, 0}}, made: 2 * sec, at: 2 * sec, asked: 2 * sec},
		{name: "just within", statuses: []word{{sec, 0}}, made: 2 * sec, at: 2 * sec, asked: 4 * sec},
		{name: "just after", statuses: []word{{sec, 0}}, made: 2 * sec, at: 2 * sec, asked: 4*sec + ms,
			want: "/b was armed 2s ago, which is too old to follow; send arm"},
		{name: "8 s later", statuses: []word{{sec, 0}}, made: 2 * sec, at: 2 * sec, asked: 10 * sec,
			want: "/b was armed 8s ago, which is too old to follow; send arm"},
		{name: "the change was 3 s on its way", statuses: []word{{sec, ms}}, made: 2 * sec, at: 2 * sec, took: 3 * sec,
			asked: 5 * sec, want: "armed 2.9s ago"},
		{name: "it waited 3 s at its maker", statuses: []word{{sec, ms}}, made: 2 * sec, at: 5 * sec, asked: 5 * sec,
			want: "armed 3s ago"},
		{name: "one slow status says nothing", statuses: []word{{sec, 0}, {2 * sec, 3 * sec}}, made: 2 * sec,
			at: 2 * sec, asked: 5 * sec, want: "armed 3s ago"},
		{name: "nor do all but one", statuses: []word{{0, 2 * sec}, {sec, 2 * sec}, {sec + 1, 0}, {sec + 2, 2 * sec}},
			made: 2 * sec, at: 2 * sec, took: sec, asked: 5 * sec, want: "armed 3s ago"},
		{name: "all are slow, so it is older by that", statuses: []word{{0, sec}, {sec, sec}}, made: 2 * sec,
			at: 2 * sec, took: sec, asked: 5 * sec},
		{name: "the fast one is forgotten", statuses: []word{{0, 0}, {5 * sec, sec}, {12 * sec, sec}}, made: 13 * sec,
			at: 13 * sec, took: sec, asked: 16 * sec},
		{name: "and remembered for 10 s", statuses: []word{{4 * sec, 0}, {5 * sec, sec}, {12 * sec, sec}},
			made: 13 * sec, at: 13 * sec, took: sec, asked: 15*sec + ms, want: "armed 2s ago"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, nil)
			for _, w := range c.statuses {
				st := says(b, "B", "active", "")
				st.Steady = sent(w.sent).Steady
				b.Tell(w.sent+w.took, st)
			}
			b.Change(c.at+c.took, armMade(b, c.made, c.at))
			task := b.Task()
			if task == nil || task.Target != "armed" {
				t.Fatalf("it is to follow %+v", task)
			}
			got := b.TooOld(c.asked, task)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestP7AnAgeThatIsNotKnown: without a word of that run of the maker nothing is followed into armed.
func TestP7AnAgeThatIsNotKnown(t *testing.T) {
	b := book(t, nil)
	b.Tell(0, says(b, "B", "active", ""))
	b.Change(0, armMade(b, 0, 0))
	task := b.Task()
	b.Tell(ms, says(b, "Bb", "active", ""))
	if got := b.TooOld(ms, task); got != "when /b was armed is not known; send arm" {
		t.Errorf("another run of it vouches for the change: %q", got)
	}
	if _, ok := b.Age(0, "/nobody", "x", 0); ok {
		t.Error("a change of an instance that was never heard has an age")
	}
	if got := b.TooOld(time.Hour, &Task{Target: "active", From: "/b"}); got != "" {
		t.Errorf("a change that does not arm is never too old, and is %q", got)
	}
}

// TestP7TheMakerVouches: before each arm request the peer that is followed is there, in step, armed itself, and heard
// within the last second, by the time at which it spoke.
func TestP7TheMakerVouches(t *testing.T) {
	const sec = time.Second
	for _, c := range []struct {
		name string
		edit func(*Status)
		then []sees
		late time.Duration // after the last status
		want string
	}{
		{name: "it does"},
		{name: "the last second", late: sec},
		{name: "longer than a second", late: sec + 100*ms, want: "it has said nothing for 1.1s"},
		{name: "its status was a second on its way", edit: func(s *Status) { s.Steady -= sec + 100*ms },
			want: "it has said nothing for 1.1s"},
		{name: "it is lost", then: []sees{lose("B")}, want: "it is lost: it is cut off"},
		{name: "another run", then: []sees{tell("Bb", "armed", "B1")}, want: "it is not there any more"},
		{name: "it is disarming", edit: func(s *Status) { s.State, s.Settled = "disarming", false },
			want: "it is disarming"},
		{name: "it has disarmed", edit: func(s *Status) { s.State = "active" }, want: "it is active"},
		{name: "its status is older than its change", edit: func(s *Status) { s.State, s.Seen = "arming", seen("") }},
		{name: "its newest change lowers, and the status of it was lost", then: []sees{func(b *Book, at time.Duration) {
			c := armMade(b, at, at)
			c.SourceState, c.Event, c.TargetState, c.State = "armed", "", "active", "disarming"
			b.Change(at, c)
		}}, want: "it goes to active"},
		{name: "it leaves", edit: func(s *Status) { s.Leaving = true }, want: "it is about to end"},
		{name: "another machine", edit: func(s *Status) { s.Hash = "x" }, want: "it follows another machine"},
		{name: "this process stood still", then: []sees{func(b *Book, _ time.Duration) { b.Forget() }},
			want: "it has not said anything since this rstate stood still"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, nil)
			first := says(b, "B", "active", "")
			first.Steady = sent(sec).Steady
			b.Tell(sec, first)
			b.Change(2*sec, armMade(b, 2*sec, 2*sec))
			st := says(b, "B", "armed", "B1")
			st.Steady = sent(4 * sec).Steady
			if c.edit != nil {
				c.edit(&st)
			}
			b.Tell(4*sec, st)
			for _, s := range c.then {
				s(b, 4*sec)
			}
			if got := b.Vouches(4*sec+c.late, "/b", "B", "armed"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
