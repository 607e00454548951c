package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// Processes that serve the arming service of a node (A1, S4). A served node is one that Options.Servers names: each
// process that serves its arm gets every request to arm or disarm, answers by itself, and is armed by itself. If the
// file names another server (arm.served_by), the node's own process is never armed. Else the servers are beside it.
//
// Of every other node with arm.served_by the node of the file is what is armed in truth, and its process answers. The
// world only tells the coordinator of what is to serve it.

// ServerDo is what becomes of a server.
type ServerDo string

// What may become of a server. ServerStarts starts another one, and ServerEnds ends the oldest one. The rest is of the
// oldest process that serves the arm, which may be the node's own.
const (
	ServerStarts  ServerDo = "starts"
	ServerEnds    ServerDo = "ends"
	ServerHangs   ServerDo = "hangs"
	ServerGoesOn  ServerDo = "goes on"
	ServerRefuses ServerDo = "refuses"
	ServerAgrees  ServerDo = "agrees"
)

// Server lets something become of a process that serves the arming service of a node of Options.Servers.
type Server struct {
	Node string
	Do   ServerDo
}

func (a Server) act(w *World) {
	n := w.named(a.Node)
	of := n.serving()
	if a.Do == ServerEnds {
		of = n.servers
	}
	k := slices.IndexFunc(of, func(p *proc) bool { return p.alive })
	if a.Do != ServerStarts && k < 0 {
		return
	}
	where := "beside its node"
	if n.foreignArm() {
		where = "by name"
	}
	w.covers("server", string(a.Do), where, "")
	switch a.Do {
	case ServerStarts:
		n.serve()
	case ServerEnds:
		of[k].serverEnds()
	case ServerHangs:
		of[k].frozen = true
	case ServerGoesOn:
		of[k].thaw()
	case ServerRefuses, ServerAgrees:
		of[k].refuses = a.Do == ServerRefuses
	}
}

// foreignArm reports whether only servers can be armed, and not the node's own process.
func (n *node) foreignArm() bool { return n.served && n.spec.Arm != nil && n.spec.Arm.ServedBy != "" }

// serving is every process that gets the requests to arm and disarm.
func (n *node) serving() []*proc {
	switch {
	case n.foreignArm():
		return n.servers
	case len(n.servers) == 0:
		return n.procs
	}
	return slices.Concat(n.procs, n.servers)
}

// serves reports whether a living process that serves the arm is as asked.
func (n *node) serves(is func(*proc) bool) bool {
	return slices.ContainsFunc(n.serving(), func(p *proc) bool { return p.alive && is(p) })
}

// takers is every living process that gets a request to arm or disarm.
func (n *node) takers() []*proc {
	if !n.served {
		return n.living()
	}
	return slices.DeleteFunc(slices.Clone(n.serving()), func(p *proc) bool { return !p.alive })
}

// serve starts a server.
func (n *node) serve() {
	w := n.world
	n.lastServer++
	seen := w.now + w.servings.draw(w.opt.Discovery)
	p := &proc{node: n, epoch: n.lastServer, server: true, state: lifecycle.Active, alive: true, matched: seen,
		clock: w.ahead()}
	n.servers = append(n.servers, p)
	w.note("server %d of %s is born", p.epoch, n.spec.Name)
	w.queue.push(seen, func() {
		if slices.Contains(n.servers, p) {
			p.seen = true
			n.showServers()
			p.catchUp()
		}
	})
}

// serverEnds ends a server. The operating system may say so at once, and the graph does later.
func (p *proc) serverEnds() {
	w, n := p.node.world, p.node
	n.energised = n.energised || p.abandons()
	p.alive, p.arming, p.inbox, p.after, p.waits = false, false, nil, nil, nil
	w.note("server %d of %s dies", p.epoch, n.spec.Name)
	n.expose()
	gone := func() {
		n.servers = slices.DeleteFunc(n.servers, func(o *proc) bool { return o == p })
		n.showServers()
	}
	if w.servings.chance(w.opt.Ends.Told) {
		w.queue.push(w.now+time.Duration(w.servings.Int64N(int64(toldIn))), gone)
		return
	}
	w.queue.push(w.now+w.opt.Notice, gone)
}

