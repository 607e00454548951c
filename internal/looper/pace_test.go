package looper

import (
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/gate"
	"rstate/internal/stepper"
)

// TestL10ThePaceOfSteps: each line is a run at a rate, by the moments at which steps end, and how long each next step
// waits.
func TestL10ThePaceOfSteps(t *testing.T) {
	at := func(ms ...int) (list []time.Duration) {
		for _, m := range ms {
			list = append(list, time.Duration(m)*time.Millisecond)
		}
		return list
	}
	for name, c := range map[string]struct {
		rate     float64
		ends     []time.Duration
		waits    []time.Duration
		overruns uint64
	}{
		"as fast as possible":                {0, at(0, 5, 90), at(0, 0, 0), 0},
		"real time":                          {1, at(7, 12, 30), at(0, 15, 17), 0},
		"half of it":                         {0.5, at(0, 5, 45), at(0, 35, 35), 0},
		"twice as fast":                      {2, at(0, 5, 15), at(0, 5, 5), 0},
		"a step that takes just its time":    {1, at(0, 20, 40), at(0, 0, 0), 0},
		"a slow step, and no burst after it": {1, at(0, 70, 75, 95), at(0, 0, 15, 15), 1},
		"steps that are all too slow":        {1, at(0, 21, 42), at(0, 0, 0), 2},
		"a beginning that was late":          {1, at(0, 5, 38), at(0, 15, 2), 0},
		"as slow as it goes":                 {1e-300, at(0, 0), []time.Duration{0, slowest}, 0},
	} {
		p := pace{rate: c.rate}
		for run := range 2 { // a run knows nothing of the one before
			p.begin(20 * time.Millisecond)
			for i, end := range c.ends {
				if got := p.wait(time.Duration(run)*time.Hour + end); got != c.waits[i] {
					t.Errorf("%s: after step %d the next one waits %v, want %v", name, i, got, c.waits[i])
				}
			}
			if p.overruns != c.overruns {
				t.Errorf("%s: %d overruns, want %d", name, p.overruns, c.overruns)
			}
		}
	}
}

// TestL10ALoopKeepsItsRate: in real time, ten steps of 20 ms begin within 180 ms. Slow steps are counted and not made
// up.
func TestL10ALoopKeepsItsRate(t *testing.T) {
	in(t, ", rate: 1.0", func(w *world) {
		began := time.Now()
		w.start(10)
		if e := w.end(); e.Fault || e.Cycles != 10 || time.Since(began) != 180*time.Millisecond {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		w.simulator.does = once(13, stepper.StepSimulator, func(_ Call, answer func(Answer, error)) bool {
			time.AfterFunc(70*time.Millisecond, func() { answer(Answer{Answered: stepper.Answered{OK: true}}, nil) })
			return true
		})
		began = time.Now()
		w.start(5) // they begin at 0, 20, 40, 110 and 130 ms
		if e := w.end(); e.Fault || e.Cycles != 5 || time.Since(began) != 130*time.Millisecond {
			t.Errorf("with a slow step, after %v: %+v", time.Since(began), e)
		}
		if got := w.seen[len(w.seen)-1].Overruns; got != 1 {
			t.Errorf("it shows %d overruns, want 1", got)
		}
	})
}

// reads reports whether a reader may read before long.
func (w *world) reads() bool {
	return w.loop.conf.Gate.(*gate.Gate).Read(w.t.Context(), time.Second, func() {}) == nil
}

// TestL10NothingWaitsForTheRate: between two steps a stop ends the loop at once, a reader reads, no deadline runs, and
// no step begins after the end.
func TestL10NothingWaitsForTheRate(t *testing.T) {
	in(t, ", rate: 0.001", func(w *world) { // a step in 20 s
		w.start(0)
		time.Sleep(10 * time.Second)
		if got := w.went(); got != "1b simulator, 1b pilot, 1s simulator, 1c pilot, 1e simulator, 1e pilot" {
			t.Errorf("it called %s", got)
		}
		began := time.Now()
		if !w.reads() || time.Since(began) != 0 {
			t.Errorf("a reader waited %v", time.Since(began))
		}
		w.loop.Carry(engine.StopLoop{Run: 1, Want: stepper.Stop, Why: "stop began"})
		if e := w.end(); e.Fault || !e.ByUs || e.Cycles != 1 || time.Since(began) != 0 {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		time.Sleep(time.Minute)
		if got := w.went(); got != "" {
			t.Errorf("after the end it called %s", got)
		}
		if !w.reads() {
			t.Error("after the end no reader reads")
		}
	})
}
