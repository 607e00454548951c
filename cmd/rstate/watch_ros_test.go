//go:build ros

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	"rstate/test/bed"
)

// onTerminal starts a command line on a terminal.
func onTerminal(t *testing.T, columns, lines int, args ...string) *bed.Terminal {
	t.Helper()
	return bed.StartOnTerminal(t, "rstate "+args[0], bed.Command{
		Args: append([]string{os.Args[0]}, args...), Env: []string{beRstate + "=1"},
	}, columns, lines)
}

func shows(t *testing.T, p *bed.Terminal, parts ...string) {
	t.Helper()
	p.Shows(t, strings.Join(parts, " and "), func(seen string) bool {
		for _, part := range parts {
			if !strings.Contains(seen, part) {
				return false
			}
		}
		return true
	})
}

// showed waits until a terminal shows all the parts, and returns whether it shows them. If the daemon has stood still
// first, it waits until the program has ended.
func showed(t *testing.T, p *bed.Terminal, still func() bool, parts ...string) (all bool) {
	t.Helper()
	p.Shows(t, strings.Join(parts, " and "), func(seen string) bool {
		all = !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(seen, part) })
		return all || still()
	})
	if !all {
		p.Wait(t)
	}
	return all
}

// endsWith waits until a program on a terminal has ended, and says what is wrong if it has not ended with the code.
func endsWith(t *testing.T, p *bed.Terminal, want int) (wrong string) {
	t.Helper()
	if code := p.Wait(t); code != want {
		return fmt.Sprintf("it ended with %d, and shows:\n%s", code, p.Screen)
	}
	return ""
}

// asFound fails unless the terminal is in its initial state, and received no unknown escape
// sequence.
func asFound(t *testing.T, p *bed.Terminal) {
	t.Helper()
	bed.Eventually(t, "the terminal is as it was found", func() (string, bool) {
		return p.Screen.String(), p.Screen.Restored()
	})
	if strange := p.Screen.Strange(); len(strange) > 0 {
		t.Errorf("the terminal was sent %v", strange)
	}
}

func TestWatchOnATerminal(t *testing.T) {
	name, daemon := startNetwork(t)
	w := onTerminal(t, 100, 20, "watch", "--node", name)
	shows(t, w, name+"  simulation", "\n  unconfigured\n", "legal now: configure, shutdown")
	do(t, exitDone, "send", "configure", "--node", name)
	shows(t, w, "▸ inactive", "the network is inactive", "legal now: cleanup, activate, shutdown")
	if n := strings.Count(w.Screen.String(), "simulation"); n != 2 { // the head, and the first line of the events
		t.Errorf("it has not drawn in place:\n%s", w.Screen)
	}
	w.Resize(40, 8)
	w.Shows(t, "what there is room for", func(seen string) bool {
		return strings.Contains(seen, "inactive") && strings.Contains(seen, "…") && !strings.Contains(seen, "was unconfigured")
	})
	w.Resize(100, 20)
	shows(t, w, "was unconfigured")
	repeats(t, daemon, strings.TrimPrefix(name, "/"))
	adopted := strings.Count(daemon.Log(), "adopted: ")
	daemon.Freeze()
	shows(t, w, "silent since")
	daemon.Thaw()
	w.Shows(t, "that it is back", func(seen string) bool {
		return !strings.Contains(seen, "silent since") && strings.Contains(seen, "is back")
	})
	bed.Eventually(t, "the daemon has read the network again", func() (string, bool) {
		return daemon.Log(), strings.Count(daemon.Log(), "adopted: ") > adopted
	})
	w.Shows(t, "where the network is then", regexp.MustCompile(`(?m)^[ ▸]*inactive`).MatchString)
	w.Type("\x03")
	if code := w.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
	asFound(t, w)
	shows(t, w, ": inactive")
}

