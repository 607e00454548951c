// Package looper drives the stepped loop of package stepper: it keeps its time, calls its participants, and tells the
// engine when it has stopped. It runs on a goroutine of its own, so no step holds up the engine, and a disarm is sent
// whatever a participant does.
//
// Effects of the engine go in (Carry), and inputs of the engine come out: one LoopIdle for each StartLoop, and LoopSeen
// now and then. Callers are what a participant looks like from here; package rosnet makes them of ROS services.
//
//	looper.go   the driver: effects in, inputs out
//	opening.go  what happens before the first step of a run
//	data.go     which messages each participant sees, and that it has them
//	tape.go     what is recorded of a step
//	pace.go     when the steps may begin, against real time
//	view.go     what is shown of the loop, and how often
package looper
