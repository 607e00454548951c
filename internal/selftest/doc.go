// Package selftest finds out what the middleware of this process gives, where its word is not enough: a message to
// itself on a private topic, the graph's view of it, and an event that has to fire. Its files need ROS.
//
// It imports middleware, procs, and rclgo with the generated messages.
package selftest
