package explore

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
)

// Links that keep messages: the one of the client, that of each node, that of each stop button and that of each guard.
// A link that is down loses nothing for a while. When it returns, what waited arrives in order, at once or one message
// a cycle of the receiver.

const (
	// keeps is how long a link keeps a message.
	keeps = 30 * time.Second
	// cutFor is longer than the deadlines of arming and disarming, and a lease, together.
	cutFor = 5 * time.Second
	// cycle is how long a receiver takes for a message that takes one at a time: a little less than a sender of the lease.
	cycle = 90 * time.Millisecond
)

// via says which link an event comes by.
type via uint8

const (
	byNone   via = iota // it happens where it is noticed
	byNode              // what a node and its daemon say to each other
	byButton            // what a stop button says
	byGuard             // what a guard says
	byClient            // what the client of the day asks for, which is not at the robot
)

// pipe is a link.
type pipe struct {
	down bool
	slow bool // it has returned, and its receiver takes one message a cycle
	kept []event
}

func (p *pipe) detach() { p.kept = slices.Clone(p.kept) }

// pipeOf is the link that an event comes by, or nil.
func (w *world) pipeOf(e *event) *pipe { return w.pipe(e.by, e.side, e.node) }

func (w *world) pipe(by via, side, node int) *pipe {
	s := &w.sides[side]
	switch by {
	case byNode:
		return &s.nodes[node].link
	case byButton:
		return &s.buttons[node].link
	case byGuard:
		return &s.guards[node].link
	case byClient:
		return &s.client
	}
	return nil
}

// waits keeps an event whose link is down, and reports whether it is kept.
func (w *world) waits(e *event) bool {
	p := w.pipeOf(e)
	if p == nil || !p.down && !p.slow {
		return false
	}
	p.kept = append(p.kept, *e)
	return true
}

// cuts takes a link down: for a while, or with 0 until it returns.
func (w *world) cuts(by via, t thing, lasts time.Duration, slow bool) {
	w.tell("the link of %s is down", w.linkName(by, t))
	w.pipe(by, t.side, t.node).down = true
	if lasts > 0 {
		w.plan(lasts, event{kind: evReturn, side: t.side, node: t.node, of: by, late: slow})
	}
}

func (w *world) linkName(by via, t thing) string {
	switch s := &w.sides[t.side]; by {
	case byNode:
		return s.nodes[t.node].spec.Name
	case byButton:
		return "the stop button of " + s.file.name
	case byGuard:
		return "the guard of " + s.file.name
	default:
		return "the client to " + s.file.name
	}
}

// returns brings a link back. What waited arrives in order.
func (w *world) returns(by via, t thing, slow bool) {
	p := w.pipe(by, t.side, t.node)
	if !p.down {
		return
	}
	w.tell("the link of %s is back", w.linkName(by, t))
	p.down, p.slow = false, slow && len(p.kept) > 0
	if p.slow {
		w.drains(event{side: t.side, node: t.node, of: by})
		return
	}
	kept := p.kept
	p.kept = nil
	for _, e := range kept {
		w.arrivesLate(e)
	}
	w.saw(t.side)
}

// drains lets the first message that waits arrive, and the next one a cycle later.
func (w *world) drains(e event) {
	p := w.pipe(e.of, e.side, e.node)
	if !p.slow {
		return
	}
	first := p.kept[0]
	p.kept = slices.Delete(slices.Clone(p.kept), 0, 1)
	if p.slow = len(p.kept) > 0; p.slow {
		w.plan(cycle, event{kind: evDrain, side: e.side, node: e.node, of: e.of})
	}
	w.arrivesLate(first)
}

// arrivesLate lets what waited happen, unless it has waited for too long.
func (w *world) arrivesLate(e event) {
	if w.now-e.at < keeps {
		w.happen(e)
	}
}

// saw lets the client read what an instance shows, as far as its link is up.
func (w *world) saw(i int) {
	if s := &w.sides[i]; !s.client.down {
		s.saw = s.shown.Seen
	}
}

// client is how a goal is asked for.
type client struct {
	by    via           // byClient: the client of the day, which brings what it saw; byNone: another one, at the robot
	seen  bool          // it brings what it saw although it is at the robot
	waits time.Duration // until the request arrives
}

