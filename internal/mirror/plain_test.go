package mirror

import (
	"cmp"
	"testing"
	"time"
)

// TestP9AMessageThatAnotherHasTold: an instance that learns from another one of a message of a plain peer, and hears
// that message then, counts it once. One that comes later, is another one, or lowers is the next.
func TestP9AMessageThatAnotherHasTold(t *testing.T) {
	id := plainPrefix + "/nrp"
	for _, c := range []struct {
		name  string
		told  uint64          // how many the other instance has counted, at 1 s
		heard []time.Duration // when messages come
		to    string          // where they lead; empty: active, where the other one says that they have led
		want  uint64
	}{
		{name: "heard after it was told", told: 1, heard: []time.Duration{1100 * ms}, want: 1},
		{name: "and then another one", told: 1, heard: []time.Duration{1100 * ms, 1200 * ms}, want: 2},
		{name: "heard before it was told", told: 1, heard: []time.Duration{900 * ms}, want: 1},
		{name: "the next one soon after that", told: 1, heard: []time.Duration{900 * ms, 1100 * ms}, want: 2},
		{name: "two were told", told: 2, heard: []time.Duration{1100 * ms, 1200 * ms}, want: 2},
		{name: "long after it was told", told: 1, heard: []time.Duration{2100 * ms}, want: 2},
		{name: "long after that all are counted", told: 7, heard: []time.Duration{2100 * ms, 2200 * ms}, want: 9},
		{name: "a lowering counts, whatever was told", told: 1, heard: []time.Duration{1100 * ms}, to: "inactive",
			want: 2},
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
				b.Change(at, Change{Name: "/nrp", SourceState: "inactive", Event: "go",
					TargetState: cmp.Or(c.to, "active")})
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
