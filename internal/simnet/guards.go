package simnet

import (
	"slices"
	"strconv"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/guards"
	"rstate/internal/lease"
)

// GuardState is what becomes of a guard.
type GuardState int

// The states of a guard. One that is deaf speaks, and hears nothing of the coordinator.
const (
	GuardDead GuardState = iota
	GuardLives
	GuardFrozen
	GuardDeaf
)

// Guard is what becomes of a guard: it is started, killed, suspended, continued, or hears nothing.
type Guard struct {
	ID string
	To GuardState
}

func (a Guard) act(w *World) {
	k := slices.IndexFunc(w.guards, func(g *guard) bool { return g.id == a.ID })
	if k < 0 {
		k = len(w.guards)
		w.guards = append(w.guards, &guard{id: a.ID})
	}
	g := w.guards[k]
	if a.To == GuardLives && g.state == GuardDead {
		w.startGuard(g)
	}
	if g.state = a.To; g.state == GuardDead {
		g.process++
	}
	w.judgeGuards()
}

// guard is a program that disarms nodes which follow no lease, beside all nodes of the network. Only what it
// says is simulated: what it does when the coordinator is gone concerns no coordinator.
type guard struct {
	id       string
	state    GuardState
	process  uint64
	instance string // the run of the coordinator that it has heard of last
	newest   lease.Message
}

func (w *World) openGuards() {
	w.guardless = 0
	for k := range w.opt.Guards {
		id := "guard " + strconv.Itoa(k+1)
		w.queue.push(0, func() { Guard{id, GuardLives}.act(w) })
	}
}

func (w *World) startGuard(g *guard) {
	g.process++
	g.instance, g.newest = "", lease.Message{}
	if w.brain.up { // the state is latched
		w.tellsGuard(g, w.brain.instance())
	}
	process := g.process
	w.queue.push(w.now+w.latency(), func() { w.guardTurns(g, process) })
}

// guardTurns is one turn of a guard's loop, ten times a second.
func (w *World) guardTurns(g *guard, process uint64) {
	if g.process != process {
		return
	}
	w.guardSpeaks(g)
	w.queue.push(w.now+guards.Every, func() { w.guardTurns(g, process) })
}

// guardSpeaks sends the word of a guard; it may get lost.
func (w *World) guardSpeaks(g *guard) {
	if g.state != GuardLives && g.state != GuardDeaf || w.chance(w.opt.Noise.Request) {
		return
	}
	word := guards.Word{ID: g.id, Follows: g.instance == w.brain.instance()}
	if g.newest.Term > 0 {
		word.Heard = []guards.Lease{{Term: g.newest.Term, Seq: g.newest.Seq}}
	}
	for _, n := range w.nodes {
		if !n.spec.Guardable() {
			continue
		}
		c := guards.Call{Service: n.spec.Arm.Service}
		if len(n.living()) == 0 {
			c.Fault = "it has no server"
		}
		word.Calls = append(word.Calls, c)
	}
	w.queue.push(w.now+w.latency(), func() { w.brain.take(letter{in: engine.GuardHeard{Word: word}}) })
}

// tellsGuard lets a guard hear of a run of the coordinator.
func (w *World) tellsGuard(g *guard, instance string) {
	if g.state == GuardDeaf || g.state == GuardFrozen || g.instance == instance {
		return
	}
	process := g.process
	w.queue.push(w.now+w.latency(), func() {
		if g.process == process && g.instance != instance {
			g.instance, g.newest = instance, lease.Message{}
			w.guardSpeaks(g)
		}
	})
}

// toldGuards lets every guard hear of this run, which it shows.
func (w *World) toldGuards() {
	for _, g := range w.guards {
		w.tellsGuard(g, w.brain.instance())
	}
}

// leasedGuards puts a message of the lease on its way to the guards.
func (w *World) leasedGuards(m lease.Message) {
	for _, g := range w.guards {
		if g.state != GuardLives || w.chance(w.opt.Noise.Request) {
			continue
		}
		process := g.process
		w.queue.push(w.now+w.latency(), func() {
			anew := m.Term > g.newest.Term
			if g.process == process && m.Instance == g.instance && (anew || m.Term == g.newest.Term && m.Seq > g.newest.Seq) {
				if g.newest = m; anew {
					w.guardSpeaks(g)
				}
			}
		})
	}
}

// judgeGuards notes since when no guard lives that hears the coordinator.
func (w *World) judgeGuards() {
	lives := slices.ContainsFunc(w.guards, func(g *guard) bool { return g.state == GuardLives })
	w.guardless = w.since(!lives, w.guardless)
}

// lostIn is when the coordinator has noticed at the latest that a guard is gone, beside what the world may delay.
const lostIn = guards.Silent + 2*guards.Every

// unguarded looks whether a node is armed, or stays armed, for which a guard is required that has been gone for
// too long (A13).
func (c *checker) unguarded(n *node, what string) {
	w := c.world
	slack := 2 * w.opt.Latency.Max
	if w.opt.Noise != (Noise{}) {
		slack += time.Second
	}
	if n.spec.Guardable() && w.net.Arming.Guard == "required" && w.guardless >= 0 &&
		w.now-w.brain.held > max(w.guardless, w.brain.awake)+lostIn+slack {
		c.fault("%s is %s, and no guard has lived since %v", n.spec.Name, what, w.guardless)
	}
}