// ask decides on a goal. The request arrives at once, or when it has waited.
func (w *world) ask(side int, command string, c client) {
	s := &w.sides[side]
	g := goal{handle: w.handle(command), number: len(w.goals), side: side, command: command, ofDay: c.by == byClient,
		decided: w.now}
	if c.by == byClient || c.seen {
		g.seen = s.saw
	}
	w.goals = append(w.goals, g)
	in := engine.GoalAsked{Handle: g.handle, Command: machine.ReadWord(command), Client: "the client",
		Sent: epoch.Add(w.now), Here: c.by != byClient}
	w.tell("a client decides on %s and sends it to %s", command, s.file.name)
	e := event{kind: evAsk, side: side, tick: uint64(g.number), by: c.by, in: in}
	if c.waits > 0 {
		e.by = byNone
		w.plan(c.waits, e)
		return
	}
	e.at = w.now
	if !w.waits(&e) {
		w.asked(e)
	}
}

// asked lets the request for a goal arrive.
func (w *world) asked(e event) {
	g := &w.goals[e.tick]
	in := e.in.(engine.GoalAsked)
	in.Seen = g.seen
	g.arrived, g.lost = true, !w.sides[e.side].up
	w.tell("%s arrives at %s", g.handle, w.sides[e.side].file.name)
	w.deliver(e.side, in)
	w.hasten()
}

// outdated reports whether the judge has seen something end what a goal asks for before it arrived: a client would not
// have decided on it since.
func (t *truth) outdated(g *goal) bool { return g.number < max(t.stop, t.told, t.left) }

// loners are deviations that are explored with no other one than those of ends: each is a variant of one that is.
var (
	loners = []string{"arms late", "cut off", "cut off then slow"}
	ends   = []string{"returns"}
)

func (d *deviation) alone() bool { return slices.Contains(loners, d.name) }

// barred reports whether a deviation is not explored as one that follows another.
func (w *world) barred(c choice) bool {
	d := &menu[c.deviation]
	return d.alone() || w.alone && !slices.Contains(ends, d.name)
}

func linkIs(by via, down bool) func(*world, thing) bool {
	return func(w *world, t thing) bool {
		s := &w.sides[t.side]
		switch {
		case by == byButton && len(s.buttons) == 0, by == byGuard && len(s.guards) == 0:
			return false
		case by == byNode && s.nodes[t.node].living() == nil:
			return false
		}
		p := w.pipe(by, t.side, t.node)
		return p.down == down && !p.slow
	}
}

// decides reports whether a client decides on something else than a moment before: what it is shown has just changed, or
// the client of the day is about to act.
func decides(w *world, t thing) bool {
	last := len(w.queue) - 1
	return isUp(w, t) && (w.now-w.sides[t.side].news <= little ||
		last >= 0 && w.queue[last].kind == evBeat && w.until()-w.now <= little)
}

// pipeMenu lists the deviations of links: those of a button and of a guard are of the first one. What happens to a client
// happens when it decides on something else. Slow is a node that follows a lease: others do not mind how far apart messages arrive.
var pipeMenu = []deviation{
	{"arms late", "another client at the robot decides on armed, and its request comes 5 s later", toSide, decides,
		func(w *world, t thing) { w.ask(t.side, "armed", client{waits: cutFor}) }},
	{"arms late by what it saw", "another client decides on armed by what it sees, and its request comes 5 s later",
		toSide, decides, func(w *world, t thing) { w.ask(t.side, "armed", client{waits: cutFor, seen: true}) }},
	{"client cut off", "what the client of the day sends waits from now on", toSide,
		func(w *world, t thing) bool { return decides(w, t) && linkIs(byClient, false)(w, t) },
		func(w *world, t thing) { w.cuts(byClient, t, 0, false) }},
	{"client returns", "what the client of the day has sent arrives", toSide, linkIs(byClient, true),
		func(w *world, t thing) { w.returns(byClient, t, false) }},
	{"cut off", "what is on the way to the node and from it waits from now on", toNode, linkIs(byNode, false),
		func(w *world, t thing) { w.cuts(byNode, t, 0, false) }},
	{"cut off for 5 s", "what is on the way to the node and from it waits for 5 s", toNode, linkIs(byNode, false),
		func(w *world, t thing) { w.cuts(byNode, t, cutFor, false) }},
	{"cut off then slow", "the same, and then it takes one message every 90 ms", toNode,
		func(w *world, t thing) bool {
			return w.sides[t.side].nodes[t.node].leased() && linkIs(byNode, false)(w, t)
		},
		func(w *world, t thing) { w.cuts(byNode, t, cutFor, true) }},
	{"returns", "what waited on the way to the node and from it arrives", toNode, linkIs(byNode, true),
		func(w *world, t thing) { w.returns(byNode, t, false) }},
	{"button cut off", "what the stop button says waits for 5 s", toSide, linkIs(byButton, false),
		func(w *world, t thing) { w.cuts(byButton, t, cutFor, false) }},
	{"guard cut off", "what a guard says and hears waits for 5 s", toSide, linkIs(byGuard, false),
		func(w *world, t thing) { w.cuts(byGuard, t, cutFor, false) }},
}
