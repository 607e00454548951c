package engine

import (
	"strings"
	"time"

	"rstate/internal/machine"
)

// What has to hold before a node is armed.

// armament is the conditions before the first node is asked to arm.
type armament struct {
	proven  bool          // every node was read anew and is in its target, and every check passes
	judged  bool          // checks were judged
	checkBy time.Duration // until then checks are awaited
	peersBy time.Duration // until then required peers are awaited
	ticket  uint64        // of the awaited sync of the journal; 0: none
	unsafe  string        // why the journal is not safe on the disk
}

// unauthorized says why a goal may not arm; empty: it may, or it does not arm.
func (s *State) unauthorized(in GoalAsked, t machine.Transition) string {
	if to, _ := s.machine.State(t.To); s.net.Arming.SecretFile == "" || in.Authorized || !to.Armed.Any() {
		return ""
	}
	return "arming asks for authority: the goal has to bring the content of the file that arming.secret_file names, as its `authority`"
}

// refusesToArm says why a state cannot be left for armed, before any request; empty: it can.
func (s *State) refusesToArm(from string, to machine.State) string {
	if why := s.absentToArm(to); from == s.settled && why != "" {
		return why
	}
	if names := s.strayArms(from); len(names) > 0 {
		return "not known to be disarmed: " + strings.Join(names, ", ")
	}
	if why := s.leftRefuses(); why != "" {
		return why
	}
	return s.withoutJournal(s.disk.journal)
}

// strayArms names the nodes that are not armed or disarmed as the state says from which the network
// is to be armed. For a state that the network has not reached yet it returns none; it is called
// again there.
func (s *State) strayArms(from string) []string {
	if from != s.settled {
		return nil
	}
	here, _ := s.machine.State(from)
	var names []string
	for i := range s.nodes {
		if s.armsAstray(i, here) {
			names = append(names, s.nodes[i].spec.Name)
		}
	}
	return names
}

// armsAstray reports whether node i is perhaps armed, or is armed where a state does not arm it.
func (s *State) armsAstray(i int, here machine.State) bool {
	b := s.nodes[i].arm.Belief()
	return b == MayBeArmed || b == IsArmed && !s.net.Arms(here, i)
}

// absentToArm says why arming would arm nothing: every node that it would arm is absent, and no
// living peer could arm its own. Empty: there is a node to arm.
func (s *State) absentToArm(to machine.State) string {
	var names []string
	for _, i := range s.fixed.armable {
		switch {
		case !s.net.Arms(to, i):
		case s.nodes[i].there():
			return ""
		default:
			names = append(names, s.nodes[i].spec.Name)
		}
	}
	if len(names) == 0 || len(s.peers.book.Living()) > 0 {
		return ""
	}
	return "nothing can be armed: " + strings.Join(names, ", ") + " is not there"
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

// stillArms takes the next step of work that arms: the proof, and then the arming itself. It
// reports whether any of that is left, and whether it changed anything.
func (s *State) stillArms() (left, changed bool) {
	w := s.work
	switch {
	case !w.proves():
		return false, false
	case !w.arm.proven:
		s.proof()
		return true, true
	case s.unproven():
		return true, false
	}
	return s.armsNothing(), true
}

// proof ends the first half of arming: every required node was read anew and is in its target. Only
// now does the engine arm.
func (s *State) proof() {
	w := s.work
	if s.rereads() {
		return
	}
	w.arm.proven = true
	s.touchAll() // proofs age from now on
	target, _ := s.machine.State(w.target)
	for i := range s.nodes {
		n := &s.nodes[i]
		if !s.net.Arms(target, i) || n.part.result.verdict != VerdictDone || n.arm.Belief() == IsArmed {
			continue
		}
		n.part.arm, n.part.status, n.part.deadline = true, partWaiting, deadline{}
		w.parts.open++
		s.touch(i)
	}
}

// rereads reads those nodes again, once, whose proof became old while the engine waited for other
// nodes or checks.
func (s *State) rereads() bool {
	found := false
	for i := range s.nodes {
		n := &s.nodes[i]
		l := &n.part
		old := s.now.Steady-n.proof > min(freshFor, s.net.Proof)
		if !old || !l.wants || l.fresh.reread || !n.spec.Lifecycle || l.result.verdict != VerdictDone {
			continue
		}
		found = true
		s.reopen(i)
		l.fresh.reread, l.fresh.readSince = true, s.now.Steady
		s.touch(i)
	}
	return found
}

// armsNothing fails an arming that has armed none of its nodes, unless a peer lives that may be
// armed. It reports whether it did.
func (s *State) armsNothing() bool {
	w := s.work
	target, _ := s.machine.State(w.target)
	var blame []NodeResult
	for _, i := range s.fixed.armable {
		switch {
		case !s.net.Arms(target, i):
		case s.nodes[i].arm.Belief() == IsArmed:
			return false
		default:
			r := w.parts.results[i]
			r.Node, r.Evidence = s.nodes[i].spec.Name, "was not armed, and nothing else can be: "+r.Evidence
			blame = append(blame, r)
		}
	}
	if len(blame) == 0 || len(s.peers.book.Living()) > 0 {
		return false
	}
	w.fault.blame = append(w.fault.blame, blame...)
	w.fault.failing = true
	return true
}

func (s *State) armsLater(g *goal) bool {
	if g == nil {
		return false
	}
	at := s.origin()
	if s.work != nil {
		at = s.work.target
	}
	for _, name := range g.path {
		t := s.command(name, at)
		at = t.To
		if to, _ := s.machine.State(t.To); to.Armed.Any() {
			return true
		}
	}
	return false
}

// perhapsArms reports whether anything may be armed, here or at a peer, or is on the way to be.
func (s *State) perhapsArms() bool {
	w := s.work
	return s.armedHere() || len(s.mayBeArmed()) > 0 || s.armedElsewhere() ||
		w != nil && (w.arms || w.takenBack || w.phase.rearms || s.armsLater(w.goal))
}
