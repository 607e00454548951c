//go:build ros

package rosnet

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/network"
)

const (
	// lookForType is the period at which the listener asks the graph for the type of a topic that
	// has no subscription or no publishers any more.
	lookForType = 500 * time.Millisecond
	// matchIn limits the wait for a called service to be found: its discovery may be under way.
	matchIn = time.Second
)

// asking is a kind of check that asks, and gets one answer: the value that it has read, and why the check does not
// pass. It may take as long as it likes: the engine limits the time.
type asking interface {
	ask(r *request) (value network.Scalar, fault string)
}

// askedCheck is one check that asks. Its client is made at the start, as all clients are.
type askedCheck struct {
	node, check int
	kind        asking
	fault       string // why it can never be asked
	asked       flight
}

// checks are all checks of a network, with the channel that says how often topics are counted.
type checks struct {
	topics []*topicCheck
	asked  []*askedCheck
	counts chan time.Duration // the newest request; holds at most one
	beats  chan struct{}      // holds at most one
	// The middleware does not say when a message came. Only the listener's goroutine uses it.
	undated bool
}

func (w *World) openChecks() {
	w.checks.counts, w.checks.beats = make(chan time.Duration, 1), make(chan struct{}, 1)
	for i := range w.net.Nodes {
		for k := range w.net.Nodes[i].Checks {
			spec := &w.net.Nodes[i].Checks[k]
			if spec.Counted() {
				w.checks.topics = append(w.checks.topics, &topicCheck{w: w, node: i, check: k, spec: spec})
				continue
			}
			c := &askedCheck{node: i, check: k}
			var err error
			if c.kind, err = w.openAsking(&w.net.Nodes[i], spec); err != nil {
				c.fault = err.Error()
				w.log.Warn("a check can never pass", zap.String("node", w.net.Nodes[i].Name),
					zap.String("check", spec.Subject()), zap.Error(err))
			}
			w.checks.asked = append(w.checks.asked, c)
		}
	}
}

func (w *World) openAsking(node *network.Node, spec *network.Check) (asking, error) {
	switch spec.Kind() {
	case network.CheckFile:
		return &fileCheck{path: spec.File}, nil
	case network.CheckParameter:
		return w.openParameter(node, spec)
	}
	return w.openService(spec)
}

// newest puts a request into a channel of one, in the place of an older one. It never blocks.
func newest[R any](requests chan R, r R) {
	for {
		select {
		case requests <- r:
			return
		default:
		}
		select {
		case <-requests:
		default:
		}
	}
}

// startChecks starts the listener if the network has topic checks.
func (w *World) startChecks() {
	if len(w.checks.topics) > 0 {
		w.goes(w.listener)
	}
}

// listener opens the subscriptions, and posts what has come on them as often as the engine says. Zero closes them. It
// counts at beats of the coordinator: waking an idle process is most of the cost of a count.
func (w *World) listener() {
	every, last := time.Duration(0), time.Time{}
	for {
		select {
		case <-w.ctx.Done():
			w.checks.close()
			return
		case every = <-w.checks.counts:
			last = time.Time{}
			if every == 0 {
				w.checks.close()
			}
		case <-w.checks.beats:
		}
		if now := time.Now(); every > 0 && now.Sub(last) > w.checks.apart(every)-coordinator.Beat/2 {
			last = now
			w.count()
		}
	}
}

// apart is how far apart readings are that are asked for so often. A message without a time counts as one that came at
// the reading before, so that must not be long ago.
func (c *checks) apart(every time.Duration) time.Duration {
	if c.undated {
		return min(every, coordinator.Beat)
	}
	return every
}

// count takes what has come on all topics, and posts it at once, so that the coordinator wakes once for all.
func (w *World) count() {
	var samples []engine.TopicCounted
	for _, t := range w.checks.topics {
		t.look(time.Now()) // it may ask the graph, and open a subscription
		now := time.Now()
		t.take(now)
		samples = append(samples, t.sample(now))
	}
	for _, in := range samples {
		w.post(in)
	}
}

func (c *checks) close() {
	for _, t := range c.topics {
		t.close()
	}
}

// callCheck asks for one check. Coordinator's goroutine only.
func (w *World) callCheck(e engine.CallCheck) {
	k := slices.IndexFunc(w.checks.asked,
		func(c *askedCheck) bool { return c.node == e.Node && c.check == e.Check })
	c := w.checks.asked[k]
	req := c.asked.begin(w.ctx)
	w.goes(func() {
		defer c.asked.end(req)
		var value network.Scalar
		fault := c.fault
		if fault == "" {
			value, fault = c.kind.ask(req)
		}
		if req.ctx.Err() == nil {
			w.post(engine.CheckAnswered{Node: e.Node, Check: e.Check, Ticket: e.Ticket, Value: value, Fault: fault})
		}
	})
}

// await waits up to matchIn until something is so, and reports whether it is.
func await(ctx context.Context, so func() bool) bool {
	until := time.NewTimer(matchIn)
	defer until.Stop()
	for !so() {
		again := time.NewTimer(lookSoon)
		select {
		case <-ctx.Done():
			again.Stop()
			return false
		case <-until.C:
			again.Stop()
			return false
		case <-again.C:
		}
	}
	return true
}
