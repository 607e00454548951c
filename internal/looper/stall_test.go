package looper

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// actor is a part of a process that acts by itself. Each takes what came to it in its order.
type actor int

const (
	theEngine actor = iota
	theLooper
	theParticipant
	theNode
	theClient
)

// stalling is the engine and the driver of one process, with a node that is also the participant, and a client that
// starts the loop again until the simulation has ended. One of them acts at a time.
type stalling struct {
	net    *network.Network
	state  *engine.State
	loop   *Looper
	now    time.Duration
	wake   time.Duration
	inputs []engine.Input // of the engine
	calls  []func()       // of the participant, without an answer
	asked  []func()       // of the node, without an answer
	before int            // of asked: those before the newest step of the engine
	node   lifecycle.State
	want   stepper.Want // what the participant answers in the phase in of its second step
	in     stepper.Phase
	goals  int // of the client
	exit   *engine.Exit
}

func newStalling(net *network.Network, want stepper.Want, in stepper.Phase) *stalling {
	w := &stalling{net: net, state: engine.New(net, engine.Options{Instance: "i", Name: "/rstate"}),
		node: lifecycle.Unconfigured, want: want, in: in}
	w.loop = New(Config{Network: net, Callers: []Caller{w}, Post: w.post, Go: func(f func()) { f() }})
	w.loop.ctx, w.loop.cancel = context.Background(), func() {}
	w.loop.wake, w.loop.beat, w.loop.view.timer = time.NewTimer(time.Hour), time.NewTimer(time.Hour),
		time.NewTimer(time.Hour)
	w.post(engine.Tick{})
	w.post(engine.NodeSeen{Node: 0, Epoch: 1, Count: 1})
	return w
}

func (w *stalling) post(in engine.Input) { w.inputs = append(w.inputs, in) }

func (w *stalling) Ready(context.Context) error                  { return nil }
func (w *stalling) Counts() bool                                 { return false }
func (w *stalling) Ask(context.Context, Question) (Reply, error) { return Reply{}, nil }

func (w *stalling) Call(c Call, answer func(Answer, error)) (forget func()) {
	forgotten := false
	w.calls = append(w.calls, func() {
		a := Answer{Answered: stepper.Answered{OK: true}}
		if c.Cycle == 2 && c.Phase == w.in {
			a.Want = w.want
		}
		if !forgotten {
			answer(a, nil)
		}
	})
	return func() { forgotten = true }
}

// feed steps the engine and carries its effects out.
func (w *stalling) feed(in engine.Input) {
	var effects []engine.Effect
	w.before = len(w.asked)
	w.state, effects = engine.Step(w.state, engine.Time{Steady: w.now}, in)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.ReadState:
			w.asked = append(w.asked, func() { w.post(engine.StateRead{Node: 0, Ticket: e.Ticket, State: w.node}) })
		case engine.CallNode:
			w.asked = append(w.asked, func() {
				w.node = e.Transition.Target()
				w.post(engine.CallAnswered{Node: 0, Call: e.Call, Success: true})
			})
		case engine.SyncJournal:
			w.post(engine.JournalSynced{Ticket: e.Ticket})
		case engine.WakeAt:
			w.wake = e.Steady
		case engine.Exit:
			w.exit = &e
		case engine.StartLoop, engine.StopLoop, engine.ResetLoop, engine.LoseStepper:
			w.loop.Carry(e)
		}
	}
}

// stall lets the process stand still. If unsent is set, it did before the requests of the newest step were sent.
func (w *stalling) stall(unsent bool) {
	if unsent {
		w.asked = w.asked[:min(len(w.asked), w.before)]
	}
	w.now += 700 * time.Millisecond
	w.feed(engine.Stalled{For: 700 * time.Millisecond, Still: 700 * time.Millisecond})
}

// act lets an actor take one thing, and reports whether there was one.
func (w *stalling) act(a actor) bool {
	switch {
	case a == theEngine && len(w.inputs) > 0:
		in := w.inputs[0]
		w.inputs = w.inputs[1:]
		w.feed(in)
	case a == theLooper && w.loop.queue.Len() > 0:
		in, _ := w.loop.queue.TryTake()
		w.loop.take(in)
	case a == theParticipant && len(w.calls) > 0:
		answer := w.calls[0]
		w.calls = w.calls[1:]
		answer()
	case a == theNode && len(w.asked) > 0:
		answer := w.asked[0]
		w.asked = w.asked[1:]
		answer()
	case a == theClient && w.command() != "":
		w.goals++
		w.now += 2 * time.Second // a goal right after a stall counts as old
		w.post(engine.GoalAsked{Handle: fmt.Sprint(w.goals), Command: machine.ReadWord(w.command())})
	default:
		return false
	}
	return true
}

