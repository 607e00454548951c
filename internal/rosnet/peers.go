//go:build ros

package rosnet

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/middleware"
	"rstate/internal/mirror"
	"rstate/internal/network"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

const (
	// tellEvery is the period of our status messages to peers, changed or not. It is some beats
	// shorter than the lease, so that no live peer is silent for as long as a dead one.
	tellEvery = 400 * time.Millisecond
	// sharedDepth is the queue depth of a shared topic: each of its writers has a latched message.
	sharedDepth = 100
	// drainFor is how long, after this process was suspended, the sockets still deliver messages
	// that arrived meanwhile.
	drainFor = 200 * time.Millisecond
)

// The reasons for which a peer is lost.
const (
	lostSilent = "it does not renew its liveliness"
	lostQuiet  = "no message of it arrives"
	lostGone   = "it has left the graph"
	lostStood  = "this process stood still, and has to hear of it again"
)

// peers exchanges status messages with the other instances of the simulation.
type peers struct {
	stirred chan struct{} // a token: the writers are to be compared with the graph
	ears    atomic.Int64  // subscriptions to our status in the graph, our own among them

	mu       sync.Mutex // held while a message is posted: messages of one peer keep their order
	statuses roll
	changes  roll

	// Coordinator's goroutine only.
	status *mirror.Status // as the engine told it last
	told   time.Time      // when it was published last
	news   bool           // it has not been published yet
	proved time.Time      // when the oldest of the proofs was made; zero: there is none
}

// openPeers makes the publisher and the subscription for peers. The subscription in name.go takes
// their changes.
func (w *World) openPeers() (err error) {
	w.peers.stirred = make(chan struct{}, 1)
	topic := network.PeersTopic(w.net.Simulation)
	if w.out.peers, err = rstate_msgs_msg.NewPeerStatusPublisher(w.node, topic, latched()); err != nil {
		return fmt.Errorf("cannot tell peers on %q: %w", topic, err)
	}
	w.owns(w.out.peers.Close)
	statuses, err := hear(w.out.peers.Publisher, topic, rstate_msgs_msg.PeerStatusTypeSupport, ofAll(), w.statusHeard)
	if err != nil {
		return fmt.Errorf("cannot listen to peers on %q: %w", topic, err)
	}
	w.owns(statuses.Close)
	if err := w.onLiveliness(statuses, w.peersCounted); err != nil {
		return fmt.Errorf("cannot watch over peers: %w", err)
	}
	return nil
}

// startPeers starts the goroutine that compares the writers with the graph.
func (w *World) startPeers() {
	stop := w.node.OnGraphChange(w.stirPeers)
	w.owns(func() error { stop(); return nil })
	w.goes(w.watchPeers)
}

// stirPeers requests another lookAtPeers. It never blocks.
func (w *World) stirPeers() {
	select {
	case w.peers.stirred <- struct{}{}:
	default:
	}
}

func (w *World) watchPeers() {
	soon, ages := time.NewTimer(0), time.NewTicker(middleware.Look)
	defer soon.Stop()
	defer ages.Stop()
	ages.Stop() // events tell more, if they fire
	over := w.tested.Over()
	for due := true; ; {
		select {
		case <-w.ctx.Done():
			return
		case <-over:
			if over = nil; w.tested.Eventless() {
				ages.Reset(middleware.Look)
			}
		case <-ages.C:
			w.agePeers()
		case <-w.peers.stirred:
			if !due { // what comes meanwhile is gathered
				soon.Reset(gatherFor())
				due = true
			}
		case <-soon.C:
			if due = w.lookAtPeers(); due {
				soon.Reset(lookSoon)
			}
		}
	}
}

// agePeers posts the peers whose messages have stopped.
func (w *World) agePeers() {
	w.peers.mu.Lock()
	defer w.peers.mu.Unlock()
	w.lose(w.peers.statuses.grow(), lostQuiet)
}

