package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Checks: what must hold before and while a network is armed. Topics are listened to from active up, and on the way
// there, so that arming finds a rate that it need not wait for. Services are asked when arming begins, and from then on
// every second: while the rest is waited for, while nodes are asked to arm, and while armed.

const checkEvery = time.Second

// checkup is what is known of one check.
type checkup struct {
	spec *network.Check
	// of a topic
	meter meter
	// of a service
	ticket   uint64        // of the newest request
	sent     time.Duration // when it went out
	open     bool          // it has no answer
	asked    bool          // one was sent since checks matter
	answered bool          // and one was answered since it is asked again and again
	fault    string        // what the newest answer said
}

func checkupsOf(spec *network.Node) []checkup {
	list := make([]checkup, len(spec.Checks))
	for k := range list {
		list[k].spec = &spec.Checks[k]
		list[k].meter.rate = spec.Checks[k].Rate
	}
	return list
}

// about names what is checked.
func (c *checkup) about() string { return c.spec.Topic + c.spec.Service }

// judge says why a check of node i does not pass; known is false while that cannot be said yet.
func (s *State) judgeCheck(i, k int) (fault string, known bool) {
	c := &s.nodes[i].checks[k]
	if c.spec.Topic != "" {
		return c.meter.judge(s.now.Steady)
	}
	allow := s.nodes[i].spec.Deadline.Arm
	switch {
	case c.open && s.now.Steady >= c.sent+allow:
		return fmt.Sprintf("did not answer in %v", allow), true
	case !c.answered:
		return "has not answered yet", false
	}
	return c.fault, true
}

// failing lists the checks of node i that do not pass, each with its reason. What is not known yet is left out.
func (s *State) failing(i int) []string {
	n := &s.nodes[i]
	if len(n.checks) == 0 || !n.there() || !s.listening {
		return nil
	}
	var list []string
	for k := range n.checks {
		if fault, known := s.judgeCheck(i, k); fault != "" && known {
			list = append(list, n.checks[k].about()+" "+fault)
		}
	}
	return list
}

// unchecked says of every node that arming needs what is known to be wrong with its checks. What nobody has asked yet, as
// services are asked when arming begins, is not known.
func (s *State) unchecked() []string {
	var list []string
	for _, i := range s.fixed.checked {
		if faults := s.failing(i); len(faults) > 0 && !s.nodes[i].spec.Optional {
			list = append(list, s.nodes[i].spec.Name+" does not pass its check: "+strings.Join(faults, ", "))
		}
	}
	return list
}

// clockOf is the time that the rates of topics of node i count: simulated time once it is heard, where its deadlines do.
func (s *State) clockOf(i int) time.Duration {
	if s.clock.rates && s.nodes[i].spec.Clock != network.SteadyClock {
		return s.now.ROS
	}
	return s.now.Steady
}

// restartRates begins every rate anew: its times are to be those of another clock.
func (s *State) restartRates() {
	for _, i := range s.fixed.checked {
		for k := range s.nodes[i].checks {
			s.nodes[i].checks[k].meter.kept = nil
		}
	}
}

func (s *State) topicCounted(in TopicCounted) {
	n := &s.nodes[in.Node]
	if !s.listening || in.Check >= len(n.checks) {
		return // of a time before
	}
	c := &n.checks[in.Check]
	was, _ := s.judgeCheck(in.Node, in.Check)
	c.meter.take(count{s.clockOf(in.Node), in.Count}, s.now.Steady, in.Fault)
	if now, _ := s.judgeCheck(in.Node, in.Check); (now == "") != (was == "") {
		s.report.changed = true
	}
	s.at(in.Node, s.now.Steady+countStale+1)
	s.touch(in.Node)
}

func (s *State) checkAnswered(in CheckAnswered) {
	n := &s.nodes[in.Node]
	if in.Check >= len(n.checks) || n.checks[in.Check].ticket != in.Ticket {
		return // overtaken by a later request
	}
	c := &n.checks[in.Check]
	s.report.changed = s.report.changed || c.fault != in.Fault
	c.open, c.answered, c.fault = false, true, in.Fault
	s.touch(in.Node)
}

