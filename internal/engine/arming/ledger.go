package arming

import (
	"slices"
	"time"
)

// kept is how many unanswered requests of a kind are remembered.
const kept = 8

// ledger is what a process was asked. It outlives the belief, because a slow node may handle an arm
// long after it was sent.
//
// A process is disarmed if it confirms a disarm that was sent after every arm had been answered. While
// an arm has no answer, it may take effect after that disarm. Then the process has to confirm one
// disarm, and another one that was sent settles after that.
type ledger struct {
	born       uint64        // the process was asked nothing up to this call
	call       uint64        // the newest arm or disarm
	void       uint64        // an answer to a disarm up to this call proves nothing
	arm        uint64        // newest arm; a yes to any later disarm undoes it
	clear      uint64        // a disarm after this call was sent when every arm had been answered
	at         time.Duration // when the newest request was sent
	armAt      time.Duration // when the newest arm was sent
	open       bool          // the newest has no answer yet
	arms       []request     // unanswered arms, the newest last
	first      time.Duration // when a disarm was confirmed first while an arm has no answer; 0: none was
	unanswered []request     // unanswered disarms, the newest last
}

// request is one that has no answer. The one of an earlier run has no number.
type request struct {
	call uint64
	at   time.Duration
}

func (l *ledger) clone() ledger {
	c := *l
	c.arms, c.unanswered = slices.Clone(l.arms), slices.Clone(l.unanswered)
	return c
}

// inherited reports whether an arm of an earlier run has no answer.
func (l *ledger) inherited() bool {
	return slices.ContainsFunc(l.arms, func(r request) bool { return r.call == 0 })
}

func (l *ledger) disarm(call uint64, now time.Duration) {
	l.call, l.at, l.open = call, now, true
	if len(l.unanswered) >= kept {
		l.unanswered = l.unanswered[1:]
	}
	l.unanswered = append(l.unanswered, request{call, now})
}

// armed notes an arm. Of too many without an answer the oldest are kept: they count all the same.
func (l *ledger) armed(call uint64, now time.Duration) {
	l.call, l.at, l.open = call, now, true
	l.arm, l.armAt, l.first = call, now, 0
	if len(l.arms) >= kept {
		l.arms = l.arms[:kept-1]
	}
	l.arms = append(l.arms, request{call, now})
}

// settle notes that no arm can take effect any more.
func (l *ledger) settle() { l.arms, l.first = nil, 0 }

// armAnswered notes the answer to an arm. latest is the newest call of all nodes. It reports whether
// every arm has been answered now, and had not been before.
func (l *ledger) armAnswered(call, latest uint64) (last bool) {
	k := slices.IndexFunc(l.arms, func(r request) bool { return r.call == call })
	if k < 0 {
		return false
	}
	l.arms = slices.Delete(l.arms, k, k+1)
	if len(l.arms) > 0 {
		return false
	}
	l.clear = latest
	return true
}

// disarmAnswered notes the answer to a disarm. ok is false unless it is the first answer to it.
func (l *ledger) disarmAnswered(call uint64) (r request, ok bool) {
	k := slices.IndexFunc(l.unanswered, func(r request) bool { return r.call == call })
	if k < 0 {
		return request{}, false
	}
	r = l.unanswered[k]
	l.unanswered = slices.Delete(l.unanswered, k, k+1)
	return r, true
}

func (l *ledger) age(gap time.Duration) {
	older := func(at *time.Duration) {
		if *at != 0 {
			*at -= gap
		}
	}
	older(&l.armAt)
	older(&l.at)
	older(&l.first)
	for k := range l.unanswered {
		older(&l.unanswered[k].at)
	}
	for k := range l.arms {
		older(&l.arms[k].at)
	}
}
