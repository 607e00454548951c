package coordinator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
)

// beats makes a heart tick every Beat between two times.
func (h *Heart) beats(clock *time.Duration, from, to time.Duration) {
	for *clock = from; *clock <= to; *clock += Beat {
		h.tick()
	}
	*clock = to
}

// TestTheHeartKnowsOfAStop: whether the process continued a moment ago, also before the heart beats
// again.
func TestTheHeartKnowsOfAStop(t *testing.T) {
	var clock time.Duration
	h := &Heart{clock: func() time.Duration { return clock }}
	h.beats(&clock, time.Second, 10*time.Second)
	if h.Stopped(time.Second) {
		t.Error("it ticked all the time, and the process was stopped")
	}
	clock = 11 * time.Second // suspended, and the loop continues before the heart
	if !h.Stopped(0) {
		t.Error("the process was stopped until now")
	}
	h.beats(&clock, 11*time.Second, 12*time.Second)
	if h.Stopped(500*time.Millisecond) || !h.Stopped(1500*time.Millisecond) {
		t.Error("the process was stopped 1 s ago")
	}
}

// TestTheHeartTicks: on the real clock.
func TestTheHeartTicks(t *testing.T) {
	h := &Heart{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	before := bootTime()
	go func() { defer close(done); h.Run(ctx) }()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(Beat) {
		if now := bootTime(); now > before+3*Beat && h.Paused(before, now) < now-before {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not tick")
		}
	}
	cancel()
	<-done
}

// TestA8ALoopThatWasBusyIsNoStall: the brain gets a late loop, with the requests that were not
// sent, only if the heart ticked in the gap. If the heart paused as well, the brain gets a stall.
func TestA8ALoopThatWasBusyIsNoStall(t *testing.T) {
	for _, c := range []struct {
		name   string
		paused time.Duration
		want   string
	}{
		{"the heart ticked", 0, "the loop was busy for 2.0 s"},
		{"it paused for as long", 2 * time.Second, "the process did not run for 2.0 s"},
		{"it paused for a part", 300 * time.Millisecond,
			"the loop did not run for 2.0 s, and the process not for 0.3 s of that"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var clock time.Duration // the loop's
				h := &Heart{clock: func() time.Duration { return clock }}
				var told []engine.Input
				s := script(nil)
				s.step = onStop(func(_ engine.Time, in engine.Input) []engine.Effect {
					switch in.(type) {
					case engine.CancelAsked:
						return []engine.Effect{passes{do: func() {
							from := clock
							if c.paused > 0 {
								h.beats(&clock, from, from)
								from += c.paused
							}
							h.beats(&clock, from, 2*time.Second)
						}}, engine.ArmNode{Node: 2, Permit: permit()}, engine.ArmNode{Node: 3},
							engine.CallNode{Node: 4}}
					case engine.Late, engine.Stalled:
						told = append(told, in)
					}
					return nil
				})
				c2 := New(s, s, SteadyClock(), h, zap.NewNop())
				c2.boot = h.clock
				h.tick()
				c2.Post(engine.CancelAsked{Handle: "x"})
				c2.Post(engine.StopAsked{})
				_, _ = c2.Run(t.Context())
				expect(t, s.lines, "0s pass", "0s disarm node 3", "0s shown")
				if len(told) != 1 || told[0].String() != c.want {
					t.Fatalf("it was told %v, want %q", told, c.want)
				}
				if late, ok := told[0].(engine.Late); ok && len(late.Unsent) != 2 {
					t.Errorf("not sent: %v", late.Unsent)
				}
			})
		})
	}
}

// passes is an effect during which time passes.
type passes struct {
	engine.Effect
	do func()
}

func (e passes) String() string { e.do(); return "pass" }
