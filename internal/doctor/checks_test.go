package doctor

import (
	"strings"
	"testing"
	"time"
)

// TestChecksAreProposed: the doctor says what a check has measured, and which rate or age fits it.
func TestChecksAreProposed(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		check Check
		state string
		level Level
		says  string
	}{
		"as asked for": {Check{Rate: 10, Found: Found{Passes: true, Value: "9.8 Hz of 10 Hz", Rate: 9.8}}, "active", OK,
			"passes its check of /joints: 9.8 Hz of 10 Hz"},
		"much faster": {Check{Rate: 10, Found: Found{Passes: true, Rate: 49.7}}, "active", OK,
			"; rate: 49Hz would notice a fault earlier"},
		"too slow": {Check{Rate: 10, Found: Found{Fault: "comes at 5.2 Hz, not 10 Hz", Do: "see its publisher", Rate: 5.2}},
			"active", Warning, "see its publisher; or write rate: 5.2Hz"},
		"silent": {Check{Rate: 10, Found: Found{Fault: "comes at 0 Hz, not 10 Hz", Do: "see its publisher"}}, "active", Warning,
			"see its publisher"},
		"not active yet": {Check{Rate: 10, Found: Found{Fault: "comes at 0 Hz", Do: "see its publisher"}}, "inactive", Warning,
			"activate the node first, which is inactive, and run doctor again; else see its publisher"},
		"an age that fits": {Check{Age: 300 * ms, Found: Found{Passes: true, Value: "20ms old of 300ms", Gap: 60 * ms}}, "active",
			OK, "passes its check of /joints: 20ms old of 300ms"},
		"a long age": {Check{Age: 5 * time.Second, Found: Found{Passes: true, Gap: 60 * ms}}, "active", OK,
			"; age: 200ms would notice a fault earlier"},
		"a short age": {Check{Age: 100 * ms, Found: Found{Fault: "came last 110ms ago", Do: "see it", Gap: 110 * ms}}, "active",
			Warning, "see it; or write age: 400ms"},
		"a value": {Check{Found: Found{Fault: "is now 0.1, not above 0.2", Do: "see what is published"}}, "active", Warning,
			"see what is published"},
	} {
		t.Run(name, func(t *testing.T) {
			f := healthy()
			c.check.Topic, c.check.Subject, c.check.Found.Measured = "/joints", "/joints", true
			f.Network.Nodes[1].Checks, f.Answers[1].State = []Check{c.check}, c.state
			var found []Finding
			for _, f := range Judge(f).Findings {
				if strings.Contains(f.What, "its check of") {
					found = append(found, f)
				}
			}
			if len(found) != 1 || found[0].About != "/arm" || found[0].Level != c.level ||
				!strings.HasSuffix(found[0].What+found[0].Do, c.says) {
				t.Errorf("got %+v, want %s: %q", found, c.level, c.says)
			}
		})
	}
}
