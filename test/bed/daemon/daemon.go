// Package daemon runs rstate in tests as its users do: the built binary as a process of its own.
// The bed's rclpy host subscribes to its topics and sends its goals. It imports test/bed and
// nothing of the product.
package daemon

import (
	"cmp"
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
// returns that one, which must have been built with the tags of the tests.
func Build(folder string) (string, error) {
	if binary := os.Getenv("RSTATE_BINARY"); binary != "" {
		return binary, nil
	}
	binary := filepath.Join(folder, "rstate")
	build := exec.Command("go", "build", "-tags", bed.Tags, "-o", binary, "rstate/cmd/rstate")
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
	Args       []string  // further arguments of ROS, such as -r and a rule
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
	args = append(args, d.config.Args...)
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

// HasAll reports whether a text contains all the words.
func HasAll(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
