//go:build ros

package stepped

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// ErrOutside is the error of publishing while no step runs.
var ErrOutside = errors.New("publish within the step")

const (
	tick   = 200 * time.Microsecond // how often a step looks for messages
	settle = 50 * time.Millisecond  // how long one SETTLE waits for acknowledgements; it is asked again
)

// Step is what a node does in a phase of a step. The callbacks of the subscriptions have run before.
type Step func(*rstate_msgs_srv.Step_Request, *rstate_msgs_srv.Step_Response)

// Node is a participant of a stepped loop that counts its messages.
type Node struct {
	node        *rclgo.Node
	step        Step
	incarnation uint64

	running sync.Mutex // held during a step; it comes before mu
	mu      sync.Mutex
	data    Data[types.Message]
	readers []*reader
	writers []*Publisher
}

type reader struct {
	*rclgo.Subscription
	typ      string
	callback func(types.Message)
	senders  senders[rclgo.GID]
}

// Publisher publishes within a step.
type Publisher struct {
	*rclgo.Publisher
	typ string
	of  *Node
}

// New offers ~/step_data and ~/step. Make the publishers and subscriptions right after it.
func New(node *rclgo.Node, step Step) (*Node, error) {
	n := &Node{node: node, step: step, incarnation: rand.Uint64()}
	if _, err := rstate_msgs_srv.NewStepDataService(node, "~/step_data", nil,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.StepData_Request,
			answer rstate_msgs_srv.StepDataServiceResponseSender) {
			resp := rstate_msgs_srv.NewStepData_Response()
			n.stage(req, resp)
			n.logged(answer.SendResponse(resp))
		}); err != nil {
		return nil, err
	}
	_, err := rstate_msgs_srv.NewStepService(node, "~/step", nil,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.Step_Request,
			answer rstate_msgs_srv.StepServiceResponseSender) {
			resp := rstate_msgs_srv.NewStep_Response()
			n.run(req, resp)
			n.logged(answer.SendResponse(resp))
		})
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (n *Node) logged(err error) {
	if err != nil {
		_ = n.node.Logger().Errorf("cannot answer: %v", err) // there is no other place to say it
	}
}

// Profile returns the quality of service of counted topics.
func Profile() rclgo.QosProfile {
	q := rclgo.NewDefaultQosProfile()
	q.History, q.Depth = rclgo.HistoryKeepAll, 0
	return q
}

// NewPublisher makes a publisher; typ is the type, as in std_msgs/msg/String.
func (n *Node) NewPublisher(topic, typ string, ts types.MessageTypeSupport) (*Publisher, error) {
	pub, err := n.node.NewPublisher(topic, ts, &rclgo.PublisherOptions{Qos: Profile()})
	if err != nil {
		return nil, err
	}
	p := &Publisher{Publisher: pub, typ: typ, of: n}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.writers = append(n.writers, p)
	return p, nil
}

// NewSubscription makes a subscription, whose callback runs at the beginning of a step.
func (n *Node) NewSubscription(topic, typ string, ts types.MessageTypeSupport, callback func(types.Message)) error {
	sub, err := n.node.NewSubscription(topic, ts, &rclgo.SubscriptionOptions{Qos: Profile()}, nil)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readers = append(n.readers, &reader{Subscription: sub, typ: typ, callback: callback})
	return nil
}

// Publish sends a message. Outside of a step it returns ErrOutside.
func (p *Publisher) Publish(m types.Message) error {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if !p.of.data.Publish(p.TopicName) {
		return fmt.Errorf("%s: %w", p.TopicName, ErrOutside)
	}
	return p.Publisher.Publish(m)
}

// drain takes what the middleware has. The caller holds mu.
func (n *Node) drain() error {
	for _, r := range n.readers {
		for {
			m := r.Ros2MsgType.New()
			info, err := r.TakeMessage(m)
			if errors.Is(err, &rclgo.SubscriptionTakeFailed{}) {
				break
			}
			if err != nil {
				return err
			}
			n.data.Arrived(r.TopicName, n.name(r, info.PublisherGID), m)
		}
	}
	return nil
}

