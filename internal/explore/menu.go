package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// lateBy is how late a message is: beyond the deadlines of arming and disarming.
const lateBy = 2500 * time.Millisecond

// deviation is one entry of the menu. It happens to a thing of some sort.
type deviation struct {
	name  string
	about string
	to    sort
	// may reports whether it can happen to that thing now.
	may func(w *world, t thing) bool
	do  func(w *world, t thing)
}

// sort is what a deviation happens to.
type sort uint8

const (
	toMessage sort = iota // a message that was just sent
	toNode
	toSide
	toWorld
)

// thing is what a deviation happens to now.
type thing struct {
	side, node int
	seq        uint64 // of the event, for a message
}

func (w *world) event(seq uint64) *event {
	return &w.queue[slices.IndexFunc(w.queue, func(e event) bool { return e.seq == seq })]
}

func (w *world) drop(seq uint64) {
	w.queue = slices.DeleteFunc(w.queue, func(e event) bool { return e.seq == seq })
}

// delay puts an event off.
func (w *world) delay(seq uint64, by time.Duration) {
	e := *w.event(seq)
	w.drop(seq)
	e.late = true
	w.plan(e.at-w.now+by, e)
}

func isAnswer(e *event) bool { return e.kind == evInput && e.req.life != 0 }
func isRequest(e *event) bool {
	return e.kind == evRequest
}

// menu lists the deviations.
var menu = slices.Concat(usualMenu, buttonMenu, guardMenu, pipeMenu, serverMenu)

