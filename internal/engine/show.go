package engine

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/clean"
	"rstate/internal/lifecycle"
)

// The published state of an instance: what it holds, how it is made, and when it is shown.

// report is what snapshots show besides the nodes.
type report struct {
	results []NodeResult // of the last work, by node
	refusal Refusal      // the newest, unless a goal was accepted since
	failure Failure      // the newest, unless a goal that was begun later has succeeded
	cause   string       // of the last change
	console string       // why the log cannot be read any more; empty: it can
	shown   string       // the network's state in the last Show
	era     uint64       // in the last Show with a snapshot
	unseen  bool         // a command ran without a passing state in the last Show
	forged  forgeries    // leases that were refused
	peers   lines        // lines about peers in the journal
}

// Snapshot returns everything that may be shown. What it holds is a copy.
func (s *State) Snapshot() Snapshot {
	snap := Snapshot{
		State: s.judge.State(), Settled: s.settled, Intact: s.intact() && s.loop.fault == "",
		Deviations: s.deviationsShown(), Work: s.workView(),
		Nodes: make([]NodeView, len(s.nodes)), Seen: s.Seen(), Refusal: s.report.refusal, Failure: s.report.failure,
		Cause:    s.report.cause,
		ProofAge: -1, Lease: LeaseView{Term: s.hold.lease.Term()}, Warnings: s.warnings(), Clock: s.clock.mode(),
		Peers: PeersView{All: s.peers.peerViews(&s.agenda), Common: s.peers.book.Target(),
			Behind: s.behind() && !s.peers.alone(), Seen: s.peers.book.Seen()},
		ArmedLeftovers: s.hold.armedLeftovers(), OpenGoals: s.openGoals(), Loop: s.loopView(), Outcome: s.outcome().String(),
		Stall: s.gap.newestStall, Stops: s.stopsView(), Readiness: s.Readiness(), Checks: s.checkViews(),
	}
	snap.Legal, snap.Barred = s.legal()
	snap.Lease.Age, snap.Lease.Left = s.hold.leaseAges(&s.agenda)
	snap.Guards = s.guardViews()
	snap.Waiting = s.waits()
	if s.settled == "" {
		snap.Waiting = s.waitingFor()
	}
	for i := range s.nodes {
		snap.Nodes[i] = s.view(i)
		if age := snap.Nodes[i].ProofAge; !s.nodes[i].spec.Optional {
			snap.ProofAge = max(snap.ProofAge, age)
		}
	}
	return snap
}

func (co *course) workView() WorkView {
	w := co.work
	if w == nil {
		return WorkView{}
	}
	v := WorkView{
		Target: w.target, Command: w.command, By: w.by, Recovery: co.recovery(w), Elapsed: co.now.Steady - w.since,
		Done: co.done(), Total: w.parts.total,
	}
	v.TimeLeft, v.Held = co.timeLeft()
	if w.goal != nil {
		v.GoalID, v.Client = clean.Text(w.goal.id()), w.goal.who
	}
	return v
}

func (co *course) view(i int) NodeView {
	n := &co.nodes[i]
	v := NodeView{
		Name: n.spec.Name, State: n.state, Present: n.there(), Count: n.count, Optional: n.spec.Optional,
		Lifecycle: n.spec.Lifecycle, CanArm: n.spec.Arm != nil, Armed: n.arm.Belief(), Deviates: n.place.deviant,
		SeenAt: n.at, ServedBy: n.servedBy(),
		Failing: co.failingNow(i), ProofAge: -1, Report: n.reading.reported.word, Reports: n.reading.reported.count,
	}
	if age, ok := co.proofAge(i); ok {
		v.ProofAge = age
	}
	if n.reading.monitor.unresponsive {
		v.Silent = unresponsiveWords
	}
	switch {
	case n.call != nil:
		v.Doing = n.call.Do.Label
	case !n.arm.Open() || n.state == lifecycle.Finalized: // that ends what it was asked before
	case n.arm.ToDisarm():
		v.Doing = "disarm"
	default:
		v.Doing = "arm"
	}
	if l := &n.part; co.work != nil && l.open() && l.again.tries > 0 {
		v.Doing = fmt.Sprintf("%s again (%d of %d)", l.result.did, l.again.tries, n.spec.Retry.Of(l.result.did))
	}
	if l := &n.part; v.Doing != "" && co.work != nil && l.open() && l.deadline.set {
		v.TimeLeft, v.Held = co.left(l.deadline), co.held(l.deadline)
	}
	return v
}

// warnings lists what the user should know although it stops nothing.
func (s *State) warnings() []string {
	list := append(s.hold.leftoverWarnings(), append(s.nameWarnings(), s.peerWarnings()...)...)
	if s.disk.journal != "" {
		list = append(list, s.disk.journal)
	}
	if s.report.console != "" {
		list = append(list, s.report.console)
	}
	if s.report.forged.shown {
		list = append(list, forgedWarning)
	}
	if s.clock.silent {
		list = append(list, noClock)
	}
	if why := s.loop.twoClocks(); why != "" {
		list = append(list, why)
	}
	if why := s.undead(); why != "" {
		list = append(list, why)
	}
	if why := s.unwatched(); why != "" {
		list = append(list, why)
	}
	return append(list, s.checkWarnings()...)
}

// show notes that a snapshot would differ from the last one. A new era is shown in the step in which it begins: the
// client of a disarm that reads `seen` after its result must find the new one.
func (s *State) show() {
	era := s.grants.Era()
	switch {
	case s.closing.gone:
	case era != s.report.era:
		s.report.era = era
		snap := s.Snapshot()
		s.do(Show{Snapshot: &snap})
	case s.changed:
		s.do(Show{})
	}
	s.changed = false
}

