//go:build ros

package ros

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// The NRP backend as a peer: testdata/backend.py behaves as the original does. It and an instance of rstate share a
// simulation, and commands come to either of the two.

var walkSeed = flag.Uint64("walks.seed", 0, "the seed of TestP1WalksWithTheBackend; 0: another one each time")

const (
	walkCouples = 5
	walksEach   = 20 // the last one of a couple ends in a final state
)

// backend is the program.
type backend struct {
	t       *testing.T
	process *bed.Process
	in      io.Writer
	sent    int // lines

	mu   sync.Mutex
	said string
}

// backendView is a line of the program.
type backendView struct {
	State            string
	Hooks            map[string]int
	Log              []string
	Readers, Writers int
	Lines            int // of its stdin that it has carried out
}

func startBackend(t *testing.T, topic string) *backend {
	t.Helper()
	b := &backend{t: t}
	name := "/" + bed.Unique(t, "backend")
	process, in, out := bed.StartPiped(t, name,
		bed.Command{Args: []string{"python3", "-B", "testdata/backend.py", name, topic}})
	b.process, b.in = process, in
	go io.Copy(b, out) // ends with the program
	return b
}

func (b *backend) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said += string(text)
	return len(text), nil
}

// view returns the newest line.
func (b *backend) view() (v backendView) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := strings.Split(b.said, "\n")
	if len(lines) > 1 {
		_ = json.Unmarshal([]byte(lines[len(lines)-2]), &v) // the part behind the last newline has not come whole
	}
	return v
}

func (b *backend) await(what string, condition func(backendView) bool) {
	b.t.Helper()
	bed.Eventually(b.t, what, func() (string, bool) {
		v := b.view()
		return fmt.Sprintf("%+v", v), condition(v)
	})
}

func (b *backend) send(line string) {
	b.t.Helper()
	if _, err := fmt.Fprintln(b.in, line); err != nil {
		b.t.Fatalf("the backend cannot be sent %s: %v", line, err)
	}
	b.sent++
	b.await("the backend has carried out "+line, func(v backendView) bool { return v.Lines == b.sent })
}

// edge is what a command does in a state: where it leads, the hook of the backend, and what is asked of a node.
type edge struct {
	to, hook, node string
}

// walkTable has the commands by state. A repeat does nothing.
var walkTable = map[string]map[string]edge{
	"created": {"initialized": {"paused", "initialize", "configure"}, "stopped": {"stopped", "stop", "shutdown"},
		"failed": {"failed", "stop", "shutdown"}},
	"paused": {
		"initialized": {to: "paused"}, "paused": {to: "paused"}, "reset": {"paused", "reset", "cleanup configure"},
		"started": {"started", "start", "activate"}, "stopped": {"stopped", "stop", "shutdown"},
		"failed": {"halted", "fail", ""},
	},
	"started": {
		"started": {to: "started"}, "reset": {"paused", "reset", "deactivate cleanup configure"},
		"paused": {"paused", "pause", "deactivate"}, "stopped": {"stopped", "stop", "shutdown"},
		"failed": {"halted", "fail", "deactivate"},
	},
	"halted": {"failed": {to: "halted"}, "stopped": {"failed", "stop", "shutdown"}},
}

// couple is the two sides of a simulation, and what must have happened to them so far.
type couple struct {
	t       *testing.T
	rstate  *daemon.Daemon
	node    *bed.Node
	backend *backend

	state string
	hooks map[string]int
	words []string // asked of the node
	told  []string // the commands, for a report
}

func newCouple(t *testing.T) *couple {
	t.Helper()
	host := bed.StartHost(t)
	simulation := strings.NewReplacer("sim", "", "_", "").Replace(bed.Unique(t, "sim"))
	topic := "/ros_cle_simulation/sim_" + simulation + "/lifecycle"
	p := &couple{t: t, node: host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "world"), Threads: 2}), state: "created",
		hooks: map[string]int{}}
	p.backend = startBackend(t, topic)
	p.rstate = daemon.Start(t, host, daemon.Config{Binary: binary, Simulation: simulation,
		Network: fmt.Sprintf("machine: nrp\npeers: {plain: [%s]}\n%snodes:\n  %s: {}\n", p.backend.process.Name,
			patient, p.node.Name)})
	p.rstate.Intact("created")
	// it hears itself, too
	p.backend.await("both sides are matched", func(v backendView) bool { return v.Readers > 1 && v.Writers > 1 })
	return p
}

// does sends a command to a side, and waits until both have settled.
func (p *couple) does(command string, backend bool) {
	p.t.Helper()
	e := walkTable[p.state][command]
	result := "succeeded done " + e.to
	if e.hook == "" {
		result = "succeeded already " + e.to
	}
	p.expects(e)
	p.told = append(p.told, fmt.Sprintf("%s (backend: %v)", command, backend))
	if backend {
		p.backend.send(command)
	} else {
		p.rstate.Do(command, result)
	}
	p.settles()
}

// expects notes that something is done by both.
func (p *couple) expects(e edge) {
	p.state = e.to
	if e.hook != "" {
		p.hooks[e.hook]++
		p.words = append(p.words, strings.Fields(e.node)...)
	}
}

