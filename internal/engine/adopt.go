package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// begin begins the start: it reads nodes as they appear, and writes nothing.
func (s *State) begin() {
	s.startup.begun = true
	if s.startup.started.IsZero() {
		s.startup.started = s.now.Wall
	}
	var longest time.Duration
	for i := range s.nodes {
		longest = max(longest, s.nodes[i].spec.Deadline.Discover)
	}
	s.startup.startBy = s.now.Steady + longest
	s.startup.foundAt = s.now.Steady
	s.startup.writeBy = s.now.Steady + max(s.fixed.opt.Listen.Most, s.fixed.opt.Listen.Least)
	if s.fixed.opt.Listen.Most == 0 {
		s.startup.writeBy = s.now.Steady + max(firstWrite, s.fixed.opt.Listen.Least)
	}
	s.wakeWhole(s.startup.startBy)
	s.wakeWhole(s.startup.writeBy)
	s.report.cause = "rstate has just started"
	if s.gap.stall != "" {
		s.report.cause = s.gap.stall
	} else {
		s.record(Entry{
			Kind: EntryStart, Sentence: "rstate starts as " + s.fixed.opt.Instance, Cause: s.fixed.opt.NotLast,
			Meaning: Meaning{Simulation: s.net.Simulation, Machine: s.machine.Hash(), Network: s.meaning()},
		})
		s.recordLeft()
	}
	s.report.changed = true
}

// meaning is the fingerprint of the network: under another fingerprint the names of states mean
// something else.
func (s *State) meaning() string {
	if s.disk.fingerprint == "" {
		s.disk.fingerprint = s.net.Fingerprint()
	}
	return s.disk.fingerprint
}

// meet notes what a node is during the start. A node that may be armed is disarmed as soon as the
// daemon may write.
func (s *State) meet(i int) {
	n := &s.nodes[i]
	if !n.there() {
		return
	}
	if n.spec.Lifecycle && (!n.firm || !n.state.Primary()) {
		s.poll(i)
	}
}

// listened reports whether a start has read long enough: another instance of this name would be
// known by now.
func (s *State) listened() bool {
	if s.now.Steady < s.name.doubtBy {
		return false
	}
	for i := range s.nodes {
		if s.now.Steady < s.nodes[i].relation.tellBy {
			return false
		}
	}
	if s.now.Steady >= s.startup.writeBy {
		return true
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; !n.there() || (n.spec.Lifecycle && !n.state.Primary()) {
			return false
		}
	}
	if calm := s.startup.foundAt + s.fixed.opt.Listen.Least; s.now.Steady < calm {
		s.wakeWhole(calm)
		return false
	}
	return true
}

// waitingFor names what the start still waits for.
func (s *State) waitingFor() []string {
	var list []string
	for i := range s.nodes {
		n := &s.nodes[i]
		switch {
		case n.met():
		case !n.there():
			list = append(list, n.spec.Name+" "+n.missing())
		case n.spec.Lifecycle && (n.state == lifecycle.Unknown || n.state.Primary() && !n.firm):
			list = append(list, n.spec.Name+" has not said where it is")
		case n.spec.Lifecycle && !n.state.Primary():
			list = append(list, fmt.Sprintf("%s is still %v", n.spec.Name, n.state))
		default:
			list = append(list, n.spec.Name+" has not confirmed that it is disarmed")
		}
	}
	return list
}

// met reports whether a start knows all that it needs to know of the node.
func (n *node) met() bool {
	return n.there() && (!n.spec.Lifecycle || n.firm && n.state.Primary()) && n.arm.Belief() == Disarmed
}

// allMet is len(waitingFor()) == 0 without building the words, because every input of a start asks
// for it.
func (s *State) allMet() bool {
	for i := range s.nodes {
		if !s.nodes[i].met() {
			return false
		}
	}
	return true
}

// comesUp ends the start when every node has been read, or when the deadline has passed.
func (s *State) comesUp() bool {
	if !s.startup.writes {
		if s.listened() {
			s.takeName()
		}
		return s.startup.writes
	}
	if s.now.Steady < s.startup.startBy && !s.allMet() {
		return false
	}
	s.adopt()
	return true
}

