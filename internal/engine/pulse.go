package engine

import "time"

// StoodFor is for how long after a stall nobody is told that we hold the name: another may have taken it.
const StoodFor = 5 * time.Second

// Pulse says whether a loop stands still, or has lately. The world beats it wherever the loop turns, and asks it before it
// tells others of its name that it lives. It is less patient than the loop itself, by up to the time between two beats,
// and never more: whoever is told Stalled, and then yields to any answer, has given none since. So of two that meet after
// a stall one stays.
type Pulse struct {
	beat  time.Time // the last
	stood time.Time // when the last gap between two beats that was too long ended
}

// Beat notes that the loop turns.
func (p *Pulse) Beat(now time.Time) {
	if !p.beat.IsZero() && apart(p.beat, now) > Stall {
		p.stood = now
	}
	p.beat = now
}

// Stood says whether the loop stands, or has stood a moment ago.
func (p *Pulse) Stood(now time.Time) bool {
	if p.beat.IsZero() {
		return false
	}
	return apart(p.beat, now) > Stall || !p.stood.IsZero() && now.Sub(p.stood) < StoodFor
}

// apart is the time between two moments, by whichever clock more has passed on: the steady one stands while the machine
// is suspended, the other can be set.
func apart(from, to time.Time) time.Duration {
	return max(to.Sub(from), to.Round(0).Sub(from.Round(0)))
}
