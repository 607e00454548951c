package rehearse

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
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
	Scene  Scene
	At     time.Duration // since the start of the daemon, in virtual time
	State  string        // of the network
	Intact bool
}

// lasted is how long the scenes of the case took, or its last goal if it has none.
func (r *Result) lasted() time.Duration {
	if n := len(r.Scenes); n > 0 {
		return r.Scenes[n-1].At
	}
	return r.Took
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
	w := simnet.New(net, simnet.Options{Seed: 1, Name: "/rstate", Scripts: l.scripts(c.Nodes), Limit: c.limit(),
		Guards: guardsOf(net)})
	l.giveUp = w.GiveUp
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
	ends     []Ended  // the scenes that have ended
	asked    int      // calls before the scene that runs now
	lost     []string // what its scene expects, and can never hold
	giveUp   func()
	untold   int  // how many of them, from the end, did not come
	mayStay  bool // the last beat waits for a goal that may stay open until a stepped loop ends
}

// beat is one beat of the story of a case.
type beat struct {
	simnet.Beat
	step  int    // of the case; below 0: before its steps
	waits string // for this; empty: for what a scene expects
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
	l.add(simnet.Settled(), "the network did not settle in a state", simnet.Mark{Journal: true})
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

// endsScene reports whether all holds that a scene expects, and notes its end. It gives the case up if waiting does not
// help.
func (l *life) endsScene(now *simnet.Trace, scene Scene) bool {
	missed, lasts := scene.Expect.Missed(l.facts(now, now.Calls[l.asked:]))
	if lasts {
		l.lost = missed
		l.giveUp()
	}
	if len(missed) > 0 {
		return false
	}
	l.asked = len(now.Calls)
	l.ends = append(l.ends, Ended{scene, now.End, now.Last.State, now.Last.Intact})
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
