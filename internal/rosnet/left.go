//go:build ros

package rosnet

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"rstate/internal/engine"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

// leftover is our side of a node that is not of the network, and that an earlier run may have left
// armed.
type leftover struct {
	w      *World
	what   engine.Leftover
	client *std_srvs_srv.SetBoolClient // nil: the call cannot be made
	why    string                      // and why
	asks   flight
}

// Remember makes the clients for nodes that an earlier run may have left armed. It is called once,
// before Start. A call that cannot be made is no reason not to start: the node stays named, and
// nothing is armed.
func (w *World) Remember(left []engine.Leftover) {
	w.offering.mu.Lock()
	defer w.offering.mu.Unlock()
	for _, what := range left {
		l := &leftover{w: w, what: what}
		w.leftovers = append(w.leftovers, l)
		if what.Type != setBool {
			l.why = fmt.Sprintf("a service of type %s cannot be called", what.Type)
			continue
		}
		client, err := std_srvs_srv.NewSetBoolClient(w.node, what.Service, nil)
		if err != nil {
			l.why = fmt.Sprintf("service %s cannot be called: %v", what.Service, err)
			continue
		}
		l.client = client
		w.owns(client.Close)
	}
}

// disarmLeftovers asks one of them. Coordinator's goroutine only.
func (w *World) disarmLeftover(e engine.DisarmLeftover) {
	l := w.leftovers[e.Leftover]
	answer := engine.LeftoverAnswered{Leftover: e.Leftover, Call: e.Call}
	switch {
	case l.client == nil:
		answer.Message = l.why
		w.later(answer)
		return
	case !available(l.client.Client):
		answer.Absent = true
		w.later(answer)
		return
	}
	asked, err := w.node.CountServices(l.what.Service)
	several := err != nil || asked > 1
	req := l.asks.begin(w.ctx)
	w.goes(func() {
		defer l.asks.end(req)
		if !req.turn() {
			return
		}
		resp, err := send[*std_srvs_srv.SetBool_Response](req, l.client.Client, std_srvs_srv.NewSetBool_Request())
		if err != nil {
			if req.ctx.Err() == nil {
				w.log.Warn("a request got no answer", zap.String("node", l.what.Node),
					zap.String("request", l.what.Service), zap.Error(err))
			}
			return
		}
		answer.Success, answer.Message = resp.Success, resp.Message
		count, err := w.node.CountServices(l.what.Service)
		answer.Several = several || err != nil || count > 1
		w.post(answer)
	})
}

// later posts an input from outside the coordinator's goroutine, which must not wait for itself.
func (w *World) later(in engine.Input) { w.goes(func() { w.post(in) }) }

// disarmNow is the last word to it of an instance that broke down. It reports whether there is
// nothing to disarm, or the node has confirmed.
func (l *leftover) disarmNow(ctx context.Context) bool {
	if l.client == nil { // and nothing else can disarm it
		return false
	}
	resp, _, err := l.client.Send(ctx, std_srvs_srv.NewSetBool_Request())
	if err != nil || !resp.Success {
		l.w.log.Error("a node that an earlier run left armed may stay so", zap.String("node", l.what.Node),
			zap.Error(err))
		return false
	}
	return true
}
