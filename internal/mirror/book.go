package mirror

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
)

// Config is what an instance is, and what its network file says of peers.
type Config struct {
	Name, Instance string
	Machine        *machine.Machine
	Required       []string // the names of peers without which nothing is armed
	Plain          []string // of those that speak only four fields, and are followed all the same
	Ordered        []Seen   // how many disarm orders the runs before have given, by their instances
}

// Task is what is to be followed: there is one, the newest.
type Task struct {
	Number  uint64
	Target  string   // where to go
	Loops   []string // looping commands that are to run first, once each
	From    string   // the peer who made it, or told of it
	Event   string   // the command; empty: several commands, or none
	Source  string   // the state in which the peer made it; empty: not known
	CatchUp bool     // not of a change that was just made: never into armed, and its failure spreads nothing
	Unarmed bool     // its last step into armed is not taken: this network was not ready for it
	Cause   string   // the peer's word for it

	Instance string        // the run of the peer
	Made     time.Duration // when the change was made, by the steady clock of the peer
}

// What is noted.
type What uint8

// The kinds of notes.
const (
	Came    What = iota // a peer was found
	Went                // it is lost
	Said                // it made a change
	Ahead               // it knows of changes that did not come, and is caught up with
	Clashed             // two changes were made at once
	Ignored             // what it says is not followed
	Ordered             // it has ordered every instance to disarm
)

// Note is for a person.
type Note struct {
	What  What
	Peer  string
	Words string
	Cause string
}

// Book is what one instance knows of its peers and of the changes that they and it have made. It is not safe for
// concurrent use: it belongs to the loop.
type Book struct {
	conf        Config
	hash        string
	seen        []Seen // in the order of the instances; our own entry is always in it
	orders      []Seen // how many disarm orders of each instance are known, in the order of the instances
	target      string // to which the changes in seen lead; empty: nothing has happened yet
	obeyed      []Seen // those of them that were heard as they were given
	apart       []Seen // changes that were made at once with ours, and lead elsewhere; see clash
	torn        string // why this instance stays where it is, and a peer elsewhere, after changes that were made at once
	loops       []Loop
	peers       []*Peer // by name
	plains      []plainCount
	task        *Task
	number      uint64
	caught      bool          // what we followed last was caught up with, and has not ended well
	interrupted bool          // something was to be followed when this process stood still
	refused     []string      // who said what no instance says
	crowd       bool          // more speak without an instance than are kept
	heard       []string      // who lived when our newest change was made
	madeAt      time.Duration // when our newest change was made
}

// New returns the book of an instance that has just started.
func New(conf Config) *Book {
	orders := Merge([]Seen{{Instance: conf.Instance}}, conf.Ordered)
	return &Book{conf: conf, hash: conf.Machine.Hash(), seen: []Seen{{Instance: conf.Instance}}, orders: orders}
}

// Seen lists the changes that are known. The list is never changed: a newer one takes its place.
func (b *Book) Seen() []Seen { return slices.Clip(b.seen) }

// Made is how many changes of our own there were.
func (b *Book) Made() uint64 { return Count(b.seen, b.conf.Instance) }

// Loops lists how often each looping command has run, in a list like that of Seen.
func (b *Book) Loops() []Loop { return slices.Clip(b.loops) }

// Target is the common target: the state to which all changes that are known lead. Empty: nothing has happened yet.
func (b *Book) Target() string { return b.target }

// Hash is that of our machine.
func (b *Book) Hash() string { return b.hash }

// Make counts a change of our own. What was to be followed is older, and is not followed any more.
func (b *Book) Make(now time.Duration, target, command string) {
	b.seen = prune(Merge(Merge(b.seen, b.apart), []Seen{{b.conf.Instance, b.Made() + 1}}), b.living)
	b.apart, b.torn = nil, ""
	b.target, b.task, b.caught, b.interrupted, b.madeAt = target, nil, false, false, now
	if t, ok := b.conf.Machine.Transition(command); ok && t.Loop {
		b.loop(command)
	}
	b.heard = b.Living()
	for _, p := range b.peers {
		p.Followed, p.Lag, p.awaits = false, 0, p.Alive
	}
}

// Heard lists who lived when our newest change was made, and follows it unless it fails.
func (b *Book) Heard() []string { return b.heard }

func (b *Book) loop(command string) {
	b.loops = mergeLoops(b.loops, []Loop{{command, runs(b.loops, command) + 1}})
}

// Task returns what is to be followed; nil: nothing is.
func (b *Book) Task() *Task { return b.task }

// Done ends a task that has been followed, unless a newer one has taken its place.
func (b *Book) Done(number uint64) {
	if b.task != nil && b.task.Number == number {
		b.task, b.caught = nil, false
	}
}

