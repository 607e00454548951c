package looper

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rstate/internal/engine"
	"rstate/internal/gate"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// part is a participant that answers at once, unless does says otherwise.
type part struct {
	w    *world
	name string
	away bool // it cannot be called
	does func(c Call, answer func(Answer, error)) (taken bool)
	data counter
}

func (p *part) Ready(ctx context.Context) error {
	if p.away {
		<-ctx.Done()
		return fmt.Errorf("/%[1]s does not offer /%[1]s/step", p.name)
	}
	return nil
}

func (p *part) Counts() bool { return p.data.topics != nil }

func (p *part) Ask(_ context.Context, q Question) (Reply, error) { return p.data.ask(q), nil }

func (p *part) Call(c Call, answer func(Answer, error)) (forget func()) {
	p.w.note(fmt.Sprintf("%d%c %s", c.Cycle, "bscer"[c.Phase], p.name))
	if p.does == nil || !p.does(c, answer) {
		answer(p.data.answer(c), nil)
	}
	return func() { p.w.forgotten++ }
}

// world is a driver with its participants, in a bubble.
type world struct {
	t                *testing.T
	simulator, pilot *part
	loop             *Looper
	all              sync.WaitGroup // goroutines of the loop
	ended            chan engine.LoopIdle
	runs             uint64
	claim            error
	quiet            bool

	mu        sync.Mutex
	calls     []string
	seen      []engine.LoopView
	ticks     []time.Duration
	forgotten int
	waits     []string
}

func (w *world) note(call string) {
	if !w.quiet {
		w.mu.Lock()
		w.calls = append(w.calls, call)
		w.mu.Unlock()
	}
}

// in runs a test in a bubble, whose goroutines must have ended at its end.
func in(t *testing.T, loop string, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, loop)
		ctx, stop := context.WithCancel(context.Background())
		w.all.Go(func() { w.loop.Run(ctx) })
		test(w)
		stop()
		w.all.Wait()
	})
}

func newWorld(t *testing.T, loop string) *world {
	t.Helper()
	w := &world{t: t, ended: make(chan engine.LoopIdle, 10)}
	w.simulator, w.pilot = &part{w: w, name: "simulator"}, &part{w: w, name: "pilot"}
	net, err := network.Parse("x.yaml", []byte("simulation: x\nmachine: cle\nnodes: {/pilot: {}, /simulator: {}}\n"+
		"loop: {dt: 20ms, participants: {/simulator: {as: simulator}, /pilot: {as: controller, deadline: 2s}}"+loop+
		"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w.loop = New(Config{
		Network: net, Callers: []Caller{w.simulator, w.pilot}, Post: w.post, Gate: &gate.Gate{}, Go: w.all.Go,
		Tick: func(now time.Duration) { w.ticks = append(w.ticks, now) }, Claim: func() error { return w.claim },
		Other: func() string { return "/bag" },
		Waits: func(why string) { w.mu.Lock(); w.waits = append(w.waits, why); w.mu.Unlock() },
	})
	return w
}

func (w *world) post(in engine.Input) {
	switch in := in.(type) {
	case engine.LoopIdle:
		w.ended <- in
	case engine.LoopSeen:
		w.mu.Lock()
		if w.seen = append(w.seen, in.Loop); w.quiet {
			w.seen = w.seen[:1]
		}
		w.mu.Unlock()
	}
}

// start starts a run of so many steps; 0: without an end.
func (w *world) start(steps uint64) {
	w.runs++
	w.loop.Carry(engine.StartLoop{Run: w.runs, Steps: steps})
}

// end waits for the end of the run.
func (w *world) end() engine.LoopIdle {
	w.t.Helper()
	e := <-w.ended
	synctest.Wait()
	if e.Run != w.runs {
		w.t.Errorf("run %d has ended, not %d", e.Run, w.runs)
	}
	return e
}

