//go:build ros

package faults

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// An invalid file starts nothing: all faults are reported at once, each with its place and the
// remedy.
func TestAWrongFile(t *testing.T) {
	for _, c := range []struct {
		what, text string
		faults     [][]string // parts of each line
	}{
		{"is empty", "", [][]string{{"is empty", "example.yaml"}}},
		{"has no nodes", "simulation: x\n", [][]string{{"nodes"}}},
		{"is no YAML", "nodes: [", [][]string{{"YAML"}}},
		{"is no text", "\x00\x01\xff\xfe\x7fELF", [][]string{{}}},
		{"misspells a key", "simulation: x\nnodes:\n  /lidar: {optinal: true}\n",
			[][]string{{":3:", "optinal", "optional"}}},
		{
			"has three faults", "simulation: x\nstartup: adop\nnodes:\n  /slam: {after: [/lidr]}\n  /lidar: {deadline: {configure: 30}}\n",
			[][]string{{":2:", "adop", "adopt"}, {":4:", "/lidr", "/lidar"}, {":5:", "30", "30s"}},
		},
		{"has a cycle", "simulation: x\nnodes:\n  /a: {after: [/b]}\n  /b: {after: [/a]}\n", [][]string{{"/a", "/b"}}},
		{"is two documents", "simulation: x\nnodes: {/a: {}}\n---\nsimulation: y\nnodes: {/a: {}}\n",
			[][]string{{"document"}}},
		{"is too long", "# " + strings.Repeat("x", 1<<20) + "\nsimulation: x\nnodes: {/a: {}}\n", [][]string{{"MiB"}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "network.yaml")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			refused(t, file, c.faults)
		})
	}
	t.Run("is not there", func(t *testing.T) {
		refused(t, filepath.Join(t.TempDir(), "network.yaml"), [][]string{{"no such file"}})
	})
	t.Run("is a folder", func(t *testing.T) { refused(t, t.TempDir(), [][]string{{"directory"}}) })
}

var place = regexp.MustCompile(`^\S+:\d+:\d+: `)

// refused runs the daemon on a file, and checks that it prints one line for each fault.
func refused(t *testing.T, file string, faults [][]string) {
	t.Helper()
	journal := filepath.Join(t.TempDir(), "journal")
	p := bed.Start(t, "rstate", binary(t), "run", file, "--journal", journal)
	if code := p.Wait(t); code != 2 {
		t.Errorf("the daemon ended with %d, want 2", code)
	}
	lines := said(p)
	if len(lines) != len(faults) {
		t.Fatalf("the daemon printed %d lines, want %d:\n%s", len(lines), len(faults), p.Log())
	}
	for i, line := range lines {
		if !daemon.HasAll(line, append(faults[i], file)...) {
			t.Errorf("fault %d is %q, without %q", i, line, faults[i])
		}
		if len(faults[i]) > 1 && strings.HasPrefix(faults[i][0], ":") && !place.MatchString(line) {
			t.Errorf("fault %d has no place: %q", i, line)
		}
	}
	nothingLeft(t, journal)
}
