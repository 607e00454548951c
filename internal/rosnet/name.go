//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/middleware"
	"rstate/internal/selftest"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

const (
	// answerIn is the timeout for another instance of our name to answer; askEvery is the period of
	// the requests to it.
	answerIn, askEvery = time.Second, 300 * time.Millisecond
	// lastLooks is the last part of that time, in which anotherRenews looks for a renewal of
	// liveliness.
	lastLooks = 150 * time.Millisecond
	// stays is how long a node of our name that is no rstate has to be there to be told of: parts
	// of one that is are discovered, and go, one after another.
	stays = 2 * time.Second
)

// naming finds other nodes of our name. The engine decides what follows from that.
type naming struct {
	ask     *rstate_msgs_srv.GetNetworkClient // to all instances of our name
	suspect chan struct{}                     // a token: another instance may have our name
	alive   atomic.Int64                      // writers of ~/state that are alive, with our own
	renewed atomic.Pointer[renewal]           // the newest message of another instance on ~/state
	asking  atomic.Int64                      // messages under our name whose writer is looked for

	mu     sync.Mutex
	taken  bool         // the name is ours
	ousted bool         // another instance has taken over
	pulse  engine.Pulse // of the loop

	// Watcher only.
	rivals int       // writers of ~/state of our name beside our own
	others int       // as posted last
	odd    int       // nodes of our name that are no rstate, as counted last
	since  time.Time // for how long
}

// renewal is a message of another instance of our name.
type renewal struct {
	instance string
	writer   rclgo.GID // as the message carries it
	at       time.Time
}

// openName makes the subscriptions that detect other instances of our name.
func (w *World) openName() (err error) {
	n := &w.naming
	n.suspect = make(chan struct{}, 1)
	if n.ask, err = rstate_msgs_srv.NewGetNetworkClient(w.node, "~/get_network", nil); err != nil {
		return fmt.Errorf("cannot ask for others of the name: %w", err)
	}
	w.owns(n.ask.Close)
	states, err := hear(w.out.state.Publisher, "~/state", rstate_msgs_msg.InstanceStateTypeSupport, ofAll(),
		w.stateHeard)
	if err != nil {
		return fmt.Errorf("cannot listen for others of the name: %w", err)
	}
	w.owns(states.Close)
	err = w.onLiveliness(states, func(l rclgo.LivelinessChanged) { n.alive.Store(int64(l.AliveCount)) })
	if err != nil {
		return fmt.Errorf("cannot watch over others of the name: %w", err)
	}
	options := ofAll()
	if len(w.net.Peers.Plain) > 0 {
		options = ofPlain()
	}
	changes, err := hear(w.out.change.Publisher, w.net.Topic, rstate_msgs_msg.NetworkStateTypeSupport, options,
		w.changeHeard)
	if err != nil {
		return fmt.Errorf("cannot listen for others of the name: %w", err)
	}
	w.owns(changes.Close)
	return nil
}

// startName starts the goroutine that queries suspected instances of our name.
func (w *World) startName() {
	w.goes(func() {
		for {
			select {
			case <-w.ctx.Done():
				return
			case <-w.naming.suspect:
				w.enquire()
			}
		}
	})
}

// suspects requests another query for instances of our name. It never blocks.
func (w *World) suspects() {
	select {
	case w.naming.suspect <- struct{}{}:
	default:
	}
}

// stateHeard takes messages of other instances on our ~/state.
func (w *World) stateHeard(m *rstate_msgs_msg.InstanceState, info *rclgo.MessageInfo) {
	if m != nil && m.Name == w.name {
		if m.InstanceId != w.instance {
			w.naming.renewed.Store(&renewal{m.InstanceId, info.PublisherGID, time.Now()})
		}
		w.heardOf(w.out.state.TopicName, m.InstanceId, m.State.Label, info)
	}
}

