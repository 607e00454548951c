//go:build ros

package rosnet

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/procs"
)

const (
	// lookSoon is how soon to look again while a node is there by half: the last part of its
	// discovery is no change of the graph that we would hear of.
	lookSoon = 20 * time.Millisecond
	// lookLate is the period of looks without a notification. Each look queries the graph once for
	// every node, which is most of the work of an idle daemon. Graph changes arrive without it.
	lookLate = 5 * time.Second
	// gatherLooks is how long changes of the graph are gathered: one new process is many of them.
	gatherLooks = 10 * time.Millisecond
	// grace is how long a node that can be driven is waited for in full: its events, and its arming
	// service.
	grace = time.Second
	// namelessIn is the timeout for the graph to name the node of a writer. The middleware sends
	// the nodes of the writers separately from the writers. This message can be lost for good if a
	// killed process left shared memory behind. After the timeout, a writer of a node's events
	// counts as the node's, as no other node writes there.
	namelessIn = 2 * time.Second
	// outlived is how long a plain node may stay in the graph after a report that its process
	// ended, or three times as long as the middleware believes in a silent process. A node that stays
	// longer is alive, and the report was about another process.
	outlived = time.Minute
	// nameless begins the name that the middleware gives to a node of which it has not been told.
	nameless = "_NODE_NAME_UNKNOWN_"
)

// presence is what was told of a node's process. Watcher only.
type presence struct {
	last   uint64   // epochs given out so far
	epoch  uint64   // as posted last
	count  int      // as posted last; 0: not there
	epochs []uint64 // as posted last
	ended  []uint64 // of those whose end was posted

	endedAt time.Time // when the last of them was
	driven  time.Time // since when it can be driven; zero: it cannot
	bare    []uint64  // of a plain node's processes whose writers are not known

	// When writers were first seen without a known node.
	unnamed map[rclgo.GID]time.Time
}

// startWatch begins to look for the nodes whenever the graph changes.
func (w *World) startWatch() {
	stop := w.node.OnGraphChange(w.lookAgain)
	w.owns(func() error { stop(); return nil })
	w.goes(w.watch)
}

// worlds counts the worlds of this process.
var worlds atomic.Int64

// gatherFor is gatherLooks, longer with many worlds in a process: each entity of one is a change for
// all.
func gatherFor() time.Duration {
	const cheap = 4 // so many worlds look as often as one
	return gatherLooks * time.Duration(max(1, worlds.Load()/cheap))
}

// lookAgain asks the watcher to look, soon. It never blocks.
func (w *World) lookAgain() {
	select {
	case w.graph <- struct{}{}:
	default:
	}
}

