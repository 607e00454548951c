//go:build ros && !patient

package peers

import (
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/team"
)

// TestC13AnArmBegunWhileTheLinkIsDown: a person at another host starts rstate send arm while the link is down, and
// another person disarms at the robot. When the link comes back, nothing is armed, and the client says why.
func TestC13AnArmBegunWhileTheLinkIsDown(t *testing.T) {
	l := newLand(t, "robot", "console")
	m := team.New(t, binary)
	robot, console := m.Joins(l.Site("robot"), team.Member{}), l.Site("console")
	m.Bring(robot, "active")
	send := func(args ...string) *bed.Process {
		return bed.StartCommand(t, "rstate send arm", bed.Command{On: console.At.Do, Env: console.Environment(),
			Args: append([]string{binary, "send", "arm", "--node", robot.Name}, args...)})
	}
	for began, late := time.Now(), (*bed.Process)(nil); late == nil; {
		l.Wire.Cut(console.At)
		began, late = time.Now(), send()
		robot.Do("disarm", "succeeded already active")
		bed.Eventually(t, "the patience of the client is over", func() (string, bool) { return "", time.Since(began) > 5*time.Second/2 })
		l.Wire.Heal(console.At)
		if code := late.Wait(t); code == 4 { // it has found no daemon within 5 s, on this busy machine
			late = nil
		} else if said := late.Log(); code != 3 || !strings.Contains(said, "it was not sent") ||
			!strings.Contains(said, "send it again") {
			t.Errorf("it ended with %d, and said:\n%s", code, said)
		}
	}
	if truth := robot.Rear.Truth(); truth.Armed || truth.Count("arm") > 0 {
		t.Errorf("the node was asked to arm: %+v", truth)
	}
	bed.Eventually(t, "an arm that is sent again arms", func() (string, bool) {
		again := send("--patience", "30s")
		return again.Log(), again.Wait(t) == 0
	})
	m.Agree("armed")
}
