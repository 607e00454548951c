package mirror

import (
	"slices"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// armedPeer returns a book whose peer /b of run B has armed by its first change at 2 s, and said so at 4 s.
func armedPeer(t *testing.T, conf func(*Config)) *Book {
	b := book(t, conf)
	first := says(b, "B", "active", "")
	first.Steady = sent(time.Second).Steady
	b.Tell(time.Second, first)
	b.Change(2*time.Second, armMade(b, 2*time.Second, 2*time.Second))
	st := says(b, "B", "armed", "B1")
	st.Steady = sent(4 * time.Second).Steady
	b.Tell(4*time.Second, st)
	return b
}

// TestP7OnlyThePresentRunVouches: what another run of the peer's name says changes neither its clock nor its state, and
// what comes late changes neither what it said last.
func TestP7OnlyThePresentRunVouches(t *testing.T) {
	const sec = time.Second
	tells := func(b *Book, at, sent time.Duration, edit func(*Change)) {
		c := armMade(b, sent, sent)
		edit(&c)
		b.Change(at, c)
	}
	for _, c := range []struct {
		name string
		then func(b *Book)
		at   time.Duration
		want string
	}{
		{"the clock of another run", func(b *Book) {
			tells(b, 5500*ms, 90*sec, func(c *Change) { c.Instance, c.Seen = "Bb", seen("Bb1") })
		}, 6 * sec, "it has said nothing for 2s"},
		{"the state of another run", func(b *Book) {
			st := says(b, "B", "active", "B1")
			st.Steady = sent(4 * sec).Steady
			b.Tell(4*sec, st)
			tells(b, 4*sec, 4*sec, func(c *Change) { c.Instance, c.Seen = "Bb", seen("Bb9") })
		}, 4 * sec, "it is active"},
		{"a change that comes late", func(b *Book) {
			tells(b, 4*sec, 4*sec, func(c *Change) {
				c.Event, c.SourceState, c.TargetState, c.State, c.Seen = "disarm", "armed", "active", "disarming", seen("B2")
			})
			tells(b, 4*sec, 2*sec, func(*Change) {})
		}, 4 * sec, "it is disarming"},
		{"a change out of a state in which it still is", func(b *Book) {
			tells(b, 4*sec, 4*sec, func(c *Change) {
				c.Event, c.SourceState, c.TargetState, c.State = "", "armed", "active", "armed"
			})
		}, 4 * sec, "it goes to active"},
		{"a status that was overtaken", func(b *Book) {
			st := says(b, "B", "armed", "B1")
			st.Steady = sent(3 * sec).Steady
			b.Tell(4*sec, st)
		}, 5 * sec, ""},
	} {
		b := armedPeer(t, nil)
		c.then(b)
		if got := b.Vouches(c.at, "/b", "B", "armed"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestP7AMakerThatArmsLessDoesNotVouch for a state that arms more.
func TestP7AMakerThatArmsLessDoesNotVouch(t *testing.T) {
	b := armedPeer(t, func(c *Config) {
		m := *c.Machine
		m.States = append(slices.Clone(m.States), machine.State{Name: "partly", Disarmed: "active",
			Nodes: machine.Want{Others: lifecycle.Active}, Armed: machine.Armed{Groups: []string{"arm"}}})
		c.Machine = &m
	})
	st := says(b, "B", "partly", "B1")
	st.Steady = sent(5 * time.Second).Steady
	b.Tell(5*time.Second, st)
	if got := b.Vouches(5*time.Second, "/b", "B", "armed"); got != "it is partly" {
		t.Errorf("for armed: %q", got)
	}
	if got := b.Vouches(5*time.Second, "/b", "B", "partly"); got != "" {
		t.Errorf("for its own state: %q", got)
	}
}

// TestP7AChangeWithoutATimeIsOld, as that of an instance which sends none.
func TestP7AChangeWithoutATimeIsOld(t *testing.T) {
	b := armedPeer(t, nil)
	if got := b.TooOld(4*time.Second, &Task{Target: "armed", From: "/b", Instance: "B"}); got == "" {
		t.Error("it is followed into armed")
	}
}

// TestC4OrdersAreHeardBeforeTheChangeThatTellsThem: a peer that disarms and arms again is armed with its second change.
// An order of an instance that has ended counts wherever its name stands in the list, and a new run that tells of no
// orders at all knows none.
func TestC4OrdersAreHeardBeforeTheChangeThatTellsThem(t *testing.T) {
	for _, c := range []struct {
		name string
		tell []func(*Book, time.Duration) []Note
		want int // orders
		ends string
	}{
		{"in one change", []func(*Book, time.Duration) []Note{knowing("B", "active", "", "B0"),
			changing("B", "arm", "armed", "B2", "B1")}, 1, "armed by B2; to armed, live with /b"},
		{"of one that started before this instance, and has ended", []func(*Book, time.Duration) []Note{
			knowing("0", "active", "", "0x0"), quietly(lose("0")), knowing("B", "active", "", "B0"),
			func(b *Book, now time.Duration) []Note {
				st := says(b, "B", "active", "")
				st.Orders = []Seen{{"0", 1}, {"B", 0}}
				return b.Tell(now, st)
			}}, 1, " by "},
		{"of a run before, by one that tells of none", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), quietly(lose("B")), knowing("Bb", "unknown", "", "")}, 1,
			"active by B1; to active, catching up with /b"},
		{"of another instance of our name", []func(*Book, time.Duration) []Note{knowing("A2", "active", "", ""),
			func(b *Book, now time.Duration) []Note {
				c := change(b, "A2", "arm", "active", "armed", "A21")
				c.Seen, c.Orders = []Seen{{"A2", 1}}, []Seen{{"A2", 1}}
				return b.Change(now, c)
			}}, 0, " by "},
	} {
		b := book(t, nil)
		got := 0
		for k, s := range c.tell {
			for _, n := range s(b, time.Duration(k)*time.Second) {
				if n.What == Ordered {
					got++
				}
			}
		}
		if got != c.want || outcome(b) != c.ends {
			t.Errorf("%s: %d orders and %s, want %d and %s", c.name, got, outcome(b), c.want, c.ends)
		}
		if b.Peer("/a") != nil || slices.ContainsFunc(b.Orders(), func(s Seen) bool { return s.Instance == "A2" }) {
			t.Errorf("%s: another instance of our name is a peer, or its orders are known: %v", c.name, b.Orders())
		}
	}
}

// TestP2ForgedOrdersAreRefused, in a status and in a change: a count that no instance comes to would hide the peer's
// next order, and only this instance counts its own.
func TestP2ForgedOrdersAreRefused(t *testing.T) {
	for name, forged := range map[string][]Seen{
		"2^64-1 of its own":        {{"B", 1<<64 - 1}},
		"one more than ours":       {{"A", 1}, {"B", 0}},
		"a jump of more than 2^32": {{"B", Jump + 1}},
	} {
		for _, change := range []bool{false, true} {
			b := book(t, nil)
			knowing("B", "active", "", "B0")(b, 0)
			if change {
				c := armMade(b, 0, 0)
				c.Orders = forged
				b.Change(1, c)
			} else {
				st := says(b, "B", "armed", "B1")
				st.Orders = forged
				b.Tell(1, st)
			}
			if b.Target() != "" || b.Ordered() != 0 || len(b.Warnings()) != 1 {
				t.Errorf("%s, in a change: %v: it goes to %q, has ordered %d, and warns of %q", name, change, b.Target(),
					b.Ordered(), b.Warnings())
			}
			if notes := knowing("B", "active", "", "B1")(b, 2); len(notes) == 0 || notes[0].What != Ordered {
				t.Errorf("%s, in a change: %v: its next order makes %v", name, change, notes)
			}
		}
	}
}

// TestP6AChangeOfAnotherMachineIsNotFollowed, also if the peer's status was of ours.
func TestP6AChangeOfAnotherMachineIsNotFollowed(t *testing.T) {
	b := book(t, nil)
	b.Tell(0, says(b, "B", "active", ""))
	c := armMade(b, 0, 0)
	c.Hash = "another"
	if b.Change(0, c); outcome(b) != " by " {
		t.Errorf("it makes of it: %s", outcome(b))
	}
}

// TestC4APeerThatIsOnItsWayHasNotConfirmed while it says that it is armed.
func TestC4APeerThatIsOnItsWayHasNotConfirmed(t *testing.T) {
	b := book(t, nil)
	st := says(b, "B", "armed", "")
	st.Settled = false
	b.Tell(0, st)
	if got := b.Unconfirmed(b.Peer("/b")); got != "is still armed" {
		t.Errorf("%q", got)
	}
}

// TestACopyOfABookStays when the book hears more.
func TestACopyOfABookStays(t *testing.T) {
	b := armedPeer(t, nil)
	b.Tell(4*time.Second, says(b, "C", "active", ""))
	p := b.Peer("/b")
	p.clock.ways = slices.Grow(p.clock.ways, 1) // there is room for another message
	c := b.Clone()
	hear := func(b *Book, sentAt, at time.Duration) {
		st := says(b, "B", "armed", "B1")
		st.Steady = sent(sentAt).Steady
		b.Tell(at, st)
	}
	hear(c, 5*time.Second, 5*time.Second+ms)
	clock := slices.Clone(c.Peer("/b").clock.ways)
	hear(b, 5*time.Second, 6*time.Second)
	b.Lose(7*time.Second, "/b", "B", "gone")
	if got := c.Vouches(5*time.Second+ms, "/b", "B", "armed"); got != "" || !slices.Equal(clock, c.Peer("/b").clock.ways) {
		t.Errorf("the copy's peer does not vouch: %q; its clock was %v and is %v", got, clock, c.Peer("/b").clock.ways)
	}
}

// TestP7APeerIsUnfit: one that speaks only four fields is not there, one that is not intact is unfit also on its way,
// and the loss of a run that another one has replaced is none.
func TestP7APeerIsUnfit(t *testing.T) {
	for _, c := range []struct {
		name string
		tell sees
		want string
	}{
		{"plain", func(b *Book, now time.Duration) { b.Change(now, Change{Name: "/b", TargetState: "active"}) },
			"/b: is not there"},
		{"not intact on its way", func(b *Book, now time.Duration) {
			st := says(b, "B", "arming", "")
			st.Settled, st.Target, st.Intact, st.Cause = false, "active", false, "/imu is lost"
			b.Tell(now, st)
		}, "/b: is not intact: /imu is lost"},
		{"the loss of the run before", func(b *Book, now time.Duration) {
			tell("B", "active", "")(b, now)
			tell("Bb", "active", "")(b, now)
			lose("B")(b, now)
		}, ""},
	} {
		b := book(t, func(c *Config) { c.Required, c.Plain = []string{"/b"}, []string{"/b"} })
		c.tell(b, time.Second)
		got := ""
		for _, u := range b.Unfit(time.Second, "active") {
			got += u.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
