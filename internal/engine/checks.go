package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Checks: conditions before and while a network is armed. The daemon counts topics from active up,
// and on the way there, so that arming need not wait for a rate. It asks services when arming
// begins, and then every second: while arming waits, while it asks nodes to arm, and while armed.

const checkEvery = time.Second

// checkup is what is known of one check.
type checkup struct {
	spec *network.Check
	// of topics:
	meter meter
	// of services:
	ticket   uint64        // of the newest request
	sent     time.Duration // when it was sent
	open     bool          // it has no answer yet
	asked    bool          // one was sent since checks matter
	answered bool          // one was answered since they repeat
	fault    string        // fault in the newest answer
}

func checkupsOf(spec *network.Node) []checkup {
	list := make([]checkup, len(spec.Checks))
	for k := range list {
		list[k].spec = &spec.Checks[k]
		list[k].meter.rate = spec.Checks[k].Rate
	}
	return list
}

// judgeCheck says why a check of node i does not pass; known is false while that is undecided.
func (ro *roster) judgeCheck(i, k int) (fault string, known bool) {
	c := &ro.nodes[i].checks[k]
	if c.spec.Counted() {
		return c.meter.judge(ro.now.Steady)
	}
	allow := ro.nodes[i].spec.Deadline.Arm
	switch {
	case c.open && ro.now.Steady >= c.sent+allow:
		return fmt.Sprintf("did not answer in %v", allow), true
	case !c.answered:
		return "has not answered yet", false
	}
	return c.fault, true
}

// failing lists the checks of node i that do not pass, each with its reason. It leaves out
// undecided checks.
func (ro *roster) failing(i int) []string {
	n := &ro.nodes[i]
	if len(n.checks) == 0 || !n.there() || !ro.listening {
		return nil
	}
	var list []string
	for k := range n.checks {
		if fault, known := ro.judgeCheck(i, k); fault != "" && known {
			list = append(list, n.checks[k].spec.Subject()+" "+fault)
		}
	}
	return list
}

// unchecked lists, for every node that arming needs, the faults that are known of its checks. A
// service that was not asked yet has no known fault: services are asked when arming begins.
func (ro *roster) unchecked() []string {
	var list []string
	for _, i := range ro.checked {
		if faults := ro.failing(i); len(faults) > 0 && !ro.nodes[i].spec.Optional {
			list = append(list, ro.nodes[i].spec.Name+" does not pass its check: "+strings.Join(faults, ", "))
		}
	}
	return list
}

func (ro *roster) topicCounted(in TopicCounted) {
	n := &ro.nodes[in.Node]
	if !ro.listening || in.Check >= len(n.checks) {
		return // from before the counting began
	}
	c := &n.checks[in.Check]
	was, _ := ro.judgeCheck(in.Node, in.Check)
	c.meter.take(count{ro.clockOf(in.Node), in.Count}, ro.now.Steady, in.Fault)
	if now, _ := ro.judgeCheck(in.Node, in.Check); (now == "") != (was == "") {
		ro.changed = true
	}
	ro.at(in.Node, ro.now.Steady+countStale+1)
	ro.touch(in.Node)
}

func (ro *roster) checkAnswered(in CheckAnswered) {
	n := &ro.nodes[in.Node]
	if in.Check >= len(n.checks) || n.checks[in.Check].ticket != in.Ticket {
		return // a later request has superseded it
	}
	c := &n.checks[in.Check]
	ro.changed = ro.changed || c.fault != in.Fault
	c.open, c.answered, c.fault = false, true, in.Fault
	ro.touch(in.Node)
}

// callCheck asks one service.
func (ro *roster) callCheck(i, k int) {
	c := &ro.nodes[i].checks[k]
	c.ticket, c.sent, c.open, c.asked = ro.next(), ro.now.Steady, true, true
	ro.do(CallCheck{Node: i, Check: k, Ticket: c.ticket})
	ro.at(i, c.sent+ro.nodes[i].spec.Deadline.Arm)
}

// listen starts or stops the counting of topics, as the network enters or leaves states that may be
// armed.
func (co *course) listen() {
	if len(co.checked) == 0 {
		return
	}
	high := lifecycle.Active.Level()
	on := co.closing.ended == nil && (co.machine.Level(co.settled) >= high ||
		co.work != nil && co.machine.Level(co.work.target) >= high)
	if on == co.listening {
		return
	}
	co.listening = on
	for _, i := range co.checked {
		co.nodes[i].checks = checkupsOf(co.nodes[i].spec)
	}
	co.changed = true
	co.do(CountTopics{on})
}

// beginChecks asks the services of all present nodes. Arming waits for a check as long as its node
// may take to arm, and for a topic also as long as its rate needs to be known.
func (co *course) beginChecks() {
	co.listen()
	co.work.arm.judged, co.work.arm.checkBy = false, co.now.Steady
	for _, i := range co.checked {
		n := &co.nodes[i]
		if !n.there() {
			continue
		}
		for k := range n.checks {
			c := &n.checks[k]
			by := co.now.Steady + n.spec.Deadline.Arm
			if c.spec.Counted() {
				by += c.meter.window()
			} else {
				c.answered, c.fault = false, ""
				co.callCheck(i, k)
			}
			co.work.arm.checkBy = max(co.work.arm.checkBy, by)
		}
	}
	co.wakeWhole(co.work.arm.checkBy)
}

// checksPending reports whether an undecided check may still pass.
func (co *course) checksPending() bool {
	if co.now.Steady >= co.work.arm.checkBy {
		return false
	}
	for _, i := range co.checked {
		n := &co.nodes[i]
		for k := range n.checks {
			fault, known := co.judgeCheck(i, k)
			if n.there() && (!known || fault != "" && n.checks[k].spec.Counted()) {
				return true
			}
		}
	}
	return false
}

// judgeChecks gives up every node whose checks do not pass. A check that stays undecided does not
// pass.
func (co *course) judgeChecks() {
	co.work.arm.judged = true
	co.judgePeers()
	co.judgeGuards()
	for _, i := range co.checked {
		n := &co.nodes[i]
		if !n.there() || n.part.status == partNone {
			continue
		}
		faults := co.faults(i)
		if len(faults) == 0 {
			continue
		}
		v := VerdictRefused
		if n.part.status == partGivenUp { // a lost node ends the arming at once
			v, faults = n.part.result.verdict, append([]string{n.part.result.evidence}, faults...)
		}
		co.fail(i, v, "is not fit to arm: "+strings.Join(faults, ", "))
	}
}

// faults lists the reasons against arming with node i as it is. An undecided check is a reason.
func (ro *roster) faults(i int) []string {
	n := &ro.nodes[i]
	var list []string
	for k := range n.checks {
		if fault, _ := ro.judgeCheck(i, k); fault != "" {
			list = append(list, n.checks[k].spec.Subject()+" "+fault)
		}
	}
	if ro.offersUnarmed(i) {
		list = append(list, ro.exposed(i, machine.State{}))
	}
	return list
}

// recheck asks the services of a node that is armed or about to be, a second after the last time.
func (ro *roster) recheck(i int) {
	n := &ro.nodes[i]
	for k := range n.checks {
		c := &n.checks[k]
		if c.spec.Counted() || !n.there() || c.open {
			continue
		}
		if c.asked && ro.waitUntil(i, c.sent+checkEvery) {
			continue
		}
		ro.callCheck(i, k)
	}
}
