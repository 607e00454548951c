package bond

import "time"

// Status is a message of the protocol.
type Status struct {
	ID       string // of the bond, the same on both sides
	Instance string // of the side that publishes it
	Active   bool   // false: this side ends, or has seen the end of the other
}

// State is where one side of a bond is. The names are those of bondcpp.
type State string

// The states, in their order. A bond never goes back.
const (
	Waiting       State = "waiting for sister"
	Alive         State = "alive"
	AwaitingDeath State = "awaiting death"
	Dead          State = "dead"
)

// Timing is how often this side publishes, and how long it waits.
type Timing struct {
	Heartbeat  time.Duration // the period of our heartbeats
	Timeout    time.Duration // without a heartbeat of the sister the bond breaks
	Connect    time.Duration // how long to wait for the first heartbeat of the sister
	Disconnect time.Duration // how long our end waits for the sister to confirm it
	Farewell   time.Duration // the period of our messages meanwhile
}

// Usual returns the timing of a bond with this heartbeat and timeout. The other times are the defaults of the protocol.
func Usual(heartbeat, timeout time.Duration) Timing {
	return Timing{Heartbeat: heartbeat, Timeout: timeout, Connect: 10 * time.Second, Disconnect: 2 * time.Second,
		Farewell: 50 * time.Millisecond}
}

// Cause is why a bond is dead.
type Cause string

// The causes.
const (
	NotDead      Cause = ""
	NeverFormed  Cause = "the other side did not appear"
	Silence      Cause = "the heartbeats ceased"
	SisterEnded  Cause = "the other side ended the bond"
	WeEnded      Cause = "this side ended the bond"
	notConfirmed       = WeEnded // a sister that does not confirm our end changes nothing
)

// Bond is our side of one bond.
type Bond struct {
	id, instance string
	timing       Timing
	state        State
	cause        Cause
	sister       string        // the instance id of the other side; empty: not heard
	publishes    time.Duration // when the next message is due
	expires      time.Duration // when the present state ends by itself
}

// New begins a bond. Its first heartbeat is due at the given delay from now, so that many bonds that begin together do not
// publish together.
func New(id, instance string, timing Timing, now, delay time.Duration) *Bond {
	return &Bond{id: id, instance: instance, timing: timing, state: Waiting, publishes: now + delay,
		expires: now + timing.Connect}
}

// State returns the state.
func (b *Bond) State() State { return b.state }

// Cause returns why the bond is dead.
func (b *Bond) Cause() Cause { return b.cause }

// says is a message of ours.
func (b *Bond) says(active bool) Status {
	return Status{ID: b.id, Instance: b.instance, Active: active}
}

// Hear takes a message of the bond, and returns what to publish at once.
//
// A heartbeat of another instance than the sister's is that of a sister which has taken its place. A farewell of another
// instance is late, and means nothing.
func (b *Bond) Hear(m Status, now time.Duration) []Status {
	if m.ID != b.id || m.Instance == b.instance || b.state == Dead {
		return nil
	}
	if m.Active {
		if b.state == AwaitingDeath {
			return nil
		}
		b.sister, b.state, b.expires = m.Instance, Alive, now+b.timing.Timeout
		return nil
	}
	if b.sister != "" && m.Instance != b.sister {
		return nil
	}
	ours := b.state == AwaitingDeath
	if ours {
		b.die(WeEnded)
		return nil
	}
	b.die(SisterEnded)
	return []Status{b.says(false)} // the sister waits for it
}

// End ends the bond from our side, and returns what to publish at once. A sister that was heard has to confirm it.
func (b *Bond) End(now time.Duration) []Status {
	switch b.state {
	case Waiting:
		b.die(WeEnded)
	case Alive:
		b.state, b.cause = AwaitingDeath, WeEnded
		b.publishes, b.expires = now+b.timing.Farewell, now+b.timing.Disconnect
	default:
		return nil
	}
	return []Status{b.says(false)}
}

// Tick lets time pass, and returns what is due to be published.
func (b *Bond) Tick(now time.Duration) []Status {
	if b.state == Dead {
		return nil
	}
	if now >= b.expires {
		switch b.state {
		case Waiting:
			b.die(NeverFormed)
		case Alive:
			b.die(Silence)
		default:
			b.die(notConfirmed)
		}
		return nil
	}
	if now < b.publishes {
		return nil
	}
	period := b.timing.Heartbeat
	if b.state == AwaitingDeath {
		period = b.timing.Farewell
	}
	if b.publishes += period; b.publishes <= now { // messages that were missed are not made up for
		b.publishes = now + period
	}
	return []Status{b.says(b.state != AwaitingDeath)}
}

// Next returns when Tick has something to do. A dead bond never has.
func (b *Bond) Next() (at time.Duration, ok bool) {
	return min(b.publishes, b.expires), b.state != Dead
}

// delayed moves what expires by a time in which this process did not run: it heard nothing then.
func (b *Bond) delayed(by time.Duration) { b.expires += by }

// excused lets a sister be silent until then, or longer if it was heard lately.
func (b *Bond) excused(until time.Duration) {
	if b.state == Alive {
		b.expires = max(b.expires, until)
	}
}

func (b *Bond) die(why Cause) { b.state, b.cause = Dead, why }
