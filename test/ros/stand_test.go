//go:build ros

package ros

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// A stand is a network in a namespace of its own, its nodes in rclpy, and the daemon over them. The
// table tests of this package run on stands. In its network file a line `~/front: {}` stands for
// the node front of the namespace; `arm:`, `lifecycle: false` and sub-states on a line also apply to
// the rclpy node.
type stand struct {
	*daemon.Daemon
	t     *testing.T
	host  *bed.Host
	whole *stand // the stand of the whole test, which owns everything that outlives a subtest
	space string
	parts []part
	nodes map[string]*bed.Node
	loops bool // every node takes part in the loop of the network
}

// part is a line of the network.
type part struct {
	name       string
	arm, plain bool
	reports    bool
}

// setup holds the differences to a default stand.
type setup struct {
	network    string                                // empty: trio
	scripts    map[string]map[string][]bed.Behaviour // by node and word
	away       []string                              // nodes that are not started
	threads    int                                   // of each node; 0: 2
	parameters bool                                  // each node serves its parameters
	ready      string                                // the state to wait for; empty: unconfigured; "-": do not wait
	config     daemon.Config
}

// trio is a chain of three nodes, of which the last can be armed. The long proof keeps a busy
// machine from disarming it.
const trio = `proof: 10s
nodes:
  ~/front: {}
  ~/middle: {after: [~/front]}
  ~/rear: {after: [~/middle], arm: {}}
`

// unhurried is trio for tests that do something while an arm or a disarm is held up, before its deadline.
var unhurried = strings.Replace(trio, "arm: {}", "arm: {}, deadline: {arm: 1m, disarm: 1m}", 1)

// patient lets a start wait for discovery: when many networks start at once, discovery takes most
// of the default 10 s.
const patient = "defaults: {deadline: {discover: 25s}}\n"

var nodeLine = regexp.MustCompile(`(?m)^  ~/(\w+):(.*)$`)

func newStand(t *testing.T, s setup) *stand {
	t.Helper()
	if s.network == "" {
		s.network = trio
	}
	host := bed.StartHost(t)
	st := &stand{t: t, host: host, space: "/" + bed.Unique(t, "stand"), nodes: map[string]*bed.Node{}}
	st.whole, st.loops = st, strings.Contains(s.network, "loop:")
	for _, m := range nodeLine.FindAllStringSubmatch(s.network, -1) {
		st.parts = append(st.parts, part{m[1], strings.Contains(m[2], "arm:"),
			strings.Contains(m[2], "lifecycle: false"), strings.Contains(m[2], "_states:")})
	}
	for _, p := range st.parts {
		if !slices.Contains(s.away, p.name) {
			st.appear(host, p.name, bed.NodeSpec{Script: s.scripts[p.name], Threads: s.threads, Parameters: s.parameters})
		}
	}
	if len(s.away) == 0 && !strings.Contains(s.network, "defaults:") {
		s.network = patient + s.network
	}
	s.config.Binary = cmp.Or(s.config.Binary, binary)
	s.config.Network = strings.ReplaceAll(s.network, "~", st.space)
	s.config.Name = st.space + "/rstate"
	st.Daemon = daemon.Start(t, st.host, s.config)
	rests := st.Intact // a goal would be rejected while a node has not been read
	if len(s.away) > 0 {
		rests = st.Settled
	}
	if s.ready != "-" {
		rests(cmp.Or(s.ready, "unconfigured"))
	}
	return st
}

// in returns the stand for a subtest.
func (s *stand) in(t *testing.T) *stand {
	part := *s
	part.t, part.host, part.Daemon = t, s.host.In(t), s.Daemon.In(t)
	return &part
}

// full returns a node's full name.
func (s *stand) full(name string) string { return s.space + "/" + name }

// appear starts a node of the network in a host process.
func (s *stand) appear(host *bed.Host, name string, spec bed.NodeSpec) *bed.Node {
	s.t.Helper()
	i := slices.IndexFunc(s.parts, func(p part) bool { return p.name == name })
	if i < 0 {
		s.t.Fatalf("the network has no node %q", name)
	}
	spec.Name, spec.Plain, spec.Reports, spec.Steps = s.full(name), s.parts[i].plain, s.parts[i].reports, s.loops
	if s.parts[i].arm {
		spec.Arm = spec.Name + "/arm"
	}
	if spec.Threads == 0 {
		spec.Threads = 2
	}
	s.nodes[name] = host.Node(spec)
	return s.nodes[name]
}

