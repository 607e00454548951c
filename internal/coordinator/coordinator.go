package coordinator

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"rstate/internal/dispatch"
	"rstate/internal/engine"
	"rstate/internal/queue"
)

// Beat is the period of the heart and of World.Beat. The liveliness of the instance depends on it: a
// loop that does not turn counts as dead.
const Beat = dispatch.Beat

// Brain decides. Outside tests it is the engine; see Engine.
type Brain interface {
	Step(now engine.Time, in engine.Input) []engine.Effect
	Snapshot() engine.Snapshot
}

// World carries effects out, on the loop's goroutine and without blocking.
type World interface {
	engine.World
	// Show makes a snapshot known. A call with a new state of the network comes before the effects that follow it.
	Show(engine.Snapshot)
	// Beat is called every Beat, by the loop alone.
	Beat()
}

// Clock returns the time of all clocks. Its steady clock must run like that of package time.
type Clock func() engine.Time

// Coordinator is the loop of one instance. Any goroutine may call Post. Only the goroutine that
// calls Run may use the rest.
type Coordinator struct {
	brain Brain
	world World
	clock Clock
	log   *zap.Logger

	queue *queue.Queue[engine.Input]

	// Loop only.
	wake    *time.Timer
	late    *time.Timer // fires when a gathered snapshot is due
	display dispatch.Display
	began   time.Time // the origin of the display's clock
	exit    *engine.Exit
	boot    func() time.Duration // a clock that also advances while the process is suspended
	heart   *Heart
	watch   dispatch.Watch // on boot
	stepped time.Time      // when the brain was last stepped
}

// New returns a coordinator that waits to be run. Its caller runs the heart.
func New(brain Brain, world World, clock Clock, heart *Heart, log *zap.Logger) *Coordinator {
	return &Coordinator{
		brain: brain, world: world, clock: clock, heart: heart, log: log, queue: queue.New[engine.Input](),
		boot:  bootTime,
		began: time.Now(),
	}
}

// Post hands an input to the loop. It never blocks, and any goroutine may call it, the loop's own too. The queue has no
// bound, because its sources have one: calls in flight, open goals, and events that the middleware throttles. Inputs of
// one caller keep their order. An input that comes after the end is dropped.
func (c *Coordinator) Post(in engine.Input) { c.queue.Put(in) }

// Run turns the loop until the engine says Exit, which it returns, or ctx ends, or something panics. It is called
// once. Inputs are taken one at a time, so that a flood of them holds up neither timer nor beat.
func (c *Coordinator) Run(ctx context.Context) (exit engine.Exit, err error) {
	defer c.close()
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("the loop panicked", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			err = fmt.Errorf("cannot go on: the coordinator panicked: %v; this is a fault of rstate, please report it",
				p)
		}
	}()
	c.wake, c.late = stopped(), stopped()
	defer c.wake.Stop()
	defer c.late.Stop()
	beat := time.NewTimer(c.heart.toBeat())
	defer beat.Stop()
	c.watch.Begin(c.boot())
	c.feed(engine.Tick{})
	for c.exit == nil {
		select {
		case <-ctx.Done():
			return engine.Exit{}, fmt.Errorf("cannot go on: %w", context.Cause(ctx))
		case <-c.queue.Ready():
			if in, ok := c.queue.TryTake(); ok {
				c.feed(in)
			}
		case <-c.wake.C:
			c.feed(engine.Tick{})
		case <-c.late.C:
			c.show(c.brain.Snapshot())
		case <-beat.C:
			beat.Reset(c.heart.toBeat())
			c.awake()
			c.world.Beat()
			if c.display.Old(time.Since(c.began)) {
				c.show(c.brain.Snapshot())
			}
			if time.Since(c.stepped) > compareEvery {
				c.feed(engine.Tick{})
			}
		}
	}
	if c.display.Dirty() {
		c.show(c.brain.Snapshot())
	}
	return *c.exit, nil
}

func (c *Coordinator) close() {
	c.queue.Close()
	c.queue.Clear()
}

// gap returns how long the loop did not turn since it looked last, if that is a gap. Loop only.
func (c *Coordinator) gap() dispatch.Gap { return c.watch.Look(c.boot(), c.heart) }

// awake reports a gap, if there was one, to the brain before any other input, and returns the time
// for the next step. It reads the clock before it looks for a gap. Otherwise, if the process
// stopped between the two, nodes would seem to have been silent for that time, and the brain would
// give them up before it learns of its own gap. Loop only.
func (c *Coordinator) awake() engine.Time {
	for {
		now := c.clock()
		gap := c.gap()
		if !gap.Any() || c.exit != nil {
			return now
		}
		c.decide(c.clock(), gap.Input(nil))
	}
}

// feed steps the brain with one input and carries out the effects. Loop only.
func (c *Coordinator) feed(in engine.Input) {
	if now := c.awake(); c.exit == nil {
		c.decide(now, in)
	}
}

