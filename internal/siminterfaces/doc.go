// Package siminterfaces is what rstate knows of simulation_interfaces, the standard with which
// clients drive simulators in ROS 2: its numbers, what a network with a stepped loop is to such a
// client, and what the answers of a simulator mean.
//
// It has no goroutine, clock or ROS: package rosnet makes services of it. Rule L14 is about
// simulators that take part in a loop, and L15 about networks that look like a simulator.
//
//	numbers.go    the numbers of the standard
//	network.go    the state of a network in its words, and the commands that lead to another one
//	simulator.go  the features and results of a simulator
//
// It may import internal/clean and internal/machine.
package siminterfaces
