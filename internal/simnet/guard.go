package simnet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
)

// guard watches what must never be. It knows the truth and what the coordinator has been told; it never tells.
type guard struct {
	world    *World
	open     int             // goals that are accepted and not ended
	since    time.Duration   // when the network's present state was shown first
	back     bool            // it is the way back of a cancelled transition
	given    map[string]bool // nodes that this transition gave up
	lastMade uint64          // the coordinator's own number of changes
	lastFrom string          // whose
	lowest   int             // the level of the newest change that counted
	fresh    bool            // a command came since then
}

func (g *guard) fault(format string, args ...any) {
	g.world.trace.Faults = append(g.world.trace.Faults, fmt.Sprintf("%v: ", g.world.now)+fmt.Sprintf(format, args...))
}

// evidence notes what the coordinator is about to hear, and when it was true.
func (g *guard) evidence(n *node, made time.Duration, state lifecycle.State, in engine.Input) {
	switch in := in.(type) {
	case engine.StateRead, engine.EventHeard:
		if made >= n.heard {
			n.heard, n.evidence = made, state
		}
	case engine.CallAnswered:
		if c := n.wire[in.Call]; c != nil {
			c.answered = true
		}
	}
}

// changed says whether somebody else, or a death, has changed the node since the coordinator last heard of it.
func (n *node) changed() bool { return n.foreign >= n.heard }

// illegal notes a request that its node could not take. It is nobody's fault where somebody else came between.
func (g *guard) illegal(n *node, p *proc, r request) {
	hurried := r.do.Label == "shutdown" && (p.busy || p.state == lifecycle.Finalized)
	if hurried || len(n.procs) > 1 || r.entry.excused || n.foreign >= r.entry.At {
		return
	}
	g.fault("%s was asked of %s, which is %v", r.do.Label, n.spec.Name, p.state)
}

func (g *guard) reads(n *node) {
	if !n.told {
		g.fault("%s is read, which is not there", n.spec.Name)
	}
}

// calls looks at a transition that is about to be asked of a node.
func (g *guard) calls(n *node, e engine.CallNode) *Call {
	w := g.world
	c := &Call{At: w.now, Node: n.spec.Name, Do: e.Transition.Label, excused: n.changed()}
	w.trace.Calls = append(w.trace.Calls, c)
	if !n.told {
		g.fault("%s is asked of %s, which is not there", c.Do, c.Node)
	}
	for _, p := range n.living() {
		if p.busy && len(n.procs) == 1 && c.Do != "shutdown" && !n.changed() {
			g.fault("%s is asked of %s beside another request", c.Do, c.Node)
		}
	}
	n.wire[e.Call] = c
	g.order(n, e.Transition)
	return c
}

// order looks whether those that go before a node are where it goes, or were given up.
func (g *guard) order(n *node, t lifecycle.Transition) {
	w := g.world
	if n.turn == len(w.trace.States) {
		return // it had its turn, and is asked again
	}
	n.turn = len(w.trace.States)
	raises := t == lifecycle.Configure || t == lifecycle.Activate
	if (w.brain.shown == w.net.Machine.Error || g.back) && raises {
		return // nodes go back to where each was
	}
	if w.brain.shown != "" {
		if s, _ := w.net.Machine.State(w.brain.shown); !s.Passing {
			return // one node is brought to its place
		}
	}
	others := w.order.Before[n.index]
	if raises {
		others = w.order.After[n.index]
	}
	for _, j := range others {
		o := w.nodes[j]
		state, alive := o.truth()
		if !alive || !o.told || g.given[o.spec.Name] || o.changed() || !o.spec.Lifecycle || len(o.procs) > 1 {
			continue
		}
		if raises && state.Level() >= t.Target().Level() || !raises && !above(state, t.Target()) || g.claimed(o, t) {
			continue
		}
		g.fault("%s is asked of %s while %s is %v", t.Label, n.spec.Name, o.spec.Name, state)
	}
}

func above(state, target lifecycle.State) bool {
	if state == lifecycle.Deactivating || state == lifecycle.CleaningUp {
		return true
	}
	return state.Level() > target.Level()
}

// claimed says whether the node answered with success, true or not, to a request of that kind.
func (g *guard) claimed(n *node, t lifecycle.Transition) bool {
	calls := g.world.trace.Calls
	for k := len(calls) - 1; k >= 0; k-- {
		if calls[k].Node == n.spec.Name {
			return calls[k].answered && calls[k].Do == t.Label
		}
	}
	return false
}

func (g *guard) armsNode(n *node, e engine.ArmNode) *Call {
	w := g.world
	c := &Call{At: w.now, Node: n.spec.Name, Do: "disarm"}
	if e.Arm {
		c.Do = "arm"
		g.mayArm(n)
	}
	w.trace.Calls = append(w.trace.Calls, c)
	if !n.told {
		g.fault("%s is asked of %s, which is not there", c.Do, c.Node)
	}
	return c
}

