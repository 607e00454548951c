package simnet

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"rstate/internal/dispatch"
	"rstate/internal/engine"
	"rstate/internal/latch"
)

// spin is how many inputs may follow each other at one moment before the engine counts as spinning.
const spin = 100_000

// brain is the coordinator: it feeds the engine and carries out what it wishes. It can be stopped like a process, and
// killed and started again; its nodes know nothing of that.
type brain struct {
	world     *World
	state     *engine.State
	published *engine.Snapshot // the newest that it has shown
	unshown   int              // steps that have shown nothing
	life      uint64           // counts starts and deaths; answers to an earlier life are dropped
	up        bool
	stalled   bool
	late      bool // the process runs, and only its loop stands still
	inbox     []letter
	wakes     uint64 // only the newest wish to be woken counts
	kills     int
	stalls    int
	stallArm  int
	effects   int
	heard     engine.Input   // in the newest step
	turn      dispatch.Turn  // of that
	watch     dispatch.Watch // of the loop for its gaps
	// effects of the turn are being carried out, or it was stopped among them: nothing is fed meanwhile
	carrying bool
	decided  time.Duration // when the engine decided them
	held     time.Duration // how late the effects are that are being carried out
	ahead    time.Duration // how much further its steady clock is than the world's time
	shown    string
	aim      string // what it does, in a word, and where it settled last
	settled  string
	last     string // the settled state in which its journal ends
	// what that means: the fingerprint of the network that settled there; empty: of the first file
	means   string
	armed   map[string]bool            // the nodes that its journal says may be armed
	disarms map[string]engine.Leftover // by which calls
	notes   map[string]engine.Noted    // and what else it says of them
	given   []engine.Ordered           // orders to disarm that its journal knows, by the lives that gave them
	latches []latch.Latch              // stops that its journal knows
	ended   *lifeEnd                   // of the life before; nil: there was none
	lossy   bool                       // its disk has not taken everything
	broken  bool                       // it panicked or spins: the run is over
	gone    bool                       // it said Exit

	awake time.Duration // since when it is not stalled
	stood time.Duration // for how long it was before that
	anew  time.Duration // when it last went on after a stall after which nothing of before holds; negative: it has not
	began time.Duration // this life

	spinAt  time.Duration
	spinFor int
}

func (b *brain) start(last string) {
	b.life++
	b.up, b.stalled, b.inbox, b.gone = true, false, nil, false
	b.turn, b.carrying, b.held = dispatch.Turn{}, false, 0
	b.shown, b.aim, b.settled = "", "starting", ""
	b.anew, b.began, b.ahead = -1, b.world.now, b.world.ahead()
	b.world.check.listens()
	b.world.reads()
	opt := engine.Options{
		Instance: b.instance(), Name: b.world.opt.Name, Listen: b.world.opt.Listen, Last: last,
		Leftovers: b.world.leftovers(), Noted: b.noted(),
		Latches: b.latches, Unheard: b.unheard(),
		Unsure: b.lossy || b.life == 1 && b.world.opt.Unsure, Silent: b.world.opt.Silent,
	}
	if !opt.Unsure {
		opt.Ordered = b.given
	}
	b.given = orderedBy(b.given, b.instance(), 0)
	if last != "" && b.world.another(b.means) {
		opt.Last, opt.NotLast = "", last+" in the journal does not count: it is of another network file"
		b.world.note("%s", opt.NotLast)
	}
	b.state = engine.New(b.world.net, opt)
	b.world.note("the coordinator starts; its journal ends in %q", last)
	b.world.end.meets("starts")
	b.deliver(engine.Tick{})
	b.world.disk.tell(b)
	b.forgetsStops()
	b.world.showAllButtons()
	b.tellServers()
	for _, n := range b.world.nodes {
		n.restarts()
		n.forgetServers()
		n.expose()
		b.world.queue.push(b.world.now+b.world.draw(b.world.opt.Discovery), func() {
			if !n.graph && len(n.procs) > 0 {
				n.announce()
				for _, p := range n.procs {
					if p.alive && p.seen {
						p.matches()
					}
				}
			}
		})
	}
	b.world.end.begins()
}

// noted is what the journal says of the nodes that may be armed.
func (b *brain) noted() []engine.Noted {
	var list []engine.Noted
	for _, name := range slices.Sorted(maps.Keys(b.armed)) {
		list = append(list, b.notes[name])
	}
	return list
}

