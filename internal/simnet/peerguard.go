package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// The guard's part in what instances make of each other: what only one who sees them all can know.

// The times within which something has to be noticed. A message that is lost is sent again in a fifth of a second.
const (
	unfitWithin   = 2 * time.Second // liveliness of 0.5 s, or a status at most 1 s old
	disarmsWithin = 4 * time.Second // of a disarm elsewhere, if only a status tells of it
	sharedWithin  = 2 * time.Second // of a node that two list
	raceWithin    = 3 * time.Second // a status waits for a change that is on its way
)

// peersGuard watches what must never be among several. What it watches, beside what each one's guard does:
//
//   - nothing that was mirrored is published, and nothing without a command but what is lower than what was agreed on;
//   - after the last that somebody did there are a few changes more, then none;
//   - at rest all who are alive and of one machine have seen the same and want the same; who stands elsewhere says that it
//     is behind and why, and stands higher only where it could not come down;
//   - nobody arms on what was said before it last found who said it, before it stood still, or in a former life;
//   - nobody is armed while a peer that it requires is not fit, nor long after others were disarmed;
//   - a goal that waited for peers tells the truth of them; who lists a node that another drives raises nothing.
type peersGuard struct {
	peers   *Peers
	lowered []lowering
	armedAt time.Duration // when somebody last made a change to a state that arms
	stirred time.Duration // when somebody last did something
	made    int           // changes since
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

func (p *peersGuard) stir() { p.stirred, p.made = p.peers.now, 0 }

// hears notes what is about to be heard of a peer.
func (g *guard) hears(l *link, m parcel) {
	states := g.world.net.Machine
	switch in := m.in.(type) {
	case engine.PeerChanged:
		c := in.Change
		if c.Hash != l.to.hash {
			return
		}
		g.lowest = max(g.lowest, states.Level(c.TargetState))
		g.lately = append(g.lately, heardOf{c.Seen, c.TargetState, g.world.now})
		if n := own(c.Seen, c.Instance); n > own(g.heardOf, c.Instance) {
			// P6: it was made after the status by which its maker is in step, or while that was known to be there.
			inStep := l.toldOf == c.Instance && n > l.toldN
			live := (l.live(m) || inStep) && m.at > l.lostAt && m.at >= g.standstill
			g.follows, g.following = live && g.armsState(c.TargetState), false
			heard := []mirror.Seen{{Instance: c.Instance, N: n}}
			if live && inStep { // P2: a change that this one covers is stale and is dropped, also if it arrives later
				heard = c.Seen
			}
			g.heardOf = mirror.Merge(g.heardOf, heard)
		}
	case engine.PeerTold:
		if s := in.Status; s.Instance != l.metOf {
			l.metOf, l.metAt = s.Instance, g.world.now
		}
		if s := in.Status; s.Instance != l.toldOf {
			l.toldOf, l.toldAt, l.toldN = s.Instance, g.world.now, own(s.Seen, s.Instance)
		}
		if s := in.Status; s.Hash == l.to.hash {
			g.lowest = max(g.lowest, states.Level(s.Target))
			g.lately = append(g.lately, heardOf{s.Seen, s.Target, g.world.now})
		}
	}
}

// hearsPlain notes what is about to be heard of a peer that says nothing of itself.
func (g *guard) hearsPlain(c mirror.Change) {
	g.lowest = max(g.lowest, g.world.net.Machine.Level(c.TargetState))
	if slices.Contains(g.world.net.Peers.Plain, c.Name) { // it counts as seen by all that was seen
		to := g.world.net.Machine.Disarmed(c.TargetState)
		g.lately = append(g.lately, heardOf{g.world.end.status.Seen, to, g.world.now})
	}
}

func plainly(c mirror.Change) engine.Input { return engine.PeerChanged{Change: c} }

func (g *guard) armsState(name string) bool {
	s, _ := g.world.net.Machine.State(name)
	return s.Armed.Any()
}

// tells looks at what the coordinator says of itself.
func (g *guard) tells(s mirror.Status) {
	e := g.world.end
	g.world.trace.Status = s
	if e == nil {
		return
	}
	if s.Behind && s.Cause == "" {
		g.fault("it is behind and does not say why")
	}
	if s.Instance != g.world.brain.instance() || s.Name != g.world.opt.Name {
		g.fault("it tells of %s (%s)", s.Name, s.Instance)
	}
	g.orders(s)
	if own(s.Seen, s.Instance) < own(e.status.Seen, s.Instance) {
		g.fault("it forgets changes of its own: %v, then %v", e.status.Seen, s.Seen)
	}
	if happened(s.Seen) {
		g.lowest = g.world.net.Machine.Level(s.Target)
	}
}

// showsWhatItTells looks whether a person sees what peers are told: of the changes, where they lead, and whether it is behind.
// What is shown without a snapshot is taken when the step has ended; and a person is not told that one who is alone is behind.
//
// F5, F7: an instance shows nothing more in the step that ends it, while its last status also lists the changes that it has
// seen in that step. By P1 its state still has to show what it follows.
func (g *guard) showsWhatItTells(effects []engine.Effect) {
	told, ends := false, false
	for _, e := range effects {
		switch e := e.(type) {
		case engine.TellPeers:
			told = true
		case engine.Exit:
			ends = true
		case engine.Show:
			if e.Snapshot == nil {
				g.shown = nil
			} else {
				g.shown = e.Snapshot
			}
		}
	}
	s, t := g.shown, g.world.trace.Status
	if !told || s == nil {
		return
	}
	leads := happened(t.Seen) && s.Common != t.Target && t.Target != machine.Unknown
	behind := s.Behind != t.Behind && len(s.Peers) > 0
	seen := !slices.Equal(s.Seen, t.Seen) && !(ends && t.Leaving)
	if leads || behind || seen {
		g.fault("peers are told %v to %s, behind: %v; shown are %v to %s, behind: %v", t.Seen, t.Target, t.Behind, s.Seen, s.Common, s.Behind)
	}
}

// orders looks whether the common target went up: by a change of its own, or because somebody who had seen all that it had
// has said so. Nothing else raises, least of all two changes that were made at once.
func (g *guard) orders(s mirror.Status) {
	was, states := g.world.end.status, g.world.net.Machine
	raised := states.Level(s.Target) > states.Level(was.Target)
	if was.Instance == s.Instance && happened(was.Seen) && was.Target != machine.Unknown && raised && own(s.Seen, s.Instance) == own(was.Seen, s.Instance) &&
		!slices.ContainsFunc(g.lately, func(h heardOf) bool { return h.target == s.Target && mirror.Covers(h.seen, was.Seen) }) {
		g.fault("its target went from %s up to %s, and nobody who had seen all that it had said so", was.Target, s.Target)
	}
	oldest := g.world.now - raceWithin
	if b := &g.world.brain; b.awake > oldest { // standing still does not count
		oldest -= b.stood
	}
	g.lately = slices.DeleteFunc(g.lately, func(h heardOf) bool { return h.at < oldest })
}

// heardOf is what somebody had seen, and where that led.
type heardOf struct {
	seen   []mirror.Seen
	target string
	at     time.Duration
}

// requiredBy says whether anybody whom it hears arms nothing without this one.
func (e *end) requiredBy() bool {
	return slices.ContainsFunc(e.peers.ends, func(o *end) bool {
		l := e.hears[o.index]
		return l != nil && l.toldOf != "" && slices.Contains(o.world.net.Peers.Required, e.world.opt.Name)
	})
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

// commanded says whether somebody has asked this instance for what it does: a goal is open or ends now, or it is to stop.
func (g *guard) commanded() bool {
	return g.stopped || slices.ContainsFunc(g.world.trace.Goals, func(a *Goal) bool {
		return a.Accepted && !a.Orphaned && (!a.Finished || a.Ended == g.world.now)
	})
}

// tookBack says whether a change is the end of a command that was taken back. P4: a cancel spreads as its command did, also
// where a disarm has pre-empted a way to armed, and both goals ended before the network was back (C4).
func (g *guard) tookBack(c engine.Change) bool {
	return g.goesBack != "" && c.Event == "" && c.Settled && c.TargetState == g.goesBack && g.restedAt == g.world.now
}

// before is the state that was shown so many states ago.
func (g *guard) before(ago int) string {
	if n := len(g.world.trace.States); n > ago {
		return g.world.trace.States[n-1-ago]
	}
	return ""
}

// mirrors notes whether what begins or goes on can only be the work of another.
func (g *guard) mirrors(state string, snap engine.Snapshot) {
	w := g.world
	s, _ := w.net.Machine.State(state)
	if state != g.goesBack && state != g.before(0) { // something else has begun
		g.goesBack = ""
	}
	switch {
	case state == machine.Unknown: // a start
		g.mirrored = false
	case state == w.net.Machine.Error:
		was, _ := w.net.Machine.State(g.before(0))
		g.mirrored = g.mirrored && was.Passing
	case s.Passing:
		g.following = g.following || g.armsState(snap.Target)
		raises := snap.Settled != "" && !w.net.Machine.Lowers(snap.Settled, snap.Target) && snap.Settled != snap.Target
		g.mirrored = raises && !g.commanded()
		if g.mirrored {
			g.world.end.mayRaise(snap)
		}
	default:
		g.restedAt = w.now
		if g.following { // P7: a peer's arm is followed just after it was made, so once
			g.follows = false
		}
	}
}

// passesOn looks at a message on the lifecycle topic: whose work it tells of.
func (g *guard) passesOn(c engine.Change, counts bool) {
	w := g.world
	if w.end == nil {
		return
	}
	shown, _ := w.net.Machine.State(w.brain.shown)
	agreed := g.lowest
	if !happened(w.end.status.Seen) {
		agreed = max(agreed, w.net.Machine.Level(c.SourceState))
	}
	if counts && w.net.Machine.Level(c.TargetState) < agreed {
		g.mirrored = false // a failure that others have to hear of
	}
	switch {
	case g.mirrored && !g.commanded() && (shown.Passing || g.restedAt == w.now):
		g.fault("what is mirrored is published: %v", c)
	case counts && !g.commanded() && !g.tookBack(c) && w.net.Machine.Level(c.TargetState) >= agreed:
		g.fault("published although nobody commanded it, and no lower than what was agreed on: %v", c)
	}
	if counts && !g.commanded() && !g.tookBack(c) && !w.end.requiredBy() {
		g.fault("a failure is told that nobody has to know: %v", c)
	}
	if counts {
		g.follows = false // P2: the change of a peer that it followed is older
		for _, a := range w.trace.Goals {
			if a.Accepted && !a.Finished {
				a.published, a.target = w.now, c.TargetState
			}
		}
		w.end.peers.guard.changed(w.end, c)
	}
}

// changed counts a change.
func (p *peersGuard) changed(by *end, c engine.Change) {
	if p.made++; p.made > 6*len(p.peers.ends) {
		p.fault("%d changes since somebody last did something, the newest %v", p.made, c)
	}
	if by.world.guard.armsState(c.TargetState) {
		p.armedAt = p.peers.now
	} else {
		to, _ := by.world.net.Machine.State(c.TargetState)
		p.lowered = append(p.lowered, lowering{by, p.peers.now, to.Final})
	}
}
