package host

import (
	"os"
	"testing"
)

// TestWhoHolds: a run counts as alive while it has the lock, and as ended when it has not, however
// it ended.
func TestWhoHolds(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if by, has, err := WhoHolds("/a/rstate", 7); err == nil {
		t.Errorf("the name was never claimed, but %+v has it: %v", by, has)
	}
	unlock, err := LockName("/a/rstate", 7, "robot.yaml", "run 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		by, has, err := WhoHolds("/a/rstate", 7)
		if err != nil || has != want || by.Run != "run 1" || by.PID != os.Getpid() {
			t.Errorf("%+v has it: %v, %v; want %v", by, has, err, want)
		}
		if _, has, err := WhoHolds("/a/rstate", 8); err == nil {
			t.Errorf("the name is claimed in another domain: %v", has)
		}
		if want {
			if err := unlock(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
