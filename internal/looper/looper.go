package looper

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/queue"
	"rstate/internal/stepper"
	"rstate/internal/tally"
)

// Caller calls one participant.
type Caller interface {
	// Ready prepares the participant for a run. It waits until ctx ends for a participant that cannot be called, and
	// returns why not.
	Ready(ctx context.Context) error
	// Counts reports whether the participant counts its messages. It is called after Ready.
	Counts() bool
	// Ask asks a participant that counts, and waits for the answer until ctx ends.
	Ask(ctx context.Context, q Question) (Reply, error)
	// Call asks for a part of a phase, and returns at once. answer is called once, from any goroutine: with the answer,
	// or with the error because of which there is none. It need not be called after forget.
	Call(c Call, answer func(Answer, error)) (forget func())
}

// Gate is closed while a step runs.
type Gate interface {
	// Close reports whether the step may begin. If not, it calls then when it may, unless Open comes before.
	Close(then func()) bool
	Open()
}

// Config is what a driver is made of.
type Config struct {
	Network *network.Network      // with a loop
	Callers []Caller              // of its participants, in their order
	Post    func(engine.Input)    // takes inputs of the engine
	Tick    func(time.Duration)   // takes simulated time whenever it changes; may be nil
	Claim   func() error          // why the loop must not run now; may be nil
	Other   func() string         // another node that publishes simulated time, or empty; may be nil
	Seen    func(engine.LoopView) // takes what is shown, too; may be nil
	Waits   func(why string)      // takes why a run does not begin yet, if that takes long; may be nil
	Gate    Gate                  // may be nil
	Tape    Tape                  // records the loop; may be nil
	Name    string                // of the node that subscribes for Tape
	Go      func(func())          // runs goroutines
}

// Looper is the driver. Use New to make one, Carry to give it effects, and Run to run it.
type Looper struct {
	conf  Config
	inner *stepper.Loop
	nodes []int // of the participants, in the network
	queue *queue.Queue[any]
	born  time.Time

	// Of Run's goroutine only.
	ctx    context.Context
	cancel context.CancelFunc // ends the waiting for the participants of the present run
	calls  []func()           // forget the newest call of each participant
	asked  []uint64           // the newest call of each participant, if it has no answer
	within bool               // a step has begun, and has not ended
	data   data
	sees   []tally.Count // of the newest call
	run    run
	wake   *time.Timer
	beat   *time.Timer // the rate lets the next step begin
	pace   pace
	taping taping
	full   bool // the next step waits until the recording has room
	view   view
	lost   map[int]bool
	closed bool   // the gate
	holds  uint64 // how often that changed
}

// run is one run of the loop, from its StartLoop to its LoopIdle.
type run struct {
	number uint64
	single bool
	ours   bool // a StopLoop has ended it
	why    string
	opens  bool // it waits for its participants
	on     bool
}

// read says that the readers have read for which the step waits that began with this hold.
type read struct{ hold uint64 }

// trigger sets or clears a trigger, and answers why not.
type trigger struct {
	in     stepper.Input
	answer chan<- string
}

// firstTrigger is the id of the first trigger of the network file: those of clients are lower.
const firstTrigger = 1 << 32

var wants = map[network.LoopDoes]stepper.Want{
	network.LoopStop: stepper.Stop, network.LoopReset: stepper.Reset, network.LoopAbort: stepper.Abort,
	network.LoopPause: stepper.Pause,
	network.LoopFail:  stepper.Fail, network.LoopSucceed: stepper.Succeed,
}

// New returns a driver whose loop stands at simulated time zero.
func New(conf Config) *Looper {
	l := &Looper{conf: conf, queue: queue.New[any](), born: time.Now(), lost: map[int]bool{}}
	inner := stepper.Config{Has: ^stepper.Wants(0), Asks: true} // the engine knows what the machine lacks
	for _, p := range conf.Network.Loop.Participants {
		role := stepper.Controller
		if p.As == network.Simulator {
			role = stepper.Simulator
		}
		inner.Participants = append(inner.Participants,
			stepper.Participant{Name: p.Node, Role: role, Deadline: p.Deadline})
		l.nodes = append(l.nodes, slices.IndexFunc(conf.Network.Nodes,
			func(n network.Node) bool { return n.Name == p.Node }))
	}
	l.inner = stepper.New(inner)
	for i, t := range conf.Network.Loop.Triggers {
		l.inner.Step(0, stepper.TriggerSet{Trigger: stepper.Trigger{ID: firstTrigger + uint64(i),
			Cycles: uint64(t.After), At: t.At, Want: wants[t.Do], Anew: true,
			Name: fmt.Sprintf("trigger %d of the network file", i+1)}})
	}
	l.pace.rate = conf.Network.Loop.Rate
	l.calls, l.asked = make([]func(), len(conf.Callers)), make([]uint64, len(conf.Callers))
	return l
}

