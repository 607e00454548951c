package looper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rstate/internal/engine"
	"rstate/internal/recording"
	"rstate/internal/stepper"
	"rstate/internal/tally"
)

// tape notes its calls.
type tape struct {
	mu    sync.Mutex
	lines []string
	named []string // topics that are kept; nil: all
	why   string   // a run cannot begin
	late  int      // so many looks at the match fail
	full  bool
	then  func()
}

func (p *tape) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

func (p *tape) Open(_ context.Context, published []tally.Topic) error {
	if p.why != "" {
		return errors.New(p.why)
	}
	for _, t := range published {
		p.note("open %s %s", t.Name, strings.Join(t.Publishers, " "))
	}
	return nil
}

func (p *tape) Matched() error {
	if p.late--; p.late >= 0 {
		return errors.New("rstate has not found /pilot on /force yet")
	}
	return nil
}

func (p *tape) Begin(_ context.Context, first, zero bool) error {
	p.note("begin first %v, zero %v", first, zero)
	return nil
}

func (p *tape) Keeps(topic string) bool { return p.named == nil || slices.Contains(p.named, topic) }

func (p *tape) Step(s recording.Step) {
	var said []string
	for _, c := range s.Said {
		said = append(said, fmt.Sprintf("%s%s %d", c.Node, c.Topic, c.N))
	}
	p.note("%d at %v of %v: %s", s.Number, s.Now, s.DT, strings.Join(said, ", "))
}

func (p *tape) Room(then func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.then = then
	return !p.full
}

func (p *tape) Files() []string { return []string{"/run.mcap"} }

// told returns the calls since the last time.
func (p *tape) told() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.lines
	p.lines = nil
	return lines
}

// taped runs a test with a loop whose participants count, and that is recorded.
func taped(t *testing.T, test func(w *world, p *tape)) {
	t.Helper()
	in(t, "", func(w *world) {
		talk(w)
		p := &tape{}
		w.loop.conf.Tape, w.loop.conf.Name = p, "/rstate"
		test(w, p)
	})
}

var opening = []string{"open /force /pilot", "open /scan /simulator"}

// TestL13AStepIsToldInOrder: by phase, then by participant, then by topic, whichever participant answers first; and
// what only the recorder receives.
func TestL13AStepIsToldInOrder(t *testing.T) {
	for _, slow := range []string{"", "simulator", "pilot"} {
		taped(t, func(w *world, p *tape) {
			w.simulator.data.topics = append(w.simulator.data.topics,
				tally.Topic{Name: "/alone", Type: "a/msg/B", Publishers: []string{"/simulator"}})
			for _, part := range []*part{w.simulator, w.pilot} {
				part.does = func(c Call, answer func(Answer, error)) bool {
					if part.name != slow {
						return false
					}
					a := part.data.answer(c)
					slices.Reverse(a.Sent)
					time.AfterFunc(time.Millisecond, func() { answer(a, nil) })
					return true
				}
			}
			w.start(2)
			w.end()
			want := []string{
				"open /alone /simulator", opening[0], opening[1], "begin first true, zero true",
				"1 at 0s of 20ms: /simulator/alone 1, /simulator/scan 1, /pilot/force 1, /simulator/alone 2, /simulator/scan 2, /pilot/force 2, /simulator/alone 3, /simulator/scan 3, /pilot/force 3",
				"2 at 20ms of 20ms: /simulator/alone 4, /simulator/scan 4, /pilot/force 4, /simulator/alone 5, /simulator/scan 5, /pilot/force 5, /simulator/alone 6, /simulator/scan 6, /pilot/force 6",
			}
			if got := p.told(); !slices.Equal(got, want) {
				t.Errorf("%q is slow: the tape was told\n%s\nwant\n%s", slow, strings.Join(got, "\n"),
					strings.Join(want, "\n"))
			}
			if v := w.seen[len(w.seen)-1]; !slices.Equal(v.Recordings, []string{"/run.mcap"}) {
				t.Errorf("the recordings are %q", v.Recordings)
			}
		})
	}
}

