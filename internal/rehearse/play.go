package rehearse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
	"rstate/internal/stepper"
)

// Result is what came of one case.
type Result struct {
	Case   Case
	State  string // in which the network ended
	Intact bool
	Goal   string        // how the last goal ended
	Ended  bool          // it has: it is neither open nor orphaned
	Took   time.Duration // from its sending to its end, in virtual time
	Says   string        // what it was told
	Missed []string      // expectations that were not met, in words
	Broken []string      // rules that were broken, which is a fault of rstate
	Life   fmt.Stringer  // all that happened; nil: Every does not keep lives that are met
	Scenes []Ended       // that ended as they expect
	Told   []string      // what a journal would say of the end of that, a line each; nil: met, or nothing happened

	Node, Step string // of Every: whose fault it is, and in which step
	Fault      Fault
}

// Ended is the end of a scene.
type Ended struct {
	Scene Scene
	At    time.Duration // since the start of the daemon, in virtual time
	Where string        // the state of the network, and whether it is not intact
}

// Met reports whether the case ended as it must.
func (r *Result) Met() bool { return len(r.Missed) == 0 && len(r.Broken) == 0 }

// Play plays every case of a script.
func Play(net *network.Network, s *Script) *Report {
	report := &Report{Network: net.File, Script: s.File}
	for _, c := range s.Cases {
		report.Results = append(report.Results, play(net, c))
	}
	return report
}

// patience is how much virtual time a case waits for the moment of a step.
const patience = time.Hour

// longest is how much virtual time a case may take, apart from the times that its script names. Recovery takes minutes
// if many nodes hang.
const longest = 6 * time.Hour

// limit is how much virtual time this case may take.
func (c *Case) limit() time.Duration {
	d := longest
	for i := range c.Nodes {
		d += c.Nodes[i].Appears
	}
	for _, part := range c.parts() {
		for _, s := range part.Do {
			d += s.Wait + s.After + s.Restart
			if s.In != "" {
				d += patience
			}
		}
	}
	return d
}

// play plays one case.
func play(net *network.Network, c Case) Result {
	l := life{net: net}
	w := simnet.New(net, simnet.Options{Seed: 1, Name: "/rstate", Scripts: l.scripts(c.Nodes), Limit: c.limit()})
	l.tell(w, c)
	trace := w.Run()
	l.untold = len(w.Untold())
	return l.judge(c, trace)
}

// life is one case while it is played.
type life struct {
	net      *network.Network
	handles  []string // of the goals that the case sends, in order
	respawns []string // of these nodes a new process starts a second after an end
	beats    []beat   // the story of the case
	places   []string // of the steps in the script
	step     int      // whose beats are added; below 0: before its steps
	open     string   // the goal that was sent and not awaited
	sent     map[string]int
	ends     []Ended // the scenes that have ended
	asked    int     // calls before the scene that runs now
	untold   int     // how many of them, from the end, did not come
	mayStay  bool    // the last beat waits for a goal that may stay open until a stepped loop ends
}

// beat is one beat of the story of a case.
type beat struct {
	simnet.Beat
	step  int    // of the case; below 0: before its steps
	waits string // for this; empty: for what a scene expects
}

// scripts says how the nodes behave.
func (l *life) scripts(list []Behaviour) map[string]simnet.Script {
	scripts := map[string]simnet.Script{}
	for i := range list {
		b := &list[i]
		s := simnet.Script{State: stateNamed(b.State), Armed: b.Armed, Born: b.Appears, Never: b.Never}
		for _, step := range steps {
			c := *b.In(step)
			switch {
			case c == Conduct{}:
			case step == "arm":
				s.Arm = replies(c)
			case step == "disarm":
				s.Disarm = replies(c)
			default:
				s.On = append(s.On, l.on(b.Node, step, c))
			}
		}
		if b.FailStep > 0 {
			s.Steps = []simnet.Step{{Phase: stepper.StepBegin, Cycle: uint64(b.FailStep), End: simnet.Refuse}}
			s = s.Once()
		}
		scripts[b.Node] = s
	}
	return scripts
}

