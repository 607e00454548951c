package engine

import (
	"cmp"
	"slices"
	"strings"

	"rstate/internal/clean"
	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/stepper"
)

// How this network follows a change of a peer: commands without a goal, one after another, by the
// shortest way from its own state. It publishes none of them on the lifecycle topic, or peers would
// follow each other for ever.

// mirrored names the peer whose change a work follows, in words; empty: the change is our own.
func (w *work) mirrored() string {
	if w.news.from == "" {
		return ""
	}
	return ", mirrored from " + w.news.from
}

// mirrors begins the open task if that is possible now, and reports whether it did anything.
func (s *State) mirrors() bool {
	t := s.peers.book.Task()
	if t == nil || s.settled == "" || s.closing.stop != nil || s.closing.ended != nil {
		return false
	}
	w := s.work
	switch {
	case w != nil && w.phase.ends: // an ending network follows no change
		s.peers.book.Fail(t.Number)
	case !s.busy():
		s.followOn(t)
	case w.news.task != t.Number && s.overtakes(w, t):
		s.overtake(w, t)
	default:
		return false
	}
	s.peers.untold = true
	return true
}

// heading is the target of the running work.
func (w *work) heading() string {
	if w.phase.drains {
		return w.origin
	}
	return w.target
}

// overtakes reports whether a task does not wait for the running work: it leads lower. Work that
// lowers is finished first and then taken further down; only a task that ends the network waits for
// nothing.
func (s *State) overtakes(w *work, t *mirror.Task) bool {
	end, _ := s.machine.State(t.Target)
	if w.lowers && w.phase.commands && !end.Final {
		return false
	}
	return s.machine.Lowers(w.heading(), t.Target)
}

// overtake ends the running work, wherever its nodes are, for a lower task.
func (s *State) overtake(w *work, t *mirror.Task) {
	from := w.heading()
	path, ok := s.machine.PathThroughLoops(from, t.Target)
	if !ok {
		from = s.machine.Adopted(from)
		path, ok = s.machine.PathThroughLoops(from, t.Target)
	}
	if !ok || len(path) == 0 {
		s.notFollowed(t, "no way leads from "+w.heading()+" to "+t.Target)
		return
	}
	s.keepResults()
	s.endGoal(w, Aborted, OutcomeSuperseded, "superseded by "+t.From+": "+cmp.Or(t.Event, t.Target))
	s.work = nil
	s.mirror(s.command(path[0], from), t, s.judge.Preempt)
}

// mirror begins one command of a task.
func (s *State) mirror(c machine.Transition, t *mirror.Task, how func(string) error) {
	must(how(c.Name))
	w := s.workOf(c)
	w.follows(t)
	w.lowers = w.lowers || s.machine.Lowers(s.settled, t.Target) || c.To == s.settled && !c.Loop
	w.oneWay = s.isDisarm(c.Name)
	if t.Event == "" && !t.CatchUp && s.machine.Lowers(s.settled, t.Target) {
		s.noteLowered(w.by, c.Name, w.why)
	}
	s.run(w, c)
}

// follows makes the work one for a task.
func (w *work) follows(t *mirror.Task) {
	w.by = byPeer(t.From)
	w.news.from, w.news.task, w.news.catches, w.news.silent = t.From, t.Number, t.CatchUp, true
	w.why = "mirrored from " + t.From
	if t.Cause != "" {
		w.why += ": " + t.Cause
	}
}

// leave ends the loop at the end of its step for a task to which no command leads out of it. The
// network follows from the state that stands for the loop.
func (s *State) leave(t *mirror.Task) {
	w := s.newWork("", s.settled, s.machine.Adopted(s.settled))
	w.follows(t)
	w.lowers = true
	s.work = w
	s.goals.era++
	s.report.cause = w.why
	s.recordState(EventTurned, "the loop is left"+w.mirrored())
	s.stopLoop(stepper.Stop, w.why)
	w.waits = s.loop.runs
	s.lay(leaving, w.target)
}

// leftLoop settles when the loop has been left.
func (s *State) leftLoop() bool {
	s.settle(s.work.target)
	return true
}

