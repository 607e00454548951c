//go:build ros

package faults

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// The load of TestBursts. The full measurement is 10 runs of 10 bursts, for each distribution:
//
//	RSTATE_BURST_RUNS=10 RSTATE_BURSTS=10 go test -tags ros -count=1 -timeout 30m -v ./test/faults -run TestBursts
const (
	runsVariable   = "RSTATE_BURST_RUNS"
	burstsVariable = "RSTATE_BURSTS"
	burstSize      = 25
)

func scale(t *testing.T, variable string, usual int) int {
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number from 1", variable, text)
	}
	return n
}

// tally is the total of all runs.
type tally struct {
	codes    map[int]int
	warnings int           // in the log of the daemon
	stalls   int           // of the daemon's process: this machine did not run it
	dropped  int           // answers, by its middleware
	slowest  time.Duration // of all bursts
	end      time.Duration // the longest that a daemon took to end
}

func (c tally) String() string {
	var codes []string
	for code, n := range c.codes {
		codes = append(codes, fmt.Sprintf("%d with code %d", n, code))
	}
	slices.Sort(codes)
	return fmt.Sprintf("%s; %d warnings, %d stalls, %d answers dropped; the slowest burst took %v, the slowest end %v",
		strings.Join(codes, ", "), c.warnings, c.stalls, c.dropped, c.slowest.Round(time.Millisecond),
		c.end.Round(time.Millisecond))
}

// TestBursts: under bursts of short-lived clients the daemon keeps answering. Every client
// succeeds, no node is lost, the loop is never late, and the daemon ends. A stall of the whole process
// is the machine's; what follows it in the log is not judged.
func TestBursts(t *testing.T) {
	runs, bursts := scale(t, runsVariable, 1), scale(t, burstsVariable, 3)
	c := tally{codes: map[int]int{}}
	for i := range runs {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) { burst(t, bursts, &c) })
	}
	t.Logf("%d runs of %d bursts of %d clients: %v", runs, bursts, burstSize, c)
}

// burst does one run, with processes of its own.
func burst(t *testing.T, bursts int, c *tally) {
	env := stock("LOCALHOST")
	space := "/" + bed.Unique(t, "space")
	front, rear, side := space+"/front", space+"/rear", space+"/side"
	file := filepath.Join(t.TempDir(), "network.yaml")
	text := fmt.Sprintf("simulation: %[1]s\nnodes:\n  %[2]s: {}\n  %[3]s: {after: [%[2]s], probe: 1s, arm: {}}\n  %[4]s: {after: [%[2]s]}\n",
		bed.Unique(t, "sim"), front, rear, side)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, env, "node", front)
	run(t, env, "node", side)
	run(t, env, "node", rear, "--arm-service", rear+"/arm")
	name := bed.Unique(t, "rstate")
	d := run(t, env, "run", file, "--log", "json", "--ros-args", "-r", "__node:="+name)
	send := func() *bed.Process { return run(t, env, "send", "active", "--node", name) }
	first := send()
	if code := first.Wait(t); code != 0 {
		t.Fatalf("the first client ended with %d", code)
	}
	before := len(said(d))
	for range bursts {
		began := time.Now()
		var clients []*bed.Process
		for range burstSize {
			clients = append(clients, send())
		}
		for _, client := range clients {
			code := client.Wait(t)
			c.codes[code]++
			if code != 0 {
				t.Errorf("a client ended with %d: %s", code, client.Log())
			}
		}
		c.slowest = max(c.slowest, time.Since(began))
	}
	stalled := false
	for _, line := range said(d)[before:] {
		if strings.Contains(line, "client will not receive response") { // the client retries
			c.dropped++
			continue
		}
		var entry struct{ Level, Kind string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("the daemon logged %q", line)
		} else if entry.Kind == "stall" && strings.Contains(line, "the process") {
			stalled = true
			c.stalls++
		} else if stalled {
			continue
		} else if entry.Level != "info" || entry.Kind == "node" {
			c.warnings++
			t.Errorf("the daemon logged %s", line)
		}
	}
	status := run(t, env, "status", "--node", name)
	if code := status.Wait(t); code != 0 || !strings.Contains(status.Log(), ": active\n") {
		t.Errorf("status, code %d, printed:\n%s", code, status.Log())
	}
	began := time.Now()
	d.Signal(syscall.SIGTERM)
	if code := d.Wait(t); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
	c.end = max(c.end, time.Since(began))
}
