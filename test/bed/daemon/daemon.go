// Package daemon runs rstate in tests as its users do: the built binary as a process of its own.
// The bed's rclpy host subscribes to its topics and sends its goals. It imports test/bed and
// nothing of the product.
package daemon

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rstate/test/bed"
)

// Build builds rstate into a folder and returns the binary; with RSTATE_BINARY, which a run of several packages sets, it
// returns that one.
func Build(folder string) (string, error) {
	if binary := os.Getenv("RSTATE_BINARY"); binary != "" {
		return binary, nil
	}
	binary := filepath.Join(folder, "rstate")
	build := exec.Command("go", "build", "-tags", "ros", "-o", binary, "rstate/cmd/rstate")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build rstate: %w\n%s", err, out)
	}
	return binary, nil
}

// Main runs the tests of a package that starts rstate, and ends the process. It builds rstate first, and says where it is.
// Up to parallel tests run at a time, unless the command line says otherwise; 0: as many as there are processors.
func Main(m *testing.M, binary *string, parallel int) {
	folder, err := os.MkdirTemp("", "rstate-tests-")
	if err == nil {
		*binary, err = Build(folder)
	}
	if err == nil && parallel > 0 { // flags of the command line are parsed later and take precedence
		err = flag.Set("test.parallel", strconv.Itoa(parallel))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := bed.Main(m)
	os.RemoveAll(folder)
	os.Exit(code)
}

// Config describes the daemon to start.
type Config struct {
	Binary     string
	Name       string    // of its node, with the slash; empty: a unique one
	Simulation string    // empty: a unique one
	Network    string    // the text of the network file, without `simulation`
	Journal    string    // the folder; empty: the default, below the bed's ROS_HOME
	Env        []string  // NAME=value
	Level      string    // of its log; empty: info
	Result     string    // the file in which it leaves how it has ended; empty: none
	HTTP       bool      // it serves HTTP; see Address
	Listen     string    // the address of HTTP; empty: any port of this host alone
	On         bed.Place // nil: this machine; the rclpy host must be at the same place
}

// Daemon is a running daemon. It is killed when the test ends.
type Daemon struct {
	Name       string
	Simulation string
	Process    *bed.Process
	t          testing.TB
	host       *bed.Host
	config     Config
	file       string
	states     *bed.Subscription
}

// Start starts a daemon. Use one of the waits below to learn its state.
func Start(t testing.TB, host *bed.Host, c Config) *Daemon {
	t.Helper()
	if c.Name == "" {
		c.Name = "/" + bed.Unique(t, "rstate")
	}
	if c.Simulation == "" {
		c.Simulation = bed.Unique(t, "sim")
	}
	d := &Daemon{Name: c.Name, Simulation: c.Simulation, t: t, host: host, config: c}
	d.file = filepath.Join(t.TempDir(), "network.yaml")
	text := fmt.Sprintf("simulation: %s\n%s", d.Simulation, c.Network)
	if err := os.WriteFile(d.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d.run()
	return d
}

// Watch returns an instance that another process runs, such as a simulation of a factory. It is not
// started, and its Process is the given one.
func Watch(t testing.TB, host *bed.Host, name, simulation string, in *bed.Process) *Daemon {
	t.Helper()
	states := host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: name + "/state", Latched: true})
	return &Daemon{Name: name, Simulation: simulation, Process: in, t: t, host: host, states: states}
}

func (d *Daemon) run() {
	d.t.Helper()
	d.states = d.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: d.Name + "/state",
		Latched: true})
	args := []string{d.config.Binary, "run", d.file}
	if d.config.Journal != "" {
		args = append(args, "--journal", d.config.Journal)
	}
	if d.config.Level != "" {
		args = append(args, "--log-level", d.config.Level)
	}
	if d.config.Result != "" {
		args = append(args, "--result", d.config.Result)
	}
	if d.config.HTTP {
		args = append(args, "--http", cmp.Or(d.config.Listen, "0"))
	}
	namespace, base := filepath.Split(d.Name)
	args = append(args, "--ros-args", "-r", "__node:="+base, "-r", "__ns:="+filepath.Clean(namespace))
	d.Process = bed.StartCommand(d.t, d.Name, bed.Command{Args: args, Env: d.config.Env, On: d.config.On})
}

