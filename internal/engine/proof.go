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

// Proofs: while something is armed, each node has to show repeatedly that it is as it should be.
// The daemon asks nodes with `arm:` or `probe:`. Other nodes announce their changes, or the graph
// shows them.

const (
	// So many reads may stay unanswered before the proof is too old.
	probesPerProof = 5
	probeFloor     = 10 * time.Millisecond // least time between two reads
	probesLost     = 3                     // failed reads in a row that make a node lost
	probeFails     = time.Second           // least time after which a read has failed
)

// asks reports whether the daemon probes the node while something is armed. Only a lifecycle node
// can report its state.
func (n *node) asks() bool { return n.spec.Lifecycle && (n.spec.Arm != nil || n.spec.Probe > 0) }

// proving reports whether nodes have to prove themselves now: the network is armed, or about to be.
func (s *State) proving() bool {
	if s.busy() {
		return s.work.proves()
	}
	return s.armedHere()
}

// probeEvery is the time between two probes of node i; 0: the daemon does not probe it.
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

// probe reads the state of node i if a probe is due.
func (s *State) probe(i int) {
	n := &s.nodes[i]
	p := &n.reading.probing
	every := s.probeEvery(i)
	if every == 0 || !n.there() {
		p.missed = 0
		return
	}
	if p.last > 0 && s.before(i, p.last+every) {
		return
	}
	s.missed(i, every)
	p.last = s.now.Steady
	s.at(i, s.now.Steady+every)
	if n.call != nil {
		return // the node may be busy with our request
	}
	s.ask(i, false)
}

// proven notes a new proof of node i, whatever asked for it. It schedules a look at the moment when
// the proof is too old, not only at the next probe.
func (s *State) proven(i int) {
	if n := &s.nodes[i]; n.asks() && s.proving() {
		s.at(i, max(n.proof, n.arm.Vouched())+s.net.Proof+1)
	}
}

