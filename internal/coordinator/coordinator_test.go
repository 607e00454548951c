package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"rstate/internal/engine"
)

// scripted answers every input with its function, and notes the inputs with their times.
type scripted struct {
	mu    sync.Mutex
	start time.Time
	lines []string
	step  func(now engine.Time, in engine.Input) []engine.Effect
	beats int

	snapshot engine.Snapshot
}

func script(step func(now engine.Time, in engine.Input) []engine.Effect) *scripted {
	return &scripted{start: time.Now(), step: step, snapshot: engine.Snapshot{State: "here"}}
}

func (s *scripted) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%v %s", time.Since(s.start), what))
}

func (s *scripted) Step(now engine.Time, in engine.Input) []engine.Effect { return s.step(now, in) }
func (s *scripted) Snapshot() engine.Snapshot                             { return s.snapshot }
func (s *scripted) Carry(e engine.Effect)                                 { s.note(e.String()) }
func (s *scripted) Show(engine.Snapshot)                                  { s.note("shown") }
func (s *scripted) Beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beats++
}

func run(t *testing.T, s *scripted) (*Coordinator, func() (engine.Exit, error)) {
	t.Helper()
	c := New(s, s, SteadyClock(), &Heart{}, zap.NewNop())
	type end struct {
		exit engine.Exit
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		exit, err := c.Run(t.Context())
		ended <- end{exit, err}
	}()
	return c, func() (engine.Exit, error) {
		e := <-ended
		return e.exit, e.err
	}
}

// onStop wraps a step so that StopAsked ends the loop with code 3.
func onStop(step func(now engine.Time, in engine.Input) []engine.Effect) func(engine.Time,
	engine.Input) []engine.Effect {
	return func(now engine.Time, in engine.Input) []engine.Effect {
		if _, ok := in.(engine.StopAsked); ok {
			return []engine.Effect{engine.Exit{Code: 3, Why: "told to"}}
		}
		return step(now, in)
	}
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestFirstInputIsATickAndGoalsAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inputs []string
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			inputs = append(inputs, in.String())
			if _, ok := in.(engine.CancelAsked); !ok {
				return nil
			}
			return []engine.Effect{
				engine.AcceptGoal{Handle: "a"},
				engine.Show{State: "active", Snapshot: &engine.Snapshot{State: "active"}},
				engine.RejectGoal{Handle: "b", Why: "no"},
				engine.FinishGoal{Handle: "a"},
			}
		}))
		c, wait := run(t, s)
		c.Post(engine.CancelAsked{Handle: "x"})
		c.Post(engine.StopAsked{})
		exit, err := wait()
		if err != nil || exit.Code != 3 {
			t.Errorf("ended with %v, %v", exit, err)
		}
		expect(t, inputs, "time passed", "cancel was asked for by x")
		expect(t, s.lines, "0s shown", "0s accept a", "0s reject b: no (legal: )", "0s end a: succeeded, ")
	})
}

// TestNodesDoNotWaitForWhatIsPublished: observers get their messages after the nodes' requests are
// sent, and the state first of all messages. The lease under which a node is armed is sent before
// the call to the node, and so is the snapshot that names the node.
func TestNodesDoNotWaitForWhatIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			if _, ok := in.(engine.GoalAsked); !ok {
				return nil
			}
			return []engine.Effect{
				engine.AcceptGoal{Handle: "a"},
				engine.Record{Entry: engine.Entry{Sentence: "it begins"}},
				engine.TellPeers{},
				engine.Show{State: "active", Snapshot: &engine.Snapshot{State: "active"}},
				engine.PublishChange{},
				engine.ArmNode{Node: 1},
				engine.SendLease{},
				engine.ArmNode{Node: 2, Permit: permit()},
				engine.CallNode{Node: 3},
				engine.Record{Entry: engine.Entry{Sentence: "it goes on"}},
				engine.SyncJournal{Ticket: 7},
				engine.ReadState{Node: 4},
				engine.FinishGoal{Handle: "a"},
			}
		}))
		c, wait := run(t, s)
		c.Post(engine.GoalAsked{})
		c.Post(engine.StopAsked{})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		var got []string
		for _, l := range s.lines {
			got = append(got, strings.Join(strings.Fields(l)[1:min(4, len(strings.Fields(l)))], " "))
		}
		expect(t, got, "disarm node 1", "node 3", "ask node 4", "record it begins", "record it goes",
			"make the journal",
			"shown", "publish : to", "say of lease", "shown", "arm node 2", "accept a", "tell peers: on",
			"end a: succeeded,")
	})
}

func TestWakeUpComesAtTheNewestMomentAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		s := script(onStop(func(now engine.Time, in engine.Input) []engine.Effect {
			at = append(at, now.Steady)
			switch len(at) {
			case 1:
				return []engine.Effect{engine.WakeAt{Steady: time.Second}, engine.WakeAt{Steady: 3 * time.Second}}
			case 2:
				return []engine.Effect{engine.WakeAt{Steady: time.Second}} // in the past: at once
			}
			return nil
		}))
		c, wait := run(t, s)
		time.Sleep(10 * time.Second)
		c.Post(engine.StopAsked{})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if want := []time.Duration{0, 3 * time.Second, 3 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("stepped at %v, want %v", at, want)
		}
	})
}

func TestSnapshotsAreGatheredUnlessTheStateIsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			switch in := in.(type) {
			case engine.NodeLost:
				return []engine.Effect{engine.Show{}}
			case engine.GoalAsked:
				return []engine.Effect{engine.Show{State: in.Command.String(),
					Snapshot: &engine.Snapshot{State: in.Command.String()}}}
			}
			return nil
		}))
		c, wait := run(t, s)
		for range 5 {
			c.Post(engine.NodeLost{})
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond)
		c.Post(engine.GoalAsked{Command: "arm"})
		time.Sleep(200 * time.Millisecond)
		c.Post(engine.GoalAsked{Command: "disarm"})
		c.Post(engine.NodeLost{})
		c.Post(engine.StopAsked{})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		expect(t, s.lines,
			"0s shown", "50ms shown", "100ms shown", // gathered: at most one in 50 ms
			"110ms shown", // the new state, at once
			"310ms shown",
			"310ms shown", // what was dirty at the end
		)
	})
}

func TestLoopBeatsWhileItTurnsAndUnderAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *Coordinator
		s := script(nil)
		s.step = onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			if _, ok := in.(engine.NodeLost); ok {
				time.Sleep(10 * time.Millisecond) // a slow step
				c.Post(in)                        // so that the queue never becomes empty
			}
			return nil
		})
		c = New(s, s, SteadyClock(), &Heart{}, zap.NewNop())
		c.Post(engine.NodeLost{})
		done := make(chan error, 1)
		go func() { _, err := c.Run(t.Context()); done <- err }()
		time.Sleep(2 * time.Second)
		c.Post(engine.StopAsked{})
		if err := <-done; err != nil {
			t.Error(err)
		}
		if s.beats < 10 {
			t.Errorf("%d beats in 2 s, want about 20", s.beats)
		}
	})
}

func TestPostAfterTheEndIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(onStop(func(engine.Time, engine.Input) []engine.Effect { return nil }))
		c, wait := run(t, s)
		c.Post(engine.StopAsked{})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		c.Post(engine.Tick{})
		if n := c.queue.Len(); n != 0 {
			t.Errorf("%d inputs stay in the queue after the end", n)
		}
	})
}

func TestWhatIsRecordedIsLoggedAndKeptInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			if _, ok := in.(engine.GoalAsked); !ok {
				return nil
			}
			return []engine.Effect{
				engine.Record{Entry: engine.Entry{Kind: engine.EntryState, Sentence: "it begins", State: "active"}},
				engine.SyncJournal{Ticket: 7},
				engine.Record{Entry: engine.Entry{Kind: engine.EntryStep, Event: engine.EventSent, Sentence: "asked"}},
				engine.Record{Entry: engine.Entry{Kind: engine.EntryJournal, Event: engine.EventFailed,
					Sentence: "no room"}},
			}
		}))
		core, logged := observer.New(zapcore.InfoLevel)
		c := New(s, s, SteadyClock(), &Heart{}, zap.New(core))
		c.Post(engine.GoalAsked{})
		c.Post(engine.StopAsked{})
		if _, err := c.Run(t.Context()); err != nil {
			t.Error(err)
		}
		expect(t, s.lines, "0s record it begins", "0s make the journal safe (7)", "0s record asked",
			"0s record no room")
		var said []string
		for _, e := range logged.All() {
			said = append(said, e.Level.String()+" "+e.Message)
		}
		expect(t, said, "info it begins", "error no room")
	})
}

