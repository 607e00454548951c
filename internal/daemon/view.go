package daemon

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	"rstate/internal/httpapi"
	"rstate/internal/journal"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

// What clients over HTTP are shown: the engine's snapshot in the types of httpapi.

// whose is what a snapshot does not say of its instance.
type whose struct {
	net                            *network.Network
	name, instance, version, owner string
	created                        time.Time
	ended                          bool
}

// simulation returns everything about an instance.
func (w *whose) simulation(s *engine.Snapshot, now time.Time) httpapi.Simulation {
	m := w.net.Machine
	v := httpapi.Simulation{
		Summary: httpapi.Summary{
			ID: w.net.Simulation, Name: w.name, Run: w.instance, Machine: m.Name, State: s.State, Settled: s.Rests(),
			Intact: s.Intact,
			Ended:  w.ended, MayBeArmed: slices.Clone(s.ArmedLeftovers), Cause: s.Cause, Outcome: s.Outcome, Owner: w.owner,
			Created: w.created,
		},
		Version: w.version, MachineHash: m.Hash(), Target: s.State, Seen: s.Seen, Progress: progressOf(s),
		Warnings: s.Warnings, Stamp: now, Data: dataNames(w.net), Readiness: string(s.Readiness.Word), Disarm: disarmOf(m),
		Authority: w.net.Arming.SecretFile != "",
	}
	if l := s.Loop; w.net.Loop != nil {
		v.Loop = &httpapi.Loop{Phase: l.Phase, Step: l.Step, Time: l.Now.Seconds(), Rate: l.Rate, Overruns: l.Overruns,
			Fault: l.Fault, Recordings: l.Recordings}
		for _, t := range l.Times {
			v.Loop.Participants = append(v.Loop.Participants, httpapi.Participant{Node: t.Node, Phase: t.Phase.String(),
				Count: t.Count, Mean: t.Mean.Seconds(), Max: t.Max.Seconds(), Last: t.Last.Seconds()})
		}
	}
	if s.Work.Target != "" {
		v.Target = s.Work.Target
	}
	w.showCommands(&v, s)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		v.Nodes = append(v.Nodes, w.node(i, n, s))
		if n.Deviates != "" {
			v.Deviations = append(v.Deviations, w.deviation(i, n, s))
		}
		if n.Armed != engine.Disarmed {
			v.MayBeArmed = append(v.MayBeArmed, n.Name)
		}
	}
	if l := s.Lease; l.Term != 0 && l.Age >= 0 {
		v.Lease = &httpapi.Lease{Term: l.Term, Age: l.Age.Seconds(), Left: l.Left.Seconds()}
	}
	if f := s.Failure; f.Command != "" {
		v.Failure = &httpapi.Failure{
			Command: f.Command, Origin: string(f.By), Client: f.Client, Outcome: string(f.Outcome), From: f.From,
			Cause: f.Why, Stamp: f.At,
		}
	}
	if r := s.Refusal; r.Why != "" {
		v.Refusal = &httpapi.Refusal{Command: r.Command, Why: r.Why, Client: r.Client, Stamp: r.At}
	}
	for _, p := range s.Peers.All {
		v.Peers = append(v.Peers, httpapi.Peer{
			Name: p.Name, Required: p.Required, Alive: p.Alive, State: p.State, Target: p.Target, Intact: p.Intact,
			Behind: p.Behind, Cause: p.Cause,
		})
	}
	showArming(&v, s)
	return v
}

// showCommands shows the commands that are legal now, and all others with the reason why they are not.
func (w *whose) showCommands(v *httpapi.Simulation, s *engine.Snapshot) {
	m := w.net.Machine
	if !w.ended {
		for _, name := range s.Legal {
			v.Commands = append(v.Commands, commandOf(m, name, s.Settled))
		}
	}
	for _, t := range m.Commands() {
		c := commandOf(m, t.Name, s.Settled)
		c.To = cmp.Or(c.To, t.To)
		switch {
		case w.ended:
			c.WhyNot = "the network has ended"
		case !slices.Contains(s.Legal, t.Name):
			c.WhyNot = whyNot(t, s)
		}
		v.AllCommands = append(v.AllCommands, c)
	}
}

