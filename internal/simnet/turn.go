package simnet

import (
	"time"

	"rstate/internal/dispatch"
	"rstate/internal/engine"
)

// The loop of the coordinator: a turn carries the effects of a step, by the order and the gap decisions of package
// dispatch. It can be stopped before or after each effect.

// carryAll carries what is left of the turn, effect by effect. It ends early where the coordinator is killed or
// stopped.
func (b *brain) carryAll() {
	w := b.world
	for b.turn.More() {
		if b.stopsBefore(b.turn.Peek()) {
			w.note("the coordinator is stopped for %v before what it is about to do", w.opt.StallFor)
			b.stall(w.opt.StallFor, w.opt.StallLate)
			return
		}
		if b.turn.Looks() {
			b.turn.Stood(b.look())
		}
		e, perished := b.turn.Next()
		if perished {
			w.note("not done after a gap: %v", e)
			if m, ok := e.(engine.SendLease); ok {
				w.check.term.begins(m.Message.Term, m.Message.Seq)
				w.check.leaseGone = true
			}
			continue
		}
		w.trace.add(w.now, '<', e)
		b.carry(e)
		w.check.carries(e)
		b.effects++
		switch b.effects {
		case b.kills:
			b.kill(w.opt.DownFor)
			return
		case b.stalls:
			if b.up {
				w.note("the coordinator is stopped for %v after what it has just done", w.opt.StallFor)
				b.stall(w.opt.StallFor, w.opt.StallLate)
			}
			return
		}
	}
	b.carried()
}

// carried is the end of a turn.
func (b *brain) carried() {
	w := b.world
	in, stood := b.turn.Report()
	stopped := b.held > 0
	b.carrying, b.held = false, 0
	switch {
	case stood:
		w.check.shown = nil
		b.step(in)
		return
	case stopped: // whether that is a gap is seen before the next input
		w.check.shown = nil
		return
	}
	w.check.armed()
	w.check.showsWhatItTells()
	if _, anew := b.heard.(engine.Stalled); anew {
		w.check.goesOn()
	}
}

// timerFirst is the share of gaps after which the loop's timer is heard first.
const timerFirst = 0.5

func (b *brain) stopsBefore(e engine.Effect) bool {
	_, leases := e.(engine.SendLease)
	if arm, ok := e.(engine.ArmNode); !leases && !(ok && arm.Arms()) {
		return false
	}
	b.stallArm--
	return b.stallArm == 0
}

func (b *brain) stall(lasts time.Duration, late bool) {
	if !b.up || b.stalled {
		return
	}
	b.stalled, b.late, b.awake = true, late, b.world.now
	if !b.carrying {
		b.watch.Begin(max(b.lastBeat(b.awake), b.spinAt))
	}
	b.world.end.meets("is stopped")
	b.world.end.stalls()
	life := b.life
	b.world.queue.push(b.world.now+lasts, func() {
		if life == b.life && b.up {
			b.resume()
		}
	})
}

// resume is SIGCONT, or the loop's turning again: it goes on where it was stopped, and what has come meanwhile is heard
// in a flood. The loop's timer may be heard before all of it.
func (b *brain) resume() {
	gap := b.world.now - b.awake
	b.stalled, b.awake, b.stood = false, b.world.now, gap
	inbox := b.inbox
	b.inbox = nil
	if b.carrying {
		b.held = b.world.now - b.decided
		b.carryAll()
	}
	if b.up && !b.stalled {
		if stood := b.look(); stood.Any() {
			b.step(stood.Input(nil))
		}
	}
	b.world.end.resumes(gap, b.late)
	if b.world.firsts.chance(timerFirst) {
		b.take(letter{in: engine.Tick{}})
	}
	for _, l := range inbox {
		b.take(l)
	}
}

// lastBeat is when the loop and the heart beside it last beat before a moment, if neither was stopped.
func (b *brain) lastBeat(before time.Duration) time.Duration {
	return before - (before-b.began)%dispatch.Beat
}

// look is the loop's look for a gap since it looked last. Its beats, which nothing else of the world needs, look while
// it is not stopped.
func (b *brain) look() dispatch.Gap { return b.watch.Look(b.world.now, b) }

// Paused is what the heart shows that beats beside the loop. The loop goes on before it does.
func (b *brain) Paused(_, now time.Duration) time.Duration {
	if b.late {
		return 0
	}
	return now - b.lastBeat(now-b.stood)
}
