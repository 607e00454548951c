//go:build ros

// Package ros tests rstate as its users see it: the built binary as a process of its own, lifecycle
// nodes and an action client in rclpy, and real ROS 2 between them. It imports nothing of the
// product.
package ros

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// binary is the rstate binary as shipped, built once for these tests.
var binary string

// inPackage is the ROS package that has what nodes in Python need.
const inPackage = "../../ros/rstate"

// modules returns the environment in which a node in Python finds the modules of that package.
func modules(t *testing.T) []string {
	t.Helper()
	folder, err := filepath.Abs(inPackage)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"PYTHONPATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PYTHONPATH")}
}

func TestMain(m *testing.M) { daemon.Main(m, &binary, 4) } // they mostly wait

// robot is a typical network: the four nodes of the demo, in rclpy, and the daemon over them.
type robot struct {
	t                        *testing.T
	host                     *bed.Host
	name                     string // of the coordinator, with its slash
	simulation, file         string
	lidar, slam, camera, arm *bed.Node
	daemon                   *bed.Process
	states                   *bed.Subscription // of ~/state
}

// State and the types below hold the fields of our interfaces that the tests read.
type State struct{ Label string }

type InstanceState struct {
	InstanceID string `json:"instance_id"`
	State      State
	Warnings   []string
	Settled    bool
	Intact     bool
	Deviations []struct{ Node, Problem string }
	Legal      []string
	Refusal    string
	Recording  string
	Cause      string
	Guards     []Guard
}

type Guard struct {
	ID    string
	Nodes []string
	Alive bool
	Cause string
}

type NodeResult struct{ Name, Step, Verdict, Evidence string }

type Result struct {
	Success bool
	Outcome string
	Message string
	State   State
	Nodes   []NodeResult
}

// newRobot starts everything and waits until the daemon knows its network. Scripts are by the base name of the node.
func newRobot(t *testing.T, scripts map[string]map[string][]bed.Behaviour) *robot {
	t.Helper()
	r := &robot{t: t, host: bed.StartHost(t), name: "/" + bed.Unique(t, "rstate")}
	r.simulation = bed.Unique(t, "sim")
	node := func(base string, arm bool) *bed.Node {
		spec := bed.NodeSpec{Name: "/" + bed.Unique(t, base), Threads: 2, Script: scripts[base]}
		if arm {
			spec.Arm = spec.Name + "/arm"
		}
		return r.host.Node(spec)
	}
	r.lidar, r.slam, r.camera, r.arm = node("lidar", false), node("slam", false), node("camera", false),
		node("arm_driver", true)
	r.states = r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: r.name + "/state",
		Latched: true})
	r.file = filepath.Join(t.TempDir(), "network.yaml")
	text := patient + fmt.Sprintf(`simulation: %s
proof: 10s
nodes:
  %s: {}
  %s: {after: [%s]}
  %s: {optional: true}
  %s:
    after: [%s]
    arm: {service: %s/arm, type: std_srvs/srv/SetBool}
`, r.simulation, r.lidar.Name, r.slam.Name, r.lidar.Name, r.camera.Name, r.arm.Name, r.slam.Name, r.arm.Name)
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.daemon = bed.Start(t, "rstate", binary, "run", r.file, "--ros-args", "-r",
		"__node:="+strings.TrimPrefix(r.name, "/"))
	r.intact("unconfigured")
	return r
}

// await waits until the network has settled in a state, as ~/state shows it.
func (r *robot) await(label string) (last InstanceState) {
	r.t.Helper()
	bed.Eventually(r.t, "the network is "+label, func() (string, bool) {
		ok := r.states.Last(&last) && last.State.Label == label && last.Settled
		return fmt.Sprintf("%+v", last), ok
	})
	return last
}

// intact waits until the network has settled in a state and no required node deviates.
func (r *robot) intact(label string) {
	r.t.Helper()
	bed.EventuallyAfter(r.t, r.states.Pause, "the network is "+label+" and intact", func() (string, bool) {
		var last InstanceState
		ok := r.states.Last(&last) && last.State.Label == label && last.Settled && last.Intact
		return fmt.Sprintf("%+v", last), ok
	})
}