// whyNot says why a command is not legal now.
func whyNot(t machine.Transition, s *engine.Snapshot) string {
	if i := slices.IndexFunc(s.Barred, func(b engine.Barred) bool { return b.Command == t.Name }); i >= 0 {
		return s.Barred[i].Why
	}
	switch {
	case !s.Rests():
		return "not while the network is " + s.State
	case len(t.From) > 0 && !slices.Contains(t.From, s.Settled):
		return "legal in: " + strings.Join(t.From, ", ")
	}
	return "not now"
}

// showArming shows what stands against arming, and what arming rests on.
func showArming(v *httpapi.Simulation, s *engine.Snapshot) {
	for _, o := range s.Readiness.Against {
		v.Obstacles = append(v.Obstacles, httpapi.Obstacle{Name: o.Node, Why: o.Why, Do: o.Do,
			Measuring: o.Kind == engine.Measured})
	}
	for _, c := range s.Checks {
		k := httpapi.Check{
			Name: c.Node, Subject: c.Subject, Kind: c.Kind, Value: c.Value, Known: c.Known, Passes: c.Passes(),
			Fault: c.Fault, Do: c.Do, When: c.When, Warn: c.Warn,
		}
		if c.Number.Kind == network.NumberScalar {
			k.Number = &c.Number.Number
		}
		v.Checks = append(v.Checks, k)
	}
	for _, g := range s.Guards {
		v.Guards = append(v.Guards, httpapi.Guard{ID: g.ID, Nodes: g.Nodes, Alive: g.Lives, Age: g.Age.Seconds(),
			Cause: g.Fault})
	}
	v.Stops = stopsOf(&s.Stops)
}

// commandOf describes a command as it is from the state.
func commandOf(m *machine.Machine, name, from string) httpapi.Command {
	t, _ := m.Transition(name)
	to, _ := m.Target(name, from)
	return httpapi.Command{Name: name, To: to, Arms: m.Arms(machine.ReadWord(name)), Ends: m.CanEnd(name),
		Role: string(t.Role)}
}

// askedOf is an order as a machine understands it.
func askedOf(m *machine.Machine, o httpapi.Order) httpapi.Asked {
	word := machine.ReadWord(o.State)
	t, ok := m.Commanded(word)
	return httpapi.Asked{
		Word: word, Arms: m.Arms(word), Disarms: ok && m.Disarms(t.Name),
		Argument: o.Argument, Reason: o.Reason, ID: o.ID, Authority: o.Authority, Seen: o.Seen,
	}
}

// ended reports whether an order asks for the final state that an instance is in. Nothing leaves that
// state, so it does not matter how old the snapshot is.
func ended(m *machine.Machine, s *engine.Snapshot, asked machine.Word) bool {
	name, isState, ok := m.Command(asked)
	if here, _ := m.State(s.Settled); !ok || !here.Final || s.State != s.Settled {
		return false
	}
	return name == s.Settled || !isState && m.Repeats(name, s.Settled)
}

// alreadyEnded is the result of such an order. As with every order, it has not succeeded while a node
// may be armed.
func alreadyEnded(v httpapi.Simulation) httpapi.Result {
	if len(v.MayBeArmed) > 0 {
		return httpapi.Result{Outcome: string(engine.OutcomeHeld), State: v.State,
			Message: "the network is " + v.State + "; not confirmed to be disarmed: " +
				strings.Join(v.MayBeArmed, ", ")}
	}
	return httpapi.Result{Success: true, Outcome: string(engine.OutcomeAlready), State: v.State,
		Message: "the network is " + v.State + " already"}
}

func progressOf(s *engine.Snapshot) *httpapi.Progress {
	t := &s.Work
	if t.Target == "" {
		return nil
	}
	p := &httpapi.Progress{
		Command: t.Command, Origin: string(t.By), Client: t.Client, From: s.Settled, Via: s.State, Recovery: t.Recovery,
		Done: t.Done, Total: t.Total, WaitingFor: s.Waiting, Elapsed: t.Elapsed.Seconds(),
	}
	if !t.Held {
		p.TimeLeft = seconds(t.TimeLeft)
	}
	return p
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}

