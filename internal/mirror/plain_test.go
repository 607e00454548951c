package mirror

import (
	"testing"
	"time"
)

// TestP9AMessageThatAnotherHasTold: an instance that learns from another one of a message of a plain peer, and hears that
// message then, counts it once. One that comes later, or is another one, is the next.
func TestP9AMessageThatAnotherHasTold(t *testing.T) {
	id := plainPrefix + "/nrp"
	for _, c := range []struct {
		name  string
		told  uint64          // how many the other instance has counted, at 1 s
		heard []time.Duration // when messages come
		want  uint64
	}{
		{"heard after it was told", 1, []time.Duration{1100 * ms}, 1},
		{"and then another one", 1, []time.Duration{1100 * ms, 1200 * ms}, 2},
		{"heard before it was told", 1, []time.Duration{900 * ms}, 1},
		{"the next one soon after that", 1, []time.Duration{900 * ms, 1100 * ms}, 2},
		{"two were told", 2, []time.Duration{1100 * ms, 1200 * ms}, 2},
		{"long after it was told", 1, []time.Duration{2100 * ms}, 2},
		{"long after that all are counted", 7, []time.Duration{2100 * ms, 2200 * ms}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, func(c *Config) { c.Plain = []string{"/nrp"} })
			tell := func() {
				st := says(b, "B", "active", "B0")
				st.Seen = Merge(st.Seen, []Seen{{id, c.told}})
				b.Tell(time.Second, st)
			}
			told := false
			for _, at := range c.heard {
				if at > time.Second && !told {
					told = true
					tell()
				}
				b.Change(at, Change{Name: "/nrp", SourceState: "inactive", Event: "activate", TargetState: "active"})
			}
			if !told {
				tell()
			}
			if got := Count(b.Seen(), id); got != c.want {
				t.Errorf("%d messages are counted, want %d", got, c.want)
			}
		})
	}
}
