//go:build ros

package trials

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// campaign runs trials on robots side by side, and counts.
type campaign struct {
	t      testing.TB
	seed   uint64
	shares [places]int
	first  int // the number of the first trial

	mu    sync.Mutex // guards what follows
	begun int
	ended int
	tried [kinds][places]int
	took  map[row]series
}

func newCampaign(t testing.TB, shares [places]int) *campaign {
	t.Helper()
	c := &campaign{t: t, seed: seed(t), shares: shares, first: number(t, "RSTATE_TRIALS_FIRST", 0),
		took: map[row]series{}}
	t.Logf("RSTATE_TRIALS_SEED=%d draws these trials", c.seed)
	return c
}

// run runs trials until next says that there is no further one. next is called with the lock held, and
// returns the kind of the trial.
func (c *campaign) run(next func() (kind, bool)) {
	var all sync.WaitGroup
	for range max(1, number(c.t, "RSTATE_BENCH_BESIDE", 2)) {
		r := newRobot(c.t)
		all.Go(func() { // a Fatal ends this goroutine, and fails the test
			for {
				d, more := c.draw(next, len(r.nodes))
				if !more {
					return
				}
				began := time.Now()
				samples := r.run(d)
				c.take(d, samples, time.Since(began))
			}
		})
	}
	all.Wait()
}

func (c *campaign) draw(next func() (kind, bool), nodes int) (d trial, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, more := next()
	if !more || c.t.Failed() {
		return d, false
	}
	number := c.first + c.begun
	c.begun++
	return draw(random(c.seed, number), number, k, c.shares, nodes), true
}

func (c *campaign) take(d trial, samples []sample, whole time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended++
	c.tried[d.kind][d.place]++
	for _, s := range samples {
		c.took[s.row] = append(c.took[s.row], s.took)
	}
	if os.Getenv("RSTATE_TRIALS_TELL") != "" {
		fmt.Fprintf(os.Stderr, "%v: %v in all; %v\n", d, whole.Round(time.Millisecond), samples)
	}
}

// TestTrials judges trials of every kind in turn. It measures no time against a bound: BenchmarkTrials does.
func TestTrials(t *testing.T) {
	const usual = 16
	wanted := number(t, "RSTATE_TRIALS", usual)
	c := newCampaign(t, [places]int{1, 3, 3, 1, 3, 1})
	c.run(func() (kind, bool) { return kind((c.first + c.begun) % kinds), c.begun < wanted })
	if c.ended != wanted {
		t.Errorf("%d of %d trials have ended", c.ended, wanted)
	}
	t.Log("\n" + c.summary())
	t.Log("\n" + c.table())
}