// changeHeard takes messages of other instances on the lifecycle topic.
func (w *World) changeHeard(m *rstate_msgs_msg.NetworkState, info *rclgo.MessageInfo) {
	switch {
	case m == nil:
	case m.InstanceId == "":
		w.plainHeard(m, info)
	case m.SourceNode == w.name:
		w.heardOf(w.out.change.TopicName, m.InstanceId, m.State.Label, info)
	default:
		w.peerChanged(m, info)
	}
}

// mostAsked is how many messages under our name are looked into at a time. Anyone may send thousands.
const mostAsked = 16

// heardOf takes a message published under our name. It ignores a message from a node of another
// name, such as the player of a recording.
func (w *World) heardOf(topic, instance, state string, info *rclgo.MessageInfo) {
	if instance == "" || instance == w.instance {
		return
	}
	in := engine.NameTaken{Instance: instance, Holds: state != "" && state != machine.Unknown}
	if w.naming.asking.Add(1) > mostAsked { // the next message of a rival tells the same
		w.naming.asking.Add(-1)
		return
	}
	w.goes(func() {
		defer w.naming.asking.Add(-1)
		if !w.fromOurName(topic, info.PublisherGID) {
			return
		}
		w.rivalHeard(in)
		w.suspects()
		if in.Renews = w.anotherRenews(instance); in.Renews {
			w.rivalHeard(in)
		}
	})
}

// anotherRenews reports whether another instance renews the liveliness of ~/state. The last
// publication counts as a renewal for a while, and a busy machine notices late that this has
// expired. So anotherRenews checks late. Where no event tells of liveliness, another message of that
// instance is the renewal; see renewed.
func (w *World) anotherRenews(instance string) bool {
	began := time.Now()
	look := time.NewTicker(lookSoon)
	defer look.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return false
		case now := <-look.C:
			waited := now.Sub(began)
			switch {
			case waited < answerIn-lastLooks:
			case w.renewed(instance, began.Add(middleware.Heartbeat/2)):
				return true
			case waited >= answerIn-lookSoon:
				return false
			}
		}
	}
}

// renewed reports whether another instance has renewed the liveliness of ~/state, by a message after since
// where no event tells of it. Where messages carry the GIDs of the graph, the publisher of that message has to be
// of our name.
func (w *World) renewed(instance string, since time.Time) bool {
	if !w.tested.Eventless() && w.naming.alive.Load() > 1 {
		return true
	}
	if w.able().Liveliness {
		return false
	}
	r := w.naming.renewed.Load()
	return r != nil && r.instance == instance && r.at.After(since) &&
		(!w.able().GIDs || w.fromOurName(w.out.state.TopicName, r.writer))
}

// onLiveliness has a handler called for liveliness events, if the middleware has them.
func (w *World) onLiveliness(s *rclgo.Subscription, handler func(rclgo.LivelinessChanged)) error {
	err := s.OnLivelinessChanged(handler)
	if selftest.Unsupported(err) {
		return nil
	}
	return err
}

// fromOurName reports whether a publisher belongs to a node of our name. A message may arrive
// before the graph knows its node, so fromOurName waits for the graph. Where messages do not carry
// the GIDs of the graph, a second publisher of our name in the graph must do.
func (w *World) fromOurName(topic string, gid rclgo.GID) bool {
	look := time.NewTicker(lookSoon)
	defer look.Stop()
	for range answerIn / lookSoon {
		infos, err := w.node.GetPublishersInfoByTopic(topic, true)
		if err != nil {
			return false // the node closes
		}
		ours := 0
		for _, i := range infos {
			own := full(i.NodeNamespace, i.NodeName) == w.name
			if own {
				ours++
			}
			if w.able().GIDs && i.EndpointGID == gid && !strings.HasPrefix(i.NodeName, nameless) {
				return own
			}
		}
		if !w.able().GIDs && ours > 1 {
			return true
		}
		select {
		case <-w.ctx.Done():
			return false
		case <-look.C:
		}
	}
	return false
}

