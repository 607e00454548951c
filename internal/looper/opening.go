package looper

import (
	"context"

	"rstate/internal/engine"
	"rstate/internal/stepper"
)

// ready says that the participants of a run can be called, or why not.
type ready struct {
	run  uint64
	node int
	why  string
	data data
}

// start begins a run as soon as each participant can be called.
func (l *Looper) start(e engine.StartLoop) {
	l.run = run{number: e.Run, opens: true, single: e.Steps == 1}
	dt := e.DT
	if dt == 0 {
		dt = l.inner.DT()
	}
	if dt == 0 {
		dt = l.conf.Network.Loop.DT
	}
	l.view.start = stepper.Start{DT: dt, Cycles: e.Steps}
	l.opens(e.Run)
}

// opens waits for the participants of a run beside the driver.
func (l *Looper) opens(run uint64) {
	l.cancel()
	var ctx context.Context
	ctx, l.cancel = context.WithCancel(l.ctx)
	was := l.data
	was.first = l.inner.Cycle() == 0
	l.conf.Go(func() { l.queue.Put(l.await(ctx, run, was)) })
}

// await waits for the participants of a run, and for their topics.
func (l *Looper) await(ctx context.Context, number uint64, was data) ready {
	if l.conf.Claim != nil {
		if err := l.conf.Claim(); err != nil {
			return ready{run: number, node: -1, why: err.Error()}
		}
	}
	for i, p := range l.conf.Network.Loop.Participants {
		in, cancel := context.WithTimeout(ctx, p.Deadline)
		err := l.conf.Callers[i].Ready(in)
		cancel()
		if err != nil {
			return ready{run: number, node: l.nodes[i], why: err.Error()}
		}
	}
	data, who, err := l.agree(ctx, was)
	in := ready{run: number, node: -1, data: data}
	if err != nil {
		in.why = err.Error()
	}
	if who != none {
		in.node = l.nodes[who]
	}
	return in
}

// begin starts the loop of a run whose participants are there.
func (l *Looper) begin(in ready) {
	switch {
	case in.run != l.run.number || !l.run.opens:
		return
	case in.why != "":
		l.idle(engine.LoopIdle{Run: in.run, Fault: true, Node: in.node, Why: in.why})
		return
	case l.data.spoilt && l.data.tally != nil && in.data.epoch == l.data.epoch: // meanwhile
		l.opens(in.run)
		return
	}
	l.data = in.data
	for i := range l.lost {
		l.feed(stepper.Respawned{Participant: i})
	}
	clear(l.lost)
	l.run.opens, l.run.on = false, true
	l.taping.forget()
	l.view.begin(l)
	l.pace.begin(l.view.start.DT)
	l.feed(l.view.start)
}