// Simulated time wakes the loop many times a second: an input without effect gets no line.
func TestTraceLeavesOutTimeThatPassesForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := 0
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			if ticks++; ticks == 3 {
				return []engine.Effect{engine.WakeAt{Steady: time.Hour}, engine.AcceptGoal{Handle: "a"}}
			}
			return []engine.Effect{engine.WakeAt{Steady: time.Hour}}
		}))
		core, logged := observer.New(zapcore.DebugLevel)
		c := New(s, s, SteadyClock(), &Heart{}, zap.New(core))
		for _, in := range []engine.Input{engine.Tick{}, engine.Tick{}, engine.Tick{}, engine.CancelAsked{Handle: "a"},
			engine.StopAsked{Why: "x"}} {
			c.Post(in)
		}
		if _, err := c.Run(t.Context()); err != nil {
			t.Error(err)
		}
		var said []string
		for _, e := range logged.All() {
			said = append(said, e.Message)
		}
		expect(t, said, "in: time passed", "out: accept a", "in: cancel was asked for by a", "in: rstate is to stop: x")
	})
}

func TestS7APanicEndsTheLoopWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(func(engine.Time, engine.Input) []engine.Effect { panic("odd") })
		_, wait := run(t, s)
		if _, err := wait(); err == nil || !strings.Contains(err.Error(), "odd") {
			t.Errorf("ended with %v, want the panic", err)
		}
	})
}

func TestEndedContextEndsTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := script(func(engine.Time, engine.Input) []engine.Effect { return nil })
		c := New(s, s, SteadyClock(), &Heart{}, zap.NewNop())
		why := errors.New("enough")
		done := make(chan error, 1)
		go func() { _, err := c.Run(ctx); done <- err }()
		cancel(why)
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("ended with %v, want %v", err, why)
		}
	})
}

func TestInputsOfManyPostersAllArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posters, each = 8, 500
		last, seen := map[int]uint64{}, 0
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			if r, ok := in.(engine.StateRead); ok {
				if r.Ticket != last[r.Node]+1 {
					t.Errorf("poster %d: %d after %d", r.Node, r.Ticket, last[r.Node])
				}
				last[r.Node] = r.Ticket
				seen++
			}
			return nil
		}))
		c, wait := run(t, s)
		var all sync.WaitGroup
		for p := range posters {
			all.Go(func() {
				for i := range each {
					c.Post(engine.StateRead{Node: p, Ticket: uint64(i + 1)})
				}
			})
		}
		all.Wait()
		c.Post(engine.StopAsked{})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		if seen != posters*each {
			t.Errorf("%d inputs arrived, want %d", seen, posters*each)
		}
	})
}

// TestA8NothingFromBeforeAGapIsSent: a gap is reported before waiting inputs, and raising requests
// from before it are dropped.
func TestA8NothingFromBeforeAGapIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var boot atomic.Int64
		var inputs []string
		s := script(nil)
		s.step = onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			inputs = append(inputs, in.String())
			if _, ok := in.(engine.CancelAsked); !ok {
				return nil
			}
			boot.Add(int64(300 * time.Millisecond)) // a slow decision is not a gap
			return []engine.Effect{engine.ReadState{Node: 1}, stop{boot: &boot},
				engine.ArmNode{Node: 2, Permit: permit()}, engine.ArmNode{Node: 3}, engine.CallNode{Node: 4}}
		})
		c := New(s, s, SteadyClock(), &Heart{}, zap.NewNop())
		c.boot = func() time.Duration { return time.Duration(boot.Load()) }
		c.Post(engine.CancelAsked{Handle: "x"})
		c.Post(engine.CancelAsked{Handle: "y"})
		done := make(chan struct{})
		go func() { defer close(done); _, _ = c.Run(t.Context()) }()
		synctest.Wait()
		boot.Add(int64(501 * time.Millisecond))
		c.Post(engine.GoalAsked{Handle: "z", Command: "arm"})
		c.Post(engine.StopAsked{})
		<-done
		expect(t, inputs, "time passed", "cancel was asked for by x", "the process did not run for 2.0 s",
			"cancel was asked for by y", "the process did not run for 2.0 s",
			"the process did not run for 0.5 s", "arm was asked for by an action client (goal z)")
		once := []string{"0s ask node 1 for its state", "0s stop", "0s disarm node 3", "0s shown"}
		expect(t, s.lines, append(once, once...)...)
	})
}