// passed lists the network's published states, without repetitions.
func (r *robot) passed() []string {
	r.t.Helper()
	var labels []string
	for _, m := range r.states.Messages() {
		var s InstanceState
		r.decode(m, &s)
		if n := len(labels); n == 0 || labels[n-1] != s.State.Label {
			labels = append(labels, s.State.Label)
		}
	}
	return labels
}

func (r *robot) goal(command string) *bed.Goal {
	r.t.Helper()
	return r.goalWith(map[string]any{"command": command, "reason": "a test"})
}

// goalWith sends a goal, again if need be; see daemon.Taken.
func (r *robot) goalWith(fields map[string]any) *bed.Goal {
	r.t.Helper()
	daemon.BringSeen(r.states, fields)
	g := r.host.SendGoal("rstate_msgs/action/Transition", r.name+"/transition", fields)
	daemon.Taken(r.t, r.states, g)
	return g
}

// end waits for the end of a goal that must have been accepted; see daemon.Ended.
func (r *robot) end(g *bed.Goal) (status int, result Result) {
	r.t.Helper()
	if status = daemon.Ended(r.t, r.states, g, &result); status == 0 {
		var last InstanceState
		r.states.Last(&last)
		r.t.Fatalf("the goal was rejected: %+v", last)
	}
	return status, result
}

// do sends a goal that must succeed and leave the network in a state.
func (r *robot) do(command, state string) {
	r.t.Helper()
	if status, result := r.end(r.goal(command)); status != bed.StatusSucceeded || !result.Success ||
		result.State.Label != state {
		r.t.Fatalf("%s ended with status %d, want %s: %+v", command, status, state, result)
	}
}

