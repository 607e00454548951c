// Package latch is what a network remembers of its stop inputs. A stop latches: nothing is armed before a
// person has acknowledged it. The ledger holds two numbers for each run of each instance: how many stops
// it has latched, and how many of them were acknowledged. Both only grow, and an instance merges what
// another one tells by the greater number. So instances that know a stop tell the others of it, in
// whatever order messages arrive, and also after a restart of any of them.
//
// A gap, a time in which an instance did not listen to its stop inputs, latches too: see LatchGap.
//
// The numbers belong to a run and not to a name: a run that has lost its journal counts from zero, and its
// first stop must not look like an old one that was acknowledged.
//
// It may import the standard library only.
package latch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Latch is what is known of the stops of one run of an instance.
type Latch struct {
	Origin       string // the full name of its node
	Instance     string // the run
	Latched      uint64 // how many stops it has latched
	Acknowledged uint64 // how many of them a person has acknowledged
	Why          string // the newest stop: which input, and what it said, or when nothing listened to any
	At           time.Time
	Since        time.Time // of a gap that this instance has latched: when it began; zero: nothing is known of that
}

// Open reports whether a stop of the run is not acknowledged.
func (l *Latch) Open() bool { return l.Latched > l.Acknowledged }

// Words says why nothing may be armed.
func (l *Latch) Words() string {
	return fmt.Sprintf("stopped at %s by %s: %s", l.At.UTC().Format("15:04:05Z"), l.Origin, l.Why)
}

// Bounds of what a ledger takes.
const (
	// Most is the greatest count of stops. No instance latches so many.
	Most = 1 << 48
	// Keep is the number of runs of which a ledger keeps stops that are acknowledged, the newest.
	Keep = 64
	// KeepOpen is the number of runs with an open stop. Nothing may be armed anyway then, so a ledger ignores
	// further runs until a person acknowledges.
	KeepOpen = 256
)

// Ledger is all that one instance knows. The zero value knows nothing. It never changes a list that it has
// handed out.
type Ledger struct {
	list []Latch // in the order of the runs
	own  string  // the run of this instance, which is never forgotten: it counts on
}

// Owns notes the run of this instance.
func (l *Ledger) Owns(run string) { l.own = run }

// List returns what is known, for other instances and for the journal.
func (l *Ledger) List() []Latch { return slices.Clip(l.list) }

// Of returns what is known of a run.
func (l *Ledger) Of(instance string) Latch {
	k := slices.IndexFunc(l.list, func(e Latch) bool { return e.Instance == instance })
	if k < 0 {
		return Latch{Instance: instance}
	}
	return l.list[k]
}

// Open lists the runs with a stop that is not acknowledged.
func (l *Ledger) Open() []Latch {
	return slices.DeleteFunc(slices.Clone(l.list), func(e Latch) bool { return !e.Open() })
}

// Latch counts a stop of the run of this instance.
func (l *Ledger) Latch(origin, instance, why string, at time.Time) Latch {
	e := l.Of(instance)
	e.Origin, e.Latched, e.Why, e.At, e.Since = origin, e.Latched+1, why, at, time.Time{}
	l.put(e)
	return e
}

// Acknowledge notes that the stops of a run up to a number are acknowledged.
func (l *Ledger) Acknowledge(instance string, upTo uint64) {
	e := l.Of(instance)
	e.Acknowledged = max(e.Acknowledged, min(upTo, e.Latched))
	l.put(e)
}

// Merge takes what another instance tells. It returns the runs of which it has heard a new stop that is
// open, and those that have no open stop any more.
func (l *Ledger) Merge(told []Latch) (stopped, acknowledged []Latch) {
	for _, t := range told {
		was := l.Of(t.Instance)
		now := was
		if t.Latched > was.Latched {
			now.Origin, now.Latched, now.Why, now.At, now.Since = t.Origin, t.Latched, t.Why, t.At, t.Since
		}
		now.Acknowledged = max(was.Acknowledged, t.Acknowledged)
		if now == was || was.Latched == 0 && now.Open() && len(l.Open()) >= KeepOpen {
			continue
		}
		l.put(now)
		switch {
		case now.Open() && now.Latched > was.Latched:
			stopped = append(stopped, now)
		case !now.Open() && was.Open():
			acknowledged = append(acknowledged, now)
		}
	}
	return stopped, acknowledged
}

// Wrong says what no instance tells of stops; empty: nothing is wrong. Only a run itself latches its stops.
func (l *Ledger) Wrong(told []Latch, own string) string {
	for _, t := range told {
		switch {
		case t.Origin == "" || t.Instance == "":
			return "it tells of a stop of an instance without a name"
		case t.Latched > Most || t.Acknowledged > t.Latched:
			return fmt.Sprintf("it knows %d stops of %s, of which %d are acknowledged", t.Latched, t.Origin, t.Acknowledged)
		case t.Instance == own && t.Latched > l.Of(own).Latched:
			return fmt.Sprintf("it knows %d stops of this instance, which has latched %d", t.Latched, l.Of(own).Latched)
		}
	}
	return ""
}

// put sets the entry of a run, and forgets the oldest ones that are acknowledged, where there are too many.
func (l *Ledger) put(e Latch) {
	list := slices.DeleteFunc(slices.Clone(l.list), func(o Latch) bool { return o.Instance == e.Instance })
	list = append(list, e)
	slices.SortFunc(list, func(a, b Latch) int {
		return cmp.Or(strings.Compare(a.Instance, b.Instance), strings.Compare(a.Origin, b.Origin))
	})
	closed := 0
	for k := range list {
		if !list[k].Open() {
			closed++
		}
	}
	l.list = slices.DeleteFunc(list, func(o Latch) bool {
		if closed <= Keep || o.Open() || o.Instance == e.Instance || o.Instance == l.own {
			return false
		}
		closed--
		return true
	})
}
