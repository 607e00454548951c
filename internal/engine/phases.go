package engine

import "rstate/internal/machine"

// The phases of the running work, as a table; and the commit, which ends the command itself.

// phase is a part of the running work. A transition begins in forward; its success decides which
// phase follows. The table below says where each takes the nodes, what is due for a node in it, and
// what follows it.
type phase struct {
	name     string
	heads    heading
	undoes   bool     // a node that reaches its target counts as rolled back
	recovery string   // its name for users as a rung of recovery; empty: it is none
	next     []*phase // what may follow it in the same work; each may also begin anew

	// advance does what is due for a node now.
	advance func(s *State, node int)
	// failed handles a work that cannot succeed any more. If it is nil, that waits for all parts to
	// end.
	failed func(*State)
	// concluded handles the end of all parts, and reports whether it changed anything.
	conclude func(*State) bool
}

// enter begins a phase of the work.
func (w *work) enter(p *phase) {
	switch {
	case phaseBegins == nil:
	case !w.entered:
		phaseBegins("", p.name)
	case w.phase != p:
		phaseBegins(w.phase.name, p.name)
	}
	w.phase, w.entered = p, true
}

// phaseBegins hears each phase that begins, and the one before it, empty at the start of the work. Tests set
// it, to compare the table with what happens.
var phaseBegins func(before, begins string)

// heading is where a phase takes the nodes.
type heading uint8

const (
	onward   heading = iota // to the target of the command
	anew                    // to the armed state that a disarm has left
	nowhere                 // no request is sent, and the phase ends even if the state of a node is uncertain
	backward                // to the origin, and no node above its state at the start of the work
	downward                // nodes are only lowered, also those that were lost before
	toTheEnd                // downward, and the network ends
	inPlace                 // to what the settled state says, while any command may begin
)

func (p *phase) String() string { return p.name }

// arms reports whether the phase arms nodes where its target says so.
func (p *phase) arms() bool { return p.heads == onward || p.heads == anew }

// lowers reports whether the phase only lowers nodes.
func (p *phase) lowers() bool { return p.heads == downward || p.heads == toTheEnd }

// unbounded reports whether the phase may raise a node above its state at the start of the work.
func (p *phase) unbounded() bool {
	return p.heads == onward || p.heads == toTheEnd || p.heads == inPlace
}

// cancelled reports whether the phase follows a cancel.
func (p *phase) cancelled() bool { return p == draining || p == undoing }

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
		name: "forward", heads: onward, next: []*phase{draining, restoring, returning, unconfiguring, rearming},
		advance: (*State).advancePart, failed: (*State).failed, conclude: (*State).concludeForward,
	}
	*draining = phase{
		name: "draining", heads: nowhere, next: []*phase{undoing, rearming, forward},
		advance: (*State).drain, conclude: (*State).concludeDraining,
	}
	*undoing = phase{
		name: "undoing", heads: backward, undoes: true, next: []*phase{unconfiguring},
		advance: (*State).advancePart, conclude: (*State).concludeUndoing,
	}
	*restoring = phase{
		name: "restoring", heads: backward, undoes: true, recovery: "restore",
		next:    []*phase{unconfiguring, finalizing},
		advance: (*State).advancePart, conclude: (*State).concludeRestoring,
	}
	*returning = phase{
		name: "returning", heads: backward, undoes: true, next: []*phase{unconfiguring, finalizing},
		advance: (*State).advancePart, conclude: (*State).concludeReturning,
	}
	*unconfiguring = phase{
		name: "unconfiguring", heads: downward, undoes: true, recovery: "unconfigure", next: []*phase{finalizing},
		advance: (*State).advancePart, conclude: (*State).concludeUnconfiguring,
	}
	*finalizing = phase{
		name: "finalizing", heads: toTheEnd, recovery: "shutdown",
		advance: (*State).advancePart, conclude: (*State).concludeFinalizing,
	}
	*reconciling = phase{
		name: "reconciling", heads: inPlace,
		advance: (*State).advanceReconciled, conclude: (*State).concludeReconciling,
	}
	*adopting = phase{
		name: "adopting", heads: downward,
		advance: (*State).advancePart, conclude: (*State).concludeAdopting,
	}
	*leaving = phase{
		name: "leaving", heads: downward,
		advance: (*State).advancePart, conclude: (*State).concludeLeaving,
	}
	*rearming = phase{
		name: "rearming", heads: anew, next: []*phase{forward},
		advance: (*State).advancePart, failed: (*State).rearmFailed, conclude: (*State).concludeRearming,
	}
}

// concludeForward commits the command if nothing is left to arm and every disarm was confirmed.
func (s *State) concludeForward() bool {
	w := s.work
	if open, changed := s.advanceArming(); open {
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
		s.concludeFinalizing()
		return
	}
	s.loop.commitToLoop(&s.agenda, w)
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
	if w == nil || w.phase == adopting {
		s.goals.workedAt = s.now.Steady
	}
	s.notePermission(w)
	if w != nil {
		s.reportResults()
	}
	s.work = nil
	s.peers.untold = true // also where the state shown is the same
	s.noteSettled(w)
	s.touchAll()
	s.awaitStays()
	for i := range s.nodes {
		s.nodes[i].place.wasArmed = s.nodes[i].arm.Belief() == IsArmed
		s.judgeNode(i)
	}
	s.showState()
	s.settledLoop(w)
	s.settledWithError(w)
}
