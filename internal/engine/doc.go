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
// Reading order: a file uses mostly files below it.
//
//	step.go       Step: one input in, effects out; which conclusions follow it
//	undo.go       phases: a cancelled command drains, and is rolled back
//	rearm.go      phase: a commanded disarm leads back to armed
//	finalize.go   phase: the network shuts down; the end of the process
//	phase.go      the table of phases; how work begins, the plan of each node, the commit
//	call.go       one request to a node, until its end is certain
//	part.go       one node's part of the running work, and when its turn comes
//	restore.go    phases: a failed transition is restored or unconfigured; the last resort
//	show.go       the published state: snapshots, diagnostics
//	loop.go       the stepped loop: how commands start and stop it, and what follows its end
//	goals.go      goals: accepted, rejected, joined by their ids, ended
//	clock.go      deadlines on the clock of nodes; stalls of the process and of the loop
//	follow.go     changes of peers that this instance follows; goals that wait for peers
//	adopt.go      phase: a start finds the state of the network; ownership of the name
//	peers.go      what peers report, the status for peers, and required peers
//	arm.go        how nodes are armed and disarmed
//	reconcile.go  phase: deviations at rest, and their repair; the watch over silent nodes
//	proof.go      what being armed rests on: checks, probes, the lease
//	observe.go    what nodes report, and what the engine believes of it
//	lost.go       nodes that are silent or lost, and processes that have ended
//	disarm.go     disarms by clients and for safety; absent nodes that may be armed
//	journal.go    lines of the journal, and when the engine waits for the disk
//	state.go      the believed state, as types; marks of what to look at again
//	inputs.go     every input
//	effects.go    every effect, and what effects hold
package engine