// went returns the calls since it was asked last.
func (w *world) went() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.calls
	w.calls = nil
	return strings.Join(list, ", ")
}

// once does something with one call, the one in that phase of that step.
func once(step uint64, phase stepper.Phase, does func(c Call, answer func(Answer, error)) bool) func(Call,
	func(Answer, error)) bool {
	done := false
	return func(c Call, answer func(Answer, error)) bool {
		if done || c.Cycle != step || c.Phase != phase {
			return false
		}
		done = true
		return does(c, answer)
	}
}

func TestARunOfSteps(t *testing.T) {
	in(t, "", func(w *world) {
		w.start(2)
		e := w.end()
		if want := (engine.LoopIdle{Run: 1, Node: -1, Step: 2, Now: 40 * time.Millisecond, Cycles: 2}); e != want {
			t.Errorf("it ended as %+v", e)
		}
		if got := w.went(); got != "1b simulator, 1b pilot, 1s simulator, 1c pilot, 1e simulator, 1e pilot, 2b simulator, 2b pilot, 2s simulator, 2c pilot, 2e simulator, 2e pilot" {
			t.Errorf("it called %s", got)
		}
		w.loop.Carry(engine.StartLoop{Run: 2, Steps: 1, DT: 5 * time.Millisecond})
		w.runs = 2
		if e := w.end(); e.Step != 3 || e.Now != 45*time.Millisecond || e.Cycles != 1 {
			t.Errorf("it went on to %+v", e)
		}
		w.loop.Carry(engine.ResetLoop{})
		w.start(1)
		if e := w.end(); e.Step != 1 || e.Now != 5*time.Millisecond {
			t.Errorf("after a reset it went to %+v; the length of a step stays", e)
		}
		if want := []time.Duration{20e6, 40e6, 45e6, 0, 5e6}; !slices.Equal(w.ticks, want) {
			t.Errorf("simulated time was %v", w.ticks)
		}
	})
}

// TestFaultsInEachPhase: what DESIGN names for a participant that fails in some way, in each of its phases. The next
// start runs the interrupted step again.
func TestFaultsInEachPhase(t *testing.T) {
	phases := map[string]stepper.Phase{"begin": stepper.StepBegin, "simulator": stepper.StepSimulator,
		"end": stepper.StepEnd}
	for word, phase := range phases {
		for name, c := range map[string]struct {
			does func(w *world) func(Call, func(Answer, error)) bool
			why  string // of the fault; empty: there is none
		}{
			"hangs": {func(*world) func(Call, func(Answer, error)) bool {
				return func(Call, func(Answer, error)) bool { return true }
			}, "/simulator did not answer step_" + word + " of cycle 2 within 1s"},
			"answers late": {func(*world) func(Call, func(Answer, error)) bool {
				return func(_ Call, answer func(Answer, error)) bool {
					time.AfterFunc(1500*time.Millisecond,
						func() { answer(Answer{Answered: stepper.Answered{OK: true, Want: stepper.Abort}}, nil) })
					return true
				}
			}, "/simulator did not answer step_" + word + " of cycle 2 within 1s"},
			"says no": {func(*world) func(Call, func(Answer, error)) bool {
				return func(_ Call, answer func(Answer, error)) bool {
					answer(Answer{Answered: stepper.Answered{Message: "no fuel"}}, nil)
					return true
				}
			}, "/simulator failed in step_" + word + " of cycle 2: no fuel"},
			"cannot be called": {func(*world) func(Call, func(Answer, error)) bool {
				return func(_ Call, answer func(Answer, error)) bool {
					answer(Answer{Answered: stepper.Answered{}}, errors.New("it is closed"))
					return true
				}
			}, "/simulator failed in step_" + word + " of cycle 2: it is closed"},
			"dies": {func(w *world) func(Call, func(Answer, error)) bool {
				return func(Call, func(Answer, error)) bool {
					w.loop.Carry(engine.LoseStepper{Node: 1, Why: "its process has ended"})
					return true
				}
			}, "/simulator is lost: its process has ended"},
			"is replaced after its answer": {func(w *world) func(Call, func(Answer, error)) bool {
				return func(_ Call, answer func(Answer, error)) bool {
					w.loop.Carry(engine.LoseStepper{Node: 1, Why: "another process took its place"})
					answer(Answer{Answered: stepper.Answered{OK: true}}, nil)
					return true
				}
			}, "/simulator is lost: another process took its place"},
			"answers twice": {func(*world) func(Call, func(Answer, error)) bool {
				return func(_ Call, answer func(Answer, error)) bool {
					answer(Answer{Answered: stepper.Answered{OK: true}}, nil)
					answer(Answer{Answered: stepper.Answered{}}, nil)
					answer(Answer{Answered: stepper.Answered{OK: true, Want: stepper.Abort}}, nil)
					return true
				}
			}, ""},
		} {
			t.Run(name+" in "+word, func(t *testing.T) {
				in(t, "", func(w *world) {
					w.simulator.does = once(2, phase, c.does(w))
					w.start(4)
					e := w.end()
					if c.why == "" {
						if e.Fault || e.Step != 4 || e.Cycles != 4 {
							t.Errorf("it ended as %+v", e)
						}
						return
					}
					if !e.Fault || e.Why != c.why || e.Node != 1 || e.Cycles != 1 || e.Now != 20*time.Millisecond ||
						e.ByUs {
						t.Errorf("it ended as %+v", e)
					}
					w.went()
					w.start(2)
					time.Sleep(10 * time.Second) // longer than any answer is late
					if e := w.end(); e.Fault || e.Step != 3 || e.Cycles != 2 {
						t.Errorf("the next run ended as %+v", e)
					}
					if got := w.went(); !strings.HasPrefix(got, "2b simulator, 2b pilot, 2s simulator") {
						t.Errorf("the next run began with %s", got)
					}
				})
			})
		}
	}
}

