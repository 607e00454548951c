//go:build ros

// Package trials breaks an armed robot at drawn moments, and compares what rstate says with what the
// nodes say of themselves. The robot has two hosts, which are network namespaces with a wire between
// them. On each host there is a node that follows the arm lease, and one that does not, with its guard.
// The daemon runs on the first host. Every node, both guards and the daemon are processes of their own.
//
// A trial arms the robot, disarms it, and at a drawn moment around that causes one fault: the daemon, a
// guard or a node is killed or suspended, or the wire is cut. Nodes, and an observer of ~/state, stamp
// what they say by CLOCK_MONOTONIC, which all processes share. Then the trial judges three rules:
//
//   - No node is armed and shown as disarmed for more than 200 ms.
//   - No result, and no message on ~/state, says that a node is disarmed while it is armed.
//   - A fault that has to disarm a node does so, and after the next disarm no node is armed.
//
// TestTrials runs 16 trials; RSTATE_TRIALS=300 runs more. RSTATE_TRIALS_SEED repeats what a seed draws,
// and RSTATE_TRIALS_FIRST=17 begins with a later trial of it. BenchmarkTrials measures the time from
// each kind of fault to disarmed, at least RSTATE_BENCH_TRIALS=100 times each. Both run
// RSTATE_BENCH_BESIDE=2 robots side by side, because trials mostly wait.
//
// The hosts need root; without it the tests are skipped. It imports test/bed and nothing of the product.
package trials

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

func TestMain(m *testing.M) {
	code := bed.Main(m)
	report(os.Stdout)
	os.RemoveAll(folder)
	os.Exit(code)
}

// folder holds the binary; empty until a robot needs it.
var folder string

// build builds rstate once, for the first robot.
var build = sync.OnceValues(func() (binary string, err error) {
	if folder, err = os.MkdirTemp("", "rstate-trials-"); err != nil {
		return "", err
	}
	return daemon.Build(folder)
})

// moment is a time of CLOCK_MONOTONIC in nanoseconds. The monotonic clock of package time cannot be
// compared with that of other processes.
type moment int64

// now returns the present moment.
func now() moment {
	const monotonic = 1 // CLOCK_MONOTONIC
	var at syscall.Timespec
	// The kernel writes to the timespec, which outlives the call. This clock always exists.
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&at)), 0)
	return moment(at.Nano())
}

// until returns the time from one moment to a later one.
func (m moment) until(later moment) time.Duration { return time.Duration(later - m) }

// sleepUntil returns at a moment, or at once if that has passed. Only drawn moments are waited for.
func sleepUntil(at moment) { time.Sleep(now().until(at)) }

// number returns the value of an environment variable, or a default.
func number(t testing.TB, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("cannot use %s=%q: write a number", name, text)
	}
	return n
}

// seed returns the seed of all draws of this run.
func seed(t testing.TB) uint64 {
	t.Helper()
	return uint64(number(t, "RSTATE_TRIALS_SEED", int(time.Now().UnixNano()%1_000_000)))
}

// scripts is the folder of the nodes' scripts, and modules has the product's Python module.
func scripts(t testing.TB) (scripts, modules string) {
	t.Helper()
	scripts, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if modules, err = filepath.Abs("../../ros/rstate"); err != nil {
		t.Fatal(err)
	}
	return scripts, modules
}
