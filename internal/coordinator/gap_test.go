package coordinator

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
)

// TestA8TheFirstEffectAfterAGapPerishes: the loop looks for a gap before it takes an effect, and tells the brain of it
// with the time after the gap.
func TestA8TheFirstEffectAfterAGapPerishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock time.Duration // the loop's, as what follows
		var inputs []string
		s := script(nil)
		s.step = onStop(func(now engine.Time, in engine.Input) []engine.Effect {
			inputs = append(inputs, fmt.Sprintf("%v %v", now.Steady, in))
			if _, ok := in.(engine.CancelAsked); ok {
				return []engine.Effect{passes{do: func() { clock += 2 * time.Second }}, engine.CallNode{Node: 4}}
			}
			return nil
		})
		c := New(s, s, func() engine.Time { return engine.Time{Steady: clock} }, &Heart{}, zap.NewNop())
		c.boot = func() time.Duration { return clock }
		c.Post(engine.CancelAsked{Handle: "x"})
		c.Post(engine.StopAsked{})
		_, _ = c.Run(t.Context())
		expect(t, s.lines, "0s pass")
		expect(t, inputs, "0s time passed", "0s cancel was asked for by x", "2s the process did not run for 2.0 s")
	})
}

// TestA8ABusyLoopIsTheFirstThingThatTheBrainHears: also if the process ran, and nothing was to be sent.
func TestA8ABusyLoopIsTheFirstThingThatTheBrainHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock time.Duration
		h := &Heart{clock: func() time.Duration { return clock }}
		h.tick()
		var inputs []string
		s := script(onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
			inputs = append(inputs, in.String())
			return nil
		}))
		c := New(s, s, SteadyClock(), h, zap.NewNop())
		c.boot = h.clock
		done := make(chan struct{})
		go func() { defer close(done); _, _ = c.Run(t.Context()) }()
		synctest.Wait()
		h.beats(&clock, 0, 2*time.Second)
		c.Post(engine.CancelAsked{Handle: "x"})
		c.Post(engine.StopAsked{})
		<-done
		expect(t, inputs, "time passed", "the loop was busy for 2.0 s", "cancel was asked for by x")
	})
}

// TestA8NothingIsReadBetweenTheLookAndTheStep: the time of a step is read before the loop looks for a gap. The next
// look finds a gap that comes later, and no input has a time after such a gap. The engine hears of the gap itself with a
// time after it.
func TestA8NothingIsReadBetweenTheLookAndTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var boot time.Duration // the loop's, as what follows
		var did []string
		stops := false
		s := script(nil)
		s.step = onStop(func(now engine.Time, in engine.Input) []engine.Effect {
			did = append(did, fmt.Sprintf("%v %v", now.Steady, in))
			_, stops = in.(engine.Tick)
			return nil
		})
		c := New(s, s, func() engine.Time {
			did = append(did, "clock")
			return engine.Time{Steady: boot}
		}, &Heart{}, zap.NewNop())
		c.boot = func() time.Duration {
			if stops {
				boot += 2 * time.Second // after the clock was read
			}
			stops = false
			did = append(did, "look")
			return boot
		}
		c.Post(engine.CancelAsked{Handle: "x"})
		c.Post(engine.StopAsked{})
		_, _ = c.Run(t.Context())
		k := slices.Index(did, "0s time passed")
		if k < 0 || len(did) < k+8 {
			t.Fatalf("the loop did %v", did)
		}
		expect(t, did[k+1:k+8], "clock", "look", "clock", "2s the process did not run for 2.0 s", "clock", "look",
			"2s cancel was asked for by x")
	})
}
