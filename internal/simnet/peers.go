package simnet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"rstate/internal/mirror"
	"rstate/internal/network"
)

// Peer is one instance of a simulation that has several.
type Peer struct {
	Net     *network.Network
	Options Options // its Name is its own; Rest and Limit are those of PeersOptions
}

// PeersOptions shape what is between instances. The zero value is quiet wires.
type PeersOptions struct {
	Seed   uint64
	Delay  Range   // of a message; zero: 100 µs to 2 ms
	Found  Range   // from when they can until two have found each other; zero: 10 to 200 ms
	Lost   float64 // the share of messages that are lost, and sent again unless there are newer ones
	Double float64 // that come twice
	Slow   float64 // that take up to a hundred times as long
	Rest   time.Duration
	Limit  time.Duration
}

// Peers is several worlds in one virtual time, each with its own coordinator and nodes, and the wires between them.
type Peers struct {
	*timeline
	opt    PeersOptions
	random *rand.Rand
	worlds []*World
	ends   []*end
	quiet  time.Duration // since when nothing is to be waited for; negative: something is
	guard  peersGuard
	trace  *PeersTrace
}

// PeersTrace is what happened in a run of several.
type PeersTrace struct {
	Names  []string
	Worlds []*Trace
	Faults []string // of all
	End    time.Duration
}

// NewPeers returns worlds that begin at time zero.
func NewPeers(peers []Peer, opt PeersOptions) *Peers {
	opt.Delay = opt.Delay.or(100*time.Microsecond, 2*time.Millisecond)
	opt.Found = opt.Found.or(10*time.Millisecond, 200*time.Millisecond)
	opt.Rest = or(opt.Rest, 5*time.Second)
	opt.Limit = or(opt.Limit, 30*time.Minute)
	p := &Peers{timeline: &timeline{}, opt: opt, random: rand.New(rand.NewPCG(opt.Seed, 3)), quiet: -1, trace: &PeersTrace{}}
	p.guard.peers = p
	for i, peer := range peers {
		w := newWorld(peer.Net, peer.Options, p.timeline)
		w.end = &end{peers: p, world: w, index: i, hash: peer.Net.Machine.Hash(), least: disarmed(peer.Net.Machine), hears: make([]*link, len(peers))}
		p.worlds, p.ends = append(p.worlds, w), append(p.ends, w.end)
		p.trace.Names, p.trace.Worlds = append(p.trace.Names, peer.Options.Name), append(p.trace.Worlds, w.trace)
	}
	for _, to := range p.ends {
		for _, from := range p.ends {
			if from != to {
				to.hears[from.index] = &link{from: from, to: to, lostAt: -1}
			}
		}
	}
	return p
}

// World returns the i-th, to be told stories.
func (p *Peers) World(i int) *World { return p.worlds[i] }

// Run goes on until all stories are told and nothing has been left to wait for anywhere for a while.
func (p *Peers) Run() *PeersTrace {
	for !p.queue.empty() && !p.broken() && !p.restful() {
		e := p.queue.pop()
		if e.at > p.opt.Limit {
			p.guard.fault("does not come to rest within %v", p.opt.Limit)
			break
		}
		p.now = max(p.now, e.at)
		e.do()
		for _, w := range p.worlds {
			w.tell()
		}
		p.guard.look()
	}
	for i, w := range p.worlds {
		w.quiet = p.quiet
		w.finish()
		for _, f := range w.trace.Faults {
			p.trace.Faults = append(p.trace.Faults, p.trace.Names[i]+" "+f)
		}
	}
	p.guard.atEnd()
	p.trace.End = p.now
	return p.trace
}

func (p *Peers) broken() bool {
	return slices.ContainsFunc(p.worlds, func(w *World) bool { return w.brain.broken })
}

// restful says whether the run is over.
func (p *Peers) restful() bool {
	for _, w := range p.worlds {
		if !w.storiesTold() || !w.brain.resting() {
			p.quiet = -1
			return false
		}
	}
	if p.quiet < 0 {
		p.quiet = p.now
	}
	return p.queue.next() > p.quiet+p.opt.Rest
}

