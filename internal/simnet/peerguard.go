package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// What one instance makes of its peers.

// The times within which something has to be noticed. A message that is lost is sent again in a fifth of a second.
const (
	unfitWithin   = 2 * time.Second // liveliness of 0.5 s, or a status at most 1 s old
	disarmsWithin = 4 * time.Second // of a disarm elsewhere, if only a status tells of it
	sharedWithin  = 2 * time.Second // of a node that two list
	raceWithin    = 3 * time.Second // a status waits for a change that is on its way
	vouchedWithin = 2 * time.Second // of the death of a peer whose arm is followed: it was heard within 1 s (P7)
)

// heardOf is what an instance had seen, and where that led.
type heardOf struct {
	seen   []mirror.Seen
	target string
	at     time.Duration
}

func (c *checker) hearsOf(seen []mirror.Seen, target string) {
	c.lowest = max(c.lowest, c.world.net.Machine.Level(target))
	c.lately = append(c.lately, heardOf{seen, target, c.world.now})
}

func (c *checker) hears(l *link, m parcel) {
	switch in := m.in.(type) {
	case engine.PeerTold:
		s := in.Status
		if s.Instance != l.metOf {
			l.metOf, l.metAt = s.Instance, c.world.now
		}
		if s.Instance != l.toldOf {
			l.toldOf, l.toldAt, l.toldN = s.Instance, c.world.now, own(s.Seen, s.Instance)
		}
		if s.Hash == l.to.hash {
			c.hearsOf(s.Seen, s.Target)
		}
	case engine.PeerChanged:
		k := in.Change
		if k.Hash != l.to.hash {
			return // P6
		}
		c.hearsOf(k.Seen, k.TargetState)
		n := own(k.Seen, k.Instance)
		if n <= own(c.heardOf, k.Instance) {
			return
		}
		// P6: it was made after the status by which its maker is in step, or while that was known to be there.
		inStep := l.toldOf == k.Instance && n > l.toldN
		live := (l.live(m) || inStep) && m.at > l.lostAt && m.at >= c.standstill
		c.follows, c.following, c.maker = live && c.stateOf(k.TargetState).Armed.Any(), false, l.from
		heard := []mirror.Seen{{Instance: k.Instance, N: n}}
		if live && inStep { // P2: a change that this one covers is stale and is dropped, also if it arrives later
			heard = k.Seen
		}
		c.heardOf = mirror.Merge(c.heardOf, heard)
	}
}

// hearsPlain notes what is about to be heard of a peer that says nothing of itself: it counts as seen by all (P9).
func (c *checker) hearsPlain(k mirror.Change) {
	if slices.Contains(c.world.net.Peers.Plain, k.Name) {
		c.hearsOf(c.world.end.status.Seen, c.world.net.Machine.Disarmed(k.TargetState))
	}
}

func (c *checker) tells(s mirror.Status) {
	c.world.trace.Status = s
	e := c.world.end
	if e == nil {
		return
	}
	if s.Behind && s.Cause == "" || s.Instance != c.world.brain.instance() || s.Name != c.world.opt.Name {
		c.fault("it does not say why it is behind, or tells of %s (%s)", s.Name, s.Instance)
	}
	c.orders(s)
	if own(s.Seen, s.Instance) < own(e.status.Seen, s.Instance) {
		c.fault("it forgets changes of its own: %v, then %v", e.status.Seen, s.Seen)
	}
	if happened(s.Seen) {
		c.lowest = c.world.net.Machine.Level(s.Target)
	}
}

// orders looks whether the common target went up: by a change of its own, or because an instance that had seen all that
// it had has said so. Nothing else raises, least of all two changes that were made at once (P2).
func (c *checker) orders(s mirror.Status) {
	was, states := c.world.end.status, c.world.net.Machine
	raised := was.Instance == s.Instance && happened(was.Seen) && was.Target != machine.Unknown &&
		states.Raises(was.Target, s.Target)
	if raised && own(s.Seen, s.Instance) == own(was.Seen, s.Instance) &&
		!slices.ContainsFunc(c.lately, func(h heardOf) bool {
			leads := h.target == s.Target || states.Disarmed(h.target) == s.Target // an order has overruled the arm
			return leads && mirror.Covers(h.seen, was.Seen)
		}) {
		c.fault("its target went from %s up to %s, and no peer that had seen as much has said so", was.Target, s.Target)
	}
	oldest := c.world.now - raceWithin
	if b := &c.world.brain; b.awake > oldest { // A8: the time in which it was suspended does not count
		oldest -= b.stood
	}
	c.lately = slices.DeleteFunc(c.lately, func(h heardOf) bool { return h.at < oldest })
}

// showsWhatItTells looks whether a person sees what peers hear: of the changes, where they lead, and whether it is
// behind (P1). What is shown without a snapshot is taken when the step has ended. An instance shows nothing more in the
// step that ends it, while its last status lists the changes that it has seen in that step (F5, F7).
func (c *checker) showsWhatItTells() {
	s, t := c.shown, c.world.trace.Status
	if !c.turn.told || s == nil {
		return
	}
	leads := happened(t.Seen) && s.Peers.Common != t.Target && t.Target != machine.Unknown
	behind := s.Peers.Behind != t.Behind && len(s.Peers.All) > 0
	if seen := !slices.Equal(s.Peers.Seen, t.Seen) && !(c.turn.ends && t.Leaving); leads || behind || seen {
		c.fault("peers hear %v to %s, behind: %v; shown are %v to %s, behind: %v", t.Seen, t.Target, t.Behind,
			s.Peers.Seen, s.Peers.Common, s.Peers.Behind)
	}
}

