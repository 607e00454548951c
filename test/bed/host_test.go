//go:build ros

package bed

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLifecycleNodeDoesWhatItIsToldAndRemembersIt(t *testing.T) {
	h := StartHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "lidar"), Script: map[string][]Behaviour{
		"configure": {{Result: Failure}, {Delay: 20 * time.Millisecond}},
		"activate":  {{Result: Fault}},
		"error":     {{Result: Success}},
	}})
	h.Ready(n)
	for _, step := range []struct {
		label   string
		success bool
		state   string
	}{
		{"configure", false, "unconfigured"},
		{"configure", true, "inactive"},
		{"activate", false, "unconfigured"}, // through error processing
		{"configure", true, "inactive"},
		{"cleanup", true, "unconfigured"},
		{"shutdown", true, "finalized"},
	} {
		success, err := h.ChangeState(n.Name, step.label, Deadline)
		if err != nil || success != step.success {
			t.Fatalf("%s: got %v, %v", step.label, success, err)
		}
		if state, err := h.GetState(n.Name, Deadline); err != nil || state != step.state {
			t.Fatalf("after %s: got %s, %v, want %s", step.label, state, err, step.state)
		}
	}
	truth := n.Truth()
	want := []string{"configure", "configure", "activate", "error", "configure", "cleanup", "shutdown"}
	if truth.State != "finalized" || !slices.Equal(truth.Words(), want) || truth.Count("configure") != 3 {
		t.Errorf("got %+v", truth)
	}
	if slow := truth.Calls[1]; time.Duration(slow.End-slow.Begin) < 20*time.Millisecond || slow.Result != Success {
		t.Errorf("the slow one: got %+v", slow)
	}
}

func TestANodeLiesAboutWhatItDoes(t *testing.T) {
	h := StartHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "liar"), Script: map[string][]Behaviour{
		"configure": {{Answer: Hollow}, {Answer: Deaf}, {Answer: Denied}}, "activate": {{Answer: Lost}},
	}})
	h.Ready(n)
	for _, c := range []struct {
		label    string
		answered bool
		success  bool
		state    string
	}{
		{"configure", true, true, "unconfigured"},
		{"configure", false, false, "unconfigured"},
		{"configure", true, false, "inactive"},
		{"activate", false, false, "active"},
	} {
		timeout := Deadline
		if !c.answered {
			timeout = 300 * time.Millisecond
		}
		success, err := h.ChangeState(n.Name, c.label, timeout)
		if success != c.success || (err == nil) != c.answered {
			t.Errorf("%+v: got %v, %v", c, success, err)
		}
		n.EventuallyState(t, c.state)
	}
	if got := n.Truth().Words(); !slices.Equal(got, []string{"configure", "configure", "configure", "activate"}) {
		t.Errorf("got %q", got)
	}
}

func TestShortLeaseIsMissedSoon(t *testing.T) {
	h, victim := StartHost(t), NewHost(t, ShortLease(t)...)
	topic := Topic{Kind: "rstate_msgs/msg/State", Name: "/" + Unique(t, "topic")}
	s := h.Subscribe(topic)
	victim.Advertise(topic)
	Eventually(t, "the victim is in the graph", func() (string, bool) { return "", s.Publishers() == 1 })
	victim.Process().Kill()
	began := time.Now()
	Eventually(t, "the victim has left the graph", func() (string, bool) { return "", s.Publishers() == 0 })
	t.Logf("missed after %v", time.Since(began))
}

