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
//
// Reading order: a file uses mostly those below it.
//
//	pulse.go
//	late.go
//	kept.go
//	stall.go
//	show.go
//	stop.go
//	cancel.go
//	ids.go
//	await.go
//	remaining.go
//	leg.go
//	watch.go
//	disarm.go
//	ladder.go
//	rearm.go
//	turn.go
//	mirrored.go
//	arm.go
//	keep.go
//	start.go
//	observe.go
//	peers.go
//	goals.go
//	lost.go
//	journal.go
//	call.go
//	hold.go
//	abandon.go
//	silence.go
//	overtaken.go
//	vigil.go
//	check.go
//	peerarm.go
//	meter.go
//	ended.go
//	rebirth.go
//	unsafe.go
//	name.go
//	state.go
//	phase.go
//	work.go
//	text.go
//	failure.go
//	left.go
//	proof.go
//	clock.go
//	peerwait.go
//	inputs.go
//	effects.go
//	entry.go
//	result.go
package engine