// usualMenu lists those of nodes, clients, instances and wires.
var usualMenu = []deviation{
	{"request lost", "a request to a node does not arrive", toMessage,
		func(w *world, t thing) bool { return isRequest(w.event(t.seq)) },
		func(w *world, t thing) { w.drop(t.seq) }},
	{"refused", "the node answers no, and does nothing", toMessage,
		func(w *world, t thing) bool { e := w.event(t.seq); return isRequest(e) && e.req.what != reads },
		func(w *world, t thing) { w.event(t.seq).req.refuse = true }},
	{"error", "the node raises an error in its step, and handles it", toMessage,
		func(w *world, t thing) bool { e := w.event(t.seq); return isRequest(e) && e.req.what == moves },
		func(w *world, t thing) { w.event(t.seq).req.err = true }},
	{"slow", "the node needs 5 s to arm from now on, and disarms at once", toMessage,
		func(w *world, t thing) bool {
			e := w.event(t.seq)
			return isRequest(e) && e.req.what == arms && e.req.arm
		},
		func(w *world, t thing) { w.sides[t.side].nodes[t.node].slow = true }},
	{"answer lost", "an answer of a node does not arrive", toMessage,
		func(w *world, t thing) bool { return isAnswer(w.event(t.seq)) },
		func(w *world, t thing) { w.drop(t.seq) }},
	{"answer late", "an answer of a node comes 2.5 s later", toMessage,
		func(w *world, t thing) bool { return isAnswer(w.event(t.seq)) },
		func(w *world, t thing) { w.delay(t.seq, lateBy) }},
	{"answer twice", "an answer of a node comes again 0.3 s later", toMessage,
		func(w *world, t thing) bool { return isAnswer(w.event(t.seq)) },
		func(w *world, t thing) {
			e := *w.event(t.seq)
			e.late = true
			w.plan(e.at-w.now+300*time.Millisecond, e)
		}},
	{"message lost", "a message to a peer is lost, and sent again 0.2 s later unless there is a newer one", toMessage,
		func(w *world, t thing) bool { return w.event(t.seq).kind == evMessage },
		func(w *world, t thing) { w.delay(t.seq, 200*time.Millisecond) }},
	{"message late", "a message to a peer comes 2.5 s later", toMessage,
		func(w *world, t thing) bool { return w.event(t.seq).kind == evMessage },
		func(w *world, t thing) { w.delay(t.seq, lateBy) }},

	{"dies", "the process of the node ends", toNode, hasProcess,
		func(w *world, t thing) { w.die(t.side, t.node) }},
	{"respawns", "the process of the node ends, and another one starts 0.2 s later", toNode, hasProcess,
		func(w *world, t thing) {
			w.die(t.side, t.node)
			w.plan(200*time.Millisecond, birthOf(t, lifecycle.Unconfigured))
		}},
	{"is born", "a process of the node starts", toNode,
		func(w *world, t thing) bool { return w.sides[t.side].nodes[t.node].living() == nil },
		func(w *world, t thing) { w.plan(0, birthOf(t, lifecycle.Unconfigured)) }},
	{"is suspended", "the process of the node stands still", toNode, isAwake,
		func(w *world, t thing) { w.freeze(t) }},
	{"pauses", "the process of the node stands still for 3 s", toNode, isAwake,
		func(w *world, t thing) {
			p := w.freeze(t)
			w.plan(3*time.Second, event{kind: evThaw, side: t.side, node: t.node, epoch: p.epoch})
		}},
	{"goes on", "the suspended process of the node goes on", toNode,
		func(w *world, t thing) bool {
			p := w.sides[t.side].nodes[t.node].living()
			return p != nil && p.frozen
		},
		func(w *world, t thing) { w.thaw(t.side, t.node, w.sides[t.side].nodes[t.node].living().epoch) }},
	{"is deactivated", "another tool deactivates the node", toNode,
		func(w *world, t thing) bool {
			p := w.sides[t.side].nodes[t.node].living()
			return p != nil && !p.frozen && !p.busy && p.state == lifecycle.Active
		},
		func(w *world, t thing) {
			p := w.sides[t.side].nodes[t.node].living()
			w.enters(event{side: t.side, node: t.node}, p, lifecycle.Inactive)
		}},
	{"slows down", "the checked topic of the node comes at half its rate", toNode,
		func(w *world, t thing) bool { n := &w.sides[t.side].nodes[t.node]; return hasTopic(n) && n.share > 0.5 },
		func(w *world, t thing) { w.sides[t.side].nodes[t.node].share = 0.5 }},
	{"fails", "the checked service of the node says no", toNode,
		func(w *world, t thing) bool { n := &w.sides[t.side].nodes[t.node]; return hasService(n) && !n.fails },
		func(w *world, t thing) { w.sides[t.side].nodes[t.node].fails = true }},

	{"client arms", "another client sends armed", toSide, isUp,
		func(w *world, t thing) { w.ask(t.side, "armed", client{}) }},
	{"client disarms", "another client sends disarm", toSide, isUp,
		func(w *world, t thing) { w.ask(t.side, "disarm", client{}) }},
	{"client deactivates", "another client sends deactivate", toSide, isUp,
		func(w *world, t thing) { w.ask(t.side, "deactivate", client{}) }},
	{"client cancels", "the newest open goal is cancelled", toSide,
		func(w *world, t thing) bool { return isUp(w, t) && w.openGoal(t.side) != nil },
		func(w *world, t thing) {
			g := w.openGoal(t.side)
			w.tell("the client cancels %s", g.handle)
			w.deliver(t.side, engine.CancelAsked{Handle: g.handle})
		}},
	{"is late", "the loop of the daemon stands still for 0.6 s", toSide, isRunning,
		func(w *world, t thing) { w.stall(t.side, 600*time.Millisecond, true) }},
	{"stalls", "the process of the daemon stands still for 3 s", toSide, isRunning,
		func(w *world, t thing) { w.stall(t.side, 3*time.Second, false) }},
	{"is late before it arms", "the loop stands still for 3 s before the next request to arm leaves", toSide, isRunning,
		func(w *world, t thing) { w.sides[t.side].trap = trapLate }},
	{"stalls before it arms", "the process stands still for 3 s before the next request to arm leaves", toSide,
		isRunning,
		func(w *world, t thing) { w.sides[t.side].trap = trapStall }},
	{"restarts", "the daemon is killed and starts again 0.2 s later", toSide, isUp,
		func(w *world, t thing) { w.kill(t.side, 200*time.Millisecond) }},
	{"restarts without journal", "the same, and its journal is lost", toSide, isUp,
		func(w *world, t thing) { w.sides[t.side].blank = true; w.kill(t.side, 200*time.Millisecond) }},
	{"is killed", "the daemon of one of two instances is killed for good", toSide,
		func(w *world, t thing) bool { return len(w.sides) == 2 && isUp(w, t) },
		func(w *world, t thing) { w.kill(t.side, 0) }},
	{"its host ends", "the daemon of one of two instances and its nodes are killed for good", toSide,
		func(w *world, t thing) bool { return len(w.sides) == 2 && isUp(w, t) },
		func(w *world, t thing) {
			w.kill(t.side, 0)
			for k := range w.sides[t.side].nodes {
				w.die(t.side, k)
			}
		}},

	{"wire cut", "the two instances do not hear each other any more", toWorld,
		func(w *world, _ thing) bool { return len(w.sides) == 2 && !w.cut },
		func(w *world, _ thing) { w.parts() }},
	{"wire cut for 3 s", "the two instances do not hear each other for 3 s", toWorld,
		func(w *world, _ thing) bool { return len(w.sides) == 2 && !w.cut },
		func(w *world, _ thing) { w.parts(); w.plan(3*time.Second, event{kind: evHeal}) }},
	{"wire healed", "they hear each other again", toWorld,
		func(w *world, _ thing) bool { return w.cut },
		func(w *world, _ thing) { w.heals() }},
}

