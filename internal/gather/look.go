//go:build ros

package gather

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"

	"rstate/internal/doctor"
	"rstate/internal/network"
	rosgraph_msgs_msg "rstate/msgs/gen/rosgraph_msgs/msg"
)

const (
	// meetAtLeast and meetAtMost are how long nodes have to be found: an announcement that is lost comes again after 3
	// s.
	meetAtLeast, meetAtMost = time.Second, 3500 * time.Millisecond
	// lookEvery is how often the graph is read meanwhile.
	lookEvery = 100 * time.Millisecond
	// wordIn is how long a daemon that was found has to say what its network is.
	wordIn = time.Second
)

// Wish is what is to be looked at.
type Wish struct {
	Network *network.Network // nil: the nodes that the daemon names
	Daemon  string           // full name
}

// looker is one look around.
type looker struct {
	node    *rclgo.Node
	wish    Wish
	facts   *doctor.Facts
	daemons []*watched
	ears    []*ear
	began   time.Time
	ticks   atomic.Int64 // of /clock
	over    chan struct{}
	aging   sync.WaitGroup
}

// Look fills in what there is to be seen and heard from a node, which is served meanwhile. It ends by itself, within
// nine seconds on a machine that is not overloaded, and when ctx is done.
func Look(ctx context.Context, node *rclgo.Node, wish Wish, f *doctor.Facts) {
	l := &looker{node: node, wish: wish, facts: f, began: time.Now(), over: make(chan struct{})}
	defer l.close()
	f.Asked = wish.Daemon
	l.lacking()
	l.listenToClock()
	if wish.Network != nil {
		f.Network = fromFile(wish.Network)
	}
	l.meet(ctx)
	if wish.Network == nil {
		l.askNetwork(ctx)
		l.meet(ctx) // the names to look for are known from here on
	}
	l.expect()
	l.readServices()
	l.askNodes(ctx)
	var measured sync.WaitGroup
	measured.Go(func() { l.measureChecks(ctx) })
	l.timeNodes(ctx)
	measured.Wait()
	l.readGraph() // what was missing may have come meanwhile
	l.readServices()
	l.readTopics()
	for _, d := range l.daemons {
		f.Daemons = append(f.Daemons, d.fact())
	}
	f.Circles = l.circles()
	f.Clock.Writers, _ = l.node.CountPublishers("/clock")
	f.Clock.Messages, f.Clock.Looked = int(l.ticks.Load()), time.Since(l.began)
}

func (l *looker) close() {
	close(l.over)
	l.aging.Wait()
	for _, d := range l.daemons {
		_ = d.sub.Close() // goes with the node at the latest
	}
	for _, e := range l.ears {
		_ = e.sub.Close()
	}
}

// always are the types without which nothing works.
var always = []string{
	"rstate_msgs/action/Transition", "rstate_msgs/msg/InstanceState", "lifecycle_msgs/srv/ChangeState",
	"std_srvs/srv/SetBool",
}

// lacking tries every type that is used.
func (l *looker) lacking() {
	types := slices.Clone(always)
	if l.wish.Network != nil {
		for _, n := range l.wish.Network.Nodes {
			if n.Arm != nil {
				types = append(types, n.Arm.Type)
			}
			for _, c := range n.Checks {
				types = append(types, c.Type)
			}
		}
	}
	slices.Sort(types)
	for _, t := range slices.Compact(types) {
		if t == "" {
			continue // any will do
		}
		if err := introspection.Load(t); err != nil {
			l.facts.Stack.Lacking = append(l.facts.Stack.Lacking, err.Error())
		}
	}
}

func (l *looker) listenToClock() {
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Reliability = rclgo.ReliabilityBestEffort                    // hears every publisher
	_, _ = rosgraph_msgs_msg.NewClockSubscription(l.node, "/clock", opts, // without it, nothing is heard
		func(*rosgraph_msgs_msg.Clock, *rclgo.MessageInfo, error) { l.ticks.Add(1) })
}

// fromFile is what a network file wants.
func fromFile(net *network.Network) doctor.Network {
	w := doctor.Network{Simulation: net.Simulation, Proof: net.Proof, Peers: net.Peers.Required}
	for _, n := range net.Nodes {
		node := doctor.Node{Name: n.Name, Lifecycle: n.Lifecycle, Optional: n.Optional,
			Proves: n.Arm != nil || n.Probe > 0 || len(n.Serves) > 0}
		if n.Arm != nil {
			node.Arm = &doctor.Call{Name: n.Arm.Service, Type: n.Arm.Type}
			node.ArmServer = n.Arm.ServedBy
		}
		for _, c := range n.Checks {
			node.Checks = append(node.Checks, doctor.Check{Topic: c.Topic, Service: c.Service, Type: c.Type,
				Subject: c.Subject(), Rate: c.Rate, Age: c.Age})
		}
		w.Nodes = append(w.Nodes, node)
	}
	return w
}

