//go:build ros

package demo

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"rstate/test/bed"
)

// silence is how long the test waits for a node that should not answer.
const silence = 500 * time.Millisecond

// newDemo makes one demo node, which is matched with the host when this returns.
func newDemo(t *testing.T, spec Node) (name string, host *bed.Host) {
	t.Helper()
	host = bed.StartHost(t)
	spec.Name = "/" + bed.Unique(t, "demo")
	spec.ArmService = spec.Name + "/arm"
	d, err := New([]Node{spec}, nil, zaptest.NewLogger(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Stop)
	if !spec.Plain {
		bed.Eventually(t, spec.Name+" answers", func() (string, bool) {
			state, err := host.GetState(spec.Name, bed.Deadline)
			return state, err == nil && state == "unconfigured"
		})
	}
	return spec.Name, host
}

func askArm(host *bed.Host, name string, on bool, timeout time.Duration) (bool, error) {
	var answer struct{ Success bool }
	err := host.Call("std_srvs/srv/SetBool", name+"/arm", map[string]any{"data": on}, timeout, &answer)
	return answer.Success, err
}

// TestNodeFaults asks each node once or twice to configure, and checks its answer and its
// state.
func TestNodeFaults(t *testing.T) {
	both := []string{"configure"}
	type ask struct {
		silent  bool // no answer comes
		success bool
		state   string // the answer of get_state then; empty: no answer
	}
	for name, c := range map[string]struct {
		spec Node
		asks []ask
	}{
		"none": {Node{}, []ask{{success: true, state: "inactive"}}},
		"refuses": {Node{Faults: map[Fault][]string{Refuse: both}},
			[]ask{{state: "unconfigured"}, {state: "unconfigured"}}},
		"refuses once": {Node{Faults: map[Fault][]string{Refuse: both}, Times: 1},
			[]ask{{state: "unconfigured"}, {success: true, state: "inactive"}}},
		"errs":    {Node{Faults: map[Fault][]string{Err: both}}, []ask{{state: "unconfigured"}}},
		"freezes": {Node{Faults: map[Fault][]string{Freeze: both}}, []ask{{silent: true}}},
		"lies": {Node{Faults: map[Fault][]string{Lie: both}},
			[]ask{{success: true, state: "unconfigured"}}},
		"lies once": {Node{Faults: map[Fault][]string{Lie: both}, Times: 1},
			[]ask{{success: true, state: "unconfigured"}, {success: true, state: "inactive"}}},
		"never answers": {Node{Faults: map[Fault][]string{Lose: both}},
			[]ask{{silent: true, state: "inactive"}}},
		"answers late": {Node{LateAnswer: map[string]time.Duration{"configure": time.Hour}},
			[]ask{{silent: true, state: "inactive"}}},
		"answers a little late": {Node{LateAnswer: map[string]time.Duration{"configure": silence / 5}},
			[]ask{{success: true, state: "inactive"}}},
		"lies elsewhere, refuses here": {Node{Faults: map[Fault][]string{Lie: {"activate"}, Refuse: both}},
			[]ask{{state: "unconfigured"}}},
		"lies elsewhere, errs here": {Node{Faults: map[Fault][]string{Lie: {"activate"}, Err: both}},
			[]ask{{state: "unconfigured"}}},
	} {
		t.Run(name, func(t *testing.T) {
			node, host := newDemo(t, c.spec)
			for i, want := range c.asks {
				limit := bed.Deadline
				if want.silent {
					limit = silence
				}
				success, err := host.ChangeState(node, "configure", limit)
				if (err != nil) != want.silent || success != want.success {
					t.Errorf("%d: configure got %v, %v, want %+v", i, success, err, want)
				}
				if want.state == "" {
					if state, err := host.GetState(node, silence); err == nil {
						t.Errorf("%d: it answers %s", i, state)
					}
					if _, err := askArm(host, node, false, silence); err == nil {
						t.Errorf("%d: it answers that it disarmed", i)
					}
					continue
				}
				if state, err := host.GetState(node, bed.Deadline); err != nil || state != want.state {
					t.Errorf("%d: it is %s, %v, want %+v", i, state, err, want)
				}
			}
		})
	}
}

func TestNodeFaultsOfArming(t *testing.T) {
	for name, c := range map[string]struct {
		spec    Node
		silent  bool
		success bool
		answers bool // get_state does, afterwards
	}{
		"refuses":       {Node{Faults: map[Fault][]string{Refuse: {"arm"}}}, false, false, true},
		"lies":          {Node{Faults: map[Fault][]string{Lie: {"arm"}}}, false, true, true},
		"never answers": {Node{Faults: map[Fault][]string{Lose: {"arm"}}}, true, false, true},
		"freezes":       {Node{Faults: map[Fault][]string{Freeze: {"arm"}}}, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			node, host := newDemo(t, c.spec)
			for _, label := range []string{"configure", "activate"} {
				if ok, err := host.ChangeState(node, label, bed.Deadline); !ok {
					t.Fatalf("%s: %v", label, err)
				}
			}
			limit := bed.Deadline
			if c.silent {
				limit = silence
			}
			if success, err := askArm(host, node, true, limit); (err != nil) != c.silent || success != c.success {
				t.Errorf("arm got %v, %v, want %+v", success, err, c)
			}
			limit = bed.Deadline
			if !c.answers {
				limit = silence
			}
			if state, err := host.GetState(node, limit); (err == nil) != c.answers {
				t.Errorf("get_state got %s, %v, want %+v", state, err, c)
			}
		})
	}
}

