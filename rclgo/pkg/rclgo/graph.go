package rclgo

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// GIDSize is the length of a GID.
const GIDSize = 24

// GID identifies an endpoint in the middleware. Middlewares use fewer bytes; the rest
// is zero.
type GID [GIDSize]byte

// EndpointType says what an endpoint is.
type EndpointType int

// The types of endpoints.
const (
	EndpointInvalid EndpointType = iota
	EndpointPublisher
	EndpointSubscription
)

// TopicEndpointInfo describes a publisher or subscription in the graph.
type TopicEndpointInfo struct {
	NodeName      string
	NodeNamespace string
	TopicType     string
	EndpointType  EndpointType
	EndpointGID   GID
	QosProfile    QosProfile
}

// query runs a graph query on the caller's goroutine, one at a time for each node.
func (n *Node) query(op string, fn func() error) error {
	return n.use(op, func() error {
		n.queryMu.Lock()
		defer n.queryMu.Unlock()
		return fn()
	})
}

func (n *Node) namesAndTypes(kind rcl.GraphKind, raw bool, node, namespace string) (m map[string][]string, err error) {
	op := "query node " + strconv.Quote(node)
	if err := noNUL(op, codeNodeInvalidName, node, namespace); err != nil {
		return nil, err
	}
	err = n.query(op, func() (err error) {
		m, err = n.h.NamesAndTypesByNode(kind, raw, node, namespace)
		return err
	})
	return m, err
}

// GetPublisherNamesAndTypesByNode returns topic names with their types.
func (n *Node) GetPublisherNamesAndTypesByNode(demangle bool, node, namespace string) (map[string][]string, error) {
	return n.namesAndTypes(rcl.Publishers, !demangle, node, namespace)
}

// GetSubscriberNamesAndTypesByNode returns topic names with their types.
func (n *Node) GetSubscriberNamesAndTypesByNode(demangle bool, node, namespace string) (map[string][]string, error) {
	return n.namesAndTypes(rcl.Subscribers, !demangle, node, namespace)
}

// GetServiceNamesAndTypesByNode returns the services that the node serves.
func (n *Node) GetServiceNamesAndTypesByNode(node, namespace string) (map[string][]string, error) {
	return n.namesAndTypes(rcl.Services, false, node, namespace)
}

// GetClientNamesAndTypesByNode returns the services that the node calls.
func (n *Node) GetClientNamesAndTypesByNode(node, namespace string) (map[string][]string, error) {
	return n.namesAndTypes(rcl.Clients, false, node, namespace)
}

// GetActionServerNamesAndTypesByNode returns the actions that the node serves.
func (n *Node) GetActionServerNamesAndTypesByNode(node, namespace string) (map[string][]string, error) {
	return n.namesAndTypes(rcl.ActionServers, false, node, namespace)
}

// GetActionClientNamesAndTypesByNode returns the actions that the node calls.
func (n *Node) GetActionClientNamesAndTypesByNode(node, namespace string) (map[string][]string, error) {
	return n.namesAndTypes(rcl.ActionClients, false, node, namespace)
}

// GetTopicNamesAndTypes returns every topic in the graph.
func (n *Node) GetTopicNamesAndTypes(demangle bool) (m map[string][]string, err error) {
	err = n.query("list topics", func() (err error) {
		m, err = n.h.TopicNamesAndTypes(!demangle)
		return err
	})
	return m, err
}

// GetServiceNamesAndTypes returns every service in the graph.
func (n *Node) GetServiceNamesAndTypes() (m map[string][]string, err error) {
	err = n.query("list services", func() (err error) {
		m, err = n.h.ServiceNamesAndTypes()
		return err
	})
	return m, err
}

// GetNodeNames returns the nodes in the graph: names[i] is in namespaces[i]. A name appears
// once for each node that has it.
func (n *Node) GetNodeNames() (names, namespaces []string, err error) {
	err = n.query("list nodes", func() (err error) {
		names, namespaces, err = n.h.NodeNames()
		return err
	})
	return names, namespaces, err
}

// GetPublishersInfoByTopic returns a topic's publishers. Without mangle, topic is a
// name of the middleware.
func (n *Node) GetPublishersInfoByTopic(topic string, mangle bool) ([]TopicEndpointInfo, error) {
	return n.endpoints(true, topic, mangle)
}

