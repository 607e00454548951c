// Package bond is the protocol of bonds: two sides tell each other on one topic that they live. Each side publishes
// heartbeats with the id of the bond and with an instance id of its own. The bond breaks if the heartbeats of the other
// side, the sister, cease, or if a message of the sister ends it. nav2's servers bond with their lifecycle manager in this
// way.
//
// A Bond is one side of one bond, with the states and deadlines of bondcpp. A Table is our side of the bonds of all
// nodes: they share a publisher and a subscription. Neither has a goroutine or a clock: the caller passes the time in,
// publishes what they return, and sleeps until Next. It imports nothing of this project.
//
//	bond.go   one bond
//	table.go  the bonds of all nodes, and pauses of this process
package bond
