package rehearse

import (
	"testing"

	"rstate/internal/network"
)

// TestA13ARehearsalHasTheGuardThatAFileRequires: else nothing of such a file could be armed.
func TestA13ARehearsalHasTheGuardThatAFileRequires(t *testing.T) {
	for keys, want := range map[string]int{"": 0, "arming: {guard: optional}\n": 0, "arming: {guard: required}\n": 1} {
		net, err := network.Parse("robot.yaml", []byte("simulation: demo\n"+keys+"nodes:\n  /drive: {arm: {dead_man: none}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := guardsOf(net); got != want {
			t.Errorf("%q: %d guards, want %d", keys, got, want)
		}
	}
}
