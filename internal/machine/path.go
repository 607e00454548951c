package machine

// Path returns the commands that lead from one state to another: the fewest, and of as few the ones listed first. A
// path that is chosen here never passes through a state that arms or is final, a looping or hidden transition, or a
// state above both its ends; arming and ending are only ever its last step, because the caller named them as the goal.
// It starts a stepped loop only if the state to which it leads has one.
func (m *Machine) Path(from, to string) ([]string, bool) { return m.path(from, to, false) }

// PathThroughLoops is Path for an instance that starts no stepped loop on its way: it may pass through every state of
// a loop.
func (m *Machine) PathThroughLoops(from, to string) ([]string, bool) { return m.path(from, to, true) }

func (m *Machine) path(from, to string, loops bool) ([]string, bool) {
	if from == to {
		return nil, true
	}
	start, _ := m.State(from)
	goal, _ := m.State(to)
	ceiling := max(start.Level(), goal.Level())
	loops = loops || goal.Loop != NoLoop
	type mark struct{ command, before string }
	reached := map[string]mark{from: {}}
	for frontier := []string{from}; len(frontier) > 0; {
		var next []string
		for _, at := range frontier {
			here, _ := m.State(at)
			for _, t := range m.Transitions {
				end := t.target(at)
				there, known := m.State(end)
				if _, seen := reached[end]; !known || seen || t.Loop || t.Hidden || !t.starts(here) {
					continue
				}
				if end != to && !there.passable(here, ceiling, loops) {
					continue
				}
				reached[end] = mark{t.Name, at}
				next = append(next, end)
			}
		}
		frontier = next
		if _, ok := reached[to]; ok {
			break
		}
	}
	if _, ok := reached[to]; !ok {
		return nil, false
	}
	var path []string
	for at := to; at != from; at = reached[at].before {
		path = append([]string{reached[at].command}, path...)
	}
	return path, true
}

// passable reports whether a path may pass through the state, coming from another one.
func (s State) passable(from State, ceiling int, loops bool) bool {
	starts := s.Loop != NoLoop && from.Loop == NoLoop
	return !s.Armed.Any() && !s.Final && s.Level() <= ceiling && (loops || !starts)
}

// Repairs returns the command that leads to the state, preferring one that raises: it is the one that puts a network
// right which is no longer what its state says.
func (m *Machine) Repairs(state string) (Transition, bool) {
	var found Transition
	for _, t := range m.Transitions {
		if t.Always || t.Loop || t.Hidden {
			continue
		}
		for _, from := range t.From {
			if t.target(from) != state {
				continue
			}
			lowers := m.Lowers(from, state)
			t.To = state // also where the target depends on the origin
			if !lowers {
				return t, true
			}
			if found.Name == "" {
				found = t
			}
		}
	}
	return found, found.Name != ""
}

// WayUp returns the commands that lead from a state to the highest one in which nothing is armed and no stepped loop
// runs, and that state.
func (m *Machine) WayUp(from string) (path []string, to string) {
	best := State{Name: from}
	level := -1
	for _, s := range m.States {
		if s.Passing || s.Final || s.Armed.Any() || s.Loop != NoLoop || s.Level() <= level {
			continue
		}
		if way, leads := m.Path(from, s.Name); leads {
			best, level, path = s, s.Level(), way
		}
	}
	return path, best.Name
}

// WordsUp returns the goals by which a client brings a network from a state to the end of its way up: one that names
// the state, or else the commands, because a command comes before a state of its name.
func (m *Machine) WordsUp(from string) []string {
	path, to := m.WayUp(from)
	if word, named := m.namesState(to); named && len(path) > 0 {
		return []string{word}
	}
	return path
}

// Top returns the highest state in which nothing is armed; for most machines it is active.
func (m *Machine) Top() string {
	best, _ := m.State(m.Initial)
	for _, s := range m.States {
		if !s.Passing && !s.Final && !s.Armed.Any() && s.Level() > best.Level() {
			best = s
		}
	}
	return best.Name
}
