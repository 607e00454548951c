// Package host is what the processes of rstate on one host know of each other without ROS: which of them holds a name
// or drives a node, where it listens, and where its journal is. It is read from locks, sockets and the kernel.
//
// It imports internal/journal for the usual folder, and internal/procs.
package host
