package mirror

import (
	"testing"
	"time"
)

// knowing is a status of a peer that knows of orders: "A1 B2".
func knowing(who, state, knows, orders string) func(*Book, time.Duration) []Note {
	return func(b *Book, now time.Duration) []Note {
		st := says(b, who, state, knows)
		st.Orders = seen(orders)
		return b.Tell(now, st)
	}
}

func leaving(who, state, knows, orders string) func(*Book, time.Duration) []Note {
	return func(b *Book, now time.Duration) []Note {
		st := says(b, who, state, knows)
		st.Orders, st.Leaving = seen(orders), true
		return b.Tell(now, st)
	}
}

func changing(who, event, to, knows, orders string) func(*Book, time.Duration) []Note {
	return func(b *Book, now time.Duration) []Note {
		c := change(b, who, event, "active", to, knows)
		c.Orders = seen(orders)
		return b.Change(now, c)
	}
}

func quietly(s sees) func(*Book, time.Duration) []Note {
	return func(b *Book, now time.Duration) []Note { s(b, now); return nil }
}

// TestC4AnOrderOfAPeer: a higher count of the sender's own orders is an order, whatever its machine and whether it is
// in step, or of one that has ended, if another passes it on. A count that is heard for the first time, or of another
// that lives, is only noted.
func TestC4AnOrderOfAPeer(t *testing.T) {
	foreign := func(orders string) func(*Book, time.Duration) []Note {
		return func(b *Book, now time.Duration) []Note {
			st := says(b, "B", "running", "")
			st.Orders, st.Hash = seen(orders), "another"
			return b.Tell(now, st)
		}
	}
	for _, c := range []struct {
		name string
		tell []func(*Book, time.Duration) []Note
		want int // orders
		ends string
	}{
		{"by its status", []func(*Book, time.Duration) []Note{knowing("B", "armed", "B1", "B0"),
			knowing("B", "armed", "B1", "B1")}, 1, "active by B1; to active, catching up with /b"},
		{"by its change", []func(*Book, time.Duration) []Note{knowing("B", "armed", "B1", "B0"),
			changing("B", "disarm", "active", "B2", "B1")}, 1, "active by B2; to active, live with /b"},
		{"by both, once", []func(*Book, time.Duration) []Note{knowing("B", "armed", "B1", "B0"),
			knowing("B", "armed", "B1", "B1"), changing("B", "disarm", "active", "B2", "B1")}, 1,
			"active by B2; to active, live with /b"},
		{"twice", []func(*Book, time.Duration) []Note{knowing("B", "active", "", "B0"),
			knowing("B", "active", "", "B1"), knowing("B", "active", "", "B2")}, 2, " by "},
		{"an older count comes late", []func(*Book, time.Duration) []Note{knowing("B", "active", "", "B1"),
			knowing("B", "active", "", "B2"), knowing("B", "active", "", "B1"), knowing("B", "active", "", "B2")}, 1,
			" by "},
		{"heard first with a count", []func(*Book, time.Duration) []Note{knowing("B", "armed", "B1", "B7")}, 0,
			"armed by B1; to armed, catching up with /b"},
		{"its next run", []func(*Book, time.Duration) []Note{knowing("B", "active", "", "B2"),
			knowing("Bb", "active", "", "B2 Bb7")}, 0, " by "},
		{"what it heard of another", []func(*Book, time.Duration) []Note{knowing("C", "active", "", "C0"),
			knowing("B", "active", "", "B0"), knowing("B", "active", "", "B0 C4")}, 0, " by "},
		{"while it was cut off", []func(*Book, time.Duration) []Note{knowing("B", "armed", "B1", "B0"),
			quietly(lose("B")), knowing("B", "armed", "B1", "B1")}, 1, "active by B1; to active, catching up with /b"},
		{"of its run before, which had ended unheard",
			[]func(*Book, time.Duration) []Note{knowing("B", "armed", "B1", "B0"), quietly(lose("B")),
				knowing("Bb", "active", "", "B1 Bb0"), knowing("Bb", "active", "", "B1 Bb0")}, 1,
			"active by B1; to active, catching up with /b"},
		{"of its run before, which is not lost yet",
			[]func(*Book, time.Duration) []Note{knowing("B", "active", "", "B0"),
				knowing("Bb", "active", "", "B1 Bb0")}, 1, " by "},
		{"of one that has ended, passed on by another",
			[]func(*Book, time.Duration) []Note{knowing("C", "active", "", "C0"), quietly(lose("C")),
				knowing("B", "active", "", "B0"), knowing("B", "active", "", "B0 C4")}, 1, " by "},
		{"of a run before that was never heard",
			[]func(*Book, time.Duration) []Note{knowing("Bb", "active", "", "B3 Bb0")}, 0, " by "},
		{"of a run before that its next one does not know", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), quietly(lose("B")), knowing("Bb", "unknown", "", "Bb0"),
			knowing("Bb", "unknown", "", "Bb0")}, 1, "active by B1; to active, catching up with /b"},
		{"of a run before that its next one does not know, as its change says first", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), quietly(lose("B")), changing("Bb", "adopt", "active", "Bb1", "Bb0"),
			knowing("Bb", "active", "Bb1", "Bb0")}, 1, "active by B1 Bb1; to active, catching up with /b"},
		{"of a run before that was never lost", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), knowing("Bb", "unknown", "", "Bb0")}, 1,
			"active by B1; to active, catching up with /b"},
		{"of a run before that had said that it ends", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), leaving("B", "armed", "B1", "B0"), quietly(lose("B")),
			knowing("Bb", "unknown", "", "Bb0")}, 0, "armed by B1; to armed, catching up with /b"},
		{"of a run before that its next one knows", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), quietly(lose("B")), knowing("Bb", "unknown", "", "B0 Bb0")}, 0,
			"armed by B1; to armed, catching up with /b"},
		{"of two runs of a name that come in turn", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), quietly(lose("B")), knowing("Bb", "unknown", "", "B0 Bb0"),
			quietly(lose("Bb")), knowing("B", "armed", "B1", "B0"), quietly(lose("B")),
			knowing("Bb", "unknown", "", "B0 Bb0")}, 0, "armed by B1; to armed, catching up with /b"},
		{"of a run before that was found without its journal twice", []func(*Book, time.Duration) []Note{
			knowing("B", "active", "", "B0"), quietly(lose("B")), knowing("Bb", "unknown", "", "Bb0"),
			quietly(lose("Bb")), knowing("Bb", "unknown", "", "Bb0")}, 1, " by "},
		{"of the run before the last, found by its third", []func(*Book, time.Duration) []Note{
			knowing("B", "armed", "B1", "B0"), quietly(lose("B")), knowing("Bbb", "unknown", "", "Bb0 Bbb0")}, 1,
			"active by B1; to active, catching up with /b"},
		{"of another machine", []func(*Book, time.Duration) []Note{quietly(makes("armed")), foreign("B0"),
			foreign("B1")}, 1, "active by A1"},
		{"not in step", []func(*Book, time.Duration) []Note{knowing("B", "active", "", "B0"),
			quietly(func(b *Book, _ time.Duration) { b.Forget() }), changing("B", "disarm", "active", "B1", "B1")}, 1,
			" by "},
		{"of an earlier run that lives", []func(*Book, time.Duration) []Note{knowing("B", "active", "", "B0"),
			knowing("Bb", "active", "", "B0 Bb0"), knowing("B", "active", "", "B1")}, 1, " by "},
	} {
		t.Run(c.name, func(t *testing.T) {
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
				t.Errorf("%d orders and %s, want %d and %s", got, outcome(b), c.want, c.ends)
			}
		})
	}
}

