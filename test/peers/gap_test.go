//go:build ros

package peers

import (
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// TestA12ACrashLoopBesideAPeer: an instance with a stop input is killed again and again. At both instances that is one
// open stop, which grows in time and not in number. The peer arms nothing meanwhile, and one acknowledgement there ends it.
func TestA12ACrashLoopBesideAPeer(t *testing.T) {
	const crashes = 5
	l := newLand(t, "base", "arm")
	m := team.New(t, binary)
	topic := "/" + bed.Unique(t, "estop")
	base := m.Joins(l.Site("base"), team.Member{Keys: "stop: [{topic: " + topic + ", silent: 20s}]", Env: bed.ShortLease(t)})
	arm := m.Joins(l.Site("arm"), team.Member{})
	m.Meet()
	button := base.Site.Host.In(t).Advertise(bed.Topic{Kind: "std_msgs/msg/Bool", Name: topic})
	clear := func() {
		t.Helper()
		base.Await("the stop input is clear", func(v daemon.View) bool {
			button.Publish(map[string]any{"data": false})
			return len(v.StopInputs) == 1 && v.StopInputs[0].Kind == "clear"
		})
	}
	one := func(f *team.Fellow, words string) {
		t.Helper()
		f.Await(f.Name+" knows one stop: "+words, func(v daemon.View) bool {
			return v.Settled && len(v.Stops) == 1 && v.Stops[0].Origin == base.Name && strings.Contains(v.Stops[0].Why, words)
		})
	}
	clear()
	one(base, "rstate did not listen before ")
	one(arm, "it has no journal of a run before")
	if ok, message := acknowledge(t, arm); !ok {
		t.Fatalf("an acknowledgement at the peer: %s", message)
	}
	base.Await("the base knows of it", func(v daemon.View) bool { return len(v.Stops) == 0 })
	m.Bring(base, "active")
	for k := range crashes {
		base.Process.Kill()
		base.Daemon = base.Again()
		words := "rstate did not listen all the time from "
		if k == 0 {
			words = "rstate did not listen from "
		}
		one(base, words)
		one(arm, words)
		arm.Rejected("arm", "rstate did not listen ", "rstate acknowledge")
	}
	base.Alone()
	clear()
	arm.Hears(base)
	if ok, message := acknowledge(t, arm); !ok || strings.Count(message, "rstate did not listen") != 1 {
		t.Fatalf("the acknowledgement: %v, %s", ok, message)
	}
	base.Await("the base knows of the acknowledgement", func(v daemon.View) bool { return len(v.Stops) == 0 })
	clear()
	m.Bring(base, "armed")
}
