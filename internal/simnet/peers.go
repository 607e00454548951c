package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
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
	opt PeersOptions
	dice
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
	p := &Peers{timeline: &timeline{}, opt: opt, dice: diceOf(opt.Seed, 3), quiet: -1, trace: &PeersTrace{}}
	p.guard.peers = p
	for i, peer := range peers {
		w := newWorld(peer.Net, peer.Options, p.timeline)
		w.end = &end{peers: p, world: w, index: i, hash: peer.Net.Machine.Hash(), least: disarmed(peer.Net.Machine),
			hears: make([]*link, len(peers))}
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

// World returns the world of one instance.
func (p *Peers) World(i int) *World { return p.worlds[i] }

// Run goes on until all stories have ended and nothing has been left to wait for anywhere for a while.
func (p *Peers) Run() *PeersTrace {
	for !p.queue.empty() && !p.broken() && !p.restful() {
		if p.queue.next() > p.opt.Limit {
			p.guard.fault("does not come to rest within %v", p.opt.Limit)
			break
		}
		p.next(p.worlds...)
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

func (p *Peers) delay() time.Duration { return p.message(p.opt.Delay, p.opt.Slow) }

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

// In does something to another instance, the one of that index.
type In struct {
	World int
	Do    Act
}

// Plain is a peer that speaks only the seed's four fields: a message of it, heard by all that listen now.
type Plain struct {
	Name, Source, Event, Target string
}

func (a Cut) act(w *World)  { w.end.peers.divide(a.Sides) }
func (a Heal) act(w *World) { w.end.peers.divide(nil) }
func (a In) act(w *World)   { a.Do.act(w.end.peers.worlds[a.World]) }

func (a Plain) act(w *World) {
	p := w.end.peers
	said := mirror.Change{Name: a.Name, SourceState: a.Source, Event: a.Event, TargetState: a.Target}
	for _, e := range p.ends {
		if e.side == w.end.side {
			p.queue.push(p.now+p.delay(), func() {
				e.world.brain.take(letter{engine.PeerChanged{Change: said}, func() { e.world.check.hearsPlain(said) }})
			})
		}
	}
}

// Goals returns the goals of all instances.
func (t *PeersTrace) Goals() []*Goal {
	var all []*Goal
	for _, w := range t.Worlds {
		all = append(all, w.Goals...)
	}
	return all
}

// String is the whole run for a person, all instances in one, in the order of time.
func (t *PeersTrace) String() string {
	names := make([]string, len(t.Names))
	for k, name := range t.Names {
		names[k] = name + " "
	}
	return tell(names, t.Worlds, t.Faults)
}