// settles waits until both are where they are to be, and neither has done more than that.
func (p *couple) settles() {
	p.t.Helper()
	p.backend.await(fmt.Sprintf("the backend is %s after %v, with the hooks %v", p.state, p.told, p.hooks),
		func(v backendView) bool { return v.State == p.state && maps.Equal(v.Hooks, p.hooks) })
	p.rstate.Await(fmt.Sprintf("rstate is %s after %v", p.state, p.told), func(v daemon.View) bool {
		return v.State.Label == p.state && v.Settled && slices.Equal(p.node.Truth().Words(), p.words)
	})
}

// ends checks what both sides say at the end: no divergence, no word that the backend does not know, no readers that do
// not fit.
func (p *couple) ends() {
	p.t.Helper()
	code := 0
	if p.state == "failed" {
		code = 1
	}
	if got := p.rstate.Process.Wait(p.t); got != code {
		p.t.Errorf("rstate ended with %d, want %d", got, code)
	}
	p.backend.process.Wait(p.t)
	v := p.backend.view()
	if v.State != p.state || !maps.Equal(v.Hooks, p.hooks) || len(v.Log) > 0 {
		p.t.Errorf("after %v the backend is %+v, want %s with the hooks %v and an empty log", p.told, v, p.state,
			p.hooks)
	}
	if got := p.node.Truth().Words(); !slices.Equal(got, p.words) {
		p.t.Errorf("after %v the node was asked to %v, want %v", p.told, got, p.words)
	}
	for _, side := range []*bed.Process{p.backend.process, p.rstate.Process} {
		for _, word := range []string{"incompatible", "shortest way"} {
			if strings.Contains(side.Log(), word) {
				p.t.Errorf("the log of %s has %q", side.Name, word)
			}
		}
	}
}

// walk draws some commands, and gives them. A walk that is not the last one of its couple ends nothing.
func (p *couple) walk(r *rand.Rand, last bool) {
	p.t.Helper()
	for range 2 + r.IntN(3) {
		var legal []string
		for command, e := range walkTable[p.state] {
			if !slices.Contains([]string{"halted", "stopped", "failed"}, e.to) {
				legal = append(legal, command)
			}
		}
		slices.Sort(legal)
		p.does(legal[r.IntN(len(legal))], r.IntN(2) == 0)
	}
	if !last {
		return
	}
	// failed in halted is a repeat
	for _, command := range [][]string{{"stopped"}, {"failed", "failed", "stopped"}}[r.IntN(2)] {
		p.does(command, r.IntN(2) == 0)
	}
	p.ends()
}

// TestP1WalksWithTheBackend: 100 drawn walks of commands, each given to one of the two sides. Every hook runs once per
// change on both sides, repeats run none, and nothing diverges.
func TestP1WalksWithTheBackend(t *testing.T) {
	t.Parallel()
	seed := *walkSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-walks.seed %d", seed)
	for k := range uint64(walkCouples) {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, k))
			p := newCouple(t)
			for walk := range walksEach {
				p.walk(r, walk == walksEach-1)
			}
		})
	}
}

// TestP1EndsFromCreated: of a simulation that was never initialized.
func TestP1EndsFromCreated(t *testing.T) {
	for command, backend := range map[string]bool{"stopped": false, "failed": true} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := newCouple(t)
			p.does(command, backend)
			p.ends()
		})
	}
}

// TestN7HooksThatFailBesideTheBackend: what fails on one side ends both in halted, and each side runs what failed once.
func TestN7HooksThatFailBesideTheBackend(t *testing.T) {
	refuses := []bed.Behaviour{{Result: bed.Failure}, {}}
	for name, c := range map[string]struct {
		first   []string
		command string
		backend bool   // it is given the command
		hook    string // of the backend, which throws
		node    string // the step that the node refuses once
		result  string // of the command given to rstate
		hooks   string // of the backend, one after another
		words   string
	}{
		"start of the backend": {command: "started", backend: true, hook: "start", hooks: "start fail"},
		"start of rstate": {command: "started", node: "activate", result: "aborted restored halted", hooks: "fail",
			words: "activate"},
		"pause of rstate": {first: []string{"started"}, command: "paused", node: "deactivate",
			result: "aborted restored halted", hooks: "pause fail",
			words: "deactivate deactivate"},
		"reset of rstate": {command: "reset", node: "cleanup", result: "aborted restored halted", hooks: "fail",
			words: "cleanup"},
		"start that the backend follows": {command: "started", hook: "start", result: "succeeded done started",
			hooks: "start fail",
			words: "activate deactivate"},
		"start that rstate follows": {command: "started", backend: true, node: "activate", hooks: "start fail",
			words: "activate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newCouple(t)
			p.does("initialized", true)
			for _, command := range c.first {
				p.does(command, true)
			}
			if c.node != "" {
				p.node.Script(c.node, refuses...)
			} else {
				p.backend.send("fail " + c.hook)
			}
			for _, hook := range strings.Fields(c.hooks) {
				p.hooks[hook]++
			}
			p.words, p.state = append(p.words, strings.Fields(c.words)...), "halted"
			if p.told = append(p.told, c.command); c.backend {
				p.backend.send(c.command)
			} else if got := p.rstate.End(p.rstate.Goal(c.command)).String(); got != c.result {
				t.Errorf("%s: %s, want %s", c.command, got, c.result)
			}
			p.settles()
			p.does("stopped", !c.backend)
			p.ends()
		})
	}
}
