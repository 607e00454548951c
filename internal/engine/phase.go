package engine

// phase is a part of the running work. A transition begins forward; which phase follows depends on how that goes. The table
// of phases is below: what holds in each, what a node may do in it, and what follows when every node's part has ended.
type phase struct {
	name string

	commands bool // it runs the command itself
	mayArm   bool // it arms nodes where its target says so
	cancels  bool // a client or a disarm has cancelled the command
	drains   bool // it asks nothing of nodes, and ends although it is not certain where each of them is
	returns  bool // it leads back to the origin, and raises no node above where the work found it
	restores bool // it is the first rung of the ladder
	undoes   bool // a node that it brings to its place counts as undone
	down     bool // it only takes nodes down, those that were lost before too
	ends     bool // it ends the network; nothing takes it back
	adopts   bool // it brings nodes to one state at a start, and raises none
	rearms   bool // it goes back to an armed state
	rests    bool // it is no transition: any command ends it
	raises   bool // no ceiling but Active

	recovery string // its name for people as a try to put things right; empty: it is none

	// advance does what is to be done for a node now.
	advance func(s *State, node int)
	// failed says what follows at once if the work cannot succeed any more. Without it, that is known when all parts have ended.
	failed func(*State)
	// concluded says what follows when every node's part has ended. It reports whether it changed anything.
	concluded func(*State) bool
}

func (p *phase) String() string { return p.name }

var (
	forward       = new(phase) // the command itself
	draining      = new(phase) // cancelled: what is in flight is awaited
	undoing       = new(phase) // cancelled: back to the origin
	restoring     = new(phase) // failed, first rung: back to the origin
	unconfiguring = new(phase) // failed, second rung: every node to unconfigured
	finalizing    = new(phase) // shutting down, commanded or as the last resort
	tending       = new(phase) // at rest: a late or strayed node is brought to its place
	adopting      = new(phase) // at the start: what is higher than the rest is lowered
	rearming      = new(phase) // a commanded disarm that is taken back
)

// The table is filled here because its functions refer to phases, which the value of a variable must not.
func init() {
	*forward = phase{
		name: "forward", commands: true, mayArm: true, raises: true,
		advance: (*State).advanceLeg, failed: (*State).failed, concluded: (*State).forwardConcluded,
	}
	*draining = phase{name: "draining", cancels: true, drains: true, advance: (*State).drain, concluded: (*State).drained}
	*undoing = phase{name: "undoing", cancels: true, returns: true, undoes: true, advance: (*State).advanceLeg, concluded: (*State).undone}
	*restoring = phase{
		name: "restoring", returns: true, restores: true, undoes: true, recovery: "restore",
		advance: (*State).advanceLeg, concluded: (*State).restoreConcluded,
	}
	*unconfiguring = phase{
		name: "unconfiguring", undoes: true, down: true, recovery: "unconfigure",
		advance: (*State).advanceLeg, concluded: (*State).unconfigureConcluded,
	}
	*finalizing = phase{
		name: "finalizing", down: true, ends: true, raises: true, recovery: "shutdown",
		advance: (*State).advanceLeg, concluded: (*State).finalized,
	}
	*tending = phase{name: "tending", rests: true, raises: true, advance: (*State).advanceTended, concluded: (*State).tended}
	*adopting = phase{name: "adopting", down: true, adopts: true, advance: (*State).advanceLeg, concluded: (*State).adopted}
	*rearming = phase{
		name: "rearming", mayArm: true, rearms: true,
		advance: (*State).advanceLeg, failed: (*State).rearmFailed, concluded: (*State).rearmed,
	}
}

// conclude ends what can be ended, and reports whether it changed anything.
func (s *State) conclude() bool {
	switch {
	case s.closing.gone:
		return false
	case s.closing.ended != nil:
		return s.end()
	case s.closing.stop != nil && s.stopWhenSafe():
		return true
	case s.work == nil && s.settled == "":
		if len(s.goals.pending) > 0 && s.armedNow() == 0 {
			s.endDisarmGoals()
		}
		return s.closing.stop == nil && s.comesUp()
	case s.mirrors(), s.watchRequired():
		return true
	case s.work == nil:
		return s.tend()
	}
	s.endDisarmGoals()
	return s.concludeWork()
}

// concludeWork goes on to what follows the present phase, if that is known by now.
func (s *State) concludeWork() bool {
	w := s.work
	if w.proves() && !w.arm.proven {
		if s.gathers() {
			return false
		}
		if !w.arm.judged {
			s.judgeChecks()
			return true
		}
	}
	if w.fault.failing && w.phase.failed != nil {
		w.phase.failed(s)
		return true
	}
	if w.legs.open > 0 || w.legs.unsure > 0 && !w.phase.drains {
		return false
	}
	return w.phase.concluded(s)
}

// advance does what is to be done for node i now.
func (s *State) advance(i int) {
	s.armDuty(i)
	s.probe(i)
	if s.work == nil {
		s.watch(i)
		return
	}
	s.work.phase.advance(s, i)
}

// advanceLeg takes a node towards where its leg wants it, and watches it when it is there.
func (s *State) advanceLeg(i int) {
	if s.work.proves() {
		s.recheck(i)
	}
	switch l := &s.nodes[i].leg; {
	case l.open() && s.nodes[i].spec.Lifecycle:
		s.press(i)
	case l.open():
		s.pressPlain(i)
	case l.status == legDone:
		s.keep(i)
	}
}

// forwardConcluded commits the command, if nothing is left to arm and every disarm was confirmed.
func (s *State) forwardConcluded() bool {
	w := s.work
	if left, changed := s.stillArms(); left {
		return changed
	}
	switch {
	case s.refusedDisarm():
		s.rearm(s.sentenceOf(w))
	case s.isDisarm(w.command) && (len(s.mayBeArmed()) > 0 || s.stillExposed()):
		s.disarmedInPart()
	default:
		s.commit()
	}
	return true
}

// stillArms takes the next step of work that arms: the proof, and then the arming itself. It reports whether any of that is
// left, and whether it changed anything.
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

// commit takes the target state: every required node's newest read agrees.
func (s *State) commit() {
	w := s.work
	s.settle(w.target)
	event := w.news.event
	if !w.lowers {
		event = w.command
	}
	s.change(w, Change{SourceState: w.origin, Event: event, TargetState: w.target, Settled: true}, !w.lowers && w.news.from == "")
	s.goOn(w)
}
