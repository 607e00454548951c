//go:build ros && !patient

package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// startDemo starts the demo of two hosts as make demo-peers does. At the end the folder for
// temporary files must be empty.
func startDemo(t *testing.T) (p *bed.Process, scratch string) {
	t.Helper()
	newLand(t, "base") // skips if hosts cannot be made; the demo makes its own
	tool := filepath.Join(t.TempDir(), "demopeers")
	if out, err := exec.Command("go", "build", "-o", tool, "rstate/tools/demopeers").CombinedOutput(); err != nil {
		t.Fatalf("cannot build the demo: %v\n%s", err, out)
	}
	scratch = t.TempDir()
	p = bed.StartCommand(t, "demo", bed.Command{Args: []string{tool, "--pace", "0s", binary},
		Env: []string{"TMPDIR=" + scratch, "FASTDDS_DEFAULT_PROFILES_FILE=", "FASTRTPS_DEFAULT_PROFILES_FILE="}})
	return p, scratch
}

func says(t *testing.T, p *bed.Process, what string) {
	t.Helper()
	bed.Eventually(t, "the demo says "+what, func() (string, bool) { return p.Log(), strings.Contains(p.Log(), what) })
}

func leavesNothing(t *testing.T, scratch string) {
	t.Helper()
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestDemoOfTwoHostsGoesAsExpected(t *testing.T) {
	p, scratch := startDemo(t)
	const scenes = 8
	for n := 1; n <= scenes; n++ { // each within the deadline of a condition
		says(t, p, fmt.Sprintf("\n%d. ", n))
	}
	if code := p.Wait(t); code != 0 || !strings.HasSuffix(p.Log(),
		fmt.Sprintf("\n%d of %[1]d scenes as expected\n", scenes)) {
		t.Errorf("the demo ended with %d; its output:\n%s", code, p.Log())
	}
	leavesNothing(t, scratch)
}

func TestDemoOfTwoHostsIsStopped(t *testing.T) {
	p, scratch := startDemo(t)
	says(t, p, "base$ rstate send arm\n")
	p.Signal(syscall.SIGINT)
	if code := p.Wait(t); code != 6 || !strings.Contains(p.Log(), "Ending everything: it got interrupt") ||
		!strings.HasSuffix(p.Log(), "of 8 scenes as expected\n") {
		t.Errorf("the demo ended with %d; its output:\n%s", code, p.Log())
	}
	leavesNothing(t, scratch)
}
