package session

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"rstate/internal/patient"
)

// Cleanups closes resources once, in reverse order of their creation.
type Cleanups struct {
	Log  *zap.Logger
	mu   sync.Mutex
	list []cleanup
}

type cleanup struct {
	name  string
	close func() error
}

// Add registers how to close a resource that was just created.
func (c *Cleanups) Add(name string, close func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, cleanup{name, close})
}

// LetGo is how long closing may take. It takes some milliseconds, unless the middleware does not
// let go: on shared memory that a killed process has left locked, closing waits for ever.
const LetGo = 2 * time.Second * patient.Factor

// CloseAtLeast is how long closing gets in any case.
const CloseAtLeast = 600 * time.Millisecond * patient.Factor

// Run closes everything, for so long at the most, and reports whether that was enough; what is not
// closed then is left to the end of the process. A second call finds nothing left to do.
func (c *Cleanups) Run(limit time.Duration) bool {
	c.mu.Lock()
	list := c.list
	c.list = nil
	c.mu.Unlock()
	done := make(chan struct{})
	under := make(chan string, len(list)) // the names, as each is begun
	go func() {
		defer close(done)
		for i := len(list) - 1; i >= 0; i-- {
			under <- list[i].name
			if err := list[i].close(); err != nil {
				c.Log.Warn("cannot close a part of the daemon", zap.String("part", list[i].name), zap.Error(err))
			}
		}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		last := ""
		for n := len(under); n > 0; n-- {
			last = <-under
		}
		c.Log.Warn("a part of the daemon takes too long to close; leaving without it", zap.String("part", last),
			zap.Duration("limit", limit))
	}
	return false
}

// turns lets the simulations of a factory close one after another. The middleware takes away one
// endpoint at a time, and the more slowly the more there are: of a hundred that close side by side,
// each would take as long as all, and be left.
type turns struct {
	one   chan struct{} // a token: none is being closed
	stuck bool          // one was left
}

func newTurns() *turns {
	t := &turns{one: make(chan struct{}, 1)}
	t.one <- struct{}{}
	return t
}

// run closes one simulation when its turn has come. If another was left, the middleware may not let go
// of any: then there is less time for each.
func (t *turns) run(c *Cleanups) {
	<-t.one
	defer func() { t.one <- struct{}{} }()
	limit := LetGo
	if t.stuck {
		limit = CloseAtLeast
	}
	if !c.Run(limit) {
		t.stuck = true
	}
}
