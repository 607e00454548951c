package engine

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// begin starts the start: nodes are read as they appear, nothing is written.
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
			Simulation: s.net.Simulation, Machine: s.machine.Hash(), Network: s.meaning(),
		})
		s.recordLeft()
	}
	s.report.changed = true
}

// meaning is the fingerprint of the network: under another one the names of states mean something else.
func (s *State) meaning() string {
	if s.disk.fingerprint == "" {
		s.disk.fingerprint = s.net.Fingerprint()
	}
	return s.disk.fingerprint
}

// meet learns what a node is during the start. Whoever may be armed is disarmed as soon as anything may be written.
func (s *State) meet(i int) {
	n := &s.nodes[i]
	if !n.there() {
		return
	}
	if n.spec.Lifecycle && (!n.firm || !n.state.Primary()) {
		s.poll(i)
	}
}

// listened says whether a start has read long enough: another instance of our name would be known by now.
func (s *State) listened() bool {
	if s.now.Steady < s.name.doubtBy {
		return false
	}
	for i := range s.nodes {
		if s.now.Steady < s.nodes[i].kin.tellBy {
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

// met says whether a start knows all of the node that it wants to know.
func (n *node) met() bool {
	return n.there() && (!n.spec.Lifecycle || n.firm && n.state.Primary()) && n.arm.Belief() == Disarmed
}

// allMet is len(waitingFor()) == 0 without the words, which every input of a start would have to pay for.
func (s *State) allMet() bool {
	for i := range s.nodes {
		if !s.nodes[i].met() {
			return false
		}
	}
	return true
}

// comesUp ends the start when every node has been read, or waiting has lasted long enough.
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

// adopt finds the state that the nodes are in, and lowers those that are higher than the rest where there is none.
func (s *State) adopt() {
	s.gap.stall = ""
	state, whole := s.fit()
	last := s.machine.Disarmed(s.fixed.opt.Last)
	ended, known := s.machine.State(last)
	known = known && !ended.Final // what was ended begins anew
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

// found takes a state without doing anything to a node.
func (s *State) found(state string) {
	s.report.cause = "adopted: " + strings.Join(s.standing(), ", ")
	s.settle(state)
	s.change(nil, Change{SourceState: state, TargetState: state, Settled: true}, false)
	if here, _ := s.machine.State(state); here.Final {
		s.closing.ended = &ending{at: s.now.Steady + lingerFinal}
		s.wakeWhole(s.closing.ended.at)
	}
}

// standing says where each node is, for the one who reads why a state was adopted.
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

// counts says whether node i has a say in where the network is.
func (s *State) counts(i int) bool {
	n := &s.nodes[i]
	return !n.spec.Optional && n.spec.Lifecycle && n.there() && n.state.Primary()
}

// fits says whether every required node that is there is as the state says.
func (s *State) fits(state string) bool {
	st, _ := s.machine.State(state)
	for i := range s.nodes {
		if !s.counts(i) {
			continue
		}
		if want, ok := s.net.Want(st, i); ok && want != s.nodes[i].state {
			return false
		}
	}
	return true
}

// fit returns the lowest state that fits, never one that arms, and whether every required node is there to say so.
// Where nobody is there the network is where a new one is.
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
		if st.Passing || st.Armed.Any() || !s.fits(st.Name) {
			continue
		}
		if state == "" {
			state = st.Name
		}
		state = s.machine.Lower(state, st.Name)
	}
	return state, whole && state != ""
}

// lowest returns the highest state to which every required node that is there can get without being raised.
func (s *State) lowest() string {
	best, level := s.machine.Initial, -1
	for _, st := range s.machine.States {
		if st.Passing || st.Final || st.Armed.Any() || st.Level() <= level {
			continue
		}
		above := false
		for i := range s.nodes {
			n := &s.nodes[i]
			want, ok := s.net.Want(st, i)
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

// lowerTo takes down what is higher than a state, from the top, before the network is called to be in it.
func (s *State) lowerTo(state string) {
	s.work = s.newWork("", machine.Unknown, state)
	s.work.lowers = true
	s.work.why = "the nodes were found in different states: " + strings.Join(s.standing(), ", ")
	s.report.cause = s.work.why
	s.recordState(EventTurned, "lowering what is higher than "+state)
	s.lay(adopting, state)
}

// adopted ends the lowering of a start, whether all came down or not: who did not is a deviation.
func (s *State) adopted() bool {
	target := s.work.target
	s.settle(target)
	s.change(nil, Change{SourceState: target, TargetState: target, Settled: true}, false)
	return true
}

// One instance per name. Two of them on one host cannot be: a lock is taken before anything is made on ROS. What follows
// is about another host, or another container. A start only listens until it knows that nobody else holds the name; it
// yields to whoever does. Of two that start together, and of two that find each other later (a network that was cut in
// two), the smaller instance id stays: ids begin with the time of the start, so that is the older. One who holds the name
// yields only to a proof, which nobody gives who has stood still a moment ago; whoever has, yields to any proof. So it is
// the same one for both, whatever they hear first.

// The times and codes of the rule.
const (
	ghostIn       = time.Second     // how long somebody of our name has to show that he lives
	rivalFor      = 3 * time.Second // how long one that was heard is warned of
	codeBadInput  = 2               // what the network file says cannot be had here
	codeNameTaken = 3               // another one holds the name; the same code as of a goal that is rejected
)

// notOurs is why nothing is taken while a start only listens. Nobody can ask then but who asks within the process.
const notOurs = "it is not known yet whether another rstate has the name"

// nameSeen waits for a word of somebody of whom only the graph has told, before anything is written.
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
	case s.startup.named && in.Proven && (in.Stood || !s.startup.writes): // what it held is of before it stood still
		in.Stood = true
		s.yield(in, "this one has stood still while that one took over, and ends without touching anything")
	case !s.startup.writes:
		s.noteRival(in)
		s.doubtName() // it has to show that it lives, or yields to us; until then nothing is written
	case in.Proven && older:
		s.yield(in, "this one is the younger and ends")
	default:
		s.noteRival(in)
	}
}

// noteRival tells of another instance, once, and shows it for a while.
func (s *State) noteRival(in NameTaken) {
	n := &s.name
	if !n.heard || n.rival.Instance != in.Instance {
		s.record(Entry{Kind: EntryNode, Event: EventThere, Node: s.fixed.opt.Name, Sentence: s.whoElse(in) + "; this one stays"})
		s.report.changed = true
	}
	if n.rival.Instance == in.Instance {
		if in.Who == "" {
			in.Who = n.rival.Who // not every word of it says so much
		}
		s.report.changed = s.report.changed || in.Who != n.rival.Who
	}
	n.rival, n.heard, n.until = in, true, s.now.Steady+rivalFor
	s.wakeWhole(n.until)
}

// forgetRival ends the warning of one that was not heard for a while.
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

// renamed is what to do where both are wanted.
const renamed = "to run both, give one another name with --ros-args -r __node:=NAME"

// yield leaves the network to another instance. What this one has armed it disarms; anything else is the other's by now.
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
		if s.armedByUs(i) && !in.Stood {
			s.disarm(i)
			disarms = true
		}
	}
	if disarms {
		s.leaveArmed()
	}
}

// leaveArmed shows that the network is on its way out of armed, without any work on it: what its proofs are no longer
// looked at for is not shown as armed, and no peer builds on it.
func (s *State) leaveArmed() {
	t, ok := s.leaves()
	if !ok || s.settled == "" || s.closing.ended != nil {
		return
	}
	if err := s.judge.Preempt(t.Name); err != nil {
		panic(err)
	}
	s.showState()
}

// armedByUs says whether node i may be armed because this instance asked for it.
func (s *State) armedByUs(i int) bool {
	a := &s.nodes[i].arm
	return a.Ours() && a.Belief() != Disarmed
}

// yielded ends the process that yields as soon as what it has armed is disarmed.
func (s *State) yielded() bool {
	var left []string
	for i := range s.nodes {
		if s.armedByUs(i) && !s.closing.stop.stood {
			left = append(left, s.nodes[i].spec.Name)
		}
	}
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

// nameShared notes nodes of our name that are no rstate. ROS allows them; they answer nothing of ours.
func (s *State) nameShared(in NameShared) {
	if in.Others == s.name.others {
		return
	}
	s.name.others = in.Others
	s.report.changed = true
	event, sentence := EventThere, s.sharedName()
	if in.Others == 0 {
		event, sentence = EventGone, "nobody else has the name "+s.fixed.opt.Name+" any more"
	}
	s.record(Entry{Kind: EntryNode, Event: event, Node: s.fixed.opt.Name, Sentence: sentence})
}

func (s *State) sharedName() string {
	return fmt.Sprintf("%d more of the name %s, no rstate: tools cannot tell it from this one; end it, or give one of them another name", s.name.others, s.fixed.opt.Name)
}

// nameWarnings are what a person should know of the name.
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

// ChildIn is how long a start waits for a network among the nodes to say what it drives.
const ChildIn = 3 * time.Second

func (s *State) childSeen(i int) {
	if !s.startup.writes {
		s.nodes[i].kin.tellBy = s.now.Steady + ChildIn
		s.wakeWhole(s.nodes[i].kin.tellBy)
	}
}

// childFound judges a node that is the network of another rstate. One that leads back to us would be driven by what it
// drives; one of our simulation would be told twice what to do, as a node and as a peer.
func (s *State) childFound(in ChildFound) {
	n := &s.nodes[in.Node]
	n.kin.child, n.kin.childOf, n.kin.tellBy = "", in.Epoch, 0
	switch {
	case len(in.Way) > 0:
		n.kin.child = fmt.Sprintf("is a network that leads back to this one (%s): take one of them out of nodes", way(n.spec.Name, in.Way))
	case in.Simulation == s.net.Simulation:
		n.kin.child = fmt.Sprintf("is a network of the same simulation, %s: give its file another simulation id, or let the two be peers and take it out of nodes", in.Simulation)
	}
	s.report.changed = true
	s.touch(in.Node)
	if n.kin.child != "" && !s.startup.named {
		s.exit(codeBadInput, fmt.Sprintf("cannot drive the network of %q: %s %s", s.net.File, n.spec.Name, n.kin.child))
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

// misled says why node i is not to be raised although it is there; empty: it may be.
func (n *node) misled() string {
	if n.kin.driver != "" {
		return "is driven by " + n.kin.driver + " too, and a node has one coordinator only: take it out of one of the two files"
	}
	if n.kin.childOf != n.epoch {
		return "" // of an earlier process
	}
	return n.kin.child
}

// takeName ends the listening of a start: the name is ours, so others may be told and asked. After a stall it is ours still.
func (s *State) takeName() {
	s.startup.writes = true
	if !s.startup.named {
		s.startup.named = true
		s.do(TakeName{})
	}
	s.touchAll()
}