// adopt takes the state that the nodes fit. If there is none, it lowers the nodes that are higher
// than the rest.
func (s *State) adopt() {
	s.gap.stall = ""
	state, whole := s.fit()
	last := s.machine.Disarmed(s.fixed.opt.Last)
	ended, known := s.machine.State(last)
	known = known && !ended.Final // after a final state, a start begins anew
	switch {
	case s.net.Startup == network.Reset && state != s.machine.Initial:
		s.lowerTo(s.machine.Initial)
	case s.net.Startup == network.Refuse && !whole:
		s.exit(1, "startup: refuse, and the nodes fit no state: "+strings.Join(s.standing(), ", "))
	case whole && known && s.fits(last):
		s.found(last)
	case whole:
		s.found(state)
	case known:
		s.found(last)
	case state != "":
		s.found(state)
	case s.net.Startup == network.Hold:
		s.found(s.lowest())
	default:
		s.lowerTo(s.lowest())
	}
}

// found takes a state without a request to any node.
func (s *State) found(state string) {
	state = s.machine.Adopted(state)
	s.report.cause = "adopted: " + strings.Join(s.standing(), ", ")
	s.settle(state)
	s.change(nil, Change{SourceState: state, TargetState: state, Settled: true}, false)
	if here, _ := s.machine.State(state); here.Final {
		s.closing.ended = &ending{at: s.now.Steady + lingerFinal}
		s.wakeWhole(s.closing.ended.at)
	}
}

// standing lists the state of each node, as the reason why a state was adopted.
func (s *State) standing() []string {
	list := make([]string, 0, len(s.nodes))
	for i := range s.nodes {
		n := &s.nodes[i]
		where := n.state.String()
		if !n.there() {
			where = "not there"
		} else if !n.spec.Lifecycle {
			where = "there"
		}
		list = append(list, n.spec.Name+" "+where)
	}
	return list
}

// counts reports whether node i counts for the state that a start adopts.
func (s *State) counts(i int) bool {
	n := &s.nodes[i]
	return !n.spec.Optional && n.spec.Lifecycle && n.there() && n.state.Primary()
}

// fits reports whether every present required node is as the state says.
func (s *State) fits(state string) bool {
	st, _ := s.machine.State(state)
	for i := range s.nodes {
		if !s.counts(i) {
			continue
		}
		if want, ok := s.net.WantAt(st, i, s.nodes[i].state); ok && want != s.nodes[i].state {
			return false
		}
	}
	return true
}

// fit returns the lowest state that fits, never one that arms, and whether all required nodes are
// present. If no node is present, that is the initial state.
func (s *State) fit() (state string, whole bool) {
	whole = true
	counted := 0
	for i := range s.nodes {
		if s.counts(i) {
			counted++
		} else if !s.nodes[i].spec.Optional && !(s.nodes[i].there() && !s.nodes[i].spec.Lifecycle) {
			whole = false
		}
	}
	if counted == 0 {
		return s.machine.Initial, whole
	}
	for _, st := range s.machine.States {
		if st.Passing || st.Armed.Any() || st.Nodes.AsIs || !s.fits(st.Name) {
			continue
		}
		if state == "" {
			state = st.Name
		}
		state = s.machine.Lower(state, st.Name)
	}
	return state, whole && state != ""
}

// lowest returns the highest state that every present required node can reach without being raised.
func (s *State) lowest() string {
	best, level := s.machine.Initial, -1
	for _, st := range s.machine.States {
		if !st.Adoptable() || st.Level() <= level {
			continue
		}
		above := false
		for i := range s.nodes {
			n := &s.nodes[i]
			want, ok := s.net.WantAt(st, i, n.state)
			if s.counts(i) && n.state != lifecycle.Finalized && ok && want.Level() > n.state.Level() {
				above = true
			}
		}
		if !above {
			best, level = st.Name, st.Level()
		}
	}
	return best
}

// lowerTo lowers the nodes that are above a state, from the top, before the network counts as being
// in it.
func (s *State) lowerTo(state string) {
	s.work = s.newWork("", machine.Unknown, state)
	s.work.lowers = true
	s.work.why = "the nodes were found in different states: " + strings.Join(s.standing(), ", ")
	s.report.cause = s.work.why
	s.recordState(EventTurned, "lowering what is higher than "+state)
	s.lay(adopting, state)
}

// adopted ends the lowering of a start, whether or not all nodes came down. A node that did not is
// a deviation.
func (s *State) adopted() bool {
	target := s.work.target
	s.settle(target)
	s.change(nil, Change{SourceState: target, TargetState: target, Settled: true}, false)
	return true
}

