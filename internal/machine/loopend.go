package machine

import (
	"fmt"
	"slices"

	"rstate/internal/strict"
)

// LoopEnd is how a stepped loop has ended, or is to end.
type LoopEnd string

// The ends of a stepped loop.
const (
	AfterPause   LoopEnd = "pause"   // it was interrupted
	AfterReset   LoopEnd = "reset"   // it begins anew
	AfterSucceed LoopEnd = "succeed" // it is done, well
	AfterStop    LoopEnd = "stop"    // it is done, without a judgement
	AfterFail    LoopEnd = "fail"    // it is done, for a fault
	AfterAbort   LoopEnd = "abort"   // it was ended at once, for a fault that cannot be repaired
)

var loopEnds = []LoopEnd{AfterPause, AfterReset, AfterSucceed, AfterStop, AfterFail, AfterAbort}

// CommandAfter returns the command that follows the end of a loop: the one whose key `after` names that end, or else
// the one with the name of the end. It is empty if there is none.
func (m *Machine) CommandAfter(end LoopEnd) string {
	i := slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.After == end })
	if i < 0 {
		i = slices.IndexFunc(m.Transitions, func(t Transition) bool { return t.Name == string(end) && t.After == "" })
	}
	if i < 0 || end == "" {
		return ""
	}
	return m.Transitions[i].Name
}

// EndOf returns the end of a loop that the command follows; empty: none.
func (m *Machine) EndOf(command string) LoopEnd {
	for _, end := range loopEnds {
		if command != "" && m.CommandAfter(end) == command {
			return end
		}
	}
	return ""
}

// after checks that no two commands follow the same end of a loop.
func (c *check) after(t Transition, own strict.Value) {
	for _, o := range c.Machine.Transitions {
		if t.After != "" && o.Name != t.Name && o.After == t.After {
			c.place(find(own, "after"), own).Fault(fmt.Sprintf("%s follows the end %s of a loop, and so does %s: one of them never runs", t.Name, t.After, o.Name), "remove one of the two")
			return
		}
	}
}
