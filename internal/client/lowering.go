package client

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
		t, ok := m.Commanded(command)
		return ok && (t.Always || m.Disarms(t.Name))
	}
	if t, ok := m.Commanded(command); ok {
		if t.Always || m.Disarms(t.Name) {
			return true
		}
		command = machine.ReadWord(m.Leaving(t.Name, origin).To)
	}
	name, isState, ok := m.Command(command)
	_, known := m.State(origin)
	return ok && isState && known && m.Lowers(origin, name)
}
