//go:build ros

package daemon

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/host"
	"rstate/internal/network"
	"rstate/internal/rosnet"
	"rstate/internal/session"
)

// NodeDriven is the error of a simulation one of whose nodes another instance drives.
type NodeDriven struct{ File, Node, By string }

func (e *NodeDriven) Error() string {
	return fmt.Sprintf("cannot run %q: %s drives the node %s already; remove that, or write %s into the names of the nodes of an experiment that runs several times",
		e.File, e.By, e.Node, network.ItsID)
}

// driven lists the nodes that an instance asks to change their state, or arms.
func driven(net *network.Network) []*network.Node {
	var list []*network.Node
	for i := range net.Nodes {
		if n := &net.Nodes[i]; n.Lifecycle || n.Arm != nil {
			list = append(list, n)
		}
	}
	return list
}

// claimNodes ensures that no other instance drives the nodes of a simulation: none on this host, and
// none that ROS shows. A daemon outside of a factory only logs it, and tells others by its claim.
func (d *Daemon) claimNodes() error {
	_, domain, err := d.session.WillBe(session.NodeName)
	if err != nil {
		return err
	}
	var shared []string
	for _, n := range driven(d.net) {
		claim := host.ClaimNode(n.Name, domain)
		by := ""
		if d.within != nil {
			by = d.within.Driver(n)
		}
		switch {
		case claim != nil && by == "":
			d.claims = append(d.claims, claim)
			continue
		case claim != nil:
			claim.Close()
		}
		err := &NodeDriven{File: d.net.File, Node: n.Name, By: by}
		if by == "" {
			err.By = "another rstate on this host"
		}
		if d.within != nil {
			return err
		}
		shared = append(shared, n.Name)
	}
	if len(shared) > 0 {
		d.log.Warn("another rstate on this host drives nodes of this network too: " + strings.Join(shared, ", "))
	}
	return nil
}

// giveNodesFree ends the claims.
func (d *Daemon) giveNodesFree() {
	for _, c := range d.claims {
		c.Close()
	}
}

// Driver looks for another instance of rstate that drives a node, in all of ROS; empty: there is
// none, as far as this node can see.
func Driver(look *rclgo.Node, able rosnet.Abilities, n *network.Node) string {
	services := []string{n.Name + "/change_state"}
	if n.Arm != nil {
		services = append(services, n.Arm.Service)
	}
	if !able.Requests {
		return clientOf(look, services)
	}
	for _, service := range services {
		clients, err := look.GetPublishersInfoByTopic("rq"+service+"Request", false)
		if err != nil {
			continue // the node closes
		}
		for _, c := range clients {
			name := path.Join(c.NodeNamespace, c.NodeName)
			if isInstance(look, name) {
				return name
			}
		}
	}
	return ""
}

// clientOf looks for an instance of rstate with a client of one of the services, where the graph does not
// show the topics of their requests.
func clientOf(look *rclgo.Node, services []string) string {
	names, namespaces, err := look.GetNodeNames()
	if err != nil {
		return "" // the node closes
	}
	for i, name := range names {
		full := path.Join(namespaces[i], name)
		if !isInstance(look, full) {
			continue
		}
		calls, err := look.GetClientNamesAndTypesByNode(name, namespaces[i])
		if err != nil {
			continue // it has gone meanwhile
		}
		for _, service := range services {
			if _, is := calls[service]; is {
				return full
			}
		}
	}
	return ""
}

// isInstance reports whether a node publishes the state of an instance of rstate.
func isInstance(look *rclgo.Node, name string) bool {
	infos, err := look.GetPublishersInfoByTopic(name+"/state", true)
	return err == nil && slices.ContainsFunc(infos, func(i rclgo.TopicEndpointInfo) bool {
		return path.Join(i.NodeNamespace, i.NodeName) == name && strings.HasPrefix(i.TopicType, "rstate_msgs/")
	})
}
