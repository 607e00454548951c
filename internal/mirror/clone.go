package mirror

import "slices"

// Clone returns a book that shares no memory with b that either may change. Messages are shared: they are
// never changed.
func (b *Book) Clone() *Book {
	c := *b
	c.loops, c.heard, c.refused = slices.Clone(b.loops), slices.Clone(b.heard), slices.Clone(b.refused)
	c.plains = slices.Clone(b.plains)
	c.peers = slices.Clone(b.peers)
	for i, p := range c.peers {
		peer := *p
		peer.clock.ways = slices.Clone(p.clock.ways)
		c.peers[i] = &peer
	}
	if b.task != nil {
		task := *b.task
		task.Loops = slices.Clone(task.Loops)
		c.task = &task
	}
	return &c
}
