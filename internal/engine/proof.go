package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/lease"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// Proofs: while something is armed a node has to show again and again that it is as it should be. A node that can be armed,
// or has a `probe:`, is asked; what others do is announced or seen in the graph.

const (
	probesPerProof = 5                     // so many questions may go without an answer before the proof is too old
	probeFloor     = 10 * time.Millisecond // the least time between two questions
	probesLost     = 3                     // so many that failed in a row make a node lost
	probeFails     = time.Second           // the least time after which one has failed
)

// asks says whether the node is probed while something is armed. Only a lifecycle node can say where it is.
func (n *node) asks() bool { return n.spec.Lifecycle && (n.spec.Arm != nil || n.spec.Probe > 0) }

// proving says whether nodes have to prove themselves now: the network is armed, or about to be.
func (s *State) proving() bool {
	if s.work != nil && !s.work.phase.rests {
		return s.work.proves()
	}
	here, _ := s.machine.State(s.settled)
	return here.Armed.Any()
}

// probeEvery is how often node i is asked where it is; 0: it is not.
func (s *State) probeEvery(i int) time.Duration {
	n := &s.nodes[i]
	every := n.spec.Probe
	switch {
	case !n.asks() || s.settled == "" || s.closing.ended != nil:
		return 0
	case s.proving() && every > 0:
		every = min(every, s.net.Proof/probesPerProof)
	case s.proving():
		every = s.net.Proof / probesPerProof
	case every == 0:
		return 0
	}
	return max(every, probeFloor)
}

// probe asks node i where it is, if it is time.
func (s *State) probe(i int) {
	n := &s.nodes[i]
	p := &n.reading.probing
	every := s.probeEvery(i)
	if every == 0 || !n.there() {
		p.missed = 0
		return
	}
	if next := p.last + every; p.last > 0 && s.now.Steady < next {
		s.at(i, next)
		return
	}
	s.missed(i, every)
	p.last = s.now.Steady
	s.at(i, s.now.Steady+every)
	if n.call != nil {
		return // it may be busy with what we asked for
	}
	s.ask(i, false)
}

// proven notes that node i has a new proof, whoever asked for it: the moment at which that is too old is looked at, and not
// only the next question after it.
func (s *State) proven(i int) {
	if n := &s.nodes[i]; n.asks() && s.proving() {
		s.at(i, max(n.proof, n.arm.Vouched())+s.net.Proof+1)
	}
}

// missed counts questions that were not answered, while nothing is armed and nothing is asked of the node that it could be
// busy with.
func (s *State) missed(i int, every time.Duration) {
	n := &s.nodes[i]
	p := &n.reading.probing
	if p.last == 0 || p.heard >= p.last || n.call != nil || n.arm.Open() || s.busy() || s.proving() {
		p.missed = 0
		return
	}
	p.missed++
	if p.missed >= probesLost && s.now.Steady-p.heard >= probesLost*max(every, probeFails) && p.left == 0 {
		p.left, n.place.mending.lost = p.missed, true
		s.report.changed = true
		s.touch(i)
	}
}

// heardFrom notes that a process has shown that it lives.
func (s *State) heardFrom(i int) {
	p := &s.nodes[i].reading.probing
	p.heard, p.missed = s.now.Steady, 0
	s.suspected(i)
	if p.left > 0 {
		p.left = 0
		s.report.changed = true
		s.touch(i)
	}
}

// proofAge is the age of the newest proof that node i is where it is believed to be; ok is false where there is none, or
// none is needed.
func (s *State) proofAge(i int) (age time.Duration, ok bool) {
	n := &s.nodes[i]
	if !n.asks() || !n.there() || n.proof == 0 {
		return 0, false
	}
	return s.now.Steady - n.proof, true
}

// stale says why node i has not proven lately enough that it is as it should be; empty: it has. One that is just being
// asked to arm may be busy with that, and gets as long again to show itself after it.
func (s *State) stale(i int) string {
	n := &s.nodes[i]
	if !n.asks() || !n.there() || n.arm.Open() || s.rereadsLate() {
		return ""
	}
	age := s.now.Steady - max(n.proof, n.arm.Vouched())
	if age <= s.net.Proof {
		return ""
	}
	return fmt.Sprintf("has not shown for %v that it is %v", age.Round(time.Millisecond), n.state)
}

// unfit says why node i, as it should be as far as is known, may not stay armed or let others be; empty: it may.
func (s *State) unfit(i int) string {
	if why := s.stale(i); why != "" {
		return why
	}
	if list := s.failing(i); len(list) > 0 {
		return "does not pass its check: " + list[0]
	}
	return ""
}

// unproven says whether somebody still owes the proof with which armed may be said to be true.
func (s *State) unproven() bool {
	for i := range s.nodes {
		n := &s.nodes[i]
		if age, ok := s.proofAge(i); n.asks() && n.there() && n.leg.result.verdict == VerdictDone && (!ok || age > s.net.Proof) {
			return true
		}
	}
	return false
}

