package stepper

import (
	"testing"
	"time"
)

func wantStat(t *testing.T, what string, got Stat, count uint64, sum, most, last time.Duration) {
	t.Helper()
	if got != (Stat{count, sum, most, last}) {
		t.Errorf("%s: %+v; want count %d, sum %v, max %v, last %v", what, got, count, sum, most, last)
	}
}

// TestStatistics: step_begin resets what is of the cycle, and with a start what is of the run.
func TestStatistics(t *testing.T) {
	w := play(t, two(), start(20*ms, 0), after(3*ms), ok(ctl), after(2*ms), ok(sim), after(7*ms), ok(sim), ok(ctl),
		after(ms), ok(sim))
	wantStat(t, "/sim step_begin", w.Stat(sim, StepBegin), 1, 5*ms, 5*ms, 5*ms)
	wantStat(t, "/ctl step_begin", w.Stat(ctl, StepBegin), 1, 3*ms, 3*ms, 3*ms)
	wantStat(t, "/sim step_simulator", w.Stat(sim, StepSimulator), 1, 7*ms, 7*ms, 7*ms)
	wantStat(t, "/ctl step_end", w.Stat(ctl, StepEnd), 0, 0, 0, 0)
	if since, open := w.Waiting(ctl); !open || since != 12*ms {
		t.Errorf("waiting for /ctl since %v: %v", since, open)
	}
	if _, open := w.Waiting(sim); open {
		t.Error("waiting for /sim")
	}
	ok(ctl)(w)
	wantStat(t, "cycles", w.CycleStat(), 1, 13*ms, 13*ms, 13*ms)
	wantStat(t, "/sim step_simulator in the second cycle", w.Stat(sim, StepSimulator), 1, 7*ms, 7*ms, 0)

	for _, act := range []func(*world){ok(sim, ctl), after(3 * ms), ok(sim)} {
		act(w)
	}
	wantStat(t, "/sim step_simulator in the second cycle", w.Stat(sim, StepSimulator), 2, 10*ms, 7*ms, 3*ms)
	if mean := w.Stat(sim, StepSimulator).Mean(); mean != 5*ms {
		t.Errorf("the mean is %v", mean)
	}
	demand(Pause)(w)
	rest(w)
	wantStat(t, "cycles", w.CycleStat(), 2, 16*ms, 13*ms, 3*ms)
	wantStat(t, "/sim step_simulator while paused", w.Stat(sim, StepSimulator), 2, 10*ms, 7*ms, 3*ms)

	start(20*ms, 0)(w)
	wantStat(t, "/sim step_simulator after a start", w.Stat(sim, StepSimulator), 0, 0, 0, 0)
	wantStat(t, "cycles after a start", w.CycleStat(), 0, 0, 0, 0)
	if mean := w.Stat(sim, StepSimulator).Mean(); mean != 0 {
		t.Errorf("the mean of nothing is %v", mean)
	}
	for _, act := range []func(*world){ok(sim, ctl), after(ms), errs(sim, "stuck")} {
		act(w)
	}
	wantStat(t, "/sim step_simulator after it has failed", w.Stat(sim, StepSimulator), 0, 0, 0, 0)
}
