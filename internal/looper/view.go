package looper

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/stepper"
)

// showEvery is how often the loop is shown at most, unless it steps singly.
const showEvery = 100 * time.Millisecond

// rateOver is the shortest time over which steps are counted.
const rateOver = time.Second

// view is what is shown of the loop, and when.
type view struct {
	timer *time.Timer
	armed bool          // the timer runs
	start stepper.Start // of the run

	at     time.Duration // when cycles was read
	cycles uint64
	rate   float64
}

func (v *view) begin(l *Looper) {
	v.at, v.cycles, v.rate = l.now(), l.inner.Cycles(), 0
}

// notice shows the loop now, or soon.
func (l *Looper) notice(now bool) {
	switch {
	case now:
		l.show()
	case !l.view.armed:
		l.view.armed = true
		l.view.timer.Reset(showEvery)
	}
}

// show tells what is to be shown.
func (l *Looper) show() {
	l.view.armed = false
	l.view.timer.Stop()
	v := l.look()
	l.conf.Post(engine.LoopSeen{Loop: v})
	if l.conf.Seen != nil {
		l.conf.Seen(v)
	}
}

func (l *Looper) look() engine.LoopView {
	in := l.inner
	v := engine.LoopView{Runs: in.Running(), Step: in.Cycle(), Now: in.Now(), DT: in.DT(), Overruns: l.pace.overruns}
	if l.conf.Tape != nil {
		v.Recordings = l.conf.Tape.Files()
	}
	if v.Runs {
		v.Phase = in.Phase().String()
		if over := l.now() - l.view.at; over >= rateOver {
			l.view.rate = float64(in.Cycles()-l.view.cycles) / over.Seconds()
			l.view.at, l.view.cycles = l.now(), in.Cycles()
		}
		v.Rate = l.view.rate
		if l.conf.Other != nil {
			v.Other = l.conf.Other()
		}
	}
	for i, p := range l.conf.Network.Loop.Participants {
		for phase := stepper.StepBegin; phase <= stepper.Resetting; phase++ {
			if s := in.Stat(i, phase); s.Count > 0 {
				v.Times = append(v.Times,
					engine.StepTime{Node: p.Node, Phase: phase, Count: s.Count, Mean: s.Mean(), Max: s.Max,
						Last: s.Last})
			}
		}
	}
	return v
}