// lookAtPeers compares the writers with the graph and with the number of dead ones. It returns true
// if another look is needed.
func (w *World) lookAtPeers() bool {
	p := &w.peers
	statuses, err := w.writersOf(w.out.peers.TopicName)
	if err != nil {
		return false // the node closes
	}
	changes, err := w.writersOf(w.out.change.TopicName)
	if err != nil {
		return false
	}
	ears, err := w.node.CountSubscribers(w.out.peers.TopicName)
	if err != nil {
		return false
	}
	p.ears.Store(int64(ears))
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !w.able().GIDs {
		statuses, changes = p.statuses.byName(statuses), p.changes.byName(changes)
	}
	left, unknown := p.statuses.look(now, statuses)
	w.lose(left, lostGone)
	_, more := p.changes.look(now, changes)
	return w.bury(now) || unknown || more
}

// writersOf returns the node of each writer of a topic; empty if the graph does not name it yet.
func (w *World) writersOf(topic string) (map[rclgo.GID]string, error) {
	infos, err := w.node.GetPublishersInfoByTopic(topic, true)
	if err != nil {
		return nil, err
	}
	nodes := make(map[rclgo.GID]string, len(infos))
	for _, i := range infos {
		nodes[i.EndpointGID] = ""
		if !strings.HasPrefix(i.NodeName, nameless) {
			nodes[i.EndpointGID] = full(i.NodeNamespace, i.NodeName)
		}
	}
	return nodes, nil
}

// peersCounted takes the number of status writers that do not renew their liveliness.
func (w *World) peersCounted(l rclgo.LivelinessChanged) {
	p := &w.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.statuses.count(l.NotAliveCount, now)
	if w.bury(now) {
		w.stirPeers()
	}
}

// bury posts the dead peers. It returns true if more are dead than it could identify; p.mu is held.
func (w *World) bury(now time.Time) (doubt bool) {
	dead, doubt := w.peers.statuses.missing(now)
	why := lostSilent
	if w.slept() {
		why = lostStood
	}
	w.lose(dead, why)
	return doubt
}

// lose posts writers that are no peers any more; p.mu is held.
func (w *World) lose(lost []*writer, why string) {
	for _, one := range lost {
		if one.name != "" {
			w.post(engine.PeerLost{Name: one.name, Instance: one.instance, Why: why})
			one.name, one.instance = "", ""
		}
	}
}

// writer returns the writer of a message that has just arrived; nil: there are too many. A new one is
// looked for in the graph.
func (w *World) writer(of *roll, name, instance string, info *rclgo.MessageInfo, now time.Time) *writer {
	var one *writer
	if w.able().GIDs {
		one = of.of(info.PublisherGID, now)
	} else {
		one = of.ofInstance(cut(name), cut(instance), now)
	}
	if one == nil || one.first.Equal(now) {
		w.stirPeers()
	}
	return one
}

// statusHeard takes the status message of an instance. Our own message also matters: it shows which
// instances are alive.
func (w *World) statusHeard(m *rstate_msgs_msg.PeerStatus, info *rclgo.MessageInfo) {
	p := &w.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if m == nil && !w.able().GIDs {
		return // it cannot be decoded
	}
	var name, instance string
	if m != nil {
		name, instance = m.Name, m.InstanceId
	}
	one := w.writer(&p.statuses, name, instance, info, now)
	if one == nil || m == nil || m.InstanceId == w.instance || w.slept() || !one.room(now) {
		return
	}
	s, wrong := peerStatus(m, w.net.Simulation)
	switch {
	case wrong != "":
		w.dismiss(one, w.out.peers.TopicName, m.Name, wrong)
	case s.Name == w.name: // see name.go
	default:
		w.attribute(one, w.out.peers.TopicName, s.Name, now, func() {
			one.name, one.instance = s.Name, s.Instance
			w.post(engine.PeerTold{Status: s})
		})
	}
}

