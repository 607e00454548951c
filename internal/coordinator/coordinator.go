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

	"rstate/internal/engine"
	"rstate/internal/queue"
)

const (
	// gather is the least time between two snapshots that show no new state of the network.
	gather = 50 * time.Millisecond
	// refresh is the greatest age of a shown snapshot while a lease is held: its ages are not news, and grow.
	refresh = time.Second
	// Beat is how often the heart ticks, and how often the world is told that the loop turns. Liveliness hangs on it: a loop that
	// stands is dead.
	Beat = 100 * time.Millisecond
)

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

// Clock says what time it is, on all clocks. Its steady clock must run as that of package time does.
type Clock func() engine.Time

// Coordinator is the loop of one instance. Post may be called by anybody; everything else is for the one who runs it.
type Coordinator struct {
	brain Brain
	world World
	clock Clock
	log   *zap.Logger

	queue *queue.Queue[engine.Input]

	// Loop only.
	wake    *time.Timer
	late    *time.Timer // fires when a gathered snapshot is due
	dirty   bool
	shownAt time.Time
	ages    bool // the snapshot that was shown last has ages in it
	exit    *engine.Exit
	boot    func() time.Duration // a clock that stands still for nobody
	heart   *Heart
	looked  time.Duration // when it was looked at last
}

// New returns a coordinator that waits to be run. Its caller runs the heart.
func New(brain Brain, world World, clock Clock, heart *Heart, log *zap.Logger) *Coordinator {
	return &Coordinator{brain: brain, world: world, clock: clock, heart: heart, log: log, queue: queue.New[engine.Input](), boot: bootTime}
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
			err = fmt.Errorf("cannot go on: the coordinator panicked: %v; this is a fault of rstate, please report it", p)
		}
	}()
	c.wake, c.late = stopped(), stopped()
	defer c.wake.Stop()
	defer c.late.Stop()
	beat := time.NewTimer(c.heart.toBeat())
	defer beat.Stop()
	c.looked = c.boot()
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
			if c.ages && time.Since(c.shownAt) >= refresh {
				c.show(c.brain.Snapshot())
			}
		}
	}
	if c.dirty {
		c.show(c.brain.Snapshot())
	}
	return *c.exit, nil
}

func (c *Coordinator) close() {
	c.queue.Close()
	c.queue.Clear()
}

// gap is a time in which the loop did not turn, and the process perhaps neither. The zero value is none.
type gap struct{ loop, process time.Duration }

// and adds a later gap.
func (g gap) and(o gap) gap { return gap{g.loop + o.loop, max(g.process, o.process)} }

// input is what the brain is told of a gap. In doubt the process did not run.
func (g gap) input(unsent []engine.Effect) engine.Input {
	if g.process < doubt {
		return engine.Late{For: g.loop, Unsent: unsent}
	}
	return engine.Stalled{For: g.loop, Still: g.process}
}

// gap is how long the loop did not turn, if that is too long to go on as if nothing had been. Loop only.
func (c *Coordinator) gap() gap {
	before, now := c.looked, c.boot()
	c.looked = now
	if now-before <= engine.Stall {
		return gap{}
	}
	return gap{now - before, c.heart.longest(before)}
}

// awake tells the brain of a gap, if there was one, before it hears or does anything else, and returns the moment at which
// it may go on. The clock is read before the look: else a stop between the two would be time for which nodes seem to have
// been silent, and the brain would give them up before it hears that it stood still itself. Loop only.
func (c *Coordinator) awake() engine.Time {
	for {
		now := c.clock()
		gap := c.gap()
		if gap.loop == 0 || c.exit != nil {
			return now
		}
		c.decide(c.clock(), gap.input(nil))
	}
}

// feed lets the brain decide on one input and carries out what it wishes. Loop only.
func (c *Coordinator) feed(in engine.Input) {
	if now := c.awake(); c.exit == nil {
		c.decide(now, in)
	}
}

