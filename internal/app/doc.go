// Package app is a process as a value, which tests can start and stop like main does: the daemon of
// one network, the demo nodes, and the client that the command line speaks to a daemon with.
// Everything that is made registers how it is closed, under a name, the moment it exists. It is
// also where what the engine records becomes lines of the journal.
//
// It imports everything below it: network, engine, journal, coordinator, rosnet, rclgo and zap.
// Only cmd/rstate imports it. What needs ROS carries the build tag ros.
package app
