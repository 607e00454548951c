package rclgo

import (
	"sync"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// takeCancels answers requests to cancel, at once or when the action has decided. rcl
// decides which goals a request is about. takeCancels returns how many it took, and whether a
// take failed. Loop only.
func (s *ActionServer) takeCancels() (int, bool) {
	for n := range requestsAtOnce {
		req, err := s.h.TakeCancel()
		if err != nil {
			return n, s.takeFault(s.node.Logger(), "take a request to cancel goals of "+s.ActionName, err)
		}
		r := &cancelRequest{server: s, CancelRequest: req}
		for _, id := range req.Goals {
			if g := s.goals[id]; g != nil {
				r.goals = append(r.goals, g)
			}
		}
		// rcl reports a goal that is being cancelled as ended.
		if g := s.goals[req.Asked]; req.Code == rcl.CancelTerminated && g != nil && g.isCanceling() {
			r.goals, r.Code = append(r.goals, g), rcl.CancelAccepted
		}
		r.accepted = make([]bool, len(r.goals))
		if s.onCancel == nil || len(r.goals) == 0 {
			for i := range r.accepted {
				r.accepted[i] = true
			}
			r.answer()
			continue
		}
		go r.decide()
	}
	return requestsAtOnce, false
}

func (g *GoalHandle) isCanceling() bool {
	return !g.over && g.goal != nil && g.status() == GoalCanceling
}

func (g *GoalHandle) info() rcl.GoalInfo { return rcl.GoalInfo{ID: g.ID, Stamp: g.stamp} }

// cancelRequest is one request on its way to its answer.
type cancelRequest struct {
	rcl.CancelRequest
	server   *ActionServer
	goals    []*GoalHandle
	accepted []bool // by place in goals
}

// decide asks about all goals side by side.
func (r *cancelRequest) decide() {
	var wg sync.WaitGroup
	for i, g := range r.goals {
		wg.Go(func() { r.server.call(func() { r.accepted[i] = r.server.onCancel(g.ctx, g) }) })
	}
	wg.Wait()
	r.server.loop.post(r.answer)
}

// answer cancels the goals that may be cancelled and sends the response. Loop only.
func (r *cancelRequest) answer() {
	s := r.server
	if s.h == nil {
		return
	}
	var list []rcl.GoalInfo
	var changed []*GoalHandle
	ended := 0
	for i, g := range r.goals {
		switch {
		case g.over:
			ended++
		case g.isCanceling():
			list = append(list, g.info())
		case r.accepted[i]:
			if err := g.goal.Update(rcl.GoalCancel); err != nil {
				s.complain("cancel goal "+g.ID.String(), err)
				continue
			}
			list, changed = append(list, g.info()), append(changed, g)
		}
	}
	if len(r.goals) > 0 && len(list) == 0 {
		r.Code = rcl.CancelRejected
		if ended == len(r.goals) {
			r.Code = rcl.CancelTerminated
		}
	}
	s.out.put(rcl.CancelService, r.Header, answer{send: func(h *rcl.ActionServer) error {
		return h.AnswerCancel(r.Header, r.Code, list)
	}})
	if len(changed) > 0 {
		s.publishStatus()
	}
	for _, g := range changed {
		g.cancel(ErrGoalCanceled) // before canceling closes: its listeners find the context ended
		close(g.canceling)
	}
}