func TestFrozenNodeAnswersNothingUntilItThaws(t *testing.T) {
	h := StartHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "slam"),
		Script: map[string][]Behaviour{"configure": {{Result: Frozen}}}})
	other := h.Node(NodeSpec{Name: "/" + Unique(t, "camera")})
	h.Ready(n, other)
	answered := make(chan error, 1)
	go func() {
		_, err := h.ChangeState(n.Name, "configure", Deadline)
		answered <- err
	}()
	Eventually(t, "the callback has begun", func() (string, bool) {
		truth := n.Truth()
		return truth.State, truth.Count("configure") == 1
	})
	if state, err := h.GetState(n.Name, 200*time.Millisecond); err == nil {
		t.Errorf("the frozen node answers: %s", state)
	}
	if success, err := h.ChangeState(other.Name, "configure", Deadline); err != nil || !success {
		t.Errorf("the frozen node blocks its neighbour: %v, %v", success, err)
	}
	n.Thaw()
	if err := <-answered; err != nil {
		t.Errorf("thawed: %v", err)
	}
	n.EventuallyState(t, "inactive")
}

func TestArmServiceRecordsAndRefuses(t *testing.T) {
	h := StartHost(t)
	name := "/" + Unique(t, "arm")
	n := h.Node(NodeSpec{Name: name, Arm: name + "/arm", Plain: true, Threads: 2,
		Script: map[string][]Behaviour{"arm": {{Result: Failure}, {}}}})
	for _, c := range []struct{ data, success, armed bool }{{true, false, false}, {true, true, true},
		{false, true, false}} {
		var answer struct {
			Success bool
			Message string
		}
		if err := h.Call("std_srvs/srv/SetBool", name+"/arm", map[string]any{"data": c.data}, Deadline,
			&answer); err != nil {
			t.Fatal(err)
		}
		if answer.Success != c.success || (answer.Message == "") != c.success || n.Truth().Armed != c.armed {
			t.Errorf("%+v: got %+v, armed %v", c, answer, n.Truth().Armed)
		}
	}
	if got := n.Truth().Words(); !slices.Equal(got, []string{"arm", "arm", "disarm"}) {
		t.Errorf("got %q", got)
	}
}

func TestNoSharedMemoryInANetworkOfOurOwn(t *testing.T) {
	if !apart {
		t.Skip("left out: this system does not let a process have a network of its own")
	}
	h := StartHost(t)
	h.Ready(h.Node(NodeSpec{Name: "/" + Unique(t, "node")}))
	if left, _ := filepath.Glob(filepath.Join(sharedMemory, "*fast*")); len(left) > 0 {
		t.Errorf("the middleware has %v", left)
	}
}

func TestDestroyedNodeIsGone(t *testing.T) {
	h := StartHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "gone")})
	h.Ready(n)
	n.Destroy()
	if state, err := h.GetState(n.Name, 500*time.Millisecond); err == nil {
		t.Errorf("the node answers: %s", state)
	}
}

func TestLatchedTopicIsHeardLate(t *testing.T) {
	h := StartHost(t)
	topic := Topic{Kind: "rstate_msgs/msg/NetworkState", Name: "/" + Unique(t, "lifecycle"), Latched: true}
	p := h.Advertise(topic)
	p.Publish(map[string]any{"simulation": "demo", "state": map[string]any{"id": 2, "label": "inactive"},
		"seen": []any{map[string]any{"instance": "a", "n": 3}}})
	s := h.Subscribe(topic)
	var got struct {
		Simulation string
		State      struct {
			ID    int
			Label string
		}
		Seen []struct {
			Instance string
			N        int
		}
	}
	Eventually(t, "the message is heard", func() (string, bool) { return "nothing", s.Last(&got) })
	if got.Simulation != "demo" || got.State.ID != 2 || got.State.Label != "inactive" || len(got.Seen) != 1 ||
		got.Seen[0].N != 3 {
		t.Errorf("got %+v", got)
	}
	if s.Publishers() != 1 || p.Subscribers() != 1 {
		t.Errorf("matched with %d and %d", s.Publishers(), p.Subscribers())
	}
}

