// Package coordinator is the one goroutine of an instance: inputs go in, effects come out. It owns the engine's state,
// fills in the time, keeps the one timer that the engine asks for, gathers what is shown, logs what is recorded, and
// hands every other effect, and what is recorded, to the world: what goes to nodes first, and what only tells people last.
// Nothing here decides anything about nodes.
//
// It imports engine and zap. It may not import rclgo or rosnet: the world is handed in, so that a scripted one does.
package coordinator