// showServers tells the coordinator which processes serve the arm of a served node, if that has changed.
func (n *node) showServers() {
	if !n.served {
		return
	}
	in := engine.ServersSeen{Node: n.index}
	var known []*proc
	for _, p := range n.serving() {
		switch {
		case !p.seen:
			continue
		case p.server && !n.foreignArm():
			in.Others = append(in.Others, "/other")
		default:
			in.Meant = append(in.Meant, p.epoch)
		}
		known = append(known, p)
	}
	slices.Sort(in.Meant)
	if n.shownServers && slices.Equal(in.Meant, n.serversShown.Meant) && slices.Equal(in.Others, n.serversShown.Others) {
		return
	}
	if len(in.Meant) == 0 {
		in.Why = "it left the graph"
	}
	n.shownServers, n.serversShown = true, in
	n.world.brain.take(letter{in, func() { n.knowsServers(known) }})
}

// knowsServers notes what the coordinator has just been told.
func (n *node) knowsServers(known []*proc) {
	if slices.ContainsFunc(n.serversKnown, func(p *proc) bool { return p.server && !slices.Contains(known, p) }) {
		n.departs()
	}
	n.serversTold, n.serversKnown = true, known
}

// forgetServers begins a life of the coordinator: the graph tells it anew which servers there are.
func (n *node) forgetServers() {
	if !n.served {
		return
	}
	n.shownServers, n.serversTold, n.serversKnown = false, false, nil
	n.world.queue.push(n.world.now+n.world.servings.draw(n.world.opt.Discovery), n.showServers)
}

// serversChanged reports whether servers have started or ended of which the coordinator does not know.
func (n *node) serversChanged() bool {
	return n.served && slices.ContainsFunc(n.servers, func(p *proc) bool {
		return p.alive != slices.Contains(n.serversKnown, p)
	})
}

// falselyFor is for how long a node may be shown as disarmed while a process that serves its arm is armed: as the
// explorer allows.
const falselyFor = 200 * time.Millisecond

// served looks at a node of which other processes serve the arm: what is shown of it agrees with what is known of them.
func (c *checker) served(n *node) {
	w := c.world
	if !n.served || !w.brain.up || w.brain.stalled || w.brain.broken || w.brain.published == nil {
		n.falsely = -1
		return
	}
	shown := &w.brain.published.Nodes[n.index]
	heard := n.told || n.foreignArm() // J3: what the disk has not taken, a start cannot know
	falsely := heard && shown.Armed == engine.Disarmed && n.armsKnown() && !n.overtaken()
	if n.falsely = w.since(falsely, n.falsely); falsely && w.now-w.brain.held > max(n.falsely, w.brain.awake)+falselyFor {
		c.fault("%s is shown as disarmed, and what serves its arm is armed since %v", n.spec.Name, n.falsely)
	}
	if s := c.stateOf(w.brain.shown); n.misserved() && w.net.Arms(s, n.index) && !n.spec.Optional && !s.Passing {
		c.fault("%s is shown, and %d processes serve the arm of %s", w.brain.shown, len(n.serversKnown), n.spec.Name)
	}
}

// misserved reports whether the coordinator knows that not exactly one process serves the arm (A1).
func (n *node) misserved() bool {
	return n.served && (n.serversTold || n.foreignArm()) && len(n.serversKnown) != 1
}

// tellServers tells, at a start, of servers that are no nodes of the network and no processes here: these are always
// there.
func (b *brain) tellServers() {
	for i, n := range b.world.nodes {
		if arm := n.spec.Arm; arm != nil && !n.served && arm.ServedBy != "" && b.world.net.Index(arm.ServedBy) < 0 {
			b.deliver(engine.ServersSeen{Node: i, Meant: []uint64{1}})
		}
	}
}

// tellServed tells of a node that serves the arms of others which processes it has.
func (n *node) tellServed(epochs []uint64) {
	if n.index == outside {
		return
	}
	for _, name := range n.spec.Serves {
		n.world.brain.deliver(engine.ServersSeen{Node: n.world.net.Index(name), Meant: epochs, Why: "it left the graph"})
	}
}
