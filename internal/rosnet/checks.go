//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/network"
)

const (
	// countEvery is the period at which the world posts the message counts of topics.
	countEvery = 100 * time.Millisecond
	// lookForType is the period at which the listener asks the graph for the type of a topic that
	// has no subscription or no publishers any more.
	lookForType = 500 * time.Millisecond
	// matchIn limits the wait for a called service to be found: its discovery may be under way.
	matchIn = time.Second
)

// topicCheck counts the messages of one topic of any type, without decoding them. Only the
// listener's goroutine uses it, except for came.
type topicCheck struct {
	w           *World
	node, check int
	spec        *network.Check

	sub    *rclgo.Subscription // nil: none yet
	kind   string              // the type that it is for
	came   atomic.Uint64
	fault  string
	looked time.Time
}

// serviceCheck calls one service. Its client is made at the start, as all clients are.
type serviceCheck struct {
	w           *World
	node, check int
	spec        *network.Check
	client      *rclgo.Client
	request     func() *introspection.DynamicMessage
	fault       string // why there is no client
	asked       flight
}

// checks are all checks of a network, with the channel that turns the topic listener on and off.
type checks struct {
	topics   []*topicCheck
	services []*serviceCheck
	listens  chan bool // the newest request; holds at most one
}

func (w *World) openChecks() {
	w.checks.listens = make(chan bool, 1)
	for i := range w.net.Nodes {
		for k := range w.net.Nodes[i].Checks {
			spec := &w.net.Nodes[i].Checks[k]
			if spec.Counted() {
				w.checks.topics = append(w.checks.topics, &topicCheck{w: w, node: i, check: k, spec: spec})
				continue
			}
			s := &serviceCheck{w: w, node: i, check: k, spec: spec}
			if err := s.open(); err != nil {
				s.fault = err.Error()
				w.log.Warn("a check can never pass", zap.String("node", w.net.Nodes[i].Name),
					zap.String("service", spec.Service), zap.Error(err))
			}
			w.checks.services = append(w.checks.services, s)
		}
	}
}

// listen turns the listener on or off. It never blocks: of several requests the newest counts.
func (w *World) listen(on bool) { newest(w.checks.listens, on) }

