package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// peersGuard judges what shows only when all instances are seen at once:
//
//   - nothing is armed while a required peer is not fit, nor long after another instance was disarmed (P7, C4);
//   - after the last that was done from outside there are a few changes more, then none (P2);
//   - at rest all that live and have one machine have seen the same and want the same; an instance that stands elsewhere says
//     that it is behind and why, and stands higher only where it could not come down (P3).
type peersGuard struct {
	peers   *Peers
	lowered []lowering
	armedAt time.Duration // when an instance last made a change to a state that arms
	made    int           // changes since the last that was done from outside
}

// lowering is a change to a state in which nothing is armed.
type lowering struct {
	by    *end
	at    time.Duration
	final bool // the instance ends with it
}

func (p *peersGuard) fault(format string, args ...any) {
	p.peers.trace.Faults = append(p.peers.trace.Faults, fmt.Sprintf("%v: ", p.peers.now)+fmt.Sprintf(format, args...))
}

// look is called after each event.
func (p *peersGuard) look() {
	for _, e := range p.peers.ends {
		c := &e.world.check
		if c.unfitPeers == nil {
			c.unfitPeers = map[string]time.Duration{}
		}
		for _, name := range e.world.net.Peers.Required {
			was, known := c.unfitPeers[name]
			if !known {
				was = -1
			}
			why := e.unfit(name)
			since := e.world.since(why != "", was)
			c.unfitPeers[name] = since
			if c.arms && e.up() && since >= 0 && p.peers.now > max(since, c.since, e.world.brain.awake)+unfitWithin {
				c.fault("%s is shown, and %s, which it requires, is not fit since %v: %s", e.world.brain.shown, name,
					since, why)
			}
		}
		if c.arms && e.up() {
			p.stillArmed(e)
			p.stillStopped(e)
		}
	}
}

