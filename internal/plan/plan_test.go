package plan

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
)

const (
	u = lifecycle.Unconfigured
	i = lifecycle.Inactive
	a = lifecycle.Active
)

// robot is a network of lidar, slam after it, an optional camera, and an arm driver after slam.
func robot() *network.Network {
	d := network.Deadlines{
		Configure: 30 * time.Second, Activate: 10 * time.Second, Deactivate: 5 * time.Second, Cleanup: 4 * time.Second,
		Shutdown: 3 * time.Second, Arm: 2 * time.Second, Disarm: time.Second,
	}
	node := func(name string, after ...string) network.Node {
		return network.Node{Name: name, After: after, Lifecycle: true, NeedsConfiguration: true, Deadline: d}
	}
	net := &network.Network{Nodes: []network.Node{
		node("/lidar"), node("/slam", "/lidar"), node("/camera"), node("/arm_driver", "/slam"),
	}}
	net.Nodes[2].Optional = true
	net.Nodes[3].Arm = &network.Arm{Service: "/arm_driver/arm"}
	return net
}

func state(name string, others lifecycle.State) machine.State {
	return machine.State{Name: name, Nodes: machine.Want{Others: others}}
}

func there(states ...lifecycle.State) []Belief {
	list := make([]Belief, len(states))
	for k, s := range states {
		list[k] = Belief{Present: s != lifecycle.Unknown, State: s}
	}
	return list
}

func TestPlan(t *testing.T) {
	armed := state("armed", a)
	armed.Armed.All = true
	mapping := machine.State{Name: "mapping", Nodes: machine.Want{
		Groups: []machine.GroupWant{{Group: "perception", State: a}}, Others: i,
	}}
	wasArmed := there(a, a, a, a)
	wasArmed[3].Armed = true
	cases := []struct {
		name   string
		target machine.State
		now    []Belief
		want   string
	}{
		{"up: each after those it comes after", state("inactive", i), there(u, u, u, u), `to inactive, 4 steps:
  1. configure /lidar (30s)
  2. configure /slam after 1 (30s)
  3. configure /camera (30s, optional)
  4. configure /arm_driver after 2 (30s)
`},
		{"down: in reverse, and the optional node counts", state("unconfigured", u), there(i, i, i, i), `to unconfigured, 4 steps:
  1. cleanup /arm_driver (4s)
  2. cleanup /slam after 1 (4s)
  3. cleanup /lidar after 2 (4s)
  4. cleanup /camera (4s)
`},
		{"a node in its target state has no step", state("active", a), there(a, i, a, i), `to active, 2 steps:
  1. activate /slam (10s)
  2. activate /arm_driver after 1 (10s)
`},
		{"two steps for a node that is further away", state("active", a), there(a, u, a, i), `to active, 3 steps:
  1. configure /slam (30s)
  2. activate /slam after 1 (10s)
  3. activate /arm_driver after 2 (10s)
`},
		{"a missing node is named", state("inactive", i), there(u, i, lifecycle.Unknown, i), `to inactive, 1 step:
  1. configure /lidar (30s)
  !  /camera is not there
`},
		{"nothing to do", state("inactive", i), there(i, i, i, i), "to inactive: nothing to do\n"},
		{"arming comes after everything else", armed, there(a, i, a, a), `to armed, 2 steps:
  1. activate /slam (10s)
  2. arm /arm_driver after 1 (2s)
`},
		{"disarming comes before everything else", state("inactive", i), wasArmed, `to inactive, 5 steps:
  1. disarm /arm_driver (1s)
  2. deactivate /arm_driver after 1 (5s)
  3. deactivate /slam after 2 (5s)
  4. deactivate /lidar after 3 (5s)
  5. deactivate /camera (5s)
`},
		{"a state of groups lowers some and raises others", mapping, there(i, i, i, a), `to mapping, 4 steps:
  1. deactivate /arm_driver (5s)
  2. activate /lidar (10s)
  3. activate /slam after 2 (10s)
  4. activate /camera (10s, optional)
`},
	}
	net := robot()
	net.Groups = []network.Group{{Name: "perception", Nodes: []string{"/lidar", "/slam", "/camera"}}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Make(net, c.target, c.now).String(); got != c.want {
				t.Errorf("plan is\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestAtMostIsTheChainNotTheSum(t *testing.T) {
	p := Make(robot(), state("inactive", i), there(u, u, u, u))
	for k := range p.Steps {
		p.Steps[k].Deadline = 100 * time.Millisecond
	}
	if got, want := p.AtMost(), 300*time.Millisecond; got != want {
		t.Errorf("the longest way takes %v, want %v: lidar, slam, arm_driver", got, want)
	}
}

func TestEndsOfACircle(t *testing.T) {
	waits := [][]int{{1}, {2}, {0}, {0}}
	ends := Ends(4, func(i int) time.Duration { return time.Duration(i) },
		func(i int) time.Duration { return time.Duration(i + 1) }, func(i int) []int { return waits[i] })
	if want := []time.Duration{8, 7, 5, 12}; !slices.Equal(ends, want) { // 2 does not wait for 0, which waits for it
		t.Errorf("they end at %d, want %d", ends, want)
	}
}

// BenchmarkPlan1000 plans 1000 nodes in 100 chains of ten, which may take 10 ms.
func BenchmarkPlan1000(b *testing.B) {
	net := &network.Network{}
	now := make([]Belief, 1000)
	for k := range now {
		n := network.Node{Name: fmt.Sprintf("/n%d", k), Lifecycle: true, NeedsConfiguration: true}
		if k%10 > 0 {
			n.After = []string{fmt.Sprintf("/n%d", k-1)}
		}
		net.Nodes = append(net.Nodes, n)
		now[k] = Belief{Present: true, State: u}
	}
	for b.Loop() {
		if p := Make(net, state("active", a), now); len(p.Steps) != 2000 {
			b.Fatalf("the plan has %d steps", len(p.Steps))
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(10*time.Millisecond), "of-bound")
}
