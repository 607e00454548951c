package rcl

// #include "seam.h"
// #include <rcl/graph.h>
import "C"

import "unsafe"

// GraphKind selects the subject of a graph query.
type GraphKind int

// The kinds of endpoints.
const (
	Publishers    GraphKind = C.RCLGO_PUBLISHERS
	Subscribers   GraphKind = C.RCLGO_SUBSCRIBERS
	Services      GraphKind = C.RCLGO_SERVICES
	Clients       GraphKind = C.RCLGO_CLIENTS
	ActionServers GraphKind = C.RCLGO_ACTION_SERVERS
	ActionClients GraphKind = C.RCLGO_ACTION_CLIENTS
)

// Endpoint is one publisher or subscription in the graph.
type Endpoint struct {
	NodeName, NodeNamespace, Type string
	Kind                          int
	GID                           [16]byte
	QoS                           QoS
}

// NamesAndTypesByNode returns the endpoints of the named node.
func (n *Node) NamesAndTypesByNode(kind GraphKind, raw bool, name, namespace string) (map[string][]string, error) {
	cname, freeName := cString(name)
	defer freeName()
	ns, freeNS := cString(namespace)
	defer freeNS()
	return namesAndTypes(C.rclgo_names_types_by_node(&n.c, C.int(kind), C.bool(raw), cname, ns))
}

// TopicNamesAndTypes returns every topic; raw keeps the middleware's names.
func (n *Node) TopicNamesAndTypes(raw bool) (map[string][]string, error) {
	return namesAndTypes(C.rclgo_topics(&n.c, C.bool(raw)))
}

// ServiceNamesAndTypes returns every service.
func (n *Node) ServiceNamesAndTypes() (map[string][]string, error) {
	return namesAndTypes(C.rclgo_services(&n.c))
}

func namesAndTypes(r C.rclgo_names_types) (map[string][]string, error) {
	if err := check(r.ret); err != nil {
		return nil, err
	}
	defer C.rclgo_names_types_free(r.p)
	names := goStrings(&r.p.names)
	out := make(map[string][]string, len(names))
	if len(names) == 0 {
		return out, nil
	}
	for i := range unsafe.Slice(r.p.types, len(names)) {
		out[names[i]] = goStrings(&unsafe.Slice(r.p.types, len(names))[i])
	}
	return out, nil
}

func goStrings(a *C.rcutils_string_array_t) []string {
	if a.size == 0 || a.data == nil {
		return nil
	}
	out := make([]string, a.size)
	for i, s := range unsafe.Slice(a.data, a.size) {
		out[i] = C.GoString(s)
	}
	return out
}

// NodeNames returns the nodes of the graph: names[i] is in namespaces[i].
func (n *Node) NodeNames() (names, namespaces []string, err error) {
	r := C.rclgo_node_names(&n.c)
	defer C.rclgo_nodes_free(&r)
	if err := check(r.ret); err != nil {
		return nil, nil, err
	}
	return goStrings(&r.names), goStrings(&r.namespaces), nil
}

// EndpointsByTopic returns the publishers or subscriptions of a topic; with raw the name is
// one of the middleware.
func (n *Node) EndpointsByTopic(publishers, raw bool, topic string) ([]Endpoint, error) {
	ctopic, free := cString(topic)
	defer free()
	r := C.rclgo_endpoints_by_topic(&n.c, C.bool(publishers), C.bool(raw), ctopic)
	if err := check(r.ret); err != nil {
		return nil, err
	}
	defer C.rclgo_endpoints_free(r.p)
	out := make([]Endpoint, r.p.size)
	if len(out) == 0 {
		return out, nil
	}
	for i, e := range unsafe.Slice(r.p.info_array, r.p.size) {
		out[i] = Endpoint{
			NodeName:      C.GoString(e.node_name),
			NodeNamespace: C.GoString(e.node_namespace),
			Type:          C.GoString(e.topic_type),
			Kind:          int(e.endpoint_type),
			QoS:           goQoS(e.qos_profile),
		}
		copy(out[i].GID[:], unsafe.Slice((*byte)(&e.endpoint_gid[0]), len(e.endpoint_gid)))
	}
	return out, nil
}

// ServiceEndpoint is a client or server of a service.
type ServiceEndpoint struct {
	NodeName, NodeNamespace, Type string
	GIDs                          [][16]byte // reader and writer; one where the middleware has services
	QoS                           []QoS
}

// EndpointsByService returns the clients or servers of a service. The error is that of an unsupported
// function if this ROS 2 does not tell them.
func (n *Node) EndpointsByService(clients bool, service string) ([]ServiceEndpoint, error) {
	cservice, free := cString(service)
	defer free()
	r := C.rclgo_endpoints_by_service(&n.c, C.bool(clients), cservice)
	defer C.rclgo_service_endpoints_free(&r)
	if err := check(r.ret); err != nil {
		return nil, err
	}
	out := make([]ServiceEndpoint, r.n)
	for i := range out {
		from := &unsafe.Slice(r.all, r.n)[i]
		out[i] = ServiceEndpoint{
			NodeName: C.GoString(from.node), NodeNamespace: C.GoString(from.space), Type: C.GoString(from._type),
		}
		for j := range int(from.endpoints) {
			var gid [16]byte
			copy(gid[:], unsafe.Slice((*byte)(&from.gids[j][0]), len(from.gids[j])))
			out[i].GIDs, out[i].QoS = append(out[i].GIDs, gid), append(out[i].QoS, goQoS(from.qos[j]))
		}
	}
	return out, nil
}

// Count returns the number of endpoints of one kind with a name.
func (n *Node) Count(kind GraphKind, name string) (int, error) {
	cname, free := cString(name)
	defer free()
	r := C.rclgo_count(&n.c, C.int(kind), cname)
	return int(r.v), check(r.ret)
}

// ServerAvailable reports whether the graph shows a server for c, in both directions.
func (n *Node) ServerAvailable(c *Client) (bool, error) {
	r := C.rclgo_server_available(&n.c, &c.c)
	return r.v != 0, check(r.ret)
}
