//go:build ros

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
)

func TestSendOnATerminal(t *testing.T) {
	name, daemon := startNetwork(t, "--activate-delay", "5s")
	var p *bed.Terminal
	unlessItStands(t, daemon, func(still func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", name)
		p = onTerminal(t, 80, 20, "send", "active", "--node", name, "--reason", "\x1b[2J")
		if !showed(t, p, still, "activating", "activate …", "waits") {
			return "it has not shown what runs:\n" + p.Screen.String()
		}
		return endsWith(t, p, exitDone)
	})
	asFound(t, p)
	shows(t, p, "configuring     2 of 2", "activating      2 of 2", "activate done", "the network is active (active, ")
	seen := p.Screen.String()
	if strings.Count(seen, "activate done") != 2 || strings.Count(seen, "activating") != 1 ||
		strings.Contains(seen, "…") {
		t.Errorf("it has not drawn in place:\n%s", seen)
	}
}

func TestSendOnATerminalInALowWindow(t *testing.T) {
	file, nodes := wideNetwork(t, 30)
	rstate(t, append([]string{"node", "--activate-delay", "500ms", "--log", "text"}, nodes...)...)
	name := bed.Unique(t, "rstate")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	var p *bed.Terminal
	unlessItStands(t, daemon, func(func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", name)
		p = onTerminal(t, 60, 10, "send", "active", "--node", name)
		return endsWith(t, p, exitDone)
	})
	asFound(t, p)
	shows(t, p, "activating      30 of 30", "more", "the network is active (active, ")
}

// wideNetwork is a network of so many nodes that go side by side.
func wideNetwork(t *testing.T, count int) (file string, nodes []string) {
	t.Helper()
	text := "simulation: " + bed.Unique(t, "wide") + "\nnodes:\n"
	for range count {
		nodes = append(nodes, "/"+bed.Unique(t, "n"))
		text += "  " + nodes[len(nodes)-1] + ": {}\n"
	}
	return networkFile(t, text), nodes
}

// TestCtrlCOnATerminalCancels: the view stays during the rollback.
func TestCtrlCOnATerminalCancels(t *testing.T) {
	name, daemon := startNetwork(t, "--configure-delay", "5s")
	const began = "configure: from unconfigured"
	var p *bed.Terminal
	unlessItStands(t, daemon, func(still func() bool) (wrong string) {
		comesToSay(t, exitDone, nil, "send", "unconfigured", "--node", name)
		before := strings.Count(daemon.Log(), began)
		p = onTerminal(t, 80, 20, "send", "configure", "--node", name)
		begins(t, daemon, p.Process, began, before)
		ready := showed(t, p, still, "configure …")
		p.Type("\x03")
		if !ready || !showed(t, p, still, "cancelling, and waiting for the rollback", "rolled back (cleanup)") {
			return "it has not shown the rollback:\n" + p.Screen.String()
		}
		return endsWith(t, p, exitCancelled)
	})
	asFound(t, p)
	shows(t, p, "configure was cancelled; the network is unconfigured again")
}

func TestSendTellsOfEveryNodeByLines(t *testing.T) {
	name, _ := startNetwork(t)
	do(t, exitDone, "send", "active", "--node", name)
	said := do(t, exitDone, "send", "arm", "--node", name)
	for _, part := range []string{"already active (1 of 2)\n", "arm done (2 of 2)\n"} {
		if !strings.Contains(said, part) {
			t.Errorf("it did not say %q:\n%s", part, said)
		}
	}
}

func TestAuthorityComesFromAFileOrTheEnvironment(t *testing.T) {
	folder := t.TempDir()
	file, empty := filepath.Join(folder, "key"), filepath.Join(folder, "empty")
	for name, text := range map[string]string{file: "from the file\r\n", empty: "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ variable, file, want, err string }{
		"neither":             {"", "", "", ""},
		"the environment":     {"from outside\n", "", "from outside", ""},
		"the file":            {"", file, "from the file", ""},
		"the file goes first": {"from outside", file, "from the file", ""},
		"no such file":        {"from outside", file + ".not", "", "cannot read the authority"},
		"nothing in it":       {"", empty, "", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(authorityVariable, c.variable)
			got, err := authority(c.file)
			if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	if code, _, errs := invoke("send", "arm", "--authority", "secret"); code != exitBadInput ||
		!strings.Contains(errs, "there is no option --authority;") {
		t.Errorf("an authority on the command line: %d, %s", code, errs)
	}
}