func (w *whose) node(i int, n *engine.NodeView, s *engine.Snapshot) httpapi.Node {
	spec := &w.net.Nodes[i]
	v := httpapi.Node{
		Name: n.Name, After: spec.After, Lifecycle: n.Lifecycle, Optional: n.Optional, Present: n.Present,
		State: n.State.String(), Expected: w.expected(i, n, s).String(),
		Armable: n.CanArm, Armed: n.Armed == engine.IsArmed, MayBeArmed: n.Armed != engine.Disarmed,
		Running: n.Doing, Failing: n.Failing, Report: n.Report, Cause: n.Deviates,
	}
	if n.Silent != "" {
		v.Cause = n.Silent
		if n.Deviates != "" {
			v.Cause = n.Deviates + "; " + n.Silent
		}
	}
	if spec.Arm != nil {
		v.DeadMan, v.ArmServedBy = string(spec.Arm.DeadMan), n.ServedBy
	}
	if n.ProofAge >= 0 {
		v.ProofAge = seconds(n.ProofAge)
	}
	if n.Doing != "" && !n.Held {
		v.TimeLeft = seconds(n.TimeLeft)
	}
	return v
}

// expected is what the target of the running transition, or else the settled state, asks of the node.
func (w *whose) expected(i int, n *engine.NodeView, s *engine.Snapshot) lifecycle.State {
	name := s.Settled
	if s.Work.Target != "" {
		name = s.Work.Target
	}
	state, ok := w.net.Machine.State(name)
	if !ok || !n.Lifecycle {
		return lifecycle.Unknown
	}
	want, _ := w.net.WantAt(state, i, n.State)
	return want
}

func (w *whose) deviation(i int, n *engine.NodeView, s *engine.Snapshot) httpapi.Deviation {
	d := httpapi.Deviation{
		Name: n.Name, Expected: w.expected(i, n, s).String(), Found: n.State.String(), Optional: n.Optional,
		Cause: n.Deviates,
	}
	if !n.Lifecycle {
		d.Expected = "present"
	}
	if !n.Present {
		d.Found = "lost"
	}
	return d
}

// resultOf is the result of a goal.
func resultOf(r *engine.Result) httpapi.Result {
	v := httpapi.Result{
		Success: r.Success, Outcome: string(r.Outcome), Message: r.Message, State: r.State,
		Elapsed: r.Elapsed.Seconds(),
	}
	for _, n := range r.Nodes {
		v.Nodes = append(v.Nodes, httpapi.NodeResult{
			Name: n.Node, Step: n.Step, Verdict: string(n.Verdict), Evidence: n.Evidence,
			From: n.From.String(), State: n.State.String(), Elapsed: n.Elapsed.Seconds(),
		})
	}
	return v
}

// newest is how many entries of the history a client gets by default.
const newest = 100

// newestLines reads the newest lines of a journal that the filter lets through and that are of a kind, if one is given.
func newestLines(dir string, filter journal.Filter, kind string, last uint32) ([]journal.Line, journal.Report) {
	if last == 0 {
		last = newest
	}
	historyReaders <- struct{}{}
	defer func() { <-historyReaders }()
	return journal.Newest(dir, func(l *journal.Line) bool {
		return filter.Wants(l) && (kind == "" || l.Kind.Group() == kind)
	}, int(min(last, mostNewest)))
}

// mostNewest is how many entries of the history a client gets at most.
const mostNewest = 10000

// historyReaders has a place for each client whose history is read; the others wait.
var historyReaders = make(chan struct{}, 4)

// entryOf is a line of the journal.
func entryOf(l *journal.Line) httpapi.Entry {
	e := httpapi.Entry{
		Stamp: l.At, Run: l.Instance, N: l.N, Kind: l.Kind.Group(), Command: l.Command, GoalID: l.Goal,
		Client: l.Client, Node: l.Node,
		Verdict: l.Verdict, Text: l.Text(), Step: l.Step,
	}
	if l.Event == journal.EventDone || l.Event == journal.EventFinished {
		e.Took = seconds(l.Took)
	}
	if l.Kind == journal.KindGoal {
		e.Verdict = l.Outcome
	}
	if l.Kind == journal.KindState {
		e.From, e.To = l.From, l.State
	}
	return e
}

// whyOf is a tree of the journal.
func whyOf(t journal.Tree) httpapi.Why {
	w := httpapi.Why{At: t.At, Node: t.Node, Text: t.Text, Try: t.Try}
	for _, child := range t.Because {
		w.Because = append(w.Because, whyOf(child))
	}
	return w
}

// disarmOf is the command that disarms; empty: the machine has no armed state.
func disarmOf(m *machine.Machine) string {
	for _, s := range m.States {
		if t, ok := m.Disarm(s.Name); ok && s.Armed.Any() {
			return t.Name
		}
	}
	return ""
}

// dataNames lists the data of a network.
func dataNames(n *network.Network) []string {
	var names []string
	for _, d := range n.Data {
		names = append(names, d.Name)
	}
	return names
}
