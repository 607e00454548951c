package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// What only one can judge who sees all instances at once, while they run and at rest.

// look is called after each event.
func (p *peersGuard) look() {
	for _, e := range p.peers.ends {
		for _, name := range e.world.net.Peers.Required {
			e.judge(name)
		}
		g := &e.world.guard
		if !g.arms || !e.up() {
			continue
		}
		p.stillArmed(e)
		for _, name := range e.world.net.Peers.Required {
			since := g.unfitPeers[name]
			if from := max(since, g.since, e.world.brain.awake); since >= 0 && p.peers.now > from+unfitWithin {
				g.fault("%s is shown, and %s, which it requires, is not fit since %v: %s", e.world.brain.shown, name, since, e.unfit(name))
			}
		}
	}
}

// judge notes since when a peer that is required is not fit.
func (e *end) judge(name string) {
	g := &e.world.guard
	if g.unfitPeers == nil {
		g.unfitPeers = map[string]time.Duration{}
	}
	since, known := g.unfitPeers[name]
	switch bad := e.unfit(name) != ""; {
	case !bad:
		g.unfitPeers[name] = -1
	case !known || since < 0:
		g.unfitPeers[name] = e.peers.now
	}
}

// unfit says why nothing may be armed here for what is true of the peer of that name; empty: it may.
func (e *end) unfit(name string) string {
	i := slices.IndexFunc(e.peers.ends, func(o *end) bool { return o.world.opt.Name == name })
	if i < 0 {
		return "there is none"
	}
	o, states := e.peers.ends[i], e.world.net.Machine
	s := &o.status
	least := e.least
	switch {
	case !o.world.brain.up:
		return "it does not run"
	case o.world.brain.stalled:
		return "it stands still"
	case o.side != e.side:
		return "it is cut off"
	case o.hash != e.hash:
		return "its machine is another"
	case o.tells == 0 || s.Name == "":
		return "it has said nothing of itself"
	case s.Leaving:
		return "it leaves"
	case !s.Intact:
		return "it is not intact"
	case s.State == states.Error:
		return "it puts a failure right"
	case states.Level(s.Target) < least && !o.leadless():
		return "it goes to " + s.Target
	case s.Settled && states.Level(s.State) < least:
		return "it is " + s.State
	}
	return ""
}

// disarmed is the level of what is left of a state that arms when nothing is armed any more.
func disarmed(m *machine.Machine) int {
	i := slices.IndexFunc(m.States, func(s machine.State) bool { return s.Armed.Any() })
	if i < 0 {
		return 0
	}
	return m.Level(m.States[i].Disarmed)
}

// stillArmed looks whether somebody else has disarmed, and this one could know.
func (p *peersGuard) stillArmed(e *end) {
	g := &e.world.guard
	for k := len(p.lowered) - 1; k >= 0; k-- {
		l := p.lowered[k]
		if l.at < g.since || l.at < p.armedAt {
			return
		}
		if l.by == e || l.by.hash != e.hash {
			continue
		}
		link := e.hears[l.by.index]
		if p.metAtItsEnd(link, l.by) {
			continue
		}
		known := max(l.at, link.since, e.world.brain.awake, l.by.world.brain.awake, l.by.world.brain.began)
		if l.by.up() && link.matched && l.by.world.brain.began < l.at && p.peers.now > known+disarmsWithin {
			g.fault("%s is shown, and %s is not armed any more since %v", e.world.brain.shown, l.by.world.opt.Name, l.at)
		}
	}
}

// metAtItsEnd reports whether the reader had the first status of a peer's run when that was ending already: by P6 nothing
// of it is followed, its earlier lowerings included.
func (p *peersGuard) metAtItsEnd(l *link, by *end) bool {
	return l.metOf == by.status.Instance && slices.ContainsFunc(p.lowered, func(o lowering) bool { return o.by == by && o.final && o.at < l.metAt })
}

