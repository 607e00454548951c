// Package factory makes, lists and removes simulations: many daemons in one process and one ROS context. It also plays
// the scenarios of a batch.
//
// It imports internal/daemon and internal/instances.
package factory