// TestWatchGivesTheTerminalBackForCtrlZ: a suspended watch must release the terminal.
func TestWatchGivesTheTerminalBackForCtrlZ(t *testing.T) {
	name, _ := startNetwork(t)
	w := onTerminal(t, 100, 20, "watch", "--node", name)
	shows(t, w, "legal now")
	w.Signal(syscall.SIGTSTP)
	bed.Eventually(t, "it has stopped", func() (string, bool) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.Pid()))
		return string(text), strings.Contains(string(text), ") T ")
	})
	asFound(t, w)
	w.Signal(syscall.SIGCONT)
	shows(t, w, "legal now")
	w.Signal(syscall.SIGTERM)
	if code := w.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
	asFound(t, w)
}

func TestWatchSaysALineForEachChangeAndGoesOnWithANewDaemon(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	run := []string{"run", file, "--log", "text", "--ros-args", "-r", "__node:=" + name}
	w := rstate(t, "watch", "--wait", "--node", name)
	daemon := rstate(t, run...)
	says(t, w, "unconfigured")
	do(t, exitDone, "send", "armed", "--node", name)
	says(t, w, "the network is armed")
	repeats(t, daemon, name)
	daemon.Kill()
	says(t, w, "has fallen silent")
	again := rstate(t, run...)
	says(t, again, "the network is active")
	says(t, w, "a new instance: ")
	// It may miss the states before that one.
	active := regexp.MustCompile(`the network is active \(adopted|a new instance: .*: active`)
	bed.Eventually(t, w.Name+" says that the network is active", func() (string, bool) {
		return "", active.MatchString(w.Log())
	})
	for _, part := range []string{
		`the network is configuring, on the way to inactive \(armed was asked for by \S+@\S+ \(rstate, process \d+\)\)`,
		lidar + ": active", arm + `: active, armed \(was active(, may be armed)?\)`,
	} {
		if !regexp.MustCompile(part).MatchString(w.Log()) {
			t.Errorf("it did not say %s:\n%s", part, w.Log())
		}
	}
	w.Signal(syscall.SIGINT)
	if code := w.Wait(t); code != exitDone {
		t.Errorf("it ended with %d", code)
	}
}

// TestS4WatchUntilRightAfterAKill: a node is killed and awaited at once. The watch ends when the
// node's next process is in its state, and not before.
func TestS4WatchUntilRightAfterAKill(t *testing.T) {
	lidar := "/" + bed.Unique(t, "lidar")
	file := networkFile(t, fmt.Sprintf("simulation: %s\nnodes:\n  %s: {on_loss: restore}\n", bed.Unique(t, "demo"), lidar))
	name := bed.Unique(t, "rstate")
	node := rstate(t, "node", lidar, "--log", "text")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	unlessItStands(t, daemon, func(still func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "active", "--node", "/"+name)
		node.Kill()
		said := do(t, exitFailed, "watch", "--node", "/"+name, "--until", "active", "--for", "10s")
		w := rstate(t, "watch", "--node", "/"+name, "--until", "active", "--for", "60s")
		node = rstate(t, "node", lidar, "--log", "text")
		if !strings.Contains(said, "not intact") {
			return "it said:\n" + said
		}
		bed.Eventually(t, w.Name+" ends", func() (string, bool) { return w.Log(), hasEnded(w) || still() })
		if !hasEnded(w) { // nothing is restored after that
			w.Signal(syscall.SIGINT)
		}
		if code := w.Wait(t); code != exitDone {
			return fmt.Sprintf("it ended with %d:\n%s", code, w.Log())
		}
		return ""
	})
}

