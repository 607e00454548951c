//go:build ros

package rosnet

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/outbox"
	"rstate/internal/protocol"
	"rstate/internal/queue"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

// tellIn is how long a client has to hear that its cancel is accepted.
const tellIn = time.Second

// requestDepth is how many requests of the action's services wait to be taken. ROS's default, 10,
// loses those of a burst.
const requestDepth = 1000

// deep is for services that command: none of their requests may be lost in a burst.
func deep() *rclgo.ServiceOptions {
	opts := rclgo.NewDefaultServiceOptions()
	opts.Qos.Depth = requestDepth
	return opts
}

// goal is one request on the action, from its arrival to its result. The engine's words about it
// come through two queues, since several goroutines wait for them.
type goal struct {
	told   *queue.Queue[told] // AcceptGoal or RejectGoal; then SendFeedback; last FinishGoal
	cancel atomic.Bool        // a cancel request was accepted

	asking  sync.Mutex                // makes the order of cancels that of the posted CancelAsked
	cancels *queue.Queue[chan<- bool] // for the answer to each CancelAsked; each has room for it
}

// told is one of the engine's words, which goes to the client after what was published before it.
type told struct {
	effect engine.Effect
	out    *outbox.Outbox
	mark   uint64
}

// await waits until that has left, unless the middleware is stuck.
func (t told) await(ctx context.Context) { t.out.Wait(ctx, t.mark) }

func newGoal() *goal {
	return &goal{told: queue.New[told](), cancels: queue.New[chan<- bool]()}
}

// askCancel posts one request to cancel and returns where its answer will be. The engine answers
// every CancelAsked, in order, so the n-th answer belongs to the n-th caller.
func (g *goal) askCancel(post func()) <-chan bool {
	answer := make(chan bool, 1)
	g.asking.Lock()
	defer g.asking.Unlock()
	g.cancels.Put(answer)
	post()
	return answer
}

func (g *goal) answerCancel(accepted bool) {
	if accepted {
		g.cancel.Store(true)
	}
	if answer, ok := g.cancels.TryTake(); ok {
		answer <- accepted
	}
}

// goals are the open ones by handle. Safe for use side by side.
type goals struct {
	mu    sync.Mutex
	open  map[string]*goal
	empty chan struct{} // closed when the last one is answered; nil: no goroutine waits
	ended func() int    // counts the ended ones whose result was not fetched; nil: there is no server yet
}

func (g *goals) add(handle string) *goal {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]*goal{}
	}
	one := newGoal()
	g.open[handle] = one
	return one
}

func (g *goals) get(handle string) *goal {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[handle]
}

func (g *goals) remove(handle string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, handle)
	if len(g.open) == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

func (g *goals) tell(handle string, t told) {
	if one := g.get(handle); one != nil {
		one.told.Put(t)
	}
}

func (g *goals) answerCancel(e engine.AnswerCancel) {
	if one := g.get(e.Handle); one != nil {
		one.answerCancel(e.Accepted)
	}
}

// drain waits until every goal is answered, or so long.
func (g *goals) drain(limit time.Duration) {
	g.mu.Lock()
	if len(g.open) == 0 {
		g.mu.Unlock()
		return
	}
	if g.empty == nil {
		g.empty = make(chan struct{})
	}
	empty := g.empty
	g.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	}
}

// keepResults is how long the result of a goal is kept. Each status array lists all goals that are
// kept, and the pause between two arrays grows with them.
const keepResults = 30 * time.Second

// startGoals makes the action server. A client may use the server as soon as it discovers it, so
// the server is made last.
func (w *World) startGoals() error {
	opts := rclgo.NewDefaultActionServerOptions()
	opts.OnGoal, opts.OnCancel = w.goalAsked, w.cancelAsked
	opts.ResultTimeout = keepResults
	for _, qos := range []*rclgo.QosProfile{&opts.GoalServiceQos, &opts.CancelServiceQos, &opts.ResultServiceQos} {
		qos.Depth = requestDepth
	}
	opts.FeedbackTopicQos.Depth = protocol.FeedbackDepth
	// For clients that ask for it; others need not.
	opts.FeedbackTopicQos.Durability = rclgo.DurabilityTransientLocal
	action := rstate_msgs_action.NewTransitionAction(w.execute)
	server, err := rstate_msgs_action.NewTransitionServer(w.node, "~/transition", action, opts)
	if err != nil {
		return err
	}
	w.owns(server.Close)
	w.goals.mu.Lock()
	defer w.goals.mu.Unlock()
	w.goals.ended = server.Unfetched
	return nil
}

