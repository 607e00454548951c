package explore

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// node is one node of a side in truth: its processes, and what is around them.
type node struct {
	spec        *network.Node
	procs       []proc // dead ones too, until the graph has noticed
	epochs      uint64
	energised   bool          // a process that is gone has left it armed
	until       time.Duration // by its lease; 0: until a successor says that it is not
	endedAt     time.Duration // when that process ended
	share       float64       // of the rate at which its topics ought to come
	came        float64
	at          time.Duration
	fails       bool               // its checked services say no
	slow        bool               // it needs slowArm to arm, and disarms at once
	toldSeen    int                // how many endpoints the daemon was told of
	link        pipe               // what it and its daemon say to each other comes by this
	servers     []proc             // that serve its arming service and are no process of the node
	served      uint64             // counts them
	shown       bool               // the daemon was told which processes serve its arm
	toldServers engine.ServersSeen // what it was told

	// What its daemon has asked of it, for the judge.
	armSent    time.Duration
	disarmSent time.Duration
	confirmed  time.Duration // when the newest yes to a disarm was heard
	readSent   time.Duration
	proved     time.Duration // when the newest answered read, or yes to an arm, was asked for
	armedSince time.Duration // when it became armed; 0: it is not
	amiss      time.Duration // since when it is armed and shown as disarmed; 0: it is not
	leaseTill  time.Duration // until when it may be armed by the newest message of a lease that was sent
	unserved   time.Duration // since when it is shown as armed and no process serves its arm; 0: it is not
}

// slowArm is how long a slow drive needs to arm.
const slowArm = 5 * time.Second

func (n *node) detach() {
	n.procs, n.servers = slices.Clone(n.procs), slices.Clone(n.servers)
	for i := range n.procs {
		n.procs[i].detach()
	}
	for i := range n.servers {
		n.servers[i].detach()
	}
	n.link.detach()
}

// proc is one process.
type proc struct {
	epoch  uint64
	alive  bool
	frozen bool
	seen   bool          // the graph shows it
	gone   time.Duration // when the graph notices that it is dead
	state  lifecycle.State
	armed  bool
	busy   bool          // a step of its lifecycle runs
	arming time.Duration // when the newest callback of a slow drive that arms ends
	asked  bool          // it was asked to arm
	heir   bool          // a process before it was asked to arm
	inbox  []event       // what waits while it is suspended

	lease  lease.Receiver
	lapses uint64 // of its leases that it knows of
	lapsed bool   // a lease has lapsed since it was armed
	newest uint64 // the newest request to arm or disarm that it has taken

	foreign bool // it serves the arm, and is no process of the node
	refuses bool // it says no to every request to arm or disarm
}

func (p *proc) detach() {
	p.inbox = slices.Clone(p.inbox)
	p.lease = p.lease.Clone()
}

// What a request asks for.
const (
	reads = iota
	moves
	arms
	checks
)

// request is one request to a process, and what becomes of it.
type request struct {
	what   int
	id     uint64
	do     lifecycle.Transition
	arm    bool
	check  int
	life   uint64 // of the daemon that sent it
	sent   time.Duration
	refuse bool
	err    bool
	state  lifecycle.State // of a birth
	until  time.Duration   // an arm waits for a lease so long; 0: it has not begun to wait
}

// request sends a request to every living process of a node.
func (w *world) request(i, n int, r request) {
	s := &w.sides[i]
	r.life, r.sent = s.life, w.now
	to := s.nodes[n].serves(itself)
	if r.what == arms {
		to = s.nodes[n].serves(s.file.serve)
	}
	for _, p := range to {
		if p.alive && p.seen {
			w.plan(hop, event{kind: evRequest, side: i, node: n, epoch: p.epoch, by: byNode, req: r})
		}
	}
}

func (n *node) proc(epoch uint64) *proc {
	for k := range n.procs {
		if n.procs[k].epoch == epoch {
			return &n.procs[k]
		}
	}
	for k := range n.servers {
		if n.servers[k].epoch == epoch {
			return &n.servers[k]
		}
	}
	return nil
}

// living is the newest living process, or nil.
func (n *node) living() *proc {
	for k := len(n.procs) - 1; k >= 0; k-- {
		if n.procs[k].alive {
			return &n.procs[k]
		}
	}
	return nil
}

// armedProc is a living process that is armed, or nil: of those that are not suspended, if there are any.
func (n *node) armedProc() (armed *proc) {
	for _, p := range n.serves(besides) {
		if p.alive && p.armed && (armed == nil || armed.frozen) {
			armed = p
		}
	}
	return armed
}