// One instance per name. On one host a lock ensures this before anything is made on ROS. The rest
// of this file concerns instances on other hosts or in other containers.
//
// A start only listens until it knows that no other instance holds the name. If another instance
// holds it, the start yields. If two instances start together, or find each other after a
// partition, the smaller instance id stays. Ids begin with the time of the start, so that is the
// older instance.
//
// An instance that holds the name yields only to a proof. An instance that stood still a moment ago
// gives no proof, and yields to any proof. So both instances agree on the one that stays, whatever
// they hear first.

// Times and exit codes of S1.
const (
	// How long another instance of the name has to show that it lives.
	ghostIn      = time.Second
	rivalFor     = 3 * time.Second // how long the warning of a rival stays after its last message
	codeBadInput = 2               // the network file asks for something that is impossible here
	// Another instance holds the name; also the code of a rejected goal.
	codeNameTaken = 3
)

// notOurs is why a start that only listens accepts no goal. Only this process itself can ask at
// that time.
const notOurs = "it is not known yet whether another rstate has the name"

// nameSeen waits for a message of an instance that only the graph has shown, before the daemon
// writes anything.
func (s *State) nameSeen() {
	if !s.startup.writes {
		s.doubtName()
	}
}

func (s *State) doubtName() {
	s.name.doubtBy = s.now.Steady + ghostIn
	s.wakeWhole(s.name.doubtBy)
}

func (s *State) nameTaken(in NameTaken) {
	older := in.Instance < s.fixed.opt.Instance
	switch {
	case in.Instance == s.fixed.opt.Instance, s.yields():
	case !s.startup.named && (in.Proven || in.Renews && (in.Holds || older)):
		s.exit(codeNameTaken, s.whoElse(in)+"; this one has touched nothing and ends; "+renamed)
	case s.startup.named && in.Proven && (in.Stood || !s.startup.writes):
		// What it held is from before it stood still.
		in.Stood = true
		s.yield(in, "this one has stood still while that one took over, and ends without touching anything")
	case !s.startup.writes:
		s.noteRival(in)
		s.doubtName() // the other has to show that it lives, or yields
	case in.Proven && older:
		s.yield(in, "this one is the younger and ends")
	default:
		s.noteRival(in)
	}
}

// noteRival logs another instance once, and shows it for a while.
func (s *State) noteRival(in NameTaken) {
	n := &s.name
	if !n.heard || n.rival.Instance != in.Instance {
		s.record(Entry{Kind: EntryNode, Event: EventThere, Node: s.fixed.opt.Name, Sentence: s.whoElse(in) + "; this one stays"})
		s.report.changed = true
	}
	if n.rival.Instance == in.Instance {
		if in.Who == "" {
			in.Who = n.rival.Who // not every message of it names the process
		}
		s.report.changed = s.report.changed || in.Who != n.rival.Who
	}
	n.rival, n.heard, n.until = in, true, s.now.Steady+rivalFor
	s.wakeWhole(n.until)
}

// forgetRival ends the warning of a rival that was not heard for a while.
func (s *State) forgetRival() {
	if s.name.heard && s.now.Steady >= s.name.until {
		s.name.heard = false
		s.report.changed = true
	}
}

func (s *State) whoElse(in NameTaken) string {
	who := "instance " + in.Instance
	if in.Who != "" {
		who += ", " + in.Who
	}
	return fmt.Sprintf("another rstate has the name %s (%s)", s.fixed.opt.Name, who)
}

// renamed tells the user how to run both instances.
const renamed = "to run both, give one another name with --ros-args -r __node:=NAME"

// yield leaves the network to another instance. This instance disarms what it has armed itself, and
// leaves the rest.
func (s *State) yield(in NameTaken, reason string) {
	why := s.whoElse(in) + "; " + reason + "; " + renamed
	s.record(Entry{Kind: EntryEnd, Sentence: "rstate yields", Cause: why})
	s.closing.stop = &stopping{by: s.now.Steady + exitDisarm, why: why, yields: true, stood: in.Stood}
	s.wakeWhole(s.closing.stop.by)
	s.endOpenGoals()
	s.work = nil
	disarms := false
	for i := range s.nodes {
		n := &s.nodes[i]
		n.arm.Drop()
		if n.armedByUs() && !in.Stood {
			s.disarm(i)
			disarms = true
		}
	}
	if disarms {
		s.leaveArmed()
	}
}

