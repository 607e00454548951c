package engine

import (
	"slices"

	"rstate/internal/machine"
	"rstate/internal/stepper"
)

// The outcome of a simulation. It is decided when the loop ends, and shown from then on. A reset
// decides nothing and forgets what was decided.

// outcome is how a simulation has ended. A higher one comes before a lower one.
type outcome uint8

const (
	undecided outcome = iota
	noStart           // the end came, and no command had begun to start the loop
	succeeded
	stopped
	failed
	aborted
)

func (o outcome) String() string {
	return [...]string{"", "no_start", "success", "stopped", "failure", "aborted"}[o]
}

// result is the outcome so far, and its reason.
type result struct {
	outcome outcome
	why     string
}

// take keeps the outcome that comes before the other.
func (r *result) take(o outcome, why string) {
	if o > r.outcome {
		*r = result{o, why}
	}
}

// outcomeOf is the outcome of a simulation whose loop has ended so.
func outcomeOf(in LoopIdle) outcome {
	switch {
	case in.Fault:
		return aborted
	case in.ByUs: // a command ended it, and says what comes of it
		return undecided
	}
	return outcomeFor(in.Want)
}

func outcomeFor(want stepper.Want) outcome {
	switch want {
	case stepper.Abort:
		return aborted
	case stepper.Fail:
		return failed
	case stepper.Stop:
		return stopped
	case stepper.Succeed:
		return succeeded
	}
	return undecided
}

// wantsOf is the want for which the command of a work stands that ends the loop. The argument of its goal
// comes first.
func (f *facts) wantsOf(w *work) stepper.Want {
	want := f.wantOf(w.command)
	switch {
	case w.goal != nil && w.goal.end != stepper.None:
		return w.goal.end
	case want == stepper.Abort: // one that does not preempt waits as others do
		return stepper.Fail
	case want == stepper.None:
		return stepper.Stop
	}
	return want
}

// noteOutcome notes the outcome that a command brings about.
func (s *State) noteOutcome(w *work, command string, atOnce bool) {
	l := &s.loop
	switch {
	case !l.ever:
	case atOnce && !w.news.ours && l.runs || s.wantOf(command) == stepper.Abort:
		l.result.take(aborted, s.report.cause)
	case s.wantOf(command) == stepper.Stop && !w.news.ours:
		l.result.take(outcomeFor(s.wantsOf(w)), s.report.cause)
	}
}

// stopDecides notes that the end of the process has aborted a simulation whose outcome is undecided.
func (lo *looping) stopDecides(why string) {
	if lo.ever && lo.result.outcome == undecided && len(lo.machine.Outcomes) > 0 {
		lo.result.take(aborted, "rstate stops: "+why)
	}
}

// outcome is that of the simulation; undecided where the machine has none.
func (s *State) outcome() outcome {
	if len(s.machine.Outcomes) == 0 {
		return undecided
	}
	return s.decided()
}

// decided is the outcome of the run, also in a machine that ends without one.
func (s *State) decided() outcome {
	here, _ := s.machine.State(s.settled)
	switch o := s.loop.result.outcome; {
	case s.net.Loop == nil && len(s.machine.Outcomes) == 0:
		return undecided
	case o != undecided || !here.Final:
		return o
	case !s.loop.ever:
		return noStart
	}
	return stopped
}

// exitCode is that of the outcome, or else the one that is given. why is the reason of the end.
func (s *State) exitCode(other int, why string) (int, string) {
	o := s.outcome().String()
	i := slices.IndexFunc(s.machine.Outcomes, func(m machine.Outcome) bool { return m.Name == o })
	if i < 0 {
		return other, why
	}
	why += "; the outcome is " + o
	if s.loop.result.why != "" {
		why += ": " + s.loop.result.why
	}
	return s.machine.Outcomes[i].Exit, why
}

// unclean is the exit code of an end that is not clean: 5, or that of an aborted simulation.
func (s *State) unclean(why string) (int, string) {
	if s.abortedSafely() {
		return s.exitCode(5, why)
	}
	return 5, why
}

// abortedSafely reports whether the simulation was aborted, and nothing may be armed. Its exit code comes then before
// that of an unclean end: what has aborted it may have kept nodes from their end.
func (s *State) abortedSafely() bool {
	return s.outcome() == aborted && len(s.mayBeArmed()) == 0 && len(s.hold.armedLeftovers()) == 0
}
