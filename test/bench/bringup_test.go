//go:build ros

package bench

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

const (
	// tooLong is the longest bring-up that is measured: the work of nodes that share a thread adds
	// up.
	tooLong = 5 * time.Second
	// patienceForSequence is the total time for the measurements that go node by node.
	patienceForSequence = 4 * time.Second
	// patienceForRow ends slow rounds of one row, after the third.
	patienceForRow = 8 * time.Second
	// perNode is the number of calls of a bring-up.
	perNode = 2
)

// up and down are the transitions of a node without a coordinator.
var up, down = []string{"configure", "activate"}, []string{"deactivate", "cleanup"}

// BenchmarkBringUp takes networks from unconfigured to active: with the daemon, over its action;
// and for comparison with rclpy programs that only have clients of the nodes, over a second group
// of equal nodes.
func BenchmarkBringUp(b *testing.B) {
	for _, k := range []kind{ownNodes, rclpyMulti, rclpySingle} {
		b.Run(string(k), func(b *testing.B) {
			for _, n := range sizes(b) {
				b.Run("nodes="+strconv.Itoa(n), func(b *testing.B) { bringUps(b, k, n) })
			}
		})
	}
}

// bringUps has the nodes and the daemon for all measurements on networks of one size.
func bringUps(b *testing.B, k kind, n int) {
	for _, work := range []time.Duration{0, 100 * time.Millisecond} {
		if k == rclpySingle && time.Duration(perNode*n)*work > tooLong {
			continue
		}
		b.Run(fmt.Sprintf("work=%v", work), func(b *testing.B) {
			once(b, func() outcome {
				r := newRace(b, k, n, work)
				since := time.Now()
				for i := range times(b, "RSTATE_BENCH_ROUNDS", 5, 3) {
					if i < 3 || time.Since(since) < patienceForRow {
						r.round()
					}
				}
				return r.result()
			})
		})
	}
}

// race is a bring-up that all programs do alternately.
type race struct {
	kind   kind
	n      int
	work   time.Duration
	daemon *daemon
	script script
	probe  *probe

	call, coordinated, atOnce, readingFirst, inSequence series
}

func newRace(b *testing.B, k kind, n int, work time.Duration) *race {
	b.Helper()
	r := &race{kind: k, n: n, work: work}
	ours, theirs := startGroup(b, k, n, work), startGroup(b, k, n, work)
	r.script = startScript(b, theirs)
	c := newCaller(b)
	r.probe = c.probe(ours)
	r.daemon = c.startDaemon(b, ours)
	r.daemon.lower() // both do one bring-up before the measurements
	r.script.atOnce(up...)
	r.script.atOnce(down...)
	r.script.readingFirst(up...)
	r.script.atOnce(down...)
	return r
}

func (r *race) round() {
	r.call = append(r.call, r.probe.roundTrip(10))
	r.daemon.stale()
	r.coordinated = append(r.coordinated, r.daemon.command("active"))
	r.daemon.lower()
	r.atOnce = append(r.atOnce, r.script.atOnce(up...))
	r.script.atOnce(down...)
	r.readingFirst = append(r.readingFirst, r.script.readingFirst(up...))
	r.script.atOnce(down...)
	var spent time.Duration
	for _, s := range r.inSequence {
		spent += s
	}
	if longest := time.Duration(perNode*r.n) * r.work; spent+longest <= patienceForSequence {
		r.inSequence = append(r.inSequence, r.script.inSequence(up...))
		r.script.atOnce(down...)
	}
}

// bound is the minimum time of a bring-up: each node is configured and then activated, with its
// work and a round trip for each. Nodes with threads of their own work concurrently; on a shared
// thread the times add up.
func (r *race) bound(call time.Duration) time.Duration {
	switch r.kind {
	case rclpySingle:
		return time.Duration(perNode*r.n) * (r.work + call)
	case rclpyMulti: // they work concurrently, but share one interpreter
		return perNode*r.work + time.Duration(perNode*r.n)*call
	}
	return perNode * (r.work + call)
}

// allowed is the limit for the daemon.
func (r *race) allowed(call, atOnce time.Duration) time.Duration {
	bound := r.bound(call)
	switch {
	case r.work == 0:
		return atOnce
	case r.n <= 50:
		return bound * 11 / 10
	}
	return bound + time.Duration(perNode*r.n)*call
}

func (r *race) result() outcome {
	var bound, allowed series
	for i, call := range r.call {
		bound = append(bound, r.bound(call))
		allowed = append(allowed, r.allowed(call, r.atOnce[i]))
	}
	used := over(r.coordinated, allowed).median()
	t := tableOf("Bring-up, configure and activate, in ms: median (least–most)",
		"nodes", "of", "work", "one call", "bound", "daemon", "at once", "read, then at once", "in sequence",
		"daemon/bound", "daemon/at once", "daemon/read, then at once", "of what is allowed", "")
	t.row(count(r.n), string(r.kind), r.work.String(), ms(r.call.median()), ms(bound.median()), r.coordinated.String(),
		r.atOnce.String(), r.readingFirst.String(), r.inSequence.String(), over(r.coordinated, bound).String(),
		over(r.coordinated, r.atOnce).String(), over(r.coordinated, r.readingFirst).String(),
		fmt.Sprintf("%.2f", used), verdict(used))
	return outcome{"ns/op": float64(r.coordinated.median()), ofBound: used}
}