func TestTransitionEventsAreHeard(t *testing.T) {
	h := StartHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "events")})
	s := h.Subscribe(Topic{Kind: "lifecycle_msgs/msg/TransitionEvent", Name: n.Name + "/transition_event"})
	h.Ready(n)
	Eventually(t, "the topic is matched", func() (string, bool) { return "", s.Publishers() == 1 })
	if success, err := h.ChangeState(n.Name, "configure", Deadline); err != nil || !success {
		t.Fatal(success, err)
	}
	var event struct {
		Goal struct{ Label string } `json:"goal_state"`
	}
	Eventually(t, "the event says inactive", func() (string, bool) {
		return event.Goal.Label, s.Last(&event) && event.Goal.Label == "inactive"
	})
}

func TestGoals(t *testing.T) {
	name := Unique(t, "server")
	Start(t, "server", "python3", "testdata/server.py", name)
	for _, c := range []struct {
		command  string
		accepted bool
		cancel   bool
		status   int
	}{
		{"succeed", true, false, StatusSucceeded},
		{"abort", true, false, StatusAborted},
		{"wait", true, true, StatusCanceled},
		{"refuse", false, false, 0},
	} {
		t.Run(c.command, func(t *testing.T) {
			h := StartHost(t)
			g := h.SendGoal("rstate_msgs/action/Transition", "/"+name+"/transition",
				map[string]any{"command": c.command})
			if g.Accepted != c.accepted {
				t.Fatalf("accepted: got %v", g.Accepted)
			}
			if !c.accepted {
				return
			}
			if c.cancel {
				Eventually(t, "two feedbacks are heard", func() (string, bool) {
					n := len(g.Record().Feedback)
					return strconv.Itoa(n), n >= 2
				})
				if !g.Cancel() {
					t.Error("the server did not take the cancel up")
				}
			}
			var result struct {
				Success bool
				Message string
				Nodes   []struct{ Name, Verdict string }
			}
			if status := g.Result(&result); status != c.status || result.Message != "as told" ||
				result.Success != (c.command == "succeed") || len(result.Nodes) != 1 ||
				result.Nodes[0].Verdict != "done" {
				t.Errorf("got %d, %+v", status, result)
			}
		})
	}
}

func TestMistakesOfATestAreNamed(t *testing.T) {
	h := StartHost(t)
	topic := "/" + Unique(t, "topic")
	p := h.Advertise(Topic{Kind: "rstate_msgs/msg/State", Name: topic})
	err := h.p.call("publish", map[string]any{"handle": p.handle, "message": map[string]any{"name": "x"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "State has no field 'name'; it has id, label") {
		t.Errorf("a field that is not there: got %v", err)
	}
	var answer json.RawMessage
	if err := h.Call("std_srvs/srv/SetBool", "/"+Unique(t, "nobody"), nil, 100*time.Millisecond, &answer); err == nil ||
		!strings.Contains(err.Error(), "no such service is matched") {
		t.Errorf("a service that is not there: got %v", err)
	}
}

func TestKilledHostIsNotWaitedFor(t *testing.T) {
	h, watcher := NewHost(t), StartHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "victim")})
	watcher.Ready(n)
	h.Process().Kill()
	if err := h.p.call("node", map[string]any{"handle": n.handle}, nil); err == nil ||
		!strings.Contains(err.Error(), "has ended") {
		t.Errorf("the host: got %v", err)
	}
	if state, err := watcher.GetState(n.Name, 300*time.Millisecond); err == nil {
		t.Errorf("the node answers: %s", state)
	}
}

func TestHostEndsByItself(t *testing.T) {
	h := NewHost(t)
	n := h.Node(NodeSpec{Name: "/" + Unique(t, "frozen"),
		Script: map[string][]Behaviour{"configure": {{Result: Frozen}}}})
	h.Ready(n)
	go func() { _, _ = h.ChangeState(n.Name, "configure", Deadline) }() // ends with the host
	Eventually(t, "the callback has begun", func() (string, bool) { return "", n.Truth().Count("configure") == 1 })
	h.p.stdin.Close() // as when the test's process is killed
	if code := h.Process().Wait(t); code != 0 {
		t.Errorf("got %d: %s", code, h.Process().Log())
	}
}
