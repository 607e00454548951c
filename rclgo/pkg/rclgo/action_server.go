package rclgo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// ActionServer executes goals for clients. It executes several goals at the same time; an
// action that wants one at a time rejects the others.
type ActionServer struct {
	entity
	ActionName string // expanded, and remapped where rcl remaps actions
	node       *Node
	action     Action
	ts         types.ActionTypeSupport
	onGoal     func(*GoalHandle) // nil: none
	onCancel   func(context.Context, *GoalHandle) bool

	ctx  context.Context // ends with the server; above the contexts of its goals
	stop context.CancelCauseFunc

	// The server is closed with its clock as well as with its node. Only closing the node
	// shuts the gate, so h has a lock of its own for use outside of the loop.
	clockLink entity
	live      sync.RWMutex
	h         *rcl.ActionServer // nil once closed; changed by the loop

	goals map[types.GoalID]*GoalHandle // all that are known, asked for or ended; loop only
	out   *actionWriter
}

// NewActionServer makes an action server. opts may be nil.
func (n *Node) NewActionServer(
	name string,
	action Action,
	opts *ActionServerOptions,
) (*ActionServer, error) {
	if opts == nil {
		opts = NewDefaultActionServerOptions()
	}
	op := "create action server " + strconv.Quote(name)
	if err := noNUL(op, codeActionNameInvalid, name); err != nil {
		return nil, err
	}
	if action == nil {
		return nil, newError(codeInvalidArgument, op, "the action is nil")
	}
	ts := action.TypeSupport()
	if err := checkActionType(ts); err != nil {
		return nil, fail(op, err)
	}
	clock := opts.Clock
	if clock == nil {
		clock = n.ctx.Clock()
	}
	if clock.ctx != n.ctx {
		return nil, newError(codeInvalidArgument, op, "the clock is of another context")
	}
	s := &ActionServer{
		node: n, action: action, ts: ts, onGoal: opts.OnGoal, onCancel: cancelDecision(action, opts),
		goals: map[types.GoalID]*GoalHandle{},
	}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	if err := n.build(op, func() error { return s.open(name, clock, opts) }); err != nil {
		s.stop(err)
		return nil, err
	}
	return s, nil
}

// cancelDecision returns the function that decides about cancel requests; nil accepts all.
func cancelDecision(action Action, opts *ActionServerOptions) func(context.Context, *GoalHandle) bool {
	if opts.OnCancel != nil {
		return opts.OnCancel
	}
	if d, ok := action.(CancelDecider); ok {
		return d.OnCancel
	}
	if u, ok := action.(interface{ Unwrap() any }); ok {
		if d, ok := u.Unwrap().(CancelDecider); ok {
			return d.OnCancel
		}
	}
	return nil
}

// maxResultTimeout stands for no limit: rcl adds it to the time, in nanoseconds.
const maxResultTimeout = 100 * 365 * 24 * time.Hour

// open makes the handles. Loop only.
func (s *ActionServer) open(name string, clock *Clock, opts *ActionServerOptions) (err error) {
	if clock.gone {
		return errors.New("the clock is closed")
	}
	timeout := opts.ResultTimeout
	if timeout < 0 || timeout > maxResultTimeout {
		timeout = maxResultTimeout
	}
	s.h, err = rcl.NewActionServer(s.node.h, clock.h, s.ts.TypeSupport(), name, opts.rcl(), timeout)
	if err != nil {
		return err
	}
	s.ActionName = s.h.Name()
	s.what, s.invalid = "action server "+strconv.Quote(s.ActionName), codeActionServerInvalid
	s.kind, s.handle = rcl.WaitActionServer, unsafe.Pointer(s.h)
	s.onReady = s.take
	s.finalize = s.end
	s.node.adopt(&s.entity)

	s.clockLink.what, s.clockLink.invalid = s.what, s.invalid
	s.clockLink.finalize = s.remove
	clock.adopt(&s.clockLink)
	s.out = newActionWriter(s)
	go s.out.run()
	return nil
}

func (s *ActionServer) base() *entity { return &s.entity }

// Close ends the contexts of the running goals and closes the server. It sends clients the
// result that these goals are aborted, as far as the middleware still delivers it.
func (s *ActionServer) Close() (err error) { return s.closeTree() }

