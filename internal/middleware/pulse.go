package middleware

import (
	"time"

	"rstate/internal/patient"
)

const (
	// Heartbeat is how often an instance publishes what it has published last, where no event tells that it lives.
	Heartbeat = 400 * time.Millisecond
	// Believed is how long a publisher that sends heartbeats counts as alive after its last message.
	Believed = time.Second * patient.Factor
	// Look is the period of Pulse.Tick.
	Look = 100 * time.Millisecond
	// looks is how many looks Believed has.
	looks = int(Believed / Look)
)

// habit is how many messages in a row have to come again, each within Believed, before their age counts. A middleware
// that finds a publisher once more may deliver its latched message again, but does so only once.
const habit = 2

// Pulse says whether a publisher lives. Messages and liveliness events tell. The age of the newest message counts once
// the publisher has the habit of repeating it: an instance repeats for as long as it lives, or never. Ages are counted in
// looks, so that the time in which this process itself was suspended does not count. The zero value has heard nothing. It
// is not safe for concurrent use.
type Pulse struct {
	Alive   bool
	repeats bool // the publisher has the habit
	again   int  // messages in a row that came again in time
	age     int  // looks since the last message
	quiet   int  // looks since the last sign of life
}

// Heard takes a message. again says that it is the same as the one before.
func (p *Pulse) Heard(again bool) {
	if p.again++; !again || p.age >= looks {
		p.again = 0
	}
	p.repeats = p.repeats || p.again >= habit
	p.Alive, p.age, p.quiet = true, 0, 0
}

// Event takes how many publishers are alive.
func (p *Pulse) Event(alive int) { p.Alive, p.quiet = alive > 0, 0 }

// Tick takes a look, every Look. It reports whether the publisher was lost by it.
func (p *Pulse) Tick() (lost bool) {
	p.age++
	if p.quiet++; !p.repeats || !p.Alive || p.quiet < looks {
		return false
	}
	p.Alive = false
	return true
}
