package explore

import (
	"testing"
	"time"
)

// TestA13WhatBecomesOfGuards: every moment at which a guard fails or comes back, with one guard and with two.
func TestA13WhatBecomesOfGuards(t *testing.T) {
	var only []string
	for _, d := range guardMenu {
		only = append(only, d.name)
	}
	for _, name := range []string{"guard", "guard two"} {
		r := Explore(setupOf(t, name), Options{Depth: 1, Only: only})
		if len(r.Violations) > 0 || !r.Finished || r.Schedules < 40 {
			t.Errorf("%s: %d schedules, %+v", name, r.Schedules, r.Violations)
		}
	}
}

// TestA13WhenOneOfTwoGuardsFails: the node stays armed. When the last one fails too, it is disarmed as soon as promised.
func TestA13WhenOneOfTwoGuardsFails(t *testing.T) {
	for _, c := range []struct {
		name, id string
		armed    bool
	}{
		{"with one guard, it is killed", "guard:1500000+0.guard killed@/a", false},
		{"one is killed", "guard two:1500000+0.guard killed@/a", true},
		{"one is suspended", "guard two:1500000+0.guard suspended@/a", true},
		{"one hears nothing", "guard two:1500000+0.guard deaf@/a", true},
		{"both are killed", "guard two:1450000+0.guard killed@/a,1500000+0.guard killed@/a", false},
		{"one is killed, and the other one is deaf", "guard two:1450000+0.guard killed@/a,1500000+0.guard deaf@/a", false},
		{"one is killed, the other one after it is back", "guard two:1300000+0.guard killed@/a,1400000+0.guard back@/a,1500000+0.guard killed@/a", true},
	} {
		w := begin(t, c.id)
		for w.until() < 1500*time.Millisecond+lostIn {
			w.advance()
		}
		if armed := w.sides[0].nodes[0].isArmed(); armed != c.armed || len(w.verdict) > 0 {
			t.Errorf("%s: armed %v, want %v; %v", c.name, armed, c.armed, w.verdict)
		}
	}
}
