package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// What clients ask for, what they get, and what is published.

func (c *checker) asks(a Send, decided time.Duration) {
	w := c.world
	ask := &Goal{Handle: a.Handle, Command: a.Command, ID: a.ID, Asked: decided, Arrived: w.now,
		Unauthorized: a.Unauthorized, WaitPeers: a.WaitPeers, lowers: c.lowers(a.Command)}
	if w.trace.Goal(a.Handle) != nil {
		panic("simnet: two goals have the handle " + a.Handle)
	}
	w.trace.Goals = append(w.trace.Goals, ask)
	c.open++
	if !w.brain.up { // nothing hears it
		c.orphan(ask)
	}
}

func (c *checker) cancels(handle string) {
	if a := c.world.trace.Goal(handle); a != nil && c.world.brain.up {
		a.asked++
	}
}

func (c *checker) goal(e engine.Effect) {
	known := func(handle string) *Goal {
		a := c.world.trace.Goal(handle)
		if a == nil {
			c.fault("%v: no client has asked for that", e)
			a = &Goal{Handle: handle}
		}
		return a
	}
	switch e := e.(type) {
	case engine.AcceptGoal:
		a := known(e.Handle)
		if a.Accepted || a.Rejected {
			c.fault("%s is answered twice", e.Handle)
		}
		a.Accepted, a.AtMost = true, c.world.brain.state.Snapshot().Work.TimeLeft
		c.coversID(a)
		c.coversLate(a, "accepted")
		to, isState := c.leadsTo(a.Command)
		// C6
		if a.Unauthorized && c.asksToArm(a.Command) && c.world.net.Arming.SecretFile != "" &&
			!(isState && to == c.state) {
			c.fault("%s arms without the authority that it takes", e.Handle)
		}
	case engine.RejectGoal:
		a := known(e.Handle)
		if a.Accepted || a.Rejected || e.Why == "" {
			c.fault("%s is rejected twice, or without a reason", e.Handle)
		}
		a.Rejected, a.Why, a.Legal, a.Busy = true, e.Why, e.Legal, e.Busy
		c.coversID(a)
		c.coversLate(a, "rejected")
		c.ended(a)
	case engine.FinishGoal:
		a := known(e.Handle)
		if !a.Accepted || a.Finished {
			c.fault("%s ends that was not open", e.Handle)
		}
		a.Finished, a.Ending, a.Result = true, e.Ending, e.Result
		c.verdict(a)
		c.overrides(a)
		c.ended(a)
	case engine.SendFeedback:
		a := known(e.Handle)
		if !a.Accepted || a.Finished {
			c.fault("%s has feedback and is not open", e.Handle)
		}
		a.Feedback = append(a.Feedback, e)
	case engine.AnswerCancel:
		a := known(e.Handle)
		a.Cancels = append(a.Cancels, e)
	default:
		c.fault("an effect that the world does not know: %v", e)
	}
}

func (c *checker) ended(a *Goal) {
	a.Ended = c.world.now
	c.open--
	c.world.happens(occurrence{kind: 'e', goal: a.Handle})
}

// orphan ends a goal that gets no answer any more.
func (c *checker) orphan(a *Goal) {
	a.Orphaned = true
	c.open--
	c.world.happens(occurrence{kind: 'e', goal: a.Handle})
}

// leaves ends the goals of a coordinator that has died, or that has ended by itself: what it has accepted it must have
// answered then.
func (c *checker) leaves(killed bool) {
	for _, a := range c.world.trace.Goals {
		a.asked = len(a.Cancels)
		if !a.Finished && !a.Rejected && !a.Orphaned && (killed || !a.Accepted) {
			c.orphan(a)
		}
	}
	c.arms = c.arms && !killed
}