// name returns the node of the publisher of a message, or its identifier if that is unknown.
func (n *Node) name(r *reader, id rclgo.GID) string {
	name := r.senders.name(id, func() map[rclgo.GID]string {
		shown, _ := n.publishers(r.TopicName) // what is not known now is asked again with the next message
		return shown
	}, r.GetPublisherCount)
	if name == "" {
		return fmt.Sprintf("%x", id)
	}
	return name
}

// publishers returns the nodes of the publishers that the graph shows.
func (n *Node) publishers(topic string) (map[rclgo.GID]string, error) {
	infos, err := n.node.GetPublishersInfoByTopic(topic, true)
	names := map[rclgo.GID]string{}
	for _, i := range infos {
		names[i.EndpointGID] = full(i)
	}
	return names, err
}

func full(i rclgo.TopicEndpointInfo) string {
	if i.NodeNamespace == "/" {
		return "/" + i.NodeName
	}
	return i.NodeNamespace + "/" + i.NodeName
}

// run answers a call of ~/step.
func (n *Node) run(req *rstate_msgs_srv.Step_Request, resp *rstate_msgs_srv.Step_Response) {
	n.running.Lock()
	defer n.running.Unlock()
	resp.Counts = true
	var visible []Count
	for _, v := range req.Visible {
		visible = append(visible, Count{v.Topic, v.Participant, v.Count})
	}
	handed, why := n.begin(req, visible)
	if why != "" {
		resp.Message = why
		return
	}
	for _, h := range handed {
		for _, r := range n.readers {
			if r.TopicName == h.Topic {
				r.callback(h.Message)
			}
		}
	}
	n.step(req, resp)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.data.End()
	for _, s := range n.data.Sent() {
		resp.Sent = append(resp.Sent, rstate_msgs_msg.StepCount{Topic: s.Topic, Count: s.Count})
	}
}

// begin waits for the messages of a step until 90 % of its deadline, and begins it.
func (n *Node) begin(req *rstate_msgs_srv.Step_Request, visible []Count) (handed []Handed[types.Message], why string) {
	limit := time.Duration(req.Deadline.Sec)*time.Second + time.Duration(req.Deadline.Nanosec)
	end := time.Now().Add(limit * 9 / 10)
	for {
		handed, why, retry := n.tryBegin(req.Epoch, visible)
		if !retry || !time.Now().Before(end) {
			return handed, why
		}
		time.Sleep(tick)
	}
}

func (n *Node) tryBegin(epoch uint64, visible []Count) (handed []Handed[types.Message], why string, retry bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if why := n.data.Refused(epoch); why != "" {
		return nil, why, false
	}
	if err := n.drain(); err != nil {
		return nil, err.Error(), false
	}
	if epoch != 0 {
		if why := n.data.Missing(visible); why != "" {
			return nil, why + n.untold(), true
		}
	}
	return n.data.Begin(epoch, visible), "", false
}

// untold says why messages that have arrived are not counted; empty: all are.
func (n *Node) untold() string {
	for _, r := range n.readers {
		if r.senders.untold {
			return "; this middleware does not tell which of several nodes published " + r.TopicName + ": give each a topic"
		}
	}
	return ""
}

// stage answers a call of ~/step_data.
func (n *Node) stage(req *rstate_msgs_srv.StepData_Request, resp *rstate_msgs_srv.StepData_Response) {
	n.mu.Lock()
	defer n.mu.Unlock()
	resp.Incarnation = n.incarnation
	var err error
	switch req.Stage {
	case rstate_msgs_srv.StepData_Request_DECLARE:
		resp.Topics = n.declared()
	case rstate_msgs_srv.StepData_Request_MATCH:
		err = n.match(req.Topics)
	case rstate_msgs_srv.StepData_Request_SETTLE:
		n.data.Settle()
		for k := 0; k < len(n.writers) && err == nil; k++ {
			err = n.writers[k].WaitForAllAcked(settle)
		}
	case rstate_msgs_srv.StepData_Request_ZERO:
		err = n.zero(req)
	default:
		err = fmt.Errorf("unknown stage %d", req.Stage)
	}
	if resp.Ok = err == nil; err != nil {
		resp.Message = err.Error()
	}
}