// GetSubscriptionsInfoByTopic returns a topic's subscriptions. Without mangle, topic is
// a name of the middleware.
func (n *Node) GetSubscriptionsInfoByTopic(topic string, mangle bool) ([]TopicEndpointInfo, error) {
	return n.endpoints(false, topic, mangle)
}

func (n *Node) endpoints(publishers bool, topic string, mangle bool) (infos []TopicEndpointInfo, err error) {
	op := "query topic " + strconv.Quote(topic)
	if err := noNUL(op, codeTopicNameInvalid, topic); err != nil {
		return nil, err
	}
	err = n.query(op, func() error {
		found, err := n.h.EndpointsByTopic(publishers, !mangle, topic)
		for _, e := range found {
			infos = append(infos, TopicEndpointInfo{
				NodeName: e.NodeName, NodeNamespace: e.NodeNamespace, TopicType: e.Type,
				EndpointType: EndpointType(e.Kind), EndpointGID: gidFrom(e.GID), QosProfile: qosFrom(e.QoS),
			})
		}
		return err
	})
	return infos, err
}

// ServiceEndpointInfo describes a client or server of a service in the graph.
type ServiceEndpointInfo struct {
	NodeName      string
	NodeNamespace string
	ServiceType   string
	// EndpointGIDs has a GID for each endpoint of the client or server that the middleware tells: that
	// of its reader and that of its writer, only one of these, or that of the client or server itself.
	EndpointGIDs []GID
	QosProfiles  []QosProfile // of the same endpoints
}

// GetClientsInfoByService returns the clients of a service, whose full name it takes, such as
// Client.ServiceName. ROS 2 tells them since Lyrical. Before, they are those who write to the topic of the
// service's requests, which only DDS has, and while they are still to be discovered they are missing from
// the list. If neither tells, the error is *Unsupported.
func (n *Node) GetClientsInfoByService(service string) ([]ServiceEndpointInfo, error) {
	return n.serviceEndpoints(true, service)
}

// GetServersInfoByService returns the servers of a service, as GetClientsInfoByService does for clients.
func (n *Node) GetServersInfoByService(service string) ([]ServiceEndpointInfo, error) {
	return n.serviceEndpoints(false, service)
}

func (n *Node) serviceEndpoints(clients bool, service string) (infos []ServiceEndpointInfo, err error) {
	op := "query service " + strconv.Quote(service)
	if err := noNUL(op, codeServiceNameInvalid, service); err != nil {
		return nil, err
	}
	err = n.query(op, func() error {
		found, err := n.h.EndpointsByService(clients, service)
		if err = fail(op, err); errors.Is(err, &Unsupported{}) {
			infos, err = n.requestEndpoints(clients, service, err)
			return err
		}
		for _, e := range found {
			info := ServiceEndpointInfo{NodeName: e.NodeName, NodeNamespace: e.NodeNamespace, ServiceType: e.Type}
			for i := range e.GIDs {
				info.EndpointGIDs = append(info.EndpointGIDs, gidFrom(e.GIDs[i]))
				info.QosProfiles = append(info.QosProfiles, qosFrom(e.QoS[i]))
			}
			infos = append(infos, info)
		}
		return err
	})
	return infos, err
}

// requestEndpoints looks at the topic of a service's requests. If the graph counts clients or servers and the
// middleware has no such topics, the error is unsupported.
func (n *Node) requestEndpoints(clients bool, service string, unsupported error) ([]ServiceEndpointInfo, error) {
	found, err := n.h.EndpointsByTopic(clients, true, requestTopic(service))
	if err != nil {
		return nil, err
	}
	var infos []ServiceEndpointInfo
	for _, e := range found {
		infos = append(infos, ServiceEndpointInfo{
			NodeName: e.NodeName, NodeNamespace: e.NodeNamespace, ServiceType: serviceTypeOf(e.Type),
			EndpointGIDs: []GID{gidFrom(e.GID)}, QosProfiles: []QosProfile{qosFrom(e.QoS)},
		})
	}
	if len(infos) > 0 {
		return infos, nil
	}
	kind := rcl.Services
	if clients {
		kind = rcl.Clients
	}
	if count, err := n.h.Count(kind, service); err != nil || count == 0 {
		return nil, err
	}
	// DDS may have discovered one half of a client or server, whose other half is missing above. Its names of
	// topics have a prefix, which tells it from a middleware without such topics.
	topics, err := n.h.TopicNamesAndTypes(true)
	if err != nil {
		return nil, err
	}
	for name := range topics {
		if strings.HasPrefix(name, "rt/") || strings.HasPrefix(name, "rq/") || strings.HasPrefix(name, "rr/") {
			return nil, nil
		}
	}
	return nil, unsupported
}

