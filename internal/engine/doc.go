// Package engine decides. It is one pure function, Step: what a network of lifecycle nodes is believed to be, and one
// input, give the next belief and a list of effects. There is no goroutine, clock, channel, random number or map
// order in it, so that a run that went wrong can be had again from its inputs alone.
//
// Inputs are facts: a goal came, a node answered, time has passed. Effects are wishes: call this node, publish that.
// Whoever feeds Step (package coordinator) carries the effects out in a World: real ROS 2 (package rosnet) or the
// scripted one (package simnet).
//
// The engine imports machine, network, plan and lifecycle: data and pure functions. It may not import anything that
// reads a clock, logs, or speaks ROS.
package engine