// back starts a node of the network, again or for the first time, until the end of the whole test.
func (s *stand) back(name string) *bed.Node {
	s.t.Helper()
	return s.appear(s.whole.host, name, bed.NodeSpec{})
}

// restart kills the daemon and starts it again over the same nodes, with its journal or without.
func (s *stand) restart(journal bool) {
	s.t.Helper()
	s.Process.Kill()
	if !journal {
		s.LoseJournal()
	}
	s.again()
}

// again starts a daemon that has ended.
func (s *stand) again() {
	s.t.Helper()
	s.whole.Daemon = s.whole.Again()
	s.Daemon = s.whole.Daemon.In(s.t)
}

// vanish ends a node cleanly.
func (s *stand) vanish(name string) {
	s.t.Helper()
	s.nodes[name].Destroy()
	delete(s.nodes, name)
}

// script changes the behaviour of a node from now on.
func (s *stand) script(name, word string, behaviours ...bed.Behaviour) {
	s.t.Helper()
	s.nodes[name].Script(word, behaviours...)
}

// honest resets the scripts, so that every node obeys.
func (s *stand) honest() {
	s.t.Helper()
	for _, n := range s.nodes {
		for _, word := range []string{"configure", "activate", "deactivate", "cleanup", "shutdown", "error", "arm",
			"disarm"} {
			n.Script(word, bed.Behaviour{})
		}
	}
}

// busy waits until a node is in its callback.
func (s *stand) busy(name, word string) {
	s.t.Helper()
	bed.Eventually(s.t, name+" is in its "+word, func() (string, bool) {
		truth := s.nodes[name].Truth()
		return fmt.Sprintf("%+v", truth), running(truth, word)
	})
}

// where asks the nodes for their states: "inactive inactive active+armed"; "-" stands for a missing
// node.
func (s *stand) where() string {
	s.t.Helper()
	var list []string
	for _, p := range s.parts {
		n := s.nodes[p.name]
		if n == nil {
			list = append(list, "-")
			continue
		}
		truth := n.Truth()
		word := truth.State
		if p.plain {
			word = "plain"
		}
		if truth.Armed {
			word += "+armed"
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}

// all returns one state for every node, in the format of where.
func (s *stand) all(label string) string {
	return strings.TrimSpace(strings.Repeat(label+" ", len(s.parts)))
}

func (s *stand) wantWhere(want string) {
	s.t.Helper()
	if got := s.where(); got != want {
		s.t.Errorf("nodes are %q, want %q", got, want)
	}
}

// awaitWhere waits until the nodes themselves report these states.
func (s *stand) awaitWhere(want string) {
	s.t.Helper()
	bed.Eventually(s.t, "the nodes are "+want, func() (string, bool) {
		got := s.where()
		return got, got == want
	})
}

// tool requests a transition of a node as another tool would, without the daemon.
func (s *stand) tool(name, label string) {
	s.t.Helper()
	if ok, err := s.host.ChangeState(s.full(name), label, bed.Deadline); err != nil || !ok {
		s.t.Fatalf("another tool cannot %s %s: %v %v", label, name, ok, err)
	}
}

// wantNodes checks the results of nodes: "activate refused, it is still inactive" is the step, the
// verdict, and a part of the evidence.
func (s *stand) wantNodes(r daemon.Result, want map[string]string) {
	s.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		verdict, evidence, _ := strings.Cut(want[name], ", ")
		n := r.Node(s.full(name))
		if got := strings.TrimSpace(n.Step + " " + n.Verdict); got != verdict ||
			!strings.Contains(n.Evidence, evidence) {
			s.t.Errorf("the result of %s is %q, %q; want %q", name, got, n.Evidence, want[name])
		}
	}
}

// origin returns the settled state of the network.
func (s *stand) origin() string {
	s.t.Helper()
	return s.Await("the network rests", func(v daemon.View) bool { return v.Settled }).State.Label
}

// bring takes the network to a state from any settled state.
func (s *stand) bring(state string) {
	s.t.Helper()
	r := s.End(s.Goal(state))
	if !r.Success || r.State.Label != state {
		s.t.Fatalf("cannot bring the network to %s: %+v", state, r)
	}
	s.Intact(state)
}
