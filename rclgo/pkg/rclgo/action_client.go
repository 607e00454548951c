package rclgo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ActionClient sends goals to an action.
//
// Its calls may be made from many goroutines, and need something to spin the client. A call
// returns when the answer arrives, when its context ends or when the client is closed. It
// returns ErrActionServerGone when every server that was there at the start of the call has
// left the graph. A killed server leaves the graph only when the lease of its participant
// has expired.
type ActionClient struct {
	entity
	ActionName string // expanded, and remapped where rcl remaps actions
	node       *Node
	ts         types.ActionTypeSupport
	h          *rcl.ActionClient

	goal, cancel, result actionCalls
	watches              actionWatches

	graph       entity // for calls that wait
	statusTopic string
	vigils      vigils
}

// actionCalls is one of an action client's services.
type actionCalls struct {
	service  rcl.ActionService
	readyBit uint8
	ts       types.ServiceTypeSupport
	calls    calls
}

func (s *actionCalls) init(owner *entity, service rcl.ActionService, bit uint8, ts types.ServiceTypeSupport) {
	s.service, s.readyBit, s.ts = service, bit, ts
	s.calls.init(owner, ts.Response())
}

// NewActionClient makes an action client. opts may be nil.
func (n *Node) NewActionClient(
	name string,
	ts types.ActionTypeSupport,
	opts *ActionClientOptions,
) (*ActionClient, error) {
	if opts == nil {
		opts = NewDefaultActionClientOptions()
	}
	op := "create action client " + strconv.Quote(name)
	if err := noNUL(op, codeActionNameInvalid, name); err != nil {
		return nil, err
	}
	if err := checkActionType(ts); err != nil {
		return nil, fail(op, err)
	}
	c := &ActionClient{node: n, ts: ts}
	c.vigils.waiting = map[*vigil]struct{}{}
	c.goal.init(&c.entity, rcl.GoalService, rcl.ReadyGoal, ts.SendGoal())
	c.cancel.init(&c.entity, rcl.CancelService, rcl.ReadyCancel, ts.CancelGoal())
	c.result.init(&c.entity, rcl.ResultService, rcl.ReadyResult, ts.GetResult())
	c.watches.init(ts, opts)
	if err := n.build(op, func() error { return c.open(name, opts) }); err != nil {
		return nil, err
	}
	return c, nil
}

// open makes the handles. Loop only.
func (c *ActionClient) open(name string, opts *ActionClientOptions) (err error) {
	n := c.node
	if c.h, err = rcl.NewActionClient(n.h, c.ts.TypeSupport(), name, opts.rcl()); err != nil {
		return err
	}
	if c.statusTopic, err = c.h.StatusTopic(n.h); err != nil {
		return errors.Join(err, c.h.Close(n.h))
	}
	c.ActionName = c.h.Name()
	c.what, c.invalid = "action client "+strconv.Quote(c.ActionName), codeActionClientInvalid
	c.kind, c.handle = rcl.WaitActionClient, unsafe.Pointer(c.h)
	c.onReady = c.take
	c.finalize = func() error {
		for _, s := range c.services() {
			s.calls.close()
		}
		c.watches.close(c.closedError("watch"))
		return c.h.Close(n.h)
	}
	n.adopt(&c.entity)

	guard, key := n.h.GraphGuard()
	c.graph.what, c.graph.invalid = "graph watch of "+c.what, codeActionClientInvalid
	c.graph.kind, c.graph.handle, c.graph.key = rcl.WaitGuard, unsafe.Pointer(guard), key
	c.graph.onReady = func(uint8) { c.graphChanged() }
	c.adopt(&c.graph)
	return nil
}

func (c *ActionClient) base() *entity { return &c.entity }

func (c *ActionClient) services() [3]*actionCalls {
	return [...]*actionCalls{&c.goal, &c.cancel, &c.result}
}

// Close ends the calls that wait and the watches, and closes the client. Goals go on.
func (c *ActionClient) Close() error { return c.closeTree() }

// Node returns what the client was made from.
func (c *ActionClient) Node() *Node { return c.node }

// Available reports whether the graph shows a server with all its services and topics.
func (c *ActionClient) Available() (yes bool, err error) {
	err = c.use("look for action "+c.ActionName, func() (err error) {
		c.node.queryMu.Lock()
		defer c.node.queryMu.Unlock()
		yes, err = c.node.h.ActionServerAvailable(c.h)
		return err
	})
	return yes, err
}

