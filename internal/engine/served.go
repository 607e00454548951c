package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine/grant"
	"rstate/internal/patient"
)

// Which processes serve the arming service of a node. A service can be served by any process, and by several at a time:
// each of them then gets every request. So what is armed is the process that serves the service, and what the engine
// knows of requests, leases and ends is about that process: that of the node, or of the node that arm.served_by names.

// serving is what is known of the processes that serve the arming service of a node.
type serving struct {
	told   bool
	meant  int    // processes of the node that is to serve it
	epoch  uint64 // the newest of them that there was
	gone   string // why the newest has gone; empty: it has not
	others []string
	// Another process has served it since the node was last known to be disarmed, and may be what is armed.
	strange bool
}

// serverIn is how long an arming waits for a service that nothing serves. The graph may show a node before its services.
const serverIn = time.Second * patient.Factor

const leftGraph = "it left the graph"

// foreign reports whether the file names another node that serves the arm.
func (n *node) foreign() bool { return n.spec.Arm != nil && n.spec.Arm.ServedBy != "" }

// served reports whether a process is there that can have what this instance has asked of the node's arm.
func (n *node) served() bool {
	if n.foreign() {
		return n.serving.meant > 0
	}
	return n.there()
}

// askable reports whether a request to arm or disarm still goes to a process, even if a report says that it has ended.
func (n *node) askable() bool {
	if n.foreign() {
		return n.served() || n.serving.gone != "" || len(n.serving.others) > 0
	}
	return n.reachable() || len(n.serving.others) > 0
}

// servesItself reports whether nothing but the node's own process can have what its arm was asked. Only then does the
// node's state say something of its arm.
func (n *node) servesItself() bool { return !n.foreign() && !n.serving.strange }

// unclear reports whether a yes to a disarm may be that of another process than the one that may be armed.
func (n *node) unclear() bool {
	s := &n.serving
	return n.count > 1 && !n.foreign() || n.foreign() && s.meant == 0 || len(s.others) > 0 || s.meant > 1
}

// serversSeen notes which processes serve the arm of a node.
func (s *State) serversSeen(in ServersSeen) {
	n := &s.nodes[in.Node]
	if n.spec.Arm == nil {
		return
	}
	was := n.serving
	now := serving{told: true, meant: len(in.Meant), epoch: was.epoch, gone: was.gone, others: in.Others,
		strange: was.strange || len(in.Others) > 0}
	if now.meant > 0 {
		now.epoch, now.gone = slices.Max(in.Meant), ""
	} else if was.meant > 0 {
		if now.gone = in.Why; now.gone == "" {
			now.gone = leftGraph
		}
	}
	n.serving = now
	several := now.meant != was.meant && max(now.meant, was.meant) > 1 || !slices.Equal(now.others, was.others)
	switch {
	case n.foreign():
		s.serverSeen(in.Node, was, several)
	case several && n.there():
		n.arm.Appear(s.number)
	}
	s.armChanged(in.Node)
}

// serverSeen is serversSeen for a node whose arm another one serves. A new process of that is to the arm what a new
// process is to a node that serves its own.
func (s *State) serverSeen(i int, was serving, several bool) {
	n := &s.nodes[i]
	now := &n.serving
	fresh := now.meant > 0 && now.epoch != was.epoch
	if was.meant > 0 && (now.meant == 0 || fresh) {
		s.departed(i)
	}
	if fresh {
		n.arm.Succeed(s.number, was.epoch != 0)
		if was.epoch == 0 && s.opt.Unsure {
			n.arm.Doubt()
		}
		n.permit = grant.Permit{}
	}
	if now.meant > 0 && (fresh || several) {
		n.arm.Appear(s.number)
	}
}

// misserved says why node i cannot be armed by what serves its arming service, and what to do; empty: it can. Several
// processes of the node's own name are another matter (E4).
func (n *node) misserved() Obstacle {
	s := &n.serving
	if n.spec.Arm == nil || !s.told && !n.foreign() {
		return Obstacle{}
	}
	service, server := n.spec.Arm.Service, n.spec.ServerOf()
	names := slices.Clone(s.others)
	for range s.meant {
		names = append(names, server)
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return n.unserved()
	case len(names) > 1:
		return Obstacle{Why: fmt.Sprintf("%d processes serve %s: %s", len(names), service, strings.Join(names, ", ")),
			Do: "end all but that of " + server}
	case s.meant == 1:
		return Obstacle{}
	case n.foreign():
		return Obstacle{Why: service + " is served by " + names[0] + ", not by " + server,
			Do: "start " + server + ", or correct arm.served_by in the network file"}
	}
	return Obstacle{Why: service + " is served by " + names[0] + ", not by " + server,
		Do: "write arm: {served_by: " + names[0] + "}"}
}

// unserved says that no process serves the arming service of a node.
func (n *node) unserved() Obstacle {
	o := Obstacle{Why: "nothing serves " + n.spec.Arm.Service, Kind: Awaited,
		Do: "see why " + n.spec.Name + " does not, or correct arm in the network file"}
	if n.foreign() {
		o.Do = "start " + n.spec.Arm.ServedBy
		if n.serving.gone != "" {
			o.Why += ", for which " + n.spec.Arm.ServedBy + " is lost: " + n.serving.gone
		}
	}
	return o
}

// unfitToArm begins the reason why a node is not fit to be armed by what serves its arm.
const unfitToArm = "is not fit to be armed: "

// unfitServer says why node i, which may be armed, must not stay so by what serves its arm; empty: it may.
func (n *node) unfitServer() string {
	if why := n.misserved().Why; why != "" && n.arm.Belief() != Disarmed {
		return unfitToArm + why
	}
	return ""
}

// awaitsServer reports whether node i, which is to be armed, waits for a process that serves its arm.
func (co *course) awaitsServer(i int) bool {
	n := &co.nodes[i]
	return n.misserved().Kind == Awaited && co.waitUntil(i, co.work.since+serverIn)
}

// serverObstacles lists the required nodes that a state arms and that what serves their arms keeps from it.
func (ro *roster) serverObstacles(i int) []Obstacle {
	o := ro.nodes[i].misserved()
	if o.Why == "" {
		return nil
	}
	o.Node, o.Why = ro.nodes[i].spec.Name, unfitToArm+o.Why
	return []Obstacle{o}
}

// abandonedWords says of a node that may be armed by a process that is gone why that is so.
func (n *node) abandonedWords() string {
	if n.foreign() {
		return "may be armed: " + n.spec.Arm.ServedBy + ", which serves its arm, " + whyServerAbandoned
	}
	return whyAbandoned
}

const whyServerAbandoned = "is gone and follows no lease: it may be so until a process of its name says that it is not"

// armOpen reports whether the process of node i has not answered a request to arm or disarm, for itself or for a node
// whose arm it serves.
func (ro *roster) armOpen(i int) bool {
	return slices.ContainsFunc(ro.serves[i], func(j int) bool { return ro.nodes[j].arm.Open() })
}

// armVouched returns when the node's own process last said that it is armed.
func (n *node) armVouched() time.Duration {
	if n.foreign() {
		return 0
	}
	return n.arm.Vouched()
}

// servedBy is the node that the file names for the arm; empty: the node itself, or there is nothing to arm.
func (n *node) servedBy() string {
	if !n.foreign() {
		return ""
	}
	return n.spec.Arm.ServedBy
}
