//go:build ros

package client

import (
	"context"

	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// sightDepth is how many states may wait for a client to take them. One is enough for the newest,
// but a watching client also wants the states that last only one step.
const sightDepth = 100

// Sight is one thing that is seen of a daemon: a state that it has published, or, where that is
// nil, that it has fallen silent or is alive again.
type Sight struct {
	State *rstate_msgs_msg.InstanceState
	Alive bool
}

// Await waits for the first state of the daemon, however long it takes to come.
func (c *Client) Await(ctx context.Context) error {
	return c.until(ctx, func(s *rstate_msgs_msg.InstanceState, _ bool) bool { return s != nil })
}

// Watch hands on what is seen of the daemon, in order, beginning with the state that is known,
// until ctx ends. There is one watcher of a client at a time.
func (c *Client) Watch(ctx context.Context, see func(Sight)) error {
	c.mu.Lock()
	waiting := []Sight{}
	if c.state != nil {
		waiting = append(waiting, Sight{c.state, c.pulse.Alive})
	}
	c.sights = &waiting
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.sights = nil
		c.mu.Unlock()
	}()
	for {
		c.mu.Lock()
		now, change := waiting, c.change
		waiting = nil
		c.mu.Unlock()
		for _, s := range now {
			see(s)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-change:
		}
	}
}

// sight keeps a Sight for Watch. The caller holds c.mu.
func (c *Client) sight(s Sight) {
	if c.sights != nil {
		*c.sights = append(*c.sights, s)
	}
}
