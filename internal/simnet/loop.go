package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/network"
	"rstate/internal/stepper"
)

// The stepped loop of a world: the real one (package stepper), with participants that answer after a
// moment. It belongs to a life of the coordinator.

// stepIn is how long a participant takes to answer. It makes fifty steps a second.
const stepIn = 5 * time.Millisecond

// Step is how a node behaves in one phase.
type Step struct {
	Phase stepper.Phase
	Cycle uint64 // of this run of the process; 0: any
	Takes time.Duration
	End   End // Succeed, Refuse (it answers that it failed), Die or Hang
	Want  stepper.Want
	Twice bool // it answers once more

	once, used bool
}

// Once makes a script whose steps fit once each.
func (s Script) Once() Script {
	for i := range s.Steps {
		s.Steps[i].once = true
	}
	return s
}

// loop is the driver of the loop in one life of the coordinator.
type loop struct {
	world *World
	life  uint64
	inner *stepper.Loop
	nodes []int // of the participants
	run   uint64
	ours  bool // a StopLoop was asked for in this run
	lost  map[int]bool
	seen  time.Duration
}

// drives returns the driver of the present life.
func (w *World) drives() *loop {
	if w.loop != nil && w.loop.life == w.brain.life {
		return w.loop
	}
	l := &loop{world: w, life: w.brain.life, lost: map[int]bool{}}
	conf := stepper.Config{Has: ^stepper.Wants(0)}
	for _, p := range w.net.Loop.Participants {
		role := stepper.Controller
		if p.As == network.Simulator {
			role = stepper.Simulator
		}
		conf.Participants = append(conf.Participants,
			stepper.Participant{Name: p.Node, Role: role, Deadline: p.Deadline})
		l.nodes = append(l.nodes, slices.IndexFunc(w.nodes, func(n *node) bool { return n.spec.Name == p.Node }))
	}
	l.inner = stepper.New(conf)
	for i, t := range w.net.Loop.Triggers {
		want := map[network.LoopDoes]stepper.Want{
			network.LoopStop: stepper.Stop, network.LoopReset: stepper.Reset, network.LoopAbort: stepper.Abort,
			network.LoopPause: stepper.Pause, network.LoopFail: stepper.Fail, network.LoopSucceed: stepper.Succeed,
		}[t.Do]
		l.feed(stepper.TriggerSet{Trigger: stepper.Trigger{ID: uint64(i) + 1, Cycles: uint64(t.After), At: t.At,
			Want: want, Anew: true}})
	}
	w.loop = l
	return l
}

// carry does what the engine asks of the loop.
func (l *loop) carry(e engine.Effect) {
	switch e := e.(type) {
	case engine.StartLoop:
		for i := range l.nodes {
			if l.lost[i] {
				l.feed(stepper.Respawned{Participant: i})
			}
		}
		clear(l.lost)
		dt := e.DT
		if dt == 0 {
			dt = l.inner.DT()
		}
		if dt == 0 {
			dt = l.world.net.Loop.DT
		}
		l.run, l.ours = e.Run, false
		l.feed(stepper.Start{DT: dt, Cycles: e.Steps})
	case engine.StopLoop:
		switch {
		case e.Run != l.run:
			return
		case !l.inner.Running():
			if e.Want == stepper.Abort {
				l.feed(stepper.Overtaken{})
			}
			return
		}
		l.ours = true
		l.feed(stepper.Wanted{Want: e.Want, Why: e.Why})
	case engine.ResetLoop:
		l.feed(stepper.Wanted{Want: stepper.Reset})
	case engine.LoseStepper:
		if i := slices.Index(l.nodes, e.Node); i >= 0 {
			l.lost[i] = true
			l.feed(stepper.Lost{Participant: i, Why: e.Why})
		}
	}
}

// feed gives the loop an input and carries out what follows.
func (l *loop) feed(in stepper.Input) {
	w := l.world
	out := l.inner.Step(w.now, in)
	if out.Refused != "" && l.run > 0 {
		l.tell(engine.LoopIdle{Run: l.run, Fault: true, Node: -1, Why: out.Refused})
		return
	}
	calls, ended := slices.Clone(out.Calls), out.Ended
	for _, c := range calls {
		l.call(c)
	}
	if out.Wake {
		w.queue.push(out.WakeAt, func() {
			if l.lives() {
				l.feed(stepper.Tick{})
			}
		})
	}
	if ended != nil {
		w.happens(occurrence{kind: 'l', state: ended.Want.String()})
		node := -1
		if ended.Participant >= 0 {
			node = l.nodes[ended.Participant]
		}
		l.tell(engine.LoopIdle{
			Run: l.run, Want: ended.Want, Fault: ended.Error,
			ByUs: l.ours && ended.Participant < 0 && ended.Trigger == 0, Node: node,
			Why: ended.Why, Step: ended.Cycle, Now: ended.Now, Cycles: ended.Cycles,
		})
	}
	if w.now >= l.seen+100*time.Millisecond && l.inner.Running() {
		l.seen = w.now
		l.tell(engine.LoopSeen{Loop: engine.LoopView{
			Runs: true, Phase: l.inner.Phase().String(), Step: l.inner.Cycle(), Now: l.inner.Now(), DT: l.inner.DT(),
		}})
	}
}

func (l *loop) lives() bool { return l.life == l.world.brain.life && l.world.brain.up }

func (l *loop) tell(in engine.Input) {
	w := l.world
	w.queue.push(w.now, func() { // the coordinator may be in the middle of its effects
		if l.lives() {
			w.brain.deliver(in)
		}
	})
}

// call asks a participant for its part of a phase.
func (l *loop) call(c stepper.Call) {
	w := l.world
	n := w.nodes[l.nodes[c.Participant]]
	do := Step{Takes: stepIn}
	for i := range n.script.Steps {
		s := &n.script.Steps[i]
		if s.Phase == c.Phase && (s.Cycle == 0 || s.Cycle == c.Cycle) && !(s.once && s.used) {
			s.used = true
			do = *s
			do.Takes = or(do.Takes, stepIn)
			break
		}
	}
	p := n.process()
	if p == nil {
		return
	}
	w.happens(occurrence{kind: 'p', node: n.spec.Name, step: c.Phase.String()})
	w.queue.push(w.now+do.Takes, func() { p.run(func() { l.answer(c, p, do) }) })
}

// answer ends the part of a participant that has been called.
func (l *loop) answer(c stepper.Call, p *proc, do Step) {
	switch {
	case p.cut || do.End == Hang || !l.lives():
		return
	case do.End == Die:
		p.die()
		return
	}
	answers := 1
	if do.Twice {
		answers = 2
	}
	for range answers {
		l.feed(stepper.Answered{Participant: c.Participant, Call: c.ID, OK: do.End == Succeed, Want: do.Want,
			Message: "so it is"})
	}
}
