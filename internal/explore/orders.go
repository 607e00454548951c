package explore

import "time"

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
	case armsCommand(g.command) && t.outdated(g):
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

// buried reports whether the newest order to disarm was known to an instance that has ended, and to no other.
func (j *judge) buried() bool { return j.gone && !j.heard }

// tellsSince is the time from which side i can have heard the newest order to disarm. There is none while only the
// instance that took it knows it and stands still, which tells nothing.
func (j *judge) tellsSince(w *world, i int) (since time.Duration, tells bool) {
	from := &w.sides[j.stopBy]
	if i == j.stopBy || j.heard {
		return j.stopAt, true
	}
	return max(j.stopAt, from.awake), !from.stalled
}

// staysArmed looks whether an armed node has to be disarmed by an order by now.
func (j *judge) staysArmed(w *world, i int, n *node) {
	if t := &j.sides[i]; !j.stops || w.cut || t.turning && t.undone { // undone: it leads back to armed
		return
	}
	since, tells := j.tellsSince(w, i)
	if !tells || i != j.stopBy && (!j.bound || j.untold || j.buried()) {
		return
	}
	late := w.now > max(since, w.last)+stopIn && w.now-n.disarmSent > askedIn && !n.settles(w)
	if late && !n.stuck() {
		w.violates("stop without effect: %s stays armed after a disarm was asked for", n.spec.Name)
	}
}

// mayRestArmed reports whether the last order that a side can know was to arm.
func (j *judge) mayRestArmed(w *world, i int) bool {
	arms := j.sides[i].arms
	if len(w.sides) == 2 && !w.cut {
		o := &j.sides[other(i)]
		if o.order > j.sides[i].order && (o.arms || j.bound && !j.untold && !j.buried()) {
			arms = o.arms
		}
	}
	return arms
}

// restsDisarmed looks whether what was ordered last is so in the end.
func (j *judge) restsDisarmed(w *world, i int) {
	s := &w.sides[i]
	if !s.up || s.stalled {
		return
	}
	arms := j.mayRestArmed(w, i)
	for k := range s.nodes {
		n := &s.nodes[k]
		switch {
		case !n.isArmed() || n.stuck() || arms:
		case !n.refuses():
			w.violates("armed in the end: %s is armed, and the last order was to disarm", n.spec.Name)
		case w.now-n.disarmSent > askedIn:
			w.violates("given up: %s refuses to disarm, and is not asked any more", n.spec.Name)
		}
	}
}
