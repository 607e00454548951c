//go:build ros

package rosnet

import (
	"fmt"
	"strings"
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

// TestE8AClockIsHeardWhileItHasASource: messages begin it, and the end of its last publisher ends it, once it is quiet. A
// publisher that the graph shows late, or never, or no more although it speaks, ends nothing.
func TestE8AClockIsHeardWhileItHasASource(t *testing.T) {
	for name, c := range map[string]struct{ events, heard string }{
		"nothing comes":                        {"set, one, one", "no, no, no"},
		"it comes":                             {"set, one, message, one", "no, no, yes, yes"},
		"it comes before its publisher":        {"set, none, message, none, one", "no, no, yes, yes, yes"},
		"it comes, and no publisher is shown":  {"set, message, none, second, none", "no, yes, yes, yes, yes"},
		"its publisher ends":                   {"set, one, message, none, second, none", "no, no, yes, yes, yes, no"},
		"a last message after the end":         {"set, one, none, message, none, second, none", "no, no, no, yes, yes, yes, no"},
		"it speaks, and is not shown any more": {"set, one, message, none, second, message, none", "no, no, yes, yes, yes, yes, yes"},
		"another publisher":                    {"set, one, message, second, none, one, message", "no, no, yes, yes, no, no, yes"},
		"one of two ends":                      {"set, two, message, second, one", "no, no, yes, yes, yes"},
		"simulated time is left and set again": {"set, one, message, second, none, unset, set, message", "no, no, yes, yes, no, no, no, yes"},
		"… and no publisher is shown":          {"set, one, message, unset, set, message, second, none", "no, no, yes, no, no, yes, yes, yes"},
	} {
		t.Run(name, func(t *testing.T) {
			var k clock
			var sim rclgo.SimTime
			now, was := time.Unix(1000, 0), false
			var got []string
			for _, event := range strings.Split(c.events, ", ") {
				news, waits := false, false
				switch event {
				case "set", "unset":
					sim = rclgo.SimTime{Active: event == "set"}
					k.take(sim)
					news = k.heard() != was // which the change of Active tells
				case "message":
					sim.Messages, sim.Heard = sim.Messages+1, now
					news = k.take(sim)
				case "second":
					now = now.Add(clockQuiet)
				default:
					news, waits = k.lead(now, map[string]int{"one": 1, "two": 2}[event])
				}
				if news != (k.heard() != was) {
					t.Errorf("%s: it is news: %v, and it is heard: %v", event, news, k.heard())
				}
				if waits && (event != "none" || !k.heard()) {
					t.Errorf("%s: it is to be looked at again", event)
				}
				was = k.heard()
				got = append(got, map[bool]string{true: "yes", false: "no"}[was])
			}
			if heard := strings.Join(got, ", "); heard != c.heard {
				t.Errorf("heard: %s, want %s", heard, c.heard)
			}
		})
	}
}
