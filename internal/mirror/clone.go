package mirror

import "slices"

// Clone returns a book that shares no memory with b that either may change. Messages are shared: they are
// never changed.
func (b *Book) Clone() *Book {
	c := *b
	c.loops, c.heard = slices.Clone(b.loops), slices.Clone(b.heard)
	c.peers = slices.Clone(b.peers)
	for i, p := range c.peers {
		peer := *p
		c.peers[i] = &peer
	}
	if b.task != nil {
		task := *b.task
		task.Loops = slices.Clone(task.Loops)
		c.task = &task
	}
	return &c
}