func TestWatchEnds(t *testing.T) {
	name, _ := startNetwork(t)
	for title, c := range map[string]struct {
		code int
		args []string
		says string
	}{
		"where it is already":          {exitDone, []string{"--until", "unconfigured"}, ": unconfigured"},
		"when the time is over":        {exitDone, []string{"--for", "1ms"}, ""},
		"when it is too late":          {exitFailed, []string{"--until", "active", "--for", "10s"}, "cannot wait for active any longer: the network is unconfigured"},
		"where it is misspelt":         {exitBadInput, []string{"--until", "actve", "--for", "20s"}, "did you mean active?"},
		"where there is no such state": {exitBadInput, []string{"--for", "-1s"}, "above 0"},
	} {
		t.Run(title, func(t *testing.T) {
			if said := do(t, c.code, append([]string{"watch", "--node", name}, c.args...)...); !strings.Contains(said, c.says) {
				t.Errorf("it said:\n%s", said)
			}
		})
	}
	t.Run("when it is too late, on a terminal", func(t *testing.T) {
		w := onTerminal(t, 100, 20, "watch", "--node", name, "--until", "active", "--for", "10s")
		if code := w.Wait(t); code != exitFailed {
			t.Errorf("it ended with %d", code)
		}
		asFound(t, w)
		shows(t, w, ": unconfigured\nrstate: cannot wait for active any longer")
	})
	t.Run("with what no command leads to", func(t *testing.T) {
		lidar, name := "/"+bed.Unique(t, "lidar"), bed.Unique(t, "rstate")
		rstate(t, "node", lidar)
		file := networkFile(t, fmt.Sprintf("simulation: %s\nnodes: {%s: {}}\n", bed.Unique(t, "demo"), lidar))
		says(t, rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name), "the network is unconfigured")
		said := do(t, exitFailed, "watch", "--node", name, "--until", "armed", "--for", "10s") // nothing can be armed
		for _, part := range []string{`no command leads from unconfigured to "armed"; reachable: `, "cannot wait for armed any longer: the network is unconfigured"} {
			if !strings.Contains(said, part) {
				t.Errorf("it did not say %q:\n%s", part, said)
			}
		}
	})
	t.Run("when it comes", func(t *testing.T) {
		w := rstate(t, "watch", "--until", "active", "--node", name)
		says(t, w, "): unconfigured")
		do(t, exitDone, "send", "active", "--node", name)
		if code := w.Wait(t); code != exitDone {
			t.Errorf("it ended with %d", code)
		}
	})
}

func TestWatchPrintsAnObjectALine(t *testing.T) {
	name, daemon := startNetwork(t)
	unlessItStands(t, daemon, func(func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", name)
		w := rstate(t, "watch", "--until", "inactive", "-o", "json", "--node", name)
		says(t, w, "{")
		do(t, exitDone, "send", "configure", "--node", name)
		if code := w.Wait(t); code != exitDone {
			t.Fatalf("it ended with %d; it said:\n%s", code, w.Log())
		}
		if got := statesPrinted(t, w); got != "unconfigured configuring inactive" {
			return "it printed " + got
		}
		return ""
	})
}

