// Package guards is what is known of the guards of one instance: programs that disarm nodes that follow no
// lease. A guard counts while it speaks, and while an arm lease is held only if it hears that lease.
//
// It may import internal/lease and the standard library only.
package guards

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/lease"
	"rstate/internal/patient"
)

const (
	// Every is how often a guard speaks: as often as the lease is renewed.
	Every = lease.Every
	// Silent is how long a living guard is silent at most, and how long it may hear no lease while one is sent.
	Silent = 500 * time.Millisecond * patient.Factor
	// Most is how many guards are known at a time. Anyone may make up more.
	Most = 16
	// forgotten is how long a lost guard is still shown.
	forgotten = 10 * time.Second
	// remembered is how many messages of the lease are remembered: those of a second.
	remembered = 10
)

// Word is what a guard says.
type Word struct {
	ID     string
	Writer string // tells it from others of the same id; may be empty
	// Follows says that it hears the present run of the instance.
	Follows bool
	// The newest messages of that run's lease that it has heard, one of each writer: another writer may claim to
	// speak for the run.
	Heard []Lease
	Calls []Call // none: it ends
}

// Lease is a message of a lease.
type Lease struct{ Term, Seq uint64 }

// Call is a service by which a guard disarms a node.
type Call struct {
	Service string
	Fault   string // why the guard cannot call it now; empty: it can
}

// Book is the guards that were heard lately. The zero value is ready for use.
type Book struct {
	list []guard // by id and writer
	term uint64  // of the lease that is held; 0: none
	sent []sent  // the newest messages of that lease, in order
}

type guard struct {
	word  Word
	heard time.Duration
	fault string // why it did not count when it was shown last
	news  bool   // what it can call has changed since
}

type sent struct {
	seq uint64
	at  time.Duration
}

// Clone returns a book that shares no memory with b that changes.
func (b Book) Clone() Book {
	b.list, b.sent = slices.Clone(b.list), slices.Clone(b.sent)
	return b
}

// Hear takes the word of a guard. A new guard is dropped if as many live as the book takes.
func (b *Book) Hear(now time.Duration, w Word) {
	of := func(g, o Word) int { return cmp.Or(strings.Compare(g.ID, o.ID), strings.Compare(g.Writer, o.Writer)) }
	k, known := slices.BinarySearchFunc(b.list, w, func(g guard, w Word) int { return of(g.word, w) })
	if known {
		g := &b.list[k]
		g.news = g.news || !slices.Equal(g.word.Calls, w.Calls)
		g.word, g.heard = w, now
		return
	}
	if len(b.list) == Most {
		old := slices.IndexFunc(b.list, func(g guard) bool { return !g.lives(now) })
		if old < 0 {
			return
		}
		b.list = slices.Delete(b.list, old, old+1)
		if old < k {
			k--
		}
	}
	b.list = slices.Insert(b.list, k, guard{word: w, heard: now, news: true})
}

// Sent notes a message of the lease that was sent.
func (b *Book) Sent(now time.Duration, term, seq uint64) {
	if term != b.term {
		b.term, b.sent = term, nil
	}
	b.sent = append(b.sent, sent{seq, now})
	b.sent = b.sent[max(0, len(b.sent)-remembered):]
}

// Ended notes that no lease is held any more.
func (b *Book) Ended() { b.term, b.sent = 0, nil }

func (g *guard) lives(now time.Duration) bool { return now-g.heard < Silent && !g.ended() }

// ended reports whether the guard has said that it ends.
func (g *guard) ended() bool { return len(g.word.Calls) == 0 }

// ends reports whether the guard has said that it disarms before it ends.
func (g *guard) ends() bool {
	return slices.ContainsFunc(g.word.Calls, func(c Call) bool { return c.Fault == DisarmsLast })
}

// heardOf returns the newest message of the lease that is held that a guard has heard. A message that was never
// sent does not count.
func (b *Book) heardOf(g *guard) (seq uint64, ok bool) {
	if b.term == 0 || len(b.sent) == 0 {
		return 0, false
	}
	for _, h := range g.word.Heard {
		if h.Term == b.term && h.Seq <= b.sent[len(b.sent)-1].seq {
			seq, ok = max(seq, h.Seq), true
		}
	}
	return seq, ok
}

