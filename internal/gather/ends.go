//go:build ros

package gather

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/doctor"
	"rstate/internal/network"
)

// readTopics reads both ends of every topic that is used here. It also reads two topics that every
// node has, to learn which process made the node.
func (l *looker) readTopics() {
	var names []string
	for _, d := range l.daemons {
		names = append(names, d.name+"/state")
	}
	simulation := l.facts.Network.Simulation
	switch {
	case l.wish.Network != nil:
		names = append(names, l.wish.Network.Topic)
	case simulation != "":
		names = append(names, l.usualTopic(simulation))
	}
	for _, n := range l.facts.Network.Nodes {
		if n.Lifecycle {
			names = append(names, n.Name+"/transition_event")
		}
		for _, c := range n.Checks {
			if c.Topic != "" {
				names = append(names, c.Topic)
			}
		}
	}
	slices.Sort(names)
	makers := map[string]*doctor.Vendor{}
	for _, name := range slices.Compact(names) {
		l.facts.Topics = append(l.facts.Topics,
			doctor.Topic{Name: name, Writers: l.ends(makers, l.node.GetPublishersInfoByTopic, name),
				Readers: l.ends(makers, l.node.GetSubscriptionsInfoByTopic, name)})
	}
	for _, name := range []string{"/rosout", "/parameter_events"} {
		l.ends(makers, l.node.GetPublishersInfoByTopic, name)
	}
	if l.facts.Stack.Maker = l.ownMaker(); l.facts.Stack.Maker == "" {
		return
	}
	for _, v := range makers {
		slices.Sort(v.Of)
		l.facts.Vendors = append(l.facts.Vendors, *v)
	}
	slices.SortFunc(l.facts.Vendors, func(a, b doctor.Vendor) int { return strings.Compare(a.Name, b.Name) })
}

// usualTopic is the lifecycle topic of a daemon that does not tell its file.
func (l *looker) usualTopic(simulation string) string {
	preset := ""
	if s := l.ofAsked(); s != nil {
		preset = s.Machine
	}
	return network.TopicOf(preset, simulation)
}

// ends reads one end of a topic, without ours, and counts who made them.
func (l *looker) ends(makers map[string]*doctor.Vendor, read func(string, bool) ([]rclgo.TopicEndpointInfo, error),
	topic string) []doctor.End {
	infos, err := read(topic, true)
	if err != nil {
		return nil
	}
	var ends []doctor.End
	for _, i := range infos {
		name := full(i.NodeNamespace, i.NodeName)
		if name == l.node.FullyQualifiedName() {
			continue
		}
		q := i.QosProfile
		ends = append(ends, doctor.End{
			Node: name, Type: i.TopicType,
			Reliable: q.Reliability == rclgo.ReliabilityReliable,
			Latched:  q.Durability == rclgo.DurabilityTransientLocal,
			ByHand:   q.Liveliness == rclgo.LivelinessManualByTopic,
			Deadline: bounded(q.Deadline), LivelinessFor: bounded(q.LivelinessLeaseDuration),
		})
		count(makers, i.EndpointGID, name)
	}
	slices.SortFunc(ends, func(a, b doctor.End) int { return strings.Compare(a.Node, b.Node) })
	return ends
}

// forEver is where durations of the middleware that mean "without end" begin.
const forEver = 100 * 365 * 24 * time.Hour

func bounded(d time.Duration) time.Duration {
	if d >= forEver {
		return 0
	}
	return d
}

// makersOf are the vendor ids with which ids of DDS endpoints begin.
var makersOf = map[[2]byte]string{{1, 0x0f}: "Fast DDS", {1, 0x10}: "Cyclone DDS", {1, 1}: "Connext"}

// ownMaker returns the maker of our middleware, if its ids tell. Those of Zenoh tell nothing.
func (l *looker) ownMaker() string {
	infos, err := l.node.GetSubscriptionsInfoByTopic("/clock", true)
	if err != nil {
		return ""
	}
	for _, i := range infos {
		if full(i.NodeNamespace, i.NodeName) == l.node.FullyQualifiedName() {
			return makersOf[[2]byte{i.EndpointGID[0], i.EndpointGID[1]}]
		}
	}
	return ""
}

// few is how many nodes of a maker are named.
const few = 5

func count(makers map[string]*doctor.Vendor, id rclgo.GID, node string) {
	name, known := makersOf[[2]byte{id[0], id[1]}]
	if !known {
		name = fmt.Sprintf("a middleware with the id %02x.%02x", id[0], id[1])
	}
	if makers[name] == nil {
		makers[name] = &doctor.Vendor{Name: name}
	}
	v := makers[name]
	v.Ends++
	if node != "" && len(v.Of) < few && !slices.Contains(v.Of, node) {
		v.Of = append(v.Of, node)
	}
}
