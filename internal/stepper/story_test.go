package stepper

import (
	"fmt"
	"testing"
	"time"
)

type story struct {
	name string
	conf func(*Config)
	tell []func(*world)
	want []string
}

func tell(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			conf := two()
			if s.conf != nil {
				s.conf(&conf)
			}
			play(t, conf, s.tell...).check(s.want...)
		})
	}
}

// cycle is the log of a whole cycle of two participants with a dt of 20 ms.
func cycle(n int) []string {
	at := time.Duration(n-1) * 20 * ms
	return []string{
		fmt.Sprintf("step_begin %d @%v: /sim /ctl", n, at), fmt.Sprintf("step_simulator %d @%v: /sim", n, at),
		fmt.Sprintf("step_controller %d @%v: /ctl", n, at), fmt.Sprintf("step_end %d @%v: /sim /ctl", n, at),
		fmt.Sprintf("clock %v", at+20*ms),
	}
}

func lines(parts ...any) []string {
	var list []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			list = append(list, p)
		case []string:
			list = append(list, p...)
		}
	}
	return list
}

func TestL1ACycle(t *testing.T) {
	tell(t, []story{
		{
			name: "one step",
			tell: []func(*world){start(20*ms, 1), ok(sim, ctl, sim, ctl, ctl, sim)},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)"),
		},
		{
			name: "three steps",
			tell: []func(*world){start(20*ms, 3), rest, rest, rest},
			want: lines(cycle(1), cycle(2), cycle(3), "all cycles have run (cycle 3, simulated time 60ms)"),
		},
		{
			name: "the controller waits for the simulator, and step_end for the controller",
			tell: []func(*world){start(20*ms, 0), ok(ctl, sim)},
			want: cycle(1)[:2],
		},
		{
			name: "a phase without participants ends at once",
			conf: func(c *Config) { c.Participants = c.Participants[:1] },
			tell: []func(*world){start(20*ms, 1), ok(sim, sim, sim)},
			want: []string{
				"step_begin 1 @0s: /sim", "step_simulator 1 @0s: /sim", "step_controller", "step_end 1 @0s: /sim",
				"clock 20ms",
				"all cycles have run (cycle 1, simulated time 20ms)",
			},
		},
		{
			name: "side by side",
			conf: func(c *Config) { c.Participants = append(c.Participants, Participant{"/sim2", Simulator, ms}) },
			tell: []func(*world){start(20*ms, 0), ok(2, ctl, sim, 2)},
			want: []string{"step_begin 1 @0s: /sim /ctl /sim2", "step_simulator 1 @0s: /sim /sim2"},
		},
	})
}

func TestAStartThatIsRefused(t *testing.T) {
	tell(t, []story{
		{
			name: "it runs already",
			tell: []func(*world){start(20*ms, 0), start(30*ms, 1), rest},
			want: lines(cycle(1)[:1], "refused: the loop runs already", cycle(1)[1:], cycle(2)[:1]),
		},
		{
			name: "no participants",
			conf: func(c *Config) { c.Participants = nil },
			tell: []func(*world){start(20*ms, 0)},
			want: lines("refused: the loop has no participants"),
		},
		{
			name: "dt",
			tell: []func(*world){start(0, 0), start(-1, 0), start(20*ms, 0)},
			want: lines("refused: dt must be above 0, and is 0s", "refused: dt must be above 0, and is -1ns",
				cycle(1)[:1]),
		},
		{
			name: "a lost participant, until it is respawned",
			tell: []func(*world){input(Lost{ctl, "gone"}), start(20*ms, 0), input(Respawned{ctl}), start(20*ms, 0)},
			want: lines("refused: /ctl is lost", cycle(1)[:1]),
		},
		{
			name: "the end of simulated time",
			tell: []func(*world){start(Latest, 1), rest, start(1, 1)},
			want: []string{
				"step_begin 1 @0s: /sim /ctl", "step_simulator 1 @0s: /sim", "step_controller 1 @0s: /ctl",
				"step_end 1 @0s: /sim /ctl",
				"clock 596523h14m7s", "all cycles have run (cycle 1, simulated time 596523h14m7s)",
				"refused: simulated time ends at 596523h14m7s, and is 596523h14m7s",
			},
		},
		{
			name: "a cycle beyond the end of simulated time",
			tell: []func(*world){start(Latest-1, 0), rest},
			want: []string{
				"step_begin 1 @0s: /sim /ctl", "step_simulator 1 @0s: /sim", "step_controller 1 @0s: /ctl",
				"step_end 1 @0s: /sim /ctl",
				"clock 596523h14m6.999999999s",
				"failed: simulated time ends at 596523h14m7s (cycle 1, simulated time 596523h14m6.999999999s)",
			},
		},
	})
}

