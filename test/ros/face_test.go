//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// inTime is how long a service call of a test may take.
const inTime = 30 * time.Second

// change requests a transition of the network through its lifecycle node, and checks the answer.
func (r *robot) change(transition map[string]any, want bool) {
	r.t.Helper()
	var answer struct{ Success bool }
	err := r.host.Call("lifecycle_msgs/srv/ChangeState", r.name+"/change_state",
		map[string]any{"transition": transition}, inTime, &answer)
	if err != nil || answer.Success != want {
		r.t.Fatalf("%v: got %v, %v; want %v", transition, answer.Success, err, want)
	}
}

func (r *robot) byLabel(label string, want bool) {
	r.t.Helper()
	r.change(map[string]any{"label": label}, want)
}

// shows checks the state of the network's lifecycle node.
func (r *robot) shows(want string) {
	r.t.Helper()
	if got, err := r.host.GetState(r.name, inTime); err != nil || got != want {
		r.t.Errorf("the lifecycle node is %q, %v; want %s", got, err, want)
	}
}

// setArm calls ~/arm and checks the answer.
func (r *robot) setArm(on, want bool) {
	r.t.Helper()
	var answer struct {
		Success bool
		Message string
	}
	err := r.host.Call("std_srvs/srv/SetBool", r.name+"/arm", map[string]any{"data": on}, inTime, &answer)
	if err != nil || answer.Success != want || answer.Message == "" {
		r.t.Fatalf("arm %v: got %+v, %v; want %v", on, answer, err, want)
	}
}

func TestTheNetworkIsALifecycleNode(t *testing.T) {
	r := newRobot(t, nil)
	events := r.host.Subscribe(bed.Topic{Kind: "lifecycle_msgs/msg/TransitionEvent",
		Name: r.name + "/transition_event"})
	bed.Eventually(t, "its events are matched", func() (string, bool) { return "", events.Publishers() == 1 })
	r.shows("unconfigured")
	r.change(map[string]any{"id": 1}, true) // without a label, as launch sends it
	r.shows("inactive")
	r.wantNodes("inactive inactive inactive inactive")
	r.byLabel("configure", false) // not legal in this state: nothing happens
	r.byLabel("activate", true)
	r.shows("active")
	r.setArm(true, true)
	r.await("armed")
	r.shows("active")
	r.setArm(true, true) // already armed
	r.byLabel("deactivate", true)
	r.wantNodes("inactive inactive inactive inactive") // disarmed first
	r.setArm(false, true)
	r.setArm(true, false) // not from inactive
	r.byLabel("cleanup", true)
	r.change(map[string]any{"id": 5}, true)
	r.wantNodes("finalized finalized finalized finalized")
	want := []string{
		"configuring", "inactive", "activating", "active", "deactivating", "inactive", "cleaningup", "unconfigured",
		"shuttingdown", "finalized",
	}
	bed.Eventually(t, fmt.Sprintf("the lifecycle node has announced %v", want), func() (string, bool) {
		var went []string
		for _, m := range events.Messages() {
			var e struct {
				StartState State `json:"start_state"`
				GoalState  State `json:"goal_state"`
			}
			r.decode(m, &e)
			went = append(went, e.GoalState.Label)
		}
		return strings.Join(went, " "), slices.Equal(went, want)
	})
	if code := r.daemon.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}

func TestTheFaceListsWhatItCanDo(t *testing.T) {
	r := newRobot(t, nil)
	labels := func(service string) []string {
		var answer struct {
			AvailableTransitions []struct {
				Transition struct {
					ID    int
					Label string
				}
			} `json:"available_transitions"`
		}
		if err := r.host.Call("lifecycle_msgs/srv/GetAvailableTransitions", r.name+service, map[string]any{}, inTime,
			&answer); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, a := range answer.AvailableTransitions {
			list = append(list, fmt.Sprintf("%d %s", a.Transition.ID, a.Transition.Label))
		}
		return list
	}
	if got := labels("/get_available_transitions"); !slices.Equal(got, []string{"1 configure", "5 shutdown"}) {
		t.Errorf("in unconfigured: %v", got)
	}
	if got := labels("/get_transition_graph"); len(got) != 25 {
		t.Errorf("the graph has %d transitions: %v", len(got), got)
	}
	var states struct {
		AvailableStates []State `json:"available_states"`
	}
	if err := r.host.Call("lifecycle_msgs/srv/GetAvailableStates", r.name+"/get_available_states", map[string]any{},
		inTime, &states); err != nil {
		t.Fatal(err)
	}
	if len(states.AvailableStates) != 11 {
		t.Errorf("states: %v", states.AvailableStates)
	}
}

func TestAParentSeesDriftAndItsActivateRepairs(t *testing.T) {
	r := newRobot(t, nil)
	r.do("active", "active")
	if ok, err := r.host.ChangeState(r.slam.Name, "deactivate", inTime); err != nil || !ok {
		t.Fatal(ok, err)
	}
	bed.Eventually(t, "the lifecycle node shows the drift", func() (string, bool) {
		got, err := r.host.GetState(r.name, inTime)
		return fmt.Sprint(got, err), got == "inactive"
	})
	r.byLabel("activate", true)
	r.shows("active")
	r.wantNodes("active active active active")
}

