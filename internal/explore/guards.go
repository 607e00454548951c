package explore

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/guards"
	"rstate/internal/lease"
)

// Guards: processes that say ten times a second what they hear of an instance and what they can call. What they do when
// the instance is gone is not explored.

const (
	// lostIn is when an instance has noticed that a guard is lost, and has asked its nodes to disarm.
	lostIn = guards.Silent + 2*guards.Every
	// suspendedFor is longer than a guard may be silent.
	suspendedFor = time.Second
)

// guard is one guard of an instance in truth.
type guard struct {
	life      int // counts its processes
	alive     bool
	frozen    bool
	deaf      bool
	run       uint64 // the life of the daemon that it follows
	term, seq uint64 // the newest message of that life's lease that it has heard
	link      pipe
}

// watches reports whether the guard speaks, and hears the instance.
func (g *guard) watches() bool { return g.alive && !g.frozen && !g.deaf }

// startGuard starts a process of guard k of an instance.
func (w *world) startGuard(i, k int) {
	g := &w.sides[i].guards[k]
	*g = guard{life: g.life + 1, alive: true}
	w.plan(0, event{kind: evGuard, side: i, node: k, epoch: uint64(g.life)})
}

// guardTurns is one turn of a guard.
func (w *world) guardTurns(e event) {
	s := &w.sides[e.side]
	g := &s.guards[e.node]
	if !g.alive || g.life != int(e.epoch) {
		return
	}
	if s.up && g.watches() && g.run != s.life { // the state of the instance is latched
		g.run, g.term, g.seq = s.life, 0, 0
	}
	w.guardSpeaks(e.side, e.node)
	w.plan(guards.Every, event{kind: evGuard, side: e.side, node: e.node, epoch: e.epoch})
}

func (w *world) guardSpeaks(i, k int) {
	s := &w.sides[i]
	g := &s.guards[k]
	if !g.alive || g.frozen {
		return
	}
	word := guards.Word{ID: fmt.Sprintf("guard %d.%d", k, g.life), Follows: g.run == s.life}
	if g.term > 0 {
		word.Heard = []guards.Lease{{Term: g.term, Seq: g.seq}}
	}
	for n := range s.nodes {
		if o := &s.nodes[n]; o.spec.Guardable() {
			call := guards.Call{Service: o.spec.Arm.Service}
			if o.living() == nil {
				call.Fault = "it has no server"
			}
			word.Calls = append(word.Calls, call)
		}
	}
	w.plan(hop, event{kind: evInput, side: i, node: k, life: s.life, by: byGuard, in: engine.GuardHeard{Word: word}})
}

// guardsHear lets the guards of an instance hear a message of its lease. One that hears a new lease says so at once.
func (w *world) guardsHear(i int, m lease.Message) {
	s := &w.sides[i]
	for k := range s.guards {
		g := &s.guards[k]
		if !g.watches() || g.run != s.life || g.link.down {
			continue
		}
		anew := g.term != m.Term
		if g.term, g.seq = m.Term, m.Seq; anew {
			w.guardSpeaks(i, k)
		}
	}
}

// guardReturns starts a guard that has died, and continues one that is suspended or hears nothing.
func (w *world) guardReturns(i, k int) {
	g := &w.sides[i].guards[k]
	w.tell("guard %d of %s is back", k, w.sides[i].file.name)
	if !g.alive {
		w.startGuard(i, k)
		return
	}
	g.frozen, g.deaf = false, false
}

// guardThaws continues a guard that was suspended for a while.
func (w *world) guardThaws(e event) {
	if g := &w.sides[e.side].guards[e.node]; g.alive && g.life == int(e.epoch) && g.frozen {
		w.guardReturns(e.side, e.node)
	}
}

// guardFails lets something happen to the first guard of an instance that is well.
func (w *world) guardFails(i int, how string, do func(g *guard)) (k int) {
	s := &w.sides[i]
	k = slices.IndexFunc(s.guards, func(g guard) bool { return g.watches() })
	w.tell("guard %d of %s %s", k, s.file.name, how)
	do(&s.guards[k])
	return k
}

// looksForGuards notes since when no guard of an instance lives that hears it.
func (t *truth) looksForGuards(w *world, s *side) {
	well := slices.ContainsFunc(s.guards, func(g guard) bool { return g.watches() })
	switch {
	case len(s.guards) == 0 || well:
		t.guardless = 0
	case t.guardless == 0:
		t.guardless = w.now
	}
}

// armsUnguarded judges a request that arms: none leaves after the last guard has been lost for too long. One that
// hears nothing is lost when a message of the lease after the newest that it has heard is old.
func (t *truth) armsUnguarded(w *world, n *node) {
	if n.spec.Guardable() && t.guardless > 0 && w.now > t.guardless+guards.Silent+guards.Every+2*hop {
		w.violates("armed unguarded: %s is asked to arm, and no guard lives", n.spec.Name)
	}
}

// staysGuarded looks whether an armed node without a guard is being disarmed.
func (j *judge) staysGuarded(w *world, i int, n *node) {
	t, s := &j.sides[i], &w.sides[i]
	if !n.spec.Guardable() || t.guardless == 0 || n.stuck() || n.settles(w) {
		return
	}
	if w.now > max(t.guardless, s.awake, n.armedSince)+lostIn && w.now-n.disarmSent > askedIn {
		w.violates("armed without a guard: %s stays armed after the last guard was lost", n.spec.Name)
	}
}

func guardIs(is func(g *guard) bool) func(*world, thing) bool {
	return func(w *world, t thing) bool {
		return slices.ContainsFunc(w.sides[t.side].guards, func(g guard) bool { return is(&g) })
	}
}

// guardMenu lists the deviations of guards. Those that are bad happen to the first guard that is well.
var guardMenu = []deviation{
	{"guard killed", "a guard is killed", toSide, guardIs((*guard).watches),
		func(w *world, t thing) { w.guardFails(t.side, "dies", func(g *guard) { g.alive = false }) }},
	{"guard suspended", "a guard is suspended", toSide, guardIs((*guard).watches),
		func(w *world, t thing) { w.guardFails(t.side, "is suspended", func(g *guard) { g.frozen = true }) }},
	{"guard suspended for 1 s", "a guard is suspended for 1 s", toSide, guardIs((*guard).watches),
		func(w *world, t thing) {
			k := w.guardFails(t.side, "is suspended for 1 s", func(g *guard) { g.frozen = true })
			w.plan(suspendedFor, event{kind: evGuardThaw, side: t.side, node: k, epoch: uint64(w.sides[t.side].guards[k].life)})
		}},
	{"guard deaf", "a guard speaks, and hears nothing of the instance any more", toSide, guardIs((*guard).watches),
		func(w *world, t thing) {
			w.guardFails(t.side, "hears nothing any more", func(g *guard) { g.deaf = true })
		}},
	{"guard back", "the first guard that was lost starts or goes on", toSide,
		guardIs(func(g *guard) bool { return !g.watches() }),
		func(w *world, t thing) {
			w.guardReturns(t.side, slices.IndexFunc(w.sides[t.side].guards, func(g guard) bool { return !g.watches() }))
		}},
}
