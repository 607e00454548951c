//go:build ros

package ros

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// What the NRP backend says of the life of a simulation, over lifecycle nodes in rclpy. Each test bears the number of a
// statement of docs/conformance.md. N4 is in ids_test.go.

// newNRP returns a simulation of the NRP: a team whose id is a number.
func newNRP(t *testing.T) *team {
	t.Helper()
	t.Parallel()
	m := &team{t: t, host: bed.StartHost(t),
		simulation: strings.NewReplacer("sim", "", "_", "").Replace(bed.Unique(t, "sim"))}
	m.topic = m.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState", Name: m.lifecycle(), Latched: true})
	return m
}

func (m *team) lifecycle() string { return "/ros_cle_simulation/sim_" + m.simulation + "/lifecycle" }

// simulates starts an instance of the simulation over two nodes.
func (m *team) simulates(w member) *fellow {
	m.t.Helper()
	f := &fellow{}
	f.sensor = m.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(m.t, "world"), Script: w.scripts, Threads: 2})
	f.driver = m.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(m.t, "engine"), Threads: 2})
	f.Daemon = daemon.Start(m.t, m.host, daemon.Config{Binary: binary, Simulation: m.simulation, Env: w.env,
		HTTP: w.http,
		Network: patient + fmt.Sprintf("machine: nrp\n%s\nnodes:\n  %s: {}\n  %s: {after: [%s]}\n",
			cmp.Or(w.keys, "peers: {}"), f.sensor.Name, f.driver.Name, f.sensor.Name)})
	f.Await("it knows its nodes", func(v daemon.View) bool { return v.Settled && v.Intact && v.State.Label != "unknown" })
	return f
}

func (f *fellow) wantNodes(t *testing.T, want string) {
	t.Helper()
	if got := f.sensor.Truth().State + " " + f.driver.Truth().State; got != want {
		t.Errorf("the nodes of %s are %s, want %s", f.Name, got, want)
	}
}

// TestNRPTriggers: the table of the triggers, from the making of a simulation to its end.
func TestNRPTriggers(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{})
	for _, c := range []struct{ trigger, state, nodes string }{
		{"initialized", "paused", "inactive inactive"}, {"started", "started", "active active"},
		{"paused", "paused", "inactive inactive"},
		{"started", "started", "active active"}, {"reset", "paused", "inactive inactive"},
		{"started", "started", "active active"},
		{"failed", "halted", "inactive inactive"},
		{"stopped", "failed", "finalized finalized"},
	} {
		a.Do(c.trigger, "succeeded done "+c.state)
		a.wantNodes(t, c.nodes)
	}
	if got := strings.Join(a.sensor.Truth().Words(),
		" "); got != "configure activate deactivate activate deactivate cleanup configure activate deactivate shutdown" {
		t.Errorf("the hooks are %s", got)
	}
	m.wantSaid(a, "1 initialized+", "2 started+", "3 paused", "4 started+", "5 initialized", "6 started+", "7 failed",
		"8 stopped")
	if code := a.Process.Wait(t); code != 1 {
		t.Errorf("the daemon ended with %d, want 1, as the simulation has failed", code)
	}
}

// TestN1AFailingHook: the state is left as it was, then the trigger failed fires by itself and is published.
func TestN1AFailingHook(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{scripts: map[string][]bed.Behaviour{"activate": {{Result: bed.Thrown}}}})
	a.Do("initialized", "succeeded done paused")
	r := a.Do("started", "aborted restored halted")
	if n := r.Node(a.sensor.Name); n.Step != "activate" || n.Verdict != "errored" {
		t.Errorf("the result names %+v", r.Nodes)
	}
	a.wantNodes(t, "inactive inactive")
	m.wantSaid(a, "1 initialized+", "2 failed+")
	for _, trigger := range []string{"initialized", "started", "paused", "reset"} {
		a.Rejected(trigger, "not legal in halted", "stopped")
	}
}

