package stepper

import (
	"fmt"
	"strings"
	"testing"
)

var every = []Want{Pause, Reset, Succeed, Stop, Fail, Abort} // the weakest first

var ending = map[Want]string{Pause: "paused", Reset: "reset", Succeed: "succeeded", Stop: "stopped", Fail: "failed",
	Abort: "aborted"}

// TestEachWantInEachPhase: abort ends the loop at once, everything else after step_end.
func TestEachWantInEachPhase(t *testing.T) {
	for p := StepBegin; p <= StepEnd; p++ {
		for _, want := range every {
			for who, ask := range map[int]func(*world){-1: demand(want), called(p): says(called(p), want)} {
				t.Run(fmt.Sprintf("%v %v by %d", p, want, who), func(t *testing.T) {
					w := play(t, two(), start(20*ms, 0), rest, to(p))
					w.log = nil
					ask(w)
					if want == Abort {
						w.checkEnd(want, who, 1)
						return
					}
					if !w.Running() || len(w.log) > 1 {
						t.Fatalf("it does not go on: %v", w.log)
					}
					rest(w)
					w.checkEnd(want, who, 2)
				})
			}
		}
	}
}

// checkEnd compares the end of the loop, in its second cycle.
func (w *world) checkEnd(want Want, who int, cycles uint64) {
	w.t.Helper()
	e := w.end
	if e == nil || w.Running() {
		w.t.Fatalf("the loop did not end: %v", w.log)
	}
	if e.Want != want || e.Participant != who || e.Cycles != cycles || e.Cycle != 2 ||
		!strings.HasPrefix(e.String(), ending[want]) {
		w.t.Errorf("ended as %+v (%v)", *e, e)
	}
}

// TestL5TheStrongestWantCounts: two wants in one cycle, in both orders.
func TestL5TheStrongestWantCounts(t *testing.T) {
	for a, weak := range every[:5] {
		for _, strong := range every[a+1 : 5] {
			w := play(t, two(), start(20*ms, 0), rest, says(sim, weak), says(ctl, strong), rest)
			w.checkEnd(strong, ctl, 2)
			w = play(t, two(), start(20*ms, 0), rest, says(sim, strong), says(ctl, weak), rest)
			w.checkEnd(strong, sim, 2)
		}
		w := play(t, two(), start(20*ms, 0), rest, says(sim, weak), says(ctl, weak), rest)
		w.checkEnd(weak, sim, 2)
		w = play(t, two(), start(20*ms, 0), rest, says(sim, weak), says(ctl, Abort))
		w.checkEnd(Abort, ctl, 1)
	}
}

// TestL5AWantThatIsOvertaken: the caller ends the loop at once, or does not act on its end. What participants and
// triggers
// wanted ends the next run.
func TestL5AWantThatIsOvertaken(t *testing.T) {
	from := func(more ...func(*world)) []func(*world) {
		return append([]func(*world){start(20*ms, 0), rest}, more...)
	}
	overtaken := input(Overtaken{})
	for _, c := range []struct {
		name   string
		before []func(*world)
		asks   bool
		then   []func(*world)
		end    string // empty: the next run goes on
	}{
		{name: "in a step", before: from(says(sim, Fail), demand(Abort)), then: []func(*world){rest},
			end: "failed: /sim wants fail in step_begin of cycle 2 (cycle 2, simulated time 40ms)"},
		{name: "in a step, and a stronger one when it runs again", before: from(says(sim, Succeed), demand(Abort)),
			then: []func(*world){says(sim, Fail), rest},
			end:  "failed: /sim wants fail in step_begin of cycle 2 (cycle 2, simulated time 40ms)"},
		{name: "at the end of a step", before: from(says(sim, Stop), rest, overtaken),
			end: "stopped: /sim wants stop in step_begin of cycle 2 (cycle 2, simulated time 40ms)"},
		{name: "a trigger", before: from(set(1, 1, Succeed), rest, overtaken),
			end: "succeeded: trigger 1 (cycle 2, simulated time 40ms)"},
		{name: "twice", before: from(set(1, 1, Succeed), rest, overtaken, start(20*ms, 0), overtaken),
			end: "succeeded: trigger 1 (cycle 2, simulated time 40ms)"},
		{name: "an abort", before: from(says(sim, Abort), overtaken),
			end: "aborted: /sim wants abort in step_begin of cycle 2 (cycle 2, simulated time 20ms)"},
		{name: "the weaker of two, as the caller knows of its own",
			before: from(set(1, 1, Succeed), demand(Stop), rest, overtaken),
			end:    "succeeded: trigger 1 (cycle 2, simulated time 40ms)"},
		{name: "a caller that wants something weaker then", asks: true,
			before: []func(*world){start(20*ms, 0), begin, rest, begin, says(sim, Fail), demand(Abort)},
			then:   []func(*world){demand(Pause)},
			end:    "failed: /sim wants fail in step_begin of cycle 2 (cycle 2, simulated time 20ms)"},
		{name: "of the caller", before: from(demand(Stop), rest, overtaken)},
		{name: "a pause", before: from(says(sim, Pause), rest, overtaken)},
		{name: "before a reset", before: from(says(sim, Stop), rest, overtaken, demand(Reset))},
		{name: "an end on which the caller has acted", before: from(says(sim, Stop), rest)},
		{name: "one on which it has acted, and a run that is overtaken",
			before: from(says(sim, Stop), rest, start(20*ms, 0), demand(Abort))},
		{name: "a fault", before: from(errs(sim, "no fuel"), overtaken)},
		{name: "a loop that runs", before: from(says(sim, Stop), overtaken, rest)},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := two()
			conf.Asks = c.asks
			w := play(t, conf, c.before...)
			w.end = nil
			play := append([]func(*world){start(20*ms, 0)}, c.then...)
			for _, do := range play {
				do(w)
			}
			switch {
			case c.end == "" && !w.Running():
				t.Errorf("the next run ended: %v", w.end)
			case c.end != "" && (w.end == nil || w.end.String() != c.end):
				t.Errorf("the next run ended as %v, want %s; the log is\n%s", w.end, c.end, strings.Join(w.log, "\n"))
			}
		})
	}
}

