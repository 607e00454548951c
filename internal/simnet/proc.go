package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/plan"
)

// proc is one process. A dead one counts as living until its death is noticed.
type proc struct {
	node     *node
	epoch    uint64
	state    lifecycle.State
	armed    bool
	alive    bool
	server   bool // it serves the arm of its node, and is not the node
	refuses  bool // it says no to every request to arm or disarm
	frozen   bool
	cut      bool          // no message reaches it or leaves it
	mistaken bool          // the coordinator was told that it has ended, and it lives
	endTold  time.Duration // when that was
	spoken   bool          // and another process of its name is disarmed or finalized since
	busy     bool          // a transition's callback runs
	arming   bool          // a callback that arms or disarms runs
	handled  uint64        // the newest request to arm or disarm that it has done
	lease    lease.Receiver
	told     []vouch        // the messages of the lease that it got lately, in true time
	newest   said           // of them all
	sources  []lease.Source // whose messages it got
	over     []said         // messages of the terms that have run out
	vouched  time.Duration  // until when it may be armed by them, in true time
	lapsed   bool           // it has disarmed by itself since it was last told what to do
	waits    *armCall       // a call to arm that waits for a lease
	armedAt  time.Duration  // when it was last asked to arm or disarm, and did
	clock    time.Duration  // what its steady clock is ahead of ours
	late     bool           // it has done an older one after it, which only the node itself knows
	tardy    bool           // and that one no coordinator could be waiting for any more
	seen     bool           // the graph shows it
	matched  time.Duration
	// when the newest message on each of its ways arrives: none overtakes another on its own way
	ways    [3]time.Duration
	asked   time.Duration // when the newest request arrives
	inbox   []request     // not looked at yet
	after   []func()      // what a frozen process will do when it goes on
	latched Report        // its newest report, which is kept for subscribers that come later; no Word: none
	latchAt time.Duration // when it was published
}

// request is one request on its way to a process, from one life of the coordinator.
type request struct {
	kind     byte // 'r' get_state, 'c' change_state, 'a' arm or disarm, 'k' a check
	check    int
	id       uint64
	do       lifecycle.Transition
	arm      bool
	leftover int  // of one that the file does not arm: its number there, and one
	several  bool // more than one process was in the graph when it was asked
	loss     Loss
	watch    bool // a read of the watch
	life     uint64
	guard    bool // a guard asks
	entry    *Call
}

func (p *proc) die() {
	w, n := p.node.world, p.node
	if !p.alive {
		return
	}
	n.energised = n.energised || p.abandons()
	p.alive, p.busy, p.arming, p.inbox, p.after, p.waits = false, false, false, nil, nil, nil
	n.disturbed()
	w.note("%s dies", n.spec.Name)
	w.happens(occurrence{kind: 'd', node: n.spec.Name})
	n.expose()
	p.ended()
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
	n.disturbed()
	w.note("%s is cut off", n.spec.Name)
	w.queue.push(w.now+w.opt.Notice, func() {
		if p.cut && p.seen {
			p.seen = false
			n.announce()
		}
	})
}

// join ends that. A process that is found again is a new epoch: what became of it meanwhile is unknown.
func (p *proc) join() {
	w, n := p.node.world, p.node
	if !p.alive || !p.cut {
		return
	}
	p.cut, p.spoken = false, false
	n.disturbed()
	w.note("%s is joined again", n.spec.Name)
	w.queue.push(w.now+w.draw(w.opt.Discovery), func() {
		if !p.cut && !p.seen && slices.Contains(n.procs, p) {
			n.epochs++
			p.epoch, p.seen = n.epochs, true
			n.announce()
			p.catchUp()
			p.matches()
		}
	})
}

// publish publishes a sub-state of the node.
func (p *proc) publish(r Report) {
	p.latched, p.latchAt = r, p.node.world.now
	if p.seen && p.node.graph {
		p.reports(0)
	}
}

// matches gives the coordinator the report that it has missed: the process and the subscription have just found each
// other.
func (p *proc) matches() {
	if p.latched.Word != "" {
		p.reports(p.node.world.now - p.latchAt)
	}
}

func (p *proc) reports(age time.Duration) {
	n := p.node
	if n.index == outside {
		return
	}
	n.world.post(p, 0, engine.NodeReported{Node: n.index, Epoch: p.epoch, Word: p.latched.Word,
		Message: p.latched.Message, Age: age})
}