// Fail ends a task that could not be followed. It is not tried again: only something newer makes a new one.
func (b *Book) Fail(number uint64) {
	if b.task != nil && b.task.Number == number {
		b.task = nil
	}
}

// Restrain makes the task one of catching up: it came while it was not known where this network is.
func (b *Book) Restrain() {
	if b.task != nil {
		b.task.CatchUp, b.caught = true, true
	}
}

// Caught says whether what was followed last was caught up with, and has not ended well: a failure then spreads
// nothing.
func (b *Book) Caught() bool { return b.caught }

// Forget notes that this process was suspended, so that its knowledge of peers is stale. The
// instance follows a change again only if a peer still announces it.
func (b *Book) Forget() {
	if b.task != nil {
		end, _ := b.conf.Machine.State(b.task.Target)
		if b.Restrain(); !end.Final { // a final state stays the target, even if no peer announces it
			b.interrupted, b.task = true, nil
		}
	}
	for _, p := range b.peers {
		p.InStep, p.ahead = false, false
	}
}

// take makes a new task of where the changes lead now.
func (b *Book) take(t Task) {
	b.number, b.apart, b.torn = b.number+1, nil, ""
	t.Number, t.Target = b.number, b.target
	if b.task != nil { // what was to run first still is
		for _, l := range b.task.Loops {
			if !slices.Contains(t.Loops, l) {
				t.Loops = append(t.Loops, l)
			}
		}
	}
	b.task, b.caught, b.interrupted = &t, t.CatchUp, false
}

// Change takes what a peer says on the lifecycle topic.
func (b *Book) Change(now time.Duration, c Change) []Note {
	c.Event = b.conf.Machine.Heard(c.Event, c.SourceState, c.TargetState)
	switch {
	case c.Name == b.conf.Name: // this instance's own, or of another with the same name
		return nil
	case c.Instance == "":
		return b.plain(now, c)
	}
	if why := b.forged(c.Seen, c.Orders, nil); why != "" {
		return b.refuse(c.Name, why)
	}
	defer b.tellOfPlain(now, b.seen)
	p := b.Peer(c.Name)
	b.hearClock(now, p, c.Instance, c.Steady)
	b.hearState(p, &c)
	var notes []Note
	if !b.outdated(c.Name, c.Instance) { // the first change of a new run may come before its status
		notes = b.hearForgetful(c.Name, c.Instance, c.Orders)
	}
	notes = append(notes, b.hearOrders(c.Name, c.Instance, c.Orders)...)
	return append(notes, b.follow(p, c)...)
}

// follow takes a change as a new target, unless it is not news or its maker is not in step.
func (b *Book) follow(p *Peer, c Change) []Note {
	live := p != nil && p.Alive && p.InStep && !p.ending && p.Same && p.Status.Instance == c.Instance &&
		c.Hash == b.hash
	if !live || Count(c.Seen, c.Instance) <= Count(b.seen, c.Instance) || !b.rests(c.TargetState) {
		return nil
	}
	t := Task{From: c.Name, Event: c.Event, Source: c.SourceState, Cause: c.Cause, Instance: c.Instance, Made: c.Made}
	if tr, ok := b.conf.Machine.Transition(c.Event); ok && tr.Loop {
		b.loop(c.Event)
		t.Loops = []string{c.Event}
	}
	target := c.TargetState
	var notes []Note
	if why := b.overruled(c.Name, target, c.Orders); why != "" {
		target, t.Unarmed = b.conf.Machine.Disarmed(target), true
		notes = []Note{{What: Ignored, Peer: c.Name, Words: why}}
	}
	if Compare(c.Seen, b.seen) == After {
		b.seen, b.target = b.known(c.Seen), target
		b.take(t)
		words := fmt.Sprintf("%s says: %s, from %s to %s", c.Name, c.said(), lifecycle.Words(c.SourceState),
			lifecycle.Words(c.TargetState))
		return append(notes, Note{Said, c.Name, words, c.Cause})
	}
	return append(notes, b.clash(c.Seen, target, t)...)
}

func (c Change) said() string {
	if c.Event == "" {
		return "a failure"
	}
	return c.Event
}

// clash takes a change that was made at once with some of ours. Both sides take the highest target that is nowhere
// above either; if there is none, each stays in its own.
func (b *Book) clash(seen []Seen, target string, t Task) []Note {
	mine := b.target
	both, ok := b.conf.Machine.Meet(mine, target)
	if mine != "" && !ok {
		return b.tear(seen, target, t.From)
	}
	b.seen = b.known(seen)
	if mine == "" { // what was seen so far was never followed: there is no target to compare
		b.target = target
		b.take(t)
		return []Note{{Said, t.From, fmt.Sprintf("%s went to %s", t.From, lifecycle.Words(target)), t.Cause}}
	}
	b.target = both
	if b.target != mine || len(t.Loops) > 0 {
		b.take(t)
	}
	words := fmt.Sprintf("%s went to %s while others went to %s: both go to %s", t.From, lifecycle.Words(target),
		lifecycle.Words(mine), lifecycle.Words(b.target))
	return []Note{{What: Clashed, Peer: t.From, Words: words}}
}