// instance is the name of this life. Where there are others it begins with the time, as real ones do.
func (b *brain) instance() string {
	if b.world.end == nil {
		return fmt.Sprintf("instance %d", b.life)
	}
	return fmt.Sprintf("%07d%s", b.began.Milliseconds(), b.world.opt.Name)
}

func (b *brain) kill(downFor time.Duration) {
	w := b.world
	if !b.up {
		return
	}
	w.note("the coordinator is killed")
	w.trace.Died = w.now
	b.up, b.stalled, b.turn, b.carrying = false, false, dispatch.Turn{}, false
	b.life++
	b.ended = &lifeEnd{at: w.now}
	w.end.meets("is killed")
	w.end.leavesBehind()
	w.end.ends("it does not renew its liveliness", livelinessLease)
	w.check.recorded()
	w.check.leaves(true)
	life := b.life
	w.queue.push(w.now+downFor, func() {
		if life == b.life {
			b.start(b.last)
		}
	})
}

func (b *brain) rises() {
	if !b.up {
		b.world.note("the coordinator starts again")
		b.world.trace.Exit = nil
		b.start(b.last)
	}
}

// resting reports whether nothing is under way that a run should wait for.
func (b *brain) resting() bool {
	if b.gone {
		return true
	}
	if !b.up || b.stalled || b.openGoals() > 0 || b.shown == "" || b.shown == "unknown" {
		return false
	}
	s, ok := b.world.net.Machine.State(b.shown)
	return ok && !s.Passing && !s.Final && b.aim == atRest
}

// openGoals counts the open goals without those that wait for the loop. Those that wait for peers have a deadline.
func (b *brain) openGoals() int {
	w := b.world
	count := w.check.open
	if w.net.Loop == nil || count == 0 {
		return count
	}
	list := b.state.Snapshot().OpenGoals
	for _, a := range w.trace.Goals {
		waits := slices.Contains(list, a.Handle) || a.ID != "" && slices.Contains(list, a.ID)
		if waits && !a.Finished && !a.Rejected && !a.Orphaned && (w.opens(a.Command) || w.defers(a.Command)) {
			count--
		}
	}
	return count
}

// letter is an input on its way in. hear, if there is one, is called when it is read: the checker's knowledge of what
// the coordinator knows.
type letter struct {
	in   engine.Input
	hear func()
}

// seen is what a client has read: the newest, because it asks after it has read.
func (b *brain) seen() string {
	if b.state == nil {
		return ""
	}
	return b.state.Seen()
}

func (b *brain) deliver(in engine.Input) { b.take(letter{in: in}) }

func (b *brain) take(l letter) {
	switch {
	case !b.up || b.broken:
	case b.stalled:
		b.inbox = append(b.inbox, l)
	default:
		if l.hear != nil {
			l.hear()
		}
		b.step(l.in)
	}
}

func (b *brain) step(in engine.Input) {
	w := b.world
	w.trace.add(w.now, '>', in)
	if b.carrying {
		w.check.fault("%v is heard before all that was wished is carried out", in)
	}
	if b.spinAt != w.now {
		b.spinAt, b.spinFor = w.now, 0
	}
	if b.spinFor++; b.spinFor > spin {
		b.broken = true
		w.check.fault("the engine spins at %v", w.now)
		return
	}
	b.coversInput(in)
	effects, ok := b.decide(in)
	if !ok {
		return
	}
	b.aims(effects)
	if _, anew := in.(engine.Stalled); anew {
		b.anew = w.now
	}
	b.heard = in
	w.check.decides(effects)
	b.turn, b.decided, b.carrying = dispatch.Begin(effects, b.state), w.now, true
	b.watch.Begin(w.now)
	b.carryAll()
}

// decide asks the engine; a panic in it is a fault of the run, not the end of the test.
func (b *brain) decide(in engine.Input) (effects []engine.Effect, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			b.broken = true
			b.world.check.fault("the engine panics on %v: %v\n%s", in, p, debug.Stack())
		}
	}()
	b.state, effects = engine.Step(b.state, b.world.time(), in)
	return effects, true
}