// statesPrinted returns the states that a watch has printed as JSON, each once in a row.
func statesPrinted(t *testing.T, w *bed.Process) string {
	t.Helper()
	var labels []string
	for _, line := range strings.Split(strings.TrimSpace(w.Log()), "\n") {
		var s struct {
			State struct{ Label string }
			Nodes []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil || len(s.Nodes) != 2 {
			t.Fatalf("%v: %s", err, line)
		}
		if len(labels) == 0 || labels[len(labels)-1] != s.State.Label {
			labels = append(labels, s.State.Label)
		}
	}
	return strings.Join(labels, " ")
}

// seenState returns a network of that many nodes in a state.
func seenState(label string, nodes int) *rstate_msgs_msg.InstanceState {
	s := rstate_msgs_msg.NewInstanceState()
	s.Name, s.Simulation, s.InstanceId, s.Settled, s.Intact = "/rstate", "demo", "9f2c", true, true
	s.State.Label, s.Target.Label = label, label
	for i := range nodes {
		n := rstate_msgs_msg.NodeState{Name: fmt.Sprintf("/n_%d", i), Lifecycle: true, Present: true}
		n.State.Label = label
		s.Nodes = append(s.Nodes, n)
	}
	return s
}

func TestChangesAreSentences(t *testing.T) {
	for name, c := range map[string]struct {
		to   string
		what func(s *rstate_msgs_msg.InstanceState)
		want string
	}{
		"nothing":           {"active", func(*rstate_msgs_msg.InstanceState) {}, ""},
		"a way":             {"active", func(s *rstate_msgs_msg.InstanceState) { s.State.Label, s.Cause = "arming", "arm was asked for" }, "the network is arming, on the way to active (arm was asked for)"},
		"not intact":        {"active", func(s *rstate_msgs_msg.InstanceState) { s.Intact = false }, "the network is active, not intact"},
		"a node lost":       {"active", func(s *rstate_msgs_msg.InstanceState) { s.Nodes[0].Present, s.Nodes[0].Cause = false, "left" }, "/n_0: not there: left (was active)"},
		"a call is no news": {"active", func(s *rstate_msgs_msg.InstanceState) { s.Nodes[0].Running = "get_state" }, ""},
		"a warning":         {"active", func(s *rstate_msgs_msg.InstanceState) { s.Warnings = []string{"the disk is full"} }, "warning: the disk is full"},
		"a refusal":         {"active", func(s *rstate_msgs_msg.InstanceState) { s.Refusal = "arm was rejected" }, "refused: arm was rejected"},
		"a new instance":    {"active", func(s *rstate_msgs_msg.InstanceState) { s.InstanceId = "aaaa" }, "a new instance: /rstate (simulation demo): active"},
		"one that knows nothing yet": {"unknown", func(s *rstate_msgs_msg.InstanceState) { s.InstanceId, s.Nodes[0].Present = "aaaa", false },
			"a new instance: /rstate (simulation demo): unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			before, now := seenState("active", 1), seenState(c.to, 1)
			c.what(now)
			if got := strings.Join(changes(before, before, now), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestPageFitsTheWindow: in a window of any size, the page shows the faults.
func TestPageFitsTheWindow(t *testing.T) {
	s := seenState("active", 200)
	s.Intact, s.Nodes[150].Cause = false, "died"
	p := newPage(os.Stdout)
	now := time.Now()
	for i := range 30 {
		p.note(s, s, []string{fmt.Sprintf("news %d", i)}, now)
	}
	for _, height := range []int{8, 12, 24, 60, 300} {
		all := p.lines(s, true, now, 80, height)
		var text strings.Builder
		for _, l := range all[:min(height, len(all))] {
			text.WriteString(l.String() + "\n")
		}
		more := strings.Contains(text.String(), "more")
		if len(all) > height || !strings.Contains(text.String(), "/n_150  active") || more == (height == 300) || !strings.Contains(text.String(), "legal now") {
			t.Errorf("%d lines in %d:\n%s", len(all), height, text.String())
		}
		if height >= 24 && !strings.Contains(text.String(), "news 29") {
			t.Errorf("the newest is not told in %d lines:\n%s", height, text.String())
		}
	}
}

// TestBoardFitsTheWindow: of many nodes, waiting ones are left out first, then finished ones.
func TestBoardFitsTheWindow(t *testing.T) {
	var rows []row
	for i := range 50 {
		rows = append(rows, row{term.Text(fmt.Sprintf("row %d", i), term.Plain), []int{waits, isDone, isDone, isRunning, isDone}[i%5]})
	}
	rows[33].weight = wentWrong
	for room, want := range map[int]string{1: "  … and 50 more", 2: "row 33|  … and 49 more", 4: "row 3|row 8|row 33|  … and 47 more"} {
		var texts []string
		for _, l := range fit(append([]row(nil), rows...), room) {
			texts = append(texts, l.String())
		}
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("in %d: %s, want %s", room, got, want)
		}
	}
	if got := len(fit(rows, 50)); got != 50 {
		t.Errorf("%d of 50", got)
	}
}

// repeats returns when the death of a daemon can be noticed: events tell of it, or the daemon has repeated its state.
func repeats(t *testing.T, daemon *bed.Process, name string) {
	t.Helper()
	says(t, daemon, "liveliness events ")
	if !strings.Contains(daemon.Log(), "liveliness events no") {
		return
	}
	state := bed.StartHost(t).Subscribe(bed.Topic{
		Kind: "rstate_msgs/msg/InstanceState", Name: "/" + name + "/state", Latched: true})
	bed.Eventually(t, "the daemon repeats its state", func() (string, bool) {
		all := state.Messages()
		last := len(all) - 1
		return fmt.Sprint(len(all)), last >= 2 && string(all[last].Message) == string(all[last-1].Message) &&
			string(all[last].Message) == string(all[last-2].Message)
	})
}