// take takes what has arrived. It takes status and feedback first, so that a handler sees
// the feedback of a goal before its result: if there is more feedback than one turn takes,
// responses wait for the next turn. Loop only.
func (c *ActionClient) take(bits uint8) {
	var all takes
	more := false
	if bits&rcl.ReadyStatus != 0 {
		n, err := c.watches.takeStatus(c.h.TakeStatus)
		all.add(n, c.takeFault(c.node.Logger(), "take status of action "+c.ActionName, err))
	}
	if bits&rcl.ReadyFeedback != 0 {
		n, err := c.watches.takeFeedback(c.h.TakeFeedback, func(err error) {
			c.takeFault(c.node.Logger(), "decode feedback of action "+c.ActionName, err)
		})
		all.add(n, c.takeFault(c.node.Logger(), "take feedback of action "+c.ActionName, err))
		more = n == takesAtOnce
	}
	for _, s := range c.services() {
		if bits&s.readyBit != 0 && !more {
			n, err := c.takeResponses(s)
			all.add(n, c.takeFault(c.node.Logger(), "take a response of action "+c.ActionName, err))
		}
	}
	c.rest(turnOf(all.n, all.fault))
}

// takeResponses returns how many responses it took, and the error that ended it. Loop only.
func (c *ActionClient) takeResponses(s *actionCalls) (n int, err error) {
	for ; n < takesAtOnce; n++ {
		r := response{msg: s.calls.ts.PrepareMemory()}
		if r.header, err = c.h.TakeResponse(s.service, r.msg); err != nil {
			s.calls.ts.ReleaseMemory(r.msg)
			return n, err
		}
		s.calls.deliver(r)
	}
	return n, nil
}

// SendGoalRequest sends an A_SendGoal_Request, with an id of the caller's choice, and
// returns the A_SendGoal_Response, whether the goal was accepted or not.
func (c *ActionClient) SendGoalRequest(ctx context.Context, request types.Message) (types.Message, error) {
	return c.call(ctx, "send goal to", &c.goal, request)
}

// SendGoal sends an A_Goal under a new id, and returns the A_SendGoal_Response, whether
// the goal was accepted or not, and the id.
func (c *ActionClient) SendGoal(ctx context.Context, goal types.Message) (types.Message, *types.GoalID, error) {
	request, err := c.newGoal(goal)
	if err != nil {
		return nil, nil, err
	}
	id := *request.GetGoalID()
	resp, err := c.SendGoalRequest(ctx, request)
	return resp, &id, err
}

// newGoal wraps a goal into a request with a random id.
func (c *ActionClient) newGoal(goal types.Message) (types.GoalRequestMessage, error) {
	op := "send goal to " + c.ActionName
	if goal == nil {
		return nil, fail(op, errNilMessage)
	}
	if want := c.ts.Goal().New(); reflect.TypeOf(goal) != reflect.TypeOf(want) {
		return nil, newError(codeInvalidArgument, op,
			fmt.Sprintf("the goal is a %T, the action takes a %T", goal, want))
	}
	request := c.ts.SendGoal().Request().New().(types.GoalRequestMessage)
	request.SetGoalDescription(goal)
	var id types.GoalID
	_, _ = rand.Read(id[:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	request.SetGoalID(&id)
	return request, nil
}

// GetResult waits for the end of a goal and returns the A_GetResult_Response: the result
// and the status, which [ResultStatus] and [ResultError] read. For a goal that the server
// does not know, or whose result it no longer keeps, the server answers GoalUnknown at once.
func (c *ActionClient) GetResult(ctx context.Context, goalID *types.GoalID) (types.Message, error) {
	if goalID == nil {
		return nil, newError(codeInvalidArgument, "get result of "+c.ActionName, "the goal's id is nil")
	}
	request := c.result.ts.Request().New().(types.GoalIDMessage)
	request.SetGoalID(goalID)
	return c.call(ctx, "get result of", &c.result, request)
}

// CancelGoal sends an action_msgs/srv/CancelGoal_Request: one goal by its id; those
// accepted until a stamp; or, with neither, all. The response lists the goals that are
// being cancelled now, and none that the server refused to cancel.
func (c *ActionClient) CancelGoal(ctx context.Context, request types.Message) (types.Message, error) {
	return c.call(ctx, "cancel goals of", &c.cancel, request)
}

// WatchGoal sends a goal, passes its feedback to onFeedback, which may be nil, and returns
// what GetResult returns. It returns after it has passed on all feedback that has arrived.
// If the server rejects the goal, the error is an *ActionGoalRejected.
//
// When ctx ends, WatchGoal returns ctx.Err() itself and asks the server to cancel the
// goal, in the background. A program whose goals must outlive its contexts uses SendGoal
// and GetResult, which never cancel anything.
func (c *ActionClient) WatchGoal(
	ctx context.Context, goal types.Message, onFeedback FeedbackHandler,
) (result types.Message, goalID *types.GoalID, retErr error) {
	request, err := c.newGoal(goal)
	if err != nil {
		return nil, nil, err
	}
	id := *request.GetGoalID()
	if onFeedback != nil {
		w := c.watches.watchFeedback(&id, onFeedback)
		ended := c.runWatch(ctx, w)
		defer func() {
			w.finish(nil)
			<-ended // its error is that of the wait below
		}()
	}
	sent, err := c.begin(ctx, "send goal to", &c.goal, request)
	if err != nil {
		return nil, &id, endOf(ctx, err)
	}
	if !sent.keep(ctx) {
		go c.cancelOnce(sent, id)
		return nil, &id, ctx.Err()
	}
	resp, err := sent.wait(ctx)
	if err != nil {
		return nil, &id, err
	}
	if !resp.(types.GoalResponseMessage).GetGoalAccepted() {
		return nil, &id, newError(codeActionGoalRejected, "send goal to "+c.ActionName, "the server rejected it")
	}
	result, err = c.GetResult(ctx, &id)
	if err != nil && ctx.Err() != nil {
		_ = c.sendCancel(&id) // best effort: the call returns the error of ctx, and the goal may end by itself
	}
	return result, &id, endOf(ctx, err)
}

// endOf returns the error of ctx if err was caused by the end of ctx, else err.
func endOf(ctx context.Context, err error) error {
	if end := ctx.Err(); end != nil && errors.Is(err, end) {
		return end
	}
	return err
}

// cancelPatience is how long cancelOnce waits for the acceptance of its goal.
const cancelPatience = 30 * time.Second

// cancelOnce cancels a goal as soon as the server has accepted it: a server that does not
// know the goal yet would refuse.
func (c *ActionClient) cancelOnce(sent *actionCall, id types.GoalID) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelPatience)
	defer cancel()
	resp, err := sent.wait(ctx)
	if err == nil && resp.(types.GoalResponseMessage).GetGoalAccepted() {
		_ = c.sendCancel(&id) // best effort: no caller waits for the error
	}
}

