package engine

import (
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/stepper"
)

// The command that ends the network from everywhere, and the phase in which it does.

// shutdown returns the command that ends the network from everywhere.
func (st *standing) shutdown() (machine.Transition, bool) {
	t, ok := st.machine.Shutdown()
	if ok {
		t = st.command(t.Name, st.origin())
	}
	return t, ok
}

// shutting reports whether the network is being shut down.
func (co *course) shutting() bool { return co.work != nil && co.work.phase == finalizing }

func (s *State) shutdownAsked(in GoalAsked, t machine.Transition) {
	if s.endsElsewhere(t) {
		s.reject(in, "the network is on its way to "+s.work.target+", and nothing interrupts its end")
		return
	}
	if s.shutting() {
		s.endAtOnce("a second " + t.Name + " came")
		g := s.accept(in, nil)
		if s.work.goal == nil {
			s.work.goal = g
			return
		}
		s.work.goal.add(in)
		s.goals.drop(g)
		return
	}
	s.preempt("pre-empted by " + t.Name)
	s.start(t, s.accept(in, nil), in.Reason, s.judge.Preempt)
}

// endsElsewhere reports whether the network is being ended, in another final state than t leads to.
func (co *course) endsElsewhere(t machine.Transition) bool {
	return co.shutting() && co.work.target != t.To
}

// endsStep reports whether a command that ends the network lets the step of the loop end first: its machine
// says so, a client has asked for it, and nothing may be armed. With via it does not: the network would
// leave its passing state twice.
func (ro *roster) endsStep(w *work, t machine.Transition) bool {
	return t.At == machine.StepEnd && t.Via == "" && w.goal != nil && len(ro.mayBeArmed()) == 0
}

// endAfterStep goes on with a shutdown when the step has ended: the network passes the state that stands for
// the one with the loop.
func (s *State) endAfterStep() {
	w := s.work
	w.waits, s.loop.due, s.work = false, false, nil
	s.report.cause = s.loop.stopped()
	s.settle(s.machine.Adopted(s.settled))
	must(s.judge.Preempt(w.command))
	s.work = w
	s.setCause(w.command, w.goal, w.why)
	s.lay(finalizing, w.target)
}

// endAtOnce ends the wait of a shutdown for the end of the step.
func (s *State) endAtOnce(why string) {
	if w := s.work; w.waits {
		w.waits = false
		s.noteOutcome(w, w.command, true)
		s.loop.stop(&s.agenda, stepper.Abort, why)
		s.touchAll()
	}
}

// lingerFinal is how long finalized is shown before the instance ends.
const lingerFinal = time.Second

// ending is a final state that is still shown.
type ending struct {
	at          time.Duration
	unfinalized []string // nodes that are not finalized
	failed      string   // failed transition that led here; empty: none
}

// concludeFinalizing ends a shutdown, which always arrives, cleanly or not.
func (s *State) concludeFinalizing() bool {
	w := s.work
	if w.through != "" { // the nodes are where the command takes them first
		w.through = ""
		s.lay(finalizing, w.target)
		return true
	}
	var unfinalized []string
	for i := range s.nodes {
		n := &s.nodes[i]
		unclean := n.there() && n.spec.Lifecycle && !(n.firm && n.state == lifecycle.Finalized)
		switch {
		case unclean && (!n.spec.Optional || n.arm.Belief() != Disarmed):
			unfinalized = append(unfinalized, n.spec.Name)
		case n.arm.Belief() != Disarmed:
			unfinalized = append(unfinalized, n.spec.Name+", which may still be armed")
		}
	}
	for _, name := range s.hold.armedLeftovers() {
		unfinalized = append(unfinalized, name+", which may be armed since an earlier run")
	}
	s.settle(w.target)
	s.begun(w, Change{SourceState: w.origin, Event: w.news.event, TargetState: w.target, Settled: true})
	s.closing.ended = &ending{at: s.now.Steady + lingerFinal, unfinalized: unfinalized}
	s.wakeWhole(s.closing.ended.at)
	switch {
	case w.fault.resorted:
		s.closing.ended.failed = w.why
		s.endGoal(w, Aborted, OutcomeFinalized, w.why+"; the network was shut down")
	case len(unfinalized) > 0:
		s.endGoal(w, Aborted, OutcomeFinalized, "shut down, but not finalized: "+strings.Join(unfinalized, ", "))
	default:
		s.endGoal(w, Succeeded, OutcomeDone, "every node is finalized")
	}
	return true
}

// finalizeBusy asks a node whose call is late to shut down: no node holds another beyond a
// deadline.
func (co *course) finalizeBusy(i int) {
	n := &co.nodes[i]
	l := &n.part
	if l.result.did == "shutdown" {
		co.giveUp(i, VerdictLate, "no answer to shutdown")
		return
	}
	from := n.state
	if !from.Primary() {
		from = n.call.From
	}
	l.result.did, l.deadline = "shutdown", co.allowSteady(i, n.spec.Deadline.Shutdown)
	n.firm = true
	n.state = from
	co.send(i, lifecycle.Shutdown(from))
}

func (s *State) end() bool {
	s.endDisarmGoals()
	if s.now.Steady < s.closing.ended.at {
		return false
	}
	switch unfinalized := s.closing.ended.unfinalized; {
	case len(unfinalized) > 0:
		s.exit(s.unclean("not finalized: " + strings.Join(unfinalized, ", ")))
	case s.closing.ended.failed != "":
		s.exit(s.unclean(s.closing.ended.failed + "; the network was shut down"))
	default:
		end, _ := s.machine.State(s.settled)
		s.exit(s.exitCode(end.Exit, "the network is "+s.settled))
	}
	return true
}