func (b *brain) carry(e engine.Effect) {
	w := b.world
	switch e := e.(type) {
	case engine.ReadState:
		if !w.nodes[e.Node].told {
			w.check.fault("%s is read, which is not there", w.nodes[e.Node].spec.Name)
		}
		w.send(w.nodes[e.Node], request{kind: 'r', id: e.Ticket, watch: e.Watch})
	case engine.CallNode:
		n := w.nodes[e.Node]
		c := w.check.calls(n, e)
		w.happens(occurrence{kind: 'c', node: n.spec.Name, step: e.Transition.Label})
		w.send(n, request{kind: 'c', id: e.Call, do: e.Transition, entry: c})
	case engine.SendLease:
		w.leased(e.Message)
	case engine.CountTopics:
		w.counts(e.Every)
	case engine.CallCheck:
		w.asks(e)
	case engine.ArmNode:
		n := w.nodes[e.Node]
		c := w.check.armsNode(n, e)
		w.happens(occurrence{kind: 'c', node: n.spec.Name, step: c.Do})
		if e.Arms() && w.heldUp.waiting && w.now < w.heldUp.till { // A8: it leaves after the lease, or not at all
			w.note("%v is not sent: the middleware does not take the lease", e)
			c.fate("lost")
			return
		}
		w.send(n, request{kind: 'a', id: e.Call, arm: e.Arms(), entry: c})
	case engine.DisarmLeftover:
		w.disarmLeftover(e)
	case engine.Show:
		w.toldGuards()
		w.shows++
		w.check.shown = e.Snapshot // nil: it is gathered
		if e.Snapshot != nil {
			w.check.display = e.Snapshot
		}
		if e.State != "" {
			b.shown = e.State
			w.check.shows(e.State)
			w.happens(occurrence{kind: 's', state: e.State})
		}
	case engine.PublishChange:
		w.check.publishes(e.Change)
		w.end.publishes(e.Change)
	case engine.TellPeers:
		w.check.tells(e.Status)
		w.end.told(e.Status)
	case engine.AnswerAcknowledge:
		w.check.acknowledged(e)
	case engine.Record:
		b.journal(e.Entry)
	case engine.SyncJournal:
		w.disk.sync(b, e.Ticket)
	case engine.StartLoop, engine.StopLoop, engine.ResetLoop, engine.LoseStepper:
		w.drives().carry(e)
	case engine.TakeName:
		w.check.takes()
	case engine.WakeAt:
		b.wakeAt(e.Steady)
	case engine.Exit:
		b.up, b.gone = false, true
		b.ended = &lifeEnd{at: w.now, orderly: true}
		w.trace.Exit = &e
		w.check.leaves(false)
		w.end.ends("it has left", leavesWithin)
		w.happens(occurrence{kind: 'x'})
	default:
		w.check.goal(e)
	}
}

// journal keeps what a restart reads: the settled state in which the journal ends, or none. What the disk does not
// take is not there after a restart.
func (b *brain) journal(e engine.Entry) {
	if e.Kind == engine.EntryState && !b.world.disk.bad() {
		b.last = ""
		if e.Event == engine.EventSettled {
			b.last, b.means = e.State, e.Meaning.Network
		}
	}
	if e.Orders > 0 && !b.world.disk.bad() {
		b.given = orderedBy(b.given, b.instance(), e.Orders)
	}
	b.remembersStops(e)
	switch {
	case b.world.disk.bad():
		b.lossy = true
	case e.Kind == engine.EntryNode && e.Event == engine.EventMayBeArmed:
		b.armed[e.Node] = true
		b.notes[e.Node] = engine.Noted{Node: e.Node, Lease: e.Disarm.Lease, Proof: e.Disarm.Proof,
			Open: !e.Disarm.Armed}
		b.disarms[e.Node] = engine.Leftover{Node: e.Node, Service: e.Disarm.Service, Type: e.Disarm.Type,
			Lease: e.Disarm.Lease}
	case e.Kind == engine.EntryNode && e.Event == engine.EventDisarmed:
		delete(b.armed, e.Node)
	}
	b.world.check.entry(e)
}

// orderedBy notes how many orders to disarm a life has given, in a list of its own.
func orderedBy(list []engine.Ordered, life string, n uint64) []engine.Ordered {
	list = slices.DeleteFunc(slices.Clone(list), func(o engine.Ordered) bool { return o.Instance == life })
	return append(list, engine.Ordered{Instance: life, N: n})
}

func (b *brain) wakeAt(when time.Duration) {
	b.wakes++
	mine, life := b.wakes, b.life
	b.world.queue.push(max(when-b.ahead, b.world.now), func() {
		if mine == b.wakes && life == b.life {
			b.deliver(engine.Tick{})
		}
	})
}
