package machine

import (
	"slices"

	"rstate/internal/lifecycle"
	"rstate/internal/strict"
)

// YAML is the machine with everything that it extends filled in. It reads back to a machine of the same hash. A preset
// that it extends is still named, since only what extends one may have the ids of lifecycle_msgs.
func (m *Machine) YAML() string { return strict.Print(m.Written()) }

// Written is the same, to be part of another file.
func (m *Machine) Written() strict.Written {
	extends := m.Base
	if extends == "" {
		extends = m.Name
	}
	if !slices.Contains(Presets(), extends) {
		extends = ""
	}
	name := m.Name
	if !isName(name) { // it came from a file's name, or follows from what is extended
		name = ""
	}
	var states, transitions []strict.Pair
	for _, s := range m.States {
		states = append(states, strict.Pair{Key: s.Name, Value: s.written()})
	}
	for _, t := range m.Transitions {
		transitions = append(transitions, strict.Pair{Key: t.Name, Value: t.written()})
	}
	return strict.Map(
		strict.Pair{Key: "name", Value: strict.Word(name)},
		strict.Pair{Key: "extends", Value: strict.Word(extends)},
		strict.Pair{Key: "initial", Value: strict.Word(m.Initial)},
		strict.Pair{Key: "error", Value: strict.Word(m.Error)},
		strict.Pair{Key: "repeat", Value: strict.Word(string(m.Repeat))},
		strict.Pair{Key: "tells", Value: strict.Word(string(m.Tells))},
		strict.Pair{Key: "simulation_folder", Value: strict.Word(m.Folder)},
		strict.Pair{Key: "states", Value: strict.Map(states...)},
		strict.Pair{Key: "transitions", Value: strict.Map(transitions...)},
		strict.Pair{Key: "auto", Value: m.writtenAuto()},
		strict.Pair{Key: "outcomes", Value: m.writtenOutcomes()},
	)
}

func (m *Machine) writtenAuto() strict.Written {
	if len(m.Auto) == 0 {
		return nil
	}
	var list []strict.Written
	for _, a := range m.Auto {
		list = append(list, strict.Mapping(autoFields(),
			&autoText{in: []string{a.In}, on: a.On, from: a.From, do: a.Do}))
	}
	return strict.Writtens(list)
}

func (m *Machine) writtenOutcomes() strict.Written {
	if len(m.Outcomes) == 0 {
		return nil
	}
	var pairs []strict.Pair
	for _, o := range m.Outcomes {
		pairs = append(pairs, strict.Pair{Key: o.Name, Value: strict.Number(o.Exit)})
	}
	return strict.Map(pairs...)
}

// written leaves out what a state that is only passed through must not have.
func (s State) written() strict.Written {
	pairs := strict.Pairs(stateFields(), &s)
	if s.Passing {
		pairs = slices.DeleteFunc(pairs, func(p strict.Pair) bool { return p.Key != "transition" && p.Key != "id" })
	}
	return strict.Map(pairs...)
}

func (t Transition) written() strict.Written {
	pairs := strict.Pairs(transitionFields(), &t)
	if t.Always {
		pairs[0].Value = strict.Word("any")
	}
	return strict.Map(pairs...)
}

func writeWant(w Want) strict.Written {
	if w.AsIs {
		return strict.Word(asIs)
	}
	rest := strict.Word("")
	if w.Others != lifecycle.Unknown {
		rest = strict.Word(w.Others.String())
	}
	if len(w.Groups) == 0 {
		return rest
	}
	var pairs []strict.Pair
	for _, g := range w.Groups {
		pairs = append(pairs, strict.Pair{Key: g.Group, Value: strict.Word(g.State.String())})
	}
	return strict.Map(append(pairs, strict.Pair{Key: others, Value: rest})...)
}

func writeArmed(a Armed) strict.Written {
	switch {
	case a.All:
		return strict.Yes()
	case len(a.Groups) > 0:
		return strict.Words(a.Groups)
	}
	return nil
}