// decide is feed without the check for an earlier gap. It looks for a gap again right before it
// carries out each effect that leaves the loop. Loop only.
func (c *Coordinator) decide(now engine.Time, in engine.Input) {
	c.stepped = time.Now()
	effects := c.brain.Step(now, in)
	if !idle(in, effects) {
		c.trace("in", in)
	}
	turn := dispatch.Begin(effects, c.brain)
	var said []engine.Entry
	for turn.More() {
		if turn.Looks() {
			turn.Stood(c.gap())
		}
		e, perished := turn.Next()
		if perished {
			c.trace("not done after a gap", e)
			continue
		}
		if r, ok := e.(engine.Record); ok {
			said = append(said, r.Entry)
		}
		c.carry(now, e)
	}
	for _, e := range said { // last: nothing waits for the log
		c.tell(e)
	}
	if in, stood := turn.Report(); stood {
		c.decide(c.clock(), in)
		return
	}
	c.gather()
}

// carry carries one effect out, or hands it to the world. Loop only.
func (c *Coordinator) carry(now engine.Time, e engine.Effect) {
	switch e := e.(type) {
	case engine.WakeAt:
		c.wake.Reset(e.Steady - now.Steady)
	case engine.Exit:
		c.exit = &e
	case engine.Record:
		c.world.Carry(e)
	case engine.Show:
		if e.Snapshot != nil {
			c.show(*e.Snapshot)
		} else {
			c.display.Changed()
		}
	default:
		c.trace("out", e)
		c.world.Carry(e)
	}
}

// gather shows what changed, now or when the last snapshot is old enough. Loop only.
func (c *Coordinator) gather() {
	now := time.Since(c.began)
	switch at, due := c.display.Due(now); {
	case !due:
	case at > now:
		c.late.Reset(at - now)
	default:
		c.show(c.brain.Snapshot())
	}
}

// show publishes a snapshot. Loop only.
func (c *Coordinator) show(s engine.Snapshot) {
	c.late.Stop()
	c.display.Published(time.Since(c.began), &s)
	c.world.Show(s)
}

// tell logs a journal entry for people. Loop only.
func (c *Coordinator) tell(e engine.Entry) {
	line := c.log.Check(levelOf(e), e.Sentence)
	if line == nil {
		return
	}
	fields := []zap.Field{zap.String("kind", string(e.Kind))}
	for _, f := range []struct{ key, value string }{
		{"state", e.State}, {"node", e.Node}, {"goal", e.Goal}, {"cause", e.Cause},
	} {
		if f.value != "" {
			fields = append(fields, zap.String(f.key, f.value))
		}
	}
	line.Write(fields...)
}

// levelOf returns the log level of an entry.
func levelOf(e engine.Entry) zapcore.Level {
	switch e.Kind {
	case engine.EntryStep:
		if e.Event == engine.EventSent {
			return zapcore.DebugLevel // its end follows
		}
	case engine.EntryJournal, engine.EntryState:
		if e.Event == engine.EventFailed {
			return zapcore.ErrorLevel
		}
	}
	if warns(e) {
		return zapcore.WarnLevel
	}
	return zapcore.InfoLevel
}

// warns reports whether an entry is a warning.
func warns(e engine.Entry) bool {
	switch e.Kind {
	case engine.EntryRefusal:
		return true
	case engine.EntryNode:
		byEarlierRun := e.Event == engine.EventMayBeArmed && e.Cause != "" // by an earlier run
		return e.Event == engine.EventStrayed || e.Event == engine.EventSilent || e.Event == engine.EventStrange ||
			byEarlierRun
	case engine.EntryStart:
		return e.Cause != ""
	case engine.EntryGoal:
		return e.Event == engine.EventFinished && strings.HasPrefix(e.Outcome, engine.Aborted.String())
	case engine.EntryStop:
		return e.Event == engine.EventLatched
	case engine.EntryClock, engine.EntryPeer:
		return e.Event == engine.EventFailed
	}
	return false
}

// trace logs one input or effect as its sentence, if debug logging is on.
func (c *Coordinator) trace(way string, what fmt.Stringer) {
	if c.log.Core().Enabled(zapcore.DebugLevel) {
		c.log.Debug(way+": "+what.String(), zap.String("type", fmt.Sprintf("%T", what)))
	}
}

// idle reports whether the input is a tick without consequences. Such ticks are not traced, because
// simulated time wakes the loop many times a second.
func idle(in engine.Input, effects []engine.Effect) bool {
	_, tick := in.(engine.Tick)
	return tick && !slices.ContainsFunc(effects, func(e engine.Effect) bool {
		_, wake := e.(engine.WakeAt)
		return !wake
	})
}

// stopped returns a timer that does not fire until it is reset.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