// TestNodeFreezesByItself: it answers before. If it is not found in that time, one that freezes later takes its place.
func TestNodeFreezesByItself(t *testing.T) {
	host, node := bed.StartHost(t), ""
	in := time.Second
	bed.Eventually(t, "a node answers before it freezes", func() (string, bool) {
		in *= 2
		node = "/" + bed.Unique(t, "demo")
		spec := Node{Name: node, ArmService: node + "/arm", After: map[Fault]time.Duration{Freeze: in}}
		d, err := New([]Node{spec}, nil, zaptest.NewLogger(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.Stop)
		return fmt.Sprint("none in ", in), bed.Within(in, func() {}, func() bool {
			_, err := host.GetState(node, silence)
			return err == nil
		})
	})
	bed.Eventually(t, node+" falls silent", func() (string, bool) {
		state, err := host.GetState(node, silence)
		return state, err != nil
	})
}

// TestDemoNodeByHandGoesThroughALife: a node with a later fault behaves correctly until then,
// events included.
func TestDemoNodeByHandGoesThroughALife(t *testing.T) {
	node, host := newDemo(t, Node{Faults: map[Fault][]string{Lie: {"deactivate"}}, Times: 1})
	heard := host.Subscribe(bed.Topic{Kind: "lifecycle_msgs/msg/TransitionEvent", Name: node + "/transition_event"})
	bed.Eventually(t, "its events are matched", func() (string, bool) { return "", heard.Publishers() == 1 })
	for _, step := range []struct {
		label, state string
		success      bool
	}{
		{"configure", "inactive", true}, {"activate", "active", true}, {"configure", "active", false},
		{"deactivate", "active", true}, // the lie
		{"deactivate", "inactive", true}, {"cleanup", "unconfigured", true}, {"shutdown", "finalized", true},
	} {
		success, err := host.ChangeState(node, step.label, bed.Deadline)
		state, err2 := host.GetState(node, bed.Deadline)
		if err != nil || err2 != nil || success != step.success || state != step.state {
			t.Errorf("%s: got %v, %v, then %s, %v; want %+v", step.label, success, err, state, err2, step)
		}
	}
	bed.Eventually(t, "two events of each of five transitions are heard", func() (string, bool) {
		var last struct {
			GoalState struct{ Label string } `json:"goal_state"`
		}
		return last.GoalState.Label, heard.Last(&last) && len(heard.Messages()) == 10 &&
			last.GoalState.Label == "finalized"
	})
}

func TestDemoNodeTalksWhileItIsActive(t *testing.T) {
	topic := "/" + bed.Unique(t, "scan")
	node, host := newDemo(t, Node{Topics: []Topic{{Name: topic, Type: "std_msgs/msg/Empty",
		Every: 10 * time.Millisecond}}})
	heard := host.Subscribe(bed.Topic{Kind: "std_msgs/msg/Empty", Name: topic})
	bed.Eventually(t, "the topic is matched", func() (string, bool) { return "", heard.Publishers() == 1 })
	if n := len(heard.Messages()); n > 0 {
		t.Errorf("it speaks before it is active: %d messages", n)
	}
	for _, label := range []string{"configure", "activate"} {
		if ok, err := host.ChangeState(node, label, bed.Deadline); !ok {
			t.Fatalf("%s: %v", label, err)
		}
	}
	bed.Eventually(t, "it is heard", func() (string, bool) { return "", len(heard.Messages()) > 3 })
}