// decide is feed without a look at the clock. What it wishes is looked at once more right before it is carried out: from
// before a gap nothing is done that raises. Loop only.
func (c *Coordinator) decide(now engine.Time, in engine.Input) {
	var stood gap
	var unsent []engine.Effect
	effects := c.brain.Step(now, in)
	var said []engine.Entry
	if !idle(in, effects) {
		c.trace("in", in)
	}
	for _, e := range order(effects) {
		switch e := e.(type) {
		case engine.WakeAt:
			c.wake.Reset(e.Steady - now.Steady)
		case engine.Exit:
			c.exit = &e
		case engine.Record:
			said = append(said, e.Entry)
			c.world.Carry(e)
		case engine.Show:
			if e.Snapshot != nil {
				c.show(*e.Snapshot)
			} else {
				c.dirty = true
			}
		default:
			stood = stood.and(c.gap())
			if stood.loop > 0 && engine.Perishable(e) {
				c.trace("not done after a gap", e)
				unsent = append(unsent, e)
				continue
			}
			c.trace("out", e)
			c.world.Carry(e)
		}
	}
	for _, e := range said { // last: nobody waits for the log
		c.tell(e)
	}
	if stood.loop > 0 && c.exit == nil {
		c.decide(c.clock(), stood.input(unsent))
		return
	}
	if c.dirty {
		c.gather()
	}
}

// order puts what goes to nodes first, and then what goes into the journal: nodes are not to wait while something is written or
// published. Then comes the state, since others act on it, and then what goals and peers are told. In itself each is as the brain
// has ordered it.
func order(effects []engine.Effect) []engine.Effect {
	slices.SortStableFunc(effects, func(a, b engine.Effect) int { return rank(a) - rank(b) })
	return effects
}

func rank(e engine.Effect) int {
	switch e := e.(type) {
	case engine.Record, engine.SyncJournal:
		return 1
	case engine.Show, engine.PublishChange, engine.SendLease:
		return 2
	case engine.ArmNode: // what arms follows the lease that is published for it
		if e.Arm {
			return 2
		}
	case engine.AcceptGoal, engine.RejectGoal, engine.AnswerCancel, engine.SendFeedback, engine.FinishGoal, engine.TellPeers:
		return 3
	}
	return 0
}

// gather shows what is dirty now, or as soon as the last time is long enough ago. Loop only.
func (c *Coordinator) gather() {
	if wait := gather - time.Since(c.shownAt); wait > 0 {
		c.late.Reset(wait)
		return
	}
	c.show(c.brain.Snapshot())
}

// show makes a snapshot known. Loop only.
func (c *Coordinator) show(s engine.Snapshot) {
	c.late.Stop()
	c.dirty, c.shownAt, c.ages = false, time.Now(), s.Lease.Term > 0
	c.world.Show(s)
}

// tell says to people, through the log, what goes into the journal. Loop only.
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

// levelOf is how grave an entry is.
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
		leftArmed := e.Event == engine.EventMayBeArmed && e.Cause != "" // by an earlier run
		return e.Event == engine.EventStrayed || e.Event == engine.EventSilent || leftArmed
	case engine.EntryStart:
		return e.Cause != ""
	case engine.EntryGoal:
		return e.Event == engine.EventFinished && strings.HasPrefix(e.Outcome, engine.Aborted.String())
	case engine.EntryClock, engine.EntryPeer:
		return e.Event == engine.EventFailed
	}
	return false
}

// trace logs one input or effect as its sentence, where anybody wants to see it.
func (c *Coordinator) trace(way string, what fmt.Stringer) {
	if c.log.Core().Enabled(zapcore.DebugLevel) {
		c.log.Debug(way+": "+what.String(), zap.String("type", fmt.Sprintf("%T", what)))
	}
}

// idle says whether time passed and nothing came of it: simulated time wakes the loop many times a second.
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

// SteadyClock returns a clock that starts at zero now and has no ROS time of its own.
func SteadyClock() Clock {
	start := time.Now()
	return func() engine.Time {
		now := time.Now()
		steady := now.Sub(start)
		return engine.Time{Steady: steady, ROS: steady, Wall: now}
	}
}
