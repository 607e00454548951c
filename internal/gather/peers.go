//go:build ros

package gather

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/doctor"
	"rstate/internal/middleware"
	"rstate/internal/network"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// ear listens to the instances of one simulation.
type ear struct {
	node  *rclgo.Node
	topic string
	gids  bool // a message carries the GID that the graph shows for its publisher
	sub   *rstate_msgs_msg.PeerStatusSubscription

	mu    sync.Mutex
	heard map[string]word // by the id of the publisher, or by instance id and name
}

// word is what an instance said last.
type word struct {
	msg *rstate_msgs_msg.PeerStatus
	at  time.Time
}

func newEar(node *rclgo.Node, able middleware.Abilities, topic string) (*ear, error) {
	e := &ear{node: node, topic: topic, gids: able.GIDs, heard: map[string]word{}}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, 100 // each of them has a message latched
	var err error
	e.sub, err = rstate_msgs_msg.NewPeerStatusSubscription(node, topic, opts, e.take)
	return e, err
}

func (e *ear) take(msg *rstate_msgs_msg.PeerStatus, info *rclgo.MessageInfo, err error) {
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key := msg.Name + "\x00" + msg.InstanceId
	if e.gids {
		key = string(info.PublisherGID[:])
	}
	e.heard[key] = word{msg, time.Now()}
}

// fact returns the instances that were heard and those that should have been.
func (e *ear) fact() doctor.Circle {
	infos, _ := e.node.GetPublishersInfoByTopic(e.topic, true) // on an error, no peer is silent
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	c := doctor.Circle{}
	for key, w := range e.heard {
		c.Simulation = w.msg.Simulation
		one := instanceOf(w.msg)
		one.Age = now.Sub(w.at)
		one.Alive = one.Age < believed &&
			slices.ContainsFunc(infos, func(i rclgo.TopicEndpointInfo) bool { return e.is(i, key, w) })
		c.Instances = append(c.Instances, one)
	}
	slices.SortFunc(c.Instances, func(a, b doctor.Instance) int {
		if byName := strings.Compare(a.Name, b.Name); byName != 0 {
			return byName
		}
		return strings.Compare(a.Instance, b.Instance)
	})
	for _, i := range infos {
		if !e.heardOf(i, now) {
			if name := full(i.NodeNamespace, i.NodeName); name != "" && !slices.Contains(c.Silent, name) {
				c.Silent = append(c.Silent, name)
			}
		}
	}
	slices.Sort(c.Silent)
	return c
}

// is reports whether a publisher of the graph is that of a word.
func (e *ear) is(i rclgo.TopicEndpointInfo, key string, w word) bool {
	if e.gids {
		return string(i.EndpointGID[:]) == key
	}
	return full(i.NodeNamespace, i.NodeName) == w.msg.Name
}

// heardOf reports whether a publisher of the graph was heard a moment ago.
func (e *ear) heardOf(i rclgo.TopicEndpointInfo, now time.Time) bool {
	for key, w := range e.heard {
		if now.Sub(w.at) < believed && e.is(i, key, w) {
			return true
		}
	}
	return false
}

func instanceOf(m *rstate_msgs_msg.PeerStatus) doctor.Instance {
	one := doctor.Instance{
		Name: m.Name, Instance: m.InstanceId, State: m.State.Label, Settled: m.Settled, Intact: m.Intact,
		Common: m.Target.Label,
		Behind: m.Behind, Leaving: m.Leaving, Cause: m.Cause, Seen: map[string]uint64{}, Machine: m.Machine,
		Hash:  m.MachineHash,
		Nodes: m.Nodes, MayBeArmed: m.MayBeArmed, Requires: m.Requires,
	}
	if m.Target.Id == rstate_msgs_msg.State_UNKNOWN && m.Target.Label == "unknown" {
		one.Common = ""
	}
	for _, s := range m.Seen {
		one.Seen[s.Instance] = max(one.Seen[s.Instance], s.N)
	}
	return one
}

// Peers listens to the instances of a simulation until it has heard every instance in the graph,
// and long enough to know which are alive. It also ends when ctx does.
func Peers(ctx context.Context, node *rclgo.Node, able middleware.Abilities, simulation string) (doctor.Circle, error) {
	e, err := newEar(node, able, network.PeersTopic(simulation))
	if err != nil {
		return doctor.Circle{}, err
	}
	defer func() { _ = e.sub.Close() }() // goes with the node at the latest
	began := time.Now()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		c := e.fact()
		c.Simulation = simulation
		if t := time.Since(began); t >= meetAtMost ||
			t >= meetAtLeast+believed/2 && len(c.Instances) > 0 && len(c.Silent) == 0 {
			return c, nil
		}
		select {
		case <-ctx.Done():
			return c, ctx.Err()
		case <-tick.C:
		}
	}
}

// listenToPeers begins to listen on each topic on which instances speak that is new.
func (l *looker) listenToPeers(topic string, kinds []string) {
	if !slices.Contains(kinds, "rstate_msgs/msg/PeerStatus") ||
		slices.ContainsFunc(l.ears, func(e *ear) bool { return e.topic == topic }) {
		return
	}
	if e, err := newEar(l.node, l.facts.Stack.Abilities, topic); err == nil { // else its type is not installed; another check reports that
		l.ears = append(l.ears, e)
	}
}

// circles maps each simulation to the instances that were heard.
func (l *looker) circles() []doctor.Circle {
	var all []doctor.Circle
	for _, e := range l.ears {
		if c := e.fact(); len(c.Instances) > 0 {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b doctor.Circle) int { return strings.Compare(a.Simulation, b.Simulation) })
	return all
}
