package engine

// Who asked for what.

// clients are the goals that are open, the ids that were used, and the clients that are refused again
// and again. They know what runs, but not the loop.
type clients struct {
	course

	goals   goals
	refused refusals
}