// leavesLoop reports whether a network in a state of the loop leaves it for a target to which the path
// leads, if there is one.
func (s *State) leavesLoop(path []string, target string) bool {
	here, _ := s.machine.State(s.settled)
	to, _ := s.machine.State(target)
	if here.Loop == machine.NoLoop || here.Armed.Any() || to.Loop != machine.NoLoop {
		return false
	}
	if len(path) > 0 {
		next, _ := s.machine.State(s.command(path[0], s.settled).To)
		return next.Loop != machine.NoLoop
	}
	_, leads := s.machine.PathThroughLoops(s.machine.Adopted(s.settled), target)
	return leads
}

// followOn takes the next step of a task, at rest.
func (s *State) followOn(t *mirror.Task) {
	if len(t.Loops) > 0 {
		s.followLoop(t)
		return
	}
	target := s.reachable(t)
	if s.settled == target {
		if s.peers.book.Done(t.Number); target != t.Target && target != s.machine.Adopted(t.Target) {
			s.peers.behindWhy = t.From + " is to be " + t.Target + ", which is not caught up with: a command of one's own arms this network"
		}
		s.report.changed = true
		return
	}
	path, ok := s.machine.PathThroughLoops(s.settled, target)
	if s.leavesLoop(path, target) {
		s.leave(t)
		return
	}
	if !ok {
		s.notFollowed(t, "no way leads from "+s.settled+" to "+target)
		return
	}
	first := s.command(path[0], s.origin())
	if why := cmp.Or(s.keepsOut(first), s.refusesMirrored(first)); why != "" {
		s.notFollowed(t, why)
		return
	}
	s.mirror(first, t, s.judge.Begin)
}

// followLoop runs a looping command that this instance missed, if it is legal here.
func (s *State) followLoop(t *mirror.Task) {
	loop := s.command(t.Loops[0], s.origin())
	t.Loops = slices.Clone(t.Loops[1:])
	if s.judge.Can(loop.Name) && s.refusesMirrored(loop) == "" {
		s.mirror(loop, t, s.judge.Begin)
		return
	}
	s.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: loop.Name + " of " + t.From + " is not followed: the network is " + s.settled})
}

// reachable is the state to which a task is followed. It is an armed state only for a change that
// was just made, and only if this network is in the disarmed state of that state.
func (s *State) reachable(t *mirror.Task) string {
	if to, _ := s.machine.State(t.Target); to.Loop != machine.NoLoop && !s.loop.runs && s.settled != t.Target {
		return s.machine.Adopted(s.machine.Disarmed(t.Target)) // only a command of one's own starts a loop
	}
	disarmed := s.machine.Disarmed(t.Target)
	if disarmed != t.Target && s.settled != disarmed && s.settled != t.Target {
		t.Unarmed = true
	}
	if t.CatchUp || t.Unarmed {
		if s.settled == t.Target {
			return t.Target
		}
		return disarmed
	}
	return t.Target
}

// keepsOut says why this instance never follows the arming of a peer; empty: it may.
func (s *State) keepsOut(t machine.Transition) string {
	to, _ := s.machine.State(t.To)
	if !to.Armed.Any() || s.net.Arming.SecretFile == "" {
		return ""
	}
	return "arming asks for authority here (arming.secret_file): this network is armed by a goal of its own"
}

// notFollowed drops a task, and says why.
func (s *State) notFollowed(t *mirror.Task, why string) {
	s.peers.book.Fail(t.Number)
	s.peers.behindWhy = why
	s.report.changed = true
	words := cmp.Or(t.Event, "going to "+t.Target) + " of " + t.From + " is not followed"
	s.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: words, Cause: why})
}

// armedElsewhere reports whether the common target is armed, whatever this network's state: a peer
// may be armed.
func (s *State) armedElsewhere() bool {
	armed := s.peers.book.Target()
	return len(s.peers.book.Peers()) > 0 && s.machine.Disarmed(armed) != armed
}

