package shim

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Again runs tests of this test program once more, in a process whose middleware has the faults. tests is a pattern
// as for go test -run.
func Again(t *testing.T, library, tests string, faults ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", tests, "-test.v")
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); name != "RMW_IMPLEMENTATION" {
			cmd.Env = append(cmd.Env, variable) // a program without a choice needs none
		}
	}
	cmd.Env = append(cmd.Env, Environment(library, faults...)...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: ") {
		t.Errorf("with %s: %v\n%s", strings.Join(faults, ", "), err, out)
	}
}
