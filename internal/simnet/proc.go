package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// node is a name in the network, with the processes that bear it.
type node struct {
	world  *World
	index  int
	spec   *network.Node
	script Script
	used   []int // how often each On was
	procs  []*proc
	epochs uint64

	arms, disarms, readings int
	armedBy                 uint64 // the life of the coordinator that has asked it to arm last
	requests                uint64 // to arm or to disarm
	topics                  []topic
	share                   float64 // of the rates of its checked topics that they come at
	careless                bool    // it offers what is unsafe although it is not armed
	exposed                 bool    // the graph shows what is unsafe
	knownUnsafe             bool    // and the coordinator was told, and it is not for being armed
	fails                   bool    // its checked services say no
	energised               bool    // a process left it armed without a lease, and none has been disarmed since
	knownLeft               bool    // and the coordinator has heard that this one is no more

	// What the guard knows of it.
	graph    bool            // the coordinator's side of the graph shows it
	told     bool            // the coordinator was told last that it is there
	epoch    uint64          // as the coordinator was told last
	count    int             // the same
	known    []uint64        // the epochs of which the coordinator has had evidence in its present life
	heard    time.Duration   // when the newest evidence that the coordinator has was made
	heardAt  time.Duration   // when it began to come
	last     time.Duration   // when it came last
	newest   uint64          // its number
	evidence lifecycle.State // what that said
	foreign  time.Duration   // when somebody else last changed where it is
	turn     int             // how many states had been shown when it was first asked of this transition
	began    int             // the level to which the present transition may take it back
	said     time.Duration   // when it last answered to arming or disarming
	flight   []*Call         // transitions on their way to it or running in it
	wire     map[uint64]*Call

	silentSince time.Duration // since when nothing of it is to be heard; negative: something is
	unfitSince  time.Duration // since when its checks ought to fail; negative: they ought not
}

// proc is one process. A dead one counts as living until its death is noticed.
type proc struct {
	node    *node
	epoch   uint64
	state   lifecycle.State
	armed   bool
	alive   bool
	frozen  bool
	cut     bool   // no message reaches it or leaves it
	busy    bool   // a transition's callback runs
	arming  bool   // a callback that arms or disarms runs
	handled uint64 // the newest request to arm or disarm that it has done
	lease   lease.Receiver
	told    []vouch       // the messages of the lease that it got lately, in true time
	newest  said          // of them all
	taken   said          // the newest that counted
	over    []said        // messages of the terms that have run out
	vouched time.Duration // until when it may be armed by them, in true time
	lapsed  bool          // it has disarmed by itself since it was last told what to do
	armedAt time.Duration // when it was last asked to arm or disarm, and did
	clock   time.Duration // what its steady clock is ahead of ours
	late    bool          // it has done an older one after it: nobody was told, and nothing but the node itself could tell
	tardy   bool          // and that one no coordinator could be waiting for any more
	seen    bool          // the graph shows it
	matched time.Duration
	ways    [3]time.Duration // when the newest message on each of its ways arrives: none overtakes another on its own way
	asked   time.Duration    // when the newest request arrives
	inbox   []request        // not looked at yet
	after   []func()         // what a frozen process will do when it goes on
}

// request is one request on its way to a process, from one life of the coordinator.
type request struct {
	kind  byte // 'r' get_state, 'c' change_state, 'a' arm or disarm, 'k' a check
	check int
	id    uint64
	do    lifecycle.Transition
	arm   bool
	loss  Loss
	life  uint64
	entry *Call
}

// living returns the processes that are not dead.
func (n *node) living() []*proc {
	var list []*proc
	for _, p := range n.procs {
		if p.alive {
			list = append(list, p)
		}
	}
	return list
}

// truth is where the node is, and whether anybody lives; of two of one name the older counts.
func (n *node) truth() (lifecycle.State, bool) {
	for _, p := range n.procs {
		if p.alive {
			return p.state, true
		}
	}
	return lifecycle.Unknown, false
}

// process is the oldest living one, or nil.
func (n *node) process() *proc {
	for _, p := range n.procs {
		if p.alive {
			return p
		}
	}
	return nil
}

func (n *node) armed() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && p.armed })
}

// overtaken says whether a process has done an older request to arm or to disarm after a newer one.
func (n *node) overtaken() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && p.late })
}

// belated says whether a process has done an older disarm after it was armed, and so late that nobody waits for it.
func (n *node) belated() bool {
	return slices.ContainsFunc(n.procs, func(p *proc) bool { return p.alive && p.tardy })
}

