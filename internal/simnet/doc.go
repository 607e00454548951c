// Package simnet is the scripted world: lifecycle nodes, the wires to them and the clocks, all in virtual time, around
// one engine. What happens comes from scripts (how a node behaves), stories (which goals are sent, and when) and noise
// (what gets lost), and is otherwise drawn from a seed; the same seed gives the same run, effect for effect.
//
// A run keeps the ground truth that no real network has, so it can tell what a robot's owner could only suspect: that a
// goal succeeded which was not reached, that a request was illegal when it arrived, that an order was broken. The
// checker lists these as Faults of the run. It judges what nodes did, what was published and which results goals had,
// not what the engine believes. The disk of the journal is part of it, fast, slow, silent or full.
//
// Peers is several such worlds in one virtual time, with the wires between them: messages that are lost or late, cuts,
// restarts. It judges what shows only when all of them are seen at once.
//
// Requests of clients and what is on the way to a node and from it may wait in queues (waits.go): a client decides at one
// moment, by what it sees then.
//
// Processes may serve the arming service of a node beside it or in its place (served.go). Each is armed by itself.
//
// The loop of the coordinator carries effects by package dispatch, as the daemon does.
//
// It imports dispatch, engine, lease, mirror, plan, machine, network and lifecycle, and is imported by tests and by
// internal/rehearse. It has no goroutine and reads no clock.
package simnet