func TestPauseAndResume(t *testing.T) {
	tell(t, []story{
		{
			name: "a resume goes on",
			tell: []func(*world){start(20*ms, 0), rest, demand(Pause), rest, start(20*ms, 0), rest},
			want: lines(cycle(1), cycle(2), "paused (cycle 2, simulated time 40ms)", cycle(3), cycle(4)[:1]),
		},
		{
			name: "a pause that is asked for at rest does nothing",
			tell: []func(*world){demand(Pause), demand(Stop), demand(Fail), demand(Abort), start(20*ms, 0), rest},
			want: lines(cycle(1), cycle(2)[:1]),
		},
		{
			name: "wants do not outlive the loop",
			tell: []func(*world){start(20*ms, 0), demand(Stop), demand(Abort), start(20*ms, 0), rest},
			want: lines(cycle(1)[:1], "aborted (cycle 1, simulated time 0s)", cycle(1), cycle(2)[:1]),
		},
		{
			name: "a stop that the caller kept while paused",
			tell: []func(*world){start(20*ms, 0), demand(Pause), rest, start(20*ms, 0), demand(Stop), rest},
			want: lines(cycle(1), "paused (cycle 1, simulated time 20ms)", cycle(2),
				"stopped (cycle 2, simulated time 40ms)"),
		},
		{
			name: "steps one by one",
			tell: []func(*world){start(20*ms, 1), rest, start(20*ms, 1), rest},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)", cycle(2),
				"all cycles have run (cycle 2, simulated time 40ms)"),
		},
		{
			name: "the count begins anew with each start",
			tell: []func(*world){start(20*ms, 2), demand(Pause), rest, start(20*ms, 2), rest, rest},
			want: lines(cycle(1), "paused (cycle 1, simulated time 20ms)", cycle(2), cycle(3),
				"all cycles have run (cycle 3, simulated time 60ms)"),
		},
		{
			name: "a pause in the last cycle is a pause",
			tell: []func(*world){start(20*ms, 1), demand(Pause), rest},
			want: lines(cycle(1), "paused (cycle 1, simulated time 20ms)"),
		},
		{
			name: "a cycle that was interrupted runs again",
			tell: []func(*world){start(20*ms, 0), rest, to(StepController), demand(Abort), start(20*ms, 1), rest},
			want: lines(cycle(1), cycle(2)[:3], "aborted (cycle 2, simulated time 20ms)", cycle(2),
				"all cycles have run (cycle 2, simulated time 40ms)"),
		},
	})
}

// back is how participants hear of a reset.
const back = "reset 1 @0s: /sim /ctl"

