// Package session is one use of ROS by a process: a context that is served, its profile for the middleware, and
// everything that is closed when the process ends. Whatever is made registers how it is closed, under a name, the
// moment it exists.
//
// It imports rclgo, and internal/host for the places at which other processes of this host listen. What needs ROS
// carries the build tag ros.
package session
