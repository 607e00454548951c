// Package roscheck stops a build without the headers of ROS 2 with one message. Every package
// that includes those headers imports it, so that go build compiles it first.
package roscheck

/*
#if !__has_include(<rcl/rcl.h>)
#error cgo cannot find ROS 2. Source its setup file, such as /opt/ros/jazzy/setup.bash, then run: eval "$(go run github.com/tiiuae/rclgo/cmd/rclgo-gen env)"
#elif !__has_include(<rcl_action/rcl_action.h>)
#error cgo cannot find rcl_action. Install the ROS 2 package rcl_action, then run: eval "$(go run github.com/tiiuae/rclgo/cmd/rclgo-gen env)"
#elif !__has_include(<rcl_lifecycle/rcl_lifecycle.h>)
#error cgo cannot find rcl_lifecycle. Install the ROS 2 package rcl_lifecycle, then run: eval "$(go run github.com/tiiuae/rclgo/cmd/rclgo-gen env)"
#elif !__has_include(<rosidl_typesupport_introspection_c/message_introspection.h>)
#error cgo cannot find rosidl_typesupport_introspection_c. Install that ROS 2 package, then run: eval "$(go run github.com/tiiuae/rclgo/cmd/rclgo-gen env)"
#endif
*/
import "C"
