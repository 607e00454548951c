//go:build ros

package peers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
	"rstate/test/bed/team"
)

// works is a factory on a host of its own.
type works struct {
	t       *testing.T
	site    *team.Site
	process *bed.Process
}

// startWorks starts a factory. Its experiment part drives a node of its host, and shared drives one that the other
// factory's drives, too. Their nodes need not be there.
func startWorks(t *testing.T, l *team.Land, host string) *works {
	t.Helper()
	w := &works{t: t, site: l.Site(host)}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"part":   "simulation: $(sim)\nmachine: nrp\nnodes: {/" + host + "_$(sim): {}}\n",
		"shared": "simulation: $(sim)\nmachine: nrp\nnodes: {/shared: {deadline: {discover: 1ms}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.process = bed.StartCommand(t, "factory "+host, bed.Command{
		Args: []string{binary, "factory", "--experiments", dir, "--ros-args", "-r", "__ns:=/" + host},
		Env:  w.site.Environment(), On: w.site.At.Do,
	})
	return w
}

type created struct {
	Success       bool
	Message, Name string
}

func (w *works) creates(experiment, id string) (c created) {
	w.t.Helper()
	err := w.site.Host.Call("rstate_msgs/srv/CreateSimulation", "/"+w.site.Name+"/rstate_factory/create_simulation",
		map[string]any{"experiment": experiment, "simulation": id}, bed.Deadline, &c)
	if err != nil {
		w.t.Fatalf("create: %v", err)
	}
	return c
}

// simulation creates the simulation of an id, with its node.
func (w *works) simulation(id string) (*daemon.Daemon, *bed.Node) {
	w.t.Helper()
	node := w.site.Host.Node(bed.NodeSpec{Name: "/" + w.site.Name + "_" + id, Threads: 2})
	c := w.creates("part", id)
	if !c.Success {
		w.t.Fatalf("simulation %s is not created: %s", id, c.Message)
	}
	d := daemon.Watch(w.t, w.site.Host, c.Name, id, w.process)
	d.Intact("created")
	return d, node
}

// meet waits until two instances know of each other.
func meet(a, b *daemon.Daemon) {
	for _, p := range [][2]*daemon.Daemon{{a, b}, {b, a}} {
		p[0].Await("it knows "+p[1].Name, func(v daemon.View) bool { return v.Peer(p[1].Name).Alive })
	}
}

// TestS9FactoriesOnTwoHosts: simulations of one id follow each other over the wire, also after a cut. A node that a
// simulation of the other host drives is refused.
func TestS9FactoriesOnTwoHosts(t *testing.T) {
	l := newLand(t, "base", "arm")
	base, arm := startWorks(t, l, "base"), startWorks(t, l, "arm")
	here, front := base.simulation("7")
	there, rear := arm.simulation("7")
	meet(here, there)
	here.Do("initialized", "succeeded done paused")
	there.Intact("paused")
	l.Wire.Cut(base.site.At)
	for _, p := range [][2]*daemon.Daemon{{here, there}, {there, here}} {
		p[0].Await("it misses "+p[1].Name, func(v daemon.View) bool { return !v.Peer(p[1].Name).Alive })
	}
	l.Wire.Heal(base.site.At)
	meet(here, there)
	there.Do("started", "succeeded done started")
	here.Intact("started")
	for _, n := range []*bed.Node{front, rear} {
		if words := n.Truth().Words(); !slices.Equal(words, []string{"configure", "activate"}) {
			t.Errorf("%s was asked for %v", n.Name, words)
		}
	}

	shared := base.creates("shared", "8")
	if !shared.Success {
		t.Fatal(shared.Message)
	}
	// Endpoints are announced in the order of their making: simulation 8 is found before simulation 9.
	nine, _ := base.simulation("9")
	other, _ := arm.simulation("9")
	meet(nine, other)
	if c := arm.creates("shared", "10"); c.Success ||
		!strings.Contains(c.Message, shared.Name+" drives the node /shared") {
		t.Errorf("the node is driven from both hosts: %+v", c)
	}
	if c := arm.creates("part", ""); !c.Success || !strings.HasSuffix(c.Name, fmt.Sprintf("/sim_%d/rstate", 11)) {
		t.Errorf("the next simulation is %+v", c)
	}
}