// Carry takes an effect for the loop. It never blocks.
func (l *Looper) Carry(e engine.Effect) { l.queue.Put(e) }

// Trigger sets a trigger, or clears it with the want None. It returns why not; empty: it did.
func (l *Looper) Trigger(ctx context.Context, t stepper.Trigger) string {
	answer := make(chan string, 1)
	in := trigger{stepper.TriggerSet{Trigger: t}, answer}
	switch {
	case t.ID == 0 || t.ID >= firstTrigger:
		return fmt.Sprintf("the id %d cannot be used; write one from 1 to %d", t.ID, uint64(firstTrigger-1))
	case t.Want == stepper.None:
		in.in = stepper.TriggerCleared{ID: t.ID}
	}
	l.queue.Put(in)
	select {
	case why := <-answer:
		return why
	case <-ctx.Done():
		return "rstate ends"
	}
}

// Run drives the loop until ctx ends.
func (l *Looper) Run(ctx context.Context) {
	l.ctx, l.cancel = ctx, func() {}
	l.wake = time.NewTimer(time.Hour)
	defer l.wake.Stop()
	l.beat = time.NewTimer(time.Hour)
	defer l.beat.Stop()
	l.beat.Stop()
	l.view.timer = time.NewTimer(time.Hour)
	defer l.view.timer.Stop()
	defer l.open()
	defer l.forget()
	for {
		select {
		case <-ctx.Done():
			l.cancel()
			return
		case <-l.queue.Ready():
			if in, ok := l.queue.TryTake(); ok {
				l.take(in)
			}
		case <-l.wake.C:
			l.feed(stepper.Tick{})
		case <-l.beat.C:
			l.proceed()
		case <-l.view.timer.C:
			l.show()
		}
	}
}

func (l *Looper) take(in any) {
	switch in := in.(type) {
	case Answer:
		l.answered(in)
	case engine.StartLoop:
		l.start(in)
	case ready:
		l.begin(in)
	case read:
		if in.hold == l.holds && l.closed {
			l.feed(stepper.Begin{})
		}
	case room:
		if l.full {
			l.proceed()
		}
	case broken:
		l.data.spoilt = true
		l.feed(stepper.Broken{Why: in.why})
	case engine.StopLoop:
		l.stop(in)
	case engine.ResetLoop:
		l.data.spoilt = true
		l.feed(stepper.Wanted{Want: stepper.Reset})
		l.notice(false)
	case engine.LoseStepper:
		l.lose(in)
	case trigger:
		out := l.inner.Step(l.now(), in.in)
		in.answer <- out.Refused
	}
}

func (l *Looper) now() time.Duration { return time.Since(l.born) }

func (l *Looper) stop(e engine.StopLoop) {
	switch {
	case e.Run != l.run.number:
	case !l.run.opens && !l.run.on:
		if e.Want == stepper.Abort {
			l.inner.Step(l.now(), stepper.Overtaken{})
		}
	case l.run.opens: // no participant has been called yet
		l.idle(engine.LoopIdle{Run: e.Run, Want: stepper.Stop, ByUs: true, Node: -1, Why: e.Why})
	default:
		l.run.ours, l.run.why = true, e.Why
		l.feed(stepper.Wanted{Want: e.Want, Why: e.Why})
	}
}

func (l *Looper) lose(e engine.LoseStepper) {
	i := slices.Index(l.nodes, e.Node)
	if i < 0 {
		return
	}
	l.lost[i], l.data.spoilt = true, true
	l.feed(stepper.Lost{Participant: i, Why: e.Why})
	if l.run.opens { // the graph may go on to show its service
		name := l.conf.Network.Loop.Participants[i].Node
		l.idle(engine.LoopIdle{Run: l.run.number, Fault: true, Node: e.Node, Why: name + " is lost: " + e.Why})
	}
}

