//go:build ros

package peers

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// TestA12AStopAtOneOfTwoPeers: a button of one instance disarms both. Each refuses Arm, also after a restart of the
// other one without its journal, until a person acknowledges at whichever of them.
func TestA12AStopAtOneOfTwoPeers(t *testing.T) {
	l := newLand(t, "base", "arm")
	m := team.New(t, binary)
	topic := "/" + bed.Unique(t, "estop")
	base := m.Joins(l.Site("base"), team.Member{
		Keys: "stop: {after_gap: clear, inputs: [{topic: " + topic + ", silent: 20s}]}"})
	arm := m.Joins(l.Site("arm"), team.Member{Env: bed.ShortLease(t)})
	m.Meet()
	button := base.Site.Host.In(t).Advertise(bed.Topic{Kind: "std_msgs/msg/Bool", Name: topic})
	says := func(stop bool, kind string) {
		t.Helper()
		base.Await("the stop input is "+kind, func(v daemon.View) bool {
			button.Publish(map[string]any{"data": stop})
			return len(v.StopInputs) == 1 && v.StopInputs[0].Kind == kind
		})
	}
	says(false, "clear")
	arm.Await("the arm may be armed", func(v daemon.View) bool { return v.StopsForbid == "" })
	m.Bring(base, "armed")
	says(true, "stop")
	for _, f := range m.All {
		f.Await(f.Name+" is stopped", func(v daemon.View) bool {
			return v.Settled && v.State.Label == "active" && len(v.MayBeArmed) == 0 && len(v.Stops) == 1 &&
				v.Stops[0].Origin == base.Name
		})
		if f.Rear.Truth().Armed {
			t.Errorf("%s has an armed node", f.Name)
		}
		f.Rejected("arm", "says stop", base.Name)
	}
	if ok, message := acknowledge(t, arm); ok || !strings.Contains(message, "says stop") {
		t.Errorf("an acknowledgement while the button is pressed: %v, %s", ok, message)
	}
	says(false, "clear")
	arm.Process.Kill()
	base.Misses(arm)
	arm.LoseJournal()
	arm.Daemon = arm.Again()
	arm.Await("the arm hears of the stop again", func(v daemon.View) bool {
		return v.Settled && v.State.Label == "active" && len(v.Stops) == 1 && v.Peer(base.Name).Alive
	})
	arm.Alone()
	arm.Await("the input of the base is clear again", func(v daemon.View) bool {
		button.Publish(map[string]any{"data": false})
		return v.StopsForbid != "" && !strings.Contains(v.StopsForbid, "stop input of")
	})
	arm.Rejected("arm", "says stop", "rstate acknowledge")
	if ok, message := acknowledge(t, arm); !ok {
		t.Fatalf("an acknowledgement at the peer: %s", message)
	}
	base.Await("the base knows of the acknowledgement", func(v daemon.View) bool { return len(v.Stops) == 0 })
	base.Hears(arm)
	says(false, "clear")
	m.Bring(base, "armed")
}

// acknowledge acknowledges at an instance, and returns what it answers.
func acknowledge(t *testing.T, f *team.Fellow) (success bool, message string) {
	t.Helper()
	var answer struct {
		Success bool
		Message string
	}
	if err := f.Site.Host.In(t).Call("rstate_msgs/srv/Acknowledge", f.Name+"/acknowledge", map[string]any{"who": "ann"},
		bed.Deadline, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Success, answer.Message
}
