//go:build race

package schedule

// A run is one goroutine, so the race detector has nothing to find in it and takes ten times as
// long. tools/simulate runs 10 000 lives of either kind without it, and of them some hundred in
// which nothing goes wrong.
const (
	raced    = true
	few      = 200
	replays  = 50
	machines = 100
)

var calm = []int{2, 5}
