// Package engine decides. It is one pure function, Step: what a network of lifecycle nodes is believed to be, and one
// input, give the next belief and a list of effects. There is no goroutine, clock, channel, random number or map
// order in it, so that a run that went wrong can be had again from its inputs alone.
//
// Inputs are facts: a goal came, a node answered, time has passed. Effects are wishes: call this node, publish that.
// Package coordinator feeds Step and carries the effects out in a World: real ROS 2 (package rosnet) or the
// scripted one (package simnet).
//
// The engine imports machine, network, plan and lifecycle: data and pure functions. It may not import anything that
// reads a clock, logs, or speaks ROS.
//
// Reading order: a file uses mostly files below it.
//
//	step.go       Step: one input in, effects out; what is to be concluded after it
//	undo.go       phases: a cancelled command drains, and is undone
//	rearm.go      phase: a commanded disarm leads back to armed
//	finalize.go   phase: the network is shut down; the end of the process
//	phase.go      the table of phases; how work begins, what each node has to do, the commit of a command
//	call.go       one request to a node, from its being sent to what makes its end certain
//	leg.go        one node's part of the running work, and whose turn it is
//	restore.go    phases: a failed transition is restored or unconfigured; the last resort
//	show.go       what people are shown
//	goals.go      goals: taken, rejected, joined by their ids, ended
//	clock.go      deadlines on the clock of nodes; stalls of the process and of the loop
//	follow.go     peers' changes that are followed, and goals that wait for peers
//	adopt.go      phase: a start finds the state that the nodes are in; whose name it is
//	peers.go      what peers said, what they are told, and those that are required to arm
//	arm.go        how nodes are armed and disarmed
//	reconcile.go  phase: what deviates at rest, and is brought to its place; the watch over silent nodes
//	proof.go      what being armed rests on: checks, probes, the lease
//	observe.go    what nodes say of themselves, and what is believed of it
//	lost.go       nodes that are silent or gone, and processes that have ended
//	disarm.go     disarms as clients and safety ask for them; nodes that may be armed and are not there
//	journal.go    what is written down, and when it is waited for
//	state.go      all that is believed, as types; notes of what is to be looked at again
//	inputs.go     every input
//	effects.go    every effect, and what effects hold
package engine
