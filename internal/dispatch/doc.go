// Package dispatch decides how the effects of one step of the engine are carried out: in which order,
// which of them perish in a gap of the loop, what the engine learns of the gap, and when a snapshot is
// published. It is pure: the daemon's loop (coordinator), the simulated world (simnet) and the
// explorer of all orders (explore) carry effects by the same decisions.
//
// A loop carries the effects of a step like this:
//
//	turn := dispatch.Begin(effects, state)
//	for turn.Left() {
//		if turn.Looks() { // a daemon reads its clocks here; a simulated gap falls before this effect
//			turn.Stood(gap)
//		}
//		if e, perished := turn.Next(); !perished {
//			carry(e)
//		}
//	}
//	if in, stood := turn.Report(); stood { // the next input, before any other
//		step(in)
//	}
//
// It imports engine. It has no goroutine and no channel, and reads no clock.
package dispatch
