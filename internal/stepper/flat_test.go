package stepper

import (
	"fmt"
	"testing"
	"time"
)

// many returns a loop of n participants, every fourth of them a simulator.
func many(n int) *Loop {
	conf := Config{Has: all}
	for i := range n {
		role := Controller
		if i%4 == 0 {
			role = Simulator
		}
		conf.Participants = append(conf.Participants, Participant{fmt.Sprintf("/p%d", i), role, time.Second})
	}
	return New(conf)
}

// turn answers calls until a cycle has ended, and returns the calls of the next one.
func turn(l *Loop, calls []Call) []Call {
	for n := l.Cycles(); l.Cycles() == n; {
		for _, c := range calls {
			out := l.Step(l.now+time.Microsecond, Answered{Participant: c.Participant, Call: c.ID, OK: true})
			if len(out.Phases) > 0 {
				calls = append(calls[:0], out.Calls...)
				break // it was the last
			}
		}
	}
	return calls
}

// TestALongRun: simulated time is exact after 10⁵ cycles, and a cycle keeps no memory.
func TestALongRun(t *testing.T) {
	l := many(10)
	const dt = 16666667 // a sixtieth of a second, rounded
	calls := append(make([]Call, 0, 16), l.Step(0, Start{DT: dt}).Calls...)
	calls = turn(l, calls)
	if per := testing.AllocsPerRun(100_000-2, func() { calls = turn(l, calls) }); per != 0 {
		t.Errorf("a cycle allocates %v times", per)
	}
	if l.Cycle() != 100_001 || l.Now() != 100_000*dt {
		t.Errorf("cycle %d begins at %d, want %d", l.Cycle(), l.Now(), 100_000*dt)
	}
}

// BenchmarkCycle measures one cycle of 1, 10 and 50 participants.
func BenchmarkCycle(b *testing.B) {
	for _, n := range []int{1, 10, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := many(n)
			calls := append(make([]Call, 0, n), l.Step(0, Start{DT: 1}).Calls...)
			b.ReportAllocs()
			for b.Loop() {
				calls = turn(l, calls)
			}
		})
	}
}