// TestC4OrdersOfRunsBeforeAreTold: what the journal knows of the runs before goes to the peers.
func TestC4OrdersOfRunsBeforeAreTold(t *testing.T) {
	conf := book(t, nil).conf
	conf.Ordered = []Seen{{"0before", 3}}
	b := New(conf)
	if got := b.Orders(); Count(got, "0before") != 3 || b.Ordered() != 0 || len(got) != 2 {
		t.Errorf("it tells of %v, and has given %d itself", got, b.Ordered())
	}
}

// TestC4AnArmThatAnOrderOverrules: a change of a peer that arms is not followed before the peer has heard of the newest
// order, given here or heard by this instance as it was given.
func TestC4AnArmThatAnOrderOverrules(t *testing.T) {
	order := quietly(func(b *Book, _ time.Duration) { b.Order(); b.Disarm() })
	here := knowing("B", "active", "", "A0 B0")
	for _, c := range []struct {
		name string
		tell []func(*Book, time.Duration) []Note
		ends string
	}{
		{"before it has heard", []func(*Book, time.Duration) []Note{here, order,
			changing("B", "arm", "armed", "B1", "A0 B0")}, "active by B1; to active, live with /b"},
		{"once it has", []func(*Book, time.Duration) []Note{here, order, changing("B", "arm", "armed", "B1", "A1 B0")},
			"armed by B1; to armed, live with /b"},
		{"before it has heard the second",
			[]func(*Book, time.Duration) []Note{here, order, order, changing("B", "arm", "armed", "B1", "A1 B0")},
			"active by B1; to active, live with /b"},
		{"a deactivation needs none", []func(*Book, time.Duration) []Note{here, order,
			changing("B", "deactivate", "inactive", "B1", "A0 B0")}, "inactive by B1; to inactive, live with /b"},
		{"what waits to be followed", []func(*Book, time.Duration) []Note{here,
			changing("B", "arm", "armed", "B1", "A0 B0"), order}, "active by B1; to active, live with /b"},
		{"an order of a third", []func(*Book, time.Duration) []Note{here, knowing("C", "active", "", "C0"),
			knowing("C", "active", "", "C1"), changing("B", "arm", "armed", "B1", "B0 C0")},
			"active by B1; to active, live with /b"},
		{"a third that was only noted", []func(*Book, time.Duration) []Note{here, knowing("C", "active", "", "C3"),
			changing("B", "arm", "armed", "B1", "B0")}, "armed by B1; to armed, live with /b"},
		{"a third that is lost", []func(*Book, time.Duration) []Note{here, knowing("C", "active", "", "C0"),
			knowing("C", "active", "", "C1"), quietly(lose("C")), changing("B", "arm", "armed", "B1", "B0")},
			"armed by B1; to armed, live with /b"},
		{"by its status alone", []func(*Book, time.Duration) []Note{here, order, quietly(lose("B")),
			knowing("B", "armed", "B1", "A0 B0")}, "active by B1; to active, catching up with /b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, nil)
			for k, s := range c.tell {
				s(b, time.Duration(k)*ms)
			}
			if outcome(b) != c.ends {
				t.Errorf("got  %s\nwant %s", outcome(b), c.ends)
			}
		})
	}
}

