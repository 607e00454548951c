package machine

import "slices"

// target is the state to which the transition leads from the origin; empty if the transition names none.
func (t Transition) target(origin string) string {
	if len(t.Ends) == 0 && t.Else == "" {
		return t.To
	}
	for _, e := range t.Ends {
		if e.From == origin {
			return e.To
		}
	}
	return t.Else
}

// targets lists every state to which the transition can lead, each once.
func (t Transition) targets() []string {
	var list []string
	add := func(to string) {
		if to != "" && !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	add(t.To)
	for _, e := range t.Ends {
		add(e.To)
	}
	add(t.Else)
	return list
}

// byOrigin reports whether the target of the transition depends on the origin.
func (t Transition) byOrigin() bool { return len(t.Ends) > 0 || t.Else != "" }

// starts reports whether the transition can be started in a network that rests in the state.
func (t Transition) starts(from State) bool {
	if from.Final || from.Passing {
		return t.Always && !from.Final
	}
	return t.Always || slices.Contains(t.From, from.Name)
}

// applies reports whether the transition can run with the origin: at rest as starts says, and a transition that
// preempts also from every other origin, because it can interrupt what left that origin.
func (t Transition) applies(origin State) bool {
	return t.starts(origin) || t.Preempts && !origin.Final && !origin.Passing
}

// Target returns the state to which a command leads from the origin, which is the state in which the network had
// settled last, or Unknown. It returns false if the command can neither start nor interrupt anything there. Whether the
// command is legal now is the judge's to say.
func (m *Machine) Target(command, origin string) (string, bool) {
	t, ok := m.Transition(command)
	from, _ := m.State(origin)
	if !ok || !t.applies(from) {
		return "", false
	}
	to := t.target(origin)
	return to, to != ""
}

// Repeats reports whether a command is ignored in a resting state: it leads there from another one, and cannot
// start in it. A machine that rejects repeats has none.
func (m *Machine) Repeats(command, state string) bool {
	t, ok := m.Transition(command)
	here, _ := m.State(state)
	return ok && m.Repeat == Ignore && slices.Contains(t.targets(), state) && !t.starts(here)
}

// Leaving returns a command with the target that it has from the origin.
func (m *Machine) Leaving(command, origin string) Transition {
	t, _ := m.Transition(command)
	if to, ok := m.Target(command, origin); ok {
		t.To = to
	}
	return t
}

// Targets lists every state to which a command can lead, each once, in file order.
func (m *Machine) Targets(command string) []string {
	t, _ := m.Transition(command)
	return t.targets()
}

// Ends reports whether a command leads to a final state from the origin.
func (m *Machine) Ends(command, origin string) bool {
	to, ok := m.Target(command, origin)
	s, _ := m.State(to)
	return ok && s.Final
}

// CanEnd reports whether a command leads to a final state from any origin.
func (m *Machine) CanEnd(command string) bool {
	return slices.ContainsFunc(m.Targets(command), func(to string) bool {
		s, _ := m.State(to)
		return s.Final
	})
}

// Interrupts reports whether a command may interrupt the running one, which left the origin. Shutdown interrupts
// everything but itself. A command that preempts interrupts neither shutdown nor a disarm, nor a command that leads to
// the same state or to a lower level, so an interruption never makes a network end higher.
func (m *Machine) Interrupts(command, running, origin string) bool {
	t, known := m.Transition(command)
	r, runs := m.Transition(running)
	if !known || !runs || command == running || r.Always {
		return false
	}
	if t.Always {
		return true
	}
	if !t.Preempts || m.Disarms(running) {
		return false
	}
	to, ok := m.Target(command, origin)
	other, _ := m.Target(running, origin)
	return ok && to != other && m.Level(to) <= m.Level(other)
}

// Disarms reports whether the command leads from an armed state to its disarmed one.
func (m *Machine) Disarms(command string) bool {
	return slices.ContainsFunc(m.States, func(s State) bool {
		t, ok := m.Disarm(s.Name)
		return s.Armed.Any() && ok && t.Name == command
	})
}

// Arms reports whether a word, as a command or a goal, can arm a node from any state.
func (m *Machine) Arms(asked Word) bool {
	name, isState, ok := m.Command(asked)
	if !ok {
		return false
	}
	ends := []string{name}
	if !isState {
		ends = m.Targets(name)
	}
	return slices.ContainsFunc(ends, func(end string) bool {
		s, _ := m.State(end)
		return s.Armed.Any()
	})
}

// Arrives reports whether a command always arrives from the origin: a node that fails is tried once and passed over.
func (m *Machine) Arrives(command, origin string) bool {
	t, ok := m.Transition(command)
	return ok && (t.Always || t.Arrives.Always || slices.Contains(t.Arrives.From, origin))
}

// Adopted returns the state that a start, a stall, a mirror or catching up takes where it would take this one.
func (m *Machine) Adopted(state string) string {
	if s, ok := m.State(state); ok && s.AdoptAs != "" {
		return s.AdoptAs
	}
	return state
}

// AfterLoop reports whether a network in the state has run a stepped loop: the state stands for one with a loop, and
// no way leads to it without one.
func (m *Machine) AfterLoop(state string) bool {
	_, leads := m.Path(m.Initial, state)
	return !leads && slices.ContainsFunc(m.States, func(s State) bool { return s.Loop != NoLoop && s.AdoptAs == state })
}

// Adoptable reports whether a start may conclude from the states of the nodes that the network is in this state. The
// nodes of an armed state may no longer be armed, a finalized node is gone, and every node fits as_is.
func (s State) Adoptable() bool {
	return !s.Passing && !s.Final && !s.Armed.Any() && !s.Nodes.AsIs
}
