package launch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// example explains every key, including combinations that no real network has.
const example = "example.yaml"

// networks lists the files of config/ that describe a robot.
func networks(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "config", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == example })
	if len(paths) < 5 {
		t.Fatalf("config has only %v", paths)
	}
	return paths
}

func loadNetwork(t *testing.T, path string) *network.Network {
	t.Helper()
	net, err := network.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range net.Warnings {
		t.Errorf("a file that people copy must be beyond doubt: %v", w)
	}
	return net
}

// Each file describes its network, and the commands to type.
func TestNetworksSayWhatTheyAreAndHowToStartThem(t *testing.T) {
	for _, path := range networks(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(text), "\n\n")
			for _, line := range strings.Split(head, "\n") {
				if !strings.HasPrefix(line, "#") {
					t.Fatalf("begins with %q, not with a comment that ends at an empty line", line)
				}
			}
			file := "config/" + filepath.Base(path)
			if !strings.Contains(head, "rstate check "+file) {
				t.Errorf("does not say how it is checked: rstate check %s", file)
			}
			if !strings.Contains(head, "rstate run "+file) && !strings.Contains(head, "network:="+file) {
				t.Errorf("does not say how it is started: rstate run %s, or ros2 launch with network:=%s", file, file)
			}
		})
	}
}

// Each state to which commands lead is reached in the scripted world, armed ones too, and left again as far as the
// network can go back, until its end: users copy these files, so they must not ask for anything that this version
// refuses.
func TestNetworksReachAllTheirStates(t *testing.T) {
	for _, path := range networks(t) {
		m := loadNetwork(t, path).Machine
		reached := 0
		for _, s := range m.States {
			if _, ok := m.PathThroughLoops(m.Initial, s.Name); !ok || s.Passing || s.Name == m.Initial {
				continue // such as fatal, to which only the error of a node leads
			}
			reached++
			t.Run(filepath.Base(path)+"/"+s.Name, func(t *testing.T) {
				net := loadNetwork(t, path)
				net.Peers.Required = nil // the test of the two hosts has them
				goals := thereAndBack(net.Machine, s)
				world := simnet.New(net, simnet.Options{Seed: 1})
				world.Tell(oneByOne(goals, simnet.Open)...)
				trace := world.Run()
				if len(trace.Faults) > 0 {
					t.Fatalf("the run has faults:\n%v", trace)
				}
				if story := strings.Fields(trace.Story()); !slices.Contains(story, s.Name) {
					t.Errorf("%s was not shown: %v", s.Name, story)
				}
				for i, goal := range goals {
					// its goal lasts as long as the loop, which the next command ends
					opened, _ := net.Machine.Transition(goal)
					if got := trace.Goal(handle(i, goal)).Verdict(); got != "succeeded done" && !opened.Open {
						t.Errorf("%s: %s; until then it showed %s", goal, got, trace.Story())
					}
				}
			})
		}
		if reached < 3 { // a goal that names a final state never goes up first
			t.Errorf("%s: commands lead to %d states only", path, reached)
		}
	}
}

// thereAndBack lists the commands that lead to the state, back to the initial one if a way leads there, and to an end.
func thereAndBack(m *machine.Machine, to machine.State) []string {
	ends := slices.IndexFunc(m.States, func(s machine.State) bool { return s.Final })
	var commands []string
	at := m.Initial
	for _, next := range []string{to.Name, m.Disarmed(to.Name), m.Initial, m.States[ends].Name} {
		if way, ok := m.PathThroughLoops(at, next); ok {
			commands, at = append(commands, way...), next
		}
	}
	return commands
}

// oneByOne sends each goal at a moment after the previous one.
func oneByOne(goals []string, after func(string) simnet.Moment) []simnet.Beat {
	var beats []simnet.Beat
	for i, goal := range goals {
		when := simnet.Settled()
		if i > 0 {
			when = after(handle(i-1, goals[i-1]))
		}
		beats = append(beats, simnet.Beat{When: when, Do: simnet.Send{Command: goal, Handle: handle(i, goal)}})
	}
	return beats
}

