//go:build ros

package bench

import (
	"fmt"
	"syscall"
	"testing"

	"rstate/test/bed"
)

// BenchmarkWatched is how long a node stays armed when a required one is killed or stands still that nobody asks for its
// state, with the settings that the middleware comes with: rstate hears of it when it leaves the graph. There is no limit to
// that but what docs/armed.md says; it is what rstate warns of.
func BenchmarkWatched(b *testing.B) {
	stock := []string{"FASTDDS_DEFAULT_PROFILES_FILE=", "FASTRTPS_DEFAULT_PROFILES_FILE="}
	c := newCaller(b)
	rigs := beside(b, times(b, "RSTATE_BENCH_WATCHED", 2, 1), func() *watched {
		w := &watched{mover: startDrivers(b, driverSpec{count: 1}), other: startDrivers(b, driverSpec{count: 1, env: stock})}
		w.armedRig = newArmedRig(b, c, bed.Unique(b, "rstate"), []string{
			fmt.Sprintf("/%s_1: {arm: {dead_man: none}}", w.mover.prefix), fmt.Sprintf("/%s_1: {}", w.other.prefix),
		}, w.mover)
		return w
	}, (*watched).round)
	list := []row{{name: "it stands still"}, {name: "it is killed"}}
	for _, w := range rigs {
		for i, took := range w.took {
			list[i].took = append(list[i].took, took...)
		}
		w.other.process.Kill()
	}
	rows(b, "From what happens to a node that nobody asks to disarmed, in ms", 0, list)
}

type watched struct {
	*armedRig
	mover, other drivers
	took         [2]series
}

func (w *watched) round() {
	for i, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		w.arms()
		at := w.mover.signal(w.other.process, signal)
		w.took[i] = append(w.took[i], last(at, disarmed(at, w.mover).begun))
		if signal == syscall.SIGSTOP {
			w.other.process.Thaw()
			continue
		}
		w.other = startDrivers(w.b, driverSpec{prefix: w.other.prefix, count: 1})
	}
}
