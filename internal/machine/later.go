package machine

import (
	"fmt"
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
		lacks(s.Loop != NoLoop, "loop", loopToday)
		lacks(s.AdoptAs != "", "adopt_as", "remove it: a start adopts the state that the nodes fit")
	}
	for _, t := range m.Transitions {
		lacks := func(is bool, key string) {
			if is {
				list = append(list, Lack{Transition: t.Name, Key: key, What: key, Instead: loopToday})
			}
		}
		lacks(t.At != "", "at")
		lacks(t.Open, "open")
		lacks(t.Argument != "", "argument")
	}
	for _, a := range m.Auto {
		if a.On.Event == LoopIdle {
			list = append(list, Lack{Key: "auto", What: "auto on loop_idle", Instead: loopToday})
		}
	}
	if len(m.Outcomes) > 0 {
		list = append(list, Lack{Key: "outcomes", What: "outcomes", Instead: "remove it: a clean end has the exit code 0"})
	}
	return list
}

// loopToday is what this version does instead of a stepped loop.
const loopToday = "remove it: rstate runs no stepped loop"

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
