// Package gather looks at the world for the doctor: at this process and its environment, at the machine and what its
// interfaces carry, at the graph of ROS, and at what the nodes of a network answer. It judges nothing, and ends by
// itself whoever does not answer. What needs ROS carries the build tag ros.
//
// It imports doctor, network, and with ROS rclgo and the generated messages.
package gather
