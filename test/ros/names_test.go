//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// again starts one more daemon with the robot's name and file. With elsewhere, as on another host
// or in another container, it has locks and a journal of its own.
func (r *robot) again(name string, elsewhere bool) *bed.Process {
	r.t.Helper()
	command := bed.Command{Args: []string{binary, "run", r.file, "--ros-args", "-r",
		"__node:=" + strings.TrimPrefix(r.name, "/")}}
	if elsewhere {
		command.Env = []string{"XDG_RUNTIME_DIR=" + r.t.TempDir(), "ROS_HOME=" + r.t.TempDir()}
	}
	return bed.StartCommand(r.t, name, command)
}

// calls returns all calls that the nodes received, except for queries of their state.
func (r *robot) calls() string {
	r.t.Helper()
	var list []string
	for _, n := range []*bed.Node{r.lidar, r.slam, r.camera, r.arm} {
		list = append(list, strings.Join(n.Truth().Words(), " "))
	}
	return strings.Join(list, ", ")
}

var instanceOf = regexp.MustCompile(`"instance": ?"([0-9a-f]+)"`)

// instance returns the instance id of a daemon, from its log.
func instance(t *testing.T, p *bed.Process) (id string) {
	t.Helper()
	bed.Eventually(t, p.Name+" logs its instance id", func() (string, bool) {
		if m := instanceOf.FindStringSubmatch(p.Log()); m != nil {
			id = m[1]
		}
		return p.Log(), id != ""
	})
	return id
}

// ends checks that a daemon ended with a code and with these words in its log.
func ends(t *testing.T, p *bed.Process, code int, words ...string) {
	t.Helper()
	if got := p.Wait(t); got != code {
		t.Errorf("%s ended with %d, want %d", p.Name, got, code)
	}
	for _, w := range words {
		if !strings.Contains(p.Log(), w) {
			t.Errorf("the log of %s lacks %q", p.Name, w)
		}
	}
}

// knows waits until the daemon of that id has published a settled state of the network.
func (r *robot) knows(id, label string) {
	r.t.Helper()
	bed.Eventually(r.t, "instance "+id+" shows "+label, func() (string, bool) {
		var last InstanceState
		messages := r.states.Messages()
		for _, m := range slices.Backward(messages) {
			if r.decode(m, &last); last.InstanceID == id {
				return fmt.Sprintf("%+v", last), last.State.Label == label && last.Settled
			}
		}
		return fmt.Sprintf("no message of it among %d", len(messages)), false
	})
}

func TestS1ASecondDaemonOnThisHostIsRefused(t *testing.T) {
	r := newRobot(t, nil)
	r.do("armed", "armed")
	before := r.calls()
	ends(t, r.again("second", false), 3, fmt.Sprintf("process %d on this host", r.daemon.Pid()), r.file, r.name,
		"nothing was touched", "__node:=")
	if after := r.calls(); after != before && daemon.Stalls(r.daemon) == 0 { // a stall disarms
		t.Errorf("the nodes' calls: %s, before: %s", after, before)
	}
	r.daemon.Kill() // however it ends, the name is free
	third := r.again("third", false)
	r.knows(instance(t, third), "active") // the new daemon adopts the nodes and disarms
}

func TestS1ASecondDaemonElsewhereEndsAndTouchesNothing(t *testing.T) {
	r := newRobot(t, nil)
	r.do("armed", "armed")
	before := r.calls()
	ends(t, r.again("second", true), 3, "another rstate has the name "+r.name, instance(t, r.daemon), "touched nothing",
		"__node:=")
	if after := r.calls(); after != before && daemon.Stalls(r.daemon) == 0 { // a stall disarms
		t.Errorf("the nodes' calls: %s, before: %s", after, before)
	}
	r.do("disarm", "active") // the first daemon goes on, and no other one answers
}

func TestS1AFrozenDaemonIsAGhost(t *testing.T) {
	r := newRobot(t, nil)
	r.do("active", "active")
	r.daemon.Freeze()
	second := r.again("second", true)
	r.knows(instance(t, second), "active")
	before := r.calls()
	r.daemon.Thaw() // the older daemon, but it was suspended meanwhile
	ends(t, r.daemon, 3, "another rstate has the name "+r.name, "has stood still")
	if after := r.calls(); after != before {
		t.Errorf("the nodes' calls: %s, before: %s", after, before)
	}
	r.do("inactive", "inactive")
	r.knows(instance(t, second), "inactive")
}

func TestS1OfTwoThatStartTogetherOneStays(t *testing.T) {
	r := newRobot(t, nil)
	r.do("inactive", "inactive")
	r.daemon.Kill()
	one, two := r.again("one", true), r.again("two", true)
	older, younger := one, two
	if instance(t, two) < instance(t, one) {
		older, younger = two, one
	}
	ends(t, younger, 3, instance(t, older))
	r.knows(instance(t, older), "inactive")
	fresh := *r
	fresh.host = bed.NewHost(t) // the other host still shows the killed server
	fresh.do("active", "active")
	r.wantNodes("active active active active")
}

