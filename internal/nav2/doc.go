// Package nav2 is what rstate knows of nav2's lifecycle manager: its parameters, the network that they describe, the
// commands of its service, and its parameter files. It has no goroutine, clock or ROS: packages daemon and rosnet read
// the parameters and make the service. The rules B1 to B6 specify it.
//
//	params.go   the parameters of a manager
//	network.go  the network file that they describe
//	command.go  the commands of ~/manage_nodes
//	import.go   managers in a parameter file
//
// It imports nothing of this project.
package nav2

// The names of nav2's side.
const (
	// NodeName is the usual name of a manager, and of its executable.
	NodeName = "lifecycle_manager"
	// MessagesPackage has the type of ~/manage_nodes.
	MessagesPackage = "nav2_msgs"
	// ManageService is that type.
	ManageService = "ManageLifecycleNodes"
	// BondPackage has the type of the messages on BondTopic, StatusMessage.
	BondPackage   = "bond"
	StatusMessage = "Status"
	// BondTopic is where nodes and their manager bond, relative to the namespace of the manager.
	BondTopic = "bond"
)
