package guards

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// says returns the word of a guard that follows the run and can call /drive/arm.
func says(id string, term, seq uint64) Word {
	return Word{ID: id, Follows: true, Heard: []Lease{{term, seq}}, Calls: []Call{{Service: "/drive/arm"}}}
}

// TestA13WhichGuardCounts: each row tells a book something, and asks what it lacks for /drive/arm.
func TestA13WhichGuardCounts(t *testing.T) {
	with := func(w Word, change func(*Word)) Word {
		change(&w)
		return w
	}
	for name, c := range map[string]struct {
		tell func(b *Book)
		at   time.Duration
		why  string // is part of what it says; empty: it is covered
	}{
		"none is there":      {func(*Book) {}, 0, "no guard is there"},
		"one that speaks":    {func(b *Book) { b.Hear(0, says("g", 0, 0)) }, Silent - 1, ""},
		"one that is silent": {func(b *Book) { b.Hear(0, says("g", 0, 0)) }, Silent, "guard g is lost: it has been silent for 500ms"},
		"one that came back": {func(b *Book) { b.Hear(0, says("g", 0, 0)); b.Hear(time.Second, says("g", 0, 0)) }, time.Second, ""},
		"one of two":         {func(b *Book) { b.Hear(0, says("g", 0, 0)); b.Hear(400*ms, says("h", 0, 0)) }, 800 * ms, ""},
		"one of another run": {func(b *Book) { b.Hear(0, with(says("g", 0, 0), func(w *Word) { w.Follows = false })) }, 0, "guard g does not hear this run"},
		"one of other nodes": {func(b *Book) { b.Hear(0, with(says("g", 0, 0), func(w *Word) { w.Calls[0].Service = "/x" })) }, 0, "guard g does not call /drive/arm"},
		"one that cannot call": {func(b *Book) { b.Hear(0, with(says("g", 0, 0), func(w *Word) { w.Calls[0].Fault = "no server" })) },
			0, "guard g cannot call /drive/arm: no server"},
		"one that can no more": {func(b *Book) {
			b.Hear(0, says("g", 0, 0))
			b.Hear(ms, with(says("g", 0, 0), func(w *Word) { w.Calls[0].Fault = "no server" }))
		}, ms, "cannot call"},
		"one that hears the lease": {func(b *Book) { b.Sent(0, 1, 1); b.Sent(100*ms, 1, 2); b.Hear(400*ms, says("g", 1, 2)) }, 800 * ms, ""},
		"a lease that pauses":      {func(b *Book) { b.Sent(0, 1, 1); b.Hear(time.Second, says("g", 1, 1)) }, time.Second, ""},
		"one that missed a few": {func(b *Book) { b.Sent(0, 1, 1); b.Sent(100*ms, 1, 2); b.Hear(500*ms, says("g", 1, 1)) },
			100*ms + Silent - 1, ""},
		"one that hears it no more": {func(b *Book) { b.Sent(0, 1, 1); b.Sent(100*ms, 1, 2); b.Hear(500*ms, says("g", 1, 1)) },
			100*ms + Silent, "guard g has not heard the arm lease for 500ms"},
		"one that hears an earlier one":          {func(b *Book) { b.Sent(0, 2, 1); b.Hear(400*ms, says("g", 1, 90)) }, Silent, "has not heard the arm lease"},
		"one that has heard what was never sent": {func(b *Book) { b.Sent(0, 2, 1); b.Hear(400*ms, says("g", 2, 9)) }, Silent, "has not heard"},
		"another writer speaks for the run": {func(b *Book) {
			b.Sent(0, 2, 1)
			b.Sent(100*ms, 2, 2)
			b.Hear(400*ms, with(says("g", 2, 2), func(w *Word) { w.Heard = append(w.Heard, Lease{2, 1 << 40}, Lease{9, 1}) }))
		}, 800 * ms, ""},
		"one that is long behind": {func(b *Book) {
			for k := range 50 {
				b.Sent(time.Duration(k)*Every, 1, uint64(k+1))
			}
			b.Hear(50*Every, says("g", 1, 1))
		}, 50 * Every, "has not heard"},
		"one that has heard the newest of many": {func(b *Book) {
			for k := range 50 {
				b.Sent(time.Duration(k)*Every, 1, uint64(k+1))
			}
			b.Hear(50*Every, says("g", 1, 50))
		}, 50 * Every, ""},
		"one that has heard as much of an earlier lease": {func(b *Book) { b.Sent(0, 2, 9); b.Hear(400*ms, says("g", 1, 9)) },
			Silent, "has not heard the arm lease"},
		"one that has heard as much of another writer's lease": {func(b *Book) { b.Sent(0, 2, 9); b.Hear(400*ms, says("g", 3, 9)) },
			Silent, "has not heard the arm lease"},
		"one that has heard the lease before, and a lease of a lower number is held": {
			func(b *Book) { b.Sent(0, 2, 1); b.Sent(ms, 1, 1); b.Hear(400*ms, says("g", 2, 1)) }, ms + Silent,
			"has not heard the arm lease"},
		"one of a service without a name": {func(b *Book) { b.Hear(0, with(says("g", 0, 0), func(w *Word) { w.Calls[0].Service = "" })) },
			0, "guard g does not call /drive/arm"},
		"another writer of its id ends": {func(b *Book) {
			b.Hear(0, with(says("g", 0, 0), func(w *Word) { w.Writer = "1" }))
			b.Hear(0, Word{ID: "g", Writer: "2", Follows: true})
		}, 0, ""},
		"another writer of its id speaks on": {func(b *Book) {
			b.Hear(0, with(says("g", 0, 0), func(w *Word) { w.Writer = "1" }))
			b.Hear(400*ms, with(says("g", 0, 0), func(w *Word) { w.Writer, w.Calls[0].Service = "2", "/x" }))
		}, Silent, "guard g is lost: it has been silent for 500ms; guard g does not call /drive/arm"},
		"another writer of its id hears the lease": {func(b *Book) {
			b.Sent(0, 1, 1)
			b.Hear(400*ms, with(says("g", 1, 0), func(w *Word) { w.Writer = "1" }))
			b.Hear(450*ms, with(says("g", 1, 1), func(w *Word) { w.Writer, w.Calls[0].Fault = "2", "no server" }))
		}, Silent, "guard g has not heard the arm lease for 500ms; guard g cannot call"},
		"a lease that is over": {func(b *Book) { b.Sent(0, 1, 1); b.Ended(); b.Hear(time.Second, says("g", 0, 0)) }, time.Second, ""},
	} {
		var b Book
		c.tell(&b)
		if got := b.Lacks(c.at, "/drive/arm"); got != "" && c.why == "" || !strings.Contains(got, c.why) {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
}

// TestA13AGuardIsReadyWhenItHearsThisLease: an arming waits for that.
func TestA13AGuardIsReadyWhenItHearsThisLease(t *testing.T) {
	var b Book
	b.Hear(0, says("g", 1, 7))
	b.Sent(0, 2, 1)
	if b.Ready(0, "/drive/arm") || b.Lacks(0, "/drive/arm") != "" {
		t.Error("a guard is ready that has heard an earlier lease, or does not cover while it has time to hear this one")
	}
	b.Hear(ms, says("g", 2, 1))
	if !b.Ready(ms, "/drive/arm") || b.Ready(ms, "/other") || b.Ready(ms+Silent, "/drive/arm") {
		t.Error("not ready when it has heard this lease, or ready for another service, or when it is silent")
	}
	cannot := says("g", 2, 1)
	cannot.Calls[0].Fault = "no server"
	if b.Hear(ms, cannot); b.Ready(ms, "/drive/arm") {
		t.Error("ready although it cannot call the service")
	}
	b.Hear(ms, says("g", 2, 1))
	if b.Ended(); b.Ready(ms, "/drive/arm") {
		t.Error("ready without a lease")
	}
}

// TestA13AGuardThatHearsNoLeaseIsNotShownAsOneThatCounts: other guards leave their nodes to those that count.
func TestA13AGuardThatHearsNoLeaseIsNotShownAsOneThatCounts(t *testing.T) {
	var b Book
	b.Sent(0, 2, 1)
	b.Hear(400*ms, says("g", 2, 0))
	for at, lives := range map[time.Duration]bool{Silent - 1: true, Silent: false} {
		if v := b.Views(at); len(v) != 1 || v[0].Lives != lives || (v[0].Fault == "") != lives {
			t.Errorf("at %v: %+v", at, v)
		}
	}
}

// TestACopyOfTheBookKeepsItsGuards: what the book hears and sends later is not the copy's.
func TestACopyOfTheBookKeepsItsGuards(t *testing.T) {
	var b Book
	for k := range remembered {
		b.Sent(time.Duration(k)*Every, 1, uint64(k+1))
	}
	b.Hear(time.Second, says("g", 1, remembered))
	b.sent = b.sent[:remembered-1] // there is room for another message
	c := b.Clone()
	c.Sent(time.Second, 1, remembered)
	b.Hear(time.Second+ms, Word{ID: "g", Follows: true})
	b.Sent(time.Second, 1, 99)
	if why := c.Lacks(time.Second+ms, "/drive/arm"); why != "" || c.sent[remembered-1].seq != remembered {
		t.Errorf("the copy: %q, sent %v", why, c.sent)
	}
}

// TestA13TheBookOfGuardsIsBounded: none that lives is dropped for a new one.
func TestA13TheBookOfGuardsIsBounded(t *testing.T) {
	var b Book
	for k := range 3 * Most {
		b.Hear(0, says(fmt.Sprintf("%02d", k), 0, 0))
	}
	if len(b.list) != Most || b.list[0].word.ID != "00" {
		t.Errorf("%d guards, the first is %s", len(b.list), b.list[0].word.ID)
	}
	b.Hear(Silent, says("zz", 0, 0))
	if v := b.Views(Silent); len(v) != Most || v[Most-1].ID != "zz" || !v[Most-1].Lives {
		t.Errorf("a new one among lost ones: %v", v)
	}
	two := says("zz", 0, 0)
	two.Writer = "another"
	if b.Hear(Silent, two); len(b.Views(Silent)) != Most {
		t.Error("more than it takes")
	}
	if b.Turn(2*Silent + forgotten - 1); len(b.list) == 0 {
		t.Error("none is shown any more, a moment before it is forgotten")
	}
	if b.Turn(2*Silent + forgotten); len(b.list) != 0 {
		t.Errorf("%d are left when all are forgotten", len(b.list))
	}
}

// TestA13ANewGuardInThePlaceOfALostOneIsFoundAgain: its next word takes the place of the one before.
func TestA13ANewGuardInThePlaceOfALostOneIsFoundAgain(t *testing.T) {
	for lost := range Most {
		for _, id := range []string{"", "04+", "05+", "99"} {
			var b Book
			for k := range Most {
				at := Silent
				if k == lost {
					at = 0
				}
				b.Hear(at, says(fmt.Sprintf("%02d", k), 0, 0))
			}
			b.Hear(Silent, says(id, 0, 0))
			b.Hear(Silent, Word{ID: id, Follows: true})
			n := 0
			for _, v := range b.Views(Silent) {
				if v.ID == id && v.Fault == Ended {
					n++
				}
			}
			if n != 1 || len(b.list) != Most {
				t.Errorf("%q in the place of guard %d: %d of it have ended; all are %+v", id, lost, n, b.Views(Silent))
			}
		}
	}
}

// TestA13ChangesOfGuardsAreNews: a word that says the same is none.
func TestA13ChangesOfGuardsAreNews(t *testing.T) {
	var b Book
	for k, c := range []struct {
		at   time.Duration
		tell func()
		news bool
		next time.Duration
	}{
		{0, func() { b.Hear(0, says("g", 0, 0)) }, true, Silent},
		{100 * ms, func() { b.Hear(100*ms, says("g", 0, 0)) }, false, 100*ms + Silent},
		{200 * ms, func() { w := says("g", 0, 0); w.Calls[0].Fault = "x"; b.Hear(200*ms, w) }, true, 200*ms + Silent},
		{300 * ms, func() { b.Sent(150*ms, 1, 1); b.Hear(300*ms, says("g", 0, 0)) }, true, 150*ms + Silent},
		{700 * ms, func() {}, true, 300*ms + Silent},
		{800 * ms, func() {}, true, 300*ms + Silent + forgotten},
		{900 * ms, func() {}, false, 300*ms + Silent + forgotten},
	} {
		c.tell()
		next, ok := b.Next(c.at)
		if news := b.Turn(c.at); news != c.news || !ok || next != c.next {
			t.Errorf("step %d: news %v, next at %v (%v); want %v, %v", k, news, next, ok, c.news, c.next)
		}
	}
}
