package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rstate/internal/machine"
	"rstate/internal/plan"
	"rstate/internal/simnet"
)

// journalled is for what no step of a plan has in it: reads, the journal, and that a disarm settles.
const journalled = 10 * time.Second

// TestE1ThePlanIsWhatTheEngineAsks: where nothing goes wrong, the engine asks each node for the steps that the plan
// names, and asks for none before those that the plan has in front of it.
func TestE1ThePlanIsWhatTheEngineAsks(t *testing.T) {
	lives, steps := 0, 0
	for seed := uint64(1); lives < 200; seed++ {
		s := Draw(seed)
		if !s.Calm {
			continue
		}
		lives++
		trace := s.Run()
		here := s.Network.Machine.Initial
		for _, g := range trace.Goals {
			path := pathOf(s.Network.Machine, g.Command, here)
			if g.Verdict() != "succeeded done" {
				continue
			}
			asked := slices.DeleteFunc(slices.Clone(trace.Calls), func(c *simnet.Call) bool { return c.At < g.Asked || c.At >= g.Ended })
			longest := time.Duration(0)
			for k, leg := range plan.Ahead(s.Network, here, plan.At(s.Network, here), path) {
				if most := leg.Plan.AtMost(); k == 0 && g.AtMost != most {
					t.Errorf("seed %d, %s from %s: the engine says %v at the most, and the plan %v\n%s", seed, leg.Command, here, g.AtMost, most, leg.Plan)
				}
				var fault string
				if asked, fault = follow(s, leg.Plan, asked); fault != "" {
					t.Errorf("seed %d, %s from %s, %s: %s\n%s", seed, g.Command, here, leg.Command, fault, leg.Plan)
				}
				steps += len(leg.Plan.Steps)
				longest += leg.Plan.AtMost()
				here = leg.To
			}
			if took := g.Ended - g.Asked; took > longest+journalled {
				t.Errorf("seed %d, %s: it took %v, and the plan allows %v", seed, g.Command, took, longest)
			}
			for _, c := range asked {
				t.Errorf("seed %d, %s: %s is asked to %s, which is in no plan", seed, g.Command, c.Node, c.Do)
			}
		}
	}
	if steps < 10*lives {
		t.Errorf("only %d steps in %d lives", steps, lives)
	}
}

// pathOf lists the commands for a command or a state.
func pathOf(m *machine.Machine, word, here string) []string {
	name, isState, _ := m.Command(machine.ReadWord(word))
	if !isState {
		return []string{name}
	}
	path, _ := m.Path(here, name)
	return path
}

// follow takes the calls of a plan from the front of those that were asked, and returns the rest.
func follow(s *Schedule, p plan.Plan, asked []*simnet.Call) (rest []*simnet.Call, fault string) {
	n := min(len(p.Steps), len(asked))
	done := make([]bool, len(p.Steps))
	for _, c := range asked[:n] {
		k := slices.IndexFunc(p.Steps, func(x plan.Step) bool { return x.Do == c.Do && s.Network.Nodes[x.Node].Name == c.Node })
		if k < 0 || done[k] {
			return asked[n:], fmt.Sprintf("%s is asked to %s, which is not in the plan", c.Node, c.Do)
		}
		for _, before := range p.Steps[k].After {
			if !done[before] {
				return asked[n:], fmt.Sprintf("%s is asked to %s before step %d", c.Node, c.Do, before+1)
			}
		}
		done[k] = true
	}
	if k := slices.Index(done, false); k >= 0 {
		return asked[n:], fmt.Sprintf("step %d is never asked for", k+1)
	}
	return asked[n:], ""
}