// oldestProof is when the oldest of the proofs was made that the network's being armed rests on. Who is just being asked to
// arm is not counted: it is not armed yet, and may be busy. A yes to that is a proof from when it was asked.
func (s *State) oldestProof() time.Duration {
	oldest := s.now.Steady
	for i := range s.nodes {
		n := &s.nodes[i]
		if !n.asks() || !n.there() || n.arm.Open() || (n.spec.Optional && !n.place.wasArmed) {
			continue
		}
		proof := n.proof
		if n.arm.Vouched() > 0 {
			proof = max(proof, n.arm.ArmSentAt())
		}
		oldest = min(oldest, proof)
	}
	return oldest
}

// Checks: what must hold before and while a network is armed. Topics are listened to from active up, and on the way
// there, so that arming finds a rate that it need not wait for. Services are asked when arming begins, and from then on
// every second: while the rest is waited for, while nodes are asked to arm, and while armed.

const checkEvery = time.Second

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
		if s.nodes[i].leg.result.verdict == VerdictGone {
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
			v, faults = n.leg.result.verdict, append([]string{n.leg.result.evidence}, faults...)
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

// How a rate is taken from counts. The window is long enough to hold some messages of a slow topic, and no shorter than a
// second, so that a hiccup of the network is no failure.
const (
	rateWindow  = time.Second
	ratePeriods = 4           // of the rate, that a window holds at least
	rateShare   = 0.8         // of the rate is enough
	countStale  = time.Second // the greatest age of the newest count
)

func (m *meter) window() time.Duration {
	return max(rateWindow, time.Duration(ratePeriods/m.rate*float64(time.Second)))
}

// take notes a count. One that is smaller, or earlier, than the one before it begins a new window.
func (m *meter) take(c count, heard time.Duration, fault string) {
	if fault != "" || c.n < m.last.n || c.at < m.last.at {
		m.kept = nil
	}
	m.last, m.heard, m.fault = c, heard, fault
	if fault != "" {
		return
	}
	if k := len(m.kept); k == 0 || c.at-m.kept[k-1].at >= m.window()/16 { // enough to see the window by
		m.kept = append(m.kept, c)
	}
	for len(m.kept) > 1 && m.kept[1].at <= c.at-m.window() {
		m.kept = m.kept[1:]
	}
}

// judge says why the topic does not come at its rate; empty: it does. known is false while the window is not full. Who
// counts a window may miss one message at its edge, which is not held against the topic.
func (m *meter) judge(steady time.Duration) (fault string, known bool) {
	switch {
	case m.fault != "":
		return m.fault, true
	case len(m.kept) == 0:
		return "nothing has been counted yet", false
	case steady-m.heard > countStale:
		return fmt.Sprintf("was counted last %v ago", (steady - m.heard).Round(100*time.Millisecond)), true
	}
	span := m.last.at - m.kept[0].at
	if span < m.window() {
		return fmt.Sprintf("was counted for %v of %v only", span.Round(100*time.Millisecond), m.window()), false
	}
	came := float64(m.last.n - m.kept[0].n)
	if came+1 < rateShare*m.rate*span.Seconds() {
		return fmt.Sprintf("comes at %.3g Hz, not %.3g Hz", came/span.Seconds(), m.rate), true
	}
	return "", true
}

// holds says whether the lease is to be held. Who yields vouches for nobody: a node that he cannot disarm does so itself.
func (s *State) holds() bool {
	if s.yields() {
		return false
	}
	if w := s.work; w != nil && !w.phase.rests {
		return w.proves() && w.arm.proven
	}
	here, _ := s.machine.State(s.settled)
	return here.Armed.Any() && s.closing.ended == nil
}

// holdLease begins, renews and ends the lease. It is not renewed on a proof that is too old: what follows from that is
// decided elsewhere, and the lease runs out meanwhile.
func (s *State) holdLease() {
	on := s.holds()
	switch {
	case !on && s.hold.lease.Held():
		s.endLease()
		s.report.changed = true
	case on && !s.hold.lease.Held():
		s.hold.lease.Begin()
		s.hold.leased = leaseSaid{}
		s.hold.leaseAt, s.report.changed = s.now.Steady, true
	}
	if !on || s.now.Steady < s.hold.leaseAt {
		return
	}
	s.hold.leaseAt = s.now.Steady + lease.Every
	s.wakeWhole(s.hold.leaseAt)
	proved := s.oldestProof()
	if s.now.Steady-proved > s.net.Proof {
		return
	}
	s.hold.leaseEnds = max(s.hold.leaseEnds, proved+s.net.Proof+leaseSlack)
	s.hold.leased.say(proved, s.now.Steady)
	m := s.hold.lease.Next(proved+s.gap.uncounted, s.net.Proof)
	m.Instance = s.fixed.opt.Instance
	s.do(SendLease{m})
}

// unrenewable reports whether no lease can be sent now, so that a node that is armed would not hear of one.
func (s *State) unrenewable() bool { return s.now.Steady-s.oldestProof() > s.net.Proof }

// undead names the nodes that may be armed and that nothing disarms when this process is gone; empty: none.
func (s *State) undead() string {
	var names []string
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.abandons() && n.there() {
			names = append(names, n.spec.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " stays armed if rstate dies: it follows no lease (dead_man: none)"
}

// unwatched names the required nodes that nobody asks while others are armed; empty: none, or nothing is armed.
func (s *State) unwatched() string {
	if !s.holds() {
		return ""
	}
	var names []string
	for i := range s.nodes {
		if n := &s.nodes[i]; n.there() && n.spec.Unwatched() {
			names = append(names, n.spec.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return network.UnwatchedWords(names)
}

// outlived says whether the lease has run out that a node had which is gone. While an endpoint of it is in the graph, it may
// hear the lease that is renewed.
func (s *State) outlived(i int) bool {
	n := &s.nodes[i]
	if n.there() || n.abandoned() || n.arm.Belief() == Disarmed || s.now.Steady < n.arm.GoneBy() {
		return false
	}
	if n.reachable() && s.now.Steady < s.hold.leaseEnds {
		s.at(i, s.hold.leaseEnds)
		return false
	}
	return true
}

func (l *leaseSaid) say(proved, now time.Duration) {
	*l = leaseSaid{proved: proved, at: now, before: l.proved, said: true, saidTwo: l.said}
}

// unsay takes the newest message back: it was not sent.
func (l *leaseSaid) unsay() { *l = leaseSaid{proved: l.before, at: l.at, said: l.saidTwo} }

func (l *leaseSaid) age(gap time.Duration) {
	l.proved, l.before, l.at = l.proved-gap, l.before-gap, l.at-gap
}

// leaseUnsent counts the lease from the newest message that has left, and disarms if that is too old.
func (s *State) leaseUnsent(in LeaseUnsent) {
	if !s.hold.lease.Held() || in.Term != s.hold.lease.Term() {
		return
	}
	proved := in.Proved - s.gap.uncounted
	s.hold.leased = leaseSaid{proved: proved, before: proved, at: s.hold.leased.at, said: in.Left, saidTwo: in.Left, unsent: true}
	s.lapse("")
}

func (s *State) endLease() {
	s.hold.lease.End()
	s.hold.leased = leaseSaid{}
}

// lapse ends what a lease is held for that was not renewed in time, and reports whether it did: by now nodes that follow
// it disarm by themselves, so it is not renewed, and all are disarmed one way.
func (s *State) lapse(why string) bool {
	if !s.hold.lease.Held() || !s.holds() || !s.hold.leased.said && s.busy() {
		return false
	}
	proved := s.hold.leased.proved
	if !s.hold.leased.said {
		proved = s.oldestProof()
	}
	if s.now.Steady-proved <= s.net.Proof {
		return false
	}
	switch {
	case why == "" && s.hold.leased.unsent:
		why = "the middleware does not take it"
	case why == "":
		why = fmt.Sprintf("no proof of the last %v", s.net.Proof)
	}
	why = "the arm lease was not renewed in time: " + why
	s.endLease()
	if w := s.work; w != nil && !w.phase.rests {
		w.fault.blame = append(w.fault.blame, NodeResult{Node: s.fixed.opt.Name, Verdict: VerdictLate, Evidence: "ended it: " + why})
		w.fault.failing = true
	} else {
		s.disarmForSafety(why)
	}
	return true
}

// What a node must not offer unless armed: an action, a service, a topic that moves something. The world says what of it
// is in the graph; here it is decided what follows.

func (s *State) unsafeSeen(in UnsafeSeen) {
	n := &s.nodes[in.Node]
	if slices.Equal(n.unsafe, in.Names) {
		return
	}
	n.unsafe = in.Names
	s.report.changed = true
	s.touch(in.Node)
	s.touchAround(in.Node)
}

// exposed says what node i offers although the network is in a state that does not arm; empty: nothing.
func (s *State) exposed(i int, here machine.State) string {
	n := &s.nodes[i]
	if len(n.unsafe) == 0 || here.Armed.Any() {
		return ""
	}
	return "advertises " + strings.Join(n.unsafe, ", ") + " although it is not armed"
}

// exposedBefore says who offers what is unsafe and has not been armed; empty: nobody.
func (s *State) exposedBefore() string {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.arm.Belief() == Disarmed && len(n.unsafe) > 0 {
			return n.spec.Name + " " + s.exposed(i, machine.State{})
		}
	}
	return ""
}

// stillExposed says whether somebody offers after a disarm what is only to be there while armed.
func (s *State) stillExposed() bool {
	here, _ := s.machine.State(s.work.target)
	for i := range s.nodes {
		if s.exposed(i, here) != "" {
			return true
		}
	}
	return false
}

// rereadsLate reports whether nodes have time to prove themselves again after a late loop: no lease has told any node that
// it may stay armed, so nothing rests on the proofs yet.
func (s *State) rereadsLate() bool {
	return s.now.Steady < s.gap.lateBy && s.busy() && !s.hold.leased.said
}