// mayRaise looks whether raising by itself is allowed to who lists a node that another drives.
func (e *end) mayRaise(snap engine.Snapshot) {
	if states := e.world.net.Machine; states.Level(snap.Target) <= states.Level(snap.Settled) {
		return
	}
	for _, o := range e.peers.ends {
		l := e.hears[o.index]
		told := o.status.Instance != "" && l != nil && l.metOf == o.status.Instance
		if !told || !l.matched || !l.reach() { // S1: a peer that drives a node says so, in a status of its present run
			continue
		}
		from := max(l.since, l.metAt, e.world.brain.awake, o.world.brain.awake)
		for _, n := range o.world.net.Nodes {
			if e.world.net.Index(n.Name) >= 0 && e.peers.now > from+sharedWithin {
				e.world.guard.fault("goes up to %s, and %s drives %s too", snap.Target, o.world.opt.Name, n.Name)
			}
		}
	}
}

// waited compares what a goal that waited for peers is told with the truth: where each was since the change was made.
func (e *end) waited(a *Goal) {
	if e == nil || !a.WaitPeers {
		return
	}
	if name, isState, _ := e.world.net.Machine.Command(a.Command); e.world.guard.disarms(name, isState) {
		e.disarmedAll(a)
		return
	}
	if a.published == 0 {
		return
	}
	for _, o := range e.peers.ends {
		l := e.hears[o.index]
		if l == nil || o.hash != e.hash || o.status.Leaving {
			continue
		}
		required := slices.Contains(e.world.net.Peers.Required, o.world.opt.Name)
		known := l.matched && l.since < a.published && l.toldOf != "" && l.toldOf == o.status.Instance && l.toldAt < a.published
		if (required || known) && !o.was(a.target, a.published) {
			e.world.guard.fault("%s has waited, and %s was not %s since", a.Handle, o.world.opt.Name, a.target)
		}
	}
}

// disarmedAll looks whether a disarm that waited for peers ends while one of them has something armed: P8, in every state, also
// where nothing of it is a change. Who has begun something a moment ago may not be heard yet.
func (e *end) disarmedAll(a *Goal) {
	for _, o := range e.peers.ends {
		l := e.hears[o.index]
		if l == nil || o.hash != e.hash || o.status.Leaving || !o.up() {
			continue
		}
		required := slices.Contains(e.world.net.Peers.Required, o.world.opt.Name)
		known := l.matched && l.since < a.Asked && l.toldOf != "" && l.toldOf == o.status.Instance && l.toldAt < a.Asked
		if !required && !known || e.peers.now < o.world.guard.begun+unfitWithin {
			continue
		}
		for _, n := range o.world.nodes {
			if n.spec.Arm != nil && n.told && n.armed() && !n.overtaken() && !n.changed() {
				e.world.guard.fault("%s has waited, and %s of %s is armed", a.Handle, n.spec.Name, o.world.opt.Name)
			}
		}
	}
}

// behind compares what a goal is told of peers that did not come with the truth: that all have been there for a while, and
// nobody was lost.
func (e *end) behind(a *Goal) {
	if e == nil || a.Result.Outcome != engine.OutcomePeersBehind || a.published == 0 || len(e.world.net.Peers.Required) > 0 {
		return // who is required may be awaited though nobody was ever there
	}
	for _, l := range e.hears {
		if l == nil || l.from.hash != e.hash && l.from.world.files == 0 {
			continue
		}
		o := l.from
		if o.hash != e.hash {
			return // P8: it lived when the change was made, and follows another machine since
		}
		n := len(o.places)
		there := n > 0 && o.places[n-1].state == a.target && e.peers.now > o.places[n-1].at+unfitWithin
		if !there || !o.up() || !l.matched || l.lostAt >= a.published || o.status.Behind || o.status.Leaving {
			return
		}
	}
	e.world.guard.fault("%s is told that peers are behind, and all are %s", a.Handle, a.target)
}

