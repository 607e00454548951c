//go:build ros

package selftest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/middleware"
	"rstate/internal/procs"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

const (
	// messageIn is how long the own message may take. Nothing leaves the process for it.
	messageIn = 500 * time.Millisecond
	// lookEvery is how often it is looked for.
	lookEvery = time.Millisecond
	// eventIn is how long the event may take once the node is served.
	eventIn = 2 * time.Second
)

// Test is a test of the middleware of this process.
type Test struct {
	given  middleware.Abilities // without Liveliness
	lively atomic.Bool
	over   chan struct{} // closed when an event has fired, or none has in time
	closed chan struct{} // closed by Close
	ended  chan struct{} // closed when nothing of the test is left
	end    sync.Once
}

// Begin tests what can be tested in moments, and returns. That an event fires shows only when the node is served; see
// Test.Abilities. A middleware that gives nothing is no error: an error is a node that closes.
func Begin(node *rclgo.Node) (*Test, error) {
	t := &Test{given: middleware.Of(loaded(), os.Getenv, os.ReadFile), over: make(chan struct{}),
		closed: make(chan struct{}), ended: make(chan struct{})}
	e, err := open(node, t.Lively)
	if err != nil {
		return nil, fmt.Errorf("cannot test the middleware: %w", err)
	}
	own := e.tryMessage()
	t.given.GIDs = e.same
	t.given.Processes = own.sharePrefix
	t.given.ProcessIDs = own.sharePrefix && procs.Own(own.process, os.Getpid())
	t.given.Requests = e.showsRequests()
	if !e.watched {
		t.finish()
	}
	go t.wait(e) // not before: the event may have fired already
	return t, nil
}

// wait ends the test when an event has fired, or if none fires, and closes its ends.
func (t *Test) wait(e *ends) {
	defer close(t.ended)
	timer := time.NewTimer(eventIn)
	defer timer.Stop()
	select {
	case <-t.over:
	case <-t.closed:
	case <-timer.C:
		t.finish()
	}
	e.close()
}

// Given returns a test that has ended, with its result.
func Given(a middleware.Abilities) *Test {
	t := &Test{given: a, over: make(chan struct{}), closed: make(chan struct{}), ended: make(chan struct{})}
	t.lively.Store(a.Liveliness)
	t.finish()
	close(t.ended)
	return t
}

func loaded() string {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	return middleware.Loaded(string(maps), os.Getenv("RMW_IMPLEMENTATION"))
}

// Lively notes that a liveliness event has fired, of the test or of any other subscription.
func (t *Test) Lively() {
	t.lively.Store(true)
	t.finish()
}

func (t *Test) finish() { t.end.Do(func() { close(t.over) }) }

// Over is closed when the test has ended, which is never if it was closed before. An event that fires later counts all
// the same.
func (t *Test) Over() <-chan struct{} { return t.over }

// Abilities returns what is known by now. Liveliness is false until an event has fired.
func (t *Test) Abilities() middleware.Abilities {
	a := t.given
	a.Liveliness = t.lively.Load()
	return a
}

// Closed is closed by Close.
func (t *Test) Closed() <-chan struct{} { return t.closed }

// Close ends the test, and waits until nothing of it is left. The caller calls it once, before the node closes, and not in
// a handler of the node.
func (t *Test) Close() error {
	close(t.closed)
	t.end.Do(func() {})
	<-t.ended
	return nil
}

// ends are both ends of a private topic.
type ends struct {
	node    *rclgo.Node
	word    string
	pub     *rstate_msgs_msg.ArmLeasePublisher
	sub     *rclgo.Subscription
	client  *std_srvs_srv.SetBoolClient
	service string
	watched bool // the middleware has made the event
	same    bool
}

func open(node *rclgo.Node, fired func()) (e *ends, err error) {
	word := fmt.Sprintf("%016x", rand.Uint64())
	e = &ends{node: node, word: word, service: "~/_self_test_" + word + "/call"}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	topic := "~/_self_test_" + word
	in := rclgo.NewDefaultSubscriptionOptions()
	in.Qos.Durability, in.Qos.Depth = rclgo.DurabilityTransientLocal, 1
	in.Qos.Liveliness, in.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, eventIn
	if e.sub, err = node.NewSubscription(topic, rstate_msgs_msg.ArmLeaseTypeSupport, in, nil); err != nil {
		return e, err
	}
	err = e.sub.OnLivelinessChanged(func(rclgo.LivelinessChanged) { fired() })
	if e.watched = err == nil; err != nil && !Unsupported(err) {
		return e, err
	}
	out := rclgo.NewDefaultPublisherOptions()
	out.Qos.Reliability, out.Qos.Durability = rclgo.ReliabilityReliable, rclgo.DurabilityTransientLocal
	out.Qos.History, out.Qos.Depth = rclgo.HistoryKeepLast, 1
	out.Qos.Liveliness, out.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, eventIn
	if e.pub, err = rstate_msgs_msg.NewArmLeasePublisher(node, topic, out); err != nil {
		return e, err
	}
	if e.client, err = std_srvs_srv.NewSetBoolClient(node, e.service, nil); err != nil {
		return e, err
	}
	return e, e.pub.Publish(&rstate_msgs_msg.ArmLease{InstanceId: word})
}

// Unsupported reports whether an error says that the middleware does not have what was asked for.
func Unsupported(err error) bool {
	var unsupported *rclgo.Unsupported
	return errors.As(err, &unsupported)
}

// identity is what the graph shows of this process.
type identity struct {
	process     procs.Participant
	sharePrefix bool
}

// tryMessage waits for the own message and for the graph to show its publisher.
func (e *ends) tryMessage() (own identity) {
	var carried *rclgo.GID
	for end := time.Now().Add(messageIn); time.Now().Before(end); time.Sleep(lookEvery) {
		if carried == nil {
			carried = e.take()
		}
		pub, sub := e.ours(e.node.GetPublishersInfoByTopic), e.ours(e.node.GetSubscriptionsInfoByTopic)
		if len(pub) == 0 || len(sub) == 0 || carried == nil {
			continue
		}
		copy(own.process[:], pub[0][:])
		own.sharePrefix = [12]byte(pub[0][:12]) == [12]byte(sub[0][:12])
		e.same = *carried == pub[0]
		return own
	}
	return own
}

// take returns the id that the own message carries. Another participant may publish here too, but it does not know
// the word.
func (e *ends) take() *rclgo.GID {
	m := rstate_msgs_msg.NewArmLease()
	info, err := e.sub.TakeMessage(m)
	if err != nil || m.InstanceId != e.word {
		return nil
	}
	return &info.PublisherGID
}

// ours returns the ids of our own ends of the topic.
func (e *ends) ours(read func(string, bool) ([]rclgo.TopicEndpointInfo, error)) (gids []rclgo.GID) {
	infos, _ := read(e.pub.TopicName, true) // an error: the node closes
	for _, i := range infos {
		if path.Join(i.NodeNamespace, i.NodeName) == e.node.FullyQualifiedName() {
			gids = append(gids, i.EndpointGID)
		}
	}
	return gids
}

// showsRequests reports whether the graph shows our own client.
func (e *ends) showsRequests() bool {
	infos, err := e.node.GetPublishersInfoByTopic("rq"+e.node.FullyQualifiedName()+e.service[1:]+"Request", false)
	return err == nil && len(infos) > 0
}

func (e *ends) close() {
	if e.client != nil {
		_ = e.client.Close() // only a node that closes at this moment fails it
	}
	if e.pub != nil {
		_ = e.pub.Close()
	}
	if e.sub != nil {
		_ = e.sub.Close()
	}
}
