//go:build ros

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// TestF8TheErrorOfTheFailingNodeIsQuoted: what a node logs as an error in on_activate, which it refuses, stands in the
// result, in what rstate send prints, in the status and in rstate why. Only the failing command was rolled back: the
// network stays configured. The node answers when the daemon has its error: the two come over different topics, and the
// daemon waits only for a moment for the error.
func TestF8TheErrorOfTheFailingNodeIsQuoted(t *testing.T) {
	t.Setenv("ROS_HOME", t.TempDir())
	t.Setenv("ROS_LOG_DIR", t.TempDir())
	const text = "cannot open /dev/ttyUSB0: no such device"
	faulty, name := bed.Unique(t, "faulty"), bed.Unique(t, "rstate")
	file := networkFile(t, fmt.Sprintf("simulation: %s\nproof: 10s\n"+
		"nodes:\n  /%s: {deadline: {discover: 30s, configure: 30s, activate: 30s}}\n", bed.Unique(t, "demo"), faulty))
	node, answers, _ := bed.StartPiped(t, "faulty",
		bed.Command{Args: []string{"python3", "testdata/faulty.py", faulty, text}})
	says(t, node, "is there")
	daemon := rstate(t, "run", file, "--log", "text", "--log-level", "debug", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	go answerWhenTaken(daemon, regexp.MustCompile("logged an error .* ago: "+text), answers)

	quote := fmt.Sprintf("it logged %q", text)
	code, out, errs := separately(t, "send", "-o", "json", "active", "--node", name)
	var result struct {
		Outcome, Message string
		State            struct{ Label string }
		Nodes            []struct{ Name, Verdict, Evidence string }
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || code != exitFailed || len(result.Nodes) == 0 {
		t.Fatalf("code %d, %v\nprinted: %s\nsaid: %s", code, err, out, errs)
	}
	if n := result.Nodes[0]; n.Name != "/"+faulty || n.Verdict != "refused" || !strings.Contains(n.Evidence, quote) ||
		!strings.Contains(result.Message, quote) {
		t.Errorf("the result does not quote the node: %+v", result)
	}
	if result.Outcome != "restored" || result.State.Label != "inactive" ||
		!strings.HasPrefix(result.Message, "activate failed") ||
		!strings.Contains(result.Message, "the network is inactive again") {
		t.Errorf("the result does not say what was rolled back: %+v", result)
	}
	for verb, said := range map[string]string{
		"send":   do(t, exitFailed, "send", "active", "--node", name),
		"why":    do(t, exitDone, "why", "--node", name),
		"status": do(t, exitDone, "status", "--node", name),
	} {
		if !strings.Contains(said, quote) || strings.Contains(said, "earlier step") {
			t.Errorf("rstate %s does not quote the node:\n%s", verb, said)
		}
	}
}

// answerWhenTaken lets a node answer as often as its daemon has taken an error of it.
func answerWhenTaken(daemon *bed.Process, taken *regexp.Regexp, answers io.Writer) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for answered := 0; ; {
		select {
		case <-daemon.Done():
			return
		case <-look.C:
			for ; answered < len(taken.FindAllString(daemon.Log(), -1)); answered++ {
				fmt.Fprintln(answers)
			}
		}
	}
}
