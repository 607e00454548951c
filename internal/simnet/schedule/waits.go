package schedule

import (
	"fmt"
	"time"

	"rstate/internal/simnet"
)

// longest is nearly as long as a queue keeps anything.
const longest = 29 * time.Second

// queues lets requests to arm arrive late, and lets links of nodes keep what is sent. It is apart from all else that is
// drawn of a seed.
func (s *Schedule) queues(w *simnet.World) {
	x := s.apart(112)
	if !x.chance(0.3) {
		return
	}
	moments := []string{"armed", "armed", "arming", "disarming", "active", "active"}
	for k := range x.IntN(3) {
		when := simnet.Shown(pick(x, moments...)).Later(x.upTo(3 * time.Second))
		command := pick(x, "armed", "armed", "arm")
		w.Aside(simnet.Beat{When: when, Do: simnet.LateGoal{
			Send:  simnet.Send{Command: command, Handle: fmt.Sprintf("%s late%d", command, k)},
			Waits: x.upTo(pick(x, time.Second, 5*time.Second, longest)), AtRobot: x.chance(0.5),
		}})
	}
	for range x.IntN(3) {
		when := simnet.Shown(pick(x, moments...)).Later(x.upTo(pick(x, 10*time.Millisecond, 3*time.Second)))
		w.Aside(simnet.Beat{When: when, Do: simnet.Hold{Node: x.driver(),
			For: x.upTo(pick(x, time.Second, 5*time.Second, longest))}})
	}
}
