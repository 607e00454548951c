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

// about names what the check observes.
func (c *checkup) about() string { return c.spec.Topic + c.spec.Service }

// judgeCheck says why a check of node i does not pass; known is false while that is undecided.
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

// failing lists the checks of node i that do not pass, each with its reason. It leaves out
// undecided checks.
func (s *State) failing(i int) []string {
	n := &s.nodes[i]
	if len(n.checks) == 0 || !n.there() || !s.turn.listening {
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

// unchecked lists, for every node that arming needs, the faults that are known of its checks. A
// service that was not asked yet has no known fault: services are asked when arming begins.
func (s *State) unchecked() []string {
	var list []string
	for _, i := range s.fixed.checked {
		if faults := s.failing(i); len(faults) > 0 && !s.nodes[i].spec.Optional {
			list = append(list, s.nodes[i].spec.Name+" does not pass its check: "+strings.Join(faults, ", "))
		}
	}
	return list
}

func (s *State) topicCounted(in TopicCounted) {
	n := &s.nodes[in.Node]
	if !s.turn.listening || in.Check >= len(n.checks) {
		return // from before the counting began
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
		return // a later request has superseded it
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

// listen starts or stops the counting of topics, as the network enters or leaves states that may be
// armed.
func (s *State) listen() {
	if len(s.fixed.checked) == 0 {
		return
	}
	high := lifecycle.Active.Level()
	on := s.closing.ended == nil && (s.machine.Level(s.settled) >= high || s.work != nil && s.machine.Level(s.work.target) >= high)
	if on == s.turn.listening {
		return
	}
	s.turn.listening = on
	for _, i := range s.fixed.checked {
		s.nodes[i].checks = checkupsOf(s.nodes[i].spec)
	}
	s.report.changed = true
	s.do(CountTopics{on})
}

// beginChecks asks the services of all present nodes. Arming waits for a check as long as its node
// may take to arm, and for a topic also as long as its rate needs to be known.
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

// checksPending reports whether an undecided check may still pass.
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

// judgeChecks gives up every node whose checks do not pass. A check that stays undecided does not
// pass.
func (s *State) judgeChecks() {
	s.work.arm.judged = true
	s.judgePeers()
	for _, i := range s.fixed.checked {
		n := &s.nodes[i]
		if !n.there() || n.part.status == partNone {
			continue
		}
		faults := s.faults(i)
		if len(faults) == 0 {
			continue
		}
		v := VerdictRefused
		if n.part.status == partGivenUp { // a lost node ends the arming at once
			v, faults = n.part.result.verdict, append([]string{n.part.result.evidence}, faults...)
		}
		s.fail(i, v, "is not fit to arm: "+strings.Join(faults, ", "))
	}
}

// faults lists the reasons against arming with node i as it is. An undecided check is a reason.
func (s *State) faults(i int) []string {
	n := &s.nodes[i]
	var list []string
	for k := range n.checks {
		if fault, _ := s.judgeCheck(i, k); fault != "" {
			list = append(list, n.checks[k].about()+" "+fault)
		}
	}
	if s.offersUnarmed(i) {
		list = append(list, s.exposed(i, machine.State{}))
	}
	return list
}

// recheck asks the services of a node that is armed or about to be, a second after the last time.
func (s *State) recheck(i int) {
	n := &s.nodes[i]
	for k := range n.checks {
		c := &n.checks[k]
		if c.spec.Service == "" || !n.there() || c.open {
			continue
		}
		if c.asked && s.before(i, c.sent+checkEvery) {
			continue
		}
		s.callCheck(i, k)
	}
}
