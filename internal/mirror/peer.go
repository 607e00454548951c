package mirror

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/patient"
)

// The times of peers. All count steady time.
const (
	Fresh  = time.Second * patient.Factor // the greatest age of what a required peer said last
	RaceIn = time.Second * patient.Factor // how long a status that is ahead waits for the change itself to come
)

// keepLost is how many peers are remembered that are not alive.
const keepLost = 64

// Peer is what is known of another instance: the one of its name that was heard last.
type Peer struct {
	Status Status
	Plain  bool          // it speaks only the four fields, so nothing else of it is known
	Alive  bool          // it renews its liveliness
	InStep bool          // a status of it was taken since it was found: from now on its changes are live
	Same   bool          // it follows the same machine
	met    bool          // this instance was in step with it before, in the peer's present run
	ending bool          // it was on its way to a final state when the two met, so nothing that it says is followed
	At     time.Duration // when it was heard last
	LostAt time.Duration // where it is not alive: since when
	Why    string        // and why

	Lag      time.Duration // how long it took to follow our newest change
	Followed bool          // Lag is valid
	awaits   bool          // it lived when that was made

	clock clock // its steady clock
	said  said  // its newest change

	ahead   bool // its status knows more than we do
	aheadAt time.Duration
	warned  bool
}

// Unfit is one reason why a peer that is required does not let this network be armed.
type Unfit struct {
	Name string
	Why  string
	Do   string // what a person can do about it
	Lost bool   // its liveliness ended, or it was never there
}

func (u Unfit) String() string { return u.Name + ": " + u.Why }

// Unfit lists what stands against being armed, of every required peer. disarmed is the state that the armed one is with
// nothing armed: the least at which a peer has to be.
func (b *Book) Unfit(now time.Duration, disarmed string) []Unfit {
	var list []Unfit
	for _, name := range b.conf.Required {
		p := b.Peer(name)
		switch {
		case p == nil || p.Plain:
			list = append(list, Unfit{Name: name, Why: "is not there", Do: "start it", Lost: true})
		case !p.Alive:
			list = append(list, Unfit{Name: name, Lost: true, Do: "start it again, or restore the connection to it",
				Why: fmt.Sprintf("lost for %v: %s", (now - p.LostAt).Truncate(time.Second), p.Why)})
		default:
			list = append(list, b.faults(p, now, disarmed)...)
		}
	}
	return list
}

// Silent lists the required peers that are there, and have said nothing for longer than Fresh.
func (b *Book) Silent(now time.Duration) []string {
	var list []string
	for _, name := range b.conf.Required {
		if p := b.Peer(name); p != nil && !p.Plain && p.Alive && now-p.At > Fresh {
			list = append(list, name)
		}
	}
	return list
}

// What a person can do about a peer.
const (
	unheard    = "see whether it hangs, and the connection to it"
	waitForEnd = "wait for its end"
)

// faults lists what is wrong with a peer that is there.
func (b *Book) faults(p *Peer, now time.Duration, disarmed string) []Unfit {
	m, st := b.conf.Machine, &p.Status
	least := m.Level(disarmed)
	var list []Unfit
	add := func(is bool, do, format string, args ...any) {
		if is {
			list = append(list, Unfit{Name: st.Name, Do: do, Why: fmt.Sprintf(format, args...)})
		}
	}
	add(!p.Same, "give both the same machine", "follows another machine, %s", st.Machine)
	add(st.Leaving, "start it again when it has ended", "is about to end")
	add(!p.InStep, unheard, "has not said anything since this rstate stood still")
	add(now-p.At > Fresh, unheard, "has said nothing for %v", (now - p.At).Truncate(100*time.Millisecond))
	add(!st.Intact, "see rstate status --node "+st.Name, "is not intact%s", because(st.Cause))
	switch {
	case !p.Same:
	case m.Error != "" && st.State == m.Error:
		add(true, waitForEnd, "is putting a failure right")
	case st.Settled && m.Level(st.State) < least:
		add(true, "send "+disarmed+" to it", "is %s, which is lower than %s", lifecycle.Words(st.State),
			lifecycle.Words(disarmed))
	case b.rests(st.Target) && m.Level(st.Target) < least || !st.Settled && !b.above(st.State, least):
		add(true, waitForEnd, "is %s, on its way to %s", lifecycle.Words(st.State), lifecycle.Words(st.Target))
	}
	return list
}

