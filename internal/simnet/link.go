package simnet

import (
	"slices"
	"time"

	"rstate/internal/engine"
)

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
	// the run of which the reader had a status last, also if it was lost since, and when it had the first
	metOf string
	metAt time.Duration
	toldN uint64 // how many changes of its own that status listed
}

// heardLife is an instance that the reader takes for living.
type heardLife struct {
	instance string
	since    time.Duration // when it was found; a cut that is over before it is lost does not count
	at       time.Duration // when something came of it
}

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
		// a reader that was away for a while may still know the writer, and gets nothing twice
		if l.life != life || p.chance(0.5) {
			l.got = [topics]uint64{}
		}
		l.matched, l.life, l.since = true, life, p.now
		l.matching++
		l.hear(instance)
		l.flush()
	})
}

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
		w.check.hears(l, m)
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

// watch looks after a while which instances are not heard any more.
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

// haunt gives a reader that starts what a writer had latched that was killed a moment ago: the reader may have found it
// before that.
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