func stateNamed(word string) lifecycle.State {
	for _, s := range []lifecycle.State{lifecycle.Inactive, lifecycle.Active, lifecycle.Finalized} {
		if s.String() == word {
			return s
		}
	}
	return lifecycle.Unconfigured
}

var ends = map[Fault]simnet.End{
	RefuseIt: simnet.Refuse, ErrIn: simnet.Err, ErrFatally: simnet.ErrFatal, DieIn: simnet.Die, Respawn: simnet.Die,
	HangIn: simnet.Hang,
}

func (l *life) on(node, step string, c Conduct) simnet.On {
	o := simnet.On{Do: step, Times: c.Times, Takes: c.Takes, End: ends[c.Does]}
	switch c.Does {
	case Unanswered:
		o.Loss = simnet.LoseAnswer
	case Respawn:
		o.Times = max(c.Times, 1)
		l.respawns = append(l.respawns, slices.Repeat([]string{node}, o.Times)...)
	}
	return o
}

// replies says how a node answers to arm or to disarm.
func replies(c Conduct) []simnet.Reply {
	r := simnet.Reply{Takes: c.Takes}
	switch c.Does {
	case HangIn:
		r.Silent = true
	case Unanswered:
		r.Mute = true
	case OK, "":
	default:
		r.No = true
	}
	if c.Times == 0 {
		return []simnet.Reply{r}
	}
	list := make([]simnet.Reply, c.Times+1) // the last stands for all that follow
	for k := range c.Times {
		list[k] = r
	}
	return list
}

// respawnIn is how long a process is away that something outside starts again.
const respawnIn = time.Second

// givenHandle is the handle of a goal that brings the network to where a case begins.
func givenHandle(k int) string { return fmt.Sprint("given ", k) }

// wayTo returns the goals that bring a network to a state: one that names the state, or else the commands. A command
// comes before a state of its name, and a goal that names a state passes through no stepped loop.
func wayTo(m *machine.Machine, state string) []string {
	_, command := m.Transition(state)
	if _, leads := m.Path(m.Initial, state); leads && !command {
		return []string{state}
	}
	if way, ok := m.PathThroughLoops(m.Initial, state); ok {
		return way
	}
	return []string{state}
}

// cut is what a step waits for that needs no moment of its own.
const cut = "the run ended"

// add adds a beat to the story.
func (l *life) add(when simnet.Moment, waits string, do simnet.Act) {
	l.beats = append(l.beats, beat{simnet.Beat{When: when, Do: do}, l.step, waits})
}

// tell makes a story of a case.
func (l *life) tell(w *simnet.World, c Case) {
	for _, node := range l.respawns {
		w.Aside(simnet.Beat{When: simnet.Died(node).Later(respawnIn), Do: simnet.Respawn{Node: node}})
	}
	l.step, l.sent = -1, map[string]int{}
	l.add(simnet.Settled(), "the network did not settle in a state", simnet.Nothing{})
	if c.Given != "" {
		when := simnet.Then()
		for k, word := range wayTo(l.net.Machine, c.Given) {
			l.add(when, cut, simnet.Send{Command: word, Handle: givenHandle(k)})
			when = simnet.Open(givenHandle(k))
		}
		l.add(when, "the network did not reach "+c.Given, simnet.Mark{})
	}
	for n, scene := range c.parts() {
		place := ""
		if len(c.Scenes) > 0 {
			place = fmt.Sprintf("scene %d: ", n+1)
		}
		for k, s := range scene.Do {
			l.step = len(l.places)
			l.places = append(l.places, fmt.Sprintf("%sdo[%d]", place, k))
			l.tellStep(s)
		}
		l.step = len(l.places)
		switch {
		case len(c.Scenes) > 0:
			if l.open != "" {
				l.add(simnet.Open(l.open), l.open+" did not end", simnet.Nothing{})
				l.open = ""
			}
			l.add(simnet.Holds(func(now *simnet.Trace) bool { return l.endsScene(now, scene) }), "", simnet.Nothing{})
		case l.open != "":
			word, _, _ := strings.Cut(l.open, " #")
			l.mayStay = StaysOpen(l.net.Machine, word)
			l.add(simnet.Over(l.open), l.open+" did not end", simnet.Nothing{})
		}
	}
	story := make([]simnet.Beat, len(l.beats))
	for k := range l.beats {
		story[k] = l.beats[k].Beat
	}
	w.Await(patience, story...)
}

