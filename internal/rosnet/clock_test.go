//go:build ros

package rosnet

import (
	"strings"
	"testing"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// TestE8AClockIsHeardWhileItHasASource: messages begin it, and the end of its last publisher ends it. A publisher that
// the graph shows late, or never, ends nothing.
func TestE8AClockIsHeardWhileItHasASource(t *testing.T) {
	for name, c := range map[string]struct{ events, heard string }{
		"nothing comes":                        {"set, one, one", "no, no, no"},
		"it comes":                             {"set, one, message, one", "no, no, yes, yes"},
		"it comes before its publisher":        {"set, none, message, none, one", "no, no, yes, yes, yes"},
		"it comes, and no publisher is shown":  {"set, message, none, none", "no, yes, yes, yes"},
		"its publisher ends":                   {"set, one, message, none", "no, no, yes, no"},
		"a last message after the end":         {"set, one, message, none, message, none", "no, no, yes, no, yes, no"},
		"another publisher":                    {"set, one, message, none, one, message", "no, no, yes, no, no, yes"},
		"one of two ends":                      {"set, two, message, one", "no, no, yes, yes"},
		"simulated time is left and set again": {"set, one, message, none, unset, set, message", "no, no, yes, no, no, no, yes"},
		"… and no publisher is shown":          {"set, one, message, unset, set, message, none", "no, no, yes, no, no, yes, yes"},
	} {
		t.Run(name, func(t *testing.T) {
			var k clock
			var sim rclgo.SimTime
			was := false
			var got []string
			for _, event := range strings.Split(c.events, ", ") {
				news := false
				switch event {
				case "set", "unset":
					sim = rclgo.SimTime{Active: event == "set"}
					k.take(sim)
					news = k.heard() != was // which the change of Active tells
				case "message":
					sim.Messages++
					news = k.take(sim)
				default:
					news = k.lead(map[string]int{"one": 1, "two": 2}[event])
				}
				if news != (k.heard() != was) {
					t.Errorf("%s: it is news: %v, and it is heard: %v", event, news, k.heard())
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
