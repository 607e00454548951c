package explore

import (
	"fmt"
	"slices"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// Processes that serve the arming service of a node and are not the node. Each gets every request to arm or disarm, and
// answers by itself.

// serve says which processes serve the arming service of the first node of an instance.
type serve uint8

const (
	itself  serve = iota // the node
	besides              // the node and another process
	instead              // another process alone
)

// foreignEpochs is where the numbers of servers begin, so that they are none of a node's.
const foreignEpochs = 1000

// serverBirth starts a process that serves the arming service of a node.
func (w *world) serverBirth(i, k int) {
	n := &w.sides[i].nodes[k]
	n.served++
	n.servers = append(n.servers, proc{epoch: foreignEpochs + n.served, alive: true, seen: true, foreign: true,
		state: lifecycle.Active})
	w.tell("%s is born", w.procName(n, &n.servers[len(n.servers)-1]))
	w.plan(found, event{kind: evServers, side: i, node: k})
}

// serverDies ends the first server. The kernel says so at once.
func (w *world) serverDies(i, k int) {
	n := &w.sides[i].nodes[k]
	p := n.server()
	ended := p.epoch
	w.leavesArmed(n, p)
	w.tell("%s dies", w.procName(n, p))
	n.servers = slices.DeleteFunc(slices.Clone(n.servers), func(o proc) bool { return o.epoch == ended })
	w.plan(hop, event{kind: evServers, side: i, node: k})
}

// showServers tells the daemon which processes serve the arm of a node, if that has changed. A process that has ended
// counts until it has left the graph where it is one of the node and no other one of the node lives.
func (w *world) showServers(i, k int) {
	s := &w.sides[i]
	n := &s.nodes[k]
	if n.spec.Arm == nil || !s.up {
		return
	}
	in := engine.ServersSeen{Node: k}
	var gone []uint64
	for p := range n.procs {
		switch p := &n.procs[p]; {
		case s.file.serve == instead || !p.seen:
		case p.alive:
			in.Meant = append(in.Meant, p.epoch)
		default:
			gone = append(gone, p.epoch)
		}
	}
	if len(in.Meant) == 0 {
		in.Meant = gone
	}
	for _, p := range n.servers {
		if s.file.serve == instead {
			in.Meant = append(in.Meant, p.epoch-foreignEpochs)
		} else {
			in.Others = append(in.Others, "/other")
		}
	}
	if n.shown && slices.Equal(in.Meant, n.toldServers.Meant) && slices.Equal(in.Others, n.toldServers.Others) {
		return
	}
	if len(in.Meant) == 0 {
		in.Why = "its process has ended"
	}
	n.shown, n.toldServers = true, in
	w.deliver(i, in)
}

// procName names a process for a person.
func (w *world) procName(n *node, p *proc) string {
	if p.foreign {
		return fmt.Sprintf("server %d of %s", p.epoch-foreignEpochs, n.spec.Name)
	}
	return n.spec.Name
}

// leavesArmed notes what a process that ends leaves armed.
func (w *world) leavesArmed(n *node, p *proc) {
	if p.armed {
		n.energised, n.until, n.endedAt = true, 0, w.now
		if n.leased() {
			n.until = max(p.lease.Ends(), w.now)
		}
	}
}

// server is the first foreign server, or nil.
func (n *node) server() *proc {
	if len(n.servers) == 0 {
		return nil
	}
	return &n.servers[0]
}

// serves lists the processes that serve the arming service of a node.
func (n *node) serves(how serve) (list []*proc) {
	for k := range n.procs {
		if how != instead {
			list = append(list, &n.procs[k])
		}
	}
	for k := range n.servers {
		list = append(list, &n.servers[k])
	}
	return list
}

func serverIs(is func(p *proc) bool) func(*world, thing) bool {
	return func(w *world, t thing) bool {
		s := &w.sides[t.side]
		if s.file.serve == itself || t.node > 0 {
			return false
		}
		p := s.nodes[t.node].server()
		return is == nil && p == nil || is != nil && p != nil && is(p)
	}
}

// serverMenu lists the deviations of foreign servers: each is of the first one.
var serverMenu = []deviation{
	{"server killed", "the process that serves the arm is killed", toNode, serverIs(func(*proc) bool { return true }),
		func(w *world, t thing) { w.serverDies(t.side, t.node) }},
	{"server back", "a process starts that serves the arm", toNode, serverIs(nil),
		func(w *world, t thing) { w.serverBirth(t.side, t.node) }},
	{"server twice", "another process starts that serves the arm", toNode,
		func(w *world, t thing) bool {
			s := &w.sides[t.side]
			return s.file.serve == instead && len(s.nodes[t.node].servers) == 1
		},
		func(w *world, t thing) { w.serverBirth(t.side, t.node) }},
	{"server hangs", "the process that serves the arm stands still", toNode,
		serverIs(func(p *proc) bool { return !p.frozen }),
		func(w *world, t thing) { w.sides[t.side].nodes[t.node].server().frozen = true }},
	{"server goes on", "the process that serves the arm goes on", toNode, serverIs(func(p *proc) bool { return p.frozen }),
		func(w *world, t thing) {
			w.thaw(t.side, t.node, w.sides[t.side].nodes[t.node].server().epoch)
		}},
	{"server refuses", "the process that serves the arm says no from now on", toNode,
		serverIs(func(p *proc) bool { return !p.refuses }),
		func(w *world, t thing) { w.sides[t.side].nodes[t.node].server().refuses = true }},
}
