//go:build ros

package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// binary is the tool under test.
var binary string

func TestMain(m *testing.M) { daemon.Main(m, &binary, 0) }

// The bounds: what the daemon may have at any time of the attack. docs/security.md names them.
const (
	mostMemory     = 500 << 20
	mostFiles      = 250
	mostGoroutines = 500
	mostJournal    = 40 << 20
)

// attacked is a network that can be armed: one node that follows the lease, and one for which a guard does. None of its
// processes uses rclpy or rclcpp, which the bytes would end.
type attacked struct {
	t                             *testing.T
	name, simulation, home, node  string
	daemon, guard, leased, driver *bed.Process
	address                       string
}

func newAttacked(t *testing.T) *attacked {
	a := &attacked{t: t, name: "/" + bed.Unique(t, "rstate"), simulation: bed.Unique(t, "sim"), home: t.TempDir()}
	leased, driver := "/"+bed.Unique(t, "leased"), "/"+bed.Unique(t, "driver")
	a.node = leased
	a.leased = a.start("leased", "node", leased, "--arm", "--lease", a.name+"/arm_lease")
	a.driver = a.start("driver", "node", driver, "--arm", "--no-lease")
	file := filepath.Join(t.TempDir(), "network.yaml")
	text := fmt.Sprintf("simulation: %s\nproof: 5s\nstartup: adopt\npeers: {plain: [/listed]}\n"+
		"defaults: {deadline: {discover: 25s, arm: 10s, disarm: 10s}}\nnodes:\n  %s: {arm: {}}\n  %s: {arm: {dead_man: none}}\n",
		a.simulation, leased, driver)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a.daemon = a.start("daemon", "run", file, "--http", "127.0.0.1:0", "--journal", filepath.Join(a.home, "journal"),
		"--ros-args", "-r", "__node:="+strings.TrimPrefix(a.name, "/"))
	a.guard = a.start("guard", "guard", "--node", a.name, driver+"/arm")
	a.address = daemon.AddressOf(t, a.daemon)
	says(t, a.guard, "the guard starts")
	return a
}

func (a *attacked) start(name string, args ...string) *bed.Process {
	return bed.StartCommand(a.t, name, bed.Command{Args: append([]string{binary}, args...),
		Env: []string{"ROS_HOME=" + a.home}})
}

func says(t *testing.T, p *bed.Process, text string) {
	t.Helper()
	bed.Eventually(t, p.Name+" says "+text, func() (string, bool) { return p.Log(), strings.Contains(p.Log(), text) })
}

