package engine

import (
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Errors that nodes report of themselves (S6): at rest the machine reacts to them, and in a command they
// are the end of the node's step.

// nodeError is a sub-state that a node has reported, as the machine sees it.
type nodeError struct {
	node int
	kind network.SubState
	word string // empty: none
}

// on lists what the machine may react to, the first of which counts: the name of the sub-state, or else
// what it stands for. As with an error that a node announces, an optional node fails for itself alone.
func (ro *roster) on(e nodeError) []machine.On {
	list := []machine.On{{Event: machine.Reported, Word: e.word}}
	if ro.nodes[e.node].spec.Optional {
		return list
	}
	switch e.kind {
	case network.ExceptionState:
		list = append(list, machine.On{Event: machine.NodeError})
	case network.FatalState:
		list = append(list, machine.On{Event: machine.NodeFatal})
	}
	return list
}

// reactToReport notes the reaction to a sub-state that was reported at rest.
func (co *course) reactToReport(e nodeError) {
	name := co.nodes[e.node].spec.Name
	for _, on := range co.on(e) {
		if noted := co.noteReaction(on, name, name+" reported "+e.word); noted {
			return
		}
	}
}

// failReported takes an exception or fatal state that a required node reports while the network is on
// its way. It ends the step of the node, whatever its callback returns. Where a node that fails is
// passed over, and on a way back, it counts once the network has settled.
func (co *course) failReported(e nodeError) {
	w := co.work
	if co.nodes[e.node].spec.Optional || e.kind == network.RuntimeState || w.phase == adopting {
		return
	}
	if w.fault.reported.word == "" || e.kind == network.FatalState {
		w.fault.reported = e
	}
	if w.phase == forward && !w.fault.passes && !w.waits && !co.isDisarm(w.command) {
		co.fail(e.node, VerdictErrored, "reported "+e.word)
	}
}

// settledWithError notes the reaction to what a node has reported on the way to the present state.
func (co *course) settledWithError(w *work) {
	if w == nil || w.fault.reported.word == "" {
		return
	}
	if e := w.fault.reported; co.nodes[e.node].reading.reported.word != "" { // else its process has gone
		co.reactToReport(e)
	}
}

// afterReport returns how the network goes on after a failure to which a node's report belongs: by the
// reaction to it where the command had begun. What runs without a client gives way to a reaction that
// leads lower only, so these come to an end.
func (co *course) afterReport(after machine.Failed) machine.Failed {
	w := co.work
	e := w.fault.reported
	if end, _ := co.machine.State(after.Rest); e.word == "" || end.Final {
		return after
	}
	for _, on := range co.on(e) {
		list := co.machine.Autos(after.Rest, on, co.nodes[e.node].spec.Name)
		if len(list) == 0 {
			continue
		}
		do := list[0].Do
		to, _ := co.machine.Target(do, after.Rest)
		if do == w.command || w.byItself && (to == w.target || co.machine.Lower(to, w.target) != to) {
			return after
		}
		return co.machine.FailedThen(after.Rest, do)
	}
	return after
}
