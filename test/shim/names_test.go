//go:build ros

package shim

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
)

// absent is a middleware that is not installed.
const absent = "rmw_of_a_dream_cpp"

// noROS is the exit code of rstate if ROS cannot be used.
const noROS = 4

// TestAMiddlewareThatIsNotInstalled: each verb that needs ROS says once what is missing, and those
// that need none work.
func TestAMiddlewareThatIsNotInstalled(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "rstate")
	build(t, "../..", "build", "-tags", "ros", "-o", binary, "./cmd/rstate")
	for _, line := range []string{
		"demo", "up config/demo.yaml", "run config/demo.yaml", "factory --experiments config/experiments",
		"batch config/experiments", "send active", "step", "trigger", "sim list", "status", "watch", "peers", "doctor",
		"node /x", "guard config/experiments/nrp.yaml",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			code, said := runAsking(t, binary, absent, line)
			if n := mentions(said, absent); code != noROS || n == 0 || n > 1 && line != "doctor" {
				t.Errorf("it ended with %d, want %d, and has %d lines with %s, want 1:\n%s", code, noROS, n, absent, said)
			}
			if _, linked, ok := strings.Cut(said, "built with "); ok && !strings.HasPrefix(linked, "rmw_") {
				t.Errorf("it does not name the middleware that it has:\n%s", said)
			}
		})
	}
	for _, line := range []string{
		"check config/demo.yaml", "graph config/demo.yaml", "plan config/demo.yaml arm", "rehearse config/demo.yaml",
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
