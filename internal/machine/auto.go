package machine

import "slices"

// Event is what a machine can react to without a command.
type Event string

// The events.
const (
	Settled    Event = "settled"     // a command has committed in the state; a return after a failure does not count
	LoopIdle   Event = "loop_idle"   // the stepped loop has stopped
	Made       Event = "made"        // a factory has made the simulation: a client has asked for it, so this may raise
	NodeError  Event = "node_error"  // a node erred, or reported one of its exception_states
	NodeFatal  Event = "node_fatal"  // a node reported one of its fatal_states
	NodeReborn Event = "node_reborn" // a new process of a lost node is there
	Reported   Event = "report"      // a node reported the sub-state On.Word
)

// On is what a reaction waits for.
type On struct {
	Event Event
	Word  string // with Reported
}

// Auto is one reaction: in the state In, the event On of the node From runs the command Do. It never raises, except
// for Made.
type Auto struct {
	In   string
	On   On
	From string // empty: every node
	Do   string
}

// Autos returns the reactions to an event of a node in a state, in file order; the first one is the one to run. Events
// of the network itself (Settled, LoopIdle, Made) have no node.
func (m *Machine) Autos(state string, on On, node string) []Auto {
	var list []Auto
	for _, a := range m.Auto {
		if a.In == state && a.On == on && (a.From == "" || a.From == node) {
			list = append(list, a)
		}
	}
	return list
}

// same reports whether two reactions wait for the same.
func (a Auto) same(o Auto) bool { return a.In == o.In && a.On == o.On && a.From == o.From }

// react puts the reactions of a file before those of the machine that it extends, without the ones that they replace.
func react(own, inherited []Auto) []Auto {
	list := slices.Clone(own)
	for _, a := range inherited {
		if !slices.ContainsFunc(own, a.same) {
			list = append(list, a)
		}
	}
	return list
}
