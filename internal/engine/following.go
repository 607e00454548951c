package engine

import (
	"cmp"
	"slices"

	"rstate/internal/machine"
	"rstate/internal/mirror"
	"rstate/internal/stepper"
)

// How this network follows a change of a peer: commands without a goal, one after another, by the
// shortest way from its own state. It publishes none of them on the lifecycle topic, or peers would
// follow each other for ever.

// byPeer is the origin of work that follows a change of a peer.
func byPeer(name string) Origin { return Origin("peer " + name) }

// mirrored names the peer whose change a work follows, in words; empty: the change is our own.
func (w *work) mirrored() string {
	if w.news.from == "" {
		return ""
	}
	return ", mirrored from " + w.news.from
}

// beginTask begins the open task if that is possible now, and reports whether it did anything.
func (s *State) beginTask() bool {
	t := s.peers.book.Task()
	if t == nil || s.settled == "" || s.closing.stop != nil || s.closing.ended != nil {
		return false
	}
	w := s.work
	switch {
	case w != nil && w.phase == finalizing: // an ending network follows no change
		s.peers.book.Fail(t.Number)
	case !s.busy():
		s.followTask(t)
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
	if w.phase == draining {
		return w.origin
	}
	return w.target
}

// overtakes reports whether a task does not wait for the running work: it leads lower. Work that
// lowers is finished first and then taken further down; only a task that ends the network waits for
// nothing.
func (f *facts) overtakes(w *work, t *mirror.Task) bool {
	end, _ := f.machine.State(t.Target)
	if w.lowers && w.phase == forward && !end.Final {
		return false
	}
	return f.machine.Lowers(w.heading(), t.Target)
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
		s.dropTask(t, "no way leads from "+w.heading()+" to "+t.Target)
		return
	}
	s.reportResults()
	s.endGoal(w, Aborted, OutcomeSuperseded, "superseded by "+t.From+": "+cmp.Or(t.Event, t.Target))
	s.work = nil
	s.mirror(s.command(path[0], from), t, s.judge.Preempt)
}

// mirror begins one command of a task.
func (s *State) mirror(c machine.Transition, t *mirror.Task, how func(string) error) {
	must(how(c.Name))
	w := s.workOf(c)
	w.mirrorTask(t)
	w.grant = s.peers.grant
	w.lowers = w.lowers || s.machine.Lowers(s.settled, t.Target) || c.To == s.settled && !c.Loop
	w.oneWay = s.isDisarm(c.Name)
	if t.Event == "" && !t.CatchUp && s.machine.Lowers(s.settled, t.Target) {
		s.noteLowered(w.by, c.Name, w.why)
	}
	s.run(w, c)
}

// mirrorTask makes the work one for a task.
func (w *work) mirrorTask(t *mirror.Task) {
	w.by = byPeer(t.From)
	w.news.instance = t.Instance
	w.news.from, w.news.task, w.news.catches, w.news.silent = t.From, t.Number, t.CatchUp, true
	w.why = "mirrored from " + t.From
	if t.Cause != "" {
		w.why += ": " + t.Cause
	}
}

// followTask takes the next step of a task, at rest.
func (s *State) followTask(t *mirror.Task) {
	if len(t.Loops) > 0 {
		s.followLoop(t)
		return
	}
	target := s.chooseTarget(t)
	if s.settled == target {
		if s.peers.book.Done(t.Number); target != t.Target && target != s.machine.Adopted(t.Target) {
			s.peers.behindWhy = t.From + " is to be " + t.Target +
				", which is not caught up with: a command of one's own arms this network"
		}
		s.changed = true
		return
	}
	path, ok := s.machine.PathThroughLoops(s.settled, target)
	if s.leavesLoop(path, target) {
		s.leave(t)
		return
	}
	if !ok {
		s.dropTask(t, "no way leads from "+s.settled+" to "+target)
		return
	}
	first := s.command(path[0], s.origin())
	if why := cmp.Or(s.refusesToFollow(first, t), s.refusesMirrored(first)); why != "" {
		s.dropTask(t, why)
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
	s.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From,
		Sentence: loop.Name + " of " + t.From + " is not followed: the network is " + s.settled})
}

// leave ends the loop at the end of its step for a task to which no command leads out of it. The
// network follows from the state that stands for the loop.
func (s *State) leave(t *mirror.Task) {
	w := s.newWork("", s.settled, s.machine.Adopted(s.settled))
	w.mirrorTask(t)
	w.lowers = true
	s.work = w
	s.goals.era++
	s.report.cause = w.why
	s.recordState(EventTurned, "the loop is left"+w.mirrored())
	s.loop.stop(&s.agenda, stepper.Stop, w.why)
	w.waits = s.loop.runs
	s.lay(leaving, w.target)
}

// concludeLeaving settles when the loop has been left.
func (s *State) concludeLeaving() bool {
	s.settle(s.work.target)
	return true
}

// leavesLoop reports whether a network in a state of the loop leaves it for a target to which the path
// leads, if there is one.
func (st *standing) leavesLoop(path []string, target string) bool {
	here, _ := st.machine.State(st.settled)
	to, _ := st.machine.State(target)
	if here.Loop == machine.NoLoop || here.Armed.Any() || to.Loop != machine.NoLoop {
		return false
	}
	if len(path) > 0 {
		next, _ := st.machine.State(st.command(path[0], st.settled).To)
		return next.Loop != machine.NoLoop
	}
	_, leads := st.machine.PathThroughLoops(st.machine.Adopted(st.settled), target)
	return leads
}

// chooseTarget returns the state to which a task is followed, and notes in the task if the network
// has come too late to arm for it. It is an armed state only for a change that was just made, and only if
// this network is in the disarmed state of that state.
func (s *State) chooseTarget(t *mirror.Task) string {
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

// refusesToFollow says why this instance never follows the arming of a peer; empty: it may.
func (co *course) refusesToFollow(c machine.Transition, t *mirror.Task) string {
	to, _ := co.machine.State(c.To)
	if !to.Armed.Any() {
		return ""
	}
	if why := co.grants.Void(co.peers.grant); why != "" {
		return "something else has come since (" + why + ")"
	}
	if why := co.peers.book.TooOld(co.now.Steady, t); why != "" || co.net.Arming.SecretFile == "" {
		return why
	}
	return "arming asks for authority here (arming.secret_file): this network is armed by a goal of its own"
}

// dropTask drops a task, and says why.
func (le *league) dropTask(t *mirror.Task, why string) {
	le.peers.book.Fail(t.Number)
	le.peers.behindWhy = why
	le.changed = true
	words := cmp.Or(t.Event, "going to "+t.Target) + " of " + t.From + " is not followed"
	le.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: words, Cause: why})
}

// unvouched says why the peer whose change this network follows into an armed state does not vouch for that
// change now; empty: it does, or the arming is this network's own.
func (pe *peering) unvouched(ag *agenda, w *work) string {
	peer := w.grant.Peer()
	if peer == "" {
		return ""
	}
	why := pe.book.Vouches(ag.now.Steady, peer, w.news.instance, w.target)
	if why == "" {
		return ""
	}
	return peer + ", whose change is followed, does not vouch for it: " + why
}