// mayArm looks at an arming that is about to go out: a goal that is still open must have asked for it, and every
// required node must have been seen active since the arming began.
func (g *guard) mayArm(n *node) {
	w := g.world
	asked := slices.ContainsFunc(w.trace.Goals, func(a *Goal) bool {
		return a.Accepted && !a.Finished && !a.Orphaned && strings.HasPrefix(a.Command, "arm")
	})
	if !asked {
		g.fault("%s is armed, and nobody asked for it", n.spec.Name)
	}
	for _, o := range w.nodes {
		if o.spec.Optional || !o.spec.Lifecycle {
			continue
		}
		if !o.told || o.evidence != lifecycle.Active || o.heard < g.since {
			g.fault("%s is armed without fresh proof of %s", n.spec.Name, o.spec.Name)
		}
	}
}

func (g *guard) shows(state string) {
	w := g.world
	w.trace.States = append(w.trace.States, state)
	s, _ := w.net.Machine.State(state)
	g.back = false
	if s.Passing || g.given == nil {
		g.given = map[string]bool{}
		g.since = w.now
	}
	if s.Armed.Any() {
		for i, n := range w.nodes {
			if w.net.Arms(s, i) && !n.spec.Optional && !n.armed() && !n.changed() {
				g.fault("%s is shown and %s is not armed", state, n.spec.Name)
			}
		}
	}
}

// publishes looks at a change: what counts carries the next number, and after a command only goes down.
func (g *guard) publishes(c engine.Change) {
	w := g.world
	w.trace.Changes = append(w.trace.Changes, c)
	if len(c.Seen) == 0 {
		g.fault("a change is published that says nothing of what was seen: %v", c)
		return
	}
	own := c.Seen[0]
	if own.Instance != g.lastFrom {
		g.lastFrom, g.lastMade, g.fresh = own.Instance, 0, true
	}
	level := w.net.Machine.Level(c.TargetState)
	switch {
	case own.N == g.lastMade:
		return
	case own.N != g.lastMade+1:
		g.fault("change %d follows change %d", own.N, g.lastMade)
	case !g.fresh && level >= g.lowest && !g.onItsWay():
		g.fault("published without a command, and no lower than before: %v", c)
	}
	g.lastMade, g.lowest, g.fresh = own.N, level, false
}

// onItsWay says whether a goal is open that takes several commands, each published for itself.
func (g *guard) onItsWay() bool {
	return slices.ContainsFunc(g.world.trace.Goals, func(a *Goal) bool {
		_, isState, _ := g.world.net.Machine.Command(a.Command)
		return isState && a.Accepted && !a.Finished && !a.Orphaned
	})
}

func (g *guard) entry(e engine.Entry) {
	g.world.trace.Entries = append(g.world.trace.Entries, e)
	if e.Kind == "state" && strings.HasPrefix(e.Sentence, "cancelled") {
		g.back = true
	}
	if e.Kind == "step" && g.given != nil && !strings.HasSuffix(e.Sentence, ": done") && !strings.HasSuffix(e.Sentence, ": undone") {
		g.given[e.Node] = true
	}
}

func (g *guard) asks(a Send) {
	w := g.world
	g.fresh = true
	ask := &Goal{Handle: a.Handle, Command: a.Command, ID: a.ID, Asked: w.now}
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
	if a.Ending != engine.Succeeded || g.joined(a) {
		return
	}
	state, ok := w.net.Machine.State(r.State)
	if !ok || state.Passing {
		return
	}
	name, _, _ := w.net.Machine.Command(a.Command)
	disarms := name == "disarm" // it has no say in where nodes are
	for i, n := range w.nodes {
		truth, alive := n.truth()
		want, wanted := w.net.Want(state, i)
		wanted = wanted && !disarms
		if n.spec.Optional || n.changed() || len(n.procs) > 1 {
			continue
		}
		if n.spec.Lifecycle && wanted && ((!alive && !state.Final) || (alive && truth != want)) {
			g.fault("%s succeeds in %s while %s is %v", a.Handle, r.State, n.spec.Name, truth)
		}
		if !w.net.Arms(state, i) && n.armed() && w.net.Nodes[i].Arm != nil {
			g.fault("%s succeeds in %s while %s is armed", a.Handle, r.State, n.spec.Name)
		}
	}
}

// joined says whether the goal only gets the result of an earlier one of the same id.
func (g *guard) joined(a *Goal) bool {
	return a.ID != "" && slices.ContainsFunc(g.world.trace.Goals, func(o *Goal) bool { return o != a && o.ID == a.ID })
}

// orphan notes that the coordinator died: its goals end with it.
func (g *guard) orphan() {
	for _, a := range g.world.trace.Goals {
		a.asked = len(a.Cancels)
		if !a.Finished && !a.Rejected && !a.Orphaned {
			a.Orphaned = true
			g.open--
			g.world.happens(occurrence{kind: 'e', goal: a.Handle})
		}
	}
	g.given = nil
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