// tellStep adds one step.
func (l *life) tellStep(s Step) {
	when, waits := simnet.Then().Later(s.After), cut
	switch {
	case s.In != "":
		step, node, _ := strings.Cut(s.In, " ")
		when, waits = simnet.Begun(step, node), fmt.Sprintf("%s did not begin %s", node, step)
	case s.After == 0 && l.open != "":
		when, waits, l.open = simnet.Open(l.open), l.open+" did not end", ""
	}
	acts := s.acts()
	if s.Wait != 0 {
		when = when.Later(s.Wait)
	}
	if s.Cancel != "" {
		acts = []simnet.Act{simnet.Cancel{Handle: GoalName(s.Cancel, l.sent[s.Cancel])}}
	}
	if s.Send != "" {
		l.sent[s.Send]++
		l.open = GoalName(s.Send, l.sent[s.Send])
		acts = []simnet.Act{simnet.Send{Command: s.Send, Handle: l.open, Argument: s.Argument}}
		l.handles = append(l.handles, l.open)
	}
	for _, act := range acts {
		l.add(when, waits, act)
		when = simnet.Then()
	}
}

// endsScene reports whether all holds that a scene expects, and notes its end.
func (l *life) endsScene(now *simnet.Trace, scene Scene) bool {
	missed, _ := scene.Expect.Missed(l.facts(now, now.Calls[l.asked:]))
	if len(missed) > 0 {
		return false
	}
	l.asked = len(now.Calls)
	l.ends = append(l.ends, Ended{scene, now.End, whereIn(now.Last.State, now.Last.Intact)})
	return true
}

// parts are the scenes of a case. One without scenes is one scene.
func (c *Case) parts() []Scene {
	if len(c.Scenes) > 0 {
		return c.Scenes
	}
	return []Scene{{Do: c.Do, Expect: c.Expect}}
}

// GoalName names the n-th goal of a command.
func GoalName(command string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s #%d", command, n)
	}
	return command
}

// acts are what a step does in the simulated world, apart from sending and cancelling goals.
func (s *Step) acts() []simnet.Act {
	one := func(a simnet.Act) []simnet.Act { return []simnet.Act{a} }
	switch {
	case s.Ask != "":
		step, node, _ := strings.Cut(s.Ask, " ")
		return one(simnet.Ask{Node: node, Do: step})
	case s.Kill != "":
		return one(simnet.Kill{Node: s.Kill})
	case s.Respawn != "":
		return one(simnet.Respawn{Node: s.Respawn})
	case s.Freeze != "":
		return one(simnet.Freeze{Node: s.Freeze})
	case s.Thaw != "":
		return one(simnet.Thaw{Node: s.Thaw})
	case s.Cut != "":
		return one(simnet.Part{Node: s.Cut})
	case s.Mend != "":
		return one(simnet.Join{Node: s.Mend})
	case s.Restart != 0:
		return one(simnet.Crash{DownFor: s.Restart})
	case s.Offer != "":
		return one(simnet.Advertise{Node: s.Offer})
	case s.Withdraw != "":
		return one(simnet.Advertise{Node: s.Withdraw, Not: true})
	case s.Fail != "":
		return []simnet.Act{simnet.Publish{Node: s.Fail}, simnet.Fail{Node: s.Fail}}
	case s.Repair != "":
		return []simnet.Act{simnet.Publish{Node: s.Repair, Share: 1}, simnet.Fail{Node: s.Repair, Not: true}}
	}
	return one(simnet.Nothing{})
}