// AwaitFetched waits until the clients have asked for the results of their goals, or so long, and
// reports whether they have. It comes before Close: a client that asks later waits for ever.
func (w *World) AwaitFetched(limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	w.goals.drain(min(flush, limit))
	w.goals.mu.Lock()
	left := w.goals.ended
	w.goals.mu.Unlock()
	for left != nil && left() > 0 {
		if !time.Now().Before(deadline) {
			return false
		}
		time.Sleep(fetchLook)
	}
	return true
}

// goalAsked hands a goal on. rclgo calls it in the order in which goals arrive, so that of two goals of one client the last
// one decides. execute sees the goal through.
func (w *World) goalAsked(g *rclgo.GoalHandle) {
	handle := protocol.GoalText(g.ID)
	w.goals.add(handle)
	d := g.Description.(*rstate_msgs_action.Transition_Goal)
	w.ask(engine.GoalAsked{
		Handle: handle, Command: machine.ReadWord(d.Command), Reason: d.Reason, Client: d.Client, ID: d.Id,
		Authorized: w.secret.Fits(d.Authority), WaitPeers: d.WaitPeers, Argument: d.Argument, Seen: d.Seen,
	}, originOf(g.RequestInfo()))
}

// execute sees one goal through. rclgo runs it on a goroutine of its own, after goalAsked.
func (w *World) execute(ctx context.Context,
	g *rstate_msgs_action.TransitionGoalHandle) (*rstate_msgs_action.Transition_Result, error) {
	handle := protocol.GoalText(g.ID)
	one := w.goals.get(handle)
	defer w.goals.remove(handle)
	progress := progress{w: w, handle: handle}
	for {
		told, ok := progress.take(one.told)
		if !ok {
			return w.cutOff(), rclgo.Aborted(w.whyOver())
		}
		told.await(w.asking)
		switch e := told.effect.(type) {
		case engine.RejectGoal:
			return nil, errors.New(e.Why) // returning without Accept is what rejects
		case engine.AcceptGoal:
			feedback, err := g.Accept()
			if err != nil {
				w.log.Error("cannot accept a goal", zap.String("goal", handle), zap.Error(err))
				return nil, err
			}
			progress.send = feedback.Send
		case engine.SendFeedback:
			progress.add(e)
		case engine.FinishGoal:
			progress.flush()
			if one.cancel.Load() {
				w.awaitCanceling(g.GoalHandle)
			}
			return w.result(e.Result), ending(e)
		}
	}
}

// awaitCanceling waits until the client has been told that its cancel is accepted: the engine may
// be done with it sooner, and a goal that is not canceling cannot end canceled.
func (w *World) awaitCanceling(g *rclgo.GoalHandle) {
	timer := time.NewTimer(tellIn)
	defer timer.Stop()
	select {
	case <-g.Canceling():
	case <-timer.C:
	case <-w.ctx.Done():
	}
}

// ending puts the way in which a goal ended into rclgo's words.
func ending(e engine.FinishGoal) error {
	switch e.Ending {
	case engine.Aborted:
		return rclgo.Aborted(errors.New(e.Result.Message))
	case engine.Canceled:
		return rclgo.Canceled(nil)
	}
	return nil
}

// cancelAsked waits for the engine's word on a cancel request. rclgo calls it where it may block,
// and ends ctx with the goal or the server.
func (w *World) cancelAsked(ctx context.Context, g *rclgo.GoalHandle) bool {
	handle := protocol.GoalText(g.ID)
	one := w.goals.get(handle)
	if one == nil {
		return false
	}
	answer := one.askCancel(func() { w.post(engine.CancelAsked{Handle: handle}) })
	select {
	case accepted := <-answer:
		return accepted
	case <-ctx.Done():
		return false
	}
}
