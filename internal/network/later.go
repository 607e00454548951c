package network

import (
	"rstate/internal/machine"
	"rstate/internal/strict"
)

// refuseLater refuses what the reader knows and this version does not act on (M3). It is the one place that does: a key
// of a node or of the network is removed here when the engine acts on it, one of a machine in machine.Later.
func refuseLater(f *file, built *machine.Built) {
	broken := f.root.Report().Count() > 0 // a machine that is broken may lack more than its file says
	if built == nil {
		return
	}
	preset := false
	for _, l := range built.Machine.Later() {
		at := placeOf(l, built)
		if preset = preset || !at.Given(); at.Given() {
			at.Later(l.What, l.Instead)
		}
	}
	if !preset || broken {
		return
	}
	at := f.root
	for _, v := range []strict.Value{f.source.Extends, f.machine} {
		if v.Given() {
			at = v
		}
	}
	name := built.Machine.Name
	if built.Machine.Base != "" {
		name = built.Machine.Base
	}
	at.Fault("the machine \""+name+"\" is not in this version yet", "there is "+strict.Or(machine.Offered()))
}

// placeOf is where a file writes what a machine has; not given if a preset brings it.
func placeOf(l machine.Lack, built *machine.Built) strict.Value {
	var at strict.Value
	switch {
	case l.State != "":
		at = built.States[l.State]
	case l.Transition != "":
		at = built.Transitions[l.Transition]
	case l.Key == "outcomes":
		return built.Outcomes
	default:
		for _, a := range built.Machine.Auto {
			if v := built.Auto[a]; v.Given() {
				return v
			}
		}
	}
	if !at.Given() || !at.IsMap() || !at.Has(l.Key) {
		return strict.Value{}
	}
	return at.KeyOf(l.Key)
}
