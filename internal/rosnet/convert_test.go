//go:build ros

package rosnet

import (
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

func TestDurationsKeepTheirNanosecondsPositive(t *testing.T) {
	for d, want := range map[time.Duration]builtin_interfaces_msg.Duration{
		0:                       {},
		1500 * time.Millisecond: {Sec: 1, Nanosec: 500_000_000},
		-time.Second:            {Sec: -1},
		-time.Nanosecond:        {Sec: -1, Nanosec: 999_999_999},
	} {
		if got := duration(d); got != want {
			t.Errorf("%v became %+v, want %+v", d, got, want)
		}
	}
}

// TestStatesHaveTheConstantsOfTheInterface compares the machine's ids with ROS's ids and those of
// the interface.
func TestStatesHaveTheConstantsOfTheInterface(t *testing.T) {
	m, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	for label, id := range map[string]uint8{
		"unknown":         rstate_msgs_msg.State_UNKNOWN,
		"unconfigured":    rstate_msgs_msg.State_UNCONFIGURED,
		"inactive":        rstate_msgs_msg.State_INACTIVE,
		"active":          rstate_msgs_msg.State_ACTIVE,
		"finalized":       rstate_msgs_msg.State_FINALIZED,
		"armed":           rstate_msgs_msg.State_ARMED,
		"configuring":     rstate_msgs_msg.State_CONFIGURING,
		"cleaningup":      rstate_msgs_msg.State_CLEANINGUP,
		"shuttingdown":    rstate_msgs_msg.State_SHUTTINGDOWN,
		"activating":      rstate_msgs_msg.State_ACTIVATING,
		"deactivating":    rstate_msgs_msg.State_DEACTIVATING,
		"errorprocessing": rstate_msgs_msg.State_ERRORPROCESSING,
		"arming":          rstate_msgs_msg.State_ARMING,
		"disarming":       rstate_msgs_msg.State_DISARMING,
	} {
		if got := networkState(m, label); got.Id != id || got.Label != label {
			t.Errorf("%s became %+v, want id %d", label, got, id)
		}
		if s, ok := lifecycle.Parse(label); ok && nodeState(s) != (rstate_msgs_msg.State{Id: id, Label: label}) {
			t.Errorf("%s of a node became %+v", label, nodeState(s))
		}
	}
}

func TestVerdictsAndOutcomesAreThoseOfTheInterface(t *testing.T) {
	for verdict, text := range map[engine.Verdict]string{
		engine.VerdictDone:    rstate_msgs_msg.NodeResult_DONE,
		engine.VerdictRefused: rstate_msgs_msg.NodeResult_REFUSED,
		engine.VerdictErrored: rstate_msgs_msg.NodeResult_ERRORED,
		engine.VerdictLate:    rstate_msgs_msg.NodeResult_LATE,
		engine.VerdictGone:    rstate_msgs_msg.NodeResult_GONE,
		engine.VerdictUnknown: rstate_msgs_msg.NodeResult_UNKNOWN,
		engine.VerdictSkipped: rstate_msgs_msg.NodeResult_SKIPPED,
		engine.VerdictUndone:  rstate_msgs_msg.NodeResult_UNDONE,
	} {
		got := nodeResult(engine.NodeResult{Verdict: verdict, From: lifecycle.Inactive})
		if got.Verdict != text || got.FromState.Label != "inactive" {
			t.Errorf("%s from inactive became %s from %s", verdict, got.Verdict, got.FromState.Label)
		}
	}
}

func TestSnapshotInTheWordsOfTheStateTopic(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte(
		"simulation: demo\nnodes:\n  /a: {}\n  /b: {arm: {}, on_loss: error}\n  /c: {lifecycle: false, optional: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{net: net, machine: net.Machine}
	m := w.describe(engine.Snapshot{
		State: "activating", Settled: "inactive",
		Work: engine.WorkView{
			Target: "active", Done: 1, Total: 2, Command: "activate", By: engine.ByParent, GoalID: "42",
			Recovery: "restore", Elapsed: 3 * time.Second, Client: "anna@cell4",
		},
		Refusal: engine.Refusal{Command: "arm", Why: "no", By: engine.ByGoal, Client: "bob@cell5", Handle: "0102",
			At: time.Unix(5, 0)},
		Failure: engine.Failure{Command: "activate", By: engine.ByGoal, Client: "bob@cell5",
			Outcome: engine.OutcomeHeld, From: "inactive", Why: "/a refused", At: time.Unix(6, 0)},
		Lease: engine.LeaseView{Age: 50 * time.Millisecond, Left: 2 * time.Second},
		Nodes: []engine.NodeView{
			{Name: "/a", State: lifecycle.Active, Present: true, Count: 1, Lifecycle: true},
			{Name: "/b", Lifecycle: true, CanArm: true, Armed: engine.MayBeArmed, Deviates: "it left the graph",
				Doing: "activate"},
			{Name: "/c", Present: true, Count: 1, Optional: true, Silent: "is unresponsive"},
		},
		Waiting: []string{"/b"},
	}, time.Unix(7, 8))
	if m.State.Label != "activating" || m.Settled || m.Target.Label != "active" || m.Progress.Done != 1 ||
		m.Progress.Total != 2 ||
		m.Progress.FromState.Label != "inactive" || m.Refusal != "no" || m.Stamp.Sec != 7 {
		t.Errorf("got %+v", m)
	}
	if m.Refused != "arm" || m.RefusedClient != "bob@cell5" || m.RefusedGoal != "0102" || m.RefusedAt.Sec != 5 ||
		m.LeaseAge.Nanosec != 5e7 || m.LeaseLeft.Sec != 2 {
		t.Errorf("refused %q by %q, goal %q at %v; lease %v old, %v left", m.Refused, m.RefusedClient, m.RefusedGoal,
			m.RefusedAt, m.LeaseAge, m.LeaseLeft)
	}
	if f := m.LastFailure; f.Command != "activate" || f.Origin != "goal" || f.Client != "bob@cell5" ||
		f.Outcome != "held" || f.FromState.Label != "inactive" || f.Cause != "/a refused" || f.Stamp.Sec != 6 {
		t.Errorf("last failure %+v", f)
	}
	if none := w.describe(engine.Snapshot{Lease: engine.LeaseView{Age: -1, Left: -1}},
		time.Unix(7, 8)); none.LastFailure.Command != "" || none.Refused != "" || none.LeaseAge.Sec != -1 ||
		none.LeaseLeft.Sec != -1 {
		t.Errorf("nothing to tell: %+v", none)
	}
	if p := m.Progress; p.Client != "anna@cell4" {
		t.Errorf("asked for by %q", p.Client)
	}
	if p := m.Progress; p.Command != "activate" || p.Origin != "parent" || p.GoalId != "42" ||
		p.Recovery != "restore" || p.Elapsed.Sec != 3 {
		t.Errorf("progress %+v", p)
	}
	a, b, c := m.Nodes[0], m.Nodes[1], m.Nodes[2]
	if a.State.Label != "active" || a.Expected.Label != "active" || !a.Present || a.MayBeArmed {
		t.Errorf("/a became %+v", a)
	}
	if b.Present || !b.MayBeArmed || b.Armed || b.Running != "activate" || b.DeadMan != "lease" || b.Cause == "" {
		t.Errorf("/b became %+v", b)
	}
	if c.Lifecycle || !c.Optional || c.Expected.Label != "unknown" || c.Cause != "is unresponsive" {
		t.Errorf("/c became %+v", c)
	}
	if got := causeOf(engine.NodeView{Deviates: "is inactive",
		Silent: "is unresponsive"}); got != "is inactive; is unresponsive" {
		t.Errorf("the cause is %q", got)
	}
	if len(m.Deviations) != 1 || m.Deviations[0].Found != "lost" || m.Deviations[0].Policy != "error" ||
		m.Deviations[0].Expected != "active" {
		t.Errorf("deviations %+v", m.Deviations)
	}
	if len(m.MayBeArmed) != 1 || len(m.Armed) != 0 || len(m.Progress.Running) != 1 || m.Progress.Running[0] != "/b" {
		t.Errorf("armed %v, may be armed %v, running %v", m.Armed, m.MayBeArmed, m.Progress.Running)
	}
}
