package selftest

// loss is what liveliness events have shown of the test's own publisher. The zero value has seen none.
type loss struct {
	alive bool // an event has shown it alive
	Seen  bool // a later event has shown that it is not
}

// take takes the counts of an event. It returns true if the publisher has to publish once more, because it was lost
// before an event has shown it alive. That happens if the node is served late.
func (l *loss) take(alive, notAlive int) (again bool) {
	switch {
	case alive > 0:
		l.alive = true
	case notAlive == 0: // its end is no loss
	case l.alive:
		l.Seen = true
	default:
		return true
	}
	return false
}