// TestN1AFailingInitialize: failed leads from created to the end, by itself or as a trigger, with exit code 1.
func TestN1AFailingInitialize(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{scripts: map[string][]bed.Behaviour{"configure": {{Result: bed.Failure}}}})
	a.Do("initialized", "aborted restored failed")
	a.wantNodes(t, "finalized finalized")
	m.wantSaid(a, "1 failed")
	if code := a.Process.Wait(t); code != 1 {
		t.Errorf("the daemon whose initialize failed ended with %d, want 1", code)
	}
	b := m.simulates(member{})
	b.Do("failed", "succeeded done failed")
	b.wantNodes(t, "finalized finalized")
	if code := b.Process.Wait(t); code != 1 {
		t.Errorf("a simulation that failed ended with %d, want 1", code)
	}
}

// TestNRPStopped: stopped ends a simulation from created and from started, cleanly. N9 has it from paused.
func TestNRPStopped(t *testing.T) {
	for _, from := range []string{"created", "started"} {
		t.Run(from, func(t *testing.T) {
			m := newNRP(t)
			a := m.simulates(member{})
			if from != "created" {
				a.Do("initialized", "succeeded done paused")
				a.Do("started", "succeeded done started")
			}
			a.Do("stopped", "succeeded done stopped")
			a.wantNodes(t, "finalized finalized")
			if code := a.Process.Wait(t); code != 0 {
				t.Errorf("the daemon ended with %d, want 0", code)
			}
		})
	}
}

// TestN2ARepeatIsIgnored: a trigger whose target is reached is ignored silently and not published. Reset always runs.
func TestN2ARepeatIsIgnored(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{})
	a.Do("initialized", "succeeded done paused")
	a.Do("initialized", "succeeded already paused")
	a.Do("paused", "succeeded already paused")
	a.Do("reset", "succeeded done paused")
	if got := strings.Join(a.sensor.Truth().Words(), " "); got != "configure cleanup configure" {
		t.Errorf("the hooks are %s", got)
	}
	m.wantSaid(a, "1 initialized+", "2 initialized+")
}

// TestN3AnInvalidTriggerIsRefused: with what is legal, and nothing changes. HTTP is of another version.
func TestN3AnInvalidTriggerIsRefused(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{})
	a.Rejected("started", "not legal in created", "initialized")
	a.Do("initialized", "succeeded done paused")
	a.Do("started", "succeeded done started")
	a.Rejected("initialized", "not legal in started", "paused, stopped, failed, reset")
	a.Rejected("shutdown", "neither a command nor a state") // hidden
	a.Intact("started")
	m.wantSaid(a, "1 initialized+", "2 started+")
}

// TestN5TriggersOfOthersRunHere: the same trigger runs in each instance, and only the first one publishes it. What an
// instance has published itself does nothing to it.
func TestN5TriggersOfOthersRunHere(t *testing.T) {
	m := newNRP(t)
	a, b := m.simulates(member{}), m.simulates(member{})
	a.hears(b)
	b.hears(a)
	for _, c := range []struct{ trigger, state, nodes string }{
		{"initialized", "paused", "inactive inactive"}, {"started", "started", "active active"},
		{"paused", "paused", "inactive inactive"},
	} {
		a.Do(c.trigger, "succeeded done "+c.state)
		b.Intact(c.state)
		b.wantNodes(t, c.nodes)
	}
	m.wantSaid(b)
	for _, f := range []*fellow{a, b} {
		if got := strings.Join(f.sensor.Truth().Words(), " "); got != "configure activate deactivate" {
			t.Errorf("the hooks of %s are %s", f.Name, got)
		}
	}
}

