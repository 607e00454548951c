package machine

// Meet returns the state that two sides take which went to a and to b at once: the highest one that
// is nowhere above either, compared node by node. If one of the two is nowhere above the other,
// that is it. Else it is another state in which a network can go on, and the first listed of
// several. It does not depend on the order of a and b. ok is false if there is no such state: then
// neither side can go to the other without raising a node.
func (m *Machine) Meet(a, b string) (state string, ok bool) {
	x, known := m.State(a)
	y, too := m.State(b)
	switch {
	case !known || !too:
		return "", false
	case !y.above(x) && !x.above(y):
		return m.first(x, y), true
	case !y.above(x):
		return b, true
	case !x.above(y):
		return a, true
	}
	best, ok := State{}, false
	for _, s := range m.States {
		// A final state ends the network, and as_is asks nothing of its nodes: no side has asked
		// for either.
		if s.Passing || s.Final || s.Nodes.AsIs || s.above(x) || s.above(y) {
			continue
		}
		if !ok || s.Level() > best.Level() || s.Level() == best.Level() && s.above(best) && !best.above(s) {
			best, ok = s, true
		}
	}
	return best.Name, ok
}

// first returns the one of two states, neither of which is above the other, that both sides choose:
// the one of the lower level, else the one listed first.
func (m *Machine) first(x, y State) string {
	if x.Level() != y.Level() {
		if y.Level() < x.Level() {
			return y.Name
		}
		return x.Name
	}
	for _, s := range m.States {
		if s.Name == x.Name || s.Name == y.Name {
			return s.Name
		}
	}
	return x.Name
}