// peerChanged takes a message of another instance on the lifecycle topic.
func (w *World) peerChanged(m *rstate_msgs_msg.NetworkState, info *rclgo.MessageInfo) {
	if m.InstanceId == w.instance {
		return
	}
	p := &w.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if w.slept() {
		return // its status gives the current state
	}
	one := w.writer(&p.changes, m.SourceNode, m.InstanceId, info, now)
	if one == nil || !one.room(now) {
		return
	}
	c, wrong := peerChange(m, w.net.Simulation)
	if wrong != "" {
		w.dismiss(one, w.out.change.TopicName, m.SourceNode, wrong)
		return
	}
	w.attribute(one, w.out.change.TopicName, c.Name, now, func() { w.post(engine.PeerChanged{Change: c}) })
}

// plainHeard takes a message of a peer that publishes only the four fields. The node of the writer
// does not matter: it may be a bridge. No message is heard unless the file lists such peers.
func (w *World) plainHeard(m *rstate_msgs_msg.NetworkState, info *rclgo.MessageInfo) {
	if len(w.net.Peers.Plain) == 0 || m.SourceNode == w.name {
		return
	}
	p := &w.peers
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	one := w.writer(&p.changes, m.SourceNode, m.InstanceId, info, now)
	if one == nil || w.slept() || !one.room(now) {
		return
	}
	c, wrong := peerChange(m, w.net.Simulation)
	if wrong != "" {
		w.dismiss(one, w.out.change.TopicName, m.SourceNode, wrong)
		return
	}
	w.post(engine.PeerChanged{Change: c})
}

// attribute takes a message if its writer belongs to the node that the message names; p.mu is held.
func (w *World) attribute(one *writer, topic, name string, now time.Time, take func()) {
	if !one.speaks(name, now, take) {
		w.dismiss(one, topic, name, "it was sent by "+one.node+", as a recording is")
	} else if one.held != nil {
		w.stirPeers()
	}
}

// dismiss drops a message, and logs that once per writer; p.mu is held.
func (w *World) dismiss(one *writer, topic, name, wrong string) {
	if one.odd {
		return
	}
	one.odd = true
	w.log.Warn("a message that no instance of this simulation sends about itself is dropped", zap.String("why", wrong),
		zap.String("topic", topic), zap.String("from", cut(name)))
}

// tellPeers publishes our status. Without listeners it does so at the next beat, so that the
// current work does not wait for it. Coordinator's goroutine only.
func (w *World) tellPeers(s mirror.Status) {
	now := time.Now()
	w.peers.status = &s
	w.peers.noteProof(s.ProofAge, now)
	if w.peers.news = w.peers.alone(); !w.peers.news {
		w.saysToPeers(now)
	}
}

// noteProof takes the age of the oldest proof that the nodes are in their expected states. A renewed
// proof does not cause an effect of its own, so any message that carries it counts. Coordinator's
// goroutine only.
func (p *peers) noteProof(age time.Duration, now time.Time) {
	switch at := now.Add(-age); {
	case age < 0:
		p.proved = time.Time{}
	case at.After(p.proved):
		p.proved = at
	}
}

// alone reports whether only we ourselves listen to our status. Then the status is not repeated and
// its liveliness not renewed, which would be half the cost of an idle daemon. A new peer gets the
// latched status.
func (p *peers) alone() bool { return p.ears.Load() <= 1 }

// remindPeers publishes the status, or repeats it, when that is due. Coordinator's goroutine only.
func (w *World) remindPeers(now time.Time) {
	due := w.peers.status != nil && !w.peers.alone() && now.Sub(w.peers.told) >= tellEvery
	if due || w.peers.news {
		w.saysToPeers(now)
	}
}

func (w *World) saysToPeers(now time.Time) {
	s := *w.peers.status
	s.ProofAge = unknownAge
	if !w.peers.proved.IsZero() {
		s.ProofAge = now.Sub(w.peers.proved)
	}
	w.peers.told, w.peers.news = now, false
	w.out.statuses.Set(func() {
		if err := w.out.peers.Publish(w.statusMessage(s, now)); err != nil {
			w.log.Error("cannot tell peers how we are", zap.Error(err))
		}
	})
}
