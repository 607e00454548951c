package rehearse

import "testing"

// Waiting does not help where something has ended, or was asked for. It may help in all other cases.
func TestWhatIsMissedForGood(t *testing.T) {
	code, other, step := 0, 5, 3
	verdicts := map[string]string{"ended": "aborted restored", "runs": Open}
	f := &Facts{State: "active", Exit: &other, Step: 1, Says: "the network is active", Where: func(string) string { return "inactive" },
		Verdict: func(goal string) string {
			if v, ok := verdicts[goal]; ok {
				return v
			}
			return NeverAsked
		},
		Asked:   func() []string { return []string{"configure /slam"} },
		Journal: func() []string { return nil },
	}
	for name, c := range map[string]struct {
		expect Expect
		lasts  bool
	}{
		"a state":              {Expect{State: "inactive"}, false},
		"a state, not at rest": {Expect{State: "active"}, false},
		"a node":               {Expect{Nodes: []Word{{"/slam", "active"}}}, false},
		"a command":            {Expect{Legal: []string{"arm"}}, false},
		"a step of the loop":   {Expect{Step: &step}, false},
		"a cause":              {Expect{Cause: "/slam"}, false},
		"a line of a journal":  {Expect{Journal: []string{"active"}}, false},
		"a step of a node":     {Expect{Asked: []string{"activate /slam"}}, false},
		"a goal that runs":     {Expect{Goals: []Word{{"runs", "succeeded"}}}, false},
		"a goal to come":       {Expect{Goals: []Word{{"another", "succeeded"}}}, false},
		"a goal that ended":    {Expect{Goals: []Word{{"ended", "succeeded"}}}, true},
		"an exit code":         {Expect{Exit: &code}, true},
		"a step too many":      {Expect{NotAsked: []string{"configure /slam"}}, true},
		"a text":               {Expect{Says: "/slam"}, true},
		"two things":           {Expect{State: "inactive", Goals: []Word{{"ended", "succeeded"}}, Cause: "/slam"}, true},
	} {
		if missed, lasts := c.expect.Missed(f); len(missed) == 0 || lasts != c.lasts {
			t.Errorf("%s: %q, for good: %v", name, missed, lasts)
		}
	}
	if missed, lasts := (&Expect{Says: "/slam"}).Missed(&Facts{}); len(missed) != 1 || lasts {
		t.Errorf("a text to come: %q, for good: %v", missed, lasts)
	}
	if missed, lasts := (&Expect{Exit: &other, Goals: []Word{{"ended", "aborted"}}}).Missed(f); missed != nil || lasts {
		t.Errorf("what holds: %q, %v", missed, lasts)
	}
}