// TestWants: what a participant wants acts at the end of the step, abort at once.
func TestWants(t *testing.T) {
	for _, want := range []stepper.Want{stepper.Stop, stepper.Fail, stepper.Pause, stepper.Reset, stepper.Abort} {
		in(t, "", func(w *world) {
			w.pilot.does = once(2, stepper.StepController, func(_ Call, answer func(Answer, error)) bool {
				answer(Answer{Answered: stepper.Answered{OK: true, Want: want, Message: "enough"}}, nil)
				return true
			})
			w.start(0)
			e := w.end()
			ended := strings.HasSuffix(w.went(), "2e simulator, 2e pilot")
			if e.Want != want || e.Node != 0 || e.Fault || ended != (want != stepper.Abort) ||
				!strings.HasPrefix(e.Why, "/pilot wants "+want.String()) {
				t.Errorf("%v: %+v, end of the step: %v", want, e, ended)
			}
		})
	}
}

// TestStop: a stop acts at the end of the step. A stop at once waits for no participant, and neither does one during
// the start.
func TestStop(t *testing.T) {
	slow := func(_ Call, answer func(Answer, error)) bool {
		time.AfterFunc(100*time.Millisecond, func() { answer(Answer{Answered: stepper.Answered{OK: true}}, nil) })
		return true
	}
	in(t, "", func(w *world) {
		w.simulator.does = slow
		began := time.Now()
		w.start(0)
		time.Sleep(150 * time.Millisecond) // in step_simulator
		w.loop.Carry(engine.StopLoop{Run: 1, Want: stepper.Stop, Why: "stop began"})
		e := w.end()
		if e.Want != stepper.Stop || !e.ByUs || e.Fault || e.Cycles != 1 || time.Since(began) != 300*time.Millisecond ||
			e.Why != "stop began" {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		w.start(0)
		time.Sleep(150 * time.Millisecond)
		w.loop.Carry(engine.StopLoop{Run: 1, Want: stepper.Stop, Why: "of an earlier run"})
		w.loop.Carry(engine.StopLoop{Run: 2, Want: stepper.Abort, Why: "shutdown began"})
		began = time.Now()
		if e := w.end(); e.Want != stepper.Abort || !e.ByUs || e.Cycles != 0 || time.Since(began) != 0 ||
			w.forgotten == 0 {
			t.Errorf("after %v: %+v, %d calls forgotten", time.Since(began), e, w.forgotten)
		}
		w.pilot.away = true
		w.start(0)
		time.Sleep(time.Second)
		w.loop.Carry(engine.StopLoop{Run: 3, Want: stepper.Stop, Why: "stop began"})
		if e := w.end(); e.Want != stepper.Stop || !e.ByUs || e.Fault {
			t.Errorf("in the start: %+v", e)
		}
	})
}

// TestStartsThatFail: a participant without its service, and a loop that must not run.
func TestStartsThatFail(t *testing.T) {
	in(t, "", func(w *world) {
		w.pilot.away = true
		began := time.Now()
		w.start(0)
		if e := w.end(); !e.Fault || e.Node != 0 || !strings.HasPrefix(e.Why, "/pilot does not offer /pilot/step") ||
			time.Since(began) != 2*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		w.pilot.away = false
		w.claim = errors.New("/other has the loop")
		w.start(0)
		if e := w.end(); !e.Fault || e.Node != -1 || e.Why != "/other has the loop" {
			t.Errorf("%+v", e)
		}
		if got := w.went(); got != "" {
			t.Errorf("a participant was called: %s", got)
		}
		w.claim = nil
		w.start(1)
		if e := w.end(); e.Fault || e.Cycles != 1 {
			t.Errorf("%+v", e)
		}
	})
}

// TestL4LostBeforeTheFirstStep: a participant that dies while the loop waits for another one stops the start. The graph
// shows the service of a dead process for a while.
func TestL4LostBeforeTheFirstStep(t *testing.T) {
	in(t, "", func(w *world) {
		w.pilot.away = true
		began := time.Now()
		w.start(0)
		time.Sleep(time.Second)
		w.loop.Carry(engine.LoseStepper{Node: 1, Why: "its process has ended"})
		e := w.end()
		if !e.Fault || e.Node != 1 || e.Why != "/simulator is lost: its process has ended" ||
			time.Since(began) != time.Second {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		w.pilot.away = false
		w.start(1)
		if e := w.end(); e.Fault || e.Cycles != 1 {
			t.Errorf("the next run ended as %+v", e)
		}
		if got := w.went(); !strings.HasPrefix(got, "1b simulator, 1b pilot") {
			t.Errorf("it called %s", got)
		}
	})
}

// TestL4ReplacedBetweenTwoSteps: the loop stops, although no call is open.
func TestL4ReplacedBetweenTwoSteps(t *testing.T) {
	in(t, "", func(w *world) {
		g, all := w.loop.conf.Gate.(*gate.Gate), sync.WaitGroup{}
		w.simulator.does = once(1, stepper.StepEnd, func(_ Call, answer func(Answer, error)) bool {
			all.Go(func() { _ = g.Read(w.t.Context(), time.Minute, func() { time.Sleep(10 * time.Second) }) })
			synctest.Wait()
			answer(Answer{Answered: stepper.Answered{OK: true}}, nil)
			return true
		})
		w.start(3)
		time.Sleep(time.Second) // between the first two steps
		w.loop.Carry(engine.LoseStepper{Node: 1, Why: "another process took its place"})
		if e := w.end(); !e.Fault || e.Node != 1 || e.Cycles != 1 || e.Step != 1 ||
			e.Why != "/simulator is lost: another process took its place" {
			t.Errorf("it ended as %+v", e)
		}
		w.start(1)
		if e := w.end(); e.Fault || e.Step != 2 || e.Now != 40*time.Millisecond {
			t.Errorf("the next run ended as %+v", e)
		}
		all.Wait()
	})
}

// TestL4TheDriverEndsWhileCallsAreOut: they are forgotten, readers read, and late answers change nothing.
func TestL4TheDriverEndsWhileCallsAreOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late []func(Answer, error)
		w := newWorld(t, "")
		w.simulator.does = func(_ Call, answer func(Answer, error)) bool {
			late = append(late, answer)
			return true
		}
		ctx, stop := context.WithCancel(context.Background())
		w.all.Go(func() { w.loop.Run(ctx) })
		w.start(0)
		read := make(chan error, 1)
		synctest.Wait()
		w.all.Go(func() { read <- w.loop.conf.Gate.(*gate.Gate).Read(t.Context(), time.Minute, func() {}) })
		synctest.Wait()
		stop()
		w.all.Wait()
		if err := <-read; err != nil || w.forgotten != 2 || len(late) != 1 {
			t.Errorf("the reader got %v; %d calls were forgotten, %d were open", err, w.forgotten, len(late))
		}
		late[0](Answer{Answered: stepper.Answered{OK: true}}, nil)
	})
}