// ghost is a coordinator of a name that has published its state and then goes silent. With "lives"
// it renews its liveliness, as a coordinator's loop does. With "answers" it also answers
// ~/get_network with the given id. With "plays" it has another name and repeats one recorded
// message.
const ghost = `
import sys, threading, rclpy
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy
from rstate_msgs.msg import InstanceState
from rstate_msgs.srv import GetNetwork

rclpy.init()
name, does, id = sys.argv[1:]
node = rclpy.create_node("player" if does == "plays" else name)
qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL,
                 liveliness=LivelinessPolicy.MANUAL_BY_TOPIC, liveliness_lease_duration=Duration(seconds=0.5))
states = node.create_publisher(InstanceState, f"/{name}/state", qos)
state = InstanceState(name="/" + name, instance_id=id)
state.state.label = "active"
states.publish(state)
if does == "answers":
    def answer(request, response):
        response.name, response.instance_id, response.file = "/" + name, id, "other.yaml"
        return response
    node.create_service(GetNetwork, "~/get_network", answer)
    threading.Thread(target=rclpy.spin, args=(node,), daemon=True).start()
print("it is there", flush=True)
while not threading.Event().wait(0.1):
    if does in ("lives", "answers"):
        states.assert_liveliness()
    if does == "plays":
        states.publish(state)
`

func TestS1WhoOnlyLookedAliveIsAGhost(t *testing.T) {
	for says, lives := range map[string]bool{"lives": true, "nothing": false} {
		t.Run(says, func(t *testing.T) {
			r := newRobot(t, nil)
			r.do("active", "active")
			r.daemon.Signal(syscall.SIGTERM)
			ends(t, r.daemon, 0)
			before := r.calls()
			other := bed.Start(t, "ghost", "python3", "-c", ghost, strings.TrimPrefix(r.name, "/"), says, "0")
			bed.Eventually(t, "the other coordinator is received", func() (string, bool) {
				var s InstanceState
				return other.Log(), r.states.Last(&s) && s.InstanceID == "0"
			})
			second := r.again("second", true)
			if !lives {
				r.knows(instance(t, second), "active")
				return
			}
			ends(t, second, 3, "another rstate has the name "+r.name+" (instance 0)")
			if after := r.calls(); after != before {
				t.Errorf("the nodes' calls: %s, before: %s", after, before)
			}
		})
	}
}

func TestS1TheYoungerOfTwoThatMeetLaterEnds(t *testing.T) {
	for id, ours := range map[string]bool{"0": false, "f": true} {
		t.Run("the other id is "+id, func(t *testing.T) {
			r := newRobot(t, nil)
			r.do("armed", "armed")
			before := r.calls()
			bed.Start(t, "other", "python3", "-c", ghost, strings.TrimPrefix(r.name, "/"), "answers", id)
			if !ours {
				// An engine test checks the reason: on a busy machine the daemon may also have
				// stalled for 0.5 s.
				ends(t, r.daemon, 3, "(instance 0, since", "other.yaml")
				r.wantNodes("active active active active")
				if after := r.calls(); after != before+" disarm" { // of the arm driver, which is last in the list
					t.Errorf("the nodes' calls: %s, before: %s", after, before)
				}
				return
			}
			bed.Eventually(t, "the daemon warns of the other coordinator", func() (string, bool) {
				var s InstanceState
				for _, m := range r.states.Messages() {
					r.decode(m, &s)
					if slices.ContainsFunc(s.Warnings,
						func(w string) bool { return strings.Contains(w, "(instance f, since") }) {
						return "", true
					}
				}
				return fmt.Sprintf("%+v", s), false
			})
			r.do("disarm", "active")
		})
	}
}

func TestS1ARecordingIsNobodysWord(t *testing.T) {
	r := newRobot(t, nil)
	bed.Start(t, "player", "python3", "-c", ghost, strings.TrimPrefix(r.name, "/"), "plays", "0")
	bed.Eventually(t, "the recording was received for a while", func() (string, bool) {
		played := 0
		for _, m := range r.states.Messages() {
			var s InstanceState
			if r.decode(m, &s); s.InstanceID == "0" {
				played++
			}
		}
		return fmt.Sprint(played), played >= 20
	})
	r.do("inactive", "inactive")
	own := instance(t, r.daemon)
	r.knows(own, "inactive")
	for _, m := range r.states.Messages() {
		var s InstanceState
		if r.decode(m, &s); s.InstanceID == own && len(s.Warnings) > 0 {
			t.Fatalf("the daemon warns: %q", s.Warnings)
		}
	}
}

func TestS1ANodeOfTheNameThatIsNoRstateIsToldOf(t *testing.T) {
	r := newRobot(t, nil)
	r.host.Node(bed.NodeSpec{Name: r.name, Plain: true})
	bed.Eventually(t, "the state carries the warning", func() (string, bool) {
		var last InstanceState
		ok := r.states.Last(&last) && len(last.Warnings) == 1 && strings.Contains(last.Warnings[0], "no rstate")
		return fmt.Sprintf("%+v", last), ok
	})
	r.do("active", "active")
}