// isArmed reports whether a living process is armed that serves the arm of the node.
func (n *node) isArmed() bool { return n.armedProc() != nil }

// stuck reports whether each process that is armed is suspended, or its link is down: it hears of no disarm.
func (n *node) stuck() bool {
	p := n.armedProc()
	return p == nil || p.frozen || n.link.down || n.link.slow
}

// refuses reports whether each process that is armed says no to every request.
func (n *node) refuses() bool {
	return !slices.ContainsFunc(n.serves(besides), func(p *proc) bool { return p.alive && p.armed && !p.refuses })
}

func (n *node) leased() bool { return n.spec.Arm != nil && n.spec.Arm.DeadMan == network.DeadManLease }

// birth starts a process.
func (w *world) birth(i, k int, state lifecycle.State) {
	n := &w.sides[i].nodes[k]
	n.epochs++
	heir := slices.ContainsFunc(n.procs, func(p proc) bool { return p.asked || p.heir })
	n.procs = append(n.procs, proc{epoch: n.epochs, alive: true, state: state, heir: heir})
	w.tell("%s is born, %v", n.spec.Name, state)
	w.plan(found, event{kind: evGraph, side: i, node: k, epoch: n.epochs})
}

// die ends a process. The kernel says so at once, the graph later.
func (w *world) die(i, k int) {
	s := &w.sides[i]
	n := &s.nodes[k]
	p := n.living()
	if p == nil {
		return
	}
	w.leavesArmed(n, p)
	p.alive, p.armed, p.busy, p.inbox, p.gone = false, false, false, nil, w.now+noticed
	w.tell("%s dies", n.spec.Name)
	w.plan(hop, event{kind: evInput, side: i, life: s.life, in: engine.NodeEnded{Node: k, Epoch: p.epoch}})
	w.plan(hop, event{kind: evServers, side: i, node: k})
	w.plan(noticed, event{kind: evGraph, side: i, node: k})
}

// buries lets the graph notice births and deaths, and tells the daemon.
func (w *world) buries(e event) {
	s := &w.sides[e.side]
	n := &s.nodes[e.node]
	if e.epoch == 0 { // a death, or a daemon that looks for the first time
		n.procs = slices.DeleteFunc(n.procs, func(p proc) bool { return !p.alive && w.now >= p.gone })
	} else if p := n.proc(e.epoch); p != nil {
		p.seen = true
	}
	w.showServers(e.side, e.node)
	var epochs []uint64
	for _, p := range n.procs {
		if p.seen {
			epochs = append(epochs, p.epoch)
		}
	}
	if len(epochs) == 0 {
		if n.toldSeen > 0 {
			n.toldSeen = 0
			w.deliver(e.side, engine.NodeLost{Node: e.node, Why: "left the graph"})
		}
		return
	}
	n.toldSeen = len(epochs)
	w.deliver(e.side, engine.NodeSeen{Node: e.node, Epoch: epochs[len(epochs)-1], Count: len(epochs), Epochs: epochs})
}

// deferIfSuspended holds an event for later if its process is suspended.
func (p *proc) deferIfSuspended(e event) bool {
	if p.frozen {
		p.inbox = append(p.inbox, e)
	}
	return p.frozen
}

func (w *world) thaw(i, k int, epoch uint64) {
	p := w.sides[i].nodes[k].proc(epoch)
	if p == nil || !p.alive || !p.frozen {
		return
	}
	w.tell("%s goes on", w.sides[i].nodes[k].spec.Name)
	inbox := p.inbox
	p.frozen, p.inbox = false, nil
	for _, e := range inbox {
		w.happen(e)
	}
}

// receive lets a request arrive.
func (w *world) receive(e event) {
	s := &w.sides[e.side]
	n := &s.nodes[e.node]
	p := n.proc(e.epoch)
	if p == nil || !p.alive || p.deferIfSuspended(e) {
		return
	}
	r := e.req
	switch r.what {
	case reads:
		w.reply(e, engine.StateRead{Node: e.node, Ticket: r.id, State: p.state})
	case checks:
		in := engine.CheckAnswered{Node: e.node, Check: r.check, Ticket: r.id}
		if n.fails || r.refuse {
			in.Fault = "answered no"
		}
		w.reply(e, in)
	case arms:
		w.takesArm(e, n, p)
	case moves:
		w.takesMove(e, p)
	}
}

