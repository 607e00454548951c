package mirror

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// halves returns a machine of two states of one level, each of which raises a node of the other.
func halves(calm bool) *machine.Machine {
	group := func(name string) machine.Want {
		return machine.Want{Groups: []machine.GroupWant{{Group: name, State: lifecycle.Active}},
			Others: lifecycle.Inactive}
	}
	m := &machine.Machine{Name: "halves", Initial: "left", States: []machine.State{
		{Name: "over", Final: true, Nodes: machine.Want{Others: lifecycle.Finalized}},
		{Name: "left", Nodes: group("a")}, {Name: "right", Nodes: group("b")},
		{Name: "high", Nodes: machine.Want{Others: lifecycle.Active}},
	}}
	if calm {
		m.States = append(m.States, machine.State{Name: "calm", Nodes: machine.Want{Others: lifecycle.Inactive}})
	}
	return m
}

// TestP2AHealNeverRaises: two instances go to states that cannot be compared while they are cut off. After the heal
// both take the highest state that is nowhere above either; if there is none, each stays, is behind and says so, until
// a command covers both.
func TestP2AHealNeverRaises(t *testing.T) {
	for _, c := range []struct{ name, want string }{{"a state below both", "calm"}, {"none", ""}} {
		t.Run(c.name, func(t *testing.T) {
			m := halves(c.want != "")
			books := map[string]*Book{}
			for _, n := range []string{"a", "b"} {
				books[n] = New(Config{Name: "/" + n, Instance: strings.ToUpper(n), Machine: m})
			}
			status := func(n string) Status {
				b := books[n]
				st := says(b, b.conf.Instance, b.Target(), "")
				st.Seen = b.Seen()
				return st
			}
			now := time.Duration(0)
			notes := map[string]int{}
			exchange := func(times int) {
				for range times {
					now += 500 * ms
					for _, to := range []string{"a", "b"} {
						for _, from := range []string{"a", "b"} {
							if to != from {
								notes[to] += len(books[to].Tell(now, status(from))) + len(books[to].Tick(now))
							}
						}
					}
				}
			}
			books["a"].Make(0, "left", "")
			books["b"].Make(0, "right", "")
			exchange(12)
			left, right := c.want, c.want
			if c.want == "" {
				left, right = "left", "right"
			}
			if books["a"].Target() != left || books["b"].Target() != right {
				t.Errorf("after the heal one goes to %s and the other to %s, want %s and %s", books["a"].Target(),
					books["b"].Target(), left, right)
			}
			if torn := books["a"].Torn() != "" && books["b"].Torn() != ""; torn != (c.want == "") || notes["a"] > 3 {
				t.Errorf("the one says %q and the other %q, with %d notes", books["a"].Torn(), books["b"].Torn(),
					notes["a"])
			}
			books["a"].Make(now, "high", "")
			exchange(6)
			if books["a"].Target() != "high" || books["b"].Target() != "high" ||
				books["a"].Torn()+books["b"].Torn() != "" {
				t.Errorf("a command after it leads one to %s and the other to %s (%s)", books["a"].Target(),
					books["b"].Target(), books["b"].Torn())
			}
		})
	}
}