// TestTriggers: those of the network file and those of clients, whose ids do not meet.
func TestTriggers(t *testing.T) {
	in(t, ", triggers: [{at: 60ms, do: pause}]", func(w *world) {
		ctx := w.t.Context()
		for _, id := range []uint64{0, 1 << 32} {
			if why := w.loop.Trigger(ctx,
				stepper.Trigger{ID: id, Want: stepper.Stop, Cycles: 1}); !strings.HasPrefix(why, "the id") {
				t.Errorf("id %d is answered with %q", id, why)
			}
		}
		for _, trigger := range []stepper.Trigger{
			{ID: 7, Cycles: 2, Want: stepper.Stop, Why: "twice is enough"}, {ID: 8, Cycles: 1, Want: stepper.Fail},
			{ID: 8},
		} {
			if why := w.loop.Trigger(ctx, trigger); why != "" {
				t.Errorf("%+v is refused: %s", trigger, why)
			}
		}
		w.start(0)
		if e := w.end(); e.Want != stepper.Stop || e.ByUs || e.Cycles != 2 || e.Why != "trigger 7: twice is enough" {
			t.Errorf("%+v", e)
		}
		w.start(0)
		if e := w.end(); e.Want != stepper.Pause || e.Cycles != 1 || e.Why != "trigger 1 of the network file" {
			t.Errorf("%+v", e)
		}
	})
}

