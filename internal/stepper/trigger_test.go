package stepper

import "testing"

func set(id, cycles uint64, want Want) func(*world) {
	return input(TriggerSet{Trigger{ID: id, Cycles: cycles, Want: want}})
}

func TestL9Triggers(t *testing.T) {
	tell(t, []story{
		{
			name: "after cycles",
			tell: []func(*world){set(1, 2, Stop), start(20*ms, 0), rest, rest},
			want: lines(cycle(1), cycle(2), "stopped: trigger 1 (cycle 2, simulated time 40ms)"),
		},
		{
			name: "after cycles, set in the first",
			tell: []func(*world){start(20*ms, 0), to(StepController), set(1, 1, Pause), rest},
			want: lines(cycle(1), "paused: trigger 1 (cycle 1, simulated time 20ms)"),
		},
		{
			name: "at a time, which lies within a cycle",
			tell: []func(*world){input(TriggerSet{Trigger{ID: 7, At: 21 * ms, Want: Fail, Why: "too long"}}),
				start(20*ms, 0), rest, rest},
			want: lines(cycle(1), cycle(2), "failed: trigger 7: too long (cycle 2, simulated time 40ms)"),
		},
		{
			name: "at a time at which a cycle ends",
			tell: []func(*world){input(TriggerSet{Trigger{ID: 7, At: 20 * ms, Want: Stop}}), start(20*ms, 0), rest},
			want: lines(cycle(1), "stopped: trigger 7 (cycle 1, simulated time 20ms)"),
		},
		{
			name: "both conditions",
			tell: []func(*world){input(TriggerSet{Trigger{ID: 7, Cycles: 1, At: 40 * ms, Want: Stop}}), start(20*ms, 0),
				rest, rest},
			want: lines(cycle(1), cycle(2), "stopped: trigger 7 (cycle 2, simulated time 40ms)"),
		},
		{
			name: "an abort waits for step_end too",
			tell: []func(*world){start(20*ms, 0), set(1, 0, Abort), rest},
			want: lines(cycle(1), "aborted: trigger 1 (cycle 1, simulated time 20ms)"),
		},
		{
			name: "the strongest of those that are due; both have acted",
			tell: []func(*world){set(1, 1, Pause), set(2, 1, Stop), start(20*ms, 0), rest, start(20*ms, 0), rest},
			want: lines(cycle(1), "stopped: trigger 2 (cycle 1, simulated time 20ms)", cycle(2), cycle(3)[:1]),
		},
		{
			name: "weaker than a participant",
			tell: []func(*world){set(1, 1, Pause), start(20*ms, 0), says(ctl, Reset), rest},
			want: lines(cycle(1)[:4], "clock 0s",
				"reset: /ctl wants reset in step_begin of cycle 1 (cycle 1, simulated time 20ms)"),
		},
		{
			name: "it acts once, and one that is not due stays, also after a reset",
			tell: []func(*world){set(1, 1, Reset), set(2, 3, Stop), start(20*ms, 0), rest, start(20*ms, 0), rest, rest},
			want: lines(cycle(1)[:4], "clock 0s", "reset: trigger 1 (cycle 1, simulated time 20ms)",
				back, cycle(1), cycle(2), "stopped: trigger 2 (cycle 2, simulated time 40ms)"),
		},
		{
			name: "a reset arms it anew, and it counts from there",
			tell: []func(*world){
				input(TriggerSet{Trigger{ID: 1, Cycles: 2, Want: Pause, Anew: true}}), start(20*ms, 0), rest, rest,
				start(20*ms, 1), rest,
				demand(Reset), start(20*ms, 0), rest, rest,
			},
			want: lines(cycle(1), cycle(2), "paused: trigger 1 (cycle 2, simulated time 40ms)", cycle(3),
				"all cycles have run (cycle 3, simulated time 60ms)",
				"clock 0s", back, cycle(1), cycle(2), "paused: trigger 1 (cycle 2, simulated time 40ms)"),
		},
		{
			name: "one that waits counts from the reset, too",
			tell: []func(*world){
				input(TriggerSet{Trigger{ID: 1, Cycles: 2, Want: Pause, Anew: true}}), start(20*ms, 1), rest,
				demand(Reset), start(20*ms, 0), rest, rest,
			},
			want: lines(cycle(1), "all cycles have run (cycle 1, simulated time 20ms)", "clock 0s", back, cycle(1),
				cycle(2),
				"paused: trigger 1 (cycle 2, simulated time 40ms)"),
		},
		{
			name: "it stays when the loop ends before",
			tell: []func(*world){start(20*ms, 0), set(1, 0, Stop), demand(Abort), start(20*ms, 0), rest},
			want: lines(cycle(1)[:1], "aborted (cycle 1, simulated time 0s)", cycle(1),
				"stopped: trigger 1 (cycle 1, simulated time 20ms)"),
		},
		{
			name: "replaced and cleared",
			tell: []func(*world){start(20*ms, 0), set(1, 1, Stop), set(1, 2, Pause), set(2, 1, Stop),
				input(TriggerCleared{2}), input(TriggerCleared{3}), rest, rest},
			want: lines(cycle(1), cycle(2), "paused: trigger 1 (cycle 2, simulated time 40ms)"),
		},
		{
			name: "more cycles than can be counted",
			tell: []func(*world){start(20*ms, 0), rest, set(1, ^uint64(0), Stop), rest},
			want: lines(cycle(1), cycle(2), cycle(3)[:1]),
		},
		{
			name: "refused",
			tell: []func(*world){set(0, 1, Stop), set(1, 1, None), set(1, 1, 7)},
			want: []string{"refused: a trigger needs an id above 0", "refused: trigger 1 does nothing: none",
				"refused: trigger 1 does nothing: want 7"},
		},
	})
}

func TestTheNumberOfTriggersIsBounded(t *testing.T) {
	w := play(t, two())
	for id := range uint64(MaxTriggers) {
		set(id+1, 1, Pause)(w)
	}
	set(MaxTriggers, 1, Stop)(w) // replaces one
	w.check()
	set(MaxTriggers+1, 1, Abort)(w)
	w.check("refused: 64 triggers are set already")
	start(20*ms, 0)(w)
	rest(w)
	if w.end.Trigger != MaxTriggers || w.Triggers() != 0 {
		t.Errorf("ended by trigger %d, %d are left", w.end.Trigger, w.Triggers())
	}
}