var served = regexp.MustCompile(`"address":"(http://[^"]+)"`)

// Address returns where the daemon serves HTTP.
func (d *Daemon) Address() string {
	d.t.Helper()
	return AddressOf(d.t, d.Process)
}

// AddressOf returns where a process of rstate serves HTTP.
func AddressOf(t testing.TB, p *bed.Process) string {
	t.Helper()
	var found []string
	bed.Eventually(t, "it serves HTTP", func() (string, bool) {
		found = served.FindStringSubmatch(p.Log())
		return p.Log(), found != nil
	})
	return found[1]
}

// Again starts the daemon once more, after it has ended or was killed, with the same name, file and
// journal.
func (d *Daemon) Again() *Daemon {
	d.t.Helper()
	next := *d
	next.run()
	return &next
}

// AgainThere is Again at the same address of HTTP, for clients that were connected.
func (d *Daemon) AgainThere() *Daemon {
	d.t.Helper()
	next := *d
	next.config.Listen = strings.TrimPrefix(d.Address(), "http://")
	next.run()
	return &next
}

// Rewrite gives the daemon another network file, which its next start reads.
func (d *Daemon) Rewrite(network string) {
	d.t.Helper()
	text := fmt.Sprintf("simulation: %s\n%s", d.Simulation, network)
	if err := os.WriteFile(d.file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// In returns the daemon for a subtest.
func (d *Daemon) In(t testing.TB) *Daemon {
	part := *d
	part.t, part.host = t, d.host.In(t)
	return &part
}

// From returns the daemon as seen from another host process, which has not seen an earlier daemon
// of that name die.
func (d *Daemon) From(host *bed.Host) *Daemon {
	other := *d
	other.host = host
	return &other
}

// Journal returns the folder of the daemon's journal.
func (d *Daemon) Journal() string {
	if d.config.Journal != "" {
		return d.config.Journal
	}
	home := os.Getenv("ROS_HOME")
	for _, e := range d.config.Env {
		if own, ok := strings.CutPrefix(e, "ROS_HOME="); ok {
			home = own
		}
	}
	return filepath.Join(home, "rstate", strings.ReplaceAll(strings.TrimPrefix(d.Name, "/"), "/", "."))
}

// LoseJournal deletes the journal of a daemon that has ended, which must be there.
func (d *Daemon) LoseJournal() {
	d.t.Helper()
	if entries, err := os.ReadDir(d.Journal()); err != nil || len(entries) == 0 {
		d.t.Fatalf("there is no journal to be deleted: %v", err)
	}
	if err := os.RemoveAll(d.Journal()); err != nil {
		d.t.Fatal(err)
	}
}

// Await waits for a view that satisfies the condition. `what` completes "it never came about that
// …".
func (d *Daemon) Await(what string, condition func(View) bool) (last View) {
	d.t.Helper()
	bed.EventuallyAfter(d.t, d.states.Pause, what, func() (string, bool) {
		var v View
		if !d.states.Last(&v) {
			return "nothing on ~/state", false
		}
		last = v
		return fmt.Sprintf("%+v", v), condition(v)
	})
	return last
}

// View returns the newest view.
func (d *Daemon) View() View {
	d.t.Helper()
	return d.Await("~/state has a message", func(View) bool { return true })
}

// Settled waits until the network has settled in a state.
func (d *Daemon) Settled(label string) View {
	d.t.Helper()
	return d.Await("the network is "+label, func(v View) bool { return v.State.Label == label && v.Settled })
}

// Intact waits until the network has settled in a state and no required node deviates.
func (d *Daemon) Intact(label string) View {
	d.t.Helper()
	return d.Await("the network is "+label+" and intact", func(v View) bool {
		return v.State.Label == label && v.Settled && v.Intact
	})
}

// Publishers returns how many daemons of the name are in the graph: a killed one stays for a while.
func (d *Daemon) Publishers() int { return d.states.Publishers() }

// Alone waits until killed daemons of the name have left the graph. Until then a request may go to one of them. The
// daemon must have been heard before.
func (d *Daemon) Alone() {
	d.t.Helper()
	bed.Eventually(d.t, "killed daemons of the name have left the graph",
		func() (string, bool) { n := d.Publishers(); return fmt.Sprint(n), n == 1 })
}

// Passed lists the published states, without repetitions.
func (d *Daemon) Passed() []string {
	d.t.Helper()
	var labels []string
	for _, m := range d.states.Messages() {
		var v View
		d.host.Decode(m.Message, &v)
		if n := len(labels); n == 0 || labels[n-1] != v.State.Label {
			labels = append(labels, v.State.Label)
		}
	}
	return labels
}

// Goal sends a goal of the action, again if need be; see Taken.
func (d *Daemon) Goal(command string) *bed.Goal {
	d.t.Helper()
	return d.goal(map[string]any{"command": command, "reason": "a test"})
}

// Post sends a goal of the action, and does not wait for its answer.
func (d *Daemon) Post(command string) *bed.Goal {
	d.t.Helper()
	return d.PostAll(command)[0]
}

// PostAll is Post for several goals of one client, which leave at once.
func (d *Daemon) PostAll(commands ...string) []*bed.Goal {
	d.t.Helper()
	var goals []map[string]any
	for _, command := range commands {
		goals = append(goals, map[string]any{"command": command, "reason": "a test"})
	}
	return d.host.PostGoals("rstate_msgs/action/Transition", d.Name+"/transition", goals...)
}

// GoalWith sends a goal with an argument.
func (d *Daemon) GoalWith(command, argument string) *bed.Goal {
	d.t.Helper()
	return d.goal(map[string]any{"command": command, "reason": "a test", "argument": argument})
}

// GoalOfAll sends a goal that also waits for the peers.
func (d *Daemon) GoalOfAll(command string) *bed.Goal {
	d.t.Helper()
	return d.goal(map[string]any{"command": command, "reason": "a test", "wait_peers": true})
}

func (d *Daemon) goal(fields map[string]any) *bed.Goal {
	d.t.Helper()
	g := d.host.SendGoal("rstate_msgs/action/Transition", d.Name+"/transition", fields)
	Taken(d.t, d.states, g)
	return g
}

// NodeResult is the result of one node.
type NodeResult struct {
	Name, Step, Verdict, Evidence string
	ToState                       State `json:"to_state"`
}

// Result is the result of a goal.
type Result struct {
	Success bool
	Outcome string
	Message string
	State   State
	Nodes   []NodeResult
	Ended   string // succeeded, canceled, aborted
}

// Node returns the result of one node by its full name.
func (r Result) Node(name string) NodeResult {
	if i := slices.IndexFunc(r.Nodes, func(n NodeResult) bool { return n.Name == name }); i >= 0 {
		return r.Nodes[i]
	}
	return NodeResult{}
}

// String returns three words: the status, the outcome and the state, such as "aborted restored
// inactive".
func (r Result) String() string {
	return strings.Join([]string{r.Ended, r.Outcome, r.State.Label}, " ")
}

// End waits for a goal's end; see Ended.
func (d *Daemon) End(g *bed.Goal) Result {
	d.t.Helper()
	var r Result
	status := Ended(d.t, d.states, g, &r)
	if status == 0 {
		d.t.Fatalf("the goal was rejected: %+v", d.View())
	}
	r.Ended = map[int]string{bed.StatusSucceeded: "succeeded", bed.StatusCanceled: "canceled",
		bed.StatusAborted: "aborted"}[status]
	if r.Success != (status == bed.StatusSucceeded) || r.Message == "" {
		d.t.Errorf("a result contradicts itself: %s, %+v", r.Ended, r)
	}
	return r
}

// stalled is part of what the daemon says when it rejects or aborts a goal because it did not run for a while. On a
// busy machine that happens to a daemon that works, and its clients send such a goal again.
const stalled = "did not run for"

// Ended waits for a goal's end, decodes the result and returns the status; 0: the goal was rejected. A goal that was
// aborted because the daemon did not run for a while is sent again once, from the state in which the network rested
// before. The states are those of the daemon.
func Ended(t testing.TB, states *bed.Subscription, g *bed.Goal, into any) (status int) {
	t.Helper()
	for again := false; Taken(t, states, g); again = true {
		var r Result
		g.Result(&r)
		status = g.Result(into)
		if again || status != bed.StatusAborted || r.Outcome != "preempted" || !strings.Contains(r.Message, stalled) {
			return status
		}
		t.Logf("a goal is sent again, since it was aborted: %s", r.Message)
		if !restored(t, states, g, r.Message) {
			return status
		}
		g.Send()
	}
	return 0
}

// restored brings a network back to where it rested before the daemon did not run for a while, and reports whether it
// is there: its nodes may have moved on. why is how the daemon says that it did not run.
func restored(t testing.TB, states *bed.Subscription, g *bed.Goal, why string) bool {
	t.Helper()
	var rested string
	bed.EventuallyAfter(t, states.Pause, "the daemon reads its nodes again", func() (string, bool) {
		last, found := "", false
		for _, m := range states.Messages() {
			switch v := viewOf(t, m); {
			case v.State.Label == "unknown" && strings.Contains(v.Cause, why):
				rested, found = last, true
			case v.Settled:
				last = v.State.Label
			}
		}
		return last, found
	})
	back := g.Beside(map[string]any{"command": rested, "reason": "a test begins anew"})
	return Taken(t, states, back) && back.Result(nil) == bed.StatusSucceeded
}

func viewOf(t testing.TB, m bed.Message) (v View) {
	t.Helper()
	if err := json.Unmarshal(m.Message, &v); err != nil {
		t.Fatalf("cannot read %s: %v", m.Message, err)
	}
	return v
}

// Taken reports whether a goal was accepted. A goal that is rejected because the daemon did not run for a while is sent
// until the daemon takes goals again.
func Taken(t testing.TB, states *bed.Subscription, g *bed.Goal) bool {
	t.Helper()
	rejected := false
	bed.EventuallyAfter(t, states.Pause, "the daemon takes goals again", func() (string, bool) {
		if rejected {
			g.Send()
		}
		if g.Accepted || g.Answered() {
			return "", true
		}
		why := refusal(t, states, g)
		if rejected = strings.Contains(why, stalled); rejected {
			t.Logf("a goal is sent again, since %s", why)
		}
		return why, !rejected
	})
	return g.Accepted
}

// refusal waits until the daemon says why it has rejected a goal. It is empty if the daemon says nothing, as after its
// end, or if another rejection has taken the place.
func refusal(t testing.TB, states *bed.Subscription, g *bed.Goal) (why string) {
	t.Helper()
	id := g.Record().ID
	bed.Within(bed.Deadline, states.Pause, func() bool {
		for _, m := range slices.Backward(states.Messages()) {
			if v := viewOf(t, m); v.RefusedGoal == id {
				why = v.Refusal
				return true
			}
		}
		return false
	})
	return why
}

// Do sends a command that must end as in want, such as "succeeded done active".
func (d *Daemon) Do(command, want string) Result {
	d.t.Helper()
	r := d.End(d.Goal(command))
	if r.String() != want {
		d.t.Fatalf("%s: %v, want %s: %+v", command, r, want, r)
	}
	return r
}

// Rejected sends a command that must be rejected, for a reason that contains all the words.
func (d *Daemon) Rejected(command string, words ...string) {
	d.t.Helper()
	if g := d.Goal(command); g.Accepted {
		d.t.Fatalf("%s was accepted", command)
	}
	d.Await("it says why "+command+" was rejected",
		func(v View) bool { return HasAll(v.Refusal, append(words, command)...) })
}

// HasAll reports whether a text contains all the words.
func HasAll(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
