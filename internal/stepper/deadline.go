package stepper

import (
	"fmt"
	"time"
)

// tick ends the loop if a participant is overdue.
func (l *Loop) tick() {
	if !l.running || l.between {
		return
	}
	i, due := l.nextDue()
	if l.now < due {
		l.wake(due)
		return
	}
	p := l.conf.Participants[i]
	l.fail(i, fmt.Sprintf("%s did not answer %v of cycle %d within %v", p.Name, l.phase, l.cycle, p.Deadline))
}

// nextDue returns the open call whose deadline is the earliest, and that deadline. A cycle that
// runs always has an open call.
func (l *Loop) nextDue() (participant int, due time.Duration) {
	participant = -1
	for i := range l.parts {
		if !l.parts[i].open {
			continue
		}
		at := l.parts[i].called + l.conf.Participants[i].Deadline
		if participant < 0 || at < due {
			participant, due = i, at
		}
	}
	return participant, due
}

// wake asks for a Tick, unless one is due before. So a loop that runs well asks once per deadline,
// not once per phase.
func (l *Loop) wake(at time.Duration) {
	if l.now < l.alarm && l.alarm <= at {
		return
	}
	l.alarm = at
	l.out.Wake, l.out.WakeAt = true, at
}

func (l *Loop) lost(in Lost) {
	l.parts[in.Participant].lost = true
	if l.running {
		l.fail(in.Participant, because(l.name(in.Participant)+" is lost", in.Why))
	}
}

func (l *Loop) respawned(i int) {
	l.parts[i].lost = false
	if l.running {
		l.fail(i, l.name(i)+" was respawned")
	}
}

// fail ends the loop at once, for an error of a participant; -1 is none.
func (l *Loop) fail(i int, why string) { l.end(wish{want: Fail, err: true, participant: i, why: why}) }

func (l *Loop) name(i int) string { return l.conf.Participants[i].Name }

func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}
