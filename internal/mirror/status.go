package mirror

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
)

// Tell takes a status of a peer.
func (b *Book) Tell(now time.Duration, st Status) []Note {
	switch {
	case st.Name == b.conf.Name || st.Instance == "":
		return nil
	case b.outdated(st.Name, st.Instance):
		return b.hearOrders(st.Name, st.Instance, st.Orders)
	}
	st.Loops = slices.DeleteFunc(slices.Clone(st.Loops), func(l Loop) bool { // only commands of this machine can be run
		t, ok := b.conf.Machine.Transition(l.Command)
		return st.Hash == b.hash && !(ok && t.Loop)
	})
	if why := b.forged(st.Seen, st.Orders, st.Loops); why != "" {
		return b.refuse(st.Name, why)
	}
	defer b.tellOfPlain(now, b.seen)
	notes := b.hearForgetful(st.Name, st.Instance, st.Orders)
	p, found := b.admit(now, st)
	if found {
		notes = append(notes, Note{What: Came, Peer: st.Name,
			Words: fmt.Sprintf("%s is there (%s), %s", st.Name, st.Instance, lifecycle.Words(st.State))})
	}
	b.hearClock(now, p, st.Instance, st.Steady)
	notes = append(notes, b.hearOrders(st.Name, st.Instance, st.Orders)...)
	if !p.Same {
		p.InStep = false
		if !p.warned {
			p.warned = true
			notes = append(notes, Note{What: Ignored, Peer: st.Name, Words: b.differs(p)})
		}
		return notes
	}
	p.warned = false
	b.measure(now, p)
	first := !p.InStep
	p.ending = b.final(st.Target) && (p.ending || !p.met)
	p.InStep = true
	notes = append(notes, b.compare(now, p, first)...)
	p.met = true
	return notes
}

// differs says that a peer follows another machine.
func (b *Book) differs(p *Peer) string {
	return fmt.Sprintf("%s follows another machine (%s) than this one (%s) and is not mirrored: give both the same",
		p.Status.Name, p.Status.Machine, b.conf.Machine.Name)
}

// warnNamed is how many peers a kind of warning names.
const warnNamed = 8

// Warnings are what a person should know of peers.
func (b *Book) Warnings() []string {
	var list []string
	plain := 0
	for _, p := range b.peers {
		switch {
		case p.Plain && p.warned:
			if plain++; plain <= warnNamed {
				list = append(list, p.Status.Name+
					" speaks without an instance id and is not followed: list it in peers.plain if it is to be")
			}
		case p.Alive && !p.Same:
			list = append(list, b.differs(p))
		}
	}
	if b.crowd {
		list = append(list, tooManyPlain)
	}
	for _, name := range b.refused[:min(len(b.refused), warnNamed)] {
		list = append(list, name+" has said what no instance says, and that was not followed: see the journal")
	}
	return list
}

// compare looks at what the peer has seen and we have not.
func (b *Book) compare(now time.Duration, p *Peer, first bool) []Note {
	st := &p.Status
	if !b.rests(st.Target) {
		return nil // the peer does not follow any change yet, so its status leads nowhere
	}
	if p.ending {
		b.seen = b.known(st.Seen)
		return nil
	}
	order := b.order(st)
	if first && (order == After || order == Same && b.interrupted) {
		p.ahead = false
		return b.catchUp(p, true)
	}
	was := p.ahead
	p.ahead = order == After
	switch {
	case order == After && b.isBelow(st.Target): // to go down is never too early
		return b.catchUp(p, false)
	case order == After && !was:
		p.aheadAt = now
	case order == Apart:
		return b.clash(st.Seen, st.Target, b.newCatchUp(p, first || b.arms(st.Target)))
	case order == Same && b.isApart(st.Target):
		return b.clash(st.Seen, st.Target, b.newCatchUp(p, first))
	}
	return nil
}

// isBelow reports whether a state is nowhere above the common target, and another one.
func (b *Book) isBelow(state string) bool {
	both, ok := b.conf.Machine.Meet(b.target, state)
	return ok && both == state && state != b.target
}

// isApart reports whether a state and the common target lead both sides elsewhere.
func (b *Book) isApart(state string) bool {
	both, ok := b.conf.Machine.Meet(b.target, state)
	return ok && both != b.target
}

