package bed

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// StallsVariable has a seed: the test itself and its children are suspended at drawn moments, one at a time, for 3 s
// each. A test that is not about time must pass all the same, with programs that are patient (see internal/patient).
const StallsVariable = "RSTATE_STALLS"

//go:embed stalls.py
var stallsScript string

// stalls is the process that suspends others and lets them go on, also if this process dies. It does not hear of a
// process that a test suspends itself.
var stalls struct {
	sync.Mutex
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// beginStalls begins to suspend, if the environment asks for it.
func beginStalls() error {
	seed := os.Getenv(StallsVariable)
	if seed == "" {
		return nil
	}
	cmd := exec.Command("python3", "-c", stallsScript, seed, strconv.Itoa(os.Getpid()))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("cannot draw stalls: %w", err)
	}
	stalls.cmd, stalls.pipe = cmd, pipe
	return nil
}

// stallable tells that a process may be suspended ("+") or must be left alone ("-").
func stallable(what string, pid int) {
	stalls.Lock()
	defer stalls.Unlock()
	if stalls.cmd != nil {
		fmt.Fprintf(stalls.pipe, "%s %d\n", what, pid)
	}
}

// endStalls lets everything go on.
func endStalls() {
	stalls.Lock()
	defer stalls.Unlock()
	if stalls.cmd != nil {
		stalls.pipe.Close()
		_ = stalls.cmd.Wait()
		stalls.cmd = nil
	}
}
