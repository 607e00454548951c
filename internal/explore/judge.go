package explore

import (
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// Bounds of the judge.
const (
	settles   = 5 * time.Second         // an arm that takes longer after a disarm is not promised
	shownIn   = 200 * time.Millisecond  // an armed node may be shown as disarmed for so long
	askedIn   = 1200 * time.Millisecond // between two disarms of a node that may be armed
	heardIn   = 1100 * time.Millisecond // a maker whose change is followed was heard so long ago at most
	readsIn   = 1500 * time.Millisecond // a start, until it knows which processes there are
	endIn     = 250 * time.Millisecond  // from the end of a process until the daemon knows
	stopIn    = time.Second             // from a disarm until every node is asked
	linesIn   = 10 * time.Second
	lineLimit = 20
	restAfter = 2500 * time.Millisecond // after the last event that is none of rest
	spinLimit = 3000                    // events in a second of virtual time
)

// judge compares what instances do with the truth. It knows what was ordered, and looks at the processes.
type judge struct {
	sides  [2]truth
	orders uint64 // answered orders that arm or disarm, of all instances
	stops  bool   // the newest disarms
	stopAt time.Duration
	stopBy int  // the instance that it was given to
	bound  bool // the other one has known that before
	untold bool // it had lost it then, and has not found that instance again
	heard  bool // the other one has got a message of that instance since
	gone   bool // that instance has ended since, and is not back: an order that was not heard is unknown until then
	second time.Duration
	spins  int
}

// truth is what was ordered at one instance.
type truth struct {
	// An accepted goal names an armed state, and nothing since has ended what it allows.
	grant   bool
	by      string    // that goal
	used    bool      // a request that arms was sent for it
	turning bool      // an uncontested disarm has ended it, and can still be turned back
	undo    string    // that disarm
	undone  bool      // it was cancelled, or refused by a node
	peer    bool      // a change of the other instance that arms was heard, and nothing that ends it
	order   uint64    // the newest order that was accepted here
	arms    bool      // it arms
	stop    int       // the number of the newest goal that disarms
	told    int       // goals before this one were decided on before a disarm that was told since, a stop, its acknowledgement or a stall
	left    int       // goals before this one were decided on before the network was not armed any more
	forgot  bool      // this life has no journal
	named   bool      // it had the name before the newest input
	stop12  stopTruth // of rule A12
	shown   string    // the state that it showed last
	// Since when no guard lives that hears this instance; 0: one does, or it needs none.
	guardless time.Duration
	started   time.Duration
	lines     [lineLimit + 1]time.Duration // the newest, at rest
	line      int
	same      line // the newest line
	repeats   int  // how often it came in a row
}

// line is what a line of the journal is about.
type line struct {
	kind  engine.EntryKind
	event engine.EntryEvent
	node  string
	since time.Duration // when the row began
}

func (j *judge) clone() judge { return *j }

func (j *judge) begins(*world) {}

// starts notes a new life of an instance: nothing of before counts.
func (j *judge) starts(w *world, i int) {
	was := j.sides[i]
	j.gone = j.gone && i != j.stopBy
	j.sides[i] = truth{order: was.order, arms: was.arms, told: was.told, left: was.left, started: w.now, forgot: was.forgot}
	if !was.forgot { // the journal has the stop
		j.sides[i].stop12.heard = was.stop12.heard
	}
}

func (j *judge) ends(w *world, i int) {
	t := &j.sides[i]
	t.void()
	t.forgot = w.sides[i].blank
	j.gone = j.gone || j.stops && i == j.stopBy
}

func (t *truth) void() {
	t.grant, t.turning, t.undone, t.peer, t.used = false, false, false, false, false
}

// hears notes what an engine is about to hear.
func (j *judge) hears(w *world, i int, in engine.Input) {
	t, s := &j.sides[i], &w.sides[i]
	t.named = s.named
	switch in := in.(type) {
	case engine.Stalled:
		t.void()
		t.told = len(w.goals)
	case engine.Late:
		if t.used {
			t.void()
		}
	case engine.PeerLost:
		t.peer = false
	case engine.StopHeard:
		if t.stop12.hearsStop(w, in) {
			t.told = len(w.goals)
		}
	case engine.ArmAnswered:
		n := &s.nodes[in.Node]
		switch {
		case in.Arm && in.Success:
			n.proved = max(n.proved, n.armSent)
		case !in.Arm && in.Success:
			n.confirmed = w.now
		case !in.Arm:
			t.undone = t.undone || t.turning
		}
	case engine.StateRead:
		n := &s.nodes[in.Node]
		n.proved = max(n.proved, n.readSent)
	}
}

// told notes what an instance is about to hear of the other one.
func (j *judge) told(w *world, i int, in engine.Input, ended int) {
	t := &j.sides[i]
	t.told = max(t.told, ended)
	j.heard = j.heard || i != j.stopBy && w.now >= j.stopAt+hop
	switch in := in.(type) {
	case engine.PeerChanged:
		t.peer = w.armedState(i, in.Change.TargetState)
	case engine.PeerTold:
		t.peer = t.peer && w.armedState(i, in.Status.Target)
	}
}

func (w *world) armedState(i int, state string) bool {
	s, _ := w.sides[i].file.net.Machine.State(state)
	return s.Armed.Any()
}

// sees judges an effect before it is carried out.
func (j *judge) sees(w *world, i int, e engine.Effect) {
	t := &j.sides[i]
	switch e := e.(type) {
	case engine.AcceptGoal:
		j.accepts(w, i, e.Handle)
	case engine.RejectGoal:
		j.rejects(w, i, e.Handle)
	case engine.AnswerCancel:
		if e.Accepted {
			t.cancels(e.Handle)
		}
	case engine.FinishGoal:
		j.finishes(w, i, e)
	case engine.ArmNode:
		j.armsNode(w, i, e)
	case engine.ReadState:
		w.sides[i].nodes[e.Node].readSent = w.now
	case engine.CallNode:
		j.lowers(w, i, e)
	case engine.SendLease:
		j.leases(w, i, e)
	case engine.AnswerAcknowledge:
		t.stop12.acknowledges(w, e)
		if e.Accepted {
			t.told = len(w.goals)
		}
	case engine.Record:
		t.stop12.records(&w.sides[i], e.Entry)
		j.records(w, i, e.Entry)
	}
}

// cancels notes that a goal is cancelled.
func (t *truth) cancels(handle string) {
	if handle == t.by {
		t.grant = false
	}
	t.undone = t.undone || t.turning && handle == t.undo
}

// rejects judges a rejection: a disarm is never refused.
func (j *judge) rejects(w *world, i int, handle string) {
	t, s := &j.sides[i], &w.sides[i]
	if g := w.goalOf(handle); g != nil && g.command == "disarm" && t.named && !s.gone {
		w.violates("stop refused: a disarm is rejected at %s", s.file.name)
		j.ordered(w, i, g) // it is an order all the same
	}
}

// finishes judges a result.
func (j *judge) finishes(w *world, i int, e engine.FinishGoal) {
	t, g := &j.sides[i], w.goalOf(e.Handle)
	if g == nil {
		return
	}
	if !g.accepted || g.results > 0 {
		w.violates("result twice, or without acceptance: %s", g.command)
	}
	done := e.Ending == engine.Succeeded
	if e.Handle == t.by && !done {
		t.grant = false
	}
	if e.Handle == t.undo && t.turning {
		j.turned(w, i, done, e.Result.State)
	}
	if s := &w.sides[i]; done && !armsCommand(g.command) && (!g.ofDay || !s.client.down) {
		t.told = max(t.told, g.number)
	}
	if done && !armsCommand(g.command) || saysDisarmed(e.Result.Message) {
		j.saysDisarmed(w, i, g, e)
	}
}

// saysDisarmed reports whether the words of a result say that nothing is armed.
func saysDisarmed(words string) bool {
	return strings.Contains(words, "nothing was armed") || strings.Contains(words, "nothing is armed")
}

// turned notes the end of a disarm that was cancelled: it has led back to armed, or not.
func (j *judge) turned(w *world, i int, done bool, state string) {
	t := &j.sides[i]
	t.grant = t.undone && !done && state != "" && w.armedState(i, state)
	t.arms, t.turning = t.grant, false
	j.stops = j.stops && !t.grant
}

// saysDisarmed judges a result that says that nothing is armed.
func (j *judge) saysDisarmed(w *world, i int, g *goal, e engine.FinishGoal) {
	t, s := &j.sides[i], &w.sides[i]
	for k := range s.nodes {
		if n := &s.nodes[k]; (n.isArmed() || n.mayStayArmed(w)) && !t.forgets(n) {
			w.violates("false result: %s of %s ends with %q while %s is armed", g.command, s.file.name, wording(e), n.spec.Name)
		}
	}
}

// wording is the ending of a goal without what is different from run to run.
func wording(e engine.FinishGoal) string { return e.Ending.String() + " " + string(e.Result.Outcome) }

// mayStayArmed reports whether a process that is gone may have left the node armed.
func (n *node) mayStayArmed(w *world) bool { return n.energised && (n.until == 0 || w.now < n.until) }

// forgets reports whether nothing could tell this life that the node was left armed: it is not there, and the
// journal is lost.
func (t *truth) forgets(n *node) bool { return t.forgot && !n.isArmed() && n.living() == nil }

// armsNode judges a request to arm or to disarm.
func (j *judge) armsNode(w *world, i int, e engine.ArmNode) {
	t, s := &j.sides[i], &w.sides[i]
	n := &s.nodes[e.Node]
	if !e.Arms() {
		n.disarmSent = w.now
		return
	}
	n.armSent = w.now
	j.armsStopped(w, i, n)
	t.armsUnguarded(w, n)
	own := t.grant || t.turning && t.undone
	follows := t.peer && w.links[i].known != "" && w.now-w.links[i].heard <= heardIn
	if !own && !follows {
		w.violates("no grant: %s is armed", n.spec.Name)
	}
	t.used = true
	if follows && !own {
		t.arms, t.order = true, j.sides[other(i)].order
	}
	for k := range s.nodes {
		if o := &s.nodes[k]; o.mayStayArmed(w) && !t.forgets(o) && w.now-max(o.endedAt, s.awake) > endIn {
			w.violates("armed beside: %s is armed while %s may be, which an earlier process left so", n.spec.Name, o.spec.Name)
		}
	}
}

// lowers judges a step of a node: a process that has taken the name of one that was asked to arm is not lowered
// for that one. Only a client lowers it, or what the network does on the way.
func (j *judge) lowers(w *world, i int, e engine.CallNode) {
	s := &w.sides[i]
	n := &s.nodes[e.Node]
	p := n.living()
	state, _ := s.file.net.Machine.State(s.shown.State)
	down := e.Transition.Label == "deactivate" || e.Transition.Label == "cleanup" ||
		e.Transition.Target() == lifecycle.Finalized
	if !down || p == nil || p.frozen || p.asked || !p.heir || s.shown.Settled == "" || state.Passing {
		return
	}
	if slices.ContainsFunc(w.goals, func(g goal) bool { return g.command == "deactivate" && (g.accepted || g.answers == 0) }) {
		return
	}
	w.violates("successor punished: %s of %s, which was never asked to arm", e.Transition.Label, n.spec.Name)
}

// leases judges a message of the lease: it rests on the proof of every node that is armed.
func (j *judge) leases(w *world, i int, e engine.SendLease) {
	s := &w.sides[i]
	for k := range s.nodes {
		n := &s.nodes[k]
		old := n.armedSince > 0 && w.now-n.armedSince > time.Second
		if n.isArmed() && old && s.shown.State == "armed" && e.Message.Proved > n.proved {
			w.violates("lease without proof: it does not rest on %s, which is armed", n.spec.Name)
		}
	}
}

// records counts lines at rest.
func (j *judge) records(w *world, i int, e engine.Entry) {
	t := &j.sides[i]
	l := line{kind: e.Kind, event: e.Event, node: e.Node, since: t.same.since}
	if l != t.same || w.now-l.since > linesIn/10 {
		l.since, t.repeats = w.now, 0
	}
	t.same = l
	if t.repeats++; t.repeats > lineLimit/4 {
		w.violates("flood: the same line %d times in %v: %s %s %s", lineLimit/4, linesIn/10, e.Kind, e.Event, e.Node)
	}
	if w.now < w.last+restAfter {
		return
	}
	t.lines[t.line] = w.now
	t.line = (t.line + 1) % len(t.lines)
	if oldest := t.lines[t.line]; oldest >= w.last+restAfter && oldest > 0 && w.now-oldest < linesIn {
		w.violates("flood: more than %d lines in %v at rest", lineLimit, linesIn)
	}
}

// look compares the truth with what is shown, after each event.
func (j *judge) look(w *world) {
	if w.now-j.second > time.Second {
		j.second, j.spins = w.now, 0
	}
	if j.spins++; j.spins > spinLimit {
		w.violates("spins: more than %d events in a second", spinLimit)
		w.broken = true
	}
	for i := range w.sides {
		j.sides[i].looksForGuards(w, &w.sides[i])
		for k := range w.sides[i].nodes {
			j.lookAt(w, i, k)
		}
	}
}

func (j *judge) lookAt(w *world, i, k int) {
	s, t := &w.sides[i], &j.sides[i]
	n := &s.nodes[k]
	armed := n.isArmed()
	switch {
	case !armed:
		n.armedSince = 0
	case n.armedSince == 0:
		n.armedSince = w.now
	}
	n.outlives(w)
	if !s.up || s.stalled || n.spec.Arm == nil || len(s.shown.Nodes) == 0 || w.now < t.started+readsIn {
		n.amiss, n.unserved = 0, 0
		return
	}
	j.looksShown(w, i, k)
	s.looksServed(w, n)
	if !armed {
		return
	}
	j.staysArmed(w, i, n)
	j.staysStopped(w, i, n)
	j.staysGuarded(w, i, n)
	if w.now-n.armedSince > askedIn {
		j.watches(w, i, n)
	}
}

// looksShown looks whether a node that is armed is shown as one that may be.
func (j *judge) looksShown(w *world, i, k int) {
	s, t := &w.sides[i], &j.sides[i]
	n := &s.nodes[k]
	armed := n.isArmed()
	shown := s.shown.Nodes[k].Armed == engine.Disarmed
	switch {
	case !shown || !armed && (!n.mayStayArmed(w) || t.forgets(n)):
		n.amiss = 0
	case n.amiss == 0:
		n.amiss = w.now
	case w.now-n.amiss > shownIn:
		w.violates("shown disarmed: %s is armed and shown as disarmed", n.spec.Name)
	}
}

// watches looks whether an armed node is watched where the network is armed, and else is being disarmed.
func (j *judge) watches(w *world, i int, n *node) {
	s := &w.sides[i]
	switch state := s.shown.State; {
	case state == "armed":
		if w.now-max(n.readSent, n.armSent) > s.file.net.Proof+150*time.Millisecond {
			w.violates("unwatched: %s is armed and not asked for its state", n.spec.Name)
		}
	case state == "arming", state == machine.Unknown:
	case w.now-max(n.disarmSent, n.armedSince, s.awake) > askedIn && !n.settles(w):
		w.violates("not disarmed: %s is armed, the network is not, and it is not asked to disarm", n.spec.Name)
	}
}

// settles reports whether a confirmed disarm after the newest arm is young enough for another one to follow.
func (n *node) settles(w *world) bool {
	return n.confirmed > n.armSent && w.now-n.confirmed <= settles+askedIn
}

// finish judges a world at rest.
func (j *judge) finish(w *world) {
	if w.broken {
		return
	}
	for k := range w.goals {
		g := &w.goals[k]
		switch {
		case g.lost || !g.arrived || w.sides[g.side].stalled:
		case g.answers == 0 && w.sides[g.side].up:
			w.violates("no answer: %s", g.command)
		case g.accepted && g.results == 0:
			w.violates("no result: %s", g.command)
		}
	}
	for i := range w.sides {
		j.restsDisarmed(w, i)
	}
}
