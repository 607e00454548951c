package stepper

import (
	"strings"
	"testing"
	"time"
)

// called is a participant that is called in a phase.
func called(p Phase) int {
	if p == StepController {
		return ctl
	}
	return sim
}

// TestFaults: in each phase of the second cycle, a participant does something wrong. The loop ends
// at once, names it, and can start again where the cycle began.
func TestFaults(t *testing.T) {
	faults := []struct {
		name string
		do   func(i int, w *world)
		why  string // P and C stand for the participant and the phase of the cycle
		late uint64 // the answer to the open call comes later, and is counted
	}{
		{"hang", func(i int, w *world) {
			w.at += w.conf.Participants[i].Deadline
			w.send(Tick{})
		}, "P did not answer C within D", 1},
		{"die", func(i int, w *world) { w.send(Lost{i, "killed"}) }, "P is lost: killed", 1},
		{"die without a word", func(i int, w *world) { w.send(Lost{i, ""}) }, "P is lost", 1},
		{"respawn", func(i int, w *world) { w.send(Respawned{i}) }, "P was respawned", 1},
		{"err", func(i int, w *world) { errs(i, "out of memory")(w) }, "P failed in C: out of memory", 0},
		{"err and want to stop", func(i int, w *world) { w.answer(i, Answered{Want: Stop}) }, "P failed in C", 0},
		{"unknown want", func(i int, w *world) { says(i, 7)(w) }, "P answered C with the unknown want 7", 0},
	}
	for p := StepBegin; p <= StepEnd; p++ {
		for _, f := range faults {
			t.Run(p.String()+" "+f.name, func(t *testing.T) {
				w := play(t, two(), start(20*ms, 0), rest, after(5*ms), to(p))
				i := called(p)
				w.log = nil
				f.do(i, w)
				who := w.conf.Participants[i]
				why := strings.NewReplacer("P", who.Name, "C", p.String()+" of cycle 2", "D",
					who.Deadline.String()).Replace(f.why)
				w.check("failed: " + why + " (cycle 2, simulated time 20ms)")
				if e := w.end; w.Running() || e.Want != Fail || e.As != Fail || e.Participant != i || e.Cycles != 1 {
					t.Errorf("runs: %v, ended by %+v", w.Running(), e)
				}
				w.log = nil
				again(i)(w) // late, or once more
				late, other := w.Ignored(i)
				if late != f.late || late+other != 1 {
					t.Errorf("%d late and %d other answers were ignored, want %d late of 1", late, other, f.late)
				}
				w.send(Respawned{i})
				start(20*ms, 1)(w)
				rest(w)
				w.check(lines(cycle(2), "all cycles have run (cycle 2, simulated time 40ms)")...)
			})
		}
	}
}

// TestLateAndRepeatedAnswers: in each phase, an answer to another call changes nothing.
func TestLateAndRepeatedAnswers(t *testing.T) {
	for p := StepBegin; p <= StepEnd; p++ {
		t.Run(p.String(), func(t *testing.T) {
			i := called(p)
			w := play(t, two(), start(20*ms, 0), to(p), demand(Abort), start(20*ms, 0), to(p))
			before, missed := len(w.log), w.last[i].ID
			for _, call := range []uint64{0, missed - 1, missed + 1} {
				w.send(Answered{Participant: i, Call: call, Want: Abort})
			}
			other := 1 - i
			if _, open := w.Waiting(other); !open {
				again(other)(w) // its call of an earlier phase
			}
			if len(w.log) != before || !w.Running() {
				t.Errorf("the answers had the effects %v", w.log[before:])
			}
			call := w.last[i].ID
			ok(i)(w)
			before = len(w.log)
			for range 2 {
				w.send(Answered{Participant: i, Call: call, Want: Abort})
			}
			if len(w.log) != before || !w.Running() {
				t.Errorf("the repeated answers had the effects %v", w.log[before:])
			}
			if late, more := w.Ignored(i); late+more != 5 {
				t.Errorf("%d and %d answers were ignored, want 5", late, more)
			}
		})
	}
}

// TestALateAnswerIsCountedOnce: of two answers to the call that was open, the second is a repeat.
func TestALateAnswerIsCountedOnce(t *testing.T) {
	w := play(t, two(), start(20*ms, 0), demand(Abort), start(20*ms, 0))
	old := w.last[sim].ID - 2
	for range 2 {
		w.send(Answered{Participant: sim, Call: old, OK: true})
	}
	if late, other := w.Ignored(sim); late != 1 || other != 1 {
		t.Errorf("%d late and %d other answers, want 1 and 1", late, other)
	}
	if _, open := w.Waiting(sim); !open {
		t.Error("an old answer ended the open call")
	}
}

// TestAParticipantThatIsNotCalled: it is lost or respawned in a phase that does not call it.
func TestAParticipantThatIsNotCalled(t *testing.T) {
	tell(t, []story{
		{
			name: "lost",
			tell: []func(*world){start(20*ms, 0), to(StepController), input(Lost{sim, "killed"})},
			want: lines(cycle(1)[:3], "failed: /sim is lost: killed (cycle 1, simulated time 0s)"),
		},
		{
			name: "respawned",
			tell: []func(*world){start(20*ms, 0), to(StepSimulator), input(Respawned{ctl})},
			want: lines(cycle(1)[:2], "failed: /ctl was respawned (cycle 1, simulated time 0s)"),
		},
		{
			name: "something beside them breaks",
			tell: []func(*world){input(Broken{"no loop runs"}), start(20*ms, 0), input(Broken{"the disk is full"}),
				start(20*ms, 0)},
			want: lines(cycle(1)[:1], "failed: the disk is full (cycle 1, simulated time 0s)", cycle(1)[:1]),
		},
		{
			name: "lost while the loop runs, and not respawned",
			tell: []func(*world){start(20*ms, 0), input(Lost{sim, ""}), start(20*ms, 0)},
			want: lines(cycle(1)[:1], "failed: /sim is lost (cycle 1, simulated time 0s)", "refused: /sim is lost"),
		},
	})
}

// TestDeadlines: a deadline counts from the call, and the earliest one that has passed is named.
func TestDeadlines(t *testing.T) {
	tell(t, []story{
		{
			name: "just before",
			tell: []func(*world){start(20*ms, 0), after(100*ms - 1), input(Tick{})},
			want: cycle(1)[:1],
		},
		{
			name: "both hang",
			tell: []func(*world){start(20*ms, 0), after(time.Second), input(Tick{})},
			want: lines(cycle(1)[:1], "failed: /sim did not answer step_begin of cycle 1 within 100ms (cycle 1, simulated time 0s)"),
		},
		{
			name: "both hang, with the same deadline",
			conf: func(c *Config) { c.Participants[sim].Deadline = c.Participants[ctl].Deadline },
			tell: []func(*world){start(20*ms, 0), after(time.Second), input(Tick{})},
			want: lines(cycle(1)[:1], "failed: /sim did not answer step_begin of cycle 1 within 200ms (cycle 1, simulated time 0s)"),
		},
		{
			name: "an answer before the Tick counts, however late",
			tell: []func(*world){start(20*ms, 0), after(time.Second), ok(sim, ctl), input(Tick{})},
			want: cycle(1)[:2],
		},
		{
			name: "only the one that hangs",
			tell: []func(*world){start(20*ms, 0), ok(sim), after(150 * ms), input(Tick{}), after(50 * ms),
				input(Tick{})},
			want: lines(cycle(1)[:1], "failed: /ctl did not answer step_begin of cycle 1 within 200ms (cycle 1, simulated time 0s)"),
		},
	})
}