func (p *proc) thaw() {
	if !p.frozen {
		return
	}
	p.frozen = false
	after := p.after
	p.after = nil
	for _, do := range after {
		p.run(do)
	}
	p.drain()
}

func (p *proc) run(do func()) {
	switch {
	case !p.alive:
	case p.frozen:
		p.after = append(p.after, do)
	default:
		do()
	}
}

func (p *proc) receive(r request) {
	w := p.node.world
	if !p.alive || p.cut || w.now < p.matched {
		r.entry.fate("lost")
		return
	}
	if p.deaf() {
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

func (p *proc) deaf() bool { return p.frozen || (p.busy || p.arming) && !p.node.script.Parallel }

func (p *proc) drain() {
	for p.alive && !p.deaf() && len(p.inbox) > 0 {
		r := p.inbox[0]
		p.inbox = p.inbox[1:]
		p.receive(r)
	}
}

func (p *proc) change(r request) {
	n, w := p.node, p.node.world
	if p.busy || !legal(p.state, r.do.Label) {
		w.check.illegal(n, p, r)
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
		o = w.improvise(n)
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

func (p *proc) end(r request, o On, from lifecycle.State) {
	w := p.node.world
	if o.Report != "" {
		p.publish(Report{Node: p.node.spec.Name, Word: o.Report})
	}
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
		o.Events, p.node.givenUp = Lost, true // E2: its answer counts
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

func (p *proc) enter(to lifecycle.State, how Events) {
	n, w := p.node, p.node.world
	from := p.state
	p.state = to
	if p.unfit() {
		p.armed = false
		p.givesUp("not active")
	}
	if to == lifecycle.Finalized && !n.foreignArm() {
		n.disarmed()
	}
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

func (p *proc) takeArm(r request) {
	n, w := p.node, p.node.world
	step := map[bool]string{true: plan.ArmStep, false: plan.DisarmStep}[r.arm]
	w.happens(occurrence{kind: 'b', node: n.spec.Name, step: step})
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
	p.givesUp("superseded")
	w.queue.push(w.now+how.Takes, func() {
		p.run(func() {
			p.arming = false
			defer p.drain()
			if how.No = how.No || p.refuses || r.arm && p.unfit(); r.arm && !how.No && p.lacksLease() {
				p.awaitLease(armCall{r, how, turn})
				return
			}
			p.ends(armCall{r, how, turn})
		})
	})
}

// unfit reports whether nothing can be armed in the process: it is not configured.
func (p *proc) unfit() bool {
	return p.node.spec.Lifecycle && (p.state == lifecycle.Unconfigured || p.state == lifecycle.Finalized)
}

// ends is the end of a call to arm or disarm.
func (p *proc) ends(c armCall) {
	n, w, r := p.node, p.node.world, c.r
	if !c.how.No {
		defer n.expose()
		p.armedAt, p.lapsed = w.now, false
		p.armed, p.late, p.handled = r.arm, c.turn < p.handled, max(c.turn, p.handled)
		gaveUp := w.now+engine.Stall >= r.entry.At+n.spec.Deadline.Disarm || r.life != w.brain.life
		p.tardy = p.late && !r.arm && gaveUp
		if !r.arm {
			n.disarmed()
		}
		switch {
		case r.arm:
			n.overruled = -1
		case r.guard:
			n.overruled = w.now
		}
		w.note("%s is %s", n.spec.Name, map[bool]string{true: "armed", false: "disarmed"}[r.arm])
	}
	switch {
	case c.how.Mute:
	case r.leftover > 0:
		p.answer(r, engine.LeftoverAnswered{Leftover: r.leftover - 1, Call: r.id, Success: !c.how.No,
			Several: r.several || n.seen() > 1, Message: c.how.Says}, 0)
	default:
		p.answer(r, engine.ArmAnswered{Node: n.index, Call: r.id, Arm: r.arm, Success: !c.how.No, Message: c.how.Says},
			0)
	}
}

func (p *proc) answer(r request, in engine.Input, late time.Duration) {
	w := p.node.world
	defer w.chancesOf(r)()
	if r.loss == LoseAnswer || w.chance(w.opt.Noise.Answer) || r.life != w.brain.life {
		return
	}
	w.post(p, late, in)
	if r.loss == Double || w.chance(w.opt.Noise.Double) {
		w.post(p, late+w.opt.Latency.Max, in)
	}
}