// disarmAhead answers a disarm while nothing is armed here but a peer is or may be. The disarm is
// for all instances, whichever the client asks.
func (s *State) disarmAhead(in GoalAsked, t machine.Transition) {
	g := s.accept(in, nil)
	s.setCause(t.Name, g, in.Reason)
	to := s.tellDisarm(t)
	r := Result{Success: true, Outcome: OutcomeDone, Message: "nothing is armed here; the peers must disarm"}
	if len(g.waiters) > 0 {
		s.awaitPeers(g, r, to)
		return
	}
	s.finishGoal(g, Succeeded, r)
}

// tellDisarm makes a commanded disarm a change that peers follow, and returns its target.
func (s *State) tellDisarm(t machine.Transition) string {
	armed := s.peers.book.Target()
	to := s.machine.Disarmed(armed)
	s.change(nil, Change{SourceState: armed, Event: t.Name, TargetState: to, Settled: true}, true)
	return to
}

// concludeGoal ends a goal, or lets it wait for peers if its clients want that.
func (s *State) concludeGoal(g *goal, e Ending, r Result) {
	if e != Succeeded || len(g.waiters) == 0 {
		s.finishGoal(g, e, r)
		return
	}
	s.awaitPeers(g, r, s.settled)
}

// concludeDisarm ends a goal that has disarmed this network without a transition of its own. A
// client that waits for peers waits until nothing is armed at any peer. If peers are armed, the
// engine tells them to disarm.
func (s *State) concludeDisarm(g *goal, r Result) {
	if len(g.waiters) == 0 {
		s.finishGoal(g, Succeeded, r)
		return
	}
	s.awaitPeers(g, r, "")
}

// awaitPeers holds the clients that wait for peers until the peers are in that state, and answers
// the others.
func (s *State) awaitPeers(g *goal, r Result, state string) {
	others := s.peers.book.Heard()
	if r.Outcome == OutcomeAlready || state == "" { // no change was made
		others = s.peers.book.Living()
	}
	s.awaitThose(g, r, state, others)
}

// awaitAgain lets a client that repeats a goal by its id wait for the peers that had to follow that
// goal. The goal itself may have ended before they did.
func (s *State) awaitAgain(in GoalAsked, done *goal) {
	g, state := s.accept(in, nil), s.settled
	if s.namesDisarm(g) { // its result holds in every state in which nothing may be armed
		state = ""
	}
	s.awaitThose(g, done.result, state, done.then.lived)
}

// awaitThose holds the clients of a goal until the required peers and the given others arrive.
func (s *State) awaitThose(g *goal, r Result, state string, others []string) {
	s.noteDone(g)
	for _, h := range g.handles {
		if !slices.Contains(g.waiters, h) {
			s.answer(g, h, Succeeded, s.stamped(g, r))
		}
	}
	g.handles = slices.Clone(g.waiters)
	w := &waiting{
		goal: g, result: r, made: s.peers.book.Made(), state: state, common: state, by: s.now.Steady + s.net.Peers.Deadline,
	}
	if common := s.peers.book.Target(); r.Outcome == OutcomeAlready || state == "" || s.machine.Adopted(common) == state {
		w.common = common
	}
	for _, name := range s.net.Peers.Required {
		w.peers = append(w.peers, awaited{name: name})
	}
	for _, name := range others {
		if !slices.Contains(s.net.Peers.Required, name) {
			w.peers = append(w.peers, awaited{name: name})
		}
	}
	s.peers.awaiting = append(s.peers.awaiting, w)
	s.wakeWhole(w.by)
	s.mindWait(w)
}

// waiting returns the wait of a goal for peers; nil: it does not wait.
func (s *State) waiting(g *goal) *waiting {
	k := slices.IndexFunc(s.peers.awaiting, func(w *waiting) bool { return w.goal == g })
	if k < 0 {
		return nil
	}
	return s.peers.awaiting[k]
}

func (s *State) mindWaits() {
	for _, w := range slices.Clone(s.peers.awaiting) {
		s.mindWait(w)
	}
}