func (n *Node) declared() (topics []rstate_msgs_msg.StepTopic) {
	self := n.node.FullyQualifiedName()
	at := func(topic, typ string) *rstate_msgs_msg.StepTopic {
		for i := range topics {
			if topics[i].Topic == topic {
				return &topics[i]
			}
		}
		topics = append(topics, rstate_msgs_msg.StepTopic{Topic: topic, Type: typ})
		return &topics[len(topics)-1]
	}
	for _, w := range n.writers {
		at(w.TopicName, w.typ).Publishers = []string{self}
	}
	for _, r := range n.readers {
		at(r.TopicName, r.typ).Subscribers = []string{self}
	}
	return topics
}

func (n *Node) zero(req *rstate_msgs_srv.StepData_Request) error {
	if err := n.drain(); err != nil {
		return err
	}
	var counted, published []string
	for _, t := range req.Topics {
		counted = append(counted, t.Topic)
	}
	for _, w := range n.writers {
		published = append(published, w.TopicName)
	}
	n.data.Zero(req.Epoch, counted, published)
	for _, t := range req.Topics {
		for _, r := range n.readers {
			if r.TopicName == t.Topic {
				if err := n.zeroReader(r, t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// zeroReader notes the publishers of a reader's topic, as they are when counts are zeroed.
func (n *Node) zeroReader(r *reader, t rstate_msgs_msg.StepTopic) error {
	matched, err := r.GetPublisherCount()
	if err != nil {
		return err
	}
	graph, err := n.publishers(t.Topic)
	if err != nil {
		return err
	}
	return r.senders.zero(t.Topic, t.Publishers, matched, graph)
}

func (n *Node) match(topics []rstate_msgs_msg.StepTopic) error {
	for _, t := range topics {
		for _, r := range n.readers {
			if r.TopicName == t.Topic {
				if err := n.matchReader(r, t); err != nil {
					return err
				}
			}
		}
		for _, w := range n.writers {
			if w.TopicName == t.Topic {
				if err := n.matchWriter(w, t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (n *Node) matchReader(r *reader, t rstate_msgs_msg.StepTopic) error {
	infos, err := n.node.GetPublishersInfoByTopic(t.Topic, true)
	if err != nil {
		return err
	}
	var names []string
	for _, i := range infos {
		if !slices.Contains(t.Publishers, full(i)) {
			return fmt.Errorf("%s publishes %s too, and does not count; stop it, or rename its topic", full(i), t.Topic)
		}
		names = append(names, full(i))
	}
	for _, p := range t.Publishers {
		if !slices.Contains(names, p) {
			return fmt.Errorf("it has not found %s on %s yet", p, t.Topic)
		}
	}
	got, err := r.GetPublisherCount()
	if err == nil && got != len(infos) { // also those of a node that has ended and is not forgotten yet
		err = fmt.Errorf("%s is matched with %d of %d publishers", t.Topic, got, len(infos))
	}
	if err != nil {
		return err
	}
	return alone(t.Topic, t.Publishers, got)
}

func (n *Node) matchWriter(w *Publisher, t rstate_msgs_msg.StepTopic) error {
	infos, err := n.node.GetSubscriptionsInfoByTopic(t.Topic, true)
	if err != nil {
		return err
	}
	var names []string
	readers := 0
	for _, i := range infos {
		names = append(names, full(i))
		if i.QosProfile.Durability != rclgo.DurabilityTransientLocal { // the counted profile is volatile
			readers++
		}
	}
	for _, s := range t.Subscribers {
		if !slices.Contains(names, s) {
			return fmt.Errorf("it has not found %s on %s yet", s, t.Topic)
		}
	}
	got, err := w.GetSubscriptionCount()
	if err == nil && got < readers {
		err = fmt.Errorf("%s is matched with %d of %d subscriptions", t.Topic, got, readers)
	}
	return err
}