func own(seen []mirror.Seen, instance string) uint64 {
	for _, s := range seen {
		if s.Instance == instance {
			return s.N
		}
	}
	return 0
}

func happened(seen []mirror.Seen) bool {
	return slices.ContainsFunc(seen, func(s mirror.Seen) bool { return s.N > 0 })
}

func (e *end) requires(o *end) bool {
	return slices.Contains(e.world.net.Peers.Required, o.world.opt.Name)
}

// requiredBy reports whether an instance that it hears arms nothing without this one.
func (e *end) requiredBy() bool {
	return slices.ContainsFunc(e.hears, func(l *link) bool { return l != nil && l.toldOf != "" && l.from.requires(e) })
}

// mayRaise looks whether an instance that lists a node which another drives goes up by itself (S1).
func (e *end) mayRaise(snap engine.Snapshot) {
	if e == nil || snap.Work.Target == "" || snap.Settled == "" {
		return
	}
	c, states := &e.world.check, e.world.net.Machine
	if c.commanded() || states.Level(snap.Work.Target) <= states.Level(snap.Settled) {
		return
	}
	for _, l := range e.hears {
		// S1: a peer that drives a node says so, in a status of its present run.
		if l == nil || l.from.status.Instance == "" || l.metOf != l.from.status.Instance || !l.matched || !l.reach() {
			continue
		}
		since := max(l.since, l.metAt, e.world.brain.awake, l.from.world.brain.awake)
		for _, n := range l.from.world.net.Nodes {
			// Where the node is not there, going up fails for that reason before anything is asked of a node.
			if k := e.world.net.Index(n.Name); k >= 0 && e.world.nodes[k].process() != nil &&
				e.peers.now > since+sharedWithin {
				c.fault("goes up to %s, and %s drives %s too", snap.Work.Target, l.from.world.opt.Name, n.Name)
			}
		}
	}
}

// expects reports whether an instance that waits for its peers since a moment waits for the other: it requires it, or
// has known it since before that (P8).
func (e *end) expects(o *end, since time.Duration) bool {
	l := e.hears[o.index]
	if l == nil || o.hash != e.hash || o.status.Leaving {
		return false
	}
	return e.requires(o) || l.matched && l.since < since && l.toldOf != "" && l.toldOf == o.status.Instance &&
		l.toldAt < since
}

// ended reports whether another instance was where a goal of the loop has ended, which may be beyond its own change.
func (e *end) ended(a *Goal, o *end) bool {
	return e.world.opens(a.Command) && o.was(a.Result.State, a.published)
}

// waited compares the result of a goal that waited for peers with the truth (P8): each was in the state since the
// change was made, and after a disarm nothing of it is armed. What a peer has begun a moment ago may not be heard yet.
func (e *end) waited(a *Goal) {
	if e == nil || !a.WaitPeers {
		return
	}
	c := &e.world.check
	disarms := c.disarms(a.Command)
	for _, o := range e.peers.ends {
		switch {
		case !disarms && a.published > 0 && e.expects(o, a.published) && !o.was(a.target, a.published) &&
			!o.was(o.world.net.Machine.Adopted(a.target), a.published) && !e.ended(a, o):
			c.fault("%s has waited, and %s was not %s since", a.Handle, o.world.opt.Name, a.target)
		case !disarms || !e.expects(o, a.Asked) || !o.up() || e.peers.now < o.world.check.shownAt+unfitWithin:
		default:
			for _, n := range o.world.nodes {
				if n.spec.Arm != nil && n.told && n.armsKnown() && !n.overtaken() && !n.changed() {
					c.fault("%s has waited, and %s of %s is armed", a.Handle, n.spec.Name, o.world.opt.Name)
				}
			}
		}
	}
}

// behind compares a result that names peers as behind with the truth: that all have been there for a while, and
// none was lost. A peer that is required may never have been there, and one that lived when the change was made may
// follow another machine since (P8).
func (e *end) behind(a *Goal) {
	if e == nil || a.Result.Outcome != engine.OutcomePeersBehind || a.published == 0 ||
		len(e.world.net.Peers.Required) > 0 {
		return
	}
	for _, l := range e.hears {
		another := l != nil && l.from.hash != e.hash && l.from.world.files == 0
		if l == nil || another && !e.world.check.disarms(a.Command) {
			continue // an order is for peers of every machine
		}
		o, n := l.from, len(l.from.places)
		there := n > 0 && o.places[n-1].state == a.target && e.peers.now > o.places[n-1].at+unfitWithin
		if !there || o.hash != e.hash || !o.up() || !l.matched || l.lostAt >= a.published || o.status.Behind ||
			o.status.Leaving || len(o.status.MayBeArmed) > 0 ||
			o.status.State != a.target {
			return
		}
	}
	e.world.check.fault("%s ends because peers are behind, and all are %s", a.Handle, a.target)
}

// was reports whether the network rested in that state at some time since then.
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