// TestTheGateIsClosedDuringSteps: from step_begin until step_end has ended, or the run.
func TestTheGateIsClosedDuringSteps(t *testing.T) {
	in(t, "", func(w *world) {
		open := func() bool {
			return w.loop.conf.Gate.(*gate.Gate).Read(w.t.Context(), time.Millisecond, func() {}) == nil
		}
		if !open() {
			t.Error("it is closed before the first step")
		}
		w.simulator.does = func(_ Call, answer func(Answer, error)) bool {
			time.AfterFunc(100*time.Millisecond, func() { answer(Answer{Answered: stepper.Answered{OK: true}}, nil) })
			return true
		}
		w.start(1)
		for _, at := range []string{"step_begin", "step_simulator", "step_end"} {
			time.Sleep(50 * time.Millisecond)
			if open() {
				t.Error("it is open in " + at)
			}
			time.Sleep(49 * time.Millisecond)
		}
		w.end()
		if !open() {
			t.Error("it is closed after the step")
		}
		w.start(0)
		time.Sleep(50 * time.Millisecond)
		w.loop.Carry(engine.StopLoop{Run: 2, Want: stepper.Abort})
		w.end()
		if !open() {
			t.Error("it is closed after the run")
		}
	})
}

// TestL7ASlowReader: a reader that takes long holds up the next step only. No deadline runs meanwhile, other readers
// read, and a stop acts at once.
func TestL7ASlowReader(t *testing.T) {
	in(t, "", func(w *world) {
		g := w.loop.conf.Gate.(*gate.Gate)
		var all sync.WaitGroup
		reads := func(takes time.Duration) {
			all.Go(func() {
				if err := g.Read(w.t.Context(), 5*time.Second, func() { time.Sleep(takes) }); err != nil {
					t.Error(err)
				}
			})
		}
		w.simulator.does = func(c Call, answer func(Answer, error)) bool {
			if c.Phase == stepper.StepSimulator {
				reads(4 * time.Second) // longer than the deadlines
				reads(time.Second)
				synctest.Wait() // both are held
			}
			return false
		}
		began := time.Now()
		w.start(2)
		if e := w.end(); e.Fault || e.Cycles != 2 || time.Since(began) != 4*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		w.went()
		w.start(2)
		time.Sleep(time.Second) // the readers of the second step still read
		w.loop.Carry(engine.StopLoop{Run: 2, Want: stepper.Stop, Why: "stop began"})
		began = time.Now()
		if e := w.end(); e.Fault || !e.ByUs || e.Want != stepper.Stop || e.Cycles != 0 || time.Since(began) != 0 {
			t.Errorf("after %v: %+v", time.Since(began), e)
		}
		if got := w.went(); got != "" {
			t.Errorf("a step began while a reader read: %s", got)
		}
		w.simulator.does = nil
		w.start(1)
		if e := w.end(); e.Fault || e.Cycles != 1 {
			t.Errorf("the next run ended as %+v", e)
		}
		all.Wait()
	})
}

