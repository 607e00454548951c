//go:build ros

package gather

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/outline"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	rcl_interfaces_srv "rstate/msgs/gen/rcl_interfaces/srv"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

const (
	// settledAfter is how long the graph stays as it is before it counts as complete.
	settledAfter = 2 * time.Second
	// readEvery is how often all nodes of the graph are read meanwhile.
	readEvery = 250 * time.Millisecond
	// AskedInAtMost is how long all nodes of a robot together have to answer, however many they are.
	AskedInAtMost = 25 * time.Second
)

// Robot describes what runs in the graph that a node sees. It looks until nothing new has come for a while, at most so
// long, and then asks the nodes that it has found. It changes nothing.
func Robot(ctx context.Context, node *rclgo.Node, within time.Duration) (outline.Robot, error) {
	s := &surveyor{node: node}
	s.robot = outline.Robot{Daemons: []outline.Daemon{}, Unread: []string{}}
	if err := s.settle(ctx, within); err != nil {
		return outline.Robot{}, err
	}
	s.findProcesses()
	s.askAll(ctx)
	return s.robot, ctx.Err()
}

// surveyor is one look at a robot.
type surveyor struct {
	node  *rclgo.Node
	robot outline.Robot
}

// settle reads the graph until it stays the same.
func (s *surveyor) settle(ctx context.Context, within time.Duration) error {
	tick := time.NewTicker(readEvery)
	defer tick.Stop()
	began, since := time.Now(), time.Now()
	for size := 0; ; {
		nodes, err := s.read()
		if err != nil {
			return err
		}
		s.robot.Nodes = nodes
		found := 0
		for _, n := range nodes {
			found += 1 + len(n.Serves) + len(n.Calls) + len(n.Publishes) + len(n.Reads)
		}
		now := time.Now()
		if found != size {
			size, since = found, now
		}
		// Without a node, an announcement may have been lost, and comes again.
		if now.Sub(began) >= within || len(nodes) > 0 && now.Sub(since) >= settledAfter {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// read reads every node of the graph and its ends.
func (s *surveyor) read() ([]outline.Node, error) {
	names, namespaces, err := s.node.GetNodeNames()
	if err != nil {
		return nil, fmt.Errorf("cannot read the graph: %w", err)
	}
	counts := map[string]int{}
	nodes := []outline.Node{}
	for i := range names {
		name := full(namespaces[i], names[i])
		if name == "" || name == s.node.FullyQualifiedName() {
			continue
		}
		if counts[name]++; counts[name] > 1 {
			continue
		}
		n := outline.Node{Name: name, Transitions: []string{}, Manages: []string{}}
		n.Serves = endpoints(s.node.GetServiceNamesAndTypesByNode(names[i], namespaces[i]))
		n.Calls = endpoints(s.node.GetClientNamesAndTypesByNode(names[i], namespaces[i]))
		n.Publishes = endpoints(s.node.GetPublisherNamesAndTypesByNode(true, names[i], namespaces[i]))
		n.Reads = endpoints(s.node.GetSubscriberNamesAndTypesByNode(true, names[i], namespaces[i]))
		nodes = append(nodes, n)
	}
	for i := range nodes {
		nodes[i].Count = counts[nodes[i].Name]
	}
	slices.SortFunc(nodes, func(a, b outline.Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes, nil
}

// endpoints lists names with their types. A node that has gone meanwhile has none.
func endpoints(found map[string][]string, err error) []outline.Endpoint {
	list := []outline.Endpoint{}
	if err != nil {
		return list
	}
	for name, kinds := range found {
		for _, kind := range kinds {
			list = append(list, outline.Endpoint{Name: name, Type: kind})
		}
	}
	slices.SortFunc(list, func(a, b outline.Endpoint) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Type, b.Type))
	})
	return list
}

// participantBytes is how many bytes of a DDS endpoint's GID are those of its participant, of which a process of ROS has
// one.
const participantBytes = 12

// findProcesses reads from topics that every node has which nodes are of one participant. Not every middleware shows it.
func (s *surveyor) findProcesses() {
	for _, topic := range []string{"/rosout", "/parameter_events"} {
		infos, err := s.node.GetPublishersInfoByTopic(topic, true)
		if err != nil {
			continue
		}
		for _, info := range infos {
			if _, known := makersOf[[2]byte(info.EndpointGID[:2])]; !known {
				continue
			}
			for i := range s.robot.Nodes {
				if n := &s.robot.Nodes[i]; n.Process == "" && n.Count == 1 &&
					n.Name == full(info.NodeNamespace, info.NodeName) {
					n.Process = hex.EncodeToString(info.EndpointGID[:participantBytes])
				}
			}
		}
	}
}

// askAll asks every node.
func (s *surveyor) askAll(ctx context.Context) {
	soon, cancel := context.WithTimeout(ctx, inAll(len(s.robot.Nodes), AskedInAtMost))
	defer cancel()
	q := newQuestions(soon)
	var daemons []*outline.Daemon
	for i := range s.robot.Nodes {
		n := &s.robot.Nodes[i]
		var d *outline.Daemon
		if offers(n, "/get_network", "rstate_msgs/srv/GetNetwork") {
			d = &outline.Daemon{Name: n.Name, Nodes: []string{}}
			daemons = append(daemons, d)
		}
		q.ask(func(ctx context.Context) { s.askNode(ctx, n, d) })
	}
	q.wait()
	for _, d := range daemons {
		s.robot.Daemons = append(s.robot.Daemons, *d)
	}
}

// askNode asks a node all questions that it offers to answer. What has no time left to be asked stays unknown.
func (s *surveyor) askNode(ctx context.Context, n *outline.Node, d *outline.Daemon) {
	if d != nil {
		s.askDaemon(ctx, d)
	}
	if offers(n, "/get_state", "lifecycle_msgs/srv/GetState") {
		s.askState(ctx, n)
	}
	if offers(n, "/get_available_transitions", "lifecycle_msgs/srv/GetAvailableTransitions") {
		s.askTransitions(ctx, n)
	}
	if offers(n, "/get_parameters", "rcl_interfaces/srv/GetParameters") {
		s.askParameters(ctx, n)
	}
}

// offers reports whether a node has a service of its own by that name and type.
func offers(n *outline.Node, suffix, kind string) bool {
	return slices.Contains(n.Serves, outline.Endpoint{Name: n.Name + suffix, Type: kind})
}

func (s *surveyor) askState(ctx context.Context, n *outline.Node) {
	client, err := lifecycle_msgs_srv.NewGetStateClient(s.node, n.Name+"/get_state", nil)
	if err != nil {
		return
	}
	defer client.Close()
	resp, err := ask(ctx, client.Client, func() types.Message { return lifecycle_msgs_srv.NewGetState_Request() })
	if err == nil {
		n.State = resp.(*lifecycle_msgs_srv.GetState_Response).CurrentState.Label
	}
}

func (s *surveyor) askTransitions(ctx context.Context, n *outline.Node) {
	client, err := lifecycle_msgs_srv.NewGetAvailableTransitionsClient(s.node, n.Name+"/get_available_transitions", nil)
	if err != nil {
		return
	}
	defer client.Close()
	resp, err := ask(ctx, client.Client,
		func() types.Message { return lifecycle_msgs_srv.NewGetAvailableTransitions_Request() })
	if err != nil {
		return
	}
	for _, t := range resp.(*lifecycle_msgs_srv.GetAvailableTransitions_Response).AvailableTransitions {
		n.Transitions = append(n.Transitions, t.Transition.Label)
	}
	slices.Sort(n.Transitions)
	n.Transitions = slices.Compact(n.Transitions)
}

// isTexts is rcl_interfaces' number of a parameter that is a list of texts.
const isTexts = 9

// askParameters asks for use_sim_time, and for the nodes that a manager of nav2 drives.
func (s *surveyor) askParameters(ctx context.Context, n *outline.Node) {
	client, err := rcl_interfaces_srv.NewGetParametersClient(s.node, n.Name+"/get_parameters", nil)
	if err != nil {
		return
	}
	defer client.Close()
	names := []string{"use_sim_time"}
	if slices.ContainsFunc(n.Serves, func(e outline.Endpoint) bool { return e.Type == outline.ManageNodes }) {
		names = append(names, "node_names")
	}
	resp, err := ask(ctx, client.Client, func() types.Message {
		req := rcl_interfaces_srv.NewGetParameters_Request()
		req.Names = names
		return req
	})
	if err != nil {
		return
	}
	values := resp.(*rcl_interfaces_srv.GetParameters_Response).Values
	if len(values) != len(names) {
		return
	}
	if values[0].Type == isBool {
		n.SimTime = &values[0].BoolValue
	}
	if len(values) > 1 && values[1].Type == isTexts {
		namespace, _ := split(n.Name)
		for _, name := range values[1].StringArrayValue {
			if !strings.HasPrefix(name, "/") {
				name = full(namespace, name)
			}
			n.Manages = append(n.Manages, name)
		}
	}
}

// askDaemon asks a daemon for its network file.
func (s *surveyor) askDaemon(ctx context.Context, d *outline.Daemon) {
	client, err := rstate_msgs_srv.NewGetNetworkClient(s.node, d.Name+"/get_network", nil)
	if err != nil {
		return
	}
	defer client.Close()
	resp, err := ask(ctx, client.Client, func() types.Message { return rstate_msgs_srv.NewGetNetwork_Request() })
	if err == nil {
		answer := resp.(*rstate_msgs_srv.GetNetwork_Response)
		d.File, d.Text = answer.File, answer.Network
		d.Nodes = append(d.Nodes, answer.Nodes...)
	}
}