// leaveArmed shows that the network is leaving armed, although no work runs. The engine no longer
// watches the proofs, so it must not show the network as armed, and no peer may rely on it.
func (s *State) leaveArmed() {
	t, ok := s.leaves()
	if !ok || s.settled == "" || s.closing.ended != nil {
		return
	}
	must(s.judge.Preempt(t.Name))
	s.showState()
}

// armedByUs reports whether the node may be armed because this instance asked for it.
func (n *node) armedByUs() bool { return n.arm.Ours() && n.arm.Belief() != Disarmed }

// yielded ends a yielding process as soon as the nodes that it has armed are disarmed.
func (s *State) yielded() bool {
	left := s.named(func(n *node) bool { return n.armedByUs() && !s.closing.stop.stood })
	switch {
	case len(left) == 0:
		s.exit(codeNameTaken, s.closing.stop.why)
	case s.now.Steady < s.closing.stop.by:
		return false
	default:
		s.exit(5, s.closing.stop.why+"; not confirmed to be disarmed: "+strings.Join(left, ", "))
	}
	return true
}

// nameShared notes nodes of this name that are no rstate. ROS allows them, and they answer none of
// the daemon's requests.
func (s *State) nameShared(in NameShared) {
	if in.Others == s.name.others {
		return
	}
	s.name.others = in.Others
	s.report.changed = true
	event, sentence := EventThere, s.sharedName()
	if in.Others == 0 {
		event, sentence = EventGone, "no other node has the name "+s.fixed.opt.Name+" any more"
	}
	s.record(Entry{Kind: EntryNode, Event: event, Node: s.fixed.opt.Name, Sentence: sentence})
}

func (s *State) sharedName() string {
	return fmt.Sprintf("%d more of the name %s, no rstate: tools cannot tell it from this one; end it, or give one of them another name", s.name.others, s.fixed.opt.Name)
}

// nameWarnings lists the warnings about the name.
func (s *State) nameWarnings() []string {
	var list []string
	if s.name.heard {
		list = append(list, s.whoElse(s.name.rival)+": end one of the two; "+renamed)
	}
	if s.name.others > 0 {
		list = append(list, s.sharedName())
	}
	return list
}

// ChildIn is how long a start waits for a network among its nodes to report what it drives.
const ChildIn = 3 * time.Second

func (s *State) childSeen(i int) {
	if !s.startup.writes {
		s.nodes[i].relation.tellBy = s.now.Steady + ChildIn
		s.wakeWhole(s.nodes[i].relation.tellBy)
	}
}

// childFound judges a node that is the network of another rstate. It refuses a network that leads
// back to this one, because that network would be driven by what it drives. It also refuses a
// network of the same simulation, which would get each command twice: as a node and as a peer.
func (s *State) childFound(in ChildFound) {
	n := &s.nodes[in.Node]
	n.relation.child, n.relation.childOf, n.relation.tellBy = "", in.Epoch, 0
	switch {
	case len(in.Way) > 0:
		n.relation.child = fmt.Sprintf("is a network that leads back to this one (%s): take one of them out of nodes", way(n.spec.Name, in.Way))
	case in.Simulation == s.net.Simulation:
		n.relation.child = fmt.Sprintf("is a network of the same simulation, %s: give its file another simulation id, or let the two be peers and take it out of nodes", in.Simulation)
	}
	s.report.changed = true
	s.touch(in.Node)
	if n.relation.child != "" && !s.startup.named {
		s.exit(codeBadInput, fmt.Sprintf("cannot drive the network of %q: %s %s", s.net.File, n.spec.Name, n.relation.child))
	}
}

func way(first string, names []string) string {
	text := first
	for _, name := range names {
		text += " lists " + name
		if name != names[len(names)-1] {
			text += ", which"
		}
	}
	return text
}

// misled says why node i must not be raised although it is present; empty: it may be.
func (n *node) misled() string {
	if n.relation.driver != "" {
		return "is driven by " + n.relation.driver + " too, and a node has one coordinator only: take it out of one of the two files"
	}
	if n.relation.childOf != n.epoch {
		return "" // of an earlier process
	}
	return n.relation.child
}

// takeName ends the listening of a start: the name belongs to this instance, so it may answer
// clients and ask nodes. After a stall it keeps the name.
func (s *State) takeName() {
	s.startup.writes = true
	if !s.startup.named {
		s.startup.named = true
		s.do(TakeName{})
	}
	s.touchAll()
}
