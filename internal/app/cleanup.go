package app

import (
	"sync"

	"go.uber.org/zap"
)

// cleanups closes what was made, the newest first, once.
type cleanups struct {
	log  *zap.Logger
	mu   sync.Mutex
	list []cleanup
}

type cleanup struct {
	name  string
	close func() error
}

// add registers how to close a thing that has just come to exist.
func (c *cleanups) add(name string, close func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, cleanup{name, close})
}

// run closes everything. A second call finds nothing left to do.
func (c *cleanups) run() {
	c.mu.Lock()
	list := c.list
	c.list = nil
	c.mu.Unlock()
	for i := len(list) - 1; i >= 0; i-- {
		if err := list[i].close(); err != nil {
			c.log.Warn("cannot close the "+list[i].name, zap.Error(err))
		}
	}
}
