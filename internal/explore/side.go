package explore

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"rstate/internal/dispatch"
	"rstate/internal/engine"
	"rstate/internal/latch"
	"rstate/internal/mirror"
)

// side is one instance: its daemon, its nodes, and what its journal would tell the next start.
type side struct {
	file    *file
	state   *engine.State
	life    uint64 // counts starts and ends
	up      bool
	gone    bool          // it has said Exit
	counts  time.Duration // how often it counts the topics of checks
	dead    bool          // it was killed and does not come back
	stalled bool
	late    bool          // only its loop stands still
	since   time.Duration // when its gap began
	awake   time.Duration // when it began, or went on after its newest gap
	inbox   []engine.Input
	unsent  []engine.Effect // decided before the gap, not carried out yet
	trap    trap
	client  pipe   // to the client of the day
	saw     string // what that client was shown last
	nodes   []node
	buttons []button
	guards  []guard

	last  string           // the settled state in which the journal ends
	noted []engine.Noted   // by name
	given []engine.Ordered // orders to disarm, by the lives that gave them
	blank bool             // the journal is lost

	latches []latch.Latch // stops

	said   [2]parcel // the newest message of each topic
	status mirror.Status

	shown engine.Snapshot
	news  time.Duration // when what a client decides by was last shown otherwise
	named bool
	spins int
}

// trap is a gap that begins before the next request that arms leaves.
type trap uint8

const (
	noTrap trap = iota
	trapLate
	trapStall
)

func (s *side) make(f *file) {
	s.file = f
	s.nodes = make([]node, len(f.net.Nodes))
	s.buttons = make([]button, len(f.net.Stop))
	for i := range s.nodes {
		s.nodes[i].spec, s.nodes[i].share = &f.net.Nodes[i], 1
	}
}

func (s *side) detach() {
	if s.state != nil {
		s.state = s.state.Clone()
	}
	s.inbox, s.unsent = slices.Clone(s.inbox), slices.Clone(s.unsent)
	s.nodes, s.noted = slices.Clone(s.nodes), slices.Clone(s.noted)
	s.buttons, s.guards = slices.Clone(s.buttons), slices.Clone(s.guards)
	for i := range s.nodes {
		s.nodes[i].detach()
	}
	for i := range s.buttons {
		s.buttons[i].link.detach()
	}
	for i := range s.guards {
		s.guards[i].link.detach()
	}
	s.client.detach()
}

func (s *side) instance() string { return fmt.Sprintf("%d%s", s.life, s.file.name) }

// start begins a life of the daemon.
func (w *world) start(i int) {
	s := &w.sides[i]
	s.life++
	s.up, s.gone, s.stalled, s.named = true, false, false, false
	s.inbox, s.unsent, s.shown, s.spins = nil, nil, engine.Snapshot{}, 0
	opt := engine.Options{Instance: s.instance(), Name: s.file.name, Unsure: s.blank}
	if s.blank {
		s.given, s.latches = nil, nil
	} else {
		opt.Latches = s.latches
		opt.Last, opt.Noted, opt.Ordered = s.last, slices.Clone(s.noted), s.given
	}
	s.ordered(0)
	s.blank, s.awake = false, w.now
	s.state = engine.New(s.file.net, opt)
	w.tell("%s starts; its journal ends in %q, and says that %v may be armed", s.file.name, opt.Last, opt.Noted)
	w.judge.starts(w, i)
	w.links[i] = link{}
	w.deliver(i, engine.Tick{})
	for n := range s.nodes {
		s.nodes[n].shown = false
		w.plan(found, event{kind: evGraph, side: i, node: n})
	}
	for k := range s.buttons {
		w.plan(found, event{kind: evButtonSeen, side: i, node: k, epoch: uint64(s.buttons[k].life)})
	}
	w.meet()
}

// deliver gives the daemon an input, now or after its gap.
func (w *world) deliver(i int, in engine.Input) {
	s := &w.sides[i]
	switch {
	case !s.up || w.broken:
	case s.stalled:
		s.inbox = append(s.inbox, in)
	default:
		w.feed(i, in)
	}
}

