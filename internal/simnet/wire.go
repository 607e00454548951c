package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// What instances hear of each other: two topics, reliable, whose writers keep their newest message only. So a message
// that is lost is sent again, unless a newer one has taken its place; an instance that comes late, or was cut off, gets
// the newest. The two topics do not wait for each other.

const (
	changes = iota // the lifecycle topic
	statuses
	topics
)

const (
	livelinessLease = 500 * time.Millisecond // an instance that does not renew it for so long is lost
	statusEvery     = 500 * time.Millisecond
	leavesWithin    = 10 * time.Millisecond // an instance that ends by itself tells the graph
)

// end is where a world is joined to the others. A world that is alone has none: every method takes that.
type end struct {
	peers  *Peers
	world  *World
	index  int
	side   int    // of a cut: who is on another side is not reached
	hash   string // of its machine
	least  int    // the level of what arms there when nothing is armed any more
	said   [topics]parcel
	status mirror.Status // told last
	tells  uint64        // so many times
	hears  []*link       // the others, by index; its own is nil
	places []place       // where it has settled
	ghost  ghost         // what is left of a life that was killed
}

// ghost is what a process that was killed had said last: until its liveliness ends, a reader may have found it before
// its death and get what it had latched after that.
type ghost struct {
	said  [topics]parcel
	until time.Duration
}

// parcel is the newest message of a topic. Numbers go up over all lives of its writer.
type parcel struct {
	number   uint64
	at       time.Duration
	instance string
	in       engine.Input
}

type place struct {
	state string
	at    time.Duration
}

func (e *end) stir() {
	if e != nil {
		e.peers.guard.made = 0
	}
}

func (e *end) begins() {
	if e == nil {
		return
	}
	e.status = mirror.Status{}
	e.said[changes].in, e.said[statuses].in = nil, nil
	for _, l := range e.links() {
		if l.to == e {
			l.lives, l.toldOf = nil, ""
			l.haunt()
		}
		l.discover()
	}
}

func (e *end) leavesBehind() {
	if e != nil {
		e.ghost = ghost{e.said, e.peers.now + livelinessLease}
	}
}

// goneFor is for how long the process of an instance has been dead; zero: it lives, or has ended by itself.
func (e *end) goneFor() time.Duration {
	if e == nil || e.world.brain.up || e.ghost.until == 0 {
		return 0
	}
	killed := e.ghost.until - livelinessLease
	if killed < e.world.brain.began { // and there was another one since
		return 0
	}
	return e.peers.now - killed
}

// meets notes in which phase each other instance is when something happens to this one.
func (e *end) meets(what string) {
	for _, o := range e.others() {
		e.world.covers("restart", what, o.phase(), "")
	}
}

func (e *end) phase() string {
	switch b := &e.world.brain; {
	case !b.up:
		return "not there"
	case b.stalled:
		return "stopped"
	case b.shown == machine.Unknown && b.anew >= 0:
		return "reading again"
	case b.shown == "" || b.shown == machine.Unknown:
		return "starting"
	default:
		return b.shown
	}
}

// others are the ends that it is joined to.
func (e *end) others() []*end {
	if e == nil {
		return nil
	}
	return slices.Concat(e.peers.ends[:e.index], e.peers.ends[e.index+1:])
}

func (e *end) links() (list []*link) {
	for _, o := range e.others() {
		list = append(list, e.hears[o.index], o.hears[e.index])
	}
	return list
}

func (e *end) ends(why string, within time.Duration) {
	if e == nil {
		return
	}
	e.tells++ // nothing is repeated any more
	for _, l := range e.links() {
		l.matched = false
		if l.from == e {
			l.watch(why, within)
		}
	}
}

func (e *end) stalls() {
	for _, l := range e.links() {
		if l.from == e {
			l.watch("it does not renew its liveliness", livelinessLease)
		}
	}
}

// resumes is what comes after having stood still: what the others did not get, and perhaps that they were lost
// meanwhile.
func (e *end) resumes(gap time.Duration, late bool) {
	if e == nil {
		return
	}
	if gap > engine.Stall {
		e.world.check.standstill = e.peers.now
	}
	for _, l := range e.links() {
		if l.to == e && !late && gap > livelinessLease && e.peers.chance(0.5) {
			l.lose("nothing of it was heard while this process stood still")
		}
		l.discover()
		l.flush()
	}
}

func (e *end) up() bool { return e.world.brain.up && !e.world.brain.stalled }

func (e *end) publishes(c engine.Change) {
	if e == nil {
		return
	}
	instance := e.world.brain.instance()
	said := mirror.Change{
		Name: e.world.opt.Name, Instance: instance, SourceState: c.SourceState, Event: c.Event,
		TargetState: c.TargetState,
		State:       c.State, Settled: c.Settled, Seen: seenOf(c), Hash: e.hash,
		Steady: e.steady(), Made: c.Made, Orders: slices.Clone(c.Orders),
	}
	e.say(changes, engine.PeerChanged{Change: said})
}

func seenOf(c engine.Change) []mirror.Seen {
	seen := make([]mirror.Seen, len(c.Seen))
	for k, s := range c.Seen {
		seen[k] = mirror.Seen(s)
	}
	return seen
}

// told puts a status on the topic of peers, and again twice a second.
func (e *end) told(s mirror.Status) {
	if e == nil {
		return
	}
	e.status = s
	e.settles()
	e.sayStatus()
	e.tells++
	e.repeat(e.tells)
}

func (e *end) repeat(telling uint64) {
	q := &e.peers.queue
	q.push(e.peers.now+statusEvery, func() {
		if telling != e.tells {
			return
		}
		if e.up() {
			e.sayStatus()
		}
		e.repeat(telling)
	})
}

// sayStatus sends the newest status. It has the age of proof as it was: nothing is decided by it.
func (e *end) sayStatus() {
	s := e.status
	s.Steady = e.steady()
	e.say(statuses, engine.PeerTold{Status: s})
}

// steady is the steady clock of the instance. Each has a beginning of its own.
func (e *end) steady() time.Duration { return e.world.time().Steady }

func (e *end) settles() {
	if n := len(e.places); e.status.Settled && (n == 0 || e.places[n-1].state != e.status.State) {
		e.places = append(e.places, place{e.status.State, e.peers.now})
	} else if !e.status.Settled && (n == 0 || e.places[n-1].state != "") {
		e.places = append(e.places, place{"", e.peers.now})
	}
}

func (e *end) say(topic int, in engine.Input) {
	e.said[topic] = parcel{e.said[topic].number + 1, e.peers.now, e.world.brain.instance(), in}
	for _, o := range e.others() {
		if l := o.hears[e.index]; l.matched {
			l.send(topic)
		}
	}
}