// goesOn looks whether what was under way has ended with a stall: only a way to a final state goes on (A8).
func (c *checker) goesOn() {
	shutting := c.stateOf(c.world.brain.shown).Final
	if c.world.brain.up {
		shutting = shutting || c.stateOf(c.world.brain.state.Snapshot().Work.Target).Final
	}
	for _, a := range c.world.trace.Goals {
		if a.Accepted && !a.Finished && !a.Orphaned && c.world.brain.up && !shutting {
			c.fault("%s goes on after a stall", a.Handle)
		}
	}
}

func (g *Goal) isCanceled() bool {
	return slices.ContainsFunc(g.Cancels, func(k engine.AnswerCancel) bool { return k.Accepted })
}

// opens reports whether the goal of a command, or one that names a state, may end only when the loop has stopped.
func (w *World) opens(command string) bool {
	if t, ok := w.net.Machine.Transition(command); ok {
		return t.Open
	}
	s, _ := w.net.Machine.State(command)
	return s.Loop != machine.NoLoop
}

// defers reports whether the goal of a command waits until the loop goes on.
func (w *World) defers(command string) bool {
	t, _ := w.net.Machine.Transition(command)
	here, _ := w.net.Machine.State(w.brain.state.Snapshot().Settled)
	return t.At == machine.StepEnd && !t.Always && here.Loop == machine.NoLoop
}