// feed steps the engine and carries its effects out.
func (w *world) feed(i int, in engine.Input) {
	w.say(i, ">", in)
	w.judge.hears(w, i, in)
	effects, ok := w.decide(i, in)
	if ok {
		w.carryAll(i, dispatch.Order(effects, w.sides[i].state))
	}
}

// decide asks the engine. A panic in it is a violation.
func (w *world) decide(i int, in engine.Input) (effects []engine.Effect, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			w.broken = true
			w.violates("panic: %v", p)
			w.tell("%s", debug.Stack())
		}
	}()
	s := &w.sides[i]
	s.state, effects = engine.Step(s.state, w.time(), in)
	return effects, true
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (w *world) time() engine.Time {
	return engine.Time{Steady: w.now, ROS: w.now, Wall: epoch.Add(w.now)}
}

// carryAll carries effects out one after another. A trap stops it before a request that arms.
func (w *world) carryAll(i int, effects []engine.Effect) {
	s := &w.sides[i]
	for k, e := range effects {
		if arm, ok := e.(engine.ArmNode); ok && arm.Arms() && s.trap != noTrap {
			late, lasts := s.trap == trapLate, 3*time.Second
			s.trap = noTrap
			s.unsent = slices.Clone(effects[k:])
			w.stall(i, lasts, late)
			return
		}
		w.carry(i, e)
	}
}

func (w *world) carry(i int, e engine.Effect) {
	w.say(i, "<", e)
	if _, waits := e.(engine.WakeAt); !waits {
		w.dull = false
	}
	w.judge.sees(w, i, e)
	s := &w.sides[i]
	switch e := e.(type) {
	case engine.ReadState:
		w.request(i, e.Node, request{what: reads, id: e.Ticket})
	case engine.CallNode:
		w.request(i, e.Node, request{what: moves, id: e.Call, do: e.Transition})
	case engine.ArmNode:
		w.request(i, e.Node, request{what: arms, id: e.Call, arm: e.Arms()})
	case engine.CallCheck:
		w.request(i, e.Node, request{what: checks, id: e.Ticket, check: e.Check})
	case engine.SendLease:
		w.leases(i, e.Message)
	case engine.CountTopics:
		w.unplan(i, evCount)
		if s.counts = e.Every; s.counts > 0 {
			w.plan(0, event{kind: evCount, side: i})
		}
	case engine.Show:
		w.show(i, e)
	case engine.Record:
		s.journal(e.Entry)
	case engine.SyncJournal:
		w.plan(hop, event{kind: evInput, side: i, life: s.life, in: engine.JournalSynced{Ticket: e.Ticket}})
	case engine.TakeName:
		s.named = true
	case engine.WakeAt:
		w.replan(i, e.Steady)
	default:
		w.carryOut(i, e)
	}
}

// show publishes what a side shows.
func (w *world) show(i int, e engine.Show) {
	s := &w.sides[i]
	state, seen := s.shown.State, s.shown.Seen
	if e.Snapshot != nil {
		s.shown = *e.Snapshot
	} else {
		s.shown = s.state.Snapshot()
	}
	if s.shown.State != state || s.shown.Seen != seen {
		s.news = w.now
	}
	w.saw(i)
	w.judge.shows(w, i)
}

// stops forgets what a side would do at regular intervals.
func (w *world) stops(i int) {
	for _, kind := range []kind{evWake, evCount, evStatus} {
		w.unplan(i, kind)
	}
}

// unplan forgets the event of a kind of which a side has one at most.
func (w *world) unplan(i int, kind kind) {
	w.queue = slices.DeleteFunc(w.queue, func(e event) bool { return e.kind == kind && e.side == i })
}

// replan replaces the wish of a side to be woken.
func (w *world) replan(i int, at time.Duration) {
	w.unplan(i, evWake)
	w.plan(max(at-w.now, 0), event{kind: evWake, side: i})
}