// requestTopic is the name of the topic that carries a service's requests in DDS.
func requestTopic(service string) string { return "rq" + service + "Request" }

// serviceTypeOf returns the ROS name of the service to which the type of a request in DDS belongs, as in
// std_srvs::srv::dds_::SetBool_Request_.
func serviceTypeOf(dds string) string {
	name := strings.TrimSuffix(strings.Replace(dds, "::dds_::", "::", 1), "_Request_")
	return strings.ReplaceAll(name, "::", "/")
}

func gidFrom(short [16]byte) (g GID) {
	copy(g[:], short[:])
	return g
}

// CountPublishers counts the publishers of a topic in the graph.
func (n *Node) CountPublishers(topic string) (int, error) { return n.count(rcl.Publishers, topic) }

// CountSubscribers counts the subscriptions of a topic in the graph.
func (n *Node) CountSubscribers(topic string) (int, error) { return n.count(rcl.Subscribers, topic) }

// CountServices counts the servers of a service in the graph.
func (n *Node) CountServices(service string) (int, error) { return n.count(rcl.Services, service) }

// CountClients counts the clients of a service in the graph.
func (n *Node) CountClients(service string) (int, error) { return n.count(rcl.Clients, service) }

func (n *Node) count(kind rcl.GraphKind, name string) (count int, err error) {
	op := "count endpoints of " + strconv.Quote(name)
	if err := noNUL(op, codeTopicNameInvalid, name); err != nil {
		return 0, err
	}
	err = n.query(op, func() (err error) {
		count, err = n.h.Count(kind, name)
		return err
	})
	return count, err
}

// graphWatch holds a node's listeners to changes of the graph. Its entity is made with the
// first listener.
type graphWatch struct {
	entity
	node *Node

	mu             sync.Mutex
	made           bool
	listeners      []*func()
	running, again bool
}

// OnGraphChange sets changed to be called after every change of the graph: nodes, topics,
// services and their endpoints. Changes at about the same time, or while changed runs, cause
// one more call. Like all handlers, changed is called while something spins the node; the
// listeners of one node are called one after the other. cancel may be called at any time; a
// running call goes on.
func (n *Node) OnGraphChange(changed func()) (cancel func()) {
	w := &n.graph
	w.mu.Lock()
	w.listeners = append(w.listeners, &changed)
	first := !w.made
	w.made = true
	w.mu.Unlock()
	if first {
		// This fails only if the node is closed, after which nothing changes any more.
		_ = n.build("watch the graph", w.open)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.listeners = slices.DeleteFunc(slices.Clone(w.listeners), func(l *func()) bool { return l == &changed })
	}
}

// open waits on the node's guard condition, which is closed with the node. Loop only.
func (w *graphWatch) open() error {
	guard, key := w.node.h.GraphGuard()
	w.what, w.invalid = "graph watch", codeNodeInvalid
	w.kind, w.handle, w.key = rcl.WaitGuard, unsafe.Pointer(guard), key
	w.onReady = func(uint8) { w.notify() }
	w.node.adopt(&w.entity)
	return nil
}

// notify starts the listeners' goroutine, or makes the running one call them again.
func (w *graphWatch) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.again = true
	if !w.running && len(w.listeners) > 0 {
		w.running = true
		go w.run()
	}
}

func (w *graphWatch) run() {
	for {
		w.mu.Lock()
		if !w.again || !w.served.Load() {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.again = false
		listeners := w.listeners
		w.mu.Unlock()
		for _, changed := range listeners {
			w.call(*changed)
		}
	}
}
