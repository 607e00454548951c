package explore

// What a command is for the judge.
func armsCommand(command string) bool { return command == "arm" || command == "armed" }

// accepts notes an order.
func (j *judge) accepts(w *world, i int, handle string) {
	g := w.goalOf(handle)
	if g == nil {
		return
	}
	if g.answers > 0 {
		w.violates("answered twice: %s", g.command)
	}
	j.ordered(w, i, g)
}

// found notes that instance i finds the other one. What that was ordered while it was lost it tells now, if it has not
// ended since.
func (j *judge) found(w *world, i int) {
	if j.untold && other(i) == j.stopBy && w.links[i].met == w.sides[j.stopBy].instance() {
		j.untold = false
	}
}

// ordered notes an order that was answered. One that arms allows nothing if one that disarms was asked for later,
// even if that was answered before.
func (j *judge) ordered(w *world, i int, g *goal) {
	t := &j.sides[i]
	switch {
	case armsCommand(g.command) && g.number < t.stop:
	case armsCommand(g.command):
		j.orders++
		t.order, t.arms, j.stops = j.orders, true, false
		t.grant, t.by, t.used, t.turning, t.undone = true, g.handle, false, false, false
	default:
		j.orders++
		t.order, t.arms, t.stop = j.orders, false, g.number
		if !j.stops {
			j.stops, j.stopAt, j.stopBy = true, w.now, i
			j.bound = w.links[other(i)].met == w.sides[i].instance()
			j.untold = w.links[other(i)].known != w.sides[i].instance()
			j.heard, j.gone = false, false
		}
		turns := g.command == "disarm" && (t.grant || t.peer)
		t.void()
		t.turning, t.undo = turns, g.handle
	}
}
