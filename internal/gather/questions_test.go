package gather

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestManyNodesAreAskedAFewAtATime: all of them, however many are silent.
func TestManyNodesAreAskedAFewAtATime(t *testing.T) {
	for name, c := range map[string]struct {
		nodes, silent int
	}{
		"all answer":           {1200, 0},
		"the first are silent": {1200, 200},
		"all are silent":       {1200, 1200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), inAll(c.nodes, time.Hour))
				defer cancel()
				q := newQuestions(ctx)
				var asked, answered, running, most atomic.Int32
				for i := range c.nodes {
					q.ask(func(ctx context.Context) {
						asked.Add(1)
						most.Store(max(most.Load(), running.Add(1)))
						defer running.Add(-1)
						if i < c.silent {
							<-ctx.Done()
							return
						}
						time.Sleep(10 * time.Millisecond)
						answered.Add(1)
					})
				}
				q.wait()
				if int(asked.Load()) != c.nodes || int(answered.Load()) != c.nodes-c.silent || most.Load() > 64 {
					t.Errorf("%d are asked, up to %d at a time, and %d answer", asked.Load(), most.Load(), answered.Load())
				}
			})
		})
	}
}