// order says how what a peer has seen stands to what this instance has. Changes that were only counted as seen stand
// against nothing: without a target there is nothing to compare.
func (b *Book) order(st *Status) Order {
	o := Compare(st.Seen, b.seen)
	if o == Apart && b.target == "" {
		return After
	}
	return o
}

// newCatchUp is the task of following a status. It runs looping commands only where this instance was in step with the
// peer's present run before: else the peer ran them before the two met.
func (b *Book) newCatchUp(p *Peer, first bool) Task {
	t := Task{From: p.Status.Name, CatchUp: first, Cause: p.Status.Cause, Instance: p.Status.Instance}
	if p.met && b.target != "" {
		t.Loops = missed(p.Status.Loops, b.loops)
	}
	b.loops = mergeLoops(b.loops, p.Status.Loops)
	return t
}

// catchUp follows what a peer's status says, where the changes that led there did not come or are not to be followed
// one by one. An instance that has followed nothing since its start does not end because its peers end. It still counts
// their changes as seen: a change that is latched on the lifecycle topic would count as new otherwise.
func (b *Book) catchUp(p *Peer, late bool) []Note {
	st := &p.Status
	p.ahead = false
	if b.final(st.Target) && b.target == "" {
		b.seen = b.known(st.Seen)
		return nil
	}
	t := b.newCatchUp(p, late)
	target := st.Target
	if b.overruled(st.Name, target, st.Orders) != "" {
		target = b.conf.Machine.Disarmed(target)
	}
	same := b.target == target && len(t.Loops) == 0
	b.seen, b.target = b.known(st.Seen), target
	b.take(t)
	if same {
		return nil
	}
	words := fmt.Sprintf("%s is to be %s", st.Name, lifecycle.Words(st.Target))
	if late {
		words = fmt.Sprintf("catching up with %s, which is to be %s", st.Name, lifecycle.Words(st.Target))
	}
	return []Note{{What: Ahead, Peer: st.Name, Words: words}}
}

// measure notes how long the peer took to follow our newest change.
func (b *Book) measure(now time.Duration, p *Peer) {
	if p.awaits && !p.Followed && b.There(p, b.Made(), b.target) {
		p.Followed, p.Lag = true, now-b.madeAt
	}
}

// Lagging is how long the peer took to follow our newest change, or has not yet; negative: there is nothing to follow.
func (b *Book) Lagging(now time.Duration, p *Peer) time.Duration {
	switch {
	case p.Followed:
		return p.Lag
	case p.awaits && p.Alive:
		return now - b.madeAt
	}
	return -1
}

// There says whether a peer has seen so many changes of ours and rests in a state.
func (b *Book) There(p *Peer, made uint64, state string) bool {
	return p.Status.Settled && p.Status.State == state && b.Knows(p, made)
}

// Knows says whether a peer has seen so many changes of ours.
func (b *Book) Knows(p *Peer, made uint64) bool { return Count(p.Status.Seen, b.conf.Instance) >= made }

// Lose takes that a peer does not renew its liveliness any more.
func (b *Book) Lose(now time.Duration, name, instance, why string) []Note {
	p := b.Peer(name)
	if p == nil || !p.Alive || p.Status.Instance != instance {
		return nil
	}
	p.Alive, p.InStep, p.ahead, p.LostAt, p.Why = false, false, false, now, why
	if p.Status.Leaving {
		p.Why = "it has ended"
	}
	b.forgetLost()
	return []Note{{Went, name, name + " is lost", p.Why}}
}

// Tick looks at what has waited long enough.
func (b *Book) Tick(now time.Duration) []Note {
	var notes []Note
	for _, p := range b.peers {
		if !p.ahead || now < p.aheadAt+RaceIn {
			continue
		}
		if p.ahead = false; b.order(&p.Status) == After {
			notes = append(notes, b.catchUp(p, true)...)
		}
	}
	return notes
}

// Next is when something is due: a status that is ahead has waited long enough, or what a required peer has said gets too
// old, which is also due after that moment while the network is armed.
func (b *Book) Next(now time.Duration, armed bool) (when time.Duration, ok bool) {
	due := func(at time.Duration) {
		if !ok || at < when {
			when, ok = at, true
		}
	}
	for _, p := range b.peers {
		if p.ahead {
			due(p.aheadAt + RaceIn)
		}
		old := p.At + Fresh + 1
		if (armed || now < old) && p.Alive && slices.Contains(b.conf.Required, p.Status.Name) {
			due(old)
		}
	}
	return when, ok
}