// TestA8AGapIsNotSilenceOfNodes: a gap that delays an input is reported before the input, even a
// gap between the readings of the two clocks.
func TestA8AGapIsNotSilenceOfNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var boot time.Duration // the loop's, as what follows
		var inputs []string
		stops := false
		s := script(nil)
		s.step = onStop(func(now engine.Time, in engine.Input) []engine.Effect {
			inputs = append(inputs, fmt.Sprintf("%v %v", now.Steady, in))
			_, stops = in.(engine.Tick)
			return nil
		})
		c := New(s, s, func() engine.Time {
			if stops {
				boot += 2 * time.Second
			}
			stops = false
			return engine.Time{Steady: boot}
		}, &Heart{}, zap.NewNop())
		c.boot = func() time.Duration { return boot }
		c.Post(engine.CancelAsked{Handle: "x"})
		c.Post(engine.StopAsked{})
		_, _ = c.Run(t.Context())
		expect(t, inputs, "0s time passed", "2s the process did not run for 2.0 s", "2s cancel was asked for by x")
	})
}

// stop is an effect during which the process is suspended for two seconds.
type stop struct {
	engine.Effect
	boot *atomic.Int64
}

func (e stop) String() string { e.boot.Add(int64(2 * time.Second)); return "stop" }

// TestTheBootClockRuns: and is not that of the test's bubble.
func TestTheBootClockRuns(t *testing.T) {
	before := bootTime()
	for after := before; after == before; after = bootTime() {
	}
	if before <= 0 {
		t.Errorf("it shows %v", before)
	}
}

// TestC1LevelsOfTheLog: lines that a user must see have a higher level.
func TestC1LevelsOfTheLog(t *testing.T) {
	for _, c := range []struct {
		e    engine.Entry
		want zapcore.Level
	}{
		{engine.Entry{Kind: engine.EntryRefusal}, zapcore.WarnLevel},
		{engine.Entry{Kind: engine.EntryState, Event: engine.EventSettled}, zapcore.InfoLevel},
		{engine.Entry{Kind: engine.EntryState, Event: engine.EventFailed}, zapcore.ErrorLevel},
		{engine.Entry{Kind: engine.EntryNode, Event: engine.EventStrayed}, zapcore.WarnLevel},
		{engine.Entry{Kind: engine.EntryNode, Event: engine.EventThere}, zapcore.InfoLevel},
		{engine.Entry{Kind: engine.EntryGoal, Event: engine.EventFinished, Outcome: "aborted restored"},
			zapcore.WarnLevel},
		{engine.Entry{Kind: engine.EntryGoal, Event: engine.EventFinished, Outcome: "succeeded done"},
			zapcore.InfoLevel},
		{engine.Entry{Kind: engine.EntryStep, Event: engine.EventSent}, zapcore.DebugLevel},
		{engine.Entry{Kind: engine.EntryStep, Event: engine.EventDone}, zapcore.InfoLevel},
		{engine.Entry{Kind: engine.EntryJournal, Event: engine.EventFailed}, zapcore.ErrorLevel},
		{engine.Entry{Kind: engine.EntryClock, Event: engine.EventFailed}, zapcore.WarnLevel},
		{engine.Entry{Kind: engine.EntryPeer, Event: engine.EventFailed}, zapcore.WarnLevel},
		{engine.Entry{Kind: engine.EntryStop, Event: engine.EventLatched}, zapcore.WarnLevel},
		{engine.Entry{Kind: engine.EntryStop, Event: engine.EventAcknowledged}, zapcore.InfoLevel},
	} {
		if got := levelOf(c.e); got != c.want {
			t.Errorf("%s %s %s is logged at %v, want %v", c.e.Kind, c.e.Event, c.e.Outcome, got, c.want)
		}
	}
}

// TestA6AgesAreShownAgain: while a lease is held, a snapshot is published every second, since its
// ages grow without input.
func TestA6AgesAreShownAgain(t *testing.T) {
	for term, want := range map[uint64]int{0: 1, 7: 3} {
		synctest.Test(t, func(t *testing.T) {
			s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
				if _, ok := in.(engine.NodeLost); ok {
					return []engine.Effect{engine.Show{State: "armed",
						Snapshot: &engine.Snapshot{State: "armed", Lease: engine.LeaseView{Term: term}}}}
				}
				return nil
			}))
			s.snapshot.Lease.Term = term
			c, wait := run(t, s)
			c.Post(engine.NodeLost{})
			time.Sleep(2500 * time.Millisecond)
			c.Post(engine.StopAsked{})
			if _, err := wait(); err != nil {
				t.Error(err)
			}
			if len(s.lines) != want {
				t.Errorf("lease %d: shown %d times in 2.5 s, want %d: %v", term, len(s.lines), want, s.lines)
			}
		})
	}
}