// judge compares what happened with what the case expects.
func (l *life) judge(c Case, trace *simnet.Trace) Result {
	r := Result{Case: c, State: trace.Last.State, Intact: trace.Last.Intact, Broken: trace.Faults, Life: trace,
		Told: told(trace)}
	if n := len(l.handles); n > 0 {
		if g := trace.Goal(l.handles[n-1]); g != nil {
			r.Goal, r.Says = strings.TrimSpace(g.Verdict()), g.Why+g.Result.Message
			if r.Ended = g.Finished || g.Rejected; r.Ended {
				r.Took = g.Ended - g.Asked
			}
		}
	}
	miss := func(format string, args ...any) { r.Missed = append(r.Missed, fmt.Sprintf(format, args...)) }
	if c.Given != "" {
		for k, word := range wayTo(l.net.Machine, c.Given) {
			if g := trace.Goal(givenHandle(k)); g.Verdict() != "succeeded done" && g.Verdict() != "succeeded already" &&
				!StaysOpen(l.net.Machine, word) {
				miss("the network did not reach %s, where the case begins: %s", c.Given, g.Why+g.Result.Message)
				return r
			}
		}
	}
	if l.untold > 0 && !(l.untold == 1 && l.mayStay && r.Goal == Open) {
		if words := l.missed(); words != "" {
			miss("%s", words)
		}
	}
	r.Scenes = l.ends
	r.Missed = append(r.Missed, l.expects(c, trace)...)
	return r
}

// expects returns what does not hold at the end of a case, or of the first scene that has not ended.
func (l *life) expects(c Case, trace *simnet.Trace) []string {
	parts := c.parts()
	if len(l.ends) == len(parts) {
		return nil
	}
	f := l.facts(trace, trace.Calls[l.asked:])
	f.Rests = f.Rests || len(c.Scenes) == 0 // a case ends when nothing is left to wait for
	missed, _ := parts[len(l.ends)].Expect.Missed(f)
	if len(c.Scenes) > 0 {
		for k, m := range missed {
			missed[k] = fmt.Sprintf("scene %d: %s", len(l.ends)+1, m)
		}
	}
	return missed
}

// StaysOpen reports whether the goal of a word may stay open until a stepped loop ends.
func StaysOpen(m *machine.Machine, word string) bool {
	if t, command := m.Transition(word); command {
		return t.Open
	}
	to, _ := m.State(word)
	return to.Loop != machine.NoLoop
}

// missed names the step whose moment did not come. The steps after it are not done either. It is empty if a scene did
// not end as it expects.
func (l *life) missed() string {
	first := &l.beats[len(l.beats)-l.untold]
	steps := len(l.places)
	if first.step == steps || first.waits == "" {
		return first.waits
	}
	k := max(first.step, 0)
	what, after := l.places[k]+" is not done", ""
	if k < steps-1 {
		what = l.places[k] + " and the steps after it are not done"
	}
	if k > 0 {
		after = " after " + l.places[k-1]
	}
	return fmt.Sprintf("%s: %s%s", what, first.waits, after)
}

// facts is what an expectation is compared with. asked are the calls since the case or the scene began.
func (l *life) facts(trace *simnet.Trace, asked []*simnet.Call) *Facts {
	now := &trace.Last
	f := &Facts{State: now.State, Rests: now.Rests(), Intact: now.Intact, Deviations: now.Deviations, Legal: now.Legal,
		Loops: now.Loop.Runs, Step: int(now.Loop.Step), Cause: now.Cause,
		Where:   func(node string) string { return where(node, trace) },
		Verdict: func(goal string) string { return strings.TrimSpace(trace.Goal(goal).Verdict()) }}
	for _, handle := range slices.Backward(l.handles) {
		if g := trace.Goal(handle); g != nil { // the newest that was sent
			f.Says = g.Why + g.Result.Message
			break
		}
	}
	if trace.Exit != nil {
		f.Exit, f.ExitWhy = &trace.Exit.Code, trace.Exit.Why
	}
	f.Asked = func() (steps []string) {
		for _, c := range asked {
			if c.At >= trace.Marked {
				steps = append(steps, c.Do+" "+c.Node)
			}
		}
		return steps
	}
	f.Journal = func() (lines []string) {
		for _, e := range trace.Entries {
			if e.Kind == engine.EntryState {
				lines = append(lines, fmt.Sprintf("%s (%s)", e.Sentence, e.Cause))
			}
		}
		return lines
	}
	return f
}

// where is the true state of a node, in a word.
func where(name string, trace *simnet.Trace) string {
	for _, n := range trace.Last.Nodes {
		switch {
		case n.Name != name:
		case n.Armed == engine.IsArmed:
			return "armed"
		case !n.Present:
			return "gone"
		default:
			return trace.Where(name).String()
		}
	}
	return "unknown"
}