// feed gives the loop an input and does what follows. A step may begin with it.
func (l *Looper) feed(in stepper.Input) {
	if between := l.step(in); !between {
		return
	}
	if wait := l.pace.wait(l.now()); wait > 0 {
		l.beat.Reset(wait)
		return
	}
	l.proceed()
}

// proceed begins a step if the recording has room, and no reader reads.
func (l *Looper) proceed() {
	if l.roomy() && l.close() {
		l.step(stepper.Begin{})
	}
}

// step reports whether a step may begin.
func (l *Looper) step(in stepper.Input) (between bool) {
	out := l.inner.Step(l.now(), in)
	if out.Refused != "" && l.run.on {
		l.idle(engine.LoopIdle{Run: l.run.number, Fault: true, Node: -1, Why: out.Refused})
		return false
	}
	if out.Ticked {
		l.open()
		if l.conf.Tick != nil {
			l.conf.Tick(out.Now)
		}
	}
	if len(out.Phases) > 0 {
		l.within = true
	}
	if out.Ticked && l.within && l.conf.Tape != nil {
		l.conf.Tape.Step(l.taping.ended())
	}
	if out.Ticked {
		l.within = false
	}
	for _, c := range out.Calls {
		l.call(c)
	}
	if out.Wake {
		l.wake.Reset(out.WakeAt - l.now())
	}
	if len(out.Phases) > 0 {
		l.notice(l.run.single)
	}
	if e := out.Ended; e != nil {
		l.end(e)
	}
	return out.Between
}

func (l *Looper) end(e *stepper.Ended) {
	if l.within || e.Error || e.As == stepper.Reset {
		l.data.spoilt = true
	}
	l.within = false
	node := -1
	if e.Participant >= 0 {
		node = l.nodes[e.Participant]
	}
	l.idle(engine.LoopIdle{
		Run: l.run.number, Want: e.Want, Fault: e.Error,
		ByUs: l.run.ours && e.Participant < 0 && e.Trigger == 0 && !e.Error, Node: node, Why: e.Why,
		Step: e.Cycle, Now: e.Now, Cycles: e.Cycles,
	})
}

// call asks a participant for its part of a phase.
func (l *Looper) call(c stepper.Call) {
	i := c.Participant
	call := Call{Call: c, Deadline: l.conf.Network.Loop.Participants[i].Deadline}
	if l.data.counts[i] {
		l.sees = l.data.tally.Visible(i, l.sees[:0])
		call.Epoch, call.Visible = l.data.epoch, l.sees
	}
	l.taping.calls(c)
	l.asked[i] = c.ID
	l.calls[i] = l.conf.Callers[i].Call(call, func(a Answer, err error) {
		if err != nil {
			a = Answer{Answered: stepper.Answered{Message: err.Error()}}
		}
		a.Participant, a.Call = i, c.ID
		l.queue.Put(a)
	})
}

// answered takes an answer, and before it what the participant says that it has published.
func (l *Looper) answered(a Answer) {
	if l.run.on && l.asked[a.Participant] == a.Call {
		l.asked[a.Participant] = 0
		if err := l.counted(a); err != nil && a.OK {
			a.OK, a.Message = false, err.Error()
		}
	}
	l.feed(a.Answered)
}

// forget lets go of the calls that were not answered.
func (l *Looper) forget() {
	for i, forget := range l.calls {
		if forget != nil {
			forget()
		}
		l.calls[i] = nil
	}
}

// idle ends a run.
func (l *Looper) idle(in engine.LoopIdle) {
	l.cancel()
	l.beat.Stop()
	l.full = false
	l.forget()
	l.run.opens, l.run.on = false, false
	l.open()
	l.show() // first: what is published with the end counts all of its steps
	l.conf.Post(in)
}

// close closes the gate, and reports whether a step may begin. If not, read says when.
func (l *Looper) close() bool {
	if l.conf.Gate == nil {
		return true
	}
	l.closed = true
	l.holds++
	hold := l.holds
	return l.conf.Gate.Close(func() { l.queue.Put(read{hold}) })
}

func (l *Looper) open() {
	if l.conf.Gate != nil && l.closed {
		l.closed = false
		l.holds++
		l.conf.Gate.Open()
	}
}