// enquire asks all instances of our name to identify themselves, and repeats that for answerIn.
func (w *World) enquire() {
	round, end := context.WithTimeout(w.ctx, answerIn)
	defer end()
	if err := w.askAgain(round, w.naming.ask, w.answered); err != nil && w.ctx.Err() == nil {
		w.log.Warn("cannot ask for others of the name", zap.Error(err))
	}
}

// askAgain sends a request to all networks of a client's name every askEvery until ctx ends: a
// request is lost if the network has not discovered the client yet.
func (w *World) askAgain(ctx context.Context, client *rstate_msgs_srv.GetNetworkClient,
	heard func(*rstate_msgs_srv.GetNetwork_Response)) error {
	again := time.NewTicker(askEvery)
	defer again.Stop()
	failed := make(chan error, 1)
	var asking sync.WaitGroup
	defer asking.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	for {
		asking.Go(func() {
			err := client.SendToAll(ctx, rstate_msgs_srv.NewGetNetwork_Request(), nil,
				func(msg types.Message, _ *rclgo.ServiceInfo) {
					if answer, ok := msg.(*rstate_msgs_srv.GetNetwork_Response); ok {
						heard(answer)
					}
				})
			if err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-again.C:
		}
	}
}

// answered takes the answer of an instance of our name, which may be our own.
func (w *World) answered(m *rstate_msgs_srv.GetNetwork_Response) {
	if m.InstanceId == w.instance || m.InstanceId == "" || m.Name != w.name {
		return
	}
	since := time.Unix(int64(m.Started.Sec), int64(m.Started.Nanosec)).Format(time.DateTime)
	w.rivalHeard(engine.NameTaken{Instance: m.InstanceId, Holds: true, Answered: true,
		Who: fmt.Sprintf("since %s, with %s", since, m.File)})
}

// rivalHeard posts an observation of another instance.
func (w *World) rivalHeard(in engine.NameTaken) {
	n := &w.naming
	n.mu.Lock()
	in.Stood = n.pulse.Stood(time.Now())
	n.ousted = n.ousted || in.Stood && in.Answered
	n.mu.Unlock()
	w.post(in)
}

func (n *naming) take() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = true
}

// beats notes that the loop turns. Coordinator's goroutine only.
func (n *naming) beats(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pulse.Beat(now)
}

// slept reports whether a message that arrives now may have waited while this process was
// suspended. A late loop does not count: the process still received messages meanwhile.
func (w *World) slept() bool { return w.stopped != nil && w.stopped(drainFor) }

// stands reports whether the loop stands still.
func (n *naming) stands() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.pulse.Stands(time.Now())
}

// vouches reports whether we may tell others that we hold the name.
func (n *naming) vouches(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.taken && !n.ousted && !n.pulse.Stood(now)
}

// lookForNamesakes counts the nodes of our name in the graph. Watcher only.
func (w *World) lookForNamesakes(now time.Time) {
	n := &w.naming
	infos, err := w.node.GetPublishersInfoByTopic(w.out.state.TopicName, true)
	if err != nil {
		return // the node closes
	}
	rivals := -1 // our own is one of them
	for _, i := range infos {
		if full(i.NodeNamespace, i.NodeName) == w.name {
			rivals++
		}
	}
	rivals = max(rivals, 0)
	if rivals > n.rivals {
		w.post(engine.NameSeen{})
	}
	if n.rivals = rivals; rivals > 0 {
		w.suspects()
	}
	w.countOthers(now, rivals)
}

// countOthers counts the nodes of our name that are no rstate, and posts those that stay.
func (w *World) countOthers(now time.Time, rivals int) {
	n := &w.naming
	names, namespaces, err := w.node.GetNodeNames()
	if err != nil {
		return
	}
	odd := -1 - rivals
	for i := range names {
		if full(namespaces[i], names[i]) == w.name {
			odd++
		}
	}
	if odd = max(odd, 0); odd != n.odd {
		n.odd, n.since = odd, now
	}
	if n.odd != n.others && now.Sub(n.since) >= stays {
		n.others = n.odd
		w.post(engine.NameShared{Others: n.odd})
	}
}
