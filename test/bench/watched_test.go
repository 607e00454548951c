//go:build ros

package bench

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"rstate/test/bed"
)

// BenchmarkWatched measures how long a node stays armed when a required node without a probe is
// suspended, with the middleware's default settings: rstate notices when the node leaves the graph.
// The only limit is the one in docs/arming.md, about which rstate warns.
func BenchmarkWatched(b *testing.B) {
	stock := []string{"FASTDDS_DEFAULT_PROFILES_FILE=", "FASTRTPS_DEFAULT_PROFILES_FILE="}
	c := newCaller(b)
	rigs := beside(b, times(b, "RSTATE_BENCH_WATCHED", 2, 1), func() *watched {
		w := &watched{mover: startDrivers(b, driverSpec{count: 1}),
			other: startDrivers(b, driverSpec{count: 1, env: stock})}
		w.armedRig = newArmedRig(b, c, bed.Unique(b, "rstate"), []string{
			fmt.Sprintf("/%s_1: {arm: {dead_man: none}}", w.mover.prefix), fmt.Sprintf("/%s_1: {}", w.other.prefix),
		}, w.mover)
		return w
	}, (*watched).round)
	list := []row{{name: "it is suspended"}}
	for _, w := range rigs {
		list[0].took = append(list[0].took, w.took...)
		w.other.process.Kill()
	}
	rows(b, "From the fault of a node without a probe to disarmed, in ms", 0, list)
}

type watched struct {
	*armedRig
	mover, other drivers
	took         series // from the fault of the other node to the disarm of the mover
	sent         series // until the disarm was sent
}

func (w *watched) round() {
	w.arms()
	at := w.mover.signal(w.other.process, syscall.SIGSTOP)
	w.took = append(w.took, last(at, disarmed(at, w.mover).begun))
	w.other.process.Thaw()
}

// killed is a round in which the other node is killed, and started again.
func (w *watched) killed() {
	at := w.strikes(func() int64 { return w.mover.signal(w.other.process, syscall.SIGKILL) }, func() {
		w.other = startDrivers(w.b, driverSpec{prefix: w.other.prefix, count: 1})
	})
	d := disarmed(at, w.mover)
	w.took, w.sent = append(w.took, last(at, d.begun)), append(w.sent, last(at, d.sent))
	w.other = startDrivers(w.b, driverSpec{prefix: w.other.prefix, count: 1})
}

const (
	// lostLimit is how soon a node of this host must be lost after its process was killed: the
	// disarm of the others is sent in the same turn of the loop.
	lostLimit = 250 * time.Millisecond
	// endedLimit is the same limit until the others begin to disarm.
	endedLimit = 300 * time.Millisecond
)

// BenchmarkEnds measures how long a node stays armed when the process of a required node without a
// probe is killed, independent of the lease of the middleware.
func BenchmarkEnds(b *testing.B) {
	c := newCaller(b)
	rigs := beside(b, times(b, "RSTATE_BENCH_ENDS", 100, 2), func() *watched {
		w := &watched{mover: startDrivers(b, driverSpec{count: 1}), other: startDrivers(b, driverSpec{count: 1})}
		w.armedRig = newArmedRig(b, c, bed.Unique(b, "rstate"), []string{
			fmt.Sprintf("/%s_1: {arm: {dead_man: none}}", w.mover.prefix), fmt.Sprintf("/%s_1: {}", w.other.prefix),
		}, w.mover)
		return w
	}, (*watched).killed)
	list, unasked := []row{{name: "the node is lost", limit: lostLimit},
		{name: "the others disarm", limit: endedLimit}}, 0
	for _, w := range rigs {
		list[0].took, list[1].took = append(list[0].took, w.sent...), append(list[1].took, w.took...)
		unasked += w.unasked
		w.other.process.Kill()
	}
	rows(b, "From the end of a process without a probe, in ms", unasked, list)
}