func handle(i int, goal string) string { return fmt.Sprint(goal, " ", i) }

// A network without anything to arm would not show what arming is for, unless its machine has no armed state.
func TestNetworksHaveSomethingToArm(t *testing.T) {
	for _, path := range networks(t) {
		net := loadNetwork(t, path)
		arms := slices.ContainsFunc(net.Machine.States, func(s machine.State) bool { return s.Armed.Any() })
		if arms != slices.ContainsFunc(net.Nodes, func(n network.Node) bool { return n.Arm != nil }) {
			t.Errorf("%s: a state arms, or a node has arm, but not both", path)
		}
	}
}

// Peers have the same simulation and the same machine, and no node in common.
func TestTwoHostsAreOneSimulation(t *testing.T) {
	base := loadNetwork(t, filepath.Join(root, "config", "two_hosts_base.yaml"))
	arm := loadNetwork(t, filepath.Join(root, "config", "two_hosts_arm.yaml"))
	if base.Simulation != arm.Simulation || base.Topic != arm.Topic {
		t.Errorf("simulations %s and %s, topics %s and %s", base.Simulation, arm.Simulation, base.Topic, arm.Topic)
	}
	if base.Machine.Hash() != arm.Machine.Hash() {
		t.Error("the machines differ: neither would follow the other")
	}
	for _, n := range base.Nodes {
		if arm.Index(n.Name) >= 0 {
			t.Errorf("%s is in both files: a node has one coordinator", n.Name)
		}
	}
}

// Both hosts follow a command to the base, and the arm is armed only together with the base.
func TestTwoHostsFollowEachOther(t *testing.T) {
	var peers []simnet.Peer
	for _, side := range []string{"base", "arm"} {
		peers = append(peers, simnet.Peer{Net: loadNetwork(t, filepath.Join(root, "config", "two_hosts_"+side+".yaml")),
			Options: simnet.Options{Seed: 1, Name: "/" + side + "/rstate"}})
	}
	if want := []string{"/base/rstate"}; !slices.Equal(peers[1].Net.Peers.Required, want) {
		t.Errorf("the arm requires %v, want %v", peers[1].Net.Peers.Required, want)
	}
	both := simnet.NewPeers(peers, simnet.PeersOptions{Seed: 1})
	goals := []string{"active", "armed", "active", "unconfigured"}
	beats := oneByOne(goals, simnet.Ended)
	for i := range beats {
		send := beats[i].Do.(simnet.Send)
		send.WaitPeers = true
		beats[i].Do = send
	}
	beats[0].When = simnet.At(5 * time.Second) // after they have discovered each other
	both.World(0).Tell(beats...)
	trace := both.Run()
	if len(trace.Faults) > 0 {
		t.Fatalf("the run has faults:\n%v", trace)
	}
	for i, goal := range goals {
		if got := trace.Worlds[0].Goal(handle(i, goal)).Verdict(); got != "succeeded done" {
			t.Errorf("%s of both: %s", goal, got)
		}
	}
	for i, name := range trace.Names {
		if story := trace.Worlds[i].Story(); !strings.Contains(story, "active arming armed disarming active") ||
			!strings.HasSuffix(story, " unconfigured") {
			t.Errorf("%s showed %s", name, story)
		}
	}
}

// A simulation's instances follow each other, so two networks with one id would interfere on one
// desk.
func TestOtherNetworksDoNotMeet(t *testing.T) {
	seen := map[string][]string{}
	for _, path := range networks(t) {
		id := loadNetwork(t, path).Simulation
		seen[id] = append(seen[id], filepath.Base(path))
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if files := seen[id]; len(files) > 1 && !strings.HasPrefix(files[0], "two_hosts_") {
			t.Errorf("simulation %s is in %v", id, files)
		}
	}
}