// above says whether a passing state is one between states of at least a level.
func (b *Book) above(passing string, least int) bool {
	m := b.conf.Machine
	found := false
	for _, t := range m.Transitions {
		if t.Via != passing {
			continue
		}
		found = true
		low := func(s string) bool { return m.Level(s) < least }
		if slices.ContainsFunc(m.Targets(t.Name), low) || slices.ContainsFunc(t.From, low) {
			return false
		}
	}
	return found
}

func because(cause string) string {
	if cause == "" {
		return ""
	}
	return ": " + cause
}

// Peer returns the peer of that name; nil: nothing was heard of it.
func (b *Book) Peer(name string) *Peer {
	if k, ok := b.find(name); ok {
		return b.peers[k]
	}
	return nil
}

// Peers lists all that is known of others, by their names. It belongs to the book.
func (b *Book) Peers() []*Peer { return b.peers }

func (b *Book) find(name string) (int, bool) {
	return slices.BinarySearchFunc(b.peers, name,
		func(p *Peer, name string) int { return strings.Compare(p.Status.Name, name) })
}

// RequiredBy lists the living peers that arm nothing without us.
func (b *Book) RequiredBy() []string {
	var names []string
	for _, p := range b.peers {
		if p.Alive && slices.Contains(p.Status.Requires, b.conf.Name) {
			names = append(names, p.Status.Name)
		}
	}
	return names
}

// Living lists the peers that follow what we do: they are alive, of the same machine, and are not about to end.
func (b *Book) Living() []string {
	var names []string
	for _, p := range b.peers {
		if p.Alive && p.Same && !p.Status.Leaving {
			names = append(names, p.Status.Name)
		}
	}
	return names
}

// admit returns the record for a status, and whether its instance has just been found.
func (b *Book) admit(now time.Duration, st Status) (p *Peer, found bool) {
	k, ok := b.find(st.Name)
	switch {
	case !ok:
		p = &Peer{}
		b.peers = slices.Insert(b.peers, k, p)
	case b.peers[k].Plain || b.peers[k].Status.Instance != st.Instance:
		p = b.peers[k]
		*p = Peer{}
	default:
		p = b.peers[k]
	}
	found = !p.Alive
	p.Status, p.Alive, p.At = st, true, now
	p.Same = st.Hash == b.hash
	p.Why = ""
	b.forgetLost()
	return p, found
}

// forgetLost drops the peers that were lost first, if there are too many. It never drops a required
// peer.
func (b *Book) forgetLost() {
	lost := 0
	oldest := -1
	for k, p := range b.peers {
		if p.Alive || p.Plain || slices.Contains(b.conf.Required, p.Status.Name) {
			continue
		}
		lost++
		if oldest < 0 || p.LostAt < b.peers[oldest].LostAt {
			oldest = k
		}
	}
	if lost > keepLost {
		b.peers = slices.Delete(b.peers, oldest, oldest+1)
	}
}

// outdated says whether a status is of a run that a later one of the same name has replaced.
func (b *Book) outdated(name, instance string) bool {
	p := b.Peer(name)
	return p != nil && p.Alive && !p.Plain && instance < p.Status.Instance
}

// living reports whether an entry of what was seen belongs to this instance, to a peer that is present, or to one that
// peers.plain lists.
func (b *Book) living(instance string) bool {
	if name, plain := strings.CutPrefix(instance, plainPrefix); plain {
		return slices.Contains(b.conf.Plain, name)
	}
	if instance == b.conf.Instance {
		return true
	}
	return slices.ContainsFunc(b.peers, func(p *Peer) bool { return p.Alive && p.Status.Instance == instance })
}
