package engine

import (
	"fmt"
	"time"

	"rstate/internal/checking"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

// Checks: conditions before and while a network is armed. From active up, and on the way there, the daemon listens to
// topics, so that arming need not wait for a rate. It asks services, parameters and files as well: seldom while nothing
// is armed, so that readiness is known, and every second from the Arm on. Package checking says what the answers mean.

const (
	checkEvery  = time.Second     // while arming waits, while nodes are asked to arm, and while armed
	checkSeldom = 5 * time.Second // else
	// How often the messages of topics are counted: when arming waits and while armed, and else. Counting costs more
	// than judging, and so it is done seldom enough to cost little and often enough for countStale of package checking.
	countOften  = network.TopicsRead
	countSeldom = 300 * time.Millisecond
	// Values that only change are shown no more often than this.
	valuesEvery = time.Second
)

// checkup is what is known of one check.
type checkup struct {
	spec  *network.Check
	gauge checking.Gauge
	// of those that are asked:
	ticket uint64        // of the newest request
	sent   time.Duration // when it was sent
	open   bool          // it has no answer yet
	asked  bool          // one was sent since checks matter
	late   bool          // the one before it was not answered
	// of those that are counted:
	counted bool // since an Arm began to wait for them
	// of those that count only while armed:
	passed bool          // it has passed since the network was armed
	stayBy time.Duration // until then it has time to pass for the first time
	// what was shown last:
	passes, known bool
	value         string
}

func checkupsOf(spec *network.Node) []checkup {
	list := make([]checkup, len(spec.Checks))
	for k := range list {
		list[k].spec, list[k].gauge = &spec.Checks[k], checking.Of(&spec.Checks[k])
	}
	return list
}

// judgeCheck says what a check of node i says now.
func (ro *roster) judgeCheck(i, k int) checking.Verdict {
	c := &ro.nodes[i].checks[k]
	if allow := ro.nodes[i].spec.Deadline.Arm; c.open && (c.late || ro.now.Steady >= c.sent+allow) {
		return checking.Verdict{Known: true, Fault: fmt.Sprintf("did not answer in %v", allow)}
	}
	return c.gauge.Judge(ro.now.Steady)
}

// checkable reports whether the checks of node i are looked at.
func (ro *roster) checkable(i int) bool { return ro.listening && ro.nodes[i].there() }

// failing lists the checks of node i that do not pass and forbid to stay armed, each with its reason. It leaves out
// undecided checks, and a check that counts only while armed before it has had time to pass.
func (ro *roster) failing(i int) []string {
	if !ro.checkable(i) {
		return nil
	}
	var list []string
	for k := range ro.nodes[i].checks {
		c := &ro.nodes[i].checks[k]
		if !c.spec.Stays() || c.spec.When == network.Stay && !ro.expected(i, c) {
			continue
		}
		if v := ro.judgeCheck(i, k); v.Fault != "" && v.Known {
			list = append(list, c.spec.Subject()+" "+v.Fault)
		}
	}
	return list
}

// expected reports whether a check that counts only while armed has to pass by now.
func (ro *roster) expected(i int, c *checkup) bool {
	return ro.armedHere() && (c.passed || !ro.waitUntil(i, c.stayBy))
}

// awaitStays gives the checks that count only while armed time to pass: what they look at may begin with that.
func (ro *roster) awaitStays() {
	if !ro.armedHere() {
		return
	}
	for _, i := range ro.checked {
		for k := range ro.nodes[i].checks {
			c := &ro.nodes[i].checks[k]
			c.passed, c.stayBy = false, ro.now.Steady+ro.nodes[i].spec.Deadline.Arm+c.gauge.Window()
		}
	}
}

func (ro *roster) topicCounted(in TopicCounted) {
	n := &ro.nodes[in.Node]
	if !ro.listening || in.Check >= len(n.checks) {
		return // from before the counting began
	}
	c := &n.checks[in.Check]
	c.counted = true
	c.gauge.Take(checking.Sample{Count: in.Count, Age: in.Age, Every: ro.pace, Value: in.Value, Fault: in.Fault},
		ro.momentOf(in.Node))
	ro.noteCheck(in.Node, in.Check)
	if due := c.gauge.Due(); due > 0 {
		ro.at(in.Node, due)
	}
	ro.touch(in.Node)
}

func (ro *roster) checkAnswered(in CheckAnswered) {
	n := &ro.nodes[in.Node]
	if in.Check >= len(n.checks) || n.checks[in.Check].ticket != in.Ticket {
		return // a later request has superseded it
	}
	c := &n.checks[in.Check]
	c.open, c.late = false, false
	c.gauge.Take(checking.Sample{Value: in.Value, Fault: in.Fault}, ro.momentOf(in.Node))
	ro.noteCheck(in.Node, in.Check)
	ro.touch(in.Node)
}

// noteChecks notes what the checks of node i say now, where only time has passed.
func (ro *roster) noteChecks(i int) {
	for k := range ro.nodes[i].checks {
		ro.noteCheck(i, k)
	}
}

// noteCheck notes what a check says now. A verdict that has changed is shown at once, a value once in a while.
func (ro *roster) noteCheck(i, k int) {
	c, v := &ro.nodes[i].checks[k], ro.judgeCheck(i, k)
	passes := v.Known && v.Fault == ""
	c.passed = c.passed || passes
	if passes != c.passes || v.Known != c.known {
		c.passes, c.known, ro.changed = passes, v.Known, true
	}
	if text := v.Value + v.Fault; text != c.value && ro.now.Steady >= ro.valuesAt {
		c.value, ro.changed, ro.valuesAt = text, true, ro.now.Steady+valuesEvery
	}
}

// callCheck asks for one check.
func (ro *roster) callCheck(i, k int) {
	c := &ro.nodes[i].checks[k]
	c.ticket, c.sent, c.open, c.asked = ro.next(), ro.now.Steady, true, true
	ro.do(CallCheck{Node: i, Check: k, Ticket: c.ticket})
	ro.at(i, c.sent+ro.nodes[i].spec.Deadline.Arm)
}

// listen starts or stops the checks, as the network enters or leaves states that may be armed.
func (co *course) listen() {
	if len(co.checked) == 0 {
		return
	}
	high := lifecycle.Active.Level()
	on := co.closing.ended == nil && (co.machine.Level(co.settled) >= high ||
		co.work != nil && co.machine.Level(co.work.target) >= high)
	co.countTopics(on)
	if on == co.listening {
		return
	}
	co.listening = on
	for _, i := range co.checked {
		co.nodes[i].checks = checkupsOf(co.nodes[i].spec)
		if on {
			co.touch(i)
		}
	}
	co.changed = true
}

// countTopics makes the world count as often as what stands on it needs.
func (co *course) countTopics(on bool) {
	every := time.Duration(0)
	switch {
	case on && co.proving():
		every = countOften
	case on:
		every = countSeldom
	}
	if every != co.pace {
		co.pace = every
		co.do(CountTopics{every})
	}
}

// beginChecks asks for the checks of all present nodes. Arming waits for a check as long as its node
// may take to arm, and for a topic also as long as it has to be measured.
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
			switch {
			case c.spec.Counted():
				by += c.gauge.Window()
				c.counted = false
			default:
				c.gauge.Restart()
				c.late = false
				co.callCheck(i, k)
				co.noteCheck(i, k)
			}
			if c.spec.Enters() {
				co.work.arm.checkBy = max(co.work.arm.checkBy, by)
			}
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
			if !n.there() || !n.checks[k].spec.Enters() {
				continue
			}
			c := &n.checks[k]
			if v := co.judgeCheck(i, k); !v.Known || c.spec.Counted() && (v.Fault != "" || !c.counted) {
				return true
			}
		}
	}
	return false
}

// recheck asks for the checks of a node if that is due: often where something is armed or about to be.
func (co *course) recheck(i int) {
	n := &co.nodes[i]
	if !co.checkable(i) || co.yields() || co.closing.ended != nil {
		return
	}
	every := checkSeldom
	if co.proving() {
		every = checkEvery
	}
	for k := range n.checks {
		c := &n.checks[k]
		switch {
		case c.spec.Counted():
		case c.open && co.waitUntil(i, c.sent+max(every, n.spec.Deadline.Arm)):
		case !c.open && c.asked && co.waitUntil(i, c.sent+every):
		default:
			c.late = c.open
			co.callCheck(i, k)
		}
	}
}
