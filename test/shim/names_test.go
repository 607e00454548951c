//go:build ros

package shim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// absent is a middleware that is not installed.
const absent = "rmw_of_a_dream_cpp"

// noROS is the exit code of rstate if ROS cannot be used.
const noROS = 4

// TestAMiddlewareThatIsNotInstalled: each verb that needs ROS says once what is missing, and those
// that need none work.
func TestAMiddlewareThatIsNotInstalled(t *testing.T) {
	binary, err := daemon.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]int{"doctor": 10} // it shows what it has seen too
	guarded := filepath.Join(t.TempDir(), "network.yaml")
	if err := os.WriteFile(guarded, []byte(`simulation: guarded
nodes: {/arm: {arm: {dead_man: none}}}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"demo", "up config/demo.yaml", "run config/demo.yaml", "factory --experiments config/experiments",
		"batch config/experiments", "send active", "step", "trigger 1 --remove", "sim list", "status", "watch", "peers", "doctor",
		"node /x", "guard " + guarded,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			code, said := runAsking(t, binary, absent, line)
			if n := mentions(said, absent); code != noROS || n == 0 || n > most[line] && n > 1 {
				t.Errorf("it ended with %d, want %d; %d lines have %s, want 1:\n%s", code, noROS, n, absent, said)
			}
			if _, linked, ok := strings.Cut(said, "built with "); ok && !strings.HasPrefix(linked, "rmw_") {
				t.Errorf("it does not name the middleware that it has:\n%s", said)
			}
		})
	}
	for _, line := range []string{
		"check config/demo.yaml", "graph config/demo.yaml", "plan config/demo.yaml", "rehearse config/demo.yaml",
		"version", "completion bash", "help",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if code, said := runAsking(t, binary, absent, line); code != 0 || mentions(said, absent) > 0 {
				t.Errorf("it ended with %d:\n%s", code, said)
			}
		})
	}
}

// runAsking runs a command line in the root of the module with RMW_IMPLEMENTATION.
func runAsking(t *testing.T, binary, middleware, line string, env ...string) (code int, said string) {
	t.Helper()
	p := bed.StartCommand(t, "rstate "+line, bed.Command{
		Args: slices.Concat([]string{binary}, strings.Fields(line)), Dir: "../..",
		Env: append(env, "RMW_IMPLEMENTATION="+middleware),
	})
	return p.Wait(t), p.Log()
}

// mentions counts the lines that have a word.
func mentions(said, word string) (n int) {
	for line := range strings.Lines(said) {
		if strings.Contains(line, word) {
			n++
		}
	}
	return n
}