func (w *World) watch() {
	missing := time.NewTimer(w.discovery() - missAhead)
	defer missing.Stop()
	for {
		wait := lookLate
		if !w.look(time.Now()) {
			wait = lookSoon
		}
		timer := time.NewTimer(wait)
		select {
		case <-w.ctx.Done():
			timer.Stop()
			return
		case <-missing.C:
			timer.Stop()
			w.tellMissing()
		case p := <-w.ends.told:
			timer.Stop()
			w.processEnded(p)
		case <-w.graph:
			timer.Reset(gatherFor())
			select {
			case <-w.ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		case <-timer.C:
		}
	}
}

// look compares the graph with what was posted. It returns false where a node is there by half.
func (w *World) look(now time.Time) bool {
	w.lookForNamesakes(now)
	plain := w.lookForPlain()
	whole := true
	for _, r := range w.remotes {
		var epoch uint64
		var count int
		if r.spec.Lifecycle {
			epoch, count = r.writers(now)
		} else {
			epoch, count = r.bodies(now, plain.count[r.spec.Name], plain.writers[r.spec.Name])
		}
		r.forgetReporters()
		whole = r.lookForServers(now) && whole // before the node, whose servers the engine then knows
		whole = r.report(now, epoch, count) && r.named(now) && whole
		whole = r.matchReports(now) && whole
		r.tellEnds()
		r.lookForUnsafe()
	}
	w.lookForProcesses()
	w.lookForClocks()
	return w.lookForClock(now) && whole
}

// logTopic is the topic that nearly every node writes. Its writers distinguish the processes of
// plain nodes.
const logTopic = "/rosout"

// plainNodes is what the graph knows of plain nodes, by full name.
type plainNodes struct {
	count   map[string]int
	writers map[string][]rclgo.GID // of logTopic
}

// lookForPlain looks for plain nodes, if the network has any.
func (w *World) lookForPlain() (p plainNodes) {
	if !slices.ContainsFunc(w.remotes, func(r *remote) bool { return !r.spec.Lifecycle }) {
		return p
	}
	p.count, p.writers = map[string]int{}, map[string][]rclgo.GID{}
	for _, name := range w.graphNames() {
		p.count[name]++
	}
	infos, err := w.node.GetPublishersInfoByTopic(logTopic, true)
	if err != nil {
		w.log.Warn("cannot read the graph", zap.Error(err))
	}
	for _, info := range infos {
		name := full(info.NodeNamespace, info.NodeName)
		p.writers[name] = append(p.writers[name], info.EndpointGID)
	}
	return p
}

// graphNames are the full names of all nodes of the graph, each as often as it is there.
func (w *World) graphNames() []string {
	names, namespaces, err := w.node.GetNodeNames()
	if err != nil {
		w.log.Warn("cannot read the graph", zap.Error(err))
		return nil
	}
	for i := range names {
		names[i] = full(namespaces[i], names[i])
	}
	return names
}

func full(namespace, name string) string {
	if namespace == "/" {
		return "/" + name
	}
	return namespace + "/" + name
}

// writers counts the living processes of a lifecycle node by the writers of its events, and numbers
// them: a writer that was not there before is a new epoch.
func (r *remote) writers(now time.Time) (newest uint64, count int) {
	infos, err := r.w.node.GetPublishersInfoByTopic(r.eventTopic, true)
	if err != nil {
		r.w.log.Warn("cannot read the graph", zap.String("node", r.spec.Name), zap.Error(err))
		return r.presence.epoch, r.presence.count
	}
	return r.living(now, infos)
}

func (r *remote) living(now time.Time, infos []rclgo.TopicEndpointInfo) (newest uint64, count int) {
	r.epochMu.Lock()
	defer r.epochMu.Unlock()
	living := make(map[rclgo.GID]uint64, len(infos))
	was := r.presence.unnamed
	r.presence.unnamed = map[rclgo.GID]time.Time{}
	for _, info := range infos {
		if full(info.NodeNamespace, info.NodeName) != r.spec.Name && !r.ours(now, info, was) {
			continue
		}
		epoch, known := r.epochs[info.EndpointGID]
		if !known {
			r.presence.last++
			epoch = r.presence.last
		}
		living[info.EndpointGID] = epoch
		newest = max(newest, epoch)
	}
	r.epochs = living
	return newest, len(living)
}

// ours says whether a writer without the node's name is the node's all the same. One that loses the
// name is not for now, as its node may have gone from a living process. It may also have lost it to a
// namesake of its process, with which the middleware has confused it; then it stays, and is driven as
// a process of its own.
func (r *remote) ours(now time.Time, info rclgo.TopicEndpointInfo, was map[rclgo.GID]time.Time) bool {
	if !strings.HasPrefix(info.NodeName, nameless) {
		return false
	}
	since, waiting := was[info.EndpointGID]
	if !waiting {
		since = now
	}
	r.presence.unnamed[info.EndpointGID] = since
	return now.Sub(since) >= namelessIn
}

// named says whether there is no writer of which it is still to be told whose it is.
func (r *remote) named(now time.Time) bool {
	for _, since := range r.presence.unnamed {
		if now.Sub(since) < namelessIn {
			return false
		}
	}
	return true
}

// bodies numbers the processes of a plain node. The graph tells how many there are. The writers of
// their log, which the graph may show later, or not at all, tell them apart: without them one that
// takes the place of another is not noticed.
func (r *remote) bodies(now time.Time, count int, writers []rclgo.GID) (newest uint64, _ int) {
	r.epochMu.Lock()
	defer r.epochMu.Unlock()
	p := &r.presence
	fresh := func() uint64 { p.last++; return p.last }
	known := map[rclgo.GID]uint64{}
	for _, gid := range writers {
		epoch, ok := r.epochs[gid]
		if ok && r.outlives(now, gid, epoch) {
			ok = false
		}
		if !ok && len(p.bare) > 0 {
			epoch, p.bare = p.bare[0], p.bare[1:]
		} else if !ok {
			epoch = fresh()
		}
		known[gid] = epoch
	}
	for gid, epoch := range r.epochs {
		if _, ok := known[gid]; !ok {
			p.bare = append(p.bare, epoch)
		}
	}
	r.epochs = known
	slices.Sort(p.bare)
	if most := max(0, count-len(known)); len(p.bare) > most {
		p.bare = p.bare[len(p.bare)-most:]
	}
	for len(known)+len(p.bare) < count {
		p.bare = append(p.bare, fresh())
	}
	for _, epoch := range r.epochsNow() {
		newest = max(newest, epoch)
	}
	return newest, len(known) + len(p.bare)
}

// outlives reports whether a plain node's process lives although its end was told. Unlike a
// lifecycle node, it cannot be asked.
func (r *remote) outlives(now time.Time, gid rclgo.GID, epoch uint64) bool {
	if !slices.Contains(r.presence.ended, epoch) || now.Sub(r.presence.endedAt) < max(outlived, 3*r.w.able().Silent) {
		return false
	}
	p := participantOf(gid)
	r.w.ends.dead = slices.DeleteFunc(r.w.ends.dead, func(o procs.Participant) bool { return o == p })
	return true
}

// report posts what has changed about the node's process. It returns false where that has to wait.
func (r *remote) report(now time.Time, epoch uint64, count int) bool {
	p, epochs, why := &r.presence, r.epochsNow(), "it left the graph"
	if broken := r.bondBroken(epoch); broken != "" && count > 0 {
		count, why = 0, broken
	}
	switch {
	case count == 0:
		if p.count > 0 {
			r.w.post(engine.NodeLost{Node: r.i, Why: why})
		}
		p.epoch, p.count, p.epochs, p.driven = 0, 0, nil, time.Time{}
		return true
	case epoch == p.epoch && count == p.count && slices.Equal(epochs, p.epochs):
		return r.identified(now, epoch)
	case epoch > p.epoch && !(r.reachable(now, count) && r.identified(now, epoch)):
		return false
	}
	p.epoch, p.count, p.epochs, p.driven = epoch, count, epochs, time.Time{}
	r.w.post(engine.NodeSeen{Node: r.i, Epoch: epoch, Count: count, Epochs: epochs})
	return true
}

// reachable says whether requests to the node and its answers will find their way: a request to a
// server that has not found our half yet is lost. What a node can be driven without is not waited
// for beyond the grace.
func (r *remote) reachable(now time.Time, count int) bool {
	if r.spec.Lifecycle && !(available(r.getState.Client) && available(r.changeState.Client)) {
		r.presence.driven = time.Time{}
		return false
	}
	if r.presence.driven.IsZero() {
		r.presence.driven = now
	}
	return r.whole(count) || now.Sub(r.presence.driven) >= grace
}

// whole says whether the rest of the node is there too.
func (r *remote) whole(count int) bool {
	if r.armer != nil && !(available(r.armer.Client) && available(r.disarmer.Client)) {
		return false
	}
	if r.events == nil {
		return true
	}
	matched, err := r.events.GetPublisherCount()
	return err == nil && matched >= count
}

func available(c *rclgo.Client) bool {
	ok, err := c.Available()
	return err == nil && ok
}