// Node returns what the server was made from.
func (s *ActionServer) Node() *Node { return s.node }

// AddActionServers adds action servers.
func (w *WaitSet) AddActionServers(servers ...*ActionServer) { addTo(w, &w.ActionServers, servers) }

// end is the server's finalize. Loop only.
func (s *ActionServer) end() error {
	s.stop(ErrActionServerClosed)
	s.out.close()
	for _, g := range s.goals {
		g.endWithServer()
	}
	if status := s.status(); status != nil {
		if err := s.h.PublishStatus(status); err != nil {
			s.complain("publish status", err)
		}
		status.Close()
	}
	h := s.h
	s.live.Lock()
	s.h = nil
	s.live.Unlock()
	errs := []error{h.Close(s.node.h)}
	for _, g := range s.goals {
		errs = append(errs, g.release())
	}
	clear(s.goals)
	return errors.Join(append(errs, s.clockLink.remove())...)
}

// onLoop is like ask, for calls that need the handle.
func (s *ActionServer) onLoop(op string, fn func() error) error {
	return s.ask(op, func() error {
		if s.h == nil {
			return s.closedError(op)
		}
		return fn()
	})
}

// take takes what has arrived. Loop only, as all below.
func (s *ActionServer) take(bits uint8) {
	var all takes
	if bits&rcl.ReadyGoal != 0 {
		all.add(s.takeRequests(rcl.GoalService, s.ts.SendGoal().Request(), s.goalAsked))
	}
	if bits&rcl.ReadyCancel != 0 {
		all.add(s.takeCancels())
	}
	if bits&rcl.ReadyResult != 0 {
		all.add(s.takeRequests(rcl.ResultService, s.ts.GetResult().Request(), s.resultAsked))
	}
	if bits&rcl.ReadyExpired != 0 {
		all.n += s.expire()
	}
	s.rest(turnOf(all.n, all.fault))
}

// takes sums up the takes of one turn.
type takes struct {
	n     int
	fault bool
}

func (t *takes) add(n int, fault bool) { t.n, t.fault = t.n+n, t.fault || fault }

// requestsAtOnce bounds the requests of one service that are taken before other services
// have their turn. The rest wakes the loop again.
const requestsAtOnce = 100

// takeRequests takes the requests to a service and passes them on. It drops a request that
// cannot be decoded, since such a request cannot be answered. It returns how many it took, and
// whether a take failed.
func (s *ActionServer) takeRequests(service rcl.ActionService, ts types.MessageTypeSupport,
	handle func(rcl.Header, types.GoalIDMessage)) (int, bool) {
	mem := ts.PrepareMemory()
	defer ts.ReleaseMemory(mem)
	for n := range requestsAtOnce {
		header, err := s.h.TakeRequest(service, mem)
		if err != nil {
			return n, s.takeFault(s.node.Logger(), "take a request for action "+s.ActionName, err)
		}
		msg := ts.New().(types.GoalIDMessage)
		if err := types.Decode(ts, msg, mem); err != nil {
			s.takeFault(s.node.Logger(), "decode a request for action "+s.ActionName, err)
			continue
		}
		handle(header, msg)
	}
	return requestsAtOnce, false
}

// goalAsked announces a goal and starts its goroutine.
func (s *ActionServer) goalAsked(header rcl.Header, msg types.GoalIDMessage) {
	id := *msg.GetGoalID()
	if _, taken := s.goals[id]; taken {
		s.complain("take goal "+id.String(), errors.New("there is a goal of that id"))
		s.answerGoal(header, false, 0)
		return
	}
	g := newGoalHandle(s, id, msg.(types.GoalRequestMessage).GetGoalDescription(), header)
	s.goals[id] = g
	if s.onGoal != nil {
		s.call(func() { s.onGoal(g) })
	}
	go g.run()
}

func (s *ActionServer) answerGoal(header rcl.Header, accepted bool, stamp time.Duration) {
	resp := s.ts.NewSendGoalResponse(accepted, stamp)
	s.out.put(rcl.GoalService, header, answer{accepts: accepted, send: func(h *rcl.ActionServer) error {
		return respond(h, s.ts.SendGoal(), rcl.GoalService, header, resp)
	}})
}