// carryOut carries out what goes to clients, peers and the outside.
func (w *world) carryOut(i int, e engine.Effect) {
	s := &w.sides[i]
	switch e := e.(type) {
	case engine.PublishChange:
		w.publishes(i, e.Change)
	case engine.TellPeers:
		w.tells(i, e.Status)
	case engine.AcceptGoal:
		w.answered(e.Handle, true)
	case engine.RejectGoal:
		w.answered(e.Handle, false)
	case engine.FinishGoal:
		if g := w.goalOf(e.Handle); g != nil {
			g.results++
		}
		w.hasten()
	case engine.Exit:
		s.up, s.gone = false, true
		w.stops(i)
		w.leaves(i, 2*hop)
		w.hasten()
	}
}

func (w *world) answered(handle string, accepted bool) {
	if g := w.goalOf(handle); g != nil {
		g.answers++
		g.accepted = accepted
	}
	w.hasten()
}

func (w *world) goalOf(handle string) *goal {
	for k := len(w.goals) - 1; k >= 0; k-- {
		if w.goals[k].handle == handle {
			return &w.goals[k]
		}
	}
	return nil
}

// ordered notes how many orders to disarm this life has given.
func (s *side) ordered(n uint64) {
	given := slices.DeleteFunc(slices.Clone(s.given), func(o engine.Ordered) bool { return o.Instance == s.instance() })
	s.given = append(given, engine.Ordered{Instance: s.instance(), N: n})
}

// journal keeps what the next start reads.
func (s *side) journal(e engine.Entry) {
	if e.Kind == engine.EntryState {
		s.last = ""
		if e.Event == engine.EventSettled {
			s.last = e.State
		}
	}
	if e.Orders > 0 {
		s.ordered(e.Orders)
	}
	if e.Kind == engine.EntryStop {
		s.remember(e.Latch)
	}
	if e.Kind != engine.EntryNode {
		return
	}
	at, is := slices.BinarySearchFunc(s.noted, e.Node, func(o engine.Noted, name string) int {
		return strings.Compare(o.Node, name)
	})
	note := engine.Noted{Node: e.Node, Lease: e.Disarm.Lease, Proof: e.Disarm.Proof, Open: !e.Disarm.Armed}
	switch {
	case e.Event == engine.EventMayBeArmed && is:
		s.noted[at] = note
	case e.Event == engine.EventMayBeArmed:
		s.noted = slices.Insert(s.noted, at, note)
	case e.Event == engine.EventDisarmed && is:
		s.noted = slices.Delete(s.noted, at, at+1)
	}
}

// stall begins a gap, of the process or of its loop alone.
func (w *world) stall(i int, lasts time.Duration, late bool) {
	s := &w.sides[i]
	s.stalled, s.late, s.since = true, late, w.now
	w.plan(lasts, event{kind: evResume, side: i, life: s.life})
	if !late {
		w.fallsSilent(i)
	}
}

// resume ends a gap: what was decided before is carried out, but for what must not be after a gap.
func (w *world) resume(e event) {
	s := &w.sides[e.side]
	if !s.up || !s.stalled || s.life != e.life {
		return
	}
	gap := w.now - s.since
	unsent, inbox := s.unsent, s.inbox
	s.stalled, s.unsent, s.inbox, s.awake = false, nil, nil, w.now
	var dropped []engine.Effect
	for _, e2 := range unsent {
		if engine.Perishable(e2) {
			dropped = append(dropped, e2)
			continue
		}
		w.carry(e.side, e2)
	}
	if s.late {
		w.deliver(e.side, engine.Late{For: gap, Unsent: dropped})
	} else {
		w.deliver(e.side, engine.Stalled{For: gap, Still: gap})
	}
	for _, in := range inbox {
		w.deliver(e.side, in)
	}
	w.meet()
}

// kill ends the daemon at once. It starts again after a while, unless that is 0.
func (w *world) kill(i int, again time.Duration) {
	s := &w.sides[i]
	s.up, s.stalled, s.dead, s.trap = false, false, again == 0, noTrap
	s.life++
	for k := range w.goals {
		g := &w.goals[k]
		g.lost = g.lost || g.side == i && g.results == 0 && g.arrived
	}
	w.stops(i)
	w.leaves(i, lively)
	if again > 0 {
		w.plan(again, event{kind: evStart, side: i})
	}
	w.hasten()
	w.judge.ends(w, i)
}
