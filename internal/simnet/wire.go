package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/mirror"
)

// What instances hear of each other: two topics, reliable, whose writers keep their newest message only. So a message
// that is lost is sent again, unless a newer one has taken its place; one who comes late, or was cut off, gets the newest.
// The two topics do not wait for each other.

const (
	changes = iota // the lifecycle topic
	statuses
	topics
)

const (
	livelinessLease = 500 * time.Millisecond // who does not renew it for so long is lost
	statusEvery     = 500 * time.Millisecond
	leavesWithin    = 10 * time.Millisecond // who ends by himself says so to the graph
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

// ghost is what a process that was killed had said last: until its liveliness ends, a reader may have found it before its death and
// get what it had latched after that.
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

// place is a state that was settled in, and when.
type place struct {
	state string
	at    time.Duration
}

// link is what one end hears of another.
type link struct {
	from, to *end
	matched  bool   // they have found each other
	matching uint64 // so many times
	life     uint64 // of the reader, when they did
	since    time.Duration
	lostAt   time.Duration // when the reader last took the writer for lost; negative: never
	got      [topics]uint64
	due      [topics]time.Duration // of the newest message on its way: none overtakes another of its topic
	lives    []heardLife
	toldOf   string // of which instance the reader has had a status, and since when
	toldAt   time.Duration
	metOf    string // the run of which the reader had a status last, also if it was lost since, and when it had the first
	metAt    time.Duration
	toldN    uint64 // how many changes of its own that status listed
}

// heardLife is an instance that the reader takes for living.
type heardLife struct {
	instance string
	since    time.Duration // when it was found; a cut that is over before it is lost does not count
	at       time.Duration // when something came of it
}

// stir notes that somebody does something.
func (e *end) stir() {
	if e != nil {
		e.peers.guard.stir()
	}
}

// begins joins a new life of the coordinator to the others.
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

// leavesBehind keeps what a life that is killed had latched.
func (e *end) leavesBehind() {
	if e != nil {
		e.ghost = ghost{e.said, e.peers.now + livelinessLease}
	}
}

// haunt gives a reader that begins what one had latched that was killed a moment ago, and whom it may have found before that.
func (l *link) haunt() {
	p, g, life := l.from.peers, l.from.ghost, l.to.world.brain.life
	if l.from.world.brain.up || p.now >= g.until || l.from.side != l.to.side || !p.chance(0.5) {
		return
	}
	for _, m := range g.said {
		if m.in == nil {
			continue
		}
		p.queue.push(p.now+p.draw(p.opt.Found)+p.delay(), func() {
			if life == l.to.world.brain.life && l.to.world.brain.up {
				l.to.world.note("what %s had latched when it was killed comes", l.from.world.opt.Name)
				l.deliver(m)
			}
		})
	}
}

// meets notes in which phases the others are when something happens to this one.
func (e *end) meets(what string) {
	if e == nil {
		return
	}
	for _, o := range e.peers.ends {
		if o != e {
			e.world.note("it %s while another is %s", what, o.phase())
		}
	}
}

// phase is what an instance is doing, in a word.
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

// links are all those from and to this end.
func (e *end) links() []*link {
	var list []*link
	for _, o := range e.peers.ends {
		if o != e {
			list = append(list, e.hears[o.index], o.hears[e.index])
		}
	}
	return list
}

// ends parts a life that is over from the others, who notice that.
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

// stalls lets the others notice that nothing is renewed.
func (e *end) stalls() {
	if e == nil {
		return
	}
	for _, l := range e.links() {
		if l.from == e {
			l.watch("it does not renew its liveliness", livelinessLease)
		}
	}
}

// resumes is what comes after having stood still: what the others did not get, and perhaps that they were lost meanwhile.
func (e *end) resumes(gap time.Duration, late bool) {
	if e == nil {
		return
	}
	if gap > engine.Stall {
		e.world.guard.standstill = e.peers.now
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

// publishes puts a change on the lifecycle topic.
func (e *end) publishes(c engine.Change) {
	if e == nil {
		return
	}
	instance := e.world.brain.instance()
	said := mirror.Change{
		Name: e.world.opt.Name, Instance: instance, SourceState: c.SourceState, Event: c.Event, TargetState: c.TargetState,
		State: c.State, Settled: c.Settled, Seen: seenOf(c), Hash: e.hash,
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
	e.say(statuses, engine.PeerTold{Status: s})
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
			e.say(statuses, engine.PeerTold{Status: e.status}) // with the age of proof as it was: nothing is decided by it
		}
		e.repeat(telling)
	})
}

// settles keeps where the network has come to rest.
func (e *end) settles() {
	if n := len(e.places); e.status.Settled && (n == 0 || e.places[n-1].state != e.status.State) {
		e.places = append(e.places, place{e.status.State, e.peers.now})
	} else if !e.status.Settled && (n == 0 || e.places[n-1].state != "") {
		e.places = append(e.places, place{"", e.peers.now})
	}
}

func (e *end) say(topic int, in engine.Input) {
	e.said[topic] = parcel{e.said[topic].number + 1, e.peers.now, e.world.brain.instance(), in}
	for _, o := range e.peers.ends {
		if l := o.hears[e.index]; l != nil && l.matched {
			l.send(topic)
		}
	}
}

// reach says whether what the one says now gets to the other.
func (l *link) reach() bool { return l.from.up() && l.to.up() && l.from.side == l.to.side }

// discover lets the two find each other, if they can; the reader then gets what is latched.
func (l *link) discover() {
	if l.matched || !l.reach() {
		return
	}
	p, life := l.from.peers, l.to.world.brain.life
	instance := l.from.world.brain.instance()
	p.queue.push(p.now+p.draw(p.opt.Found), func() {
		if l.matched || !l.reach() || life != l.to.world.brain.life || instance != l.from.world.brain.instance() {
			return
		}
		if l.life != life || p.chance(0.5) { // who was only away for a while may be known still, and get nothing twice
			l.got = [topics]uint64{}
		}
		l.matched, l.life, l.since = true, life, p.now
		l.matching++
		l.hear(instance)
		l.flush()
	})
}

// flush sends what the reader has not got.
func (l *link) flush() {
	if !l.matched || !l.reach() {
		return
	}
	for topic := range topics {
		if l.from.said[topic].in != nil && l.from.said[topic].number > l.got[topic] {
			l.send(topic)
		}
	}
}

// send puts the newest message of the topic on its way.
func (l *link) send(topic int) {
	p, parcel, matching := l.from.peers, l.from.said[topic], l.matching
	at := max(p.now+p.delay(), l.due[topic])
	l.due[topic] = at
	p.queue.push(at, func() {
		switch {
		case matching != l.matching || l.life != l.to.world.brain.life || !l.to.world.brain.up:
		case l.from.side != l.to.side && p.chance(0.5):
		case p.chance(p.opt.Lost) || l.to.world.brain.stalled && p.chance(0.3):
			p.queue.push(p.now+p.draw(resent), func() {
				if matching == l.matching {
					l.flush()
				}
			})
		case parcel.number > l.got[topic]:
			l.got[topic] = parcel.number
			l.deliver(parcel)
			if p.chance(p.opt.Double) {
				p.queue.push(p.now+p.delay(), func() {
					if matching == l.matching && l.life == l.to.world.brain.life {
						l.deliver(parcel)
					}
				})
			}
		}
	})
}

// resent is how long it takes until a message that was lost is sent again.
var resent = Range{20 * time.Millisecond, 200 * time.Millisecond}

func (l *link) deliver(m parcel) {
	l.hear(m.instance)
	w := l.to.world
	w.brain.take(letter{m.in, func() {
		l.hear(m.instance) // who stood still may have taken it for lost since
		w.guard.hears(l, m)
	}})
}

// hear notes that the instance lives, as far as the reader can tell.
func (l *link) hear(instance string) {
	now := l.from.peers.now
	for k := range l.lives {
		if l.lives[k].instance == instance {
			l.lives[k].at = now
			return
		}
	}
	l.lives = append(l.lives, heardLife{instance, now, now})
	if !l.flows(instance) {
		l.watch("it does not renew its liveliness", livelinessLease)
	}
}

// live says whether a message was made while its writer was known to be there.
func (l *link) live(m parcel) bool {
	return slices.ContainsFunc(l.lives, func(h heardLife) bool { return h.instance == m.instance && m.at >= h.since })
}

// flows says whether the instance renews its liveliness, and the reader hears that.
func (l *link) flows(instance string) bool {
	return l.matched && l.from.up() && l.from.side == l.to.side && l.from.world.brain.instance() == instance
}

// watch looks after a while who is not heard of any more.
func (l *link) watch(why string, within time.Duration) {
	p := l.from.peers
	p.queue.push(p.now+within+p.delay(), func() {
		for k := 0; k < len(l.lives); k++ {
			switch h := l.lives[k]; {
			case l.flows(h.instance):
			case p.now < h.at+within:
				l.watch(why, within)
			default:
				l.lives = append(l.lives[:k:k], l.lives[k+1:]...)
				k--
				l.lost(h.instance, why)
			}
		}
	})
}

// lose takes all for lost that were heard of.
func (l *link) lose(why string) {
	lives := l.lives
	l.lives = nil
	for _, h := range lives {
		l.lost(h.instance, why)
	}
}

func (l *link) lost(instance, why string) {
	l.lostAt = l.from.peers.now
	in := engine.PeerLost{Name: l.from.world.opt.Name, Instance: instance, Why: why}
	l.to.world.brain.take(letter{in, func() {
		if l.toldOf == instance { // a life after that one may have been heard since
			l.toldOf = ""
		}
	}})
}
