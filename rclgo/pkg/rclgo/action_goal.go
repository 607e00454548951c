package rclgo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// GoalHandle is a goal that a client has sent to a server.
type GoalHandle struct {
	ID          types.GoalID
	Description types.Message // the A_Goal

	server    *ActionServer
	header    rcl.Header // of the request
	ctx       context.Context
	cancel    context.CancelCauseFunc
	canceling chan struct{} // closed when a cancel is accepted
	ended     atomic.Bool   // no more feedback

	// loop only
	goal    *rcl.Goal       // nil unless accepted and not yet forgotten
	sender  *FeedbackSender // nil unless accepted
	stamp   time.Duration   // when it was accepted
	over    bool            // the outcome is decided
	asked   bool            // for its result
	waiting []rcl.Header    // requests for the result
	result  types.Message   // the A_GetResult_Response, never changed; nil until there is one
}

func newGoalHandle(s *ActionServer, id types.GoalID, goal types.Message, header rcl.Header) *GoalHandle {
	g := &GoalHandle{ID: id, Description: goal, server: s, header: header, canceling: make(chan struct{})}
	g.ctx, g.cancel = context.WithCancelCause(s.ctx)
	return g
}

// Server returns the goal's server.
func (g *GoalHandle) Server() *ActionServer { return g.server }

// RequestInfo describes the request for the goal. Where the middleware does not say when it was sent, SourceTimestamp is
// the Unix epoch. The first 12 bytes of its WriterGUID identify the participant of the client.
func (g *GoalHandle) RequestInfo() *ServiceInfo { return infoFromHeader(g.header) }

// Logger returns the logger of the server's node.
func (g *GoalHandle) Logger() *Logger { return g.server.node.Logger() }

// Canceling returns a channel that is closed when a cancel request has been accepted and the
// context of ExecuteGoal has ended because of it. That context also ends when the server is
// closed.
func (g *GoalHandle) Canceling() <-chan struct{} { return g.canceling }

// Accept accepts the goal, which is executing from then on. It may be called from
// ExecuteGoal or while it runs. Later calls change nothing and return the same sender.
func (g *GoalHandle) Accept() (s *FeedbackSender, err error) {
	op := "accept goal " + g.ID.String()
	err = g.server.onLoop(op, func() error {
		switch {
		case g.sender != nil:
		case g.over:
			return newError(codeActionGoalHandleInvalid, op, "it has ended")
		default:
			if err := g.accept(); err != nil {
				return err
			}
			g.sender = &FeedbackSender{g}
		}
		s = g.sender
		return nil
	})
	return s, err
}

// accept registers the goal before the client gets the answer. Loop only.
func (g *GoalHandle) accept() error {
	s := g.server
	goal, stamp, err := s.h.Accept(g.ID)
	if goal == nil {
		return err
	}
	g.goal, g.stamp = goal, stamp
	if err != nil {
		s.complain("read when goal "+g.ID.String()+" was accepted", err)
	}
	// Both statuses, accepted and executing, are due once the acceptance was sent.
	if status := s.status(); status != nil {
		s.out.show(status, false)
	}
	if err := goal.Update(rcl.GoalExecute); err != nil {
		return err
	}
	if status := s.status(); status != nil {
		s.out.show(status, false)
	}
	s.answerGoal(g.header, true, stamp)
	return nil
}

var errGoalPanic = errors.New("ExecuteGoal panicked")

// run is the goal's goroutine.
func (g *GoalHandle) run() {
	s := g.server
	defer g.cancel(nil)
	var result types.Message
	err := errGoalPanic
	s.call(func() { result, err = s.action.ExecuteGoal(g.ctx, g) })
	g.ended.Store(true)
	if fault := s.checkResult(result); fault != nil {
		result, err = nil, Aborted(errors.Join(fault, err))
		s.complain("send the result of goal "+g.ID.String(), fault)
	}
	status := GoalUnknown
	s.loop.do(func() { status = g.decide(err) })
	if status == GoalUnknown {
		return // rejected, or the server is closed
	}
	var end *goalEnd
	if err != nil && status == GoalAborted && !errors.As(err, &end) {
		s.complain("reach goal "+g.ID.String(), err)
	}
	resp := s.resultResponse(status, result)
	s.loop.post(func() { g.deliver(resp) })
}