// unfit says why nothing may be armed here for what is true of the peer of that name; empty: it may (P7).
func (e *end) unfit(name string) string {
	i := slices.IndexFunc(e.peers.ends, func(o *end) bool { return o.world.opt.Name == name })
	if i < 0 {
		return "there is none"
	}
	o, states := e.peers.ends[i], e.world.net.Machine
	s := &o.status
	switch {
	case !o.up() || o.side != e.side || o.hash != e.hash:
		return "it does not run, is cut off, or its machine is another"
	case o.tells == 0 || s.Name == "" || s.Leaving:
		return "it has said nothing of itself, or leaves"
	case !s.Intact || s.State == states.Error:
		return "it is not intact"
	case states.Level(s.Target) < e.least && !o.leadless() || s.Settled && states.Level(s.State) < e.least:
		return "it is " + s.State + " and goes to " + s.Target
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

// stillArmed looks whether another instance has disarmed, and this one could know. Of a peer that it met at its end it
// follows nothing (P6).
func (p *peersGuard) stillArmed(e *end) {
	c := &e.world.check
	for _, l := range slices.Backward(p.lowered) {
		if l.at < c.since || l.at < p.armedAt {
			return
		}
		link, by := e.hears[l.by.index], &l.by.world.brain
		if link == nil || l.by.hash != e.hash || !l.by.up() || !link.matched || by.began >= l.at ||
			p.metAtItsEnd(link, l.by) {
			continue
		}
		if p.peers.now > max(l.at, link.since, e.world.brain.awake, by.awake, by.began)+disarmsWithin {
			c.fault("%s is shown, and %s is not armed any more since %v", e.world.brain.shown, l.by.world.opt.Name,
				l.at)
		}
	}
}

// stillStopped looks whether another instance has heard a stop that is not acknowledged, and this one could know.
func (p *peersGuard) stillStopped(e *end) {
	for _, link := range e.hears {
		if link == nil || !link.matched || !link.from.up() {
			continue
		}
		by := &link.from.world.brain
		at := link.from.world.stops.heardAt
		if at >= 0 && p.peers.now > max(at, link.since, e.world.brain.awake, by.awake, by.began,
			e.world.brain.began)+disarmsWithin {
			e.world.check.fault("%s is shown, and a stop was heard by %s at %v", e.world.brain.shown,
				link.from.world.opt.Name, at)
		}
	}
}

// metAtItsEnd reports whether the reader had the first status of a peer's run when that was ending already.
func (p *peersGuard) metAtItsEnd(l *link, by *end) bool {
	return l.metOf == by.status.Instance &&
		slices.ContainsFunc(p.lowered, func(o lowering) bool { return o.by == by && o.final && o.at < l.metAt })
}

// changed counts a change.
func (p *peersGuard) changed(by *end, c engine.Change) {
	if p.made++; p.made > 6*len(p.peers.ends) {
		p.fault("%d changes since the last act from outside, the newest %v", p.made, c)
	}
	to := by.world.check.stateOf(c.TargetState)
	if to.Armed.Any() {
		p.armedAt = p.peers.now
	} else {
		p.lowered = append(p.lowered, lowering{by, p.peers.now, to.Final})
	}
}

// atEnd compares where all have come to rest. An instance that follows nothing (P6) wants nothing, and no peer takes
// over what it has seen.
func (p *peersGuard) atEnd() {
	if p.peers.quiet < 0 || p.peers.broken() {
		return
	}
	for i, a := range p.peers.ends {
		if !a.up() || a.leadless() {
			continue
		}
		p.stands(a)
		for _, b := range p.peers.ends[i+1:] {
			if !b.up() || a.hash != b.hash || a.side != b.side || b.leadless() {
				continue
			}
			if order := mirror.Compare(a.status.Seen, b.status.Seen); order != mirror.Same {
				p.fault("%s has seen %v, and %s %v (%v)", b.status.Name, b.status.Seen, a.status.Name, a.status.Seen,
					order)
			}
			if happened(a.status.Seen) && a.status.Target != b.status.Target {
				p.fault("%s wants %s, and %s %s", a.status.Name, a.status.Target, b.status.Name, b.status.Target)
			}
		}
	}
}

// leadless reports whether an instance has only counted changes of peers that were ending when it met them (P6).
func (e *end) leadless() bool { return e.status.Target == machine.Unknown }

// stands looks where one has come to rest: higher than the common target only where a node failed, something went
// wrong, or it was suspended.
func (p *peersGuard) stands(e *end) {
	s, w := &e.status, e.world
	struck := w.check.standstill > w.brain.began || slices.Contains(w.trace.States, w.net.Machine.Error) ||
		slices.ContainsFunc(w.trace.Entries, func(n engine.Entry) bool {
			return n.Kind == engine.EntryStep && n.Event == engine.EventDone && n.Verdict != engine.VerdictDone &&
				n.Verdict != engine.VerdictUndone
		})
	path, leads := w.net.Machine.PathThroughLoops(s.State, s.Target) // a hidden command is no way that a peer can take
	struck = struck || !leads || e.strayed() && raisesOnWay(w.net.Machine, s.State, path)
	switch {
	case !happened(s.Seen) || s.State == s.Target || s.State == w.net.Machine.Adopted(s.Target):
	case !s.Settled || !s.Behind:
		p.fault("%s is %s, wants %s, and does not say that it is behind", s.Name, s.State, s.Target)
	case w.net.Machine.Level(s.State) > w.net.Machine.Level(s.Target) && w.net.Machine.Raises(s.Target, s.State) &&
		!struck:
		p.fault("%s is %s, higher than %s, and nothing has failed", s.Name, s.State, s.Target)
	}
}

// strayed reports whether a required node is not as the state of its network says: the network is not raised (C7).
func (e *end) strayed() bool {
	s := e.world.check.stateOf(e.status.State)
	for i, n := range e.world.nodes {
		truth, alive := n.truth()
		want, wanted := e.world.net.WantAt(s, i, truth)
		if !n.spec.Optional && n.spec.Lifecycle && wanted && (!alive || truth != want) {
			return true
		}
	}
	return false
}

// raisesOnWay reports whether one of the commands on a way raises a node, although the end of the way may be lower.
func raisesOnWay(m *machine.Machine, from string, path []string) bool {
	for _, command := range path {
		if m.RaisesFrom(command, from) {
			return true
		}
		from, _ = m.Target(command, from)
	}
	return false
}

// Overheard compares what was published where nothing went wrong with what was commanded (P1): so many changes, each
// told once, and once more when a lowering has settled. A disarm of an instance that requires a peer, and its end, may
// come before the peer's own change is heard (P7).
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
				continue
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