// deafFrom returns when a guard will have missed the lease for too long, if it hears nothing more of it.
func (b *Book) deafFrom(g *guard) (at time.Duration, ok bool) {
	seq, _ := b.heardOf(g)
	for _, s := range b.sent {
		if s.seq > seq {
			return s.at + Silent, true
		}
	}
	return 0, false
}

// fault says why a guard does not count now; empty: it does.
func (b *Book) fault(now time.Duration, g *guard) string {
	switch from, deaf := b.deafFrom(g); {
	case g.ended():
		return Ended
	case !g.lives(now):
		return "is lost: it has been silent for " + Silent.String()
	case g.ends():
		return "ends"
	case !g.word.Follows:
		return "does not hear this run of rstate"
	case deaf && now >= from:
		return "has not heard the arm lease for " + Silent.String()
	}
	return ""
}

// call returns how a guard disarms by a service; nil: it does not.
func (g *guard) call(service string) *Call {
	k := slices.IndexFunc(g.word.Calls, func(c Call) bool { return c.Service == service })
	if k < 0 {
		return nil
	}
	return &g.word.Calls[k]
}

// Lacks says why no guard covers a service; empty: one does. It names what is wrong with each guard.
func (b *Book) Lacks(now time.Duration, service string) string {
	var why []string
	for k := range b.list {
		g := &b.list[k]
		c, fault := g.call(service), b.fault(now, g)
		switch {
		case c == nil && fault == "":
			why = append(why, fmt.Sprintf("guard %s does not call %s", g.word.ID, service))
		case fault != "":
			why = append(why, fmt.Sprintf("guard %s %s", g.word.ID, fault))
		case c.Fault != "":
			why = append(why, fmt.Sprintf("guard %s cannot call %s: %s", g.word.ID, service, c.Fault))
		default:
			return ""
		}
	}
	if len(why) == 0 {
		return "no guard is there"
	}
	return strings.Join(why, "; ")
}

// Ready reports whether a guard that covers a service has heard the lease that is held.
func (b *Book) Ready(now time.Duration, service string) bool {
	return slices.ContainsFunc(b.list, func(g guard) bool {
		c := g.call(service)
		_, hears := b.heardOf(&g)
		return c != nil && c.Fault == "" && b.fault(now, &g) == "" && hears
	})
}

// Turn forgets the guards that were lost long ago, and reports whether what is shown of any has changed.
func (b *Book) Turn(now time.Duration) (news bool) {
	was := len(b.list)
	b.list = slices.DeleteFunc(b.list, func(g guard) bool { return now-g.heard >= Silent+forgotten })
	news = len(b.list) != was
	for k := range b.list {
		g := &b.list[k]
		fault := b.fault(now, g)
		news = news || g.news || fault != g.fault
		g.fault, g.news = fault, false
	}
	return news
}

// Next returns when a guard may be lost, deaf or forgotten.
func (b *Book) Next(now time.Duration) (at time.Duration, ok bool) {
	first := func(when time.Duration) {
		if when > now && (!ok || when < at) {
			at, ok = when, true
		}
	}
	for k := range b.list {
		g := &b.list[k]
		first(g.heard + Silent)
		first(g.heard + Silent + forgotten)
		if from, deaf := b.deafFrom(g); deaf && g.word.Follows {
			first(from)
		}
	}
	return at, ok
}

// View is a guard as it is shown.
type View struct {
	ID    string
	Calls []string      // the services that it can call now
	Age   time.Duration // of its newest word
	Fault string        // why it does not count, or what it cannot call; empty: there is nothing to say
	Lives bool          // it counts
}

// Views lists the guards by id.
func (b *Book) Views(now time.Duration) []View {
	list := make([]View, 0, len(b.list))
	for k := range b.list {
		g := &b.list[k]
		v := View{ID: g.word.ID, Age: now - g.heard, Fault: b.fault(now, g)}
		v.Lives = v.Fault == ""
		for _, c := range g.word.Calls {
			if c.Fault == "" {
				v.Calls = append(v.Calls, c.Service)
			} else if v.Lives {
				v.Fault += fmt.Sprintf("; cannot call %s: %s", c.Service, c.Fault)
			}
		}
		v.Fault = strings.TrimPrefix(v.Fault, "; ")
		list = append(list, v)
	}
	return list
}