// meet reads the graph until everything that is looked for has been found, or time is up.
func (l *looker) meet(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		l.readGraph()
		if t := time.Since(l.began); t >= meetAtMost || t >= meetAtLeast && l.whole() {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// whole says whether everything that is looked for is there.
func (l *looker) whole() bool {
	if !slices.ContainsFunc(l.daemons, func(d *watched) bool { return d.name == l.wish.Daemon }) {
		return false
	}
	l.readServices()
	for _, n := range l.facts.Network.Nodes {
		if !slices.Contains(l.facts.Nodes, n.Name) || n.Lifecycle && !l.offered(n.Name+"/change_state") ||
			n.Arm != nil && !l.offered(n.Arm.Name) {
			return false
		}
	}
	return true
}

func (l *looker) offered(service string) bool {
	return slices.ContainsFunc(l.facts.Services, func(s doctor.Service) bool { return s.Name == service })
}

// readGraph reads the nodes in the graph and starts to watch every new daemon.
func (l *looker) readGraph() {
	names, namespaces, err := l.node.GetNodeNames()
	if err != nil {
		return
	}
	l.facts.Nodes = nil
	for i := range names {
		if name := full(namespaces[i], names[i]); name != l.node.FullyQualifiedName() {
			l.facts.Nodes = append(l.facts.Nodes, name)
		}
	}
	slices.Sort(l.facts.Nodes)
	topics, err := l.node.GetTopicNamesAndTypes(true)
	if err != nil {
		return
	}
	l.facts.Others = nil
	for name, kinds := range topics {
		l.facts.Others = append(l.facts.Others, doctor.Named{Name: name, Types: kinds})
		if daemon, ok := strings.CutSuffix(name, "/state"); ok &&
			slices.Contains(kinds, "rstate_msgs/msg/InstanceState") {
			l.watch(daemon)
		}
		l.listenToPeers(name, kinds)
	}
	slices.SortFunc(l.facts.Others, byName)
}

func byName(a, b doctor.Named) int { return strings.Compare(a.Name, b.Name) }

// readServices reads what is offered, by how many, and by which nodes of the network.
func (l *looker) readServices() {
	all, err := l.node.GetServiceNamesAndTypes()
	if err != nil {
		return
	}
	by := map[string][]string{}
	for _, n := range l.facts.Network.Nodes {
		if !slices.Contains(l.facts.Nodes, n.Name) {
			continue
		}
		namespace, name := split(n.Name)
		own, err := l.node.GetServiceNamesAndTypesByNode(name, namespace)
		if err != nil {
			continue // it has gone meanwhile
		}
		for service := range own {
			by[service] = append(by[service], n.Name)
		}
	}
	l.facts.Services = nil
	for name, kinds := range all {
		servers, err := l.node.CountServices(name)
		if err != nil || servers == 0 {
			continue // only clients
		}
		l.facts.Services = append(l.facts.Services,
			doctor.Service{Named: doctor.Named{Name: name, Types: kinds}, Servers: servers, Nodes: by[name]})
	}
	slices.SortFunc(l.facts.Services, func(a, b doctor.Service) int { return byName(a.Named, b.Named) })
	for i := range l.facts.Network.Nodes {
		if n := &l.facts.Network.Nodes[i]; n.Arm != nil {
			n.ArmedBy = l.serversOf(n.Arm.Name)
		}
	}
}

// serversOf lists the nodes that serve a service. Where the graph does not show them, each node is asked for its services.
func (l *looker) serversOf(service string) (nodes []string) {
	infos, err := l.node.GetServersInfoByService(service)
	if !errors.Is(err, &rclgo.Unsupported{}) {
		for _, info := range infos {
			nodes = append(nodes, full(info.NodeNamespace, info.NodeName))
		}
		slices.Sort(nodes)
		return nodes
	}
	for _, n := range l.facts.Nodes {
		namespace, name := split(n)
		offers, err := l.node.GetServiceNamesAndTypesByNode(name, namespace)
		if _, ok := offers[service]; ok && err == nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func full(namespace, name string) string {
	if name == "" {
		return "" // its end was found before it was
	}
	return strings.TrimSuffix(namespace, "/") + "/" + name
}

func split(name string) (namespace, base string) {
	at := strings.LastIndexByte(name, '/')
	if at == 0 {
		return "/", name[1:]
	}
	return name[:at], name[at+1:]
}