// sendCancel asks to cancel one goal and does not wait for the answer.
func (c *ActionClient) sendCancel(id *types.GoalID) error {
	op := "cancel goal of " + c.ActionName
	ts := c.cancel.ts.Request()
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	rcl.SetCancelRequest(mem, *id)
	return c.use(op, func() error {
		w, err := c.cancel.calls.send(func() (int64, error) { return c.h.Send(rcl.CancelService, mem) })
		if err == nil && !c.cancel.calls.giveUp(w) {
			c.cancel.ts.Response().ReleaseMemory(w.response.msg)
		}
		return err
	})
}

// call sends a request to one of the services and waits.
func (c *ActionClient) call(ctx context.Context, op string, s *actionCalls, req types.Message) (types.Message, error) {
	sent, err := c.begin(ctx, op, s, req)
	if err != nil {
		return nil, err
	}
	return sent.wait(ctx)
}

// actionCall is a request that was sent. Its owner calls wait once.
type actionCall struct {
	client  *ActionClient
	op      string
	service *actionCalls
	vigil   *vigil
	call
}

func (c *ActionClient) begin(ctx context.Context, op string, s *actionCalls, req types.Message) (*actionCall, error) {
	op += " " + c.ActionName
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("cannot %s: %w", op, err)
	}
	v := c.keepVigil()
	var w call
	err := withC(s.ts.Request(), req, func(msg unsafe.Pointer) error {
		return c.use(op, func() (err error) {
			w, err = s.calls.send(func() (int64, error) { return c.h.Send(s.service, msg) })
			return err
		})
	})
	if err != nil {
		c.endVigil(v)
		return nil, fail(op, err)
	}
	return &actionCall{c, op, s, v, w}, nil
}

// keep waits for the answer, and reports false if ctx ended first. It leaves the request
// unchanged.
func (a *actionCall) keep(ctx context.Context) bool {
	select {
	case <-a.answered:
	case <-a.vigil.gone:
	case <-ctx.Done():
		return false
	}
	return true
}

// wait waits for the answer and gives it up when ctx ends or the servers leave.
func (a *actionCall) wait(ctx context.Context) (types.Message, error) {
	defer a.client.endVigil(a.vigil)
	var cause error
	select {
	case <-a.answered:
	case <-ctx.Done():
		cause = fmt.Errorf("no response: %w", ctx.Err())
	case <-a.vigil.gone:
		cause = fmt.Errorf("%w; send the goal again when a server is back", ErrActionServerGone)
	}
	if cause != nil {
		if a.service.calls.giveUp(a.call) {
			return nil, fmt.Errorf("cannot %s: %w", a.op, cause)
		}
		<-a.answered
	}
	if a.response.msg == nil {
		return nil, a.client.closedError(a.op)
	}
	msg, err := a.response.decode(a.service.calls.ts)
	return msg, fail(a.op, err)
}

// AddActionClients adds action clients.
func (w *WaitSet) AddActionClients(clients ...*ActionClient) { addTo(w, &w.ActionClients, clients) }
