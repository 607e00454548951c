//go:build ros

// Package bench measures the daemon as its users run it: the built binary, nodes in processes of
// their own, goals over the action, and real ROS 2 between them. The comparison programs, rclpy
// without a coordinator, are measured alternately in the same rounds, so that other load on the
// machine affects all alike. Each benchmark with a bound reports how much of it was used
// ("of-bound"); at the end tables show the measurements with their spread.
//
// -short measures networks of up to 10 nodes, a few times only. RSTATE_BENCH_NODES=1,10 sets the sizes,
// RSTATE_BENCH_ROUNDS=3 the rounds of each bring-up. RSTATE_BENCH_CYCLES, RSTATE_BENCH_READS,
// RSTATE_BENCH_RUNS, RSTATE_BENCH_WATCHED and RSTATE_BENCH_DROPS=200 set the repetitions of the other benchmarks, and
// RSTATE_BENCH_BESIDE=2 how many networks are armed concurrently.
//
// It imports rclgo and the generated messages, for the caller's side, and nothing else of the product.
package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"rstate/test/bed"
)

func TestMain(m *testing.M) {
	if names := os.Getenv(beBare); names != "" {
		if err := bareClient(strings.Split(names, ",")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := bed.Main(m)
	report(os.Stdout)
	os.RemoveAll(built.folder)
	os.Exit(code)
}

// built is the rstate binary as shipped, built by the first benchmark.
var built struct {
	sync.Once
	folder, binary string
	err            error
}

func binary(b *testing.B) string {
	b.Helper()
	built.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "rstate-bench-"); built.err != nil {
			return
		}
		built.binary = filepath.Join(built.folder, "rstate")
		build := exec.Command("go", "build", "-tags", "ros", "-o", built.binary, "rstate/cmd/rstate")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("cannot build rstate: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		b.Fatal(built.err)
	}
	return built.binary
}

// sizes returns the numbers of nodes of the networks.
func sizes(b *testing.B) []int {
	b.Helper()
	var list []int
	for _, word := range strings.Split(knob("RSTATE_BENCH_NODES", "1,10,50,100,200"), ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			b.Fatalf("cannot use RSTATE_BENCH_NODES: %q is no number of nodes; write it like 1,10,50", word)
		}
		list = append(list, n)
	}
	if testing.Short() {
		list = slices.DeleteFunc(list, func(n int) bool { return n > 10 })
	}
	return list
}

// times returns the number of repetitions: from the variable, or the default, or fewer with -short.
func times(b *testing.B, name string, usual, short int) int {
	b.Helper()
	if testing.Short() {
		usual = short
	}
	n, err := strconv.Atoi(knob(name, strconv.Itoa(usual)))
	if err != nil || n < 1 {
		b.Fatalf("cannot use %s: %q is no number of times", name, os.Getenv(name))
	}
	return n
}

func knob(name, usual string) string {
	if set := os.Getenv(name); set != "" {
		return set
	}
	return usual
}

// outcome is the result of one benchmark: numbers by unit, possibly with ofBound.
type outcome map[string]float64

// ofBound is the unit that tools/benchsum counts.
const ofBound = "of-bound"

var outcomes = map[string]outcome{}

// once measures once, however often the benchmark is called: measure itself decides the number of
// rounds.
func once(b *testing.B, measure func() outcome) {
	b.Helper()
	o, known := outcomes[b.Name()]
	if !known {
		o = measure()
		outcomes[b.Name()] = o
	}
	for unit, value := range o {
		b.ReportMetric(value, unit)
	}
}
