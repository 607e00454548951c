package simnet

import (
	"slices"
	"strconv"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/guards"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
)

// GuardState is what becomes of a guard.
type GuardState int

// The states of a guard. One that is deaf speaks, and hears nothing of the coordinator. One that ends does so in order,
// and is dead then.
const (
	GuardDead GuardState = iota
	GuardLives
	GuardFrozen
	GuardDeaf
	GuardEnds
)

// Guard is what becomes of a guard: it is started, killed, suspended, continued, told to end, or hears nothing.
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
	switch {
	case a.To == GuardLives && g.state == GuardEnds:
		g.again = true
		return
	case a.To == GuardLives && g.state == GuardDead:
		w.startGuard(g)
	case a.To == GuardEnds && g.state != GuardLives:
		return // it cannot end in order
	case a.To == GuardEnds:
		defer w.endGuard(g)
	}
	if g.state = a.To; g.state == GuardDead {
		g.process++
	}
	w.judgeGuards()
}

// guard is a program that disarms nodes which follow no lease, beside all nodes of the network. What it says is
// simulated, and how it ends: what it does when the coordinator is gone concerns no coordinator.
type guard struct {
	id       string
	state    GuardState
	process  uint64
	instance string // the run of the coordinator that it has heard of last
	newest   lease.Message
	list     []guards.Listed // as that run has shown it last
	term     uint64          // of the lease that it showed then
	leaving  guards.Leaving
	waits    bool          // for the run to show that it knows of the end
	tells    time.Duration // until then it says that it disarms
	again    bool          // it is started again when it has ended
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
	g.instance, g.newest, g.list, g.term, g.waits, g.tells = "", lease.Message{}, nil, 0, false, 0
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
	if g.state == GuardDead || g.state == GuardFrozen || w.chance(w.opt.Noise.Request) {
		return
	}
	word := guards.Word{ID: g.id, Follows: g.instance == w.brain.instance()}
	if g.newest.Term > 0 {
		word.Heard = []guards.Lease{{Term: g.newest.Term, Seq: g.newest.Seq}}
	}
	word.Calls = w.guardCalls(g)
	w.queue.push(w.now+w.latency(), func() { w.brain.take(letter{in: engine.GuardHeard{Word: word}}) })
}

// guardCalls lists what a guard says of its services.
func (w *World) guardCalls(g *guard) (list []guards.Call) {
	for _, n := range w.nodes {
		if !n.spec.Guardable() {
			continue
		}
		c := guards.Call{Service: n.spec.Arm.Service}
		switch {
		case w.now < g.tells:
			c.Fault = guards.DisarmsLast
		case g.state == GuardEnds:
			continue
		case len(n.living()) == 0:
			c.Fault = "it has no server"
		}
		list = append(list, c)
	}
	return list
}

// tellsGuard lets a guard hear of a run of the coordinator.
func (w *World) tellsGuard(g *guard, instance string) {
	if g.state == GuardDeaf || g.state == GuardFrozen || g.instance == instance {
		return
	}
	process := g.process
	w.queue.push(w.now+w.latency(), func() {
		if g.process == process && g.instance != instance {
			g.instance, g.newest, g.list, g.term = instance, lease.Message{}, nil, 0
			w.guardSpeaks(g)
		}
	})
}

// toldGuards lets every guard hear of this run, which it shows, and of the guards that it shows.
func (w *World) toldGuards() {
	if len(w.guards) == 0 {
		return
	}
	snap := w.brain.state.Snapshot()
	var list []guards.Listed
	for _, v := range snap.Guards {
		list = append(list, guards.Listed{ID: v.ID, Nodes: v.Nodes, Lives: v.Lives, Fault: v.Fault})
	}
	for _, g := range w.guards {
		instance, process := w.brain.instance(), g.process
		w.tellsGuard(g, instance)
		w.queue.push(w.now+w.opt.Latency.Max, func() { // in order
			if g.process == process && g.instance == instance && (g.state == GuardLives || g.state == GuardEnds) {
				g.list, g.term = list, snap.Lease.Term
				w.guardLeaves(g)
			}
		})
	}
}

// holds reports whether the lease holds that the guard has heard.
func (g *guard) holds() bool { return g.newest.Term > 0 && g.newest.Term == g.term }

// endGuard begins the end of a guard.
func (w *World) endGuard(g *guard) {
	calls := 0
	for _, n := range w.nodes {
		if n.spec.Guardable() && len(n.takers()) > 0 {
			calls++
		}
	}
	if g.leaving, g.waits = guards.Leave(g.id, g.list, calls); g.waits && g.holds() {
		process := g.process
		w.queue.push(w.now+guards.AnswerIn, func() {
			if g.process == process && g.waits {
				w.guardDisarms(g)
			}
		})
		w.guardSpeaks(g)
		return
	}
	if g.holds() {
		w.guardDisarms(g)
		return
	}
	w.guardIsGone(g)
}

// guardLeaves lets a guard that waits end, if it may by what it was shown.
func (w *World) guardLeaves(g *guard) {
	if g.waits && (!g.holds() || g.leaving.Relieved(g.list)) {
		w.guardIsGone(g)
	}
}

// guardIsGone is the end of a guard, with its last word.
func (w *World) guardIsGone(g *guard) {
	g.waits, g.tells = false, 0
	w.guardSpeaks(g)
	Guard{g.id, GuardDead}.act(w)
	if g.again {
		g.again = false
		Guard{g.id, GuardLives}.act(w)
	}
}

// guardDisarms lets a guard that ends ask every node that follows no lease to disarm.
func (w *World) guardDisarms(g *guard) {
	g.waits, g.tells = false, w.now+guards.ToldFor
	w.guardSpeaks(g)
	for _, n := range w.nodes {
		if !n.spec.Guardable() {
			continue
		}
		for _, p := range n.takers() { // no life of the coordinator gets the answer
			r := request{kind: 'a', life: ^uint64(0), guard: true, entry: &Call{At: w.now}}
			w.queue.push(w.now+w.latency(), func() { p.receive(r) })
		}
	}
	process := g.process
	w.queue.push(g.tells, func() {
		if g.process == process {
			w.guardIsGone(g)
		}
	})
}

// overruled looks whether a node is shown as armed that a guard has disarmed (A13).
func (c *checker) overruled(n *node) {
	w := c.world
	s := c.stateOf(w.brain.shown)
	slack := lostIn + 2*w.opt.Latency.Max
	if w.opt.Noise != (Noise{}) {
		slack += time.Second
	}
	if n.evidence == lifecycle.Finalized {
		return // such a node is not armed, whatever a guard asked of it
	}
	if shown := w.brain.published; n.spec.Optional && shown != nil && shown.Nodes[n.index].Armed == engine.Disarmed {
		return // the arming has left it out
	}
	if n.overruled >= 0 && w.net.Arms(s, n.index) && w.now-w.brain.held > max(n.overruled, w.brain.awake)+slack {
		c.fault("%s is shown, and a guard has disarmed %s at %v", w.brain.shown, n.spec.Name, n.overruled)
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
