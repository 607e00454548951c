package mirror

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// flooded is the book of /a after statuses of the peer /b that no instance sends.
func flooded(t *testing.T, statuses func(b *Book) []Status) *Book {
	t.Helper()
	b := book(t, func(c *Config) { c.Plain = []string{"/old"} })
	b.Make(0, "inactive", "configure")
	b.Tell(1, says(b, "B", "inactive", "A1"))
	b.Change(2, Change{Name: "/old", SourceState: "inactive", Event: "activate", TargetState: "active"})
	for k, st := range statuses(b) {
		b.Tell(time.Duration(k+3), st)
	}
	return b
}

func kept(b *Book, instance string) bool {
	return slices.ContainsFunc(b.Seen(), func(s Seen) bool { return s.Instance == instance })
}

// TestP2ForgedSeenIsBounded: thousands of entries of instances and plain peers that no peer knows; our own, those of
// living peers and of listed ones stay.
func TestP2ForgedSeenIsBounded(t *testing.T) {
	b := flooded(t, func(b *Book) (all []Status) {
		for k := range 200 {
			st := says(b, "B", "inactive", fmt.Sprintf("A1 B%d", k+1))
			for n := range 100 {
				st.Seen = append(st.Seen, Seen{fmt.Sprintf("plain:/x%d_%d", k, n), 5},
					Seen{fmt.Sprintf("C%d_%d", k, n), 5})
			}
			all = append(all, st)
		}
		return all
	})
	if n := len(b.Seen()); n > keepDead+3 {
		t.Errorf("%d entries are kept", n)
	}
	for _, one := range []string{"A", "B", "plain:/old"} {
		if !kept(b, one) {
			t.Errorf("the entry of %s was dropped: %v", one, b.Seen())
		}
	}
}

// TestP2ForgedCountsAreRefused: counts that no instance comes to are not taken, and our own are ours; the network can
// be raised.
func TestP2ForgedCountsAreRefused(t *testing.T) {
	for name, forge := range map[string]func(st *Status){
		"2^64-1 of its own":        func(st *Status) { st.Seen = seen("A1"); st.Seen = append(st.Seen, Seen{"B", 1<<64 - 1}) },
		"2^64-1 of ours":           func(st *Status) { st.Seen = []Seen{{"A", 1<<64 - 1}} },
		"one more than ours":       func(st *Status) { st.Seen = []Seen{{"A", 2}} },
		"above 2^48 of a third":    func(st *Status) { st.Seen = []Seen{{"A", 1}, {"C", Most + 1}} },
		"a jump of more than 2^32": func(st *Status) { st.Seen = []Seen{{"A", 1}, {"C", Jump + 1}} },
	} {
		t.Run(name, func(t *testing.T) {
			b := flooded(t, func(b *Book) []Status {
				st := says(b, "B", "finalized", "")
				forge(&st)
				return []Status{st, st, st}
			})
			if got := outcome(b); !strings.HasPrefix(got, "active by A1 ") {
				t.Errorf("%s after it", got)
			}
			if list := b.Warnings(); len(list) != 1 || !strings.Contains(list[0], "/b has said") {
				t.Errorf("it warns of %q", list)
			}
			b.Make(time.Minute, "active", "activate")
			if b.Made() != 2 {
				t.Errorf("our second change is number %d", b.Made())
			}
		})
	}
}

// TestP3ForgedLoops: only commands of the machine are counted.
func TestP3ForgedLoops(t *testing.T) {
	b := flooded(t, func(b *Book) (all []Status) {
		for k := range 500 {
			st := says(b, "B", "inactive", "A1")
			st.Loops = []Loop{{fmt.Sprintf("spin%d", k), 3}}
			all = append(all, st)
		}
		return all
	})
	if len(b.Loops()) > 0 {
		t.Errorf("%d looping commands are known", len(b.Loops()))
	}
}

// TestP9PlainPeersAreBounded: of thousands that are not listed the newest are kept and a few are named, with few notes.
func TestP9PlainPeersAreBounded(t *testing.T) {
	b := flooded(t, func(*Book) []Status { return nil })
	notes := 0
	for k := range 20000 {
		notes += len(b.Change(time.Duration(10+k),
			Change{Name: fmt.Sprintf("/x%d", k), Event: "arm", TargetState: "active"}))
	}
	if n := len(b.Peers()); n != keepPlain+2 {
		t.Errorf("%d peers are kept", n)
	}
	for _, name := range []string{"/b", "/old", "/x19999"} {
		if b.Peer(name) == nil {
			t.Errorf("%s was dropped", name)
		}
	}
	if b.Peer("/x0") != nil || notes > keepPlain+2 {
		t.Errorf("the first is kept: %v; %d notes", b.Peer("/x0") != nil, notes)
	}
	list := b.Warnings()
	if len(list) > warnNamed+1 || !strings.Contains(list[len(list)-1], "more than 64 nodes") {
		t.Errorf("it warns of %q", list)
	}
	for k := range 3 * keepLost { // peers that come and go do not drop a listed one
		st := says(b, "B", "inactive", "A1")
		st.Name, st.Instance = fmt.Sprintf("/p%d", k), fmt.Sprintf("P%d", k)
		b.Tell(time.Hour, st)
		b.Lose(time.Hour, st.Name, st.Instance, "gone")
	}
	if b.Peer("/old") == nil {
		t.Error("a listed peer was dropped for lost ones")
	}
}