// nodes asks the nodes themselves for their states.
func (r *robot) nodes() string {
	r.t.Helper()
	var list []string
	for _, n := range []*bed.Node{r.lidar, r.slam, r.camera, r.arm} {
		truth := n.Truth()
		word := truth.State
		if truth.Armed {
			word += "+armed"
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}

func (r *robot) wantNodes(want string) {
	r.t.Helper()
	if got := r.nodes(); got != want {
		r.t.Errorf("nodes are %s, want %s", got, want)
	}
}

func (r *robot) decode(m bed.Message, into any) {
	r.t.Helper()
	if err := json.Unmarshal(m.Message, into); err != nil {
		r.t.Fatalf("cannot read %s: %v", m.Message, err)
	}
}

func TestALifeOverTheRealAction(t *testing.T) {
	r := newRobot(t, nil)
	for _, step := range []struct{ command, state, nodes string }{
		{"configure", "inactive", "inactive inactive inactive inactive"},
		{"activate", "active", "active active active active"},
		{"arm", "armed", "active active active active+armed"},
		{"disarm", "active", "active active active active"},
		{"deactivate", "inactive", "inactive inactive inactive inactive"},
		{"Clean Up", "unconfigured", "unconfigured unconfigured unconfigured unconfigured"},
	} {
		r.do(step.command, step.state)
		r.await(step.state)
		r.wantNodes(step.nodes)
	}
	r.do("shutdown", "finalized")
	r.wantNodes("finalized finalized finalized finalized")
	if code := r.daemon.Wait(t); code != 0 {
		t.Errorf("the daemon ended with code %d", code)
	}
	want := strings.Fields("unconfigured configuring inactive activating active arming armed disarming active " +
		"deactivating inactive cleaningup unconfigured shuttingdown finalized")
	if got := r.passed(); !slices.Equal(trim(got), want) {
		t.Errorf("published:\n%v\nwant\n%v", got, want)
	}
	for n, words := range map[*bed.Node]string{
		r.lidar: "configure activate deactivate cleanup shutdown",
		r.arm:   "configure activate arm disarm deactivate cleanup shutdown",
	} {
		if got := strings.Join(sinceStart(n), " "); got != words {
			t.Errorf("%s was asked to %s, want %s", n.Name, got, words)
		}
	}
}

// trim drops the states that were published before the network was known.
func trim(labels []string) []string {
	if len(labels) > 0 && labels[0] == "unknown" {
		return labels[1:]
	}
	return labels
}

func TestOneGoalTakesTheWholeWay(t *testing.T) {
	r := newRobot(t, nil)
	r.do("armed", "armed")
	r.wantNodes("active active active active+armed")
	r.do("unconfigured", "unconfigured")
	r.wantNodes("unconfigured unconfigured unconfigured unconfigured")
}

// sinceStart lists what a node was asked, without the disarms of a start. A daemon without a journal asks each process
// that can be armed to disarm (S2).
func sinceStart(n *bed.Node) []string {
	words := n.Truth().Words()
	for len(words) > 0 && words[0] == "disarm" {
		words = words[1:]
	}
	return words
}

func TestIllegalGoalIsRejectedAndSaysWhatIsLegal(t *testing.T) {
	r := newRobot(t, nil)
	for _, command := range []string{"activate", "arm", "cleanup", "nonsense", ""} {
		if g := r.goal(command); g.Accepted {
			t.Errorf("%q was accepted in unconfigured", command)
		}
	}
	var last InstanceState
	bed.Eventually(t, "the refusal is shown", func() (string, bool) {
		ok := r.states.Last(&last) && last.Refusal != ""
		return fmt.Sprintf("%+v", last), ok
	})
	if want := []string{"configure", "shutdown"}; !slices.Equal(last.Legal, want) {
		t.Errorf("legal is %v, want %v", last.Legal, want)
	}
	r.wantNodes("unconfigured unconfigured unconfigured unconfigured")
	for _, n := range []*bed.Node{r.lidar, r.slam, r.camera, r.arm} {
		if words := sinceStart(n); len(words) > 0 {
			t.Errorf("%s was asked to %v", n.Name, words)
		}
	}
}

func TestARefusingNodeLeadsBackToTheStateBefore(t *testing.T) {
	r := newRobot(t, map[string]map[string][]bed.Behaviour{"slam": {"activate": {{Result: bed.Failure}, {}}}})
	r.do("configure", "inactive")
	status, result := r.end(r.goal("activate"))
	if status != bed.StatusAborted || result.Success || result.Outcome != "restored" ||
		result.State.Label != "inactive" {
		t.Fatalf("activate ended with %d: %+v", status, result)
	}
	named := slices.IndexFunc(result.Nodes,
		func(n NodeResult) bool { return n.Name == r.slam.Name && n.Verdict == "refused" })
	if named < 0 || !strings.Contains(result.Message, r.slam.Name) {
		t.Errorf("the result does not name %s: %+v", r.slam.Name, result)
	}
	r.await("inactive")
	r.wantNodes("inactive inactive inactive inactive")
	want := strings.Fields("activating errorprocessing inactive")
	if got := r.passed(); len(got) < 3 || !slices.Equal(got[len(got)-3:], want) {
		t.Errorf("published %v, want it to end in %v", got, want)
	}
	r.do("activate", "active") // the second try, as a user would do
	r.wantNodes("active active active active")
}

func TestAnOptionalNodeThatRefusesStopsNothing(t *testing.T) {
	r := newRobot(t, map[string]map[string][]bed.Behaviour{"camera": {"activate": {{Result: bed.Failure}}}})
	r.do("active", "active")
	r.wantNodes("active active inactive active")
}

func TestALateSubscriberLearnsWhatIsSo(t *testing.T) {
	r := newRobot(t, nil)
	r.do("active", "active")
	late := bed.NewHost(t)
	state := late.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: r.name + "/state", Latched: true})
	topic := late.Subscribe(bed.Topic{
		Kind: "rstate_msgs/msg/NetworkState", Name: "/simulation/" + r.simulation + "/lifecycle", Latched: true,
	})
	var instance InstanceState
	bed.Eventually(t, "the late subscriber has ~/state", func() (string, bool) {
		return fmt.Sprintf("%+v", instance),
			state.Last(&instance) && instance.State.Label == "active" && instance.Intact
	})
	var change struct {
		Simulation  string
		SourceNode  string `json:"source_node"`
		SourceState string `json:"source_state"`
		Event       string
		TargetState string `json:"target_state"`
		State       State
		Settled     bool
		InstanceID  string `json:"instance_id"`
		Machine     string
		MachineHash string `json:"machine_hash"`
		Seen        []struct{ Instance string }
	}
	bed.Eventually(t, "the late subscriber has the lifecycle topic", func() (string, bool) {
		return fmt.Sprintf("%+v", change), topic.Last(&change) && change.State.Label == "active"
	})
	if change.SourceNode != r.name || change.SourceState != "inactive" || change.Event != "activate" ||
		change.TargetState != "active" || !change.Settled || change.Simulation != r.simulation ||
		change.InstanceID == "" || change.Machine != "rstate" || change.MachineHash == "" || len(change.Seen) != 1 {
		t.Errorf("the lifecycle topic has %+v", change)
	}
}