// was says whether the network rested in that state at some time since then.
func (e *end) was(state string, since time.Duration) bool {
	for k := len(e.places) - 1; k >= 0; k-- {
		if e.places[k].state == state {
			return true
		}
		if e.places[k].at <= since {
			break
		}
	}
	return false
}

// atEnd compares where everybody has come to rest.
func (p *peersGuard) atEnd() {
	if p.peers.quiet < 0 || p.peers.broken() {
		return
	}
	for i, a := range p.peers.ends {
		if !a.up() {
			continue
		}
		p.stands(a)
		for _, b := range p.peers.ends[i+1:] {
			if b.up() && a.hash == b.hash && a.side == b.side {
				p.agree(a, b)
			}
		}
	}
}

// agree compares two that have heard all of each other. They have seen less than they may forget of those that are gone.
func (p *peersGuard) agree(a, b *end) {
	if a.leadless() || b.leadless() {
		return
	}
	if order := mirror.Compare(a.status.Seen, b.status.Seen); order != mirror.Same {
		p.fault("%s has seen %v, and %s %v (%v)", b.status.Name, b.status.Seen, a.status.Name, a.status.Seen, order)
	}
	if happened(a.status.Seen) && a.status.Target != b.status.Target {
		p.fault("%s wants %s, and %s %s", a.status.Name, a.status.Target, b.status.Name, b.status.Target)
	}
}

// leadless reports whether an instance has only counted changes of peers that were ending when it met them. By P6 it follows
// none of them, so it wants nothing, and nobody takes over what it has seen.
func (e *end) leadless() bool { return e.status.Target == machine.Unknown }

// stands looks where one has come to rest.
func (p *peersGuard) stands(e *end) {
	s, states := &e.status, e.world.net.Machine
	switch {
	case !happened(s.Seen) || s.State == s.Target || e.leadless():
	case !s.Settled:
		p.fault("%s is %s and says that it does not rest", s.Name, s.State)
	case !s.Behind:
		p.fault("%s is %s, wants %s, and does not say that it is behind", s.Name, s.State, s.Target)
	case states.Level(s.State) > states.Level(s.Target) && !e.struck():
		p.fault("%s is %s, higher than %s, and nothing has failed", s.Name, s.State, s.Target)
	}
}

// Overheard compares what was published where nothing went wrong with what was commanded: so many changes, each told
// once, and once more when a lowering has settled.
func (t *PeersTrace) Overheard(commands int) (faults []string) {
	counted := 0
	for i, w := range t.Worlds {
		said := -1 // messages of the newest change; before the first they are none
		for k, c := range w.Changes {
			if w.counted[k] {
				counted++
				said = 0
			}
			if said < 0 || !w.counted[k] && c.Event == "disarm" {
				continue // a safety disarm of who requires a peer, and its end, may come before the peer's own change is heard
			}
			if said++; said > 1 && !(said == 2 && c.Settled && w.net.Machine.Lowers(c.SourceState, c.TargetState)) {
				faults = append(faults, fmt.Sprintf("%s publishes beside what was commanded: %v", t.Names[i], c))
			}
		}
	}
	if counted != commands {
		faults = append(faults, fmt.Sprintf("%d changes were made by %d commands", counted, commands))
	}
	return faults
}

// struck says whether anything has happened for which a lowering may not have come to its end: a failure, a node that did
// not do its part, or standing still.
func (e *end) struck() bool {
	w := e.world
	failed := func(n engine.Entry) bool {
		return n.Kind == engine.EntryStep && n.Event == engine.EventDone && n.Verdict != engine.VerdictDone && n.Verdict != engine.VerdictUndone
	}
	return slices.Contains(w.trace.States, w.net.Machine.Error) || slices.ContainsFunc(w.trace.Entries, failed) || w.guard.standstill > w.brain.began
}
