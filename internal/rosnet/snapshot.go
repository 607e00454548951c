//go:build ros

package rosnet

import (
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// unknownAge is the age of a proof that there is none of, and how long is left of what is held.
const unknownAge = -time.Second

// describe puts a snapshot into the words of ~/state.
func (w *World) describe(s engine.Snapshot, now time.Time) *rstate_msgs_msg.InstanceState {
	m := rstate_msgs_msg.NewInstanceState()
	m.Simulation, m.Name, m.InstanceId, m.Version = w.net.Simulation, w.name, w.instance, w.version
	m.Machine, m.MachineHash = w.machine.Name, w.hash
	m.State, m.Settled, m.Intact = networkState(w.machine, s.State), s.Rests(), s.Intact
	m.Target, m.Cause = m.State, s.Cause
	if s.Work.Target != "" {
		m.Target = networkState(w.machine, s.Work.Target)
	}
	w.fillProgress(&m.Progress, s)
	for _, n := range s.Nodes {
		m.Nodes = append(m.Nodes, w.nodeView(n, s))
		w.fillDeviation(m, n, s)
		if n.Armed == engine.IsArmed {
			m.Armed = append(m.Armed, n.Name)
		}
		if n.Armed == engine.IsArmed || n.Armed == engine.MayBeArmed {
			m.MayBeArmed = append(m.MayBeArmed, n.Name)
		}
	}
	m.MayBeArmed = append(m.MayBeArmed, s.ArmedLeftovers...)
	m.ProofAge, m.LeaseTerm, m.LeaseAge, m.LeaseLeft = age(s.ProofAge), s.Lease.Term, age(s.Lease.Age),
		age(s.Lease.Left)
	m.Seen, m.Legal, m.Reachable = s.Seen, s.Legal, w.reachable(&s)
	w.fillTroubles(m, s)
	m.Warnings, m.OpenGoals = s.Warnings, s.OpenGoals
	for _, p := range s.Peers.All {
		m.Peers = append(m.Peers, w.peerView(p))
	}
	m.ChangesSeen, m.Common, m.Behind = seenMessage(s.Peers.Seen), networkState(w.machine, s.Peers.Common), s.Peers.Behind
	m.Clock = clockWord(s.Clock)
	describeLoop(m, &s.Loop)
	m.Outcome = s.Outcome
	for _, g := range s.Guards {
		m.Guards = append(m.Guards, guardView(g))
	}
	describeStops(m, &s.Stops)
	describeReadiness(m, &s)
	m.Stamp = stamp(now)
	return m
}

// fillTroubles tells of what was refused and of what failed.
func (w *World) fillTroubles(m *rstate_msgs_msg.InstanceState, s engine.Snapshot) {
	if r := s.Refusal; r.Why != "" {
		m.Refused, m.Refusal, m.RefusedClient, m.RefusedAt = r.Command, r.Why, r.Client, stamp(r.At)
		if r.By == engine.ByGoal {
			m.RefusedGoal = r.Handle
		}
	}
	if f := s.Failure; f.Command != "" {
		m.LastFailure = rstate_msgs_msg.Failure{
			Command: f.Command, Origin: string(f.By), Client: f.Client, Outcome: string(f.Outcome),
			FromState: networkState(w.machine, f.From), Cause: f.Why, Stamp: stamp(f.At),
		}
	}
}

func (w *World) fillProgress(p *rstate_msgs_msg.Progress, s engine.Snapshot) {
	t := &s.Work
	p.Command, p.Origin, p.Client, p.GoalId, p.Recovery, p.Elapsed = t.Command, string(t.By), t.Client, t.GoalID,
		t.Recovery, duration(t.Elapsed)
	p.FromState, p.Via = networkState(w.machine, s.Settled), networkState(w.machine, s.State)
	p.Done, p.Total, p.WaitingFor = uint32(t.Done), uint32(t.Total), s.Waiting
	for _, n := range s.Nodes {
		if n.Doing != "" {
			p.Running = append(p.Running, n.Name)
		}
	}
	if p.TimeLeft = duration(t.TimeLeft); t.Held {
		p.TimeLeft = duration(unknownAge)
	}
}

func (w *World) nodeView(n engine.NodeView, s engine.Snapshot) rstate_msgs_msg.NodeState {
	i := w.net.Index(n.Name)
	view := rstate_msgs_msg.NodeState{
		Name: n.Name, Lifecycle: n.Lifecycle, Optional: n.Optional,
		State: nodeState(n.State), Expected: nodeState(w.expected(i, s)),
		Present: n.Present, Instances: uint32(n.Count),
		Armable: n.CanArm, Armed: n.Armed == engine.IsArmed,
		MayBeArmed: n.Armed == engine.MayBeArmed || n.Armed == engine.IsArmed,
		ProofAge:   age(n.ProofAge), Running: n.Doing, TimeLeft: duration(n.TimeLeft), Held: n.Held, Cause: causeOf(n),
		Failing: n.Failing,
		Report:  n.Report, ReportCount: uint32(n.Reports),
	}
	if arm := w.net.Nodes[i].Arm; arm != nil {
		view.DeadMan, view.ArmServedBy = string(arm.DeadMan), n.ServedBy
	}
	return view
}

// causeOf says why a node is as it is: what deviates, and that it is unresponsive.
func causeOf(n engine.NodeView) string {
	if n.Deviates == "" || n.Silent == "" {
		return n.Deviates + n.Silent
	}
	return n.Deviates + "; " + n.Silent
}

// peerView is another instance as we see it. Its states may be of another machine, which has other
// ids.
func (w *World) peerView(p engine.PeerView) rstate_msgs_msg.Peer {
	return rstate_msgs_msg.Peer{
		Name: p.Name, InstanceId: p.Instance, Required: p.Required, Alive: p.Alive, SameMachine: p.SameMachine,
		State: networkState(w.machine, p.State), Target: networkState(w.machine, p.Target), Intact: p.Intact,
		Behind: p.Behind, Leaving: p.Leaving,
		Seen: seenMessage(p.Seen), Nodes: p.Nodes, Lag: age(p.Lag), Age: age(p.Age), Cause: p.Cause,
	}
}

func clockWord(c engine.ClockMode) string {
	switch c {
	case engine.ClockROS:
		return rstate_msgs_msg.InstanceState_CLOCK_ROS
	case engine.ClockHeld:
		return rstate_msgs_msg.InstanceState_CLOCK_HELD
	}
	return rstate_msgs_msg.InstanceState_CLOCK_STEADY
}

// age is that of a proof, of which there may be none.
func age(d time.Duration) builtin_interfaces_msg.Duration {
	if d < 0 {
		d = unknownAge
	}
	return duration(d)
}

// expected is what the running transition's target, or else the settled state, asks of node i.
func (w *World) expected(i int, s engine.Snapshot) lifecycle.State {
	name := s.Settled
	if s.Work.Target != "" {
		name = s.Work.Target
	}
	state, ok := w.machine.State(name)
	if !ok || !w.net.Nodes[i].Lifecycle {
		return lifecycle.Unknown
	}
	want, _ := w.net.WantAt(state, i, s.Nodes[i].State)
	return want
}

func (w *World) fillDeviation(m *rstate_msgs_msg.InstanceState, n engine.NodeView, s engine.Snapshot) {
	if n.Deviates == "" {
		return
	}
	spec := w.net.Nodes[w.net.Index(n.Name)]
	d := rstate_msgs_msg.Deviation{
		Name: n.Name, Expected: w.expected(w.net.Index(n.Name), s).String(), Found: n.State.String(),
		Optional: n.Optional, Policy: string(spec.OnDrift), Cause: n.Deviates,
	}
	if !n.Lifecycle {
		d.Expected = "present"
	}
	if !n.Present {
		d.Found, d.Policy = "lost", string(spec.OnLoss.Do)
	}
	m.Deviations = append(m.Deviations, d)
}

// unarmable says why a state that arms cannot be had; empty: it can, here or by a peer, or it does
// not arm.
func (w *World) unarmable(snap *engine.Snapshot, state machine.State) string {
	if snap.Accompanied() {
		return ""
	}
	return w.net.Unarmable(state)
}

// reachable lists the states that a goal could name.
func (w *World) reachable(snap *engine.Snapshot) []string {
	var names []string
	for _, s := range w.machine.States {
		if s.Passing || w.unarmable(snap, s) != "" {
			continue
		}
		if _, ok := w.machine.Path(snap.Settled, s.Name); ok {
			names = append(names, s.Name)
		}
	}
	return names
}
