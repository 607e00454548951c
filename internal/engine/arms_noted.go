package engine

import (
	"time"

	"rstate/internal/network"
)

// The journal knows which nodes may be armed.

// noteArms records the nodes that may be armed and the call that disarms them, because the next
// start may have another network file. Until a start has read the nodes, nothing can be armed and
// the old lines of the journal stand.
func (co *course) noteArms() {
	for _, i := range co.armable {
		n := &co.nodes[i]
		now := co.noteOf(i)
		if now == n.place.noted || now != notedDisarmed && co.settled == "" || now == notedDisarmed && n.epoch == 0 {
			continue
		}
		n.place.noted = now
		e := co.nodeEntry(i, EntryNode, EventMayBeArmed, "may be armed from now on")
		switch now {
		case notedDisarmed:
			e = co.nodeEntry(i, EntryNode, EventDisarmed, "is disarmed")
			e.Disarm.Service = n.spec.Arm.Service
			co.record(e)
			continue
		case notedArmed:
			e = co.nodeEntry(i, EntryNode, EventMayBeArmed, "has confirmed its arm")
		}
		e.Disarm = DisarmCall{
			Service: n.spec.Arm.Service, Type: n.spec.Arm.Type, Lease: n.spec.Arm.DeadMan == network.DeadManLease,
			Proof: co.net.Proof, Armed: now == notedArmed,
		}
		co.record(e)
	}
}

// noted is what the journal says of a node's being armed.
type noted uint8

const (
	notedDisarmed noted = iota
	notedMay            // it may be armed: it is to be asked, or was
	notedArmed          // it was armed, and every request to arm was answered
)

// noteOf is what the journal has to say of node i. That it was armed stays true until it is disarmed or asked again.
func (co *course) noteOf(i int) noted {
	n := &co.nodes[i]
	may := n.arm.Belief() != Disarmed
	switch {
	case may && !n.arm.Pending() && (n.arm.Belief() == IsArmed || n.place.noted == notedArmed):
		return notedArmed
	case may || co.aboutToArm(i):
		return notedMay
	}
	return notedDisarmed
}

// settlesOf is how long after a disarm a late arm of the node may take effect.
func settlesOf(spec *network.Node) time.Duration {
	if spec.Arm == nil {
		return 0
	}
	return spec.Arm.Settles
}

// Noted is a node that the journal says may be armed.
type Noted struct {
	Node  string
	Lease bool          // it follows the arm lease of the run that armed it
	Proof time.Duration // for how long such a lease is good
	Open  bool          // a request to arm may not have been handled yet
}

// inherit takes what the journal says of nodes that an earlier run may have left armed.
func (ro *roster) inherit() {
	for _, p := range ro.opt.Noted {
		i := ro.net.Index(p.Node)
		if i < 0 || ro.nodes[i].spec.Arm == nil {
			continue
		}
		n := &ro.nodes[i]
		if n.place.noted = notedArmed; p.Open {
			n.place.noted = notedMay
		}
		if p.Lease {
			ends := ro.now.Steady + leaseOf(p.Proof)
			n.arm.Outlive(ends)
			ro.at(i, ends)
		} else {
			n.arm.Abandon()
		}
		n.arm.Inherit(p.Open)
		ro.recordInherited(i, p)
	}
}

// recordInherited writes again that an earlier run may have left node i armed: a start reads only the newest files of a
// journal, and this run may last long.
func (ro *roster) recordInherited(i int, p Noted) {
	spec := ro.nodes[i].spec
	e := ro.nodeEntry(i, EntryNode, EventMayBeArmed, "may be armed")
	e.Cause = "an earlier run may have left it armed"
	e.Disarm = DisarmCall{Service: spec.Arm.Service, Type: spec.Arm.Type, Lease: p.Lease, Proof: p.Proof, Armed: !p.Open}
	ro.record(e)
}

// aboutToArm reports whether the running work will arm node i and has not failed.
func (co *course) aboutToArm(i int) bool {
	w := co.work
	if w == nil || !w.proves() || w.fault.failing {
		return false
	}
	target, _ := co.machine.State(w.target)
	return co.net.Arms(target, i) && co.nodes[i].there()
}