// takesArm begins the callback that arms or disarms.
func (w *world) takesArm(e event, n *node, p *proc) {
	takes := moment
	if n.leased() {
		p.newest = e.req.id
	}
	e.req.refuse = e.req.refuse || p.refuses
	if e.req.arm {
		p.asked = true
		if n.slow {
			takes = slowArm
			if p.arming > w.now { // the drive does one thing after the other
				takes = p.arming + hop - w.now
			}
			p.arming = w.now + takes
		}
	}
	e.kind, e.by = evDone, byNone
	w.plan(takes, e)
}

func (w *world) takesMove(e event, p *proc) {
	r := e.req
	if p.busy || !allowed(p.state, r.do) {
		w.reply(e, engine.CallAnswered{Node: e.node, Call: r.id})
		return
	}
	p.busy = true
	w.enters(e, p, r.do.Passing())
	takes := step
	if slow := w.sides[e.side].file.slow; slow > 0 && r.do.Label == "activate" {
		takes = slow
	}
	e.kind, e.by = evDone, byNone
	w.plan(takes, e)
}

// allowed reports whether a node in that state takes the transition.
func allowed(from lifecycle.State, do lifecycle.Transition) bool {
	switch do.Label {
	case "configure":
		return from == lifecycle.Unconfigured
	case "cleanup", "activate":
		return from == lifecycle.Inactive
	case "deactivate":
		return from == lifecycle.Active
	}
	return from.Primary() && from != lifecycle.Finalized
}

// enters takes a process to a state and announces that.
func (w *world) enters(e event, p *proc, to lifecycle.State) {
	from := p.state
	p.state = to
	if to != lifecycle.Active && to != lifecycle.Deactivating {
		p.armed = false // docs/arming.md: a node disarms on every way out of active
	}
	w.tell("%s goes from %v to %v", w.sides[e.side].nodes[e.node].spec.Name, from, to)
	w.post(e, engine.EventHeard{Node: e.node, Epoch: p.epoch, From: from, To: to})
}

// done ends a callback.
func (w *world) done(e event) {
	n := &w.sides[e.side].nodes[e.node]
	p := n.proc(e.epoch)
	if p == nil || !p.alive || p.deferIfSuspended(e) {
		return
	}
	r := e.req
	if r.what == moves {
		w.moved(e, p)
		return
	}
	if w.lacksLease(&e, n, p) {
		w.plan(looksEach, e)
		return
	}
	r = e.req
	in := engine.ArmAnswered{Node: e.node, Call: r.id, Arm: r.arm, Success: !r.refuse}
	switch {
	case r.refuse:
		in.Message = "no"
	case r.arm && p.state != lifecycle.Active:
		in.Success, in.Message = false, "not active"
	case r.arm && p.armed && n.slow:
		in.Success, in.Message = false, "already armed"
	case r.arm:
		p.armed, p.lapsed = true, false
		w.tell("%s is armed", w.procName(n, p))
	default:
		p.armed, n.energised = false, false
		w.tell("%s is disarmed", w.procName(n, p))
	}
	w.reply(e, in)
}

func (w *world) moved(e event, p *proc) {
	r := e.req
	p.busy = false
	in := engine.CallAnswered{Node: e.node, Call: r.id, Success: true}
	switch from := origin(r.do); {
	case r.err:
		in.Success = false
		w.enters(e, p, lifecycle.ErrorProcessing)
		w.enters(e, p, lifecycle.Unconfigured)
	case r.refuse:
		in.Success = false
		w.enters(e, p, from)
	default:
		w.enters(e, p, r.do.Target())
	}
	w.reply(e, in)
}

// origin is where a node stays that refuses a transition.
func origin(do lifecycle.Transition) lifecycle.State {
	switch do.Label {
	case "configure":
		return lifecycle.Unconfigured
	case "deactivate":
		return lifecycle.Active
	case "cleanup", "activate":
		return lifecycle.Inactive
	}
	return lifecycle.Finalized // a node whose on_shutdown fails ends all the same
}

// reply answers a request, if the daemon that sent it still listens.
func (w *world) reply(e event, in engine.Input) {
	if e.req.life == w.sides[e.side].life {
		w.plan(hop, event{kind: evInput, side: e.side, node: e.node, life: e.req.life, req: e.req, epoch: e.epoch,
			by: byNode, in: in})
	}
}

// post announces something to the daemon.
func (w *world) post(e event, in engine.Input) {
	s := &w.sides[e.side]
	w.plan(hop, event{kind: evInput, side: e.side, node: e.node, life: s.life, by: byNode, in: in})
}