// birth starts a process of that name.
func (n *node) birth(state lifecycle.State, armed bool) *proc {
	w := n.world
	n.epochs++
	if state == lifecycle.Unknown {
		state = lifecycle.Unconfigured
	}
	n.foreign = w.now
	seen := w.now + w.draw(w.opt.Discovery)
	p := &proc{node: n, epoch: n.epochs, state: state, armed: armed, alive: true, matched: seen + n.script.Matched, clock: w.ahead()}
	n.procs = append(n.procs, p)
	w.note("%s is born (%v)", n.spec.Name, state)
	w.queue.push(seen, func() {
		if p.seen = !p.cut; p.seen && slices.Contains(n.procs, p) {
			n.announce()
			p.catchUp()
		}
	})
	return p
}

// announce tells the coordinator who bears the name, as the graph has it now.
func (n *node) announce() {
	var newest *proc
	count := 0
	for _, p := range n.procs {
		if !p.seen {
			continue
		}
		if count++; newest == nil || p.epoch > newest.epoch {
			newest = p
		}
	}
	if newest == nil {
		if n.graph {
			n.graph = false
			n.world.brain.take(letter{engine.NodeLost{Node: n.index, Why: "left the graph"}, func() { n.told = false; n.departs() }})
		}
		return
	}
	n.graph = true
	seen := engine.NodeSeen{Node: n.index, Epoch: newest.epoch, Count: count}
	n.world.brain.take(letter{seen, func() {
		if n.told && n.epoch != seen.Epoch {
			n.departs()
		}
		n.told, n.epoch, n.count = true, seen.Epoch, seen.Count
	}})
}

// die ends a process; the graph notices later.
func (p *proc) die() {
	w, n := p.node.world, p.node
	if !p.alive {
		return
	}
	n.energised = n.energised || p.abandons()
	p.alive, p.busy, p.arming, p.inbox, p.after = false, false, false, nil, nil
	n.foreign = w.now
	w.note("%s dies", n.spec.Name)
	w.happens(occurrence{kind: 'd', node: n.spec.Name})
	n.expose()
	w.queue.push(w.now+w.opt.Notice, func() {
		n.procs = slices.DeleteFunc(n.procs, func(o *proc) bool { return o == p })
		n.announce()
	})
}

// part cuts a living process off; the graph notices later.
func (p *proc) part() {
	w, n := p.node.world, p.node
	if !p.alive || p.cut {
		return
	}
	p.cut = true
	n.energised = n.energised || p.abandons()
	n.foreign = w.now
	w.note("%s is cut off", n.spec.Name)
	w.queue.push(w.now+w.opt.Notice, func() {
		if p.cut && p.seen {
			p.seen = false
			n.announce()
		}
	})
}

// join ends that. Who is found again is a new epoch: nobody can tell what became of it meanwhile.
func (p *proc) join() {
	w, n := p.node.world, p.node
	if !p.alive || !p.cut {
		return
	}
	p.cut = false
	n.foreign = w.now
	w.note("%s is joined again", n.spec.Name)
	w.queue.push(w.now+w.draw(w.opt.Discovery), func() {
		if !p.cut && !p.seen && slices.Contains(n.procs, p) {
			n.epochs++
			p.epoch, p.seen = n.epochs, true
			n.announce()
			p.catchUp()
		}
	})
}

// run does something in the process, at once or when it goes on; a dead one does nothing.
func (p *proc) run(do func()) {
	switch {
	case !p.alive:
	case p.frozen:
		p.after = append(p.after, do)
	default:
		do()
	}
}

// receive takes a request off the wire.
func (p *proc) receive(r request) {
	w := p.node.world
	if !p.alive || p.cut || w.now < p.matched {
		r.entry.fate("lost")
		return
	}
	if p.frozen || ((p.busy || p.arming) && !p.node.script.Parallel) {
		p.inbox = append(p.inbox, r)
		return
	}
	switch r.kind {
	case 'r':
		p.answer(r, engine.StateRead{Node: p.node.index, Ticket: r.id, State: p.state}, 0)
	case 'a':
		p.takeArm(r)
	case 'k':
		p.check(r)
	default:
		p.change(r)
	}
}

// drain looks at what came while the process was busy or frozen.
func (p *proc) drain() {
	for p.alive && !p.frozen && !p.busy && !p.arming && len(p.inbox) > 0 {
		r := p.inbox[0]
		p.inbox = p.inbox[1:]
		p.receive(r)
	}
}

