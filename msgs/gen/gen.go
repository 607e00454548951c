// Package gen is the root of the generated Go bindings of the ROS interfaces that
// rstate uses: its own (msgs/rstate_msgs) and those of ROS 2. It has no code. The
// bindings import rclgo only and carry the build tag ros; make generate writes them.
//
// They are committed, and lenient: made from Jazzy, they serve the others too. A
// field that the installed version of a message lacks is not sent and stays zero when
// received; a field that only the installed version has is sent with its default and
// not shown.
package gen