// TestL13AnInterruptedStepIsToldOnce: when it has run again.
func TestL13AnInterruptedStepIsToldOnce(t *testing.T) {
	taped(t, func(w *world, p *tape) {
		p.named = []string{"/force"}
		w.start(1)
		w.end()
		p.told()
		w.simulator.does = once(2, stepper.StepEnd, func(_ Call, answer func(Answer, error)) bool {
			answer(Answer{Counts: true}, nil)
			return true
		})
		w.start(1)
		w.end()
		w.start(1)
		w.end()
		want := slices.Concat(opening, []string{"begin first false, zero false"}, opening,
			[]string{"begin first false, zero true",
				"2 at 20ms of 20ms: /pilot/force 1, /pilot/force 2, /pilot/force 3"})
		if got := p.told(); !slices.Equal(got, want) {
			t.Errorf("the tape was told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestL13AResetIsTold: in a pause, and by a participant at the end of a step, which counts. What is published in the
// phase reset comes before the step.
func TestL13AResetIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(w *world)
		last    string // the last call before the reset
	}{
		"in a pause": {func(w *world) { w.loop.Carry(engine.ResetLoop{}) }, ""},
		"at the end of a step": {func(w *world) {
			w.pilot.does = once(2, stepper.StepEnd, func(c Call, answer func(Answer, error)) bool {
				a := w.pilot.data.answer(c)
				a.Want = stepper.Reset
				answer(a, nil)
				return true
			})
			w.start(0)
			w.end()
		}, "2 at 20ms of 20ms: /pilot/force 4, /pilot/force 5, /pilot/force 6"},
	} {
		t.Run(name, func(t *testing.T) {
			taped(t, func(w *world, p *tape) {
				p.named = []string{"/force"}
				w.start(1)
				w.end()
				p.told()
				c.happens(w)
				synctest.Wait()
				if got := p.told(); c.last != "" && (len(got) == 0 || got[len(got)-1] != c.last) {
					t.Errorf("before the reset the tape was told %q, want last %q", got, c.last)
				}
				w.start(1)
				w.end()
				want := slices.Concat(opening,
					[]string{"begin first true, zero true",
						"1 at 0s of 20ms: /pilot/force 1, /pilot/force 2, /pilot/force 3, /pilot/force 4"})
				if got := p.told(); !slices.Equal(got, want) {
					t.Errorf("the tape was told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		})
	}
}

// TestL13ARunDoesNotBeginUnrecorded: the reason ends it, and what takes long is waited for.
func TestL13ARunDoesNotBeginUnrecorded(t *testing.T) {
	for name, c := range map[string]struct {
		does func(w *world, p *tape)
		why  string
	}{
		"it cannot":       {func(_ *world, p *tape) { p.why = "cannot record /angel" }, "cannot record /angel"},
		"none counts":     {func(w *world, p *tape) { p.why = "nothing"; w.simulator.data.topics, w.pilot.data.topics = nil, nil }, "nothing"},
		"not matched yet": {func(_ *world, p *tape) { p.late = 5 }, ""},
		"it never matches": {func(_ *world, p *tape) { p.late = 1e6 },
			"the recording is not in lockstep: rstate has not found /pilot on /force yet"},
	} {
		t.Run(name, func(t *testing.T) {
			taped(t, func(w *world, p *tape) {
				c.does(w, p)
				w.start(1)
				if e := w.end(); e.Fault != (c.why != "") || e.Why != c.why {
					t.Errorf("the run ends with fault %v, %q, want %q", e.Fault, e.Why, c.why)
				}
			})
		})
	}
}

// TestL13AStepWaitsForRoom: no deadline runs meanwhile, and a stop acts at once.
func TestL13AStepWaitsForRoom(t *testing.T) {
	taped(t, func(w *world, p *tape) {
		p.full = true
		w.start(1)
		time.Sleep(time.Minute)
		if got := w.went(); got != "" {
			t.Errorf("it called %s without room", got)
		}
		p.mu.Lock()
		p.full = false
		then := p.then
		p.mu.Unlock()
		then()
		if e := w.end(); e.Fault || e.Cycles != 1 {
			t.Errorf("the run ended as %+v", e)
		}
		p.mu.Lock()
		p.full = true
		p.mu.Unlock()
		w.start(1)
		synctest.Wait()
		w.loop.Carry(engine.StopLoop{Run: w.runs, Want: stepper.Stop})
		if e := w.end(); !e.ByUs || e.Cycles != 0 {
			t.Errorf("the run ended as %+v", e)
		}
		w.went()
		then() // too late
		if got := w.went(); got != "" {
			t.Errorf("it called %s after the end", got)
		}
	})
}

// TestL13ARecordingThatEndsStopsTheLoop: with its reason, also while a step waits for room.
func TestL13ARecordingThatEndsStopsTheLoop(t *testing.T) {
	for _, full := range []bool{false, true} {
		taped(t, func(w *world, p *tape) {
			p.full = full
			w.pilot.does = func(Call, func(Answer, error)) bool { return true } // it does not answer yet
			w.start(1)
			synctest.Wait()
			w.loop.Broken("the disk is full")
			if e := w.end(); !e.Fault || e.Node != -1 || e.Why != "the disk is full" {
				t.Errorf("the run ended as %+v", e)
			}
			w.loop.Broken("no run")
			synctest.Wait()
		})
	}
}
