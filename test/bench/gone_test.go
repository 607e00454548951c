//go:build ros

package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

const goneLimit = time.Second

// BenchmarkCoordinatorGone is how long after a coordinator that holds a network armed is killed, or stopped, its nodes are
// disarmed: one beside which a guard runs, when its callback is called, and one that follows the lease by itself (the
// example in Python), when it has said so. The clock is the wall's, which the processes of one machine have in common.
func BenchmarkCoordinatorGone(b *testing.B) {
	host := bed.NewHost(b)
	took := map[string]series{}
	rounds := times(b, "RSTATE_BENCH_GONE", 15, 3)
	for range rounds {
		for way, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
			byGuard, byItself := newGone(b, host).end(signal)
			took[way+"/guarded"], took[way+"/leased"] = append(took[way+"/guarded"], byGuard), append(took[way+"/leased"], byItself)
		}
	}
	t := tableOf(fmt.Sprintf("Coordinator gone while armed → disarmed, each over %d times, in ms", rounds),
		"coordinator", "node", "median", "p90", "p99", "most", "limit of p99", "")
	for _, what := range slices.Sorted(maps.Keys(took)) {
		b.Run(what, func(b *testing.B) {
			once(b, func() outcome {
				way, node, _ := strings.Cut(what, "/")
				p99 := took[what].quantile(0.99)
				used := float64(p99) / float64(goneLimit)
				t.row(way, node, took[what].spread(), ms(goneLimit), verdict(used))
				return outcome{"ns/op": float64(took[what].median()), "p99-ns": float64(p99), ofBound: used}
			})
		})
	}
}

// gone is a network of two nodes that can be armed, and a guard beside the one. It is used once: what a killed process
// leaves in the graph is in the way of a second coordinator of the name.
type gone struct {
	b            *testing.B
	host         *bed.Host
	daemon, file string
	guarded      *bed.Node
	guard        *bed.Process
	leased       *bed.Process
}

func newGone(b *testing.B, host *bed.Host) *gone {
	b.Helper()
	g := &gone{b: b, host: host, daemon: bed.Unique(b, "rstate")}
	bare, follows := "/"+bed.Unique(b, "bare"), bed.Unique(b, "leased")
	g.guarded = host.Node(bed.NodeSpec{Name: bare, Arm: bare + "/arm", Threads: 2})
	folder := must[string](b)(filepath.Abs("../../ros/rstate"))
	g.leased = bed.StartCommand(b, "leased node", bed.Command{
		Args: []string{"python3", "-B", filepath.Join(folder, "examples", "leased_node.py"),
			"--ros-args", "-r", "__node:=" + follows, "-p", "coordinator:=/" + g.daemon},
		Env: []string{"PYTHONPATH=" + folder + string(filepath.ListSeparator) + os.Getenv("PYTHONPATH")},
	})
	g.file = filepath.Join(b.TempDir(), "network.yaml")
	text := fmt.Sprintf("simulation: %s\nnodes:\n  %s: {arm: {dead_man: none}}\n  /%s: {arm: {dead_man: lease}}\n", g.daemon, bare, follows)
	if err := os.WriteFile(g.file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	g.guard = bed.StartCommand(b, "guard", shipped([]string{binary(b), "guard", g.file, "--node", "/" + g.daemon}))
	return g
}

// end arms, ends the coordinator, and returns how long each of the two took to be disarmed.
func (g *gone) end(signal syscall.Signal) (guarded, leased time.Duration) {
	g.b.Helper()
	process, _ := launch(g.b, g.daemon, g.file)
	goal := g.host.SendGoal("rstate_msgs/action/Transition", "/"+g.daemon+"/transition", map[string]any{"command": "armed"})
	if status := goal.Result(nil); status != bed.StatusSucceeded {
		g.b.Fatalf("arming ended with status %d: %s", status, goal.Record().Result)
	}
	bed.Eventually(g.b, "the guard hears the lease", func() (string, bool) {
		return g.guard.Log(), strings.Contains(g.guard.Log(), "a lease holds")
	})
	at := time.Now().UnixNano()
	process.Signal(signal)
	bed.Eventually(g.b, "both are disarmed", func() (string, bool) {
		truth, said := g.guarded.Truth(), g.lapsed()
		return fmt.Sprintf("%+v; %s", truth, g.leased.Log()), !truth.Armed && said > 0
	})
	for _, p := range []*bed.Process{process, g.guard, g.leased} {
		p.Kill()
	}
	calls := g.guarded.Truth().Calls
	for k := len(calls) - 1; k >= 0 && calls[k].What == "disarm" && calls[k].Begin > at; k-- {
		guarded = time.Duration(calls[k].Begin - at) // the first one after it
	}
	if leased = time.Duration(g.lapsed() - at); guarded <= 0 || leased <= 0 {
		g.b.Fatalf("they were disarmed before the coordinator was ended: %v, %v; %+v", guarded, leased, calls)
	}
	return guarded, leased
}

var lapse = regexp.MustCompile(`\[(\d+)\.(\d{9})\] \[[^\]]*\]: disarmed: its lease has ended`)

// lapsed is when the leased node said that its lease had ended; 0: it has not.
func (g *gone) lapsed() int64 {
	m := lapse.FindStringSubmatch(g.leased.Log())
	if m == nil {
		return 0
	}
	return must[int64](g.b)(strconv.ParseInt(m[1]+m[2], 10, 64))
}