// TestC4APeerHasConfirmed when its status has our count, and nothing may be armed there.
func TestC4APeerHasConfirmed(t *testing.T) {
	for _, c := range []struct {
		name  string
		state string
		heard string
		armed []string
		want  string
	}{
		{"it has", "active", "A2", nil, ""},
		{"of an earlier order", "active", "A1", nil, "has not heard of the disarm"},
		{"of none", "active", "", nil, "has not heard of the disarm"},
		{"a node may be armed", "disarming", "A2", []string{"/x"}, "may still be armed: /x"},
		{"it is armed without one", "armed", "A2", nil, "is still armed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, nil)
			b.Order()
			b.Order()
			st := says(b, "B", c.state, "")
			st.Orders, st.MayBeArmed = seen(c.heard), c.armed
			b.Tell(0, st)
			if got := b.Unconfirmed(b.Peer("/b")); got != c.want || b.Ordered() != 2 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestC4OrdersAreBounded: instances that are not alive are forgotten, the oldest first, and never our own count.
func TestC4OrdersAreBounded(t *testing.T) {
	b := book(t, nil)
	b.Order()
	for n := range 1000 {
		who := "B" + string(rune('a'+n%26)) + string(rune('a'+n/26))
		knowing(who, "active", "", who+"1")(b, time.Duration(n)*ms)
		changing("C"+who, "disarm", "active", "", "C"+who+"3")(b, time.Duration(n)*ms)
	}
	if n := len(b.Orders()); n > keepDead+2 || b.Ordered() != 1 {
		t.Errorf("%d counts are kept, and %d of our own", n, b.Ordered())
	}
}
