package middleware

import "time"

const (
	// Heartbeat is how often an instance publishes what it has published last, where no event tells that it lives.
	Heartbeat = 400 * time.Millisecond
	// Believed is how long a publisher that sends heartbeats counts as alive after its last message.
	Believed = time.Second
	// Look is the period of Pulse.Tick.
	Look = 100 * time.Millisecond
)

// Pulse says whether a publisher lives. Messages and liveliness events tell. The age of the newest message counts once
// the publisher was heard to repeat a message: an instance repeats for as long as it lives, or never. The age is
// counted in looks, so that the time in which this process itself was suspended does not count. The zero value has heard
// nothing. It is not safe for concurrent use.
type Pulse struct {
	Alive   bool
	repeats bool
	quiet   int // looks since the last sign of life
}

// Heard takes a message. again says that it is the same as the one before.
func (p *Pulse) Heard(again bool) { p.Alive, p.repeats, p.quiet = true, p.repeats || again, 0 }

// Event takes how many publishers are alive.
func (p *Pulse) Event(alive int) { p.Alive, p.quiet = alive > 0, 0 }

// Tick takes a look, every Look. It reports whether the publisher was lost by it.
func (p *Pulse) Tick() (lost bool) {
	if !p.repeats || !p.Alive {
		return false
	}
	if p.quiet++; p.quiet < int(Believed/Look) {
		return false
	}
	p.Alive = false
	return true
}
