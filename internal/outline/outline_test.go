package outline

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
)

var update = flag.Bool("update", false, "write the golden files")

// robot builds a description node by node.
type robot struct{ Robot }

func (r *robot) node(name, state string, ends ...func(*Node)) {
	n := Node{Name: name, State: state, Count: 1}
	if state != "-" {
		n.Serves = []Endpoint{{name + "/change_state", typeChange}, {name + "/get_state", typeState}}
	} else {
		n.State = ""
	}
	for _, end := range ends {
		end(&n)
	}
	r.Nodes = append(r.Nodes, n)
}

func publishes(names ...string) func(*Node) {
	return func(n *Node) {
		for _, name := range names {
			n.Publishes = append(n.Publishes, Endpoint{name, "std_msgs/msg/Empty"})
		}
	}
}

func reads(names ...string) func(*Node) {
	return func(n *Node) {
		for _, name := range names {
			n.Reads = append(n.Reads, Endpoint{name, "std_msgs/msg/Empty"})
		}
	}
}

func offers(name, kind string) func(*Node) {
	return func(n *Node) { n.Serves = append(n.Serves, Endpoint{name, kind}) }
}

func calls(name, kind string) func(*Node) {
	return func(n *Node) { n.Calls = append(n.Calls, Endpoint{name, kind}) }
}

func follows(lease string) func(*Node) {
	return func(n *Node) { n.Reads = append(n.Reads, Endpoint{lease, typeLease}) }
}

func inProcess(id string) func(*Node) { return func(n *Node) { n.Process = id } }

func simulated(yes bool) func(*Node) { return func(n *Node) { n.SimTime = &yes } }

func of(source string, build func(*robot)) Robot {
	r := robot{Robot{Source: source}}
	build(&r)
	return r.Robot
}