func hasProcess(w *world, t thing) bool { return w.sides[t.side].nodes[t.node].living() != nil }

func isAwake(w *world, t thing) bool {
	p := w.sides[t.side].nodes[t.node].living()
	return p != nil && !p.frozen
}

func isUp(w *world, t thing) bool { return w.sides[t.side].up }
func isRunning(w *world, t thing) bool {
	s := &w.sides[t.side]
	return s.up && !s.stalled && s.trap == noTrap
}

func hasTopic(n *node) bool {
	return len(n.spec.Checks) > 0 && n.spec.Checks[0].Topic != ""
}

func hasService(n *node) bool {
	k := len(n.spec.Checks)
	return k > 0 && n.spec.Checks[k-1].Service != ""
}

func birthOf(t thing, in lifecycle.State) event {
	return event{kind: evBorn, side: t.side, node: t.node, req: request{state: in}}
}

func (w *world) freeze(t thing) *proc {
	n := &w.sides[t.side].nodes[t.node]
	p := n.living()
	p.frozen = true
	w.tell("%s stands still", n.spec.Name)
	return p
}

func (w *world) openGoal(side int) *goal {
	for k := len(w.goals) - 1; k >= 0; k-- {
		if g := &w.goals[k]; g.side == side && g.accepted && g.results == 0 && !g.lost {
			return g
		}
	}
	return nil
}

// choice is a deviation of the menu and what it happens to.
type choice struct {
	deviation int
	thing
	key string // for a replay
}

// choices lists the deviations that are possible now. Messages are chosen among those of the newest turn.
func (w *world) choices(of which, list []choice) []choice {
	for d := range menu {
		if message := menu[d].to == toMessage; message && of == noMessages || !message && of == messagesOnly {
			continue
		}
		list = w.choicesOf(d, list)
	}
	return list
}

func (w *world) choicesOf(d int, list []choice) []choice {
	m := &menu[d]
	add := func(t thing, what string) {
		if m.may(w, t) {
			list = append(list, choice{d, t, m.name + what})
		}
	}
	switch m.to {
	case toWorld:
		add(thing{}, "")
	case toSide:
		for i := range w.sides {
			add(thing{side: i}, "@"+w.sides[i].file.name)
		}
	case toNode:
		for i := range w.sides {
			for n := range w.sides[i].nodes {
				add(thing{side: i, node: n}, "@"+w.sides[i].nodes[n].spec.Name)
			}
		}
	case toMessage:
		for k := len(w.queue) - 1; k >= 0; k-- {
			if e := &w.queue[k]; e.turn == w.turns && !e.late && (isRequest(e) || isAnswer(e) || e.kind == evMessage) {
				add(thing{e.side, e.node, e.seq}, "@"+w.nameOf(e))
			}
		}
	}
	return list
}

// nameOf names a message for a replay.
func (w *world) nameOf(e *event) string {
	s := &w.sides[e.side]
	if e.kind == evMessage {
		return s.file.name + "=" + [...]string{"change", "status"}[e.topic]
	}
	what := [...]string{"read", "move", "disarm", "check"}[e.req.what]
	switch {
	case e.req.what == moves:
		what = e.req.do.Label
	case e.req.what == arms && e.req.arm:
		what = "arm"
	}
	return s.nodes[e.node].spec.Name + "=" + what
}

// Menu lists the deviations for a person.
func Menu() string {
	var b strings.Builder
	for _, m := range menu {
		fmt.Fprintf(&b, "%-8s %-26s %s\n", [...]string{"message", "node", "instance", "wire"}[m.to], m.name, m.about)
	}
	return b.String()
}
