package machine

import (
	"slices"
	"testing"
)

func rstate(t *testing.T) *Machine {
	t.Helper()
	m, err := Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// at returns a judge in that state, reached by moves of the machine.
func at(t *testing.T, m *Machine, state string) *Judge {
	t.Helper()
	j := m.Start()
	move := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	switch s, _ := m.State(state); {
	case state == Unknown:
	case state == m.Error:
		move(j.Fail())
	case s.Passing:
		i := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Via == state })
		move(j.Preempt(m.Transitions[i].Name))
	default:
		move(j.Settle(state))
	}
	if j.State() != state {
		t.Fatalf("judge stands in %q, want %q", j.State(), state)
	}
	return j
}

var commands = []string{"configure", "cleanup", "activate", "deactivate", "arm", "disarm", "shutdown"}

// One row for each state: the target of each command, as listed above; - if it is refused.
func TestEveryCommandInEveryState(t *testing.T) {
	const no = "-"
	down := "shuttingdown"
	cases := []struct {
		state string
		leads [7]string
	}{
		{"unknown", [7]string{no, no, no, no, no, no, down}},
		{"unconfigured", [7]string{"configuring", no, no, no, no, no, down}},
		{"inactive", [7]string{no, "cleaningup", "activating", no, no, no, down}},
		{"active", [7]string{no, no, no, "deactivating", "arming", no, down}},
		{"armed", [7]string{no, no, no, no, no, "disarming", down}},
		{"finalized", [7]string{no, no, no, no, no, no, no}},
		{"configuring", [7]string{no, no, no, no, no, no, no}},
		{"cleaningup", [7]string{no, no, no, no, no, no, no}},
		{"activating", [7]string{no, no, no, no, no, no, no}},
		{"deactivating", [7]string{no, no, no, no, no, no, no}},
		{"arming", [7]string{no, no, no, no, no, no, no}},
		{"disarming", [7]string{no, no, no, no, no, no, no}},
		{"shuttingdown", [7]string{no, no, no, no, no, no, no}},
		{"errorprocessing", [7]string{no, no, no, no, no, no, no}},
	}
	m := rstate(t)
	if len(cases) != len(m.States)+1 {
		t.Errorf("table has %d states, the machine %d and unknown", len(cases), len(m.States))
	}
	for _, c := range cases {
		var legal []string
		for i, command := range commands {
			t.Run(c.state+" "+command, func(t *testing.T) {
				j := at(t, m, c.state)
				can, want := j.Can(command), c.leads[i] != no
				err := j.Begin(command)
				if can != want || (err == nil) != want {
					t.Fatalf("legal is %v and begins with %v, want legal %v", can, err, want)
				}
				end := c.state
				if want {
					end = c.leads[i]
				}
				if j.State() != end {
					t.Errorf("stands in %q, want %q", j.State(), end)
				}
			})
			if c.leads[i] != no {
				legal = append(legal, command)
			}
		}
		t.Run(c.state+" lists what is legal", func(t *testing.T) {
			if got := at(t, m, c.state).Legal(); !slices.Equal(got, legal) {
				t.Errorf("legal is %v, want %v", got, legal)
			}
		})
	}
}

// A finalized network accepts no command; in any other state it can fail, be pre-empted and settle.
func TestPreemptionFailureAndSettling(t *testing.T) {
	m := rstate(t)
	for _, state := range append([]string{Unknown}, (&check{Built: &Built{Machine: m}}).stateNames()...) {
		t.Run(state, func(t *testing.T) {
			living := state != "finalized"
			for _, command := range commands {
				tr, _ := m.Transition(command)
				j := at(t, m, state)
				if err := j.Preempt(command); (err == nil) != living || living && j.State() != tr.Via {
					t.Errorf("pre-empted with %s: %v, in %q", command, err, j.State())
				}
			}
			j := at(t, m, state)
			if err := j.Fail(); (err == nil) != living || living && j.State() != "errorprocessing" {
				t.Errorf("failed: %v, in %q", err, j.State())
			}
			for _, s := range m.States {
				j := at(t, m, state)
				want := living && !s.Passing
				if err := j.Settle(s.Name); (err == nil) != want || want && j.State() != s.Name {
					t.Errorf("settled in %s: %v, in %q", s.Name, err, j.State())
				}
			}
		})
	}
}

// The command that leads to the current state repairs it, and is legal as a repair only there.
func TestRepairs(t *testing.T) {
	m := rstate(t)
	for state, want := range map[string]string{
		"unconfigured": "cleanup", "inactive": "configure", "active": "activate", "armed": "arm",
	} {
		t.Run(state, func(t *testing.T) {
			tr, ok := m.Repairs(state)
			if !ok || tr.Name != want {
				t.Fatalf("repaired by %q, %v; want %q", tr.Name, ok, want)
			}
			j := at(t, m, state)
			if err := j.Repair(want); err != nil || j.State() != tr.Via {
				t.Errorf("repair by %s: %v, in %q", want, err, j.State())
			}
		})
	}
	if tr, ok := m.Repairs("finalized"); ok {
		t.Errorf("finalized is repaired by %q, want nothing", tr.Name)
	}
	if err := at(t, m, "inactive").Repair("activate"); err == nil {
		t.Error("activate repairs inactive, want it refused")
	}
}

// TestACloneOfAJudgeFiresAlone: neither of the two changes the other, whichever fires first.
func TestACloneOfAJudgeFiresAlone(t *testing.T) {
	m := rstate(t)
	for _, first := range []string{"the original", "the clone"} {
		one := at(t, m, "inactive")
		two := one.Clone()
		if first == "the clone" {
			one, two = two, one
		}
		if err := one.Begin("activate"); err != nil || one.State() != "activating" {
			t.Fatalf("%s fires first and is in %q: %v", first, one.State(), err)
		}
		if two.State() != "inactive" || !two.Can("activate") {
			t.Fatalf("%s fires first, and the other is in %q", first, two.State())
		}
		if err := two.Begin("cleanup"); err != nil || two.State() != "cleaningup" || one.State() != "activating" {
			t.Fatalf("%s fires first: they are in %q and %q: %v", first, one.State(), two.State(), err)
		}
	}
}
