package outline

import (
	"regexp"
	"slices"
	"strings"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// ManageNodes is the type of a service that only a lifecycle manager of nav2 offers.
const ManageNodes = "nav2_msgs/srv/ManageLifecycleNodes"

// The types by which nodes are recognized.
const (
	typeChange  = "lifecycle_msgs/srv/ChangeState"
	typeState   = "lifecycle_msgs/srv/GetState"
	typeControl = "controller_manager_msgs/srv/"
	typeLoad    = "composition_interfaces/srv/LoadNode"
	typeSwitch  = "std_srvs/srv/SetBool"
	typeTrigger = "std_srvs/srv/Trigger"
	typeLease   = "rstate_msgs/msg/ArmLease"
	typeReport  = "rstate_msgs/msg/NodeReport"
	typeStep    = "rstate_msgs/srv/Step"
	typeClock   = "rosgraph_msgs/msg/Clock"
)

// own are types that only processes of rstate serve or publish.
var own = []string{"rstate_msgs/msg/InstanceState", "rstate_msgs/srv/GetNetwork",
	"rstate_msgs/srv/CreateSimulation", "rstate_msgs/msg/GuardStatus"}

// tool matches the base names of nodes that tools and libraries make for themselves.
var tool = regexp.MustCompile(`^(_.*|transform_listener_impl_.*|launch_ros_[0-9]+|rqt_gui_.*|rviz[0-9]*` +
	`|rstate_(client|doctor|init|guard)_[0-9]+)$`)

// kindOf judges a node by what it serves; one of a launch file by its program.
func kindOf(n *Node, launch bool) Kind {
	if launch {
		return kindOfProgram(n)
	}
	has := func(list []Endpoint, kinds ...string) bool {
		return slices.ContainsFunc(list, func(e Endpoint) bool {
			return slices.ContainsFunc(kinds, func(k string) bool { return strings.HasPrefix(e.Type, k) })
		})
	}
	switch {
	case has(n.Publishes, own...), has(n.Serves, own...):
		return Own
	case has(n.Serves, ManageNodes):
		return Nav2
	case has(n.Serves, typeControl):
		return Control
	case serves(n, "/change_state", typeChange) && serves(n, "/get_state", typeState):
		return Lifecycle
	case has(n.Serves, typeLoad):
		return Container
	case tool.MatchString(base(n.Name)):
		return Tool
	}
	return Plain
}

// kindOfProgram judges a node by the program that a launch file starts for it.
func kindOfProgram(n *Node) Kind {
	switch {
	case n.Managed:
		return Lifecycle
	case n.Package == "rstate":
		return Own
	case n.Package == "nav2_lifecycle_manager":
		return Nav2
	case n.Package == "controller_manager":
		return Control
	case n.Package == "rclcpp_components":
		return Container
	case tool.MatchString(base(n.Name)):
		return Tool
	}
	return Unknown
}

// serves reports whether a node offers a service of its own by this name and type.
func serves(n *Node, suffix, kind string) bool {
	return slices.Contains(n.Serves, Endpoint{n.Name + suffix, kind})
}

// manage makes the nodes of a launch file that a manager of nav2 drives lifecycle nodes: it drives no others.
func manage(nodes []Node) {
	for _, manager := range nodes {
		for _, name := range manager.Manages {
			for i := range nodes {
				if nodes[i].Name == name && nodes[i].Kind == Unknown {
					nodes[i].Kind = Lifecycle
				}
			}
		}
	}
}

// usable reports whether a network file takes a name of a node. A participant of the domain can announce any.
func usable(name string) bool {
	problem, _ := network.NodeName(name)
	return problem == ""
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// follows reports whether a node reads an arm lease, and the topic.
func (n *Node) follows() (topic string, ok bool) {
	for _, e := range n.Reads {
		if e.Type == typeLease {
			return e.Name, true
		}
	}
	return "", false
}

// arms are the last parts of the names of services that arm, and mayArm of those that can be such a service.
var (
	arms   = []string{"arm", "set_armed"}
	mayArm = regexp.MustCompile(`power|enable|motor|torque|brake|arm|drive|engage`)
)

// armServices returns the switches of a node that arm it by their names, and those that may.
func (n *Node) armServices() (sure, perhaps []string) {
	for _, e := range n.Serves {
		if problem, _ := network.ServiceName(e.Name); e.Type != typeSwitch || problem != "" {
			continue
		}
		switch last := base(e.Name); {
		case slices.Contains(arms, last):
			sure = append(sure, e.Name)
		case mayArm.MatchString(last):
			perhaps = append(perhaps, e.Name)
		}
	}
	if len(sure) > 1 { // a file names one
		sure, perhaps = sure[:1], append(sure[1:], perhaps...)
	}
	return sure, perhaps
}

// rank orders the states of a node by how far up they are; 0 is not known, or finalized.
func rank(state string) int {
	return 1 + slices.Index([]string{lifecycle.Unconfigured.String(), lifecycle.Inactive.String(),
		lifecycle.Active.String()}, state)
}