// robots have a golden file each.
var robots = map[string]Robot{
	"running": of("the graph of domain 0", func(r *robot) {
		r.node("/lidar", "active", publishes("/scan"), simulated(true), func(n *Node) {
			n.Transitions = []string{"deactivate", "shutdown"}
		})
		r.node("/slam", "active", reads("/scan"), publishes("/map", "/map_updates", "/pose", "/quality"), simulated(true),
			offers("/slam/save", "nav_msgs/srv/Save"))
		r.node("/base/driver", "active", reads("/cmd"), publishes("/odom"), simulated(false),
			offers("/base/driver/arm", typeSwitch), offers("/base/driver/self_test", typeTrigger), follows("/base/rstate/arm_lease"))
		r.node("/base/controller", "active", reads("/odom", "/map", "/scan"), publishes("/cmd"),
			calls("/slam/save", "nav_msgs/srv/Save"), offers("/base/controller/set_power", typeSwitch))
		r.node("/planner", "active", reads("/map"), offers("/plan/_action/send_goal", "nav_msgs/action/Plan_SendGoal"),
			publishes("/plan/_action/status"))
		r.node("/navigator", "inactive", calls("/plan/_action/send_goal", "nav_msgs/action/Plan_SendGoal"),
			reads("/plan/_action/status"), publishes("/goal"))
		r.node("/monitor", "active", reads("/goal"), func(n *Node) { n.Count = 2 })
		r.node("/robot_state_publisher", "-", publishes("/tf"))
		r.node("/gazebo", "-", func(n *Node) { n.Publishes = []Endpoint{{"/clock", typeClock}} })
		r.node("/transform_listener_impl_55d0", "-")
		r.node("/_ros2cli_17", "-")
	}),
	"managers": of("the graph of domain 7", func(r *robot) {
		r.node("/front/camera", "active", inProcess("a"), publishes("/front/image"))
		r.node("/front/rectify", "", inProcess("a"), reads("/front/image"))
		r.node("/front/container", "-", inProcess("a"), offers("/front/container/_container/load_node", typeLoad))
		r.node("/front/map_server", "finalized")
		r.node("/front/joints", "inactive", inProcess("b"),
			offers("/front/joints/arm", typeSwitch), offers("/front/joints/set_armed", typeSwitch))
		r.node("/front/controller_manager", "-", inProcess("b"),
			offers("/front/controller_manager/list_controllers", typeControl+"ListControllers"))
		r.node("/front/lifecycle_manager", "-", offers("/front/lifecycle_manager/manage_nodes", ManageNodes),
			func(n *Node) { n.Manages = []string{"/front/map_server"} })
		r.node("/front/rstate", "unconfigured", offers("/front/rstate/get_network", "rstate_msgs/srv/GetNetwork"))
		r.node("/front/other", "unconfigured", offers("/front/other/get_network", "rstate_msgs/srv/GetNetwork"))
		r.node("/front/stepper", "inactive", offers("/front/stepper/step", typeStep), func(n *Node) {
			n.Publishes = append(n.Publishes, Endpoint{"/front/stepper/report", typeReport})
		})
		r.Daemons = []Daemon{{Name: "/front/rstate", Nodes: []string{"/front/camera"}, File: "front.yaml", Text: "nodes: {}"},
			{Name: "/front/other"}}
	}),
	"plain": of("the graph of domain 0", func(r *robot) {
		r.node("/talker", "-", publishes("/chatter"))
		r.node("/listener", "-", reads("/chatter"))
	}),
	"launch": of("the launch file robot.launch.py", func(r *robot) {
		r.Launch = true
		r.Unread = []string{"the launch file has a RegisterEventHandler, which is not followed"}
		of := func(pkg, program string) func(*Node) {
			return func(n *Node) { n.Package, n.Executable = pkg, program }
		}
		r.node("/front/lidar", "-", of("lidar", "lidar_node"), func(n *Node) {
			n.Managed, n.Remappings = true, [][2]string{{"points", "/scan"}}
		})
		r.node("/map_server", "-", of("nav2_map_server", "map_server"))
		r.node("/amcl", "-", of("nav2_amcl", "amcl"))
		r.node("/other", "-", of("other", "other"))
		r.node("/manager", "-", of("nav2_lifecycle_manager", "lifecycle_manager"), func(n *Node) {
			n.Manages = []string{"/map_server", "/amcl"}
		})
		r.node("/container", "-", of("rclcpp_components", "component_container"), inProcess("/container"))
		r.node("/camera", "-", of("camera", "camera::Driver"), inProcess("/container"))
		r.node("/controller_manager", "-", of("controller_manager", "ros2_control_node"))
		r.node("/rstate", "-", of("rstate", "rstate"))
		r.node("/demo", "-", of("rstate", "rstate"), func(n *Node) { n.Managed = true })
	}),
	// What a participant of the domain can announce.
	"hostile": of("the graph of domain 0", func(r *robot) {
		r.node("/lidar", "active\nnodes: {/x: {}}", publishes("/scan\n  /evil: {}", "/ok"),
			offers("/lidar/arm\n\x1b[2J", typeSwitch), func(n *Node) {
				n.Transitions = []string{"a\nb: {}"}
			})
		r.node("/evil\nx", "active", publishes("/a"))
		r.node("/evil: {}", "-")
		r.Daemons = []Daemon{{Name: "/rstate\nx"}, {Name: "/rstate", Text: "x", File: "a\nb: {}", Nodes: []string{"/a\nb"}}}
	}),
}