// missed counts unanswered probes while nothing is armed and no request is open with which the node
// could be busy.
func (s *State) missed(i int, every time.Duration) {
	n := &s.nodes[i]
	p := &n.reading.probing
	if p.last == 0 || p.heard >= p.last || n.call != nil || n.arm.Open() || s.busy() || s.proving() {
		p.missed = 0
		return
	}
	p.missed++
	if p.missed >= probesLost && s.now.Steady-p.heard >= probesLost*max(every, probeFails) && p.left == 0 {
		p.left, n.place.repairs.lost = p.missed, true
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

// proofAge is the age of the newest proof that node i is in the believed state. ok is false if
// there is no proof, or none is needed.
func (s *State) proofAge(i int) (age time.Duration, ok bool) {
	n := &s.nodes[i]
	if !n.asks() || !n.there() || n.proof == 0 {
		return 0, false
	}
	return s.now.Steady - n.proof, true
}

// stale says why the proof of node i is too old; empty: it is not. A node that is being asked to
// arm may be busy with that, and gets as long again afterwards.
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

// unfit says why node i may not stay armed, or keeps others from being armed, although its state is
// right; empty: it does not.
func (s *State) unfit(i int) string {
	if why := s.stale(i); why != "" {
		return why
	}
	if list := s.failing(i); len(list) > 0 {
		return "does not pass its check: " + list[0]
	}
	return ""
}

// unproven reports whether some node still owes the proof that armed rests on.
func (s *State) unproven() bool {
	for i := range s.nodes {
		n := &s.nodes[i]
		if age, ok := s.proofAge(i); n.asks() && n.there() && n.part.result.verdict == VerdictDone && (!ok || age > s.net.Proof) {
			return true
		}
	}
	return false
}

// oldestProof is the time of the oldest proof on which the armed network rests. A node that is
// being asked to arm does not count: it is not armed yet, and may be busy. Its yes is a proof from
// the time of the request.
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

// Checks: conditions before and while a network is armed. The daemon counts topics from active up,
// and on the way there, so that arming need not wait for a rate. It asks services when arming
// begins, and then every second: while arming waits, while it asks nodes to arm, and while armed.

const checkEvery = time.Second

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

// clockOf is the time that the topic rates of node i count: simulated time once it is heard, if the
// node's deadlines do.
func (s *State) clockOf(i int) time.Duration {
	if s.clock.rates && s.nodes[i].spec.Clock != network.SteadyClock {
		return s.now.ROS
	}
	return s.now.Steady
}

// restartRates begins every rate anew, because its times come from another clock now.
func (s *State) restartRates() {
	for _, i := range s.fixed.checked {
		for k := range s.nodes[i].checks {
			s.nodes[i].checks[k].meter.kept = nil
		}
	}
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

// gathers reports whether arming still waits for reads and checks. It goes on after a failure, so
// that the client learns every reason at once. Only a lost node ends it.
func (s *State) gathers() bool {
	w := s.work
	for _, i := range w.fault.failed {
		if s.nodes[i].part.result.verdict == VerdictGone {
			return false
		}
	}
	return w.parts.open > 0 || s.checksPending() || s.peersPending()
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

// How a rate is computed from counts. The window holds several messages of a slow topic, and is at
// least a second, so that a brief delay of the network is no failure.
const (
	rateWindow  = time.Second
	ratePeriods = 4           // least number of periods in a window
	rateShare   = 0.8         // share of the rate that is enough
	countStale  = time.Second // greatest age of the newest count
)

func (m *meter) window() time.Duration {
	return max(rateWindow, time.Duration(ratePeriods/m.rate*float64(time.Second)))
}

// take notes a count. A count that is smaller or earlier than the one before it begins a new
// window.
func (m *meter) take(c count, heard time.Duration, fault string) {
	if fault != "" || c.n < m.last.n || c.at < m.last.at {
		m.kept = nil
	}
	m.last, m.heard, m.fault = c, heard, fault
	if fault != "" {
		return
	}
	if k := len(m.kept); k == 0 || c.at-m.kept[k-1].at >= m.window()/16 { // enough detail
		m.kept = append(m.kept, c)
	}
	for len(m.kept) > 1 && m.kept[1].at <= c.at-m.window() {
		m.kept = m.kept[1:]
	}
}

// judge says why the topic is below its rate; empty: it is not. known is false while the window is
// not full. A window may miss one message at its edge, which does not count against the topic.
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

// holds reports whether the daemon holds the lease. A yielding instance does not renew it: a node
// that the instance cannot disarm then disarms itself.
func (s *State) holds() bool {
	if s.yields() || !s.proving() {
		return false
	}
	return s.busy() && s.work.arm.proven || !s.busy() && s.closing.ended == nil
}

// holdLease begins, renews and ends the lease. It does not renew the lease on a proof that is too
// old. The consequence of such a proof is decided elsewhere; the lease runs out meanwhile.
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

// unrenewable reports whether no lease can be sent now, so that an armed node would not hear one.
func (s *State) unrenewable() bool { return s.now.Steady-s.oldestProof() > s.net.Proof }

// undead names the nodes that may be armed and that stay armed if this process dies; empty: none.
func (s *State) undead() string {
	names := s.named(func(n *node) bool { return n.abandons() && n.there() })
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " stays armed if rstate dies: it follows no lease (dead_man: none)"
}

// unwatched names the required nodes that the daemon does not probe while others are armed; empty:
// none, or nothing is armed.
func (s *State) unwatched() string {
	if !s.holds() {
		return ""
	}
	names := s.named(func(n *node) bool { return n.there() && n.spec.Unwatched() })
	if len(names) == 0 {
		return ""
	}
	return network.UnwatchedWords(names)
}

// outlived reports whether the last lease of a lost node has run out. While the graph shows an
// endpoint of the node, it may hear each renewal.
func (s *State) outlived(i int) bool {
	n := &s.nodes[i]
	if n.there() || n.abandoned() || n.arm.Belief() == Disarmed || s.now.Steady < n.arm.GoneBy() {
		return false
	}
	return !n.reachable() || !s.before(i, s.hold.leaseEnds)
}

func (l *leaseSaid) say(proved, now time.Duration) {
	*l = leaseSaid{proved: proved, at: now, before: l.proved, said: true, saidTwo: l.said}
}

// unsay removes the newest message, which was not sent.
func (l *leaseSaid) unsay() { *l = leaseSaid{proved: l.before, at: l.at, said: l.saidTwo} }

func (l *leaseSaid) age(gap time.Duration) {
	l.proved, l.before, l.at = l.proved-gap, l.before-gap, l.at-gap
}

// leaseUnsent counts the lease from the newest message that has left, and disarms if that message
// is too old.
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

// lapse ends a lease that was not renewed in time, and reports whether it did. Nodes that follow
// the lease disarm themselves by then, so the daemon does not renew it and disarms all nodes one
// way.
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

// Names that a node must not offer unless it is armed: an action, service or topic that moves
// something. The world reports which of them the graph shows; the engine decides what follows.

func (s *State) unsafeSeen(in UnsafeSeen) {
	n := &s.nodes[in.Node]
	if slices.Equal(n.unsafe, in.Names) {
		return
	}
	n.bare = len(in.Names) > 0 && (n.bare || len(in.Names) > len(n.unsafe) && n.arm.ToDisarm())
	n.unsafe = in.Names
	s.report.changed = true
	s.touch(in.Node)
	s.touchAround(in.Node)
}

// exposed lists the unsafe names that node i offers although the network's state does not arm;
// empty: none.
func (s *State) exposed(i int, here machine.State) string {
	n := &s.nodes[i]
	if len(n.unsafe) == 0 || here.Armed.Any() {
		return ""
	}
	return "advertises " + strings.Join(n.unsafe, ", ") + " although it is not armed"
}

// exposedBefore names the nodes that offer unsafe names and have not been armed; empty: none.
func (s *State) exposedBefore() string {
	for i := range s.nodes {
		if s.offersUnarmed(i) {
			return s.nodes[i].spec.Name + " " + s.exposed(i, machine.State{})
		}
	}
	return ""
}

// offersUnarmed reports whether node i offers unsafe names without being armed. A node that refuses
// to disarm is still armed, unless the names have appeared after the disarm was sent.
func (s *State) offersUnarmed(i int) bool {
	n := &s.nodes[i]
	b := n.arm.Belief()
	return len(n.unsafe) > 0 && (b == Disarmed || n.bare && b == MayBeArmed)
}

// stillExposed reports whether a node still offers an unsafe name after a disarm.
func (s *State) stillExposed() bool {
	here, _ := s.machine.State(s.work.target)
	for i := range s.nodes {
		if s.exposed(i, here) != "" {
			return true
		}
	}
	return false
}

// rereadsLate reports whether nodes have time to prove themselves again after a late loop: no lease
// has told any node yet that it may stay armed, so nothing rests on the proofs.
func (s *State) rereadsLate() bool {
	return s.now.Steady < s.gap.lateBy && s.busy() && !s.hold.leased.said
}
