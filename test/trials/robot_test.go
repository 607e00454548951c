//go:build ros

package trials

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/team"
)

// sides are the two hosts. The daemon, its client and the observer are on the first one.
const sides = 2

// robot is a network with a daemon, two guards and four nodes, and what they say.
type robot struct {
	t      testing.TB
	binary string
	name   string // of the daemon
	file   string // the network file
	land   *team.Land
	sites  [sides]*team.Site
	nodes  []*node
	guards [sides]*guard
	daemon *bed.Process
	goals  []*goal
	fresh  bool // a process was started since the robot was armed last

	mu   sync.Mutex // guards what follows, which readers of processes write
	said record
	dead string // the instance that was killed last; messages of it may still arrive
}

// node is a node that can be armed.
type node struct {
	name   string
	side   int
	leased bool // it follows the lease
	*speaker
	over bool // it is finalized
}

// guard disarms the node of a host that follows no lease.
type guard struct {
	side    int
	guarded *node
	process *bed.Process
}

// newRobot starts all processes, and returns when the network is active and was armed once.
func newRobot(t testing.TB) *robot {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	r := &robot{t: t, binary: binary, name: "/" + bed.Unique(t, "trials"), land: team.NewLand(t, "base", "arm")}
	for side, name := range []string{"base", "arm"} {
		r.sites[side] = r.land.Site(name)
		for _, leased := range []bool{true, false} {
			kind := map[bool]string{true: "leased", false: "guarded"}[leased]
			r.nodes = append(r.nodes, &node{name: fmt.Sprintf("%s/%s_%s", r.name, name, kind), side: side,
				leased: leased})
		}
		r.guards[side] = &guard{side: side, guarded: r.nodes[len(r.nodes)-1]}
	}
	r.writeFile()
	r.speak("observer", 0, r.shown, "observer.py", r.name)
	for _, n := range r.nodes {
		r.startNode(n)
	}
	r.startDaemon()
	for _, g := range r.guards {
		r.startGuard(g)
	}
	return r
}

// writeFile writes the network file. A node that is asked to arm owes no proof before deadline.arm has passed,
// so a loss meanwhile is noticed that late. settles is longer than any node of the trials takes to arm.
func (r *robot) writeFile() {
	r.t.Helper()
	text := fmt.Sprintf("simulation: %s\nproof: %[2]v\ndefaults: {deadline: {arm: %[2]v}}\nnodes:\n",
		strings.TrimPrefix(r.name, "/"), proof)
	for _, n := range r.nodes {
		deadMan := map[bool]string{true: "lease", false: "none"}[n.leased]
		text += fmt.Sprintf("  %s: {arm: {dead_man: %s, settles: 1s}}\n", n.name, deadMan)
	}
	r.file = filepath.Join(r.t.TempDir(), "network.yaml")
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// env is the environment of a process on a host. A killed process leaves the graph of the others soon.
func (r *robot) env(side int, more ...string) []string {
	return slices.Concat(r.sites[side].Environment(), bed.ShortLease(r.t), more)
}

func (r *robot) startNode(n *node) {
	r.t.Helper()
	r.fresh, n.over = true, false
	args := []string{"node.py", n.name}
	if n.leased {
		args = append(args, r.name)
	}
	n.speaker = r.speak(n.name, n.side, func(l line) { r.heard(n, l) }, args...)
}

func (r *robot) startGuard(g *guard) {
	r.t.Helper()
	r.fresh = true
	name := fmt.Sprintf("guard of %s", g.guarded.name)
	g.process = bed.StartCommand(r.t, name, bed.Command{On: r.sites[g.side].At.Do, Env: r.env(g.side),
		Args: []string{r.binary, "guard", g.guarded.name + "/arm", "--node", r.name}})
	bed.Eventually(r.t, "the guard starts", func() (string, bool) {
		return g.process.Log(), strings.Contains(g.process.Log(), "the guard starts")
	})
}

// holds returns how many leases the guard has heard, each counted once.
func (g *guard) holds() int { return strings.Count(g.process.Log(), "a lease holds") }

// startDaemon starts the daemon, and returns when it knows its network.
func (r *robot) startDaemon() {
	r.t.Helper()
	r.fresh = true
	r.daemon = bed.StartCommand(r.t, r.name, bed.Command{On: r.sites[0].At.Do, Env: r.env(0),
		Args: []string{r.binary, "run", r.file, "--ros-args", "-r", "__node:=" + strings.TrimPrefix(r.name, "/")}})
	bed.Eventually(r.t, "the daemon knows its network", func() (string, bool) {
		v := r.view()
		return fmt.Sprintf("%+v", v), v.instance != "" && v.settled && v.state != "unknown"
	})
	// A request that is sent to a killed daemon, which is still in the graph, is lost.
	bed.Eventually(r.t, "the daemon answers", func() (string, bool) {
		state, err := r.sites[0].Host.GetState(r.name, 300*time.Millisecond)
		return fmt.Sprint(state, err), err == nil
	})
}

// killDaemon returns when the process has ended. What it has shown counts no longer.
func (r *robot) killDaemon() {
	r.daemon.Signal(syscall.SIGKILL)
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.said.views); n > 0 {
		r.dead = r.said.views[n-1].instance
	}
	r.said.views = append(r.said.views, view{at: now()})
}

// killNode returns when the process has ended, and notes the end of its word after all that it said.
func (r *robot) killNode(n *node) {
	n.process.Kill()
	<-n.ended
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said.words = append(r.said.words, word{node: n.name, at: now(), why: "its process was killed"})
}

// shown notes a message on ~/state.
func (r *robot) shown(l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.What == "shown" && l.Instance != r.dead {
		r.said.views = append(r.said.views,
			view{at: l.At, stamp: l.Stamp, instance: l.Instance, state: l.State, settled: l.Settled, named: l.Named})
	}
}

// heard notes what a node says of itself.
func (r *robot) heard(n *node, l line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch l.What {
	case "armed", "disarmed":
		r.said.words = append(r.said.words, word{node: n.name, at: l.At, armed: l.What == "armed", why: l.Why})
	case "finalized":
		n.over = true
	}
}

// view returns what is shown now.
func (r *robot) view() view {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.said.views); n > 0 {
		return r.said.views[n-1]
	}
	return view{}
}

// record returns what was said so far, in the order of time.
func (r *robot) record() record {
	r.mu.Lock()
	defer r.mu.Unlock()
	words := slices.Clone(r.said.words)
	slices.SortStableFunc(words, func(a, b word) int { return int(a.at - b.at) })
	return record{words: words, views: slices.Clone(r.said.views), endings: slices.Clone(r.said.endings)}
}

// forget drops the record, except for what is shown now. No node is armed then.
func (r *robot) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = record{views: slices.Clone(r.said.views[max(0, len(r.said.views)-1):])}
}

// armed returns the nodes that are armed by their own word.
func (r *robot) armed() (names []string) {
	said, at := r.record(), now()
	for _, n := range r.nodes {
		if list := said.armedIn(n.name, at); len(list) > 0 && list[len(list)-1].to == at {
			names = append(names, n.name)
		}
	}
	return names
}

// names returns the names of all nodes.
func (r *robot) names() (names []string) {
	for _, n := range r.nodes {
		names = append(names, n.name)
	}
	return names
}