// GetNetwork is the answer of a daemon about its network.
type GetNetwork struct {
	Simulation, Name, File, Network, Machine string
	InstanceID                               string `json:"instance_id"`
	Started                                  struct{ Sec int64 }
	MachineHash                              string `json:"machine_hash"`
	MachineYAML                              string `json:"machine_yaml"`
	Nodes                                    []string
}

func (r *robot) getNetwork(name string) (answer GetNetwork) {
	r.t.Helper()
	if err := r.host.Call("rstate_msgs/srv/GetNetwork", name+"/get_network", nil, inTime, &answer); err != nil {
		r.t.Fatal(err)
	}
	return answer
}

func TestGetNetworkSaysAllOfIt(t *testing.T) {
	r := newRobot(t, nil)
	got := r.getNetwork(r.name)
	if got.Simulation != r.simulation || got.Name != r.name || got.InstanceID != instance(t, r.daemon) ||
		got.File != r.file ||
		got.Started.Sec == 0 || got.Machine != "rstate" || got.MachineHash == "" {
		t.Errorf("the daemon answers %+v", got)
	}
	if want := []string{r.lidar.Name, r.slam.Name, r.camera.Name, r.arm.Name}; !slices.Equal(got.Nodes, want) {
		t.Errorf("nodes %v, want %v", got.Nodes, want)
	}
	copied := filepath.Join(t.TempDir(), "copied.yaml")
	if err := os.WriteFile(copied, []byte(got.Network), 0o600); err != nil {
		t.Fatal(err)
	}
	ends(t, bed.Start(t, "check", binary, "check", copied), 0, "machine rstate, 4 nodes: no faults")
	own := filepath.Join(t.TempDir(), "own.yaml")
	text := "simulation: t\nnodes: {/a: {}}\nmachine: machine.yaml\n"
	for file, text := range map[string]string{own: text,
		filepath.Join(filepath.Dir(own), "machine.yaml"): got.MachineYAML} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, bed.Start(t, "check of the machine", binary, "check", own), 0, "no faults")
}

// network starts a daemon over some names, in a simulation.
func (r *robot) network(name, simulation string, nodes ...string) *bed.Process {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "network.yaml")
	text := fmt.Sprintf("simulation: %s\ndefaults: {deadline: {discover: 1s}}\nnodes:\n", simulation)
	for _, n := range nodes {
		text += "  " + n + ": {}\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return bed.Start(r.t, name, binary, "run", file, "--ros-args", "-r", "__node:="+strings.TrimPrefix(name, "/"))
}

func TestS1AChildThatListsUsIsRefused(t *testing.T) {
	r := &robot{t: t, host: bed.StartHost(t)}
	parent, child, grandchild := "/"+bed.Unique(t, "parent"), "/"+bed.Unique(t, "child"),
		"/"+bed.Unique(t, "grandchild")
	r.network(child, bed.Unique(t, "sim"), grandchild)
	r.network(grandchild, bed.Unique(t, "sim"), parent)
	for _, name := range []string{child, grandchild} {
		r.getNetwork(name) // the daemon has claimed its name
	}
	ends(t, r.network(parent, bed.Unique(t, "sim"), grandchild), 2,
		grandchild+" is a network that leads back to this one ("+grandchild+" lists "+parent+")")
	ends(t, r.network(parent, bed.Unique(t, "sim"), child), 2,
		fmt.Sprintf("(%s lists %s, which lists %s)", child, grandchild, parent))
}

func TestS1AChildOfOurSimulationIsRefused(t *testing.T) {
	r := newRobot(t, nil)
	parent := "/" + bed.Unique(t, "parent")
	ends(t, r.network(parent, r.simulation, r.name), 2, r.name+" is a network of the same simulation, "+r.simulation)
	r.wantNodes("unconfigured unconfigured unconfigured unconfigured")
}

func TestS1AChildThatIsFoundLaterIsNotRaised(t *testing.T) {
	r := newRobot(t, nil)
	simulation, child := bed.Unique(t, "sim"), "/"+bed.Unique(t, "child")
	parent := &robot{t: t, host: r.host, name: "/" + bed.Unique(t, "parent")}
	parent.states = r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: parent.name + "/state",
		Latched: true})
	r.network(parent.name, simulation, child)
	parent.await("unconfigured")
	r.network(child, simulation, r.lidar.Name)
	bed.Eventually(t, "the parent reports the fault of its child", func() (string, bool) {
		last := struct {
			Deviations []struct{ Name, Cause string }
		}{}
		ok := parent.states.Last(&last) && len(last.Deviations) == 1 &&
			strings.Contains(last.Deviations[0].Cause, "of the same simulation")
		return fmt.Sprintf("%+v", last), ok
	})
	if g := parent.goal("configure"); g.Accepted {
		t.Error("the parent raises its child")
	}
}