// command is what the client asks for; empty: nothing. In a machine that ends without an outcome, it ends nothing
// either.
func (w *stalling) command() string {
	s := w.state.Snapshot()
	if !s.Rests() || s.Loop.Runs || w.ended(&s) {
		return ""
	}
	for _, command := range []string{"initialize", "connect", "start", "resume", "disconnect"} {
		if slices.Contains(s.Legal, command) {
			return command
		}
	}
	return ""
}

func (w *stalling) ended(s *engine.Snapshot) bool {
	if len(w.net.Machine.Outcomes) > 0 {
		return w.exit != nil
	}
	return s.Rests() && !s.Loop.Runs && s.Loop.Outcome != ""
}

// play plays to the end of the simulation. Of the actors that can act, the first of the order does. The process stalls
// before so many moves of a run of the loop; 0: never. It returns how many there were, or why the simulation did not
// end.
func (w *stalling) play(order []actor, stall int, unsent bool) (moves int, fault string) {
	for range 500 {
		if s := w.state.Snapshot(); len(w.inputs) == 0 && w.ended(&s) {
			return moves, ""
		}
		if w.loop.run.number > 0 {
			if moves++; moves == stall {
				w.stall(unsent)
			}
		}
		if !slices.ContainsFunc(order, w.act) {
			w.now = w.wake
			w.post(engine.Tick{})
		}
	}
	return moves, "the simulation does not end; it is " + w.state.Snapshot().State
}

// orders returns all orders of actors, before the node and the client.
func orders(list ...actor) (all [][]actor) {
	if len(list) == 0 {
		return [][]actor{{theNode, theClient}}
	}
	for i, a := range list {
		for _, o := range orders(slices.Concat(list[:i], list[i+1:])...) {
			all = append(all, append([]actor{a}, o...))
		}
	}
	return all
}

// A stall at any moment of a run, whichever part of the process goes on first after it: what a trigger or a participant
// has
// wanted decides the run all the same. Without that, the run goes on for ever.
func TestL5AStallLosesNoWant(t *testing.T) {
	for name, c := range map[string]struct {
		trigger string
		want    stepper.Want
		in      stepper.Phase
		outcome string
	}{
		"a trigger":           {", triggers: [{after: 2, do: succeed}]", stepper.None, 0, "success"},
		"at the begin":        {"", stepper.Fail, stepper.StepBegin, "failure"},
		"at the end":          {"", stepper.Stop, stepper.StepEnd, "stopped"},
		"at once":             {"", stepper.Abort, stepper.StepSimulator, "aborted"},
		"a trigger is weaker": {", triggers: [{after: 2, do: succeed}]", stepper.Fail, stepper.StepEnd, "failure"},
	} {
		for _, preset := range []string{"cle", "cloe"} {
			t.Run(preset+", "+name, func(t *testing.T) {
				t.Parallel()
				net, err := network.Parse("x.yaml",
					[]byte("simulation: x\nmachine: "+preset+
						"\nnodes: {/a: {}}\nloop: {participants: {/a: {as: simulator}}"+c.trigger+"}\n"))
				if err != nil {
					t.Fatal(err)
				}
				for _, order := range orders(theEngine, theLooper, theParticipant) {
					whole, _ := newStalling(net, c.want, c.in).play(order, 0, false)
					for stall := 1; stall <= whole; stall++ {
						for _, unsent := range []bool{false, true} {
							w := newStalling(net, c.want, c.in)
							_, fault := w.play(order, stall, unsent)
							if l := w.state.Snapshot().Loop; fault != "" || l.Outcome != c.outcome ||
								w.loop.inner.Cycles() > 2 {
								t.Fatalf("a stall before move %d of %d, order %v, unsent %v: %s; %q after %d steps",
									stall, whole, order, unsent, fault, l.Outcome, w.loop.inner.Cycles())
							}
						}
					}
				}
			})
		}
	}
}
