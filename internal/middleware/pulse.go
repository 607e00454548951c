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

// Pulse says whether a publisher lives. Once a liveliness event has fired, events decide. Until then the age of the
// newest message does. The age is counted in looks, so that the time in which this process itself was suspended does
// not count. The zero value has heard nothing. It is not safe for concurrent use.
type Pulse struct {
	Alive bool
	told  bool // by an event
	quiet int  // looks since the last message
}

// Heard takes a message.
func (p *Pulse) Heard() { p.Alive, p.quiet = true, 0 }

// Event takes how many publishers are alive.
func (p *Pulse) Event(alive int) { p.Alive, p.told = alive > 0, true }

// Tick takes a look, every Look. It reports whether the publisher was lost by it.
func (p *Pulse) Tick() (lost bool) {
	if p.told || !p.Alive {
		return false
	}
	if p.quiet++; p.quiet < int(Believed/Look) {
		return false
	}
	p.Alive = false
	return true
}
