// Package gather collects facts for the doctor: this process and its environment, the machine and
// the traffic on its interfaces, the ROS graph, and the answers of the nodes of a network. For
// rstate init it describes the robot that runs. It judges nothing. It ends by itself even if nodes do
// not answer. Files that need ROS have the build tag ros.
//
// It imports doctor, network, outline, and with ROS rclgo and the generated messages.
package gather
