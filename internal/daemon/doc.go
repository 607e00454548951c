// Package daemon is the daemon of one network as a value: New, Start, Stop. It puts the engine, its loop, the real
// world and the journal together. It is also where what the engine records becomes lines of the journal, and where its
// snapshots become what clients over HTTP are shown.
//
// Of the programs of rstate it knows none. What needs ROS carries the build tag ros.
package daemon
