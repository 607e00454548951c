package engine

import (
	"fmt"

	"rstate/internal/checking"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// Whether each node is as the settled state says.

// place is whether a node is as the settled state says, and how it is repaired.
type place struct {
	deviant string // why it is not as the settled state says; empty: it is
	// Armed when the network settled; an optional node that was not may stay disarmed.
	wasArmed bool
	noted    noted
	repairs  repairs
	fell     fall
}

// watch looks at a node while nothing runs.
func (s *State) watch(i int) {
	if s.settled == "" {
		s.meet(i)
		return
	}
	n := &s.nodes[i]
	if c := n.call; c != nil && n.firm && c.Over(n.state) {
		s.endCall(i) // its answer is late or lost
	}
	if n.there() && n.spec.Lifecycle && (!n.firm || !n.state.Primary() || n.call != nil) {
		s.poll(i)
	}
	s.attend(i)
	armed := s.armedHere() && !s.yields() && s.closing.ended == nil
	s.recheck(i)
	s.judgeNode(i)
	s.takeDown(i)
	if why := s.forbidsArmed(i); armed && why != "" {
		s.disarmForSafety(why)
	}
}

// forbidsArmed says why node i forbids the network to stay armed; empty: it does not.
func (s *State) forbidsArmed(i int) string {
	if n := &s.nodes[i]; n.endangers() {
		return n.spec.Name + " " + n.place.deviant
	}
	return s.dragsDown(i)
}

// endangers reports whether the node forbids the network to stay armed.
func (n *node) endangers() bool {
	b := n.arm.Belief()
	armed := n.place.wasArmed || b == IsArmed || b == MayBeArmed && n.place.deviant != notArmed
	return n.place.deviant != "" && (!n.spec.Optional || armed)
}

// notArmed is the deviation of a node that the state arms and that is not known to be armed.
const notArmed = "is not armed"

// judgeNode updates whether node i is as the settled state says.
func (co *course) judgeNode(i int) {
	n := &co.nodes[i]
	was := n.place.deviant
	if n.place.deviant = co.deviation(i); checking.Unmeasured(n.place.deviant) == checking.Unmeasured(was) {
		n.place.deviant = was // a measured value that changes with each look is no news
	}
	if n.place.deviant == "" {
		n.place.repairs.lost, n.place.repairs.told = false, false
		n.place.fell = fall{}
	}
	if n.place.deviant != was {
		co.changed, co.peers.untold = true, true
		if co.work == nil || co.work.phase == reconciling {
			co.recordDeviation(i)
		}
	}
}

// deviation says why node i is not as the settled state says; empty: it is.
func (co *course) deviation(i int) string {
	n := &co.nodes[i]
	here, ok := co.machine.State(co.settled)
	if !ok {
		return ""
	}
	want, wanted := co.net.WantAt(here, i, n.state)
	switch {
	case co.exposed(i, here) != "" && !here.Final:
		return co.exposed(i, here)
	case !n.there() && (here.Final || !n.spec.Lifecycle && want.Level() < lifecycle.Inactive.Level()):
		return ""
	case !n.there():
		return n.absentWords()
	}
	if why := co.misfit(i, here); why != "" || !n.spec.Lifecycle || !wanted {
		return why
	}
	if fell := co.fellFrom(i, want); fell != "" {
		return fell
	}
	return co.displaced(i, want)
}

// fellFrom says with which node node i went down that is wanted in a state; empty: it did not, or is in another state
// by itself.
func (co *course) fellFrom(i int, want lifecycle.State) string {
	n := &co.nodes[i]
	if want != lifecycle.Active || n.state != want && !(n.firm && n.state.Primary()) {
		return ""
	}
	return co.fellWords(i)
}

// misfit says what is wrong with a present node i, apart from its lifecycle state; empty: nothing.
func (co *course) misfit(i int, here machine.State) string {
	n := &co.nodes[i]
	arms := co.net.Arms(here, i)
	switch {
	case n.place.repairs.owed != "":
		return n.place.repairs.owed
	case n.misled() != "":
		return n.misled()
	case n.several() != "":
		return n.several()
	case n.reading.probing.lostAfter > 0:
		return fmt.Sprintf("is lost: it left %d questions for its state without an answer", n.reading.probing.lostAfter)
	case !arms && n.owesDisarm():
		return "may be armed"
	case !arms && n.foreign() && n.abandoned():
		return n.abandonedWords()
	}
	if why := co.unfit(i); here.Armed.Any() && why != "" {
		return why
	}
	if arms && n.arm.Belief() != IsArmed {
		return notArmed
	}
	return ""
}

// displaced says why node i is not known to be in a lifecycle state; empty: it is.
func (ro *roster) displaced(i int, want lifecycle.State) string {
	n := &ro.nodes[i]
	switch {
	case n.state == lifecycle.Unknown:
		return "has not said where it is"
	case n.call != nil && n.state.Primary():
		return "has not answered to " + n.call.Do.Label
	case !n.firm && ro.now.Steady-n.doubted >= 2*readEvery:
		return fmt.Sprintf("is perhaps not %v any more, and does not answer get_state", n.state)
	case n.state != want:
		return fmt.Sprintf("is %v, not %v", n.state, want)
	}
	return ""
}

// intact reports whether every required node is as the network's state says.
func (ro *roster) intact() bool {
	if ro.settled == "" {
		return false
	}
	for i := range ro.nodes {
		if ro.nodes[i].place.deviant != "" && ro.matters(i) {
			return false
		}
	}
	return true
}

// matters reports whether a deviation of node i makes the network less than intact: the node is
// required, armed or perhaps armed where the state does not arm it, or must not be driven.
func (ro *roster) matters(i int) bool {
	n := &ro.nodes[i]
	here, _ := ro.machine.State(ro.settled)
	return !n.spec.Optional || ro.armsAstray(i, here) || len(n.unsafe) > 0 || n.misled() != ""
}

// optionalStrayed reports whether an optional node that is present has left its place, and can be brought
// back: the command of the present state does that, except while the network is armed.
func (ro *roster) optionalStrayed() bool {
	if ro.settled == "" || ro.armedHere() {
		return false
	}
	here, _ := ro.machine.State(ro.settled)
	for i := range ro.nodes {
		n := &ro.nodes[i]
		want, wanted := ro.net.WantAt(here, i, n.state)
		if n.spec.Optional && n.spec.Lifecycle && n.there() && wanted && n.firm && n.state.Primary() &&
			n.state != want && n.state != lifecycle.Finalized {
			return true
		}
	}
	return false
}

// deviations lists what is not as the settled state says.
func (ro *roster) deviations() []string {
	var list []string
	for i := range ro.nodes {
		if why := ro.strayWords(i); why != "" {
			list = append(list, why)
		}
	}
	return list
}

// strayWords is the line of node i among the deviations; empty: it has none of its own. All nodes that another
// instance drives too have one line.
func (ro *roster) strayWords(i int) string {
	switch n := &ro.nodes[i]; {
	case n.place.deviant == "" || !ro.matters(i):
		return ""
	case !n.drivenToo():
		return n.spec.Name + " " + n.place.deviant
	default:
		driver := n.relation.driver
		also := ro.named(func(o *node) bool { return o.relation.driver == driver && o.drivenToo() })
		if also[0] != n.spec.Name {
			return ""
		}
		return drivenWords(also, driver)
	}
}

// drivenToo reports whether a node deviates because another instance drives it too.
func (n *node) drivenToo() bool { return n.relation.driver != "" && n.place.deviant == n.misled() }

// reached reports whether a goal that names the current state is already satisfied. gone names, in
// words, the absent nodes that count for it: an absent node counts as unconfigured and as finalized
// only.
func (ro *roster) reached() (gone string, ok bool) {
	here, known := ro.machine.State(ro.settled)
	for i := range ro.nodes {
		n := &ro.nodes[i]
		want, _ := ro.net.Want(here, i)
		switch {
		case n.place.deviant == "" || !ro.matters(i):
		case n.there(), n.arm.Belief() != Disarmed, ro.exposed(i, here) != "":
			return "", false
		case want != lifecycle.Unconfigured && want != lifecycle.Finalized:
			return "", false
		default:
			gone += fmt.Sprintf("; %s %s, which counts as %v", n.spec.Name, n.place.deviant, want)
		}
	}
	return gone, known
}
