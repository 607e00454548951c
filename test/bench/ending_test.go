//go:build ros

package bench

import (
	"errors"
	"syscall"
	"testing"
	"time"
)

// endLimit is how long the daemon may take to exit, and a restarted daemon to know its network.
const endLimit = 5 * time.Second

// half is half of the work time of the nodes when the daemon is ended.
const half = 500 * time.Millisecond

// BenchmarkEnd measures how long the daemon of 10 nodes takes from SIGTERM to the end of its
// process, while the nodes are configuring. The goal that waits for them must end as well.
func BenchmarkEnd(b *testing.B) {
	once(b, func() outcome {
		d := newCaller(b).startDaemon(b, startGroup(b, ownNodes, 10, 2*half))
		var took series
		for range times(b, "RSTATE_BENCH_RUNS", 10, 3) {
			d.lower() // the nodes have moved on without the last daemon
			goal := make(chan error, 1)
			go func() {
				result, err := d.try("active")
				if err == nil && result.Success {
					err = errors.New("it succeeded")
				}
				goal <- err
			}()
			<-time.After(half) // the goal is accepted and its nodes are working, which the daemon does not report
			start := time.Now()
			d.process.Signal(syscall.SIGTERM)
			if code := d.process.Wait(b); code != 0 {
				b.Errorf("the daemon ended with code %d; its log:\n%s", code, d.process.Log())
			}
			took = append(took, time.Since(start))
			if err := <-goal; err != nil {
				b.Errorf("the goal did not end as one that a stop aborts: %v", err)
			}
			d.start()
		}
		return ended("SIGTERM → gone, a goal open", took)
	})
}

// BenchmarkComeBack measures how long a daemon that is started after another was killed takes to
// adopt the state of its 10 nodes, from the start of its process. The dead daemon is still in the
// graph, and so are its matches.
func BenchmarkComeBack(b *testing.B) {
	once(b, func() outcome {
		d := newCaller(b).startDaemon(b, startGroup(b, ownNodes, 10, 0))
		d.command("active")
		var took series
		for range times(b, "RSTATE_BENCH_RUNS", 10, 3) {
			d.process.Kill()
			took = append(took, d.start())
			if result, err := d.try("active"); err != nil || result.Outcome != "already" {
				b.Errorf("the network was not adopted as active: %+v, %v", result, err)
			}
		}
		return ended("kill -9, start → adopted", took)
	})
}

func ended(what string, took series) outcome {
	used := float64(took.quantile(1)) / float64(endLimit)
	t := tableOf("Ending and coming back, 10 nodes, in ms", "what", "runs", "median", "p90", "p99", "most", "limit", "")
	t.row(what, count(len(took)), took.spread(), ms(endLimit), verdict(used))
	return outcome{"ns/op": float64(took.median()), ofBound: used}
}
