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
	// lookEvery is how often the own message is looked for.
	lookEvery = time.Millisecond
	// lease is how long the own publisher counts as alive after its only message.
	lease = 300 * time.Millisecond
)

// limits are how long parts of the test may take.
type limits struct {
	message time.Duration // to arrive. Nothing leaves the process for it.
	event   time.Duration // to tell that the own publisher is alive no more
}

var usual = limits{message: 3 * time.Second, event: 3 * time.Second}

// Test is a test of the middleware of this process.
type Test struct {
	given  middleware.Abilities // without Liveliness
	missed string               // what ran out of time; empty: nothing
	lively atomic.Bool
	over   chan struct{} // closed when an event has told of a loss, or none has in time
	closed chan struct{} // closed by Close
	ended  chan struct{} // closed when nothing of the test is left
	end    sync.Once
}

// Begin tests what can be tested in moments, and returns. Whether events tell of a loss shows only when the node is
// served; see Test.Abilities. A middleware that gives nothing is no error: an error is a node that closes.
func Begin(node *rclgo.Node) (*Test, error) { return begin(node, usual) }

func begin(node *rclgo.Node, within limits) (*Test, error) {
	t := &Test{given: middleware.Of(loaded(), os.Getenv, os.ReadFile), over: make(chan struct{}),
		closed: make(chan struct{}), ended: make(chan struct{})}
	lost := &watcher{again: make(chan struct{}, 1), lost: t.finds}
	e, err := open(node, lost.fired)
	if err != nil {
		return nil, fmt.Errorf("cannot test the middleware: %w", err)
	}
	own, found := e.tryMessage(within.message)
	if !found {
		t.missed = fmt.Sprintf("its own message and the publisher of it in the graph within %v", within.message)
	}
	t.given.GIDs = e.same
	t.given.Processes = own.sharePrefix
	t.given.ProcessIDs = own.sharePrefix && procs.Own(own.process, os.Getpid())
	t.given.Requests = e.showsRequests()
	if !e.watched {
		t.finish()
	}
	go t.wait(e, lost.again, within.event) // not before: the event may have fired already
	return t, nil
}

// watcher takes liveliness events of the own publisher.
type watcher struct {
	mu    sync.Mutex
	seen  loss
	again chan struct{} // a token: the publisher has to publish once more
	lost  func()        // called when the loss was seen
}

func (w *watcher) fired(l rclgo.LivelinessChanged) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen.take(l.AliveCount, l.NotAliveCount) {
		select {
		case w.again <- struct{}{}:
		default:
		}
	}
	if w.seen.Seen {
		w.lost()
	}
}

// wait ends the test when an event has told of the loss, or if none does, and closes its ends.
func (t *Test) wait(e *ends, again <-chan struct{}, limit time.Duration) {
	defer close(t.ended)
	defer e.close()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-t.over:
			return
		case <-t.closed:
			return
		case <-timer.C:
			t.finish()
			return
		case <-again:
			_ = e.publish() // only a node that closes at this moment fails it
		}
	}
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

// finds notes that an event has told of the loss, unless the test is over.
func (t *Test) finds() {
	t.end.Do(func() {
		t.lively.Store(true)
		close(t.over)
	})
}

func (t *Test) finish() { t.end.Do(func() { close(t.over) }) }

// Over is closed when the test has ended, which is never if it was closed before. Its result is final then.
func (t *Test) Over() <-chan struct{} { return t.over }

// Abilities returns what is known by now. Liveliness is false until an event has told of a loss.
func (t *Test) Abilities() middleware.Abilities {
	a := t.given
	a.Liveliness = t.lively.Load()
	return a
}

// Eventless reports whether the test is over and no event has told of a loss.
func (t *Test) Eventless() bool {
	select {
	case <-t.over:
		return !t.lively.Load()
	default:
		return false
	}
}

// Missed says what the test has not found in time, and so counts as missing. It is empty if nothing ran out.
func (t *Test) Missed() string { return t.missed }

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

func open(node *rclgo.Node, fired func(rclgo.LivelinessChanged)) (e *ends, err error) {
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
	in.Qos.Liveliness, in.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, lease
	if e.sub, err = node.NewSubscription(topic, rstate_msgs_msg.ArmLeaseTypeSupport, in, nil); err != nil {
		return e, err
	}
	err = e.sub.OnLivelinessChanged(fired)
	if e.watched = err == nil; err != nil && !Unsupported(err) {
		return e, err
	}
	out := rclgo.NewDefaultPublisherOptions()
	out.Qos.Reliability, out.Qos.Durability = rclgo.ReliabilityReliable, rclgo.DurabilityTransientLocal
	out.Qos.History, out.Qos.Depth = rclgo.HistoryKeepLast, 1
	out.Qos.Liveliness, out.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, lease
	if e.pub, err = rstate_msgs_msg.NewArmLeasePublisher(node, topic, out); err != nil {
		return e, err
	}
	if e.client, err = std_srvs_srv.NewSetBoolClient(node, e.service, nil); err != nil {
		return e, err
	}
	return e, e.publish()
}

func (e *ends) publish() error { return e.pub.Publish(&rstate_msgs_msg.ArmLease{InstanceId: e.word}) }

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

// tryMessage waits for the own message and for the graph to show its publisher. It returns false if that takes longer
// than limit.
func (e *ends) tryMessage(limit time.Duration) (own identity, found bool) {
	var carried *rclgo.GID
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(lookEvery) {
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
		return own, true
	}
	return own, false
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
