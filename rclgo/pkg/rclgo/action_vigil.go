package rclgo

import "sync"

// vigil ends a call when the servers that were there at its start have left the graph. A GID
// identifies a server: a server that was restarted does not answer earlier requests.
type vigil struct {
	gone    chan struct{}
	servers map[GID]struct{} // by their publishers of status
}

// vigils holds the vigils of one action client. A goroutine of its own reads the graph after
// a change, so that neither the loop nor a call waits for it.
type vigils struct {
	mu      sync.Mutex
	waiting map[*vigil]struct{}
	now     map[GID]struct{} // the servers that the last look found
	fresh   bool             // the graph has not changed since that look
	seen    bool             // a server has been there
	looking bool             // the goroutine runs
	again   bool             // the goroutine looks once more
}

// keepVigil is called before a request is sent, so that the vigil knows every server that
// may take the request.
func (c *ActionClient) keepVigil() *vigil {
	v := &vigil{gone: make(chan struct{})}
	w := &c.vigils
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[v] = struct{}{}
	if w.fresh && c.graph.served.Load() { // only a client that is spun gets graph changes
		w.compare(v)
	} else {
		c.look()
	}
	return v
}

func (c *ActionClient) endVigil(v *vigil) {
	c.vigils.mu.Lock()
	defer c.vigils.mu.Unlock()
	delete(c.vigils.waiting, v)
}

// graphChanged looks again while no server has been seen, or while a call waits. Loop only.
func (c *ActionClient) graphChanged() {
	w := &c.vigils
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = false
	if !w.seen || len(w.waiting) > 0 {
		c.look()
	}
}

// look starts the goroutine that reads the graph, or makes the running one read it again.
// The lock is held.
func (c *ActionClient) look() {
	w := &c.vigils
	w.again = true
	if !w.looking {
		w.looking = true
		go c.lookAround()
	}
}

// lookAround compares the graph with the servers of the waiting calls, until no look is due.
func (c *ActionClient) lookAround() {
	w := &c.vigils
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.again {
		w.again, w.fresh = false, true
		w.mu.Unlock()
		now, err := c.servers()
		w.mu.Lock()
		if err != nil {
			w.fresh = false
			continue
		}
		w.now, w.seen = now, w.seen || len(now) > 0
		for v := range w.waiting {
			w.compare(v)
		}
	}
	w.looking = false
}

// servers reads the graph.
func (c *ActionClient) servers() (map[GID]struct{}, error) {
	var now map[GID]struct{}
	err := c.use("look for action "+c.ActionName, func() error {
		c.node.queryMu.Lock()
		defer c.node.queryMu.Unlock()
		found, err := c.node.h.EndpointsByTopic(true, false, c.statusTopic)
		now = make(map[GID]struct{}, len(found))
		for _, e := range found {
			now[gidFrom(e.GID)] = struct{}{}
		}
		return err
	})
	return now, err
}

// compare ends a vigil if all its servers have left the graph. The lock is held.
func (w *vigils) compare(v *vigil) {
	switch {
	case len(v.servers) > 0 && overlap(v.servers, w.now):
	case len(v.servers) > 0, w.seen && len(w.now) == 0:
		close(v.gone)
		delete(w.waiting, v)
	default:
		v.servers = w.now // the first that were found, or none yet
	}
}

func overlap(a, b map[GID]struct{}) bool {
	for g := range a {
		if _, ok := b[g]; ok {
			return true
		}
	}
	return false
}