func TestWhyTheLoopEnds(t *testing.T) {
	tell(t, []story{
		{
			name: "a participant",
			tell: []func(*world){start(20*ms, 0), to(StepSimulator), func(w *world) {
				w.answer(sim, Answered{OK: true, Want: Stop, Message: "the scenario is over"})
			}, rest},
			want: lines(cycle(1), "stopped: /sim wants stop in step_simulator of cycle 1: the scenario is over (cycle 1, simulated time 20ms)"),
		},
		{
			name: "an abort that fails too",
			tell: []func(*world){start(20*ms, 0), func(w *world) { w.answer(ctl, Answered{Want: Abort}) }},
			want: lines(cycle(1)[:1], "aborted: /ctl wants abort in step_begin of cycle 1 (cycle 1, simulated time 0s)"),
		},
		{
			name: "the caller",
			tell: []func(*world){start(20*ms, 0), input(Wanted{Stop, "Ctrl-C"}), input(Wanted{9, "unknown"}), rest},
			want: lines(cycle(1), "stopped: Ctrl-C (cycle 1, simulated time 20ms)"),
		},
	})
}

// TestNearest: what a machine does for a want that it has no command for.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name string
		has  Wants
		want map[Want]Want
	}{
		{"all", all, map[Want]Want{None: None, Succeed: Succeed, Stop: Stop, Reset: Reset, Abort: Abort, Pause: Pause,
			Fail: Fail}},
		{"none", 0, map[Want]Want{None: None, Succeed: Stop, Stop: Stop, Reset: Stop, Abort: Stop, Pause: Stop,
			Fail: Stop}},
		{"cle", WantsOf(Stop, Reset), map[Want]Want{None: None, Stop: Stop, Reset: Reset, Abort: Stop, Pause: Stop,
			Fail: Stop}},
		{"roscle", WantsOf(Stop, Reset, Pause),
			map[Want]Want{None: None, Stop: Stop, Reset: Reset, Abort: Stop, Pause: Pause, Fail: Stop}},
		{"cloe", WantsOf(Stop, Reset, Pause, Abort),
			map[Want]Want{None: None, Stop: Stop, Reset: Reset, Abort: Abort, Pause: Pause, Fail: Abort}},
		{"nrp", WantsOf(Stop, Reset, Pause, Fail),
			map[Want]Want{None: None, Stop: Stop, Reset: Reset, Abort: Fail, Pause: Pause, Fail: Fail}},
	} {
		for want, as := range c.want {
			if got := c.has.Nearest(want); got != as {
				t.Errorf("%s: %v becomes %v, want %v", c.name, want, got, as)
			}
		}
	}
}

// TestAMachineThatCanOnlyStop: an abort ends the loop at once even there, and stays known as one.
func TestAMachineThatCanOnlyStop(t *testing.T) {
	conf := two()
	conf.Has = WantsOf(Stop)
	w := play(t, conf, start(20*ms, 0), rest, says(ctl, Abort))
	w.checkEnd(Abort, ctl, 1)
	if w.end.As != Stop {
		t.Errorf("the machine does %v", w.end.As)
	}
}

func TestWords(t *testing.T) {
	if got := fmt.Sprint(None, Stop, Reset, Abort, Pause, Fail, Succeed, Want(7), StepBegin, StepSimulator,
		StepController, StepEnd, Resetting, Phase(5)); got !=
		"none stop reset abort pause fail succeed want 7 step_begin step_simulator step_controller step_end reset phase 5" {
		t.Error(got)
	}
}
