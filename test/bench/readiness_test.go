//go:build ros

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

const (
	readinessRounds = 3
	readinessCPU    = 0.01 // of a core, more than without checks
)

// BenchmarkReadiness measures what it costs that readiness is known at any time: an idle daemon over 50 active nodes, with
// ten checks and without, in turns over the same nodes.
func BenchmarkReadiness(b *testing.B) {
	window, rounds := idleFor, readinessRounds
	if testing.Short() {
		window, rounds = 4*time.Second, 1
	}
	var groups []group
	for range idleProcesses {
		groups = append(groups, startGroup(b, ownNodes, idleNodes/idleProcesses, 0))
	}
	name := bed.Unique(b, "checked")
	topics := []string{"rate_a", "rate_b", "rate_c", "rate_d", "age_a", "age_b", "field_a"}
	args := []string{binary(b), "node", "/" + name, "--log-level", "error", "--arm-service", "/" + name + "/arm", "--no-lease",
		"--service", "/" + name + "/test:std_srvs/srv/Trigger"}
	for _, topic := range topics {
		args = append(args, "--topic", fmt.Sprintf("/%s/%s:std_msgs/msg/Float64:20Hz", name, topic))
	}
	bed.StartCommand(b, "nodes", shipped(args))
	file := filepath.Join(b.TempDir(), "there")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	checks := []string{"{service: ~/test}", "{parameter: use_sim_time, is: false}", "{file: " + file + "}",
		"{topic: ~/field_a, field: data, below: 1}", "{topic: ~/age_a, age: 1s}", "{topic: ~/age_b, age: 500ms}"}
	for _, topic := range topics[:4] {
		checks = append(checks, "{topic: ~/"+topic+", rate: 10Hz}")
	}
	list := strings.ReplaceAll(strings.Join(checks, ", "), "~", "/"+name)
	c := newCaller(b)
	share := func(what, keys string) float64 {
		d := c.startDaemonOn(b, bed.Unique(b, what), groups[0].prefix,
			withNode(b, networkFile(b, groups...), fmt.Sprintf("  /%s: {%s}\n", name, keys)))
		d.command("active")
		<-time.After(3 * time.Second) // the work after the start does not count as idle
		before, since := cpuOf(b, d.process.Pid()), time.Now()
		<-time.After(window)
		used := float64(cpuOf(b, d.process.Pid())-before) / float64(time.Since(since))
		d.process.Signal(syscall.SIGTERM)
		d.process.Wait(b)
		return used
	}
	b.Run("cpu", func(b *testing.B) {
		once(b, func() outcome {
			least := [2]float64{1, 1} // of the rounds: what else runs on the machine only adds to it
			for range rounds {
				least[0] = min(least[0], share("without", "arm: {dead_man: none}"))
				least[1] = min(least[1], share("with", "arm: {dead_man: none}, checks: ["+list+"]"))
			}
			more := least[1] - least[0]
			used := more / readinessCPU
			t := tableOf(fmt.Sprintf("An idle daemon over %d active nodes, and %d checks", idleNodes+1, len(checks)),
				"what", "used", "limit", "")
			t.row("CPU without checks", fmt.Sprintf("%.2f %% of a core", 100*least[0]), "", "")
			t.row("with checks, more", fmt.Sprintf("%.2f %% of a core", 100*more), fmt.Sprintf("%.0f %%", 100*readinessCPU),
				verdict(used))
			return outcome{"%cpu-more": 100 * more, ofBound: max(0, used)}
		})
	})
}

// withNode adds a line to the nodes of a network file.
func withNode(b *testing.B, file, line string) string {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, line...), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}
