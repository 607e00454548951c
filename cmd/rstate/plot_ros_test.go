//go:build ros

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rstate/internal/recording"
	"rstate/test/bed"
	"rstate/test/bed/stall"
)

// TestL13DemoNodesAreRecorded: rstate up records what its demo nodes publish, status says where, and plot reads it.
func TestL13DemoNodesAreRecorded(t *testing.T) {
	node, daemon, record := "/"+bed.Unique(t, "world"), bed.Unique(t, "rstate"), filepath.Join(t.TempDir(), "run.mcap")
	file := networkFile(t, fmt.Sprintf("simulation: %s\nmachine: cle\nproof: 10s\nnodes: {%s: {}}\nloop: {dt: 100ms, record: %s, participants: {%[2]s: {as: simulator, deadline: 25s}}}\n",
		bed.Unique(t, "sim"), node, record))
	bed.Eventually(t, "the daemon runs as long as the loop", func() (string, bool) {
		up := rstate(t, "up", file, "--ros-args", "-r", "__node:="+daemon)
		says(t, up, "the network is created")
		do(t, exitDone, "send", "initialize", "--node", "/"+daemon)
		step := rstate(t, "step", "21", "--node", "/"+daemon)
		code := step.Wait(t)
		again := code != exitDone && stall.Refused(step.Log())
		if code != exitDone && !again {
			t.Errorf("step ended with %d; it said:\n%s", code, step.Log())
		}
		if said := do(t, exitDone, "status", "--node", "/"+daemon); !strings.Contains(said, "recorded to "+record) {
			t.Errorf("status does not say where the recording is:\n%s", said)
		}
		up.Signal(syscall.SIGINT)
		up.Wait(t)
		if again {
			os.Remove(record)
		}
		return step.Log(), !again
	})
	code, out, errs := invoke("plot", record, node+"/wave", "-o", "json")
	var list []recording.Series
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != exitDone || len(list) != 1 ||
		len(list[0].Values) != 21 {
		t.Fatalf("plot ended with %d: %s%s", code, out, errs)
	}
	if v := list[0].Values[5]; list[0].Name != node+"/wave.data" || math.Abs(v-1) > 1e-9 {
		t.Errorf("at 0.5 s %s is %v, want 1", list[0].Name, v)
	}
	for _, form := range []string{"table", "svg"} {
		if code, out, errs := invoke("plot", record, node+"/wave", "-o", form); code != exitDone ||
			!strings.Contains(out, node+"/wave.data") {
			t.Errorf("plot ended with %d: %s%s", code, out, errs)
		}
	}
	if code, _, errs := invoke("plot", record, "/nothing"); code != exitBadInput ||
		!strings.Contains(errs, "there are "+node+"/wave, /rstate/steps") &&
			!strings.Contains(errs, "there are /rstate/steps, "+node+"/wave") {
		t.Errorf("plot of nothing ended with %d: %s", code, errs)
	}
}
