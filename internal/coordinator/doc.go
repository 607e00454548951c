// Package coordinator is the one goroutine of an instance: inputs go in, effects come out. It owns the engine's state,
// fills in the time, keeps the one timer that the engine asks for, reads the clocks, logs what is recorded, and hands every
// other effect, and what is recorded, to the world. Package dispatch decides in which order, which effects a gap of the
// loop ends, and when a snapshot is shown. Nothing here decides anything about nodes.
//
// It imports engine, dispatch, queue and zap. It may not import rclgo or rosnet: the world is handed in, so that a scripted one does.
package coordinator