// get reads from the daemon over HTTP, which is how the test sees that it answers.
func (a *attacked) get(path string) (string, error) {
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Get(a.address + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

func (a *attacked) state() (state string, settled bool) {
	text, err := a.get("/simulation/" + a.simulation + "/state")
	if err != nil {
		a.t.Fatalf("the daemon does not answer: %v\n%s", err, a.daemon.Log())
	}
	var s struct {
		State   string
		Settled bool
	}
	_ = json.Unmarshal([]byte(text), &s)
	return s.State, s.Settled
}

// armed disarms and arms the network as often as it takes: what the attack lets through may disarm a node by itself,
// which is safe. A daemon that did not run for a while may leave nodes on the way, which have to go back first.
func (a *attacked) armed() {
	a.t.Helper()
	out := ""
	bed.Eventually(a.t, "the network is armed", func() (string, bool) {
		out = a.send("disarm") + a.send("armed")
		if strings.Contains(out, "the network is not intact") {
			out += a.send("unconfigured")
		}
		state, settled := a.state()
		return out + a.daemon.Log(), state == "armed" && settled && moves(a.leased) && moves(a.driver)
	})
}

func (a *attacked) send(word string) string {
	cmd := exec.Command(binary, "send", word, "--node", a.name)
	cmd.Env = append(os.Environ(), "ROS_HOME="+a.home)
	text, _ := cmd.CombinedOutput()
	return string(text)
}

// moves reports whether a demo node is armed, by its own word.
func moves(p *bed.Process) bool {
	log := p.Log()
	return strings.LastIndex(log, `"msg":"armed"`) > max(strings.LastIndex(log, `"msg":"disarmed"`),
		strings.LastIndex(log, ended))
}

// attack starts the hostile participant, and tells it now and then what it could read on ~/state.
func (a *attacked) attack() *bed.Process {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		a.t.Fatal(err)
	}
	p := bed.StartCommand(a.t, "hostile",
		bed.Command{Args: []string{"python3", "-B", filepath.Join(folder, "hostile.py"),
			a.known(), a.name, a.simulation, a.node}})
	return p
}

// known writes down what anyone can read on ~/state, and returns the file. The attacker cannot listen itself: its own
// bytes would end it.
func (a *attacked) known() string {
	file := filepath.Join(a.home, "known")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	cmd := exec.Command(binary, "status", "--node", a.name, "-o", "json")
	cmd.Env = append(os.Environ(), "ROS_HOME="+a.home)
	text, err := cmd.Output()
	var s struct {
		Instance string `json:"instance_id"`
		Term     uint64 `json:"lease_term"`
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil || s.Instance == "" || s.Term == 0 {
		a.t.Fatalf("the state does not tell instance and term: %v\n%s", err, text)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, "%s %d\n", s.Instance, s.Term), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return file
}

// usage is what the daemon has.
type usage struct {
	Memory, Files, Goroutines int
	Journal                   int64
}

var (
	resident   = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)`)
)

func number(where *regexp.Regexp, text string) int {
	if m := where.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return -1
}

func (a *attacked) usage() (u usage) {
	pid := a.daemon.Pid()
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	u.Memory = number(resident, string(status)) << 10
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	u.Files = len(files)
	metrics, err := a.get("/metrics")
	if err != nil {
		a.t.Fatalf("the daemon does not answer: %v", err)
	}
	u.Goroutines = number(goroutines, metrics)
	_ = filepath.Walk(a.home, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			u.Journal += info.Size()
		}
		return nil
	})
	return u
}

// attackFor is how long the attack lasts before the network is armed again.
func attackFor() time.Duration {
	if testing.Short() {
		return 10 * time.Second
	}
	return 60 * time.Second
}

// TestA7NothingThatAParticipantSendsKeepsTheNetworkArmed: during the attack no process ends and the daemon answers
// within its bounds. Then the network is armed, the daemon is killed while the attack goes on, and both nodes are
// disarmed.
func TestA7NothingThatAParticipantSendsKeepsTheNetworkArmed(t *testing.T) {
	a := newAttacked(t)
	a.armed()
	says(t, a.guard, "a lease holds")
	hostile := a.attack()
	says(t, hostile, "round 10\n")
	for end := time.Now().Add(attackFor()); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		u := a.usage()
		if u.Memory > mostMemory || u.Files > mostFiles || u.Goroutines > mostGoroutines || u.Journal > mostJournal {
			t.Fatalf("the daemon has %+v", u)
		}
		a.state()
		hostile = a.goesOn(hostile)
	}
	said := hostile.Log()
	t.Logf("at the end it has %+v; %s", a.usage(), said[max(0, len(said)-20):])
	a.armed()
	a.daemon.Kill()
	bed.Eventually(t, "both nodes are disarmed", func() (string, bool) {
		hostile = a.goesOn(hostile)
		return a.guard.Log() + a.leased.Log() + a.driver.Log(), !moves(a.leased) && !moves(a.driver)
	})
}

// ended is what a demo node says when it disarms by itself.
const ended = "disarmed itself"

// goesOn checks that no process has ended but the daemon where the test has killed it. The attacker's own bytes may end
// it; then another one goes on.
func (a *attacked) goesOn(hostile *bed.Process) *bed.Process {
	a.t.Helper()
	for _, p := range []*bed.Process{a.guard, a.leased, a.driver} {
		select {
		case <-p.Done():
			a.t.Fatalf("%s has ended:\n%s", p.Name, p.Log())
		default:
		}
	}
	select {
	case <-hostile.Done():
		return a.attack()
	default:
		return hostile
	}
}
