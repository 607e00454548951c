package lease

import "slices"

// Clone returns a receiver that shares nothing with r.
func (r *Receiver) Clone() Receiver {
	c := *r
	c.sources = slices.Clone(r.sources)
	return c
}
