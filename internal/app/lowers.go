package app

import (
	"rstate/internal/machine"
)

// lowers reports whether a goal takes away from what the network is: it disarms, shuts down, or
// leads to a lower state than origin, the state in which the network rested when the goal was sent.
// Without the daemon's machine (nil), only the commands that disarm or shut down every network
// count.
func lowers(m *machine.Machine, origin string, command machine.Word) bool {
	if m == nil {
		var err error
		if m, err = machine.Preset("rstate"); err != nil {
			return false
		}
		t, ok := commanded(m, command)
		return ok && (t.Always || disarms(m, t))
	}
	if t, ok := commanded(m, command); ok {
		if t.Always || disarms(m, t) {
			return true
		}
		command = machine.ReadWord(m.Leaving(t.Name, origin).To)
	}
	name, isState, ok := m.Command(command)
	_, known := m.State(origin)
	return ok && isState && known && m.Lowers(origin, name)
}

func commanded(m *machine.Machine, command machine.Word) (machine.Transition, bool) {
	name, isState, ok := m.Command(command)
	if !ok || isState {
		return machine.Transition{}, false
	}
	return m.Transition(name)
}

// disarms reports whether a transition leads out of an armed state to its disarmed one.
func disarms(m *machine.Machine, t machine.Transition) bool {
	for _, s := range m.States {
		if d, ok := m.Disarm(s.Name); s.Armed.Any() && ok && d.Name == t.Name {
			return true
		}
	}
	return false
}