// tear notes changes that lead to a state which has none below both it and ours. They do not count as seen: else a peer
// would take our target for a newer one, and raise nodes. The next change that is made here covers them.
func (b *Book) tear(seen []Seen, target, from string) []Note {
	if b.torn != "" && Covers(b.apart, seen) {
		return nil
	}
	b.apart = Merge(b.apart, seen)
	b.torn = fmt.Sprintf("%s went to %s while this network went to %s, and no state is below both", from, target,
		b.target)
	return []Note{{What: Clashed, Peer: from, Words: b.torn + ": each stays; send the state to which all are to go"}}
}

// Torn says why this instance stays where it is and a peer elsewhere, after changes that were made at once; empty: they
// do not.
func (b *Book) Torn() string { return b.torn }

// known returns the entries of this instance merged with those that a peer has seen.
func (b *Book) known(theirs []Seen) []Seen { return prune(Merge(b.seen, theirs), b.living) }

// final reports whether a state is one in which an instance ends.
func (b *Book) final(state string) bool {
	s, _ := b.conf.Machine.State(state)
	return s.Final
}

// arms reports whether something is armed in a state.
func (b *Book) arms(state string) bool { return b.conf.Machine.Disarmed(state) != state }

// rests says whether a network can rest in a state.
func (b *Book) rests(state string) bool {
	s, ok := b.conf.Machine.State(state)
	return ok && !s.Passing
}

// keepPlain is how many peers without an instance are remembered that peers.plain does not list.
const keepPlain = 64

// newPlain returns a record for a peer without an instance. Where there are too many that are not listed, it takes the
// place of the one that was heard first.
func (b *Book) newPlain(name string) (p *Peer, notes []Note) {
	if !slices.Contains(b.conf.Plain, name) {
		count, oldest := 0, -1
		for k, p := range b.peers {
			if p.Plain && !slices.Contains(b.conf.Plain, p.Status.Name) {
				if count++; oldest < 0 || p.At < b.peers[oldest].At {
					oldest = k
				}
			}
		}
		if count >= keepPlain {
			b.peers = slices.Delete(b.peers, oldest, oldest+1)
			if !b.crowd {
				b.crowd = true
				notes = []Note{{What: Ignored, Peer: name, Words: tooManyPlain}}
			}
		}
	}
	p = &Peer{Plain: true, warned: b.crowd && !slices.Contains(b.conf.Plain, name)} // a crowd is noted once
	k, _ := b.find(name)
	b.peers = slices.Insert(b.peers, k, p)
	return p, notes
}

// tooManyPlain is the warning.
var tooManyPlain = fmt.Sprintf("more than %d nodes speak on the lifecycle topic without an instance id; they are not followed, and the first are forgotten", keepPlain)

// plain takes a change of a peer that speaks only the four fields. Each is its next one, and none leads into armed.
func (b *Book) plain(now time.Duration, c Change) (notes []Note) {
	p := b.Peer(c.Name)
	if p == nil {
		p, notes = b.newPlain(c.Name)
	}
	if !p.Plain {
		return nil // it speaks more than that elsewhere
	}
	p.At = now
	p.Status = Status{Name: c.Name, State: c.TargetState, Target: c.TargetState, Settled: true}
	known := slices.Contains(b.conf.Plain, c.Name)
	if !known || !b.rests(c.TargetState) {
		if p.warned {
			return notes
		}
		p.warned = true
		words := "it is not listed in peers.plain"
		if known {
			words = c.TargetState + " is no state of this machine"
		}
		return []Note{{What: Ignored, Peer: c.Name,
			Words: c.Name + " speaks without an instance id and is not followed: " + words}}
	}
	p.warned = false
	id, target := plainPrefix+c.Name, b.conf.Machine.Disarmed(c.TargetState)
	if told := b.countPlain(now, id, target); told {
		return nil
	}
	b.seen = b.known([]Seen{{id, Count(b.seen, id) + 1}})
	b.target = target
	t := Task{From: c.Name, Event: c.Event, Source: c.SourceState}
	if tr, ok := b.conf.Machine.Transition(c.Event); ok && tr.Loop {
		b.loop(c.Event)
		t.Loops = []string{c.Event}
	}
	b.take(t)
	return []Note{{What: Said, Peer: c.Name,
		Words: fmt.Sprintf("%s says: %s, from %s to %s", c.Name, c.said(), lifecycle.Words(c.SourceState),
			lifecycle.Words(c.TargetState))}}
}