// TestWhatIsShown: ten times a second at most, but each phase of a single step.
func TestWhatIsShown(t *testing.T) {
	in(t, "", func(w *world) {
		w.simulator.does = func(_ Call, answer func(Answer, error)) bool {
			time.AfterFunc(time.Millisecond, func() { answer(Answer{Answered: stepper.Answered{OK: true}}, nil) })
			return true
		}
		w.start(0)
		time.Sleep(5 * time.Second)
		w.loop.Carry(engine.StopLoop{Run: 1, Want: stepper.Stop})
		w.end()
		w.mu.Lock()
		n, last := len(w.seen), w.seen[len(w.seen)-2]
		w.mu.Unlock()
		if n < 40 || n > 55 {
			t.Errorf("it was shown %d times in 5 s", n)
		}
		if !last.Runs || last.Rate < 320 || last.Rate > 340 || len(last.Times) != 6 ||
			last.Times[0].Mean != time.Millisecond || last.Other != "/bag" {
			t.Errorf("%+v", last)
		}
		w.start(1)
		w.end()
		var phases []string
		for _, v := range w.seen[n:] {
			phases = append(phases, v.Phase)
		}
		if got := strings.Join(slices.Compact(phases),
			" "); got != "step_begin step_simulator step_controller step_end " {
			t.Errorf("a single step was shown as %q", got)
		}
	})
}

// TestALongRun: 10⁵ cycles, and a pause every thousandth. Simulated time is exact; neither memory nor goroutines grow.
func TestALongRun(t *testing.T) {
	in(t, "", func(w *world) {
		w.quiet = true
		held := func() (heap uint64, goroutines int) {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc, runtime.NumGoroutine()
		}
		run := func(times int) {
			for range times {
				w.ticks = w.ticks[:0]
				w.start(1000)
				if e := w.end(); e.Fault || e.Cycles != 1000 {
					t.Fatalf("%+v", e)
				}
			}
		}
		run(10)
		heap, goroutines := held()
		run(90)
		if now := w.loop.inner.Now(); now != 100_000*20*time.Millisecond {
			t.Errorf("simulated time is %v", now)
		}
		after, left := held()
		if left > goroutines || after > heap+64<<10 {
			t.Errorf("%d bytes and %d goroutines, %d and %d before", after, left, heap, goroutines)
		}
	})
}
