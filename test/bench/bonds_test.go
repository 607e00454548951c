//go:build ros

package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

const (
	bondNodes     = 200
	bondProcesses = 4
	bondsHold     = time.Minute
)

// BenchmarkBonds holds bonds with 200 nodes for a minute, in place of nav2's lifecycle manager. No bond may break. Then
// all nodes fall silent, and each has to be lost: so each had bonded. The other sides of the bonds share one
// subscription, since 200 processes that read all heartbeats would measure themselves.
func BenchmarkBonds(b *testing.B) {
	nodes, hold := bondNodes, bondsHold
	if testing.Short() {
		nodes, hold = 8, 4*time.Second
	}
	once(b, func() outcome {
		env := bed.Nav2Interfaces(b)
		sisters := startPeerIn(b, env, "bonds.py")
		var names []string
		for range bondProcesses {
			for _, name := range startGroup(b, ownNodes, nodes/bondProcesses, 0).names() {
				names = append(names, strings.TrimPrefix(name, "/"))
			}
		}
		folder := b.TempDir()
		program := filepath.Join(folder, "lifecycle_manager")
		if err := os.Symlink(binary(b), program); err != nil {
			b.Fatal(err)
		}
		params := filepath.Join(folder, "nav2_params.yaml")
		text := fmt.Sprintf("/**:\n  ros__parameters:\n    autostart: true\n    parallel: true\n    node_names: [%s]\n",
			strings.Join(names, ", "))
		if err := os.WriteFile(params, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
		manager := bed.StartCommand(b, "manager", bed.Command{Env: append(env, shipped(nil).Env...),
			Args: []string{program, "--ros-args", "-r", "__node:=" + bed.Unique(b, "manager"), "--params-file", params}})
		said := func(what string) int { return strings.Count(manager.Log(), what) }
		bed.Eventually(b, "all nodes have bonded", func() (string, bool) {
			return fmt.Sprintf("%d of %d", said(" has bonded"), nodes), said(" has bonded") >= nodes
		})

		before, since := cpuOf(b, manager.Pid()), time.Now()
		<-time.After(hold)
		used := float64(cpuOf(b, manager.Pid())-before) / float64(time.Since(since))
		var held struct {
			Beating int
			Longest float64
		}
		sisters.ask("count", nil, &held)
		broken := said("its bond broke")
		sisters.ask("cease", nil, new(bool))
		bed.Eventually(b, "all nodes are lost", func() (string, bool) {
			return fmt.Sprintf("%d of %d", said("its bond broke"), nodes), said("its bond broke") >= nodes
		})

		missed := broken + nodes - held.Beating
		t := tableOf(fmt.Sprintf("Bonds with %d nodes for %v", nodes, hold), "held", "broken", "CPU of rstate", "longest silence of rstate", "")
		t.row(fmt.Sprintf("%d of %d", held.Beating, nodes), fmt.Sprint(broken), fmt.Sprintf("%.1f %% of a core", 100*used),
			fmt.Sprintf("%.2f s", held.Longest), verdict(1+float64(missed)))
		return outcome{"%cpu": 100 * used, ofBound: 1 + float64(missed)}
	})
}
