//go:build ros

package demo

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

// body is what one demo node is while it runs.
type body struct {
	Node
	log      *zap.Logger
	life     demoLife        // nil where it is a plain node
	ctx      context.Context // done when the node is to end
	freeze   func()          // ends the serving of the node, for good
	talks    []talk
	follower *follower // nil: the node follows no arm lease

	mu    sync.Mutex
	armed bool
	calls int            // to arm or disarm: a newer one supersedes one that waits for the lease
	met   map[string]int // how often each step has gone wrong
}

// lateAnswer is the fault of the steps in Node.LateAnswer.
const lateAnswer Fault = "late answer"

// faults are looked for in this order: the worst first.
var faults = []Fault{Die, Freeze, Lie, Err, Refuse, Lose}

// meet returns the fault that a step meets this time, if any, and counts it.
func (b *body) meet(step string) Fault {
	b.mu.Lock()
	defer b.mu.Unlock()
	fault := b.faultOf(step)
	if fault == "" || b.Times > 0 && b.met[step] >= b.Times {
		return ""
	}
	b.met[step]++
	return fault
}

func (b *body) faultOf(step string) Fault {
	for _, f := range faults {
		if slices.Contains(b.Faults[f], step) {
			return f
		}
	}
	if b.LateAnswer[step] > 0 {
		return lateAnswer
	}
	return ""
}

// dishonest says whether a transition is to be answered otherwise than it went, which no honest
// lifecycle does.
func (b *body) dishonest() bool {
	transitions := []string{"configure", "cleanup", "activate", "deactivate", "shutdown"}
	return slices.ContainsFunc(transitions, func(t string) bool {
		f := b.faultOf(t)
		return f == Lie || f == Lose || f == lateAnswer
	})
}

// on returns the callback of a transition.
func (b *body) on(transition string) rclgo.LifecycleCallback {
	return func(ctx context.Context, from rclgo.LifecycleState) rclgo.TransitionResult {
		return b.do(ctx, transition, from, b.meet(transition))
	}
}

// do is the work of a transition, with the fault that it meets.
func (b *body) do(ctx context.Context, transition string, from rclgo.LifecycleState,
	fault Fault) rclgo.TransitionResult {
	b.take(ctx, transition)
	switch fault {
	case Die:
		b.die("in " + transition)
	case Freeze:
		b.freezeIn(ctx, transition)
		return rclgo.TransitionError // no client receives this: the node is closed
	case Err:
		b.log.Info("errs in " + transition)
		return rclgo.TransitionError
	case Refuse:
		b.log.Info("refuses to " + transition)
		return rclgo.TransitionFailure
	}
	b.log.Info(transition + " done, was " + from.Label)
	if transition != "activate" {
		b.disarmItself("it is not active any more")
	}
	return rclgo.TransitionSuccess
}

// take takes the time that the step is to take.
func (b *body) take(ctx context.Context, step string) { pause(ctx, b.Delay[step]) }

// pause returns after a time, or when ctx is done.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// freezeIn does not return before the node is closed, and nothing of the node is answered from here
// on.
func (b *body) freezeIn(ctx context.Context, step string) {
	b.log.Info("freezes in " + step)
	b.freeze()
	<-ctx.Done()
}

// die kills this process and every node in it at once, without any shutdown message.
func (b *body) die(when string) {
	b.log.Info("dies " + when)
	_ = b.log.Sync()
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // cannot be refused
	select {}
}

// comeToGrief freezes and kills the node when its time has come.
func (b *body) comeToGrief() {
	for _, f := range []Fault{Freeze, Die} {
		after, wanted := b.After[f]
		if !wanted {
			continue
		}
		switch pause(b.ctx, after); {
		case b.ctx.Err() != nil:
		case f == Freeze:
			b.log.Info("freezes")
			b.freeze()
		default:
			b.die("as it was told to")
		}
	}
}

// disarmItself is what a node does that leaves active or loses its lease, as any that can do harm
// should.
func (b *body) disarmItself(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if !b.armed || b.ctx.Err() != nil {
		return
	}
	b.setArmed(false)
	b.log.Warn("disarmed itself: " + why)
}

// setArmed is the one way into and out of being armed. It reports whether the node is armed.
func (b *body) setArmed(on bool) bool {
	if b.follower != nil && !on {
		b.follower.rest()
	}
	b.armed = on && (b.follower == nil || b.follower.watch())
	return b.armed
}

func (b *body) serveArm(_ *rclgo.ServiceInfo, req *std_srvs_srv.SetBool_Request,
	answer std_srvs_srv.SetBoolServiceResponseSender) {
	step := "disarm"
	if req.Data {
		step = "arm"
	}
	b.take(b.ctx, step)
	fault := b.meet(step)
	switch fault {
	case Die:
		b.die("in " + step)
	case Freeze:
		b.freezeIn(b.ctx, step)
		return
	}
	call := b.called()
	serve := func() {
		resp := std_srvs_srv.NewSetBool_Response()
		resp.Success, resp.Message = b.arm(step, fault, call)
		b.answer(step, fault, func() error { return answer.SendResponse(resp) })
	}
	if !b.waitsForLease(step, fault) {
		serve()
		return
	}
	go func() { // a disarm has to come through meanwhile
		if b.follower.await(b.ctx); b.ctx.Err() == nil {
			serve()
		}
	}()
}

// called counts a request to arm or disarm.
func (b *body) called() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	return b.calls
}

// waitsForLease reports whether a request to arm has come before its lease.
func (b *body) waitsForLease(step string, fault Fault) bool {
	if step != "arm" || b.follower == nil || fault == Lie || fault == Refuse || fault == Err {
		return false
	}
	yes, _ := b.follower.holds()
	return !yes
}

// answer answers a step, now or later or never.
func (b *body) answer(step string, fault Fault, send func() error) {
	switch fault {
	case Lose:
		b.log.Info("does not answer that it did " + step)
		return
	case lateAnswer:
		late := b.LateAnswer[step]
		b.log.Info("answers "+step+" late", zap.Duration("after", late))
		go func() {
			if pause(b.ctx, late); b.ctx.Err() == nil {
				b.send(send)
			}
		}()
		return
	}
	b.send(send)
}

func (b *body) send(send func() error) {
	if err := send(); err != nil && b.ctx.Err() == nil {
		b.log.Warn("cannot answer", zap.Error(err))
	}
}

func (b *body) arm(step string, fault Fault, call int) (done bool, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case fault == Lie:
		done, message = true, step+"ed" // it has not
		b.log.Info("lies about " + step)
		return done, message
	case fault == Refuse, fault == Err:
		message = "refuses to " + step
	case step == "arm" && b.life != nil && b.life.State().ID != rclgo.LifecycleActive:
		message = fmt.Sprintf("cannot arm while %s", b.life.State().Label)
	case step == "arm" && call != b.calls:
		message = "superseded by a later request"
	case b.setArmed(step == "arm") != (step == "arm"):
		message = "no arm lease holds: nothing renews " + b.follower.topic
	default:
		done, message = true, step+"ed"
	}
	b.log.Info(message)
	return done, message
}
