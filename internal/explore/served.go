package explore

import "time"

// What must never be of leases and of processes that serve an arm.

// outlives looks whether a process is armed by a lease that has ended: at the latest so long after its newest message
// was sent as a proof is valid, and one transport time.
func (n *node) outlives(w *world) {
	for k := range n.procs {
		if p := &n.procs[k]; n.leased() && p.alive && p.armed && !p.frozen && w.now > n.leaseTill {
			w.violates("outlives its lease: %s is armed, and the newest message of its lease is too old", n.spec.Name)
		}
	}
}

// unservedFor is how long a network may be shown as armed after the process has ended that served the arm.
const unservedFor = 1500 * time.Millisecond

// looksServed looks whether a network is shown as armed although the process has ended that it had armed.
func (s *side) looksServed(w *world, n *node) {
	switch {
	case s.file.serve != instead || s.shown.State != "armed" || n.isArmed():
		n.unserved = 0
	case n.unserved == 0:
		n.unserved = w.now
	case w.now-n.unserved > unservedFor:
		w.violates("loss not noticed: %s is shown as armed, and the process that was armed has ended", n.spec.Name)
	}
}

// shows notes that an instance shows another state: what led it out of armed has ended what was decided on before, also
// at the other one when that hears of it. But what follows an order of the other one is no news there.
func (j *judge) shows(w *world, i int) {
	t, s := &j.sides[i], &w.sides[i]
	if was := t.shown; was == "armed" && s.shown.State != was {
		t.left = len(w.goals)
		if !j.stops || j.stopBy == i {
			t.told = t.left
		}
	}
	t.shown = s.shown.State
}