// showState shows a change of the network's state at that moment, so that a state within one step
// is published too.
func (s *State) showState() {
	state, unseen := s.judge.State(), s.movesUnseen()
	moves := unseen != s.report.unseen
	s.report.unseen = unseen
	switch {
	case state != s.report.shown:
		s.report.shown, s.peers.untold = state, true
		snap := s.Snapshot()
		s.do(Show{State: state, Snapshot: &snap})
	case moves:
		snap := s.Snapshot()
		s.do(Show{Snapshot: &snap})
	default:
		s.changed = true
		return
	}
	s.changed, s.report.era = false, s.grants.Era()
}

// movesUnseen reports whether a command runs and the network shows no passing state for it.
func (co *course) movesUnseen() bool {
	state, _ := co.machine.State(co.judge.State())
	return co.work != nil && co.work.command != "" && !state.Passing
}

func (st *standing) setCause(command string, g *goal, why string) {
	switch {
	case g == nil:
		st.report.cause = command + ": " + why
	case g.reason != "":
		st.report.cause = fmt.Sprintf("%s was asked for by %s: %s", g.asked, g.who, g.reason)
	default:
		st.report.cause = g.asked + " was asked for by " + g.who
	}
}

// Snapshot is the whole published state of an instance at one moment.
type Snapshot struct {
	State          string // of the network: a state of its machine, or unknown
	Settled        string // the last one that was not passing
	Intact         bool
	Deviations     []string
	Work           WorkView // zero at rest
	Nodes          []NodeView
	Seen           string // what a goal that arms has to bring: this run and the present era
	Legal          []string
	Barred         []Barred // what the state allows, and what stands against it
	Refusal        Refusal
	Failure        Failure
	Cause          string        // of the last change
	Waiting        []string      // what a start or a rollback waits for
	ProofAge       time.Duration // of the oldest required proof; negative: there is none
	Lease          LeaseView
	Guards         []GuardView
	Warnings       []string // what the user should know although it stops nothing
	Clock          ClockMode
	Peers          PeersView
	ArmedLeftovers []string // nodes outside this network that an earlier run may have left armed
	OpenGoals      []string // goals that are done here and wait for peers or for the loop to stop
	Loop           LoopView
	Outcome        string // of the simulation; empty: it is undecided, or the machine has none
	Stall          string // the newest time in which the process did not run; empty: there was none
	Stops          StopsView
	Readiness      Readiness
	Checks         []CheckView // all, in the order of the file
}

// Rests reports whether the network has settled and no command runs. A command without a passing state
// shows its origin.
func (s *Snapshot) Rests() bool {
	return s.Settled != "" && s.State == s.Settled && s.Work.Target == ""
}

// Accompanied reports whether a peer lives that follows this network: it may arm what this network
// cannot.
func (s *Snapshot) Accompanied() bool {
	return slices.ContainsFunc(s.Peers.All, func(p PeerView) bool { return p.Alive && p.SameMachine && !p.Leaving })
}

// NodeView is one node in a snapshot.
type NodeView struct {
	Name      string
	State     lifecycle.State // Unknown: this process was not heard yet
	Present   bool
	Count     int
	Optional  bool
	Lifecycle bool
	CanArm    bool
	Armed     ArmBelief
	ServedBy  string        // the node that the file names as that which serves its arm; empty: itself
	Deviates  string        // why it is not as the network's state says; empty: it is
	Silent    string        // that it is unresponsive (S5), in words; empty: it is responsive
	Doing     string        // the running step; empty: none
	TimeLeft  time.Duration // to that step's deadline; 0: it has none
	Held      bool          // a clock that stands still holds that deadline
	SeenAt    time.Duration
	Failing   []string      // checks that do not pass, each with its reason
	ProofAge  time.Duration // of the newest read, if the node is probed; negative: none
	Report    string        // the sub-state that its present process reported last; empty: none
	Reports   int           // how often in a row
}

// WorkView is the running transition in a snapshot.
type WorkView struct {
	Target      string
	Command     string // empty: the work has none
	By          Origin
	Client      string // the client that asked; empty: no client waits
	GoalID      string // as the client chose it
	Recovery    string // the rung that runs: restore, unconfigure or shutdown; empty: none
	Elapsed     time.Duration
	Done, Total int
	TimeLeft    time.Duration // longest time that it can still take by the deadlines of its nodes
	Held        bool          // a clock that stands still holds one of them
}

// LeaseView is the held lease in a snapshot.
type LeaseView struct {
	Term uint64        // 0: none is held
	Age  time.Duration // of its newest message; negative: none is held
	Left time.Duration // until it ends if it is not renewed; negative: none is held
}

// PeersView is what a snapshot says of peers, and of the changes that they have made.
type PeersView struct {
	All    []PeerView // by name
	Common string     // the common target; empty: nothing has happened yet
	Behind bool       // the network is not in Common, and not on its way there
	Seen   []Seen
}

// PeerView is another instance of the simulation, as this one sees it.
type PeerView struct {
	// Instance is empty if the peer sends only four fields, or was never heard.
	Name, Instance string
	Required       bool // the network file asks for it
	Alive          bool
	SameMachine    bool
	State          string
	Settled        bool
	Intact         bool
	Target         string // the state to which its known changes lead
	Behind         bool
	Leaving        bool
	Seen           []Seen
	Nodes          []string
	// How long it took, or has taken so far, to follow our newest change; negative: there is none.
	Lag   time.Duration
	Age   time.Duration // of its newest message; negative: there is none
	Cause string        // why it is not as it should be; may be empty
}

// Refusal is a command that was rejected. Zero: none was since the last accepted one.
type Refusal struct {
	Command string
	Why     string // with the legal commands
	By      Origin
	Client  string // the client that asked
	Handle  string
	At      time.Time // wall clock
}
