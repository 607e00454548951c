package dispatch

import (
	"time"

	"rstate/internal/engine"
)

const (
	// gather is the least time between two snapshots that show no new state of the network.
	gather = 50 * time.Millisecond
	// refresh is the greatest age of a published snapshot while a lease is held: its ages grow
	// without any other change.
	refresh = time.Second
)

// Display decides when a snapshot is published. A Show with a snapshot is published at once, and that
// snapshot. Another Show notes that something changed; when the step has been carried, Due says when
// the snapshot of that moment is published.
type Display struct {
	dirty bool
	shown bool          // one was published
	at    time.Duration // when
	ages  bool          // that one has ages that grow
}

// Changed notes that the snapshot differs from the one that was published last.
func (d *Display) Changed() { d.dirty = true }

// Dirty reports whether something changed since a snapshot was last published.
func (d *Display) Dirty() bool { return d.dirty }

// Due returns the moment at which a changed snapshot is to be published: now, or as soon as the
// last one is 50 ms old. It is false if nothing changed.
func (d *Display) Due(now time.Duration) (at time.Duration, due bool) {
	if !d.shown {
		return now, d.dirty
	}
	return max(now, d.at+gather), d.dirty
}

// Old reports whether the published snapshot has to be published again for its ages. The loop asks at
// each beat.
func (d *Display) Old(now time.Duration) bool { return d.ages && now-d.at >= refresh }

// Published notes that a snapshot was published.
func (d *Display) Published(now time.Duration, s *engine.Snapshot) {
	*d = Display{shown: true, at: now, ages: s.Lease.Term > 0 || len(s.Stops.Inputs) > 0}
}