// resultAsked answers at once if there is a result, or if there will never be one.
func (s *ActionServer) resultAsked(header rcl.Header, msg types.GoalIDMessage) {
	g, ok := s.goals[*msg.GetGoalID()]
	if ok && !g.asked {
		g.asked = true
		s.out.acked(g.header, header)
	}
	switch {
	case !ok:
		s.answerResult(header, s.emptyResult(GoalUnknown))
	case g.result == nil:
		g.waiting = append(g.waiting, header)
	default:
		s.answerResult(header, g.result)
	}
}

func (s *ActionServer) answerResult(header rcl.Header, resp types.Message) {
	s.out.put(rcl.ResultService, header, answer{send: func(h *rcl.ActionServer) error {
		return respond(h, s.ts.GetResult(), rcl.ResultService, header, resp)
	}})
}

func respond(h *rcl.ActionServer, ts types.ServiceTypeSupport, service rcl.ActionService, header rcl.Header,
	resp types.Message) error {
	return withC(ts.Response(), resp, func(mem unsafe.Pointer) error { return h.Respond(service, header, mem) })
}

// inPlace is like use, for calls that need the handle outside of the loop.
func (s *ActionServer) inPlace(op string, fn func(*rcl.ActionServer) error) error {
	return s.use(op, func() error {
		s.live.RLock()
		defer s.live.RUnlock()
		if s.h == nil {
			return s.closedError(op)
		}
		return fn(s.h)
	})
}

// Unfetched returns the number of ended goals of which no client has asked for the result yet. A server
// that is about to close can wait until it is 0, so that slow clients still get their results. A client
// that is gone never asks. A closed server has none.
func (s *ActionServer) Unfetched() (n int) {
	_ = s.onLoop("count the results that were not fetched", func() error {
		for _, g := range s.goals {
			if g.goal != nil && g.over && !g.asked {
				n++
			}
		}
		return nil
	})
	return n
}

// expire forgets the goals whose result timeout has passed, and counts them.
func (s *ActionServer) expire() (n int) {
	for {
		id, ok, err := s.h.Expire()
		if err != nil {
			s.complain("forget old goals", err)
		}
		if !ok {
			break
		}
		n++
		if g := s.goals[id]; g != nil {
			delete(s.goals, id)
			_ = g.release()
		}
	}
	if n > 0 {
		s.publishStatus()
	}
	return n
}

func (s *ActionServer) publishStatus() {
	if status := s.status(); status != nil {
		s.out.show(status, true)
	}
}

// status returns the status of all goals, or nil.
func (s *ActionServer) status() *rcl.StatusArray {
	status, err := s.h.Status()
	if err != nil {
		s.complain("read the status of goals", err)
		return nil
	}
	return status
}

// complain logs an error that no caller can receive. It may be called from any goroutine.
func (s *ActionServer) complain(op string, err error) {
	_ = s.node.Logger().Warnf("action %s: cannot %s: %v", s.ActionName, op, err)
}

// sameType reports whether msg is not nil and has the type of want.
func sameType(msg, want types.Message) bool {
	v := reflect.ValueOf(msg)
	return v.IsValid() && v.Type() == reflect.TypeOf(want) && (v.Kind() != reflect.Pointer || !v.IsNil())
}

// checkResult reports why a result cannot be sent. Any goroutine may call it.
func (s *ActionServer) checkResult(result types.Message) error {
	if result == nil {
		return nil
	}
	if want := s.ts.Result().New(); !sameType(result, want) {
		return fmt.Errorf("the result is a %T, the action returns a %T", result, want)
	}
	return withC(s.ts.Result(), result, func(unsafe.Pointer) error { return nil })
}

// resultResponse makes an A_GetResult_Response that shares nothing with result, which
// checkResult has passed. Any goroutine may call it.
func (s *ActionServer) resultResponse(status GoalStatus, result types.Message) types.Message {
	if result == nil {
		return s.emptyResult(status)
	}
	return s.ts.NewGetResultResponse(int8(status), result.CloneMsg())
}

func (s *ActionServer) emptyResult(status GoalStatus) types.Message {
	return s.ts.NewGetResultResponse(int8(status), s.ts.Result().New())
}