// Nodes that do not depend on each other are driven concurrently: their callbacks overlap.
func TestIndependentNodesAreConfiguredSideBySide(t *testing.T) {
	r := newRobot(t, map[string]map[string][]bed.Behaviour{
		"lidar":  {"configure": {{Result: bed.Frozen}}},
		"camera": {"configure": {{Result: bed.Frozen}}},
	})
	g := r.goal("configure")
	bed.Eventually(t, "both are in their callbacks at once", func() (string, bool) {
		l, c := r.lidar.Truth(), r.camera.Truth()
		return fmt.Sprintf("%+v %+v", l, c), running(l, "configure") && running(c, "configure")
	})
	if words := r.slam.Truth().Words(); len(words) > 0 {
		t.Errorf("slam comes after lidar, yet was asked to %v before it", words)
	}
	r.camera.Thaw()
	var told struct {
		State State
		Done  int
		Total int
		Last  NodeResult
	}
	bed.Eventually(t, "the feedback names the camera while lidar is still busy", func() (string, bool) {
		for _, m := range g.Record().Feedback {
			r.decode(m, &told)
		}
		return fmt.Sprintf("%+v", told), told.Last.Name == r.camera.Name
	})
	if told.State.Label != "configuring" || told.Done != 1 || told.Total != 4 || told.Last.Verdict != "done" {
		t.Errorf("the feedback says %+v", told)
	}
	r.lidar.Thaw()
	if status, result := r.end(g); status != bed.StatusSucceeded {
		t.Errorf("configure ended with %d: %+v", status, result)
	}
}

func running(t bed.Truth, word string) bool {
	return slices.ContainsFunc(t.Calls, func(c bed.Call) bool { return c.What == word && c.End == 0 })
}

func TestCancelTakesTheNodesBack(t *testing.T) {
	r := newRobot(t, map[string]map[string][]bed.Behaviour{"slam": {"configure": {{Result: bed.Frozen}, {}}}})
	g := r.goal("configure")
	bed.Eventually(t, "slam is in its callback", func() (string, bool) {
		truth := r.slam.Truth()
		return fmt.Sprintf("%+v", truth), running(truth, "configure")
	})
	if !g.Cancel() {
		t.Fatal("the cancel was refused")
	}
	r.slam.Thaw()
	if status, result := r.end(g); status != bed.StatusCanceled || result.Outcome != "canceled" ||
		result.State.Label != "unconfigured" {
		t.Fatalf("configure ended with %d: %+v", status, result)
	}
	r.wantNodes("unconfigured unconfigured unconfigured unconfigured")
	if words := sinceStart(r.arm); len(words) > 0 {
		t.Errorf("the arm driver was asked to %v after the cancel", words)
	}
}

func TestSIGTERMDisarmsAndLeavesTheRest(t *testing.T) {
	r := newRobot(t, nil)
	r.do("armed", "armed")
	r.daemon.Signal(syscall.SIGTERM)
	if code := r.daemon.Wait(t); code != 0 {
		t.Errorf("the daemon ended with code %d", code)
	}
	r.wantNodes("active active active active")
}
