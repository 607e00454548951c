package engine

import (
	"cmp"
	"slices"

	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// What a peer's change makes of this network: commands without a goal, one after another, by the shortest way from where
// it stands. Nothing of it is said on the lifecycle topic, or peers would follow each other for ever.

// mirrored says whose change a work follows, for a person; empty: it is our own.
func (w *work) mirrored() string {
	if w.news.from == "" {
		return ""
	}
	return ", mirrored from " + w.news.from
}

// mirrors begins what is to be followed, if it can be now, and says whether it did anything.
func (s *State) mirrors() bool {
	t := s.peers.book.Task()
	if t == nil || s.settled == "" || s.closing.stop != nil || s.closing.ended != nil {
		return false
	}
	w := s.work
	switch {
	case w != nil && w.phase.ends: // it ends, whatever others do
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

// heading is where the running work goes.
func (w *work) heading() string {
	if w.phase.drains {
		return w.origin
	}
	return w.target
}

// overtakes says whether what is to be followed does not wait for what runs: it is lower than where that goes. What runs
// downwards is taken further down when it is there; only an end waits for nothing.
func (s *State) overtakes(w *work, t *mirror.Task) bool {
	end, _ := s.machine.State(t.Target)
	if w.lowers && w.phase.commands && !end.Final {
		return false
	}
	return s.machine.Lowers(w.heading(), t.Target)
}

// overtake ends what runs, wherever its nodes are by now, for something lower.
func (s *State) overtake(w *work, t *mirror.Task) {
	path, ok := s.machine.Path(w.heading(), t.Target)
	if !ok || len(path) == 0 {
		s.notFollowed(t, "no way leads from "+w.heading()+" to "+t.Target)
		return
	}
	s.keepResults()
	s.endGoal(w, Aborted, OutcomeSuperseded, "superseded by "+t.From+": "+cmp.Or(t.Event, t.Target))
	s.work = nil
	first, _ := s.machine.Transition(path[0])
	s.mirror(first, t, s.judge.Preempt)
}

// mirror begins one command of what is followed.
func (s *State) mirror(c machine.Transition, t *mirror.Task, how func(string) error) {
	if err := how(c.Name); err != nil {
		panic(err)
	}
	w := s.workOf(c)
	w.by = byPeer(t.From)
	w.news.from, w.news.task, w.news.catches, w.news.silent = t.From, t.Number, t.CatchUp, true
	w.lowers = w.lowers || s.machine.Lowers(s.settled, t.Target) || c.To == s.settled && !c.Loop
	w.oneWay = s.isDisarm(c.Name)
	w.why = "mirrored from " + t.From
	if t.Cause != "" {
		w.why += ": " + t.Cause
	}
	if t.Event == "" && !t.CatchUp && s.machine.Lowers(s.settled, t.Target) {
		s.noteLowered(w.by, c.Name, w.why)
	}
	s.run(w, c)
}

// followOn takes the next step of what is to be followed, at rest.
func (s *State) followOn(t *mirror.Task) {
	if len(t.Loops) > 0 {
		s.followLoop(t)
		return
	}
	target := s.reachable(t)
	if s.settled == target {
		if s.peers.book.Done(t.Number); target != t.Target {
			s.peers.behindWhy = t.From + " is to be " + t.Target + ", which is not caught up with: a command of one's own arms this network"
		}
		s.report.changed = true
		return
	}
	path, ok := s.machine.Path(s.settled, target)
	if !ok {
		s.notFollowed(t, "no way leads from "+s.settled+" to "+target)
		return
	}
	first, _ := s.machine.Transition(path[0])
	if why := cmp.Or(s.keepsOut(first), s.refuses(first)); why != "" {
		s.notFollowed(t, why)
		return
	}
	s.mirror(first, t, s.judge.Begin)
}

// followLoop runs a looping command that was missed, where it can be.
func (s *State) followLoop(t *mirror.Task) {
	loop, _ := s.machine.Transition(t.Loops[0])
	t.Loops = slices.Clone(t.Loops[1:])
	if s.judge.Can(loop.Name) && s.refuses(loop) == "" {
		s.mirror(loop, t, s.judge.Begin)
		return
	}
	s.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: loop.Name + " of " + t.From + " is not followed: the network is " + s.settled})
}

// reachable is how far a task is followed: into armed only where it is a change just made, and this network is what that is
// without arming.
func (s *State) reachable(t *mirror.Task) string {
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

// keepsOut says why a peer's arming is never followed here; empty: it may be.
func (s *State) keepsOut(t machine.Transition) string {
	to, _ := s.machine.State(t.To)
	if !to.Armed.Any() || s.net.Arming.SecretFile == "" {
		return ""
	}
	return "arming asks for authority here (arming.secret_file): this network is armed by a goal of its own"
}

// notFollowed leaves a task, and says why.
func (s *State) notFollowed(t *mirror.Task, why string) {
	s.peers.book.Fail(t.Number)
	s.peers.behindWhy = why
	s.report.changed = true
	words := cmp.Or(t.Event, "going to "+t.Target) + " of " + t.From + " is not followed"
	s.record(Entry{Kind: EntryPeer, Event: EventFailed, Node: t.From, Sentence: words, Cause: why})
}

// armedElsewhere says whether the changes lead to an armed state, wherever this network is: a peer may be armed.
func (s *State) armedElsewhere() bool {
	armed := s.peers.book.Target()
	return len(s.peers.book.Peers()) > 0 && s.machine.Disarmed(armed) != armed
}

// disarmAhead answers a disarm where nothing is armed here, though peers are or may be: it is for them all, whoever is asked.
func (s *State) disarmAhead(in GoalAsked, t machine.Transition) {
	g := s.accept(in, nil)
	s.setCause(t.Name, g, in.Reason)
	to := s.tellDisarm(t)
	r := Result{Success: true, Outcome: OutcomeDone, Message: "nothing is armed here; peers are told to disarm"}
	if len(g.waiters) > 0 {
		s.awaitPeers(g, r, to)
		return
	}
	s.finishGoal(g, Succeeded, r)
}

// tellDisarm makes a commanded disarm a change that peers follow, and returns the state to which it leads.
func (s *State) tellDisarm(t machine.Transition) string {
	armed := s.peers.book.Target()
	to := s.machine.Disarmed(armed)
	s.change(nil, Change{SourceState: armed, Event: t.Name, TargetState: to}, true)
	return to
}