// TestN6StateAndSourceStateDiffer: a program that sends the four fields of the NRP says that it comes from another
// state. The instance warns, and goes the shortest way to the target.
func TestN6StateAndSourceStateDiffer(t *testing.T) {
	m := newNRP(t)
	backend := m.host.Advertise(bed.Topic{Kind: "rstate_msgs/msg/NetworkState", Name: m.lifecycle()})
	a := m.simulates(member{keys: "peers: {plain: [/nrp]}"})
	bed.Eventually(t, "the backend is matched",
		func() (string, bool) { n := backend.Subscribers(); return fmt.Sprint(n), n > 0 })
	backend.Publish(map[string]any{"source_node": "/nrp", "source_state": "paused", "event": "started",
		"target_state": "started"})
	a.Intact("started")
	a.wantNodes(t, "active active")
	if !strings.Contains(a.Process.Log(),
		"went from paused, and this network is created: it takes the shortest way to started") {
		t.Error("the log has no warning")
	}
	backend.Publish(map[string]any{"source_node": "/nrp", "source_state": "started", "event": "failed",
		"target_state": "halted"})
	a.Intact("halted")
	m.wantSaid(a)
}

// TestN7AMirroredHookThatFails: the instance takes the target state, and then failed fires and is published: a new
// event.
func TestN7AMirroredHookThatFails(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{})
	b := m.simulates(member{scripts: map[string][]bed.Behaviour{"activate": {{Result: bed.Failure}}}})
	a.hears(b)
	b.hears(a)
	a.Do("initialized", "succeeded done paused")
	b.Intact("paused")
	a.Do("started", "succeeded done started")
	for _, f := range []*fellow{a, b} {
		f.Intact("halted")
		f.wantNodes(t, "inactive inactive")
	}
	if took := b.Passed(); !slices.Contains(took, "started") {
		t.Errorf("the instance whose hook failed has shown %v, never the target", took)
	}
	m.wantSaid(a, "1 initialized+", "2 started+")
	bed.Eventually(t, "the instance whose hook failed has published that, and nothing else", func() (string, bool) {
		said := m.said(b)
		return fmt.Sprintf("%q", said), len(said) > 0 &&
			!slices.ContainsFunc(said, func(s string) bool { return !strings.HasPrefix(s, "1 failed") })
	})
}

// TestN8OneInstanceOfAName: a second instance of the same node name is refused, and touches nothing.
func TestN8OneInstanceOfAName(t *testing.T) {
	m := newNRP(t)
	a := m.simulates(member{})
	a.Do("initialized", "succeeded done paused")
	second := a.Again()
	if code := second.Process.Wait(t); code != 3 ||
		!daemon.HasAll(second.Process.Log(), a.Name, "nothing was touched") {
		t.Errorf("a second instance ended with %d", code)
	}
	a.Do("started", "succeeded done started")
	if n := len(a.sensor.Truth().Calls); n != 2 {
		t.Errorf("the node was asked %d times", n)
	}
}

// TestN9AnInstanceLeavesTheTopicAfterAFinalState: about a second later, so that the others hear of the end.
func TestN9AnInstanceLeavesTheTopicAfterAFinalState(t *testing.T) {
	m := newNRP(t)
	a, b := m.simulates(member{}), m.simulates(member{})
	a.hears(b)
	b.hears(a)
	a.Do("initialized", "succeeded done paused")
	b.Intact("paused")
	a.Do("stopped", "succeeded done stopped")
	for _, f := range []*fellow{a, b} {
		if code := f.Process.Wait(t); code != 0 {
			t.Errorf("%s ended with %d", f.Name, code)
		}
		f.wantNodes(t, "finalized finalized")
	}
	bed.Eventually(t, "both have left the topic",
		func() (string, bool) { n := m.topic.Nodes(); return fmt.Sprint(n), len(n) == 0 })
	var last struct {
		Event       string
		TargetState string `json:"target_state"`
	}
	all := m.topic.Messages()
	if err := json.Unmarshal(all[len(all)-1].Message, &last); err != nil || last.Event != "stopped" ||
		last.TargetState != "stopped" {
		t.Errorf("the last message is %+v, %v", last, err)
	}
}