// newest puts a request into a channel of one, in the place of an older one.
func newest(requests chan bool, on bool) {
	for {
		select {
		case requests <- on:
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

// listener opens and closes the subscriptions as listen requests, and posts their counts.
func (w *World) listener() {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	on := false
	for {
		select {
		case <-w.ctx.Done():
			w.checks.close()
			return
		case on = <-w.checks.listens:
			if !on {
				w.checks.close()
			}
		case now := <-tick.C:
			if !on {
				continue
			}
			for _, t := range w.checks.topics {
				t.look(now)
				w.post(engine.TopicCounted{Node: t.node, Check: t.check, Count: t.came.Load(), Fault: t.fault})
			}
		}
	}
}

func (c *checks) close() {
	for _, t := range c.topics {
		t.close()
	}
}

func (t *topicCheck) close() {
	if t.sub != nil {
		if err := t.sub.Close(); err != nil {
			t.w.log.Warn("cannot end a subscription", zap.String("topic", t.spec.Topic), zap.Error(err))
		}
		t.sub = nil
	}
	t.looked = time.Time{}
}

// look ensures that a subscription of the published type exists.
func (t *topicCheck) look(now time.Time) {
	if t.sub != nil {
		if n, err := t.sub.GetPublisherCount(); err == nil && n > 0 {
			t.fault = ""
			return
		}
	}
	if now.Sub(t.looked) < lookForType {
		return
	}
	t.looked = now
	kind, fault := t.published()
	t.fault = fault
	if fault != "" || t.sub != nil && kind == t.kind {
		return
	}
	t.close()
	if err := t.open(kind); err != nil {
		t.fault = "cannot be listened to: " + err.Error()
	}
}

// published returns the type of the topic's publishers, or why no type can be used.
func (t *topicCheck) published() (kind, fault string) {
	infos, err := t.w.node.GetPublishersInfoByTopic(t.spec.Topic, true)
	if err != nil {
		return "", "cannot be looked for: " + err.Error()
	}
	var kinds []string
	for _, info := range infos {
		if !slices.Contains(kinds, info.TopicType) {
			kinds = append(kinds, info.TopicType)
		}
	}
	slices.Sort(kinds)
	switch {
	case len(kinds) == 0:
		return "", "has no publisher"
	case t.spec.Type != "" && slices.Contains(kinds, t.spec.Type):
		return t.spec.Type, ""
	case t.spec.Type != "":
		return "", fmt.Sprintf("is published as %s, not %s", strings.Join(kinds, " and "), t.spec.Type)
	case len(kinds) > 1:
		return "", "is published as " + strings.Join(kinds, " and ") + "; say in the file which is meant, with type:"
	}
	return kinds[0], ""
}

// open subscribes with the QoS that matches every publisher: best effort, volatile.
func (t *topicCheck) open(kind string) error {
	pkg, name, _ := strings.Cut(kind, "/")
	support, err := rclgo.LoadDynamicMessageTypeSupport(pkg, name)
	if err != nil {
		return err
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Reliability, opts.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	// Room for messages that arrive while this process is not scheduled.
	opts.Qos.Depth = 10 + int(math.Min(t.spec.Rate, 1000))
	t.came.Store(0)
	t.sub, err = t.w.node.NewSubscription(t.spec.Topic, support, opts, t.count)
	t.kind = kind
	return err
}

func (t *topicCheck) count(sub *rclgo.Subscription) {
	if _, _, err := sub.TakeSerializedMessage(); err == nil {
		t.came.Add(1)
	}
}

func (s *serviceCheck) open() error {
	support, err := loadCheck(s.spec.Type)
	if err != nil {
		return err
	}
	s.request = func() *introspection.DynamicMessage {
		return support.Request().New().(*introspection.DynamicMessage)
	}
	if s.client, err = s.w.node.NewClient(s.spec.Service, support, nil); err == nil {
		s.w.owns(s.client.Close)
	}
	return err
}

// field returns a field of a message whose type is known only at run time.
func field(msg any, name string) (reflect.Value, bool) {
	dynamic, ok := msg.(*introspection.DynamicMessage)
	if !ok {
		return reflect.Value{}, false
	}
	body, _ := dynamic.MarshalYAML() // a pointer to a struct
	f := reflect.ValueOf(body).Elem().FieldByName("F_" + name)
	return f, f.IsValid()
}

// callCheck asks a service whether its check passes. Coordinator's goroutine only.
func (w *World) callCheck(e engine.CallCheck) {
	k := slices.IndexFunc(w.checks.services,
		func(s *serviceCheck) bool { return s.node == e.Node && s.check == e.Check })
	s := w.checks.services[k]
	req := s.asked.begin(w.ctx)
	w.goes(func() {
		defer s.asked.end(req)
		fault := s.fault
		if fault == "" {
			fault = s.ask(req)
		}
		if req.ctx.Err() == nil {
			w.post(engine.CheckAnswered{Node: e.Node, Check: e.Check, Ticket: e.Ticket, Fault: fault})
		}
	})
}

// ask calls the service and returns why the check does not pass. The engine limits the time for the
// answer.
func (s *serviceCheck) ask(req *request) string {
	if fault := s.await(req.ctx); fault != "" || !req.turn() {
		return fault
	}
	answer, err := send[types.Message](req, s.client, s.request())
	if err != nil {
		return err.Error()
	}
	success, _ := field(answer, "success")
	if success.Kind() == reflect.Bool && success.Bool() {
		return ""
	}
	if said, ok := field(answer, "message"); ok && said.Kind() == reflect.String && said.String() != "" {
		return "answered no: " + said.String()
	}
	return "answered no"
}

// await waits up to matchIn for the service to be found. If it is not found, await returns why.
func (s *serviceCheck) await(ctx context.Context) string {
	until := time.NewTimer(matchIn)
	defer until.Stop()
	for !available(s.client) {
		again := time.NewTimer(lookSoon)
		select {
		case <-ctx.Done():
			again.Stop()
			return "rstate ends"
		case <-until.C:
			again.Stop()
			return s.missing()
		case <-again.C:
		}
	}
	return ""
}

func (s *serviceCheck) missing() string {
	services, err := s.w.node.GetServiceNamesAndTypes()
	if err != nil {
		return "cannot be looked for: " + err.Error()
	}
	ours := func(kind string) bool { return kind == s.spec.Type } // the graph lists our client too
	kinds := slices.DeleteFunc(services[s.spec.Service], ours)
	if len(kinds) == 0 {
		return "has no server"
	}
	return fmt.Sprintf("is a %s, not a %s", strings.Join(kinds, " and a "), s.spec.Type)
}
