//go:build ros

package gather

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/checking"
	"rstate/internal/doctor"
	"rstate/internal/measure"
	"rstate/internal/network"
	rcl_interfaces_srv "rstate/msgs/gen/rcl_interfaces/srv"
)

const (
	// checksAtLeast and checksAtMost are how long topics are listened to: until the slowest rate is known, within these.
	checksAtLeast, checksAtMost = 2 * time.Second, 4500 * time.Millisecond
	// sampleEvery is how often what has come is counted, as the daemon does.
	sampleEvery = 100 * time.Millisecond
)

// measureChecks measures the checks of the network file, all side by side, as the daemon does. It judges them with the
// daemon's gauges.
func (l *looker) measureChecks(ctx context.Context) {
	if l.wish.Network == nil {
		return
	}
	within := checksAtLeast
	for _, n := range l.wish.Network.Nodes {
		for k := range n.Checks {
			within = max(within, checking.Of(&n.Checks[k]).Window()+sampleEvery*3)
		}
	}
	soon, cancel := context.WithTimeout(ctx, min(within, checksAtMost))
	defer cancel()
	var all sync.WaitGroup
	for i := range l.wish.Network.Nodes {
		n := &l.wish.Network.Nodes[i]
		if !slices.Contains(l.facts.Nodes, n.Name) {
			continue
		}
		for k := range n.Checks {
			c := &n.Checks[k]
			found := &l.facts.Network.Nodes[i].Checks[k].Found
			all.Go(func() { *found = l.measureCheck(soon, n.Name, c) })
		}
	}
	all.Wait()
}

// measureCheck measures one check until ctx ends, or it has answered.
func (l *looker) measureCheck(ctx context.Context, node string, c *network.Check) doctor.Found {
	if c.Counted() {
		return l.measureTopic(ctx, node, c)
	}
	var s checking.Sample
	switch c.Kind() {
	case network.CheckFile:
		switch _, err := os.Stat(c.File); {
		case errors.Is(err, fs.ErrNotExist):
			s.Fault = "does not exist on this host"
		case err != nil:
			s.Fault = "cannot be looked at: " + err.Error()
		}
	case network.CheckParameter:
		s = l.readParameter(ctx, node, c.Parameter)
	default:
		s.Fault = l.askCheck(ctx, c)
	}
	g := checking.Of(c)
	g.Take(s, checking.Moment{})
	return foundBy(c, node, g.Judge(0))
}

func foundBy(c *network.Check, node string, v checking.Verdict) doctor.Found {
	f := doctor.Found{Measured: true, Passes: v.Known && v.Fault == "", Value: v.Value, Fault: v.Fault}
	if !f.Passes {
		f.Do = checking.Advice(c, node)
	}
	return f
}

func (l *looker) readParameter(ctx context.Context, node, name string) (s checking.Sample) {
	client, err := rcl_interfaces_srv.NewGetParametersClient(l.node, node+"/get_parameters", nil)
	if err != nil {
		return checking.Sample{Fault: err.Error()}
	}
	defer client.Close()
	answer, err := ask(ctx, client.Client, func() types.Message {
		req := rcl_interfaces_srv.NewGetParameters_Request()
		req.Names = []string{name}
		return req
	})
	if err != nil {
		return checking.Sample{Fault: "cannot be read: the node does not answer get_parameters"}
	}
	values := answer.(*rcl_interfaces_srv.GetParameters_Response).Values
	if len(values) != 1 {
		return checking.Sample{Fault: "is not set"}
	}
	s.Value, s.Fault = measure.Parameter(&values[0])
	return s
}

// askCheck calls the service of a check, and returns why it does not pass.
func (l *looker) askCheck(ctx context.Context, c *network.Check) string {
	pkg, name, _ := strings.Cut(c.Type, "/")
	support, err := introspection.LoadDynamicService(pkg, name)
	if err != nil {
		return err.Error()
	}
	client, err := l.node.NewClient(c.Service, support, nil)
	if err != nil {
		return err.Error()
	}
	defer client.Close()
	answer, err := ask(ctx, client, support.Request().New)
	if err != nil {
		return "did not answer"
	}
	if yes, fault := measure.Field(c.Type, answer, "success"); fault != "" || !yes.Truth {
		return "answered no"
	}
	return ""
}

// heard is what came on one topic.
type heard struct {
	mu    sync.Mutex
	count uint64
	first time.Time
	last  time.Time
	gap   time.Duration
	data  []byte
}

func (h *heard) take(sub *rclgo.Subscription) {
	data, _, err := sub.TakeSerializedMessage()
	if err != nil {
		return
	}
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count++; h.count == 1 {
		h.first = now
	} else {
		h.gap = max(h.gap, now.Sub(h.last))
	}
	h.last, h.data = now, data
}

func (h *heard) sample(c *network.Check, kind string, support types.MessageTypeSupport) (s checking.Sample) {
	h.mu.Lock()
	count, last, data := h.count, h.last, h.data
	h.mu.Unlock()
	s.Count, s.Age = count, -1
	if count == 0 {
		return s
	}
	s.Age = time.Since(last)
	if c.Field != "" {
		msg, err := rclgo.Deserialize(data, support)
		if err != nil {
			s.Fault = "cannot be read: its newest message is no " + kind
			return s
		}
		s.Value, s.Fault = measure.Field(kind, msg, c.Field)
	}
	return s
}

// measureTopic listens to a topic until ctx ends.
func (l *looker) measureTopic(ctx context.Context, node string, c *network.Check) doctor.Found {
	kind := c.Type
	if kind == "" {
		infos, err := l.node.GetPublishersInfoByTopic(c.Topic, true)
		if err != nil || len(infos) == 0 {
			return doctor.Found{} // that it has no publisher is a finding of its own
		}
		kind = infos[0].TopicType
	}
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return foundBy(c, node, checking.Verdict{Known: true, Fault: err.Error()})
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Reliability, opts.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	opts.Qos.Depth = 100
	var h heard
	sub, err := l.node.NewSubscription(c.Topic, support, opts, h.take)
	if err != nil {
		return foundBy(c, node, checking.Verdict{Known: true, Fault: "cannot be listened to: " + err.Error()})
	}
	defer sub.Close()
	g, began := checking.Of(c), time.Now()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			at := time.Since(began)
			g.Take(h.sample(c, kind, support), checking.Moment{Clock: at, Steady: at})
		case <-ctx.Done():
			f := foundBy(c, node, g.Judge(time.Since(began)))
			h.mu.Lock()
			defer h.mu.Unlock()
			f.Gap = h.gap
			if took := h.last.Sub(h.first); took > 0 {
				f.Rate = float64(h.count-1) / took.Seconds()
			}
			return f
		}
	}
}