func (p *Peers) delay() time.Duration {
	d := p.draw(p.opt.Delay)
	if p.chance(p.opt.Slow) {
		d *= time.Duration(1 + p.random.IntN(100))
	}
	return d
}

func (p *Peers) draw(r Range) time.Duration {
	if r.Max <= r.Min {
		return r.Min
	}
	return r.Min + time.Duration(p.random.Int64N(int64(r.Max-r.Min)+1))
}

func (p *Peers) chance(share float64) bool { return share > 0 && p.random.Float64() < share }

// divide cuts the wires between all that are not on the same side, and joins those that are.
func (p *Peers) divide(sides []int) {
	for i, e := range p.ends {
		e.side = 0
		if i < len(sides) {
			e.side = sides[i]
		}
	}
	for _, to := range p.ends {
		for _, l := range to.hears {
			switch {
			case l == nil:
			case l.from.side == to.side:
				l.discover()
			case l.matched:
				l.matched = false
				l.watch("it is cut off", livelinessLease)
			}
		}
	}
}

// Cut parts instances: those with the same number, by their index, still hear each other. Heal joins all.
type (
	Cut  struct{ Sides []int }
	Heal struct{}
)

// Return starts a coordinator again that has ended by itself, Rise also one that was killed.
type (
	Return struct{}
	Rise   struct{}
)

// In does something to another instance, the one of that index.
type In struct {
	World int
	Do    Act
}

// Plain is a peer that speaks only the seed's four fields: a message of it, heard by whoever listens now.
type Plain struct {
	Name, Source, Event, Target string
}

func (a Cut) String() string    { return fmt.Sprintf("cut the instances into sides %v", a.Sides) }
func (a Heal) String() string   { return "join all instances" }
func (a Return) String() string { return "start the coordinator again" }
func (a Rise) String() string   { return "start the coordinator again" }
func (a In) String() string     { return fmt.Sprintf("to instance %d: %v", a.World, a.Do) }
func (a Plain) String() string {
	return fmt.Sprintf("%s says %s from %s to %s", a.Name, a.Event, a.Source, a.Target)
}

func (a Cut) act(w *World)  { w.end.peers.divide(a.Sides) }
func (a Heal) act(w *World) { w.end.peers.divide(nil) }
func (a Return) act(w *World) {
	if b := &w.brain; b.gone {
		w.note("the coordinator starts again")
		b.life++
		w.trace.Exit = nil
		b.start(b.last)
	}
}

func (a Rise) act(w *World) { w.brain.rises() }
func (a In) act(w *World)   { a.Do.act(w.end.peers.worlds[a.World]) }

func (a Plain) act(w *World) {
	p := w.end.peers
	said := mirror.Change{Name: a.Name, SourceState: a.Source, Event: a.Event, TargetState: a.Target}
	for _, e := range p.ends {
		if e.side == w.end.side {
			p.queue.push(p.now+p.delay(), func() { e.world.brain.take(letter{plainly(said), func() { e.world.guard.hearsPlain(said) }}) })
		}
	}
}

// Goals returns the goals that were asked of all of them.
func (t *PeersTrace) Goals() []*Goal {
	var all []*Goal
	for _, w := range t.Worlds {
		all = append(all, w.Goals...)
	}
	return all
}

// String is the whole run for a person, all instances in one, in the order of time.
func (t *PeersTrace) String() string {
	var b strings.Builder
	next := make([]int, len(t.Worlds))
	for {
		first := -1
		for i, w := range t.Worlds {
			for next[i] < len(w.lines) && w.lines[next[i]].untold() {
				next[i]++
			}
			if next[i] < len(w.lines) && (first < 0 || w.lines[next[i]].at < t.Worlds[first].lines[next[first]].at) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		l := t.Worlds[first].lines[next[first]]
		next[first]++
		fmt.Fprintf(&b, "%12v %s %c %v\n", l.at, t.Names[first], l.way, l.what)
	}
	for _, f := range t.Faults {
		fmt.Fprintf(&b, "FAULT %s\n", f)
	}
	return b.String()
}