// decide turns what ExecuteGoal returned into the goal's last status, and publishes it.
// It returns GoalUnknown if the goal has none. Loop only.
func (g *GoalHandle) decide(err error) GoalStatus {
	s := g.server
	if s.h == nil {
		return GoalUnknown
	}
	g.over = true
	if g.goal == nil {
		delete(s.goals, g.ID)
		s.answerGoal(g.header, false, 0)
		for _, header := range g.waiting {
			s.answerResult(header, s.emptyResult(GoalUnknown))
		}
		return GoalUnknown
	}
	if err := g.goal.Update(outcome(g.status() == GoalCanceling, err)); err != nil {
		s.complain("end goal "+g.ID.String(), err)
	}
	if err := s.h.GoalDone(); err != nil {
		s.complain("keep a result", err)
	}
	s.publishStatus()
	return g.status()
}

// outcome implements the table in the comment of Action.
func outcome(canceling bool, err error) rcl.GoalEvent {
	var end *goalEnd
	errors.As(err, &end)
	switch {
	case end != nil && end.status == GoalAborted:
		return rcl.GoalAbort
	case canceling && (err == nil || end != nil || errors.Is(err, context.Canceled)):
		return rcl.GoalCanceled
	case err == nil:
		return rcl.GoalSucceed
	default:
		return rcl.GoalAbort
	}
}

// status returns the status that rcl keeps. The goal must be accepted. Loop only, as all below.
func (g *GoalHandle) status() GoalStatus { return GoalStatus(g.goal.Status()) }

// deliver sends the result to the clients that wait for it and keeps it for later requests.
func (g *GoalHandle) deliver(resp types.Message) {
	g.result = resp
	for _, header := range g.waiting {
		g.server.answerResult(header, resp)
	}
	g.waiting = nil
}

// endWithServer sends the result before the server closes. Clients that it cannot reach
// notice that the server has left the graph.
func (g *GoalHandle) endWithServer() {
	s := g.server
	g.ended.Store(true)
	status := GoalUnknown
	if g.goal == nil {
		_ = respond(s.h, s.ts.SendGoal(), rcl.GoalService, g.header, s.ts.NewSendGoalResponse(false, 0))
	} else {
		if !g.over {
			if err := g.goal.Update(rcl.GoalAbort); err != nil {
				s.complain("abort goal "+g.ID.String(), err)
			}
		}
		status = g.status()
	}
	g.over = true
	for _, header := range g.waiting {
		_ = respond(s.h, s.ts.GetResult(), rcl.ResultService, header, s.emptyResult(status))
	}
	g.waiting = nil
}

// release frees the handle, once the server has forgotten the goal.
func (g *GoalHandle) release() error {
	goal := g.goal
	g.goal = nil
	if goal == nil {
		return nil
	}
	return goal.Close()
}

// FeedbackSender sends the feedback of one goal.
type FeedbackSender struct{ goal *GoalHandle }

// Send sends an A_Feedback to every client that watches the goal. It may be called from any
// goroutine, until ExecuteGoal returns.
func (s *FeedbackSender) Send(msg types.Message) error {
	g, server := s.goal, s.goal.server
	op := "send feedback of goal " + g.ID.String()
	switch {
	case msg == nil:
		return fail(op, errNilMessage)
	case g.ended.Load():
		return newError(codeActionGoalHandleInvalid, op, "the goal has ended")
	}
	if want := server.ts.Feedback().New(); !sameType(msg, want) {
		return newError(codeInvalidArgument, op, fmt.Sprintf("the feedback is a %T, the action sends a %T", msg, want))
	}
	wrapped := server.ts.NewFeedbackMessage(&g.ID, msg)
	return fail(op, withC(server.ts.FeedbackMessage(), wrapped, func(mem unsafe.Pointer) error {
		return server.inPlace(op, func(h *rcl.ActionServer) error { return h.PublishFeedback(mem) })
	}))
}
