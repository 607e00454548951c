//go:build !race

package schedule

const (
	raced    = false
	few      = 2000 // schedules that are run; tools/simulate runs more
	replays  = 100  // that are run twice
	machines = 1000 // that are drawn
)

// calm is of how many instances a run is in which nothing goes wrong.
var calm = []int{2, 5, 10}
