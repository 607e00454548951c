//go:build ros

package rosnet

import (
	"context"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/queue"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

// gatherFeedback is the least time between two messages of feedback of one goal: nodes that go side
// by side may be done all at once, and each message costs as much as one to a node.
const gatherFeedback = 20 * time.Millisecond

// progress sends the feedback of one goal, and gathers what comes close together. One goroutine
// uses it.
type progress struct {
	w      *World
	handle string
	send   func(*rstate_msgs_action.Transition_Feedback) error
	sent   time.Time
	held   []engine.SendFeedback // of one part of the goal, oldest first
}

// take returns the next message of the queue. Meanwhile it sends held-back messages when they are
// due.
func (p *progress) take(from *queue.Queue[told]) (told, bool) {
	if len(p.held) > 0 {
		due, end := context.WithDeadline(p.w.asking, p.sent.Add(gatherFeedback))
		next, ok := from.Take(due)
		end()
		if ok {
			return next, true
		}
		p.flush()
	}
	return from.Take(p.w.asking)
}

// add sends one step, now or with those that follow it.
func (p *progress) add(e engine.SendFeedback) {
	if k := len(p.held); k > 0 && (p.held[k-1].State != e.State || p.held[k-1].Total != e.Total ||
		p.held[k-1].Done >= e.Done) {
		p.flush() // another part of the goal begins, with a count of its own
	}
	p.held = append(p.held, e)
	if time.Since(p.sent) >= gatherFeedback {
		p.flush()
	}
}

// flush sends what is held back.
func (p *progress) flush() {
	if len(p.held) == 0 {
		return
	}
	if err := p.send(p.w.feedback(p.held)); err != nil {
		p.w.log.Warn("cannot send feedback", zap.String("goal", p.handle), zap.Error(err))
	}
	p.sent, p.held = time.Now(), p.held[:0]
}
