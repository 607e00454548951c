package shim

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Again runs tests of this test program once more, in a process whose middleware has the faults. Each of them has to
// pass: one that does not exist, or that is skipped, is a failure.
func Again(t *testing.T, library string, tests []string, faults ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^("+strings.Join(tests, "|")+")$", "-test.v")
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); name != "RMW_IMPLEMENTATION" {
			cmd.Env = append(cmd.Env, variable) // a program without a choice needs none
		}
	}
	cmd.Env = append(cmd.Env, Environment(library, faults...)...)
	out, err := cmd.CombinedOutput()
	missing := notPassed(tests, string(out))
	if err != nil || len(missing) > 0 {
		t.Errorf("with %s: %v, and not passed: %s\n%s", strings.Join(faults, ", "), err, strings.Join(missing, ", "), out)
	}
}

// notPassed returns the tests that the output of a test program does not show as passed.
func notPassed(tests []string, out string) (list []string) {
	for _, test := range tests {
		if !strings.Contains("\n"+out, "\n--- PASS: "+test+" (") {
			list = append(list, test)
		}
	}
	return list
}
