package engine

import "rstate/internal/machine"

// The phases of the running work, as a table; and the commit, which ends the command itself.

// phase is a part of the running work. A transition begins in forward; its success decides which
// phase follows. The table below says what holds in each phase, what a node may do in it, and
// what follows it.
type phase struct {
	name string

	commands bool // it runs the command itself
	mayArm   bool // it arms nodes where its target says so
	cancels  bool // a client or a disarm has cancelled the command
	drains   bool // sends no request, and ends even if the state of a node is uncertain
	// Leads back to the origin, and raises no node above its state at the start of the work.
	returns  bool
	restores bool // is the first rung of recovery
	undoes   bool // a node that reaches its target counts as rolled back
	down     bool // only lowers nodes, also those that were lost before
	ends     bool // ends the network; cannot be rolled back
	leaves   bool // leaves the loop for a task of a peer
	adopts   bool // lowers nodes to one state at a start
	rearms   bool // leads back to an armed state
	rests    bool // is no transition: any command ends it
	raises   bool // no ceiling but Active

	recovery string // its name for users as a rung of recovery; empty: it is none

	// advance does what is due for a node now.
	advance func(s *State, node int)
	// failed handles a work that cannot succeed any more. If it is nil, that waits for all parts to
	// end.
	failed func(*State)
	// concluded handles the end of all parts, and reports whether it changed anything.
	concluded func(*State) bool
}

func (p *phase) String() string { return p.name }

var (
	forward       = new(phase) // the command itself
	draining      = new(phase) // cancelled: calls in flight are awaited
	undoing       = new(phase) // cancelled: back to the origin
	restoring     = new(phase) // failed, first rung: back to the origin
	returning     = new(phase) // failed without error processing: back to the origin
	unconfiguring = new(phase) // failed, second rung: every node to unconfigured
	finalizing    = new(phase) // shutting down, commanded or as the last resort
	reconciling   = new(phase) // at rest: repairs a late or strayed node
	leaving       = new(phase) // the loop ends for a change of a peer
	adopting      = new(phase) // at the start: lowers the nodes above the rest
	rearming      = new(phase) // a cancelled disarm leads back to armed
)

// The table is filled here because its functions refer to phases, which the value of a variable
// must not.
func init() {
	*forward = phase{
		name: "forward", commands: true, mayArm: true, raises: true,
		advance: (*State).advancePart, failed: (*State).failed, concluded: (*State).forwardConcluded,
	}
	*draining = phase{name: "draining", cancels: true, drains: true, advance: (*State).drain, concluded: (*State).drained}
	*undoing = phase{name: "undoing", cancels: true, returns: true, undoes: true, advance: (*State).advancePart, concluded: (*State).undone}
	*restoring = phase{
		name: "restoring", returns: true, restores: true, undoes: true, recovery: "restore",
		advance: (*State).advancePart, concluded: (*State).restoreConcluded,
	}
	*returning = phase{
		name: "returning", returns: true, undoes: true, advance: (*State).advancePart, concluded: (*State).returned,
	}
	*unconfiguring = phase{
		name: "unconfiguring", undoes: true, down: true, recovery: "unconfigure",
		advance: (*State).advancePart, concluded: (*State).unconfigureConcluded,
	}
	*finalizing = phase{
		name: "finalizing", down: true, ends: true, raises: true, recovery: "shutdown",
		advance: (*State).advancePart, concluded: (*State).finalized,
	}
	*reconciling = phase{name: "reconciling", rests: true, raises: true, advance: (*State).advanceReconciled, concluded: (*State).reconciled}
	*adopting = phase{name: "adopting", down: true, adopts: true, advance: (*State).advancePart, concluded: (*State).adopted}
	*leaving = phase{name: "leaving", down: true, leaves: true, advance: (*State).advancePart, concluded: (*State).leftLoop}
	*rearming = phase{
		name: "rearming", mayArm: true, rearms: true,
		advance: (*State).advancePart, failed: (*State).rearmFailed, concluded: (*State).rearmed,
	}
}

// forwardConcluded commits the command if nothing is left to arm and every disarm was confirmed.
func (s *State) forwardConcluded() bool {
	w := s.work
	if left, changed := s.stillArms(); left {
		return changed
	}
	to, _ := s.machine.State(w.target)
	switch {
	case w.through != "" && !to.Nodes.AsIs:
		w.through = ""
		s.lay(forward, w.target)
	case s.refusedDisarm():
		s.rearm(s.sentenceOf(w))
	case s.isDisarm(w.command) && (len(s.mayBeArmed()) > 0 || s.stillExposed()):
		s.disarmedInPart()
	default:
		s.commit()
	}
	return true
}

// commit settles in the target: the newest read of every required node agrees (E7).
func (s *State) commit() {
	w := s.work
	if end, _ := s.machine.State(w.target); end.Final {
		s.finalized()
		return
	}
	s.loop.startsLoop(&s.agenda, w)
	s.settle(w.target)
	if end := (Change{SourceState: w.origin, Event: w.news.event, TargetState: w.target, Settled: true}); w.lowers {
		s.begun(w, end)
	} else {
		end.Event = w.command
		s.change(w, end, s.peers.madeHere(w))
	}
	s.goOn(w)
	if w.command != "" {
		s.reactTo(machine.Settled, -1)
	}
}

// settle is the only way into a state that is not passing.
func (s *State) settle(state string) {
	state = s.loop.lands(state)
	must(s.judge.Settle(state))
	s.settled, s.peers.behindWhy = state, s.report.cause
	s.goals.era++
	s.goals.settledAt = s.now.Steady
	w := s.work
	if w == nil || w.phase.adopts {
		s.goals.workedAt = s.now.Steady
	}
	s.stands(w)
	if w != nil {
		s.keepResults()
	}
	s.work = nil
	s.peers.untold = true // also where the state shown is the same
	s.noteSettled(w)
	s.touchAll()
	for i := range s.nodes {
		s.nodes[i].place.wasArmed = s.nodes[i].arm.Belief() == IsArmed
		s.judgeNode(i)
	}
	s.showState()
	s.settledLoop(w)
	s.settledWithError(w)
}