// mindWait ends the wait of one goal when every peer has arrived or cannot arrive, or at its
// deadline.
func (s *State) mindWait(w *waiting) {
	if s.superseded(w) {
		s.endWait(w, Aborted, OutcomeSuperseded, "superseded by "+s.peers.newest)
		return
	}
	if w.state != "" && s.settled != "" && s.settled != w.state {
		s.endWait(w, Aborted, OutcomeSuperseded, "but is "+s.settled+" by now: "+s.report.cause)
		return
	}
	open, left := s.lookFor(w)
	switch {
	case open && s.now.Steady < w.by:
	case len(left) > 0:
		s.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(left, "; "))
	default:
		s.endWait(w, Succeeded, w.result.Outcome, "")
	}
}

// superseded reports whether a change newer than that of the goal leads elsewhere.
func (s *State) superseded(w *waiting) bool {
	common := s.peers.book.Target()
	if w.state == "" {
		return common != w.common && s.machine.Disarmed(common) != common
	}
	return common != w.common
}

// lookFor reports whether any missing peer may still arrive, and lists the missing ones.
func (s *State) lookFor(w *waiting) (open bool, left []string) {
	for k := range w.peers {
		a := &w.peers[k]
		pending := false
		if !a.there {
			a.there, a.why, pending = s.arrival(a.name, w)
		}
		if !a.there {
			left = append(left, a.name+" "+a.why)
		}
		open = open || pending
	}
	return open, left
}

// arrival reports whether a peer has arrived, else why not, and whether it still may.
func (s *State) arrival(name string, w *waiting) (there bool, why string, pending bool) {
	p := s.peers.book.Peer(name)
	switch {
	case p == nil || p.Plain:
		return false, "is not there", true
	case !p.Alive:
		return false, "is lost: " + p.Why, false
	case !p.Same:
		return false, "follows another machine", false
	case s.peerArrived(p, w):
		return true, "", false
	case p.Status.Leaving:
		return false, "is about to end", false
	case w.state == "" && len(p.Status.MayBeArmed) > 0:
		return false, "may still be armed: " + strings.Join(p.Status.MayBeArmed, ", "), true
	case w.state != "" && p.Status.Behind && s.peers.book.Knows(p, w.made):
		return false, "is " + p.Status.State + " and does not follow: " + p.Status.Cause, false
	}
	return false, "is still " + p.Status.State, true
}

// peerArrived reports whether a peer that is alive is where the goal wants it, or in the state that stands for it where no
// loop runs.
func (s *State) peerArrived(p *mirror.Peer, w *waiting) bool {
	if w.state == "" {
		state, _ := s.machine.State(p.Status.State)
		return s.peers.book.Knows(p, w.made) && p.Status.Settled && !state.Armed.Any() && len(p.Status.MayBeArmed) == 0
	}
	there := func(state string) bool { return s.peers.book.There(p, w.made, state) }
	return !p.Status.Behind && (there(w.state) || there(s.machine.Adopted(w.state)))
}

// endWait ends the wait. The state stands, however the wait ended.
func (s *State) endWait(w *waiting, e Ending, o Outcome, why string) {
	s.peers.awaiting = slices.DeleteFunc(s.peers.awaiting, func(x *waiting) bool { return x == w })
	r := w.result
	r.Success, r.Outcome = e == Succeeded, o
	if why != "" {
		r.Message += "; " + why
	}
	s.finishGoal(w.goal, e, r)
}

// openGoals names the goals that are done here and wait for peers or for the loop.
func (s *State) openGoals() []string {
	var names []string
	for _, w := range s.peers.awaiting {
		name := w.goal.id()
		if name == "" {
			name = w.goal.handles[0]
		}
		names = append(names, clean.Text(name))
	}
	for _, g := range s.loop.open() {
		names = append(names, clean.Text(cmp.Or(g.id(), g.handles[0])))
	}
	return names
}

// endWaits ends all waits because this process ends: a peer that has not arrived by now is behind.
func (s *State) endWaits() {
	for len(s.peers.awaiting) > 0 {
		w := s.peers.awaiting[0]
		if _, left := s.lookFor(w); len(left) > 0 {
			s.endWait(w, Aborted, OutcomePeersBehind, "peers behind: "+strings.Join(left, "; "))
			continue
		}
		s.endWait(w, Succeeded, w.result.Outcome, "")
	}
}
