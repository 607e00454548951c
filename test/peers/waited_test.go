//go:build ros

package peers

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/asker"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// elsewhere is why a request without seen is rejected that comes from another host.
const elsewhere = "its client is not known to be on this host"

// waits is a robot and a client on another host, whose requests wait while the link is down.
type waits struct {
	*testing.T
	land  *team.Land
	robot *team.Fellow
	desk  *team.Site
	asks  []*asker.Asker // clients at the desk
	seen  string         // as the robot showed it with the newest refusal
}

// newWaits brings the robot to active. Both sides know each other when it returns.
func newWaits(t *testing.T, keys string) *waits {
	l := newLand(t, "robot", "desk")
	m := team.New(t, binary)
	w := &waits{T: t, land: l, robot: m.Joins(l.Site("robot"), team.Member{Keys: keys}), desk: l.Site("desk")}
	w.robot.Do("active", "succeeded done active")
	w.asks = asker.StartAll(t, w.robot.Name, bed.Command{On: w.desk.At.Do, Env: w.desk.Environment()})
	return w
}

// action is the robot's.
func (w *waits) action() string { return w.robot.Name + "/transition" }

// send sends a goal from the desk, and waits until the robot has taken it.
func (w *waits) send(goal map[string]any) *bed.Goal {
	w.Helper()
	g := w.desk.Host.SendGoal("rstate_msgs/action/Transition", w.action(), goal)
	if !g.Accepted {
		w.Fatalf("%v was rejected: %+v", goal, w.robot.View())
	}
	return g
}

// late sends a goal from each client at the desk while the link is down, does something at the robot, and then lets the
// goals arrive. It returns the languages of those that were accepted.
func (w *waits) late(command, seen string, meanwhile func()) (accepted []string) {
	w.Helper()
	w.land.Wire.Cut(w.desk.At)
	for _, a := range w.asks {
		a.Send(command, seen, a.Language)
		a.Sent()
	}
	meanwhile()
	w.land.Wire.Heal(w.desk.At)
	for _, a := range w.asks {
		if a.Accepted() {
			accepted = append(accepted, a.Language)
		}
	}
	return accepted
}

// unarmed checks that the node was asked to arm so many times, and is not armed.
func (w *waits) unarmed(asked int) {
	w.Helper()
	if truth := w.robot.Rear.Truth(); truth.Armed || truth.Count("arm") != asked {
		w.Errorf("the node is armed: %v, and was asked %d times, want %d", truth.Armed, truth.Count("arm"), asked)
	}
}

// arms sends an arm that has seen what the robot shows, and then disarms at the robot.
func (w *waits) arms() {
	w.Helper()
	if status := w.send(map[string]any{"command": "arm", "seen": w.seen}).Result(nil); status != bed.StatusSucceeded {
		w.Fatalf("an arm with the present seen ended with status %d: %+v", status, w.robot.View())
	}
	w.robot.Do("disarm", "succeeded done active")
}

// TestA1AnArmThatWaitedInTheLink: a person at the robot disarms while arms of clients in three languages wait in a link
// that is down. They are rejected when they arrive, whatever they bring.
func TestA1AnArmThatWaitedInTheLink(t *testing.T) {
	w := newWaits(t, "")
	disarm := func() { w.robot.Do("disarm", "succeeded already active") }
	rejected := func(what, command, seen string, meanwhile func(), why string) {
		t.Helper()
		if accepted := w.late(command, seen, meanwhile); accepted != nil {
			t.Fatalf("%s was accepted from %v: %+v", what, accepted, w.robot.View())
		}
		w.seen = w.robot.Await("the refusal of "+what, func(v daemon.View) bool {
			return strings.Contains(v.Refusal, why) && strings.Contains(v.Refusal, v.Seen)
		}).Seen
	}
	rejected("an arm with its seen", "arm", w.robot.View().Seen, disarm,
		"has come since you looked: disarm was asked for by")
	w.unarmed(0)
	rejected("an arm without seen", "arm", "-", disarm, elsewhere)
	w.unarmed(0)
	rejected("armed, after down and up", "armed", w.robot.View().Seen, func() {
		w.robot.Do("deactivate", "succeeded done inactive")
		w.robot.Do("cleanup", "succeeded done unconfigured")
		w.robot.Do("active", "succeeded done active")
	}, "has come since you looked: cleanup was asked for by")
	w.unarmed(0)
	w.arms()
	rejected("an arm, after arm and disarm", "arm", w.robot.View().Seen, func() {
		w.robot.Do("arm", "succeeded done armed")
		w.robot.Do("disarm", "succeeded done active")
	}, "has come since you looked: disarm was asked for by")
	w.unarmed(2)
}

// TestA1AServiceThatArmsFromAnotherHost: ~/arm has no field for seen, so it arms only from the robot itself.
func TestA1AServiceThatArmsFromAnotherHost(t *testing.T) {
	w := newWaits(t, "")
	call := func(host *bed.Host, on bool) (answer struct {
		Success bool
		Message string
	}) {
		t.Helper()
		if err := host.Call("std_srvs/srv/SetBool", w.robot.Name+"/arm", map[string]any{"data": on}, bed.Deadline,
			&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if a := call(w.desk.Host, true); a.Success || !strings.Contains(a.Message, elsewhere) {
		t.Errorf("from the desk: %+v", a)
	}
	w.unarmed(0)
	if a := call(w.robot.Site.Host, true); !a.Success {
		t.Errorf("from the robot: %+v", a)
	}
	if a := call(w.desk.Host, false); !a.Success {
		t.Errorf("a disarm from the desk: %+v", a)
	}
	w.unarmed(1)
}

// TestA1UnseenAllowed: with arming: {unseen: allow} the old behaviour is back.
func TestA1UnseenAllowed(t *testing.T) {
	w := newWaits(t, "arming: {unseen: allow}")
	if len(w.late("arm", "-", func() { w.robot.Do("disarm", "succeeded already active") })) == 0 {
		t.Fatalf("all were rejected: %+v", w.robot.View())
	}
	w.robot.Intact("armed")
}
