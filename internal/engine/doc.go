// Package engine decides what an instance does. It is one pure function, Step: the believed state
// of a network and one input give the next state and a list of effects. It has no goroutine, clock,
// channel, random number or map order, so a failed run can be replayed from its inputs.
//
// Inputs are facts: a goal came, a node answered, time has passed. Effects are requests: call this
// node, publish that state. Package coordinator feeds Step and carries out the effects in a World:
// real ROS 2 (package rosnet) or the simulated one (package simnet).
//
// The engine imports machine, network, plan, stepper and lifecycle: data and pure functions. It must not
// import anything that reads a clock, logs, or uses ROS.
//
// ARCHITECTURE.md has a table of the files, by what they are about.
package engine
