//go:build ros

package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	idleNodes     = 50
	idleProcesses = 5
	idleFor       = 12 * time.Second
	idleCPU       = 0.01 // of a core
	idleMemory    = 60   // MB
	// tick is the unit of times in /proc/<pid>/stat, which is the same on every Linux that Go
	// supports.
	tick = 10 * time.Millisecond
)

// BenchmarkIdle measures what the idle daemon costs: its network is active, and no goal is sent.
func BenchmarkIdle(b *testing.B) {
	window := idleFor
	if testing.Short() {
		window = 4 * time.Second
	}
	var groups []group
	for range idleProcesses {
		groups = append(groups, startGroup(b, ownNodes, idleNodes/idleProcesses, 0))
	}
	d := newCaller(b).startDaemon(b, groups...)
	d.command("active")
	<-time.After(2 * time.Second) // the work after the start does not count as idle
	before, since := cpuOf(b, d.process.Pid()), time.Now()
	<-time.After(window)
	share := float64(cpuOf(b, d.process.Pid())-before) / float64(time.Since(since))
	rss, pss := memoryOf(b, d.process.Pid())
	t := tableOf(fmt.Sprintf("The daemon idle over %d active nodes in %d processes", idleNodes, idleProcesses),
		"what", "used", "limit", "")
	b.Run("cpu", func(b *testing.B) {
		once(b, func() outcome {
			used := share / idleCPU
			t.row(fmt.Sprintf("CPU over %v", window), fmt.Sprintf("%.2f %% of a core", 100*share),
				fmt.Sprintf("%.0f %%", 100*idleCPU), verdict(used))
			return outcome{"%cpu": 100 * share, ofBound: used}
		})
	})
	b.Run("memory", func(b *testing.B) {
		once(b, func() outcome {
			used := rss / idleMemory
			t.row("RSS", fmt.Sprintf("%.1f MB", rss), fmt.Sprintf("%d MB", idleMemory), verdict(used))
			t.row("PSS, shared pages by halves", fmt.Sprintf("%.1f MB", pss), "", "")
			return outcome{"RSS-MB": rss, "PSS-MB": pss, ofBound: used}
		})
	})
}

// cpuOf returns the processor time of a process, in user mode and in the kernel.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name before it may contain any character
	fields := strings.Fields(after)
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatalf("cannot read %q: %v", text, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// memoryOf returns the memory of a process in MB: all of it, and with only its share of shared
// pages.
func memoryOf(b *testing.B, pid int) (rss, pss float64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		switch kilobytes, _ := strconv.ParseFloat(fields[1], 64); fields[0] {
		case "Rss:":
			rss = kilobytes * 1024 / 1e6
		case "Pss:":
			pss = kilobytes * 1024 / 1e6
		}
	}
	if rss == 0 {
		b.Fatalf("cannot find the memory of %d in:\n%s", pid, text)
	}
	return rss, pss
}