// The first cycle after a reset begins with the phase reset.
func TestL9Reset(t *testing.T) {
	tell(t, []story{
		{
			name: "of a loop that runs",
			tell: []func(*world){start(20*ms, 0), rest, to(StepController), demand(Reset), rest, start(20*ms, 1), rest},
			want: lines(cycle(1), cycle(2)[:4], "clock 0s", "reset (cycle 2, simulated time 40ms)",
				back, cycle(1), "all cycles have run (cycle 1, simulated time 20ms)"),
		},
		{
			name: "at rest",
			tell: []func(*world){start(20*ms, 1), rest, demand(Reset), start(20*ms, 0)},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)", "clock 0s", back),
		},
		{
			name: "before the first cycle: there is nothing to go back from",
			tell: []func(*world){demand(Reset), start(20*ms, 0)},
			want: lines("clock 0s", cycle(1)[:1]),
		},
		{
			name: "a participant fails in it, and hears of it again",
			tell: []func(*world){start(20*ms, 1), rest, demand(Reset), start(20*ms, 0), errs(ctl, "no scene"),
				start(20*ms, 1), rest},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)", "clock 0s", back,
				"failed: /ctl failed in reset of cycle 1: no scene (cycle 1, simulated time 0s)", back, cycle(1),
				"all cycles have run (cycle 1, simulated time 20ms)"),
		},
		{
			name: "a participant that wants to stop in it runs the first cycle",
			tell: []func(*world){start(20*ms, 1), rest, demand(Reset), start(20*ms, 0), says(sim, Stop), rest},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)", "clock 0s", back, cycle(1),
				"stopped: /sim wants stop in reset of cycle 1 (cycle 1, simulated time 20ms)"),
		},
		{
			name: "a participant that does not answer",
			tell: []func(*world){start(20*ms, 1), rest, demand(Reset), start(20*ms, 0), ok(ctl), after(100 * ms),
				input(Tick{})},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)", "clock 0s", back,
				"failed: /sim did not answer reset of cycle 1 within 100ms (cycle 1, simulated time 0s)"),
		},
		{
			name: "of a machine that can only stop",
			conf: func(c *Config) { c.Has = WantsOf(Stop) },
			tell: []func(*world){start(20*ms, 0), demand(Reset), rest, start(20*ms, 0)},
			want: lines(cycle(1), "reset (cycle 1, simulated time 20ms)", cycle(2)[:1]),
		},
	})
}

// TestSimulatedTime: a change of dt counts from then on.
func TestSimulatedTime(t *testing.T) {
	w := play(t, two(), start(20*ms, 3), rest, rest, rest, start(7, 2), rest, rest, start(7, 1), rest)
	if want := 60*ms + 3*7; w.Now() != want || w.Cycle() != 6 || w.DT() != 7 || w.Cycles() != 6 {
		t.Errorf("it is %v in cycle %d of %d with dt %v; want %v", w.Now(), w.Cycle(), w.Cycles(), w.DT(), want)
	}
	demand(Reset)(w)
	if w.Now() != 0 || w.Cycle() != 0 || w.Cycles() != 6 {
		t.Errorf("after a reset it is %v in cycle %d of %d", w.Now(), w.Cycle(), w.Cycles())
	}
}

// TestWakeUps: the loop asks for a Tick at the earliest deadline, and does not ask again while one
// is due.
func TestWakeUps(t *testing.T) {
	w := play(t, two(), start(20*ms, 0), rest, rest, after(60*ms), rest)
	if len(w.wake) != 1 || w.wake[0] != 100*ms {
		t.Errorf("asked for %v, want 100ms", w.wake)
	}
	after(40 * ms)(w)
	w.send(Tick{})
	if len(w.wake) != 2 || w.wake[1] != 160*ms {
		t.Errorf("asked for %v, want 100ms and 160ms", w.wake)
	}
	to(StepController)(w)
	after(60 * ms)(w)
	w.send(Tick{}) // the call to /sim that had this deadline is answered
	if len(w.wake) != 3 || w.wake[2] != 300*ms || !w.Running() {
		t.Errorf("asked for %v, want 300ms too", w.wake)
	}
	w.send(Tick{})
	demand(Abort)(w)
	w.send(Tick{})
	if len(w.wake) != 3 {
		t.Errorf("asked for %v", w.wake)
	}
}

// TestWakeUpsOfAShorterDeadline: a later participant has the shorter deadline.
func TestWakeUpsOfAShorterDeadline(t *testing.T) {
	conf := two()
	conf.Participants[ctl].Deadline = 30 * ms
	w := play(t, conf, after(ms), start(20*ms, 0))
	if len(w.wake) != 1 || w.wake[0] != 31*ms {
		t.Errorf("asked for %v, want 31ms", w.wake)
	}
	after(30 * ms)(w)
	w.send(Tick{})
	w.check("step_begin 1 @0s: /sim /ctl",
		"failed: /ctl did not answer step_begin of cycle 1 within 30ms (cycle 1, simulated time 0s)")
}
