package stepper

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// MaxTriggers is how many triggers can be set.
const MaxTriggers = 64

// Trigger makes something happen to the loop. It acts once, at the first step_end at which both of
// its conditions hold; a zero condition always holds. It stays pending when the loop ends before,
// also after a reset. One with Anew acts once after each reset, and counts from there.
type Trigger struct {
	ID     uint64        // of the caller; not 0
	Cycles uint64        // this many cycles have ended since it was set
	At     time.Duration // simulated time has reached this
	Want   Want
	Anew   bool   // a reset arms it anew
	Name   string // for people; empty: trigger and the ID
	Why    string
}

// pending is a trigger with the count of all cycles at which it may act.
type pending struct {
	Trigger
	due   uint64
	acted bool // since the last reset
}

func (l *Loop) setTrigger(t Trigger) {
	k := slices.IndexFunc(l.triggers, func(p pending) bool { return p.ID == t.ID })
	switch {
	case t.ID == 0:
		l.out.Refused = "a trigger needs an id above 0"
	case t.Want == None || !t.Want.known():
		l.out.Refused = fmt.Sprintf("trigger %d does nothing: %v", t.ID, t.Want)
	case k >= 0:
		l.triggers[k] = l.pending(t)
	case len(l.triggers) == MaxTriggers:
		l.out.Refused = fmt.Sprintf("%d triggers are set already", MaxTriggers)
	default:
		l.triggers = append(l.triggers, l.pending(t))
	}
}

// pending counts the cycles of a trigger from now. The sum must not overflow: it would be due at once.
func (l *Loop) pending(t Trigger) pending {
	return pending{Trigger: t, due: l.total + min(t.Cycles, ^uint64(0)-l.total)}
}

func (l *Loop) clearTrigger(id uint64) {
	l.triggers = slices.DeleteFunc(l.triggers, func(p pending) bool { return p.ID == id })
}

// fire takes what the triggers want that are due.
func (l *Loop) fire() {
	now := l.Now()
	for i := range l.triggers {
		p := &l.triggers[i]
		if p.acted || l.total < p.due || now < p.At {
			continue
		}
		name := cmp.Or(p.Name, fmt.Sprintf("trigger %d", p.ID))
		l.take(wish{want: p.Want, participant: -1, trigger: p.ID, why: because(name, p.Why)})
		p.acted = true
	}
	l.triggers = slices.DeleteFunc(l.triggers, func(p pending) bool { return p.acted && !p.Anew })
}

// rearm arms those triggers anew that a reset does.
func (l *Loop) rearm() {
	for i, p := range l.triggers {
		if p.Anew {
			l.triggers[i] = l.pending(p.Trigger)
		}
	}
}
