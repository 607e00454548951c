//go:build ros

package rosnet

import (
	"fmt"
	"time"

	"rstate/internal/machine"
	"rstate/internal/mirror"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// What is heard on a shared topic may come from anybody. More than this is no message of an
// instance.
const (
	longestText = 4096
	longestList = 4096
)

// statusMessage converts our status for peers to its ROS message.
func (w *World) statusMessage(s mirror.Status, now time.Time) *rstate_msgs_msg.PeerStatus {
	m := rstate_msgs_msg.NewPeerStatus()
	m.Simulation, m.Name, m.InstanceId, m.Started = w.net.Simulation, w.name, w.instance, stamp(w.began)
	m.State, m.Settled, m.Intact = networkState(w.machine, s.State), s.Settled, s.Intact
	m.Target, m.Seen, m.Loops = networkState(w.machine, s.Target), seenMessage(s.Seen), loopsMessage(s.Loops)
	m.Machine, m.MachineHash = w.machine.Name, w.hash
	m.Nodes, m.MayBeArmed, m.Requires = s.Nodes, s.MayBeArmed, s.Requires
	m.ProofAge, m.Behind, m.Cause, m.Leaving = age(s.ProofAge), s.Behind, s.Cause, s.Leaving
	m.Stamp = stamp(now)
	m.Steady, m.Orders = duration(w.sinceStart()), seenMessage(s.Orders)
	m.Stops, m.StopsUnclear = latchesMessage(s.Stops), s.StopsUnclear
	return m
}

func seenMessage(list []mirror.Seen) []rstate_msgs_msg.Seen {
	out := make([]rstate_msgs_msg.Seen, len(list))
	for i, s := range list {
		out[i] = rstate_msgs_msg.Seen{Instance: s.Instance, N: s.N}
	}
	return out
}

func loopsMessage(list []mirror.Loop) []rstate_msgs_msg.Loop {
	out := make([]rstate_msgs_msg.Loop, len(list))
	for i, l := range list {
		out[i] = rstate_msgs_msg.Loop{Command: l.Command, N: l.N}
	}
	return out
}

// peerStatus reads what another instance tells. What is wrong with the message is returned in
// words; empty: nothing is.
func peerStatus(m *rstate_msgs_msg.PeerStatus, simulation string) (s mirror.Status, wrong string) {
	wrong = firstWrong(
		otherSimulation(m.Simulation, simulation),
		noName("name", m.Name), noName("instance_id", m.InstanceId), noName("state", m.State.Label),
		tooLong("text", m.Name, m.InstanceId, m.State.Label, m.Target.Label, m.Machine, m.MachineHash, m.Cause,
			m.StopsUnclear),
		tooMany("seen", len(m.Seen)), tooMany("loops", len(m.Loops)), tooMany("nodes", len(m.Nodes)),
		tooMany("orders", len(m.Orders)), tooMany("may_be_armed", len(m.MayBeArmed)),
		tooMany("requires", len(m.Requires)),
		tooLong("nodes", m.Nodes...), tooLong("may_be_armed", m.MayBeArmed...), tooLong("requires", m.Requires...))
	if wrong != "" {
		return s, wrong
	}
	s = mirror.Status{
		Name: m.Name, Instance: m.InstanceId, Started: time.Unix(int64(m.Started.Sec), int64(m.Started.Nanosec)),
		State: m.State.Label, Settled: m.Settled, Intact: m.Intact, Target: m.Target.Label,
		Machine: m.Machine, Hash: m.MachineHash, Nodes: m.Nodes, MayBeArmed: m.MayBeArmed, Requires: m.Requires,
		ProofAge: proofAge(m.ProofAge), Behind: m.Behind, Cause: m.Cause, Leaving: m.Leaving,
		Steady: sinceOf(m.Steady),
	}
	if s.Target == machine.Unknown {
		s.Target = ""
	}
	if s.Seen, wrong = seenOf("seen", m.Seen); wrong != "" {
		return s, wrong
	}
	if s.Orders, wrong = seenOf("orders", m.Orders); wrong != "" {
		return s, wrong
	}
	s.StopsUnclear = m.StopsUnclear
	if s.Stops, wrong = latchesOf(m.Stops); wrong != "" {
		return s, wrong
	}
	for _, l := range m.Loops {
		if wrong = firstWrong(noName("loops", l.Command), tooLong("loops", l.Command)); wrong != "" {
			return s, wrong
		}
		s.Loops = append(s.Loops, mirror.Loop{Command: l.Command, N: l.N})
	}
	return s, ""
}

// peerChange reads a message of the lifecycle topic. One without an instance speaks only the four
// fields, of which its node and the target are needed.
func peerChange(m *rstate_msgs_msg.NetworkState, simulation string) (c mirror.Change, wrong string) {
	plain := m.InstanceId == ""
	if !plain || m.Simulation != "" {
		wrong = otherSimulation(m.Simulation, simulation)
	}
	wrong = firstWrong(wrong, noName("source_node", m.SourceNode),
		tooLong("text", m.SourceNode, m.InstanceId, m.SourceState, m.Event, m.TargetState, m.State.Label,
			m.MachineHash),
		tooMany("seen", len(m.Seen)), tooMany("orders", len(m.Orders)))
	if plain {
		wrong = firstWrong(wrong, noName("target_state", m.TargetState))
	}
	if wrong != "" {
		return c, wrong
	}
	c = mirror.Change{
		Name: m.SourceNode, Instance: m.InstanceId, SourceState: m.SourceState, Event: m.Event,
		TargetState: m.TargetState,
		State:       m.State.Label, Settled: m.Settled, Hash: m.MachineHash,
	}
	if plain {
		return c, ""
	}
	c.Steady, c.Made = sinceOf(m.Steady), sinceOf(m.Made)
	seen, wrong := seenOf("seen", m.Seen)
	orders, wrongToo := seenOf("orders", m.Orders)
	c.Seen, c.Orders = seen, orders
	return c, firstWrong(wrong, wrongToo)
}

func seenOf(field string, list []rstate_msgs_msg.Seen) (seen []mirror.Seen, wrong string) {
	for _, s := range list {
		if wrong := firstWrong(noName(field, s.Instance), tooLong(field, s.Instance)); wrong != "" {
			return nil, wrong
		}
		seen = append(seen, mirror.Seen{Instance: s.Instance, N: s.N})
	}
	return seen, ""
}

// proofAge is the age of a proof; negative: there is none.
func proofAge(d builtin_interfaces_msg.Duration) time.Duration {
	if d.Sec < 0 {
		return unknownAge
	}
	return sinceOf(d)
}

func sinceOf(d builtin_interfaces_msg.Duration) time.Duration {
	return time.Duration(d.Sec)*time.Second + time.Duration(d.Nanosec)
}

func firstWrong(wrongs ...string) string {
	for _, w := range wrongs {
		if w != "" {
			return w
		}
	}
	return ""
}

func otherSimulation(heard, ours string) string {
	if heard == ours {
		return ""
	}
	return fmt.Sprintf("it is of simulation %q", cut(heard))
}

func noName(field, value string) string {
	if value != "" {
		return ""
	}
	return field + " is empty"
}

func tooLong(field string, values ...string) string {
	for _, v := range values {
		if len(v) > longestText {
			return fmt.Sprintf("%s has %d bytes", field, len(v))
		}
	}
	return ""
}

func tooMany(field string, n int) string {
	if n <= longestList {
		return ""
	}
	return fmt.Sprintf("%s has %d entries", field, n)
}

// cut keeps what is quoted in a log short.
func cut(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
