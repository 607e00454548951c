//go:build ros

package rosnet

import (
	"fmt"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/engine"
	"rstate/test/bed"
)

func TestClockIsTheNodesAndWakesTheLoop(t *testing.T) {
	host := bed.StartHost(t)
	w, e := newWorld(t, fmt.Sprintf("  /%s: {}\n", bed.Unique(t, "lidar")))
	topic := host.Advertise(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: "/clock"})
	steady := engine.Time{Steady: time.Minute, ROS: time.Minute, Wall: time.Unix(1, 0)}
	clock := w.Clock(func() engine.Time { return steady })
	set := func(on bool) {
		t.Helper()
		if err := w.node.Parameters().Set(rclgo.Parameter{Name: "use_sim_time", Value: on}); err != nil {
			t.Fatal(err)
		}
	}
	want := steady
	is := func(when string) {
		t.Helper()
		if got := clock(); got != want {
			t.Errorf("%s it is %+v, want %+v", when, got, want)
		}
	}
	is("without simulated time")

	before := len(all[engine.Tick](e))
	set(true)
	want.Simulated, want.ROS = true, 0
	is("before the first message")
	hears[engine.Tick](t, e, before+1)

	want.Heard = true
	for _, seconds := range []int{1000, 1001, 5} {
		before := len(all[engine.Tick](e))
		want.ROS = time.Duration(seconds) * time.Second
		bed.Eventually(t, fmt.Sprintf("it is %v", want.ROS), func() (string, bool) {
			topic.Publish(map[string]any{"clock": map[string]any{"sec": seconds}})
			got := clock()
			return fmt.Sprintf("%+v", got), got == want
		})
		hears[engine.Tick](t, e, before+1)
	}

	before = len(all[engine.Tick](e))
	set(false)
	want = steady
	is("when simulated time has ended")
	hears[engine.Tick](t, e, before+1)
}
