package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Lack is a part of a machine that this version does not act on.
type Lack struct {
	State, Transition string // where it is; both empty: the machine itself
	Key               string
	What              string // what this version does not act on
	Instead           string // what to write instead
}

// Later lists what of the machine this version does not act on. This is the one place that knows: what the engine has
// learned is removed here.
func (m *Machine) Later() []Lack {
	var list []Lack
	for _, s := range m.States {
		lacks := func(is bool, key, instead string) {
			if is {
				list = append(list, Lack{State: s.Name, Key: key, What: key, Instead: instead})
			}
		}
		if s.Nodes.AsIs {
			list = append(list, Lack{State: s.Name, Key: "nodes", What: asIs, Instead: "write unconfigured, inactive, active or finalized"})
		}
		lacks(s.Exit != 0, "exit", "remove it: a clean end has the exit code 0")
		lacks(s.Loop != NoLoop, "loop", loopToday)
		lacks(s.AdoptAs != "", "adopt_as", "remove it: a start adopts the state that the nodes fit")
	}
	for _, t := range m.Transitions {
		add := func(key, what, instead string) {
			list = append(list, Lack{Transition: t.Name, Key: key, What: what, Instead: instead})
		}
		lacks := func(is bool, key, instead string) {
			if is {
				add(key, key, instead)
			}
		}
		if len(t.Ends) > 0 {
			add("to", "a target that depends on the origin", "name one state, and make a command for each origin")
		}
		lacks(t.Else != "", "else", "remove it, and write to: and one state")
		if !t.Always && slices.ContainsFunc(t.targets(), func(to string) bool { s, _ := m.State(to); return s.Final }) {
			add("to", "more than one way to end a network", "let only the command with from: any lead to a final state")
		}
		same := t.OnRefusal == t.OnError
		lacks(same && !t.OnError.isRestore(), "on_failure", failureToday)
		lacks(!same && !t.OnRefusal.isRestore(), "on_refusal", failureToday)
		lacks(!same && !t.OnError.isRestore(), "on_error", failureToday)
		lacks(t.MirroredFailure == MirroredTarget, "mirrored_failure", "remove it: an instance that cannot follow is behind")
		lacks(t.Preempts, "preempts", "remove it: only shutdown and disarm interrupt what runs")
		lacks(t.Arrives.Always || len(t.Arrives.From) > 0, "arrives", "remove it: only shutdown always arrives")
		lacks(t.Through != "", "through", "remove it, and let a client send the commands one after another")
		lacks(t.Spread == SpreadAll, "spread", "remove it: peers follow a failure downward where they require the instance")
		lacks(t.Role != "" && string(t.Role) != t.Name, "role", "remove it: tools know the commands of the preset rstate by their names")
		lacks(t.Hidden, "hidden", "remove it: every command can be asked for")
		lacks(t.At != "", "at", loopToday)
		lacks(t.Open, "open", loopToday)
		lacks(t.Argument != "", "argument", loopToday)
	}
	if len(m.Auto) > 0 {
		list = append(list, Lack{Key: "auto", What: "auto", Instead: "remove it, and let a client send the command"})
	}
	if len(m.Outcomes) > 0 {
		list = append(list, Lack{Key: "outcomes", What: "outcomes", Instead: "remove it: a clean end has the exit code 0"})
	}
	return list
}

// What this version does instead.
const (
	failureToday = "remove it: a failed transition restores the state that it came from"
	loopToday    = "remove it: rstate runs no stepped loop"
)

// Supported returns an error if the machine has parts that this version does not act on.
func Supported(m *Machine) error {
	var keys []string
	for _, l := range m.Later() {
		at := l.What
		switch {
		case l.State != "":
			at += " of " + l.State
		case l.Transition != "":
			at += " of " + l.Transition
		}
		keys = append(keys, at)
	}
	if len(keys) == 0 {
		return nil
	}
	return fmt.Errorf("the machine %s is not in this version yet: %s", m.Name, strings.Join(keys, ", "))
}