// verdict compares the result of a goal with the truth.
func (c *checker) verdict(a *Goal) {
	w, r := c.world, a.Result
	if r.Message == "" || r.Outcome == "" || r.Success != (a.Ending == engine.Succeeded) {
		c.fault("%s ends %v without a word, or its result says otherwise", a.Handle, a.Ending)
	}
	if a.Ending == engine.Canceled && !slices.ContainsFunc(w.trace.Goals, func(o *Goal) bool {
		// C2: the result of an earlier one
		return o.isCanceled() && (o == a || a.ID != "" && o.ID == a.ID && o.Finished && o.Ended < a.Asked)
	}) {
		c.fault("%s ends as cancelled, and no client has cancelled it", a.Handle)
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
	disarms := c.disarms(a.Command) // it has no say in where nodes are
	to, _ := c.leadsTo(a.Command)
	if disarms { // C4: it is taken in every state
		to = w.net.Machine.Disarmed(r.State)
	}
	if r.State != to && !slices.Contains(w.net.Machine.Targets(a.Command), r.State) &&
		!(w.opens(a.Command) && state.Loop == machine.NoLoop) {
		c.fault("%s succeeds in %s", a.Handle, r.State)
	}
	if a.WaitPeers && w.now > c.restedAt {
		return // P8: it has only waited since, and the state stands
	}
	arms := state.Armed.Any() && w.end == nil // P7: a peer may have what is armed
	for i, n := range w.nodes {
		truth, alive := n.truth()
		want, wanted := w.net.WantAt(state, i, truth)
		unclear := n.changed() // the coordinator has not heard of it
		gone := !n.told && want.Level() <= lifecycle.Unconfigured.Level() || !alive && state.Final
		arms = arms && !(w.net.Arms(state, i) && (unclear || n.serversChanged() || n.armed() || n.lapsed() || n.belated()))
		switch {
		case unclear:
		case n.spec.Arm != nil && n.armsKnown() && !w.net.Arms(state, i) && !n.overtaken() &&
			(n.told || !n.spec.Optional):
			c.fault("%s succeeds in %s while %s is armed", a.Handle, r.State, n.spec.Name) // A3: optional ones too
		// E5, F2: its result only names such a node
		case n.spec.Optional || !n.spec.Lifecycle || disarms || !wanted || gone || n.lost():
		case w.brain.held > 0: // it was decided before a gap
		case n.claims == want && w.now <= n.wordAt+time.Second: // E2: its answer counts until it is read again
		case !alive || truth != want && len(n.procs) == 1 && !n.procs[0].mistaken: // E4
			c.fault("%s succeeds in %s while %s is %v", a.Handle, r.State, n.spec.Name, truth)
		}
	}
	if arms && w.brain.held == 0 {
		c.fault("%s succeeds in %s while nothing is armed", a.Handle, r.State) // A1
	}
}

// commanded reports whether a client has asked this instance for what it does: a goal is open or has ended since the
// network began to change its state (P4: a cancel spreads as its command does), or the process is to end.
func (c *checker) commanded() bool {
	return c.stopped || slices.ContainsFunc(c.world.trace.Goals, func(a *Goal) bool {
		return a.taken && !a.Orphaned && (!a.Finished || a.Ended >= c.since)
	})
}

// reacts reports whether a change is one that the machine makes by itself: a reaction, what follows a failure, or what
// spreads to all. None of these raises a node.
func (c *checker) reacts(m engine.Change) bool {
	states := c.world.net.Machine
	t, ok := states.Transition(m.Event)
	automatic := slices.ContainsFunc(states.Auto, func(a machine.Auto) bool { return a.Do == m.Event }) ||
		slices.ContainsFunc(states.Transitions,
			func(o machine.Transition) bool { return o.OnError.Then == m.Event || o.OnRefusal.Then == m.Event })
	return ok && (automatic || t.Spread == machine.SpreadAll) && !states.Raises(m.SourceState, m.TargetState)
}

// tellsCommands looks at a message of a machine that tells commands alone: it counts, and its word is that of a command
// which clients have, and which leads from the source state to the target.
func (c *checker) tellsCommands(m engine.Change, counts bool) {
	states := c.world.net.Machine
	t, ok := states.Transition(states.Heard(m.Event, m.SourceState, m.TargetState))
	to, _ := states.Target(t.Name, m.SourceState)
	if !counts || !ok || t.Hidden || !slices.Contains(t.From, m.SourceState) || to != m.TargetState {
		c.fault("a message is published that is no command of a client (counts: %v): %v", counts, m)
	}
}

// publishes looks at a message on the lifecycle topic. What counts has the next number. Without a command it is lower
// than what was agreed on, and among peers it is published only if one of them requires this instance (P1, P4).
func (c *checker) publishes(m engine.Change) {
	w, states := c.world, c.world.net.Machine
	c.turn.sent++
	made, instance := own(seenOf(m), w.brain.instance()), w.brain.instance()
	if instance != c.lastFrom {
		c.lastFrom, c.lastMade = instance, 0
	}
	counts := made > c.lastMade
	w.trace.Changes, w.trace.counted = append(w.trace.Changes, m), append(w.trace.counted, counts)
	if len(m.Seen) == 0 {
		c.fault("a change is published that says nothing of what was seen: %v", m)
	}
	if states.Tells == machine.TellsCommands {
		c.tellsCommands(m, counts)
	} else if counts && made != c.lastMade+1 {
		c.fault("change %d follows change %d", made, c.lastMade)
	}
	if !counts || len(m.Seen) == 0 {
		return
	}
	level, agreed := states.Level(m.TargetState), c.lowest
	if !happened(w.trace.Status.Seen) {
		agreed = max(agreed, states.Level(m.SourceState))
	}
	if !c.commanded() && level >= agreed && !c.reacts(m) {
		c.fault("published without a command, and no lower than what was agreed on: %v", m)
	}
	spreads, _ := states.Transition(m.Event)
	if w.end != nil && !c.commanded() && !w.end.requiredBy() && spreads.Spread != machine.SpreadAll {
		c.fault("a failure is published of which no peer has to know: %v", m)
	}
	c.lastMade, c.lowest, c.follows = made, level, false // P2: the change of a peer that it followed is older
	for _, a := range w.trace.Goals {
		if a.taken && !a.Finished && !(a.concluded && c.turn.sent > a.changes) { // a later one is of another goal
			a.published, a.target = w.now, m.TargetState
		}
	}
	if w.end != nil {
		w.end.peers.guard.changed(w.end, m)
	}
}