// change begins a transition, or refuses one that is not legal here.
func (p *proc) change(r request) {
	n, w := p.node, p.node.world
	if p.busy || !legal(p.state, r.do.Label) {
		w.guard.illegal(n, p, r)
		r.entry.fate("illegal in " + p.state.String())
		p.answer(r, engine.CallAnswered{Node: n.index, Call: r.id, Success: false}, 0)
		return
	}
	o := n.on(r.do.Label)
	if o.Loss != None {
		r.loss = o.Loss
	}
	if r.loss == LoseRequest {
		r.entry.fate("lost")
		return
	}
	if o == (On{}) {
		o = w.improvise()
	}
	from := p.state
	p.busy = true
	w.happens(occurrence{kind: 'b', node: n.spec.Name, step: r.do.Label})
	p.enter(r.do.Passing(), o.Events)
	if o.End == Hang {
		return
	}
	w.queue.push(w.now+w.work(o.Takes), func() { p.run(func() { p.end(r, o, from) }) })
}

// end is the return of a callback.
func (p *proc) end(r request, o On, from lifecycle.State) {
	w := p.node.world
	switch o.End {
	case Die:
		r.entry.fate("died")
		p.die()
		return
	case Err, ErrFatal:
		p.enter(lifecycle.ErrorProcessing, o.Events)
		w.queue.push(w.now+o.OnError, func() {
			p.run(func() {
				to := lifecycle.Unconfigured
				if o.End == ErrFatal {
					to = lifecycle.Finalized
				}
				p.finish(r, o, to, false)
			})
		})
	case Refuse:
		to := from
		if r.do.Label == "shutdown" {
			to = lifecycle.Finalized // what a node does whose on_shutdown fails
		}
		p.finish(r, o, to, false)
	case Lie:
		o.Events = Lost
		p.finish(r, o, from, true)
	default:
		p.finish(r, o, r.do.Target(), true)
	}
}

func (p *proc) finish(r request, o On, to lifecycle.State, success bool) {
	p.enter(to, o.Events)
	p.busy = false
	r.entry.fate(to.String())
	p.answer(r, engine.CallAnswered{Node: p.node.index, Call: r.id, Success: success}, o.Late)
	p.drain()
}

// enter changes the state of the process and announces it.
func (p *proc) enter(to lifecycle.State, how Events) {
	n, w := p.node, p.node.world
	from := p.state
	p.state = to
	p.armed = p.armed && to != lifecycle.Unconfigured && to != lifecycle.Finalized
	p.ends(to)
	n.expose()
	w.note("%s: %v to %v", n.spec.Name, from, to)
	if how == Lost || w.chance(w.opt.Noise.Event) {
		return
	}
	late := time.Duration(0)
	if how == Behind {
		late = 50 * w.opt.Latency.Max
	}
	heard := engine.EventHeard{Node: n.index, Epoch: p.epoch, From: from, To: to}
	w.post(p, late, heard)
}

// takeArm takes a request to arm or to disarm.
func (p *proc) takeArm(r request) {
	n, w := p.node, p.node.world
	how := n.reply(r.arm)
	if how == (Reply{}) {
		how = w.improviseReply()
	}
	if how.Silent {
		return
	}
	n.requests++
	turn := n.requests
	p.arming = true
	unfit := func() bool {
		return r.arm && n.spec.Lifecycle && (p.state == lifecycle.Unconfigured || p.state == lifecycle.Finalized)
	}
	w.queue.push(w.now+how.Takes, func() {
		p.run(func() {
			p.arming = false
			defer p.drain()
			how.No = how.No || unfit() // nothing is armed in a process that is not configured
			if !how.No {
				p.armedAt, p.lapsed = w.now, false
				if r.arm && n.follows() { // the call waits for a lease that holds, but not for long
					w.queue.push(w.now+leaseWait, func() { p.run(p.lapse) })
					w.queue.push(w.now+leaseWait+leaseSlack, func() { w.guard.outlives(p) })
				}
				defer n.expose()
				p.armed, p.late, p.handled = r.arm, turn < p.handled, max(turn, p.handled)
				gaveUp := w.now+engine.Stall >= r.entry.At+n.spec.Deadline.Disarm || r.life != w.brain.life
				p.tardy = p.late && !r.arm && gaveUp
				if !r.arm {
					n.tended()
				}
				w.note("%s is %s", n.spec.Name, map[bool]string{true: "armed", false: "disarmed"}[r.arm])
			}
			if !how.Mute {
				p.answer(r, engine.ArmAnswered{Node: n.index, Call: r.id, Arm: r.arm, Success: !how.No, Message: how.Says}, 0)
			}
		})
	})
}

// answer puts an answer on the wire.
func (p *proc) answer(r request, in engine.Input, late time.Duration) {
	w := p.node.world
	if r.loss == LoseAnswer || w.chance(w.opt.Noise.Answer) || r.life != w.brain.life {
		return
	}
	w.post(p, late, in)
	if r.loss == Double || w.chance(w.opt.Noise.Double) {
		w.post(p, late+w.opt.Latency.Max, in)
	}
}