// TestDrafts: each is the golden one, and a network file without faults.
func TestDrafts(t *testing.T) {
	for name, r := range robots {
		t.Run(name, func(t *testing.T) {
			d, err := Of(r, "robot.yaml")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(golden, []byte(d.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || d.Text != string(want) {
				t.Errorf("got:\n%s\nwant (go test ./internal/outline -update writes it), %v:\n%s", d.Text, err, want)
			}
			net, err := network.Parse("robot.yaml", []byte(d.Text))
			if err != nil {
				t.Fatalf("it is no network file: %v", err)
			}
			for _, n := range net.Nodes {
				if !slices.ContainsFunc(r.Nodes, func(seen Node) bool { return seen.Name == n.Name }) {
					t.Errorf("it lists %s, which was not seen", n.Name)
				}
			}
			marks := 0
			for line := range strings.Lines(d.Text) {
				if len(line) > columns+1 && !strings.Contains(line, "{") {
					t.Errorf("a line of %d columns: %s", len(line), line)
				}
				if strings.HasPrefix(strings.TrimSpace(line), "# "+markToDo) {
					marks++
				}
			}
			if marks != len(d.ToDo) {
				t.Errorf("%d lines are marked, and %d are listed", marks, len(d.ToDo))
			}
		})
	}
}

func TestNoNodes(t *testing.T) {
	for name, r := range map[string]Robot{
		"none":       {Source: "the graph of domain 3"},
		"only tools": of("the graph of domain 3", func(r *robot) { r.node("/_ros2cli_daemon", "-") }),
	} {
		if _, err := Of(r, ""); !errors.As(err, new(*NoNodes)) || !strings.Contains(err.Error(), "domain 3") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestOrder: the links that a file follows, and why it does not follow others.
func TestOrder(t *testing.T) {
	for name, c := range map[string]struct {
		build func(*robot)
		want  []string
	}{
		"a reader comes after the publisher": {func(r *robot) {
			r.node("/a", "active", publishes("/x"))
			r.node("/b", "active", reads("/x"))
		}, []string{"/b after /a"}},
		"a caller comes after the server": {func(r *robot) {
			r.node("/a", "active", offers("/x", "std_srvs/srv/Empty"))
			r.node("/b", "active", calls("/x", "std_srvs/srv/Empty"))
		}, []string{"/b after /a"}},
		"topics of every node say nothing": {func(r *robot) {
			r.node("/a", "active", publishes("/tf", "/rosout", "/diagnostics"))
			r.node("/b", "active", reads("/tf", "/rosout", "/diagnostics"))
		}, nil},
		"a coordinator does not come after what it drives": {func(r *robot) {
			r.node("/a", "active")
			r.node("/b", "active", calls("/a/change_state", typeChange))
		}, nil},
		"what follows from other links is not repeated": {func(r *robot) {
			r.node("/a", "active", publishes("/x"))
			r.node("/b", "active", reads("/x"), publishes("/y"))
			r.node("/c", "active", reads("/x", "/y"))
		}, []string{"/b after /a", "/c after /a (implied)", "/c after /b"}},
		"of two nodes that use each other the weaker use is left": {func(r *robot) {
			r.node("/a", "active", publishes("/x"), reads("/y", "/z"))
			r.node("/b", "active", publishes("/y", "/z"), reads("/x"))
		}, []string{"/a after /b", "/b not after /a: /a comes after it"}},
		"a call is stronger than a topic": {func(r *robot) {
			r.node("/a", "active", publishes("/x"), calls("/s", "std_srvs/srv/Empty"))
			r.node("/b", "active", reads("/x"), offers("/s", "std_srvs/srv/Empty"))
		}, []string{"/a after /b", "/b not after /a: /a comes after it"}},
		"a cycle of three": {func(r *robot) {
			r.node("/a", "active", publishes("/x"), reads("/z"))
			r.node("/b", "active", publishes("/y"), reads("/x"))
			r.node("/c", "active", publishes("/z"), reads("/y"))
		}, []string{"/a not after /c: /c comes after it, by way of /b", "/b after /a", "/c after /b"}},
		"a node that is up did not wait for one that is down": {func(r *robot) {
			r.node("/a", "inactive", publishes("/x"))
			r.node("/b", "active", reads("/x"))
		}, []string{"/b not after /a: it is active while /a is inactive"}},
		"a state that is not known contradicts nothing": {func(r *robot) {
			r.node("/a", "", publishes("/x"))
			r.node("/b", "active", reads("/x"))
		}, []string{"/b after /a"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Of(of("a test", c.build), "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range d.Order {
				switch {
				case l.Left != "":
					got = append(got, l.Node+" not after "+l.After+": "+l.Left)
				case l.Implied:
					got = append(got, l.Node+" after "+l.After+" (implied)")
				default:
					got = append(got, l.Node+" after "+l.After)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestOrderDoesNotDependOnTheOrderOfTheGraph: the same robot gives the same file.
func TestOrderDoesNotDependOnTheOrderOfTheGraph(t *testing.T) {
	r := robots["running"]
	first, err := Of(r, "")
	if err != nil {
		t.Fatal(err)
	}
	r.Nodes = slices.Clone(r.Nodes)
	slices.Reverse(r.Nodes)
	second, err := Of(r, "")
	if err != nil || first.Text != second.Text {
		t.Errorf("%v; got:\n%s\nand:\n%s", err, first.Text, second.Text)
	}
}

// TestOrderHasNoCycle: of any graph, the file has an order. Every link that was left would close a cycle or contradicts
// a state.
func TestOrderHasNoCycle(t *testing.T) {
	topics := []string{"/t0", "/t1", "/t2", "/t3", "/t4", "/t5"}
	states := []string{"active", "inactive", "unconfigured", ""}
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		some := func() (list []string) {
			for _, topic := range topics {
				if random.IntN(4) == 0 {
					list = append(list, topic)
				}
			}
			return list
		}
		d, err := Of(of("a seed", func(r *robot) {
			for i := range 2 + random.IntN(6) {
				r.node(fmt.Sprintf("/n%d", i), states[random.IntN(len(states))], publishes(some()...), reads(some()...))
			}
		}), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := network.Parse("robot.yaml", []byte(d.Text)); err != nil {
			t.Fatalf("seed %d: %v in:\n%s", seed, err, d.Text)
		}
		after := map[string][]string{}
		for _, l := range d.Order {
			if l.Left == "" && !l.Implied {
				after[l.Node] = append(after[l.Node], l.After)
			}
		}
		for _, l := range d.Order {
			switch down, up := wayTo(after, l.Node, l.After), wayTo(after, l.After, l.Node); {
			case l.Left == "" && down == nil:
				t.Fatalf("seed %d: nothing leads from %s to %s:\n%s", seed, l.Node, l.After, d.Text)
			case strings.HasPrefix(l.Left, l.After) && up == nil:
				t.Fatalf("seed %d: %s was left for no reason:\n%s", seed, l.Node, d.Text)
			}
		}
	}
}

// wayTo returns the nodes over which one leads down to another, both included; nil: it does not.
func wayTo(after map[string][]string, from, to string) []string {
	if from == to {
		return []string{from}
	}
	for _, next := range after[from] {
		if way := wayTo(after, next, to); way != nil {
			return append([]string{from}, way...)
		}
	}
	return nil
}

// TestOrderOfManyThatAllUseEachOther: each closes a cycle with each. An order that searches the graph for each pair would
// not end.
func TestOrderOfManyThatAllUseEachOther(t *testing.T) {
	many := of("a test", func(r *robot) {
		for i := range 300 {
			r.node(fmt.Sprintf("/n%d", i), "active", publishes("/all"), reads("/all"))
		}
	})
	done := make(chan Draft, 1)
	go func() {
		d, err := Of(many, "")
		if err != nil {
			t.Error(err)
		}
		done <- d
	}()
	select {
	case d := <-done:
		followed := 0
		for _, l := range d.Order {
			if l.Left == "" && !l.Implied {
				followed++
			}
		}
		if followed != len(many.Nodes)-1 {
			t.Errorf("%d links are followed, want a chain", followed)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it has no order after 30 s")
	}
}

// TestIDOfTheSimulation: the namespace of all nodes, if a network file takes it.
func TestIDOfTheSimulation(t *testing.T) {
	for namespace, want := range map[string]string{"front": "front", "true": "true", "null": noID, "Null": noID,
		strings.Repeat("a", 100): strings.Repeat("a", 100), strings.Repeat("a", 101): noID} {
		d, err := Of(of("a test", func(r *robot) { r.node("/"+namespace+"/lidar", "active") }), "")
		if err != nil {
			t.Fatal(err)
		}
		if net, err := network.Parse("robot.yaml", []byte(d.Text)); err != nil || net.Simulation != want {
			t.Errorf("%s: want %s, %v in:\n%s", namespace, want, err, d.Text)
		}
	}
}