func TestOneRstateManagesAnother(t *testing.T) {
	r := newRobot(t, nil)
	parent := &robot{t: t, host: r.host, name: "/" + bed.Unique(t, "parent")}
	parent.states = r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: parent.name + "/state",
		Latched: true})
	file := filepath.Join(t.TempDir(), "parent.yaml")
	text := patient + fmt.Sprintf("simulation: %s\nproof: 10s\n"+
		"nodes:\n  %s: {arm: {}, deadline: {arm: 20s, disarm: 20s}}\n",
		bed.Unique(t, "sim"), r.name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	parent.daemon = bed.Start(t, "parent", binary, "run", file, "--ros-args", "-r",
		"__node:="+strings.TrimPrefix(parent.name, "/"))
	parent.intact("unconfigured")
	parent.do("active", "active")
	r.wantNodes("active active active active")
	parent.do("arm", "armed")
	r.await("armed")
	r.wantNodes("active active active active+armed")
	parent.do("inactive", "inactive")
	r.wantNodes("inactive inactive inactive inactive")
	parent.do("shutdown", "finalized")
	r.wantNodes("finalized finalized finalized finalized")
	for _, d := range []*bed.Process{r.daemon, parent.daemon} {
		if code := d.Wait(t); code != 0 {
			t.Errorf("a daemon ended with %d", code)
		}
	}
}

func TestItsOwnNameInTheNetworkIsRefused(t *testing.T) {
	for under, text := range map[string]string{
		"nodes":          "nodes: {NAME: {}}\n",
		"peers.required": "peers: {required: [NAME]}\nnodes: {/x: {}}\n",
		"peers.plain":    "peers: {plain: [NAME]}\nnodes: {/x: {}}\n",
	} {
		t.Run(under, func(t *testing.T) {
			name := bed.Unique(t, "rstate")
			file := filepath.Join(t.TempDir(), "own.yaml")
			text = "simulation: " + name + "\n" + strings.ReplaceAll(text, "NAME", "/"+name)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p := bed.Start(t, "rstate", binary, "run", file, "--ros-args", "-r", "__node:="+name)
			if code := p.Wait(t); code != 2 || !strings.Contains(p.Log(), "its own name") ||
				!strings.Contains(p.Log(), "out of "+under) {
				t.Errorf("the daemon ended with %d: %s", code, p.Log())
			}
		})
	}
}

func TestDiagnosticsNameTheNodeThatStrayed(t *testing.T) {
	r := newRobot(t, nil)
	heard := r.host.Subscribe(bed.Topic{Kind: "diagnostic_msgs/msg/DiagnosticArray", Name: "/diagnostics"})
	r.do("active", "active")
	if ok, err := r.host.ChangeState(r.slam.Name, "deactivate", inTime); err != nil || !ok {
		t.Fatal(ok, err)
	}
	var last struct {
		Status []struct {
			Name, Message string
		}
	}
	bed.Eventually(t, "the diagnosis of /slam reports the drift", func() (string, bool) {
		if !heard.Last(&last) {
			return "nothing", false
		}
		for _, d := range last.Status {
			if d.Name == r.name+": "+r.slam.Name && strings.Contains(d.Message, "inactive") {
				return "", len(last.Status) == 6 // with the network, and readiness
			}
		}
		return fmt.Sprint(last), false
	})
}

func TestPlanAndHistoryAnswerOverROS(t *testing.T) {
	r := newRobot(t, nil)
	var plan struct {
		Legal   bool
		Message string
		Target  State
		Steps   []struct {
			Command, Node, Step string
			FromState           State `json:"from_state"`
			ToState             State `json:"to_state"`
			After               []string
		}
	}
	ask := func(command string) {
		t.Helper()
		if err := r.host.Call("rstate_msgs/srv/Plan", r.name+"/plan", map[string]any{"command": command}, inTime,
			&plan); err != nil {
			t.Fatal(err)
		}
	}
	ask("active")
	if !plan.Legal || plan.Target.Label != "active" || len(plan.Steps) != 8 {
		t.Fatalf("planned %+v", plan)
	}
	if s := plan.Steps[1]; s.Command != "configure" || s.Node != r.slam.Name ||
		!slices.Equal(s.After, []string{r.lidar.Name}) ||
		s.FromState.Label != "unconfigured" || s.ToState.Label != "inactive" {
		t.Errorf("the second step is %+v", s)
	}
	r.wantNodes("unconfigured unconfigured unconfigured unconfigured") // a plan changes nothing
	ask("arm")
	if plan.Legal || !strings.Contains(plan.Message, "configure") {
		t.Errorf("planned %+v", plan)
	}
	ask("fly")
	if plan.Legal || !strings.Contains(plan.Message, `"fly"`) {
		t.Errorf("planned %+v", plan)
	}
	r.do("configure", "inactive")
	var history struct {
		Success bool
		Entries []struct {
			Kind, Command, Node, Verdict, Text string
			ToState                            State `json:"to_state"`
		}
	}
	bed.Eventually(t, "the history ends with the goal's end", func() (string, bool) {
		if err := r.host.Call("rstate_msgs/srv/History", r.name+"/history", map[string]any{"last": 3}, inTime,
			&history); err != nil {
			t.Fatal(err)
		}
		n := len(history.Entries)
		return fmt.Sprintf("%+v", history),
			history.Success && n == 3 && history.Entries[n-1].Kind == "command" &&
				history.Entries[n-1].Verdict == "succeeded done"
	})
	if err := r.host.Call("rstate_msgs/srv/History", r.name+"/history",
		map[string]any{"kind": "step", "node": r.slam.Name}, inTime, &history); err != nil {
		t.Fatal(err)
	}
	for _, e := range history.Entries {
		if e.Kind != "step" || e.Node != r.slam.Name || e.Text == "" {
			t.Errorf("an entry is %+v", e)
		}
	}
	if len(history.Entries) == 0 {
		t.Error("no steps")
	}
}
