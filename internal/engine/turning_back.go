package engine

import (
	"fmt"
	"strings"
)

// Phase: a commanded disarm that leads back to armed.

// takesBack reports whether the running work is a disarm that may lead back to armed: its goal
// names disarm, nothing else has ordered to disarm since, and the peer whose change armed the network, if one did,
// is not lost. A goal for a lower state goes on down instead.
func (co *course) takesBack(w *work) bool {
	return co.disarms(w) && co.namesDisarm(w.goal) && w.era == co.grants.Era() && !co.armed.lost
}

// disarmsOnItsWay reports whether the running work is the disarm with which a goal for a lower
// state begins.
func (f *facts) disarmsOnItsWay(w *work) bool { return f.disarms(w) && f.leadsFurther(w.goal) }

// disarms reports whether the running work is a commanded disarm of an armed network.
func (f *facts) disarms(w *work) bool {
	from, _ := f.machine.State(w.origin)
	return f.isDisarm(w.command) && w.phase == forward && !w.oneWay && from.Armed.Any()
}

// refusedDisarm reports whether a commanded disarm may turn back because a node has refused to
// disarm. A silent node never arms the others again. A disarm turns back once.
func (co *course) refusedDisarm() bool {
	w := co.work
	return !w.turned && co.takesBack(w) && co.unanswered() == "" && len(co.mayBeArmed()) > 0
}

// unanswered names the nodes that were asked to disarm and have not answered.
func (ro *roster) unanswered() string {
	return strings.Join(ro.named(func(n *node) bool { return n.arm.Belief() != Disarmed && n.arm.Refused() == "" }),
		", ")
}

// rearm goes back to the armed state in which a commanded disarm began, on proofs as fresh as for
// Arm.
func (s *State) rearm(why string) {
	w := s.work
	w.turned = true
	back, ok := s.machine.Repairs(w.origin)
	fault := s.withoutJournal(s.disk.journal)
	if names := s.unanswered(); names != "" {
		fault = names + " did not answer to disarm"
	}
	renewed, permitted := s.grants.Renew(w.era)
	if !permitted {
		fault = s.grants.Since(w.era)
	}
	if !ok || fault != "" {
		s.disarmAfterAll(why, fault)
		return
	}
	w.grant = renewed
	for i := range s.nodes {
		s.nodes[i].arm.TurnBack()
	}
	must(s.judge.Preempt(back.Name))
	w.why, w.target = why, w.origin
	s.recordState(EventTurned, why+": back to "+w.origin)
	s.lay(rearming, w.origin)
}

// concludeRearming ends a disarm that turned back. Peers learn of it only if a client cancelled the disarm,
// not if a node refused it.
func (s *State) concludeRearming() bool {
	w := s.work
	if open, changed := s.advanceArming(); open {
		return changed
	}
	s.settle(w.target)
	s.change(w, Change{SourceState: w.origin, TargetState: w.target, Settled: true}, w.canceled && s.peers.takenBack(w))
	words := fmt.Sprintf("%s; the network is %s again", w.why, w.target)
	if w.canceled {
		s.endGoal(w, Canceled, OutcomeCanceled, words)
		return true
	}
	s.endGoal(w, Aborted, OutcomeRestored, words)
	return true
}

// rearmFailed disarms after all, because a node cannot be armed again.
func (s *State) rearmFailed() { s.disarmAfterAll(s.work.why, "") }

// disarmAfterAll goes on with the disarm, one way now.
func (s *State) disarmAfterAll(why, fault string) {
	w := s.work
	if fault == "" {
		for _, i := range w.fault.failed {
			w.fault.blame = append(w.fault.blame, w.parts.results[i])
		}
		fault = s.sentenceOf(w)
	}
	t, _ := s.machine.Disarm(w.origin)
	must(s.judge.Preempt(t.Name))
	s.endEra(why)
	w.oneWay, w.turned, w.target = true, true, s.machine.Disarmed(w.origin)
	w.why = why + ", but nothing is armed again: " + fault
	s.report.cause = w.why
	s.recordState(EventTurned, w.why)
	s.lay(forward, w.target)
}
