package simnet

import (
	"slices"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// What people ask for, and what they are told: the guard's other half.

func (g *guard) asks(a Send) {
	w := g.world
	g.fresh = true
	ask := &Goal{Handle: a.Handle, Command: a.Command, ID: a.ID, Asked: w.now, Unauthorized: a.Unauthorized, WaitPeers: a.WaitPeers}
	if !w.brain.up {
		ask.Orphaned = true // nobody hears it
		w.happens(occurrence{kind: 'e', goal: a.Handle})
	} else {
		g.open++
	}
	if w.trace.Goal(a.Handle) != nil {
		panic("simnet: two goals have the handle " + a.Handle)
	}
	w.trace.Goals = append(w.trace.Goals, ask)
}

func (g *guard) cancels(handle string) {
	g.fresh = true
	if a := g.world.trace.Goal(handle); a != nil && g.world.brain.up {
		a.asked++
	}
}

// goal takes what the coordinator says of a goal.
func (g *guard) goal(e engine.Effect) {
	switch e := e.(type) {
	case engine.AcceptGoal:
		a := g.known(e.Handle, "accepted")
		if a.Accepted || a.Rejected {
			g.fault("%s is answered twice", e.Handle)
		}
		a.Accepted, g.fresh = true, true
		if a.Unauthorized && g.asksToArm(a.Command) && g.world.net.Arming.SecretFile != "" && !g.reached(a) {
			g.fault("%s arms without the authority that it takes", e.Handle)
		}
	case engine.RejectGoal:
		a := g.known(e.Handle, "rejected")
		if a.Accepted || a.Rejected {
			g.fault("%s is answered twice", e.Handle)
		}
		a.Rejected, a.Why, a.Legal = true, e.Why, e.Legal
		if e.Why == "" {
			g.fault("%s is rejected without a reason", e.Handle)
		}
		g.ended(a)
	case engine.FinishGoal:
		a := g.known(e.Handle, "ended")
		if !a.Accepted || a.Finished {
			g.fault("%s ends that was not open", e.Handle)
		}
		a.Finished, a.Ending, a.Result = true, e.Ending, e.Result
		g.verdict(a)
		g.ended(a)
	case engine.SendFeedback:
		a := g.known(e.Handle, "told of")
		if !a.Accepted || a.Finished {
			g.fault("%s is told of that is not open", e.Handle)
		}
		a.Feedback = append(a.Feedback, e)
	case engine.AnswerCancel:
		a := g.known(e.Handle, "cancelled")
		a.Cancels = append(a.Cancels, e)
		g.fresh = true
	default:
		g.fault("an effect that the world does not know: %v", e)
	}
}

func (g *guard) known(handle, what string) *Goal {
	if a := g.world.trace.Goal(handle); a != nil {
		return a
	}
	g.fault("%s is %s that nobody asked for", handle, what)
	return &Goal{Handle: handle}
}

func (g *guard) ended(a *Goal) {
	a.Ended = g.world.now
	g.open--
	g.world.happens(occurrence{kind: 'e', goal: a.Handle})
}

// verdict compares what a goal is told with the truth.
func (g *guard) verdict(a *Goal) {
	w, r := g.world, a.Result
	if r.Message == "" || r.Outcome == "" {
		g.fault("%s ends without a word", a.Handle)
	}
	if r.Success != (a.Ending == engine.Succeeded) {
		g.fault("%s ends %v, and its result says otherwise", a.Handle, a.Ending)
	}
	if a.Ending == engine.Canceled && !g.canceled(a) {
		g.fault("%s ends as cancelled, and nobody has cancelled it", a.Handle) // C2: cancelling detaches one client
	}
	w.end.behind(a)
	if a.Ending != engine.Succeeded {
		return
	}
	w.end.waited(a)
	state, ok := w.net.Machine.State(r.State)
	if !ok || state.Passing {
		return
	}
	name, isState, _ := w.net.Machine.Command(a.Command)
	disarms := g.disarms(name, isState) // it has no say in where nodes are
	g.isWhatWasAsked(a, name, isState)
	if a.WaitPeers && w.now > g.settledAt {
		return // P8: it has only waited since; the state stands, whatever became of nodes
	}
	for i, n := range w.nodes {
		truth, alive := n.truth()
		alive = alive && (n.told || !state.Final) // whoever is not in the graph when it ends is not known to live
		want, wanted := w.net.Want(state, i)
		wanted = wanted && !disarms
		if n.changed() || len(n.procs) > 1 {
			continue
		}
		if !w.net.Arms(state, i) && n.armed() && !n.overtaken() && n.spec.Arm != nil && (n.told || !n.spec.Optional) {
			g.fault("%s succeeds in %s while %s is armed", a.Handle, r.State, n.spec.Name) // A3: optional ones too
		}
		if n.spec.Optional {
			continue
		}
		if n.lost() {
			wanted = false // by F1 its result only names it
		}
		if !n.told && want == lifecycle.Unconfigured {
			continue // F2: whoever is gone from the graph counts as unconfigured, also while he is on his way back to it
		}
		if n.spec.Lifecycle && wanted && ((!alive && !state.Final) || (alive && truth != want)) {
			g.fault("%s succeeds in %s while %s is %v", a.Handle, r.State, n.spec.Name, truth)
		}
	}
}

// canceled says whether a goal was cancelled, or gets the result of an earlier one of its id that was (C2).
func (g *guard) canceled(a *Goal) bool {
	yes := func(c engine.AnswerCancel) bool { return c.Accepted }
	return slices.ContainsFunc(g.world.trace.Goals, func(o *Goal) bool {
		return slices.ContainsFunc(o.Cancels, yes) && (o == a || a.ID != "" && o.ID == a.ID && o.Finished && o.Ended < a.Asked)
	})
}

// reached says whether the goal names the state in which the network is.
func (g *guard) reached(a *Goal) bool {
	name, isState, _ := g.world.net.Machine.Command(a.Command)
	return isState && name == g.world.brain.shown
}

// isWhatWasAsked looks whether a goal that succeeds says that the network is where its own command leads, whatever other
// goals bear its id, and that something is armed where it is to be (A1).
func (g *guard) isWhatWasAsked(a *Goal, name string, isState bool) {
	w, m := g.world, g.world.net.Machine
	to := name
	if t, ok := m.Transition(name); ok && !isState {
		to = t.To
	}
	if g.disarms(name, isState) { // it is taken in every state
		to = m.Disarmed(a.Result.State)
	}
	if a.Result.State != to {
		g.fault("%s succeeds in %s", a.Handle, a.Result.State)
	}
	state, _ := m.State(to)
	if !state.Armed.Any() || w.end != nil { // a peer may have what is armed (P7)
		return
	}
	arms := func(i int, n *node) bool {
		return w.net.Arms(state, i) && (n.armed() || n.changed() || n.lapsed() || n.belated() || len(n.procs) > 1)
	}
	for i, n := range w.nodes {
		if arms(i, n) {
			return
		}
	}
	g.fault("%s succeeds in %s while nothing is armed", a.Handle, a.Result.State)
}

// disarms reports whether a command leads out of an armed state to its disarmed one.
func (g *guard) disarms(name string, isState bool) bool {
	m := g.world.net.Machine
	return !isState && slices.ContainsFunc(m.States, func(s machine.State) bool {
		t, ok := m.Disarm(s.Name)
		return s.Armed.Any() && ok && t.Name == name
	})
}

// orphan notes that the coordinator died: its goals end with it.
func (g *guard) orphan() {
	g.recorded()
	for _, a := range g.world.trace.Goals {
		a.asked = len(a.Cancels)
		if !a.Finished && !a.Rejected && !a.Orphaned {
			a.Orphaned = true
			g.open--
			g.world.happens(occurrence{kind: 'e', goal: a.Handle})
		}
	}
	g.given, g.arms = nil, false
}

// exits notes that the coordinator has ended by itself: what it has not heard is nobody's any more, what it has
// accepted must have ended.
func (g *guard) exits() {
	for _, a := range g.world.trace.Goals {
		a.asked = len(a.Cancels)
		if !a.Accepted && !a.Rejected && !a.Orphaned {
			a.Orphaned = true
			g.open--
			g.world.happens(occurrence{kind: 'e', goal: a.Handle})
		}
	}
}

func (g *guard) atEnd() {
	for _, a := range g.world.trace.Goals {
		if !a.Finished && !a.Rejected && !a.Orphaned {
			g.fault("%s never ends", a.Handle)
		}
		if len(a.Cancels) != a.asked {
			g.fault("%s has %d answers to %d cancels", a.Handle, len(a.Cancels), a.asked)
		}
	}
}
