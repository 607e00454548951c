package client

import (
	"time"

	"rstate/internal/machine"
	"rstate/internal/patient"
)

// SeenWithin is the default of Goal.Within.
const SeenWithin = 2 * time.Second * patient.Factor

// age returns how long ago a time was. The monotonic clock does not count the time in which the machine was suspended,
// and the wall clock may have been set back, so the longer one counts.
func age(at, now time.Time) time.Duration { return max(now.Sub(at), now.Round(0).Sub(at.Round(0))) }

// tooLate reports whether what a client has first read so long after its person asked is nothing to arm on.
func tooLate(waited, within time.Duration) bool { return waited > within }

// mayArm reports whether a goal can arm a node. Without the daemon's machine (nil), every goal can that does not lower.
func mayArm(m *machine.Machine, command machine.Word) bool {
	if m == nil {
		return !lowers(nil, "", command)
	}
	return m.Arms(command)
}

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