// callCheck asks one service.
func (s *State) callCheck(i, k int) {
	c := &s.nodes[i].checks[k]
	c.ticket, c.sent, c.open, c.asked = s.next(), s.now.Steady, true, true
	s.do(CallCheck{Node: i, Check: k, Ticket: c.ticket})
	s.at(i, c.sent+s.nodes[i].spec.Deadline.Arm)
}

// listen begins or ends the counting of topics, as the network comes to or leaves what may be armed.
func (s *State) listen() {
	if len(s.fixed.checked) == 0 {
		return
	}
	high := lifecycle.Active.Level()
	on := s.closing.ended == nil && (s.machine.Level(s.settled) >= high || s.work != nil && s.machine.Level(s.work.target) >= high)
	if on == s.listening {
		return
	}
	s.listening = on
	for _, i := range s.fixed.checked {
		s.nodes[i].checks = checkupsOf(s.nodes[i].spec)
	}
	s.report.changed = true
	s.do(CountTopics{on})
}

// beginChecks asks the services of all nodes that are there. How long is waited: as long as a node may take to arm, and
// for a topic as long as its rate takes to be known.
func (s *State) beginChecks() {
	s.listen()
	s.work.arm.judged, s.work.arm.checkBy = false, s.now.Steady
	for _, i := range s.fixed.checked {
		n := &s.nodes[i]
		if !n.there() {
			continue
		}
		for k := range n.checks {
			c := &n.checks[k]
			by := s.now.Steady + n.spec.Deadline.Arm
			if c.spec.Topic != "" {
				by += c.meter.window()
			} else {
				c.answered, c.fault = false, ""
				s.callCheck(i, k)
			}
			s.work.arm.checkBy = max(s.work.arm.checkBy, by)
		}
	}
	s.wakeWhole(s.work.arm.checkBy)
}

// checksPending says whether some check may still come to pass.
func (s *State) checksPending() bool {
	if s.now.Steady >= s.work.arm.checkBy {
		return false
	}
	for _, i := range s.fixed.checked {
		n := &s.nodes[i]
		for k := range n.checks {
			fault, known := s.judgeCheck(i, k)
			if n.there() && (!known || fault != "" && n.checks[k].spec.Topic != "") {
				return true
			}
		}
	}
	return false
}

// gathers says whether arming still waits for reads and checks. It does although one has failed, so that whoever asked
// learns all that stands against it at once; a node that is lost is reason enough.
func (s *State) gathers() bool {
	w := s.work
	for _, i := range w.fault.failed {
		if s.nodes[i].leg.verdict == VerdictGone {
			return false
		}
	}
	return w.legs.open > 0 || s.checksPending() || s.peersPending()
}

// judgeChecks gives up every node whose checks do not pass. One that is known to no end does not pass either.
func (s *State) judgeChecks() {
	s.work.arm.judged = true
	s.judgePeers()
	for _, i := range s.fixed.checked {
		n := &s.nodes[i]
		if !n.there() || n.leg.status == legNone {
			continue
		}
		faults := s.faults(i)
		if len(faults) == 0 {
			continue
		}
		v := VerdictRefused
		if n.leg.status == legGivenUp { // why is not forgotten: one that is lost ends the arming at once
			v, faults = n.leg.verdict, append([]string{n.leg.evidence}, faults...)
		}
		if !n.leg.open() {
			s.reopen(i)
		}
		s.giveUp(i, v, "is not fit to arm: "+strings.Join(faults, ", "))
	}
}

// faults lists what stands against arming with node i as it is. What is not known yet does.
func (s *State) faults(i int) []string {
	n := &s.nodes[i]
	var list []string
	for k := range n.checks {
		if fault, _ := s.judgeCheck(i, k); fault != "" {
			list = append(list, n.checks[k].about()+" "+fault)
		}
	}
	if w := s.exposed(i, machine.State{}); w != "" && n.arm.Belief() != IsArmed {
		list = append(list, w)
	}
	return list
}

// recheck asks the services of a node that is armed, or about to be, again: a second after the last time.
func (s *State) recheck(i int) {
	n := &s.nodes[i]
	for k := range n.checks {
		c := &n.checks[k]
		if c.spec.Service == "" || !n.there() || c.open {
			continue
		}
		if next := c.sent + checkEvery; c.asked && s.now.Steady < next {
			s.at(i, next)
			continue
		}
		s.callCheck(i, k)
	}
}
