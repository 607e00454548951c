//go:build !race

package schedule

const (
	raced    = false
	few      = 10_000 // schedules that are run
	replays  = 300    // that are run twice
	machines = 1000   // that are drawn; tools/simulate draws more
)

// calm is of how many instances a run is in which nothing goes wrong.
var calm = []int{2, 5, 10}
