//go:build ros

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rstate/test/bed"
)

// clientOfDocs is the program that docs/arming.md gives a reader, in a file, for a daemon of another name.
func clientOfDocs(t *testing.T, daemon string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "arming.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## What a client has to send\n")
	_, program, found := strings.Cut(section, "\n```python\n")
	program, _, closed := strings.Cut(program, "\n```\n")
	if !found || !closed || strings.Count(program, "'/rstate/") != 2 {
		t.Fatalf("the section has no program: %s", section)
	}
	file := filepath.Join(t.TempDir(), "arms.py")
	program = strings.ReplaceAll(program, "'/rstate/", "'/"+daemon+"/")
	if err := os.WriteFile(file, []byte(program+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestDocsAClientArms: the program of docs/arming.md arms what its person saw, and nothing after a disarm that came since.
func TestDocsAClientArms(t *testing.T) {
	file, lidar, arm := twoNodes(t)
	name := bed.Unique(t, "rstate")
	rstate(t, "node", lidar, arm, "--arm", "--lease", "/"+name+"/arm_lease", "--log", "text")
	daemon := rstate(t, "run", file, "--log", "text", "--ros-args", "-r", "__node:="+name)
	says(t, daemon, "the network is unconfigured")
	do(t, exitDone, "send", "active", "--node", name)
	program := clientOfDocs(t, name)
	for _, row := range []struct {
		name  string
		while func()
		code  int
		state string
	}{
		{"a disarm before Enter", func() { do(t, exitDone, "send", "disarm", "--node", name) }, 1, "active"},
		{"at once", func() {}, 0, "armed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			unlessItStands(t, daemon, func(func() bool) (wrong string) {
				p, in, out := bed.StartPiped(t, "the program of docs/arming.md", bed.Command{Args: []string{"python3", "-B", program}})
				says := bufio.NewReader(out)
				if line, err := says.ReadString('\n'); err != nil || line != "The robot is active. Press Enter to arm it.\n" {
					t.Fatalf("it says %q: %v", line, err)
				}
				row.while()
				fmt.Fprintln(in)
				if code := p.Wait(t); code != row.code {
					return fmt.Sprintf("it ended with %d, and said:\n%s", code, p.Log())
				}
				return ""
			})
			if said := do(t, exitDone, "status", "--node", name); !strings.Contains(said, ": "+row.state) {
				t.Errorf("then:\n%s", said)
			}
		})
	}
}
