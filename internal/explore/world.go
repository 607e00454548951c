package explore

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/lease"
)

const (
	hop     = time.Millisecond       // of a message between two processes
	moment  = 2 * time.Millisecond   // of a callback that takes no time worth a word
	step    = 5 * time.Millisecond   // of a step of a node's lifecycle
	found   = 5 * time.Millisecond   // from a birth until the graph shows it
	noticed = 20 * time.Second       // from a death until the graph shows it
	lively  = 500 * time.Millisecond // an instance that does not renew its liveliness for so long is lost
	meeting = 50 * time.Millisecond  // until two instances have found each other
	tellIn  = 500 * time.Millisecond // between two statuses of an instance
)

// world is a setup at one moment, as data. A copy of it goes on by itself.
type world struct {
	setup  *Setup
	now    time.Duration
	seq    uint64        // of events
	turns  uint64        // events so far
	same   int           // of them, those at this moment
	newest kind          // of the newest
	dull   bool          // the newest changed nothing that a deviation could meet
	alone  bool          // a deviation has happened that no other one follows but its end
	chose  time.Duration // when deviations were chosen last
	queue  []event
	sides  []side
	cut    bool
	links  [2]link // from each instance to the other
	goals  []goal
	beat   int // the next of the day
	asks   int // goals that were asked for in deviations
	last   time.Duration
	// When the last thing happened that does not happen at regular intervals.
	judge   judge
	verdict []string // what was violated
	broken  bool     // it panicked or spins
	story   *story   // nil: it is not recorded
}

// kind is what an event is.
type kind uint8

const (
	evStart      kind = iota // an instance starts
	evWake                   // its engine wished to be woken
	evRequest                // a request arrives at a process
	evDone                   // a callback of a process ends
	evInput                  // an input arrives at an instance
	evCount                  // topics are counted
	evLease                  // a message of the lease arrives at a process
	evLapse                  // its lease may have ended
	evStatus                 // an instance repeats its status
	evMessage                // a message arrives at the other instance
	evFind                   // an instance finds the other one
	evButton                 // a stop button repeats its value
	evButtonSeen             // the graph notices that a stop button has started or ended
	evRelease                // a stop button that flaps is released
	evGuard                  // a guard speaks
	evGuardThaw              // a guard that was suspended for a while goes on
	evMiss                   // an instance may have been silent for too long
	evBeat                   // the client goes on with its day
	evResume                 // a gap ends
	evBorn                   // a process starts
	evThaw                   // a suspended process goes on
	evGraph                  // the graph notices a birth or a death
	evHeal                   // the wire is healed
	evServers                // the graph shows other processes that serve an arm
	evAsk                    // the request for a goal arrives
	evReturn                 // a link that was down for a while returns
	evDrain                  // a receiver takes the next message that waited
)

// event is something that will happen. Side and node say where; for a message side is its writer.
type event struct {
	at         time.Duration
	seq        uint64
	kind       kind
	side, node int
	life       uint64 // of the instance, if it may have ended since
	tick       uint64 // the number of a message
	epoch      uint64 // of the process
	in         engine.Input
	req        request
	turn       uint64 // in which it was planned
	topic      int    // of messages
	by         via    // the link that it comes by
	of         via    // the link that returns, or has returned
	msg        *lease.Message
	told       int  // of a message to a peer: see truth.told
	late       bool // it was delayed
}

// plan puts an event in the queue.
func (w *world) plan(after time.Duration, e event) {
	w.seq++
	e.at, e.seq, e.turn = w.now+after, w.seq, w.turns
	k, _ := slices.BinarySearchFunc(w.queue, e, func(a, b event) int {
		if a.at != b.at {
			return int(b.at - a.at)
		}
		return int(b.seq) - int(a.seq)
	})
	w.queue = slices.Insert(w.queue, k, e)
}

// next takes the earliest event out of the queue.
func (w *world) next() event {
	last := len(w.queue) - 1
	e := w.queue[last]
	w.queue[last] = event{}
	w.queue = w.queue[:last]
	return e
}

// until is when the next event comes.
func (w *world) until() time.Duration { return w.queue[len(w.queue)-1].at }

// clone returns a world that shares nothing with w that either may change.
func (w *world) clone() *world {
	c := *w
	c.queue = slices.Clone(w.queue)
	c.sides = slices.Clone(w.sides)
	for i := range c.sides {
		c.sides[i].detach()
	}
	c.goals = slices.Clone(w.goals)
	c.judge = w.judge.clone()
	c.verdict = slices.Clone(w.verdict)
	return &c
}

// newWorld returns a world at the beginning of its day.
func newWorld(setup *Setup) *world {
	w := &world{setup: setup, sides: make([]side, len(setup.files))}
	for i := range w.sides {
		w.sides[i].make(&setup.files[i])
		w.sides[i].guards = make([]guard, setup.guards)
		for n := range w.sides[i].nodes {
			w.birth(i, n, setup.files[i].from)
		}
		if setup.files[i].serve != itself {
			w.serverBirth(i, 0)
		}
		w.plan(time.Duration(i+1)*10*time.Millisecond, event{kind: evStart, side: i})
		for k := range w.sides[i].buttons {
			w.plug(i, k)
		}
		for k := range w.sides[i].guards {
			w.startGuard(i, k)
		}
	}
	w.plan(dayBegins, event{kind: evBeat})
	w.judge.begins(w)
	return w
}

// dayBegins is when the client sends its first command: a start that finds all nodes is over by then.
const dayBegins = 1200 * time.Millisecond

// advance lets the next event happen.
func (w *world) advance() {
	e := w.next()
	w.passTo(e.at)
	w.turns++
	w.same++
	if !regular(e.kind) {
		w.last = w.now
	}
	w.newest = e.kind
	w.dull = mayBeDull(&e)
	w.happen(e)
	w.judge.look(w)
}

// regular reports whether such events come at rest too.
func regular(k kind) bool {
	switch k {
	case evWake, evRequest, evDone, evInput, evCount, evLease, evLapse, evStatus, evMessage,
		evButton, evGuard, evDrain:
		return true
	}
	return false
}

// mayBeDull reports whether an event of this kind changes nothing worth a deviation unless the engine does
// something about it.
func mayBeDull(e *event) bool {
	switch e.kind {
	case evWake, evCount, evStatus, evMessage, evLease, evLapse, evInput, evButton, evGuard:
		return true
	case evRequest:
		return e.req.what == reads || e.req.what == checks
	}
	return false
}

// over reports whether the day is over and the world was watched for long enough since.
func (w *world) over() bool {
	if w.broken || len(w.queue) == 0 {
		return true
	}
	if w.beat < len(w.setup.day) {
		return false
	}
	rests := w.until() > w.last+restFor && !slices.ContainsFunc(w.queue, func(e event) bool { return !regular(e.kind) })
	open := slices.ContainsFunc(w.goals, func(g goal) bool { return g.arrived && g.open() && w.sides[g.side].up })
	return rests && !open || w.until() > w.last+restLimit
}

const (
	// restFor is how long the world is watched after the last thing that does not happen at regular intervals.
	restFor = 12 * time.Second
	// restLimit is when a goal that is open has no end.
	restLimit = 150 * time.Second
)

func (w *world) happen(e event) {
	if w.waits(&e) {
		return
	}
	switch e.kind {
	case evStart:
		w.start(e.side)
	case evWake:
		if w.sides[e.side].up {
			w.deliver(e.side, engine.Tick{})
		}
	case evRequest:
		w.receive(e)
	case evDone:
		w.done(e)
	case evInput:
		if s := &w.sides[e.side]; s.up && e.life == s.life {
			w.deliver(e.side, e.in)
		}
	case evCount:
		w.count(e)
	case evLease:
		w.holdLease(e)
	case evLapse:
		w.lapse(e)
	case evBeat:
		w.goOn()
	case evResume:
		w.resume(e)
	default:
		w.happenBetween(e)
	}
}

// happenBetween is what happens to processes, and between instances.
func (w *world) happenBetween(e event) {
	switch e.kind {
	case evBorn:
		w.birth(e.side, e.node, e.req.state)
	case evThaw:
		w.thaw(e.side, e.node, e.epoch)
	case evGraph:
		w.buries(e)
	case evStatus:
		w.repeats(e)
	case evMessage:
		w.arrives(e)
	case evFind:
		w.finds(e.side)
	case evHeal:
		w.heals()
	case evServers:
		w.showServers(e.side, e.node)
	case evAsk:
		w.asked(e)
	case evReturn:
		w.returns(e.of, thing{side: e.side, node: e.node}, e.late)
	case evDrain:
		w.drains(e)
	case evMiss:
		w.misses(e)
	default:
		w.happenAround(e)
	}
}

// happenAround is what happens to stop buttons and guards.
func (w *world) happenAround(e event) {
	switch e.kind {
	case evButton:
		w.repeat(e)
	case evButtonSeen:
		w.seesButton(e)
	case evGuard:
		w.guardTurns(e)
	case evGuardThaw:
		w.guardThaws(e)
	case evRelease:
		w.press(e.side, 0, stopinput.Clear)
	}
}

// goal is a goal of the client, as the client knows it.
type goal struct {
	handle   string
	number   int
	side     int
	command  string
	accepted bool
	answers  int // accepted or rejected
	results  int
	lost     bool // the instance that had it has ended
	ofDay    bool
	decided  time.Duration
	seen     string // what its client brings
	arrived  bool   // its request has arrived
}

// open reports whether the goal waits for an answer or a result.
func (g *goal) open() bool { return !g.lost && g.results == 0 && (g.answers == 0 || g.accepted) }

// handle is a name for a goal that no open goal has.
func (w *world) handle(command string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s %d", command, n)
		if g := w.goalOf(name); g == nil || !g.open() {
			return name
		}
	}
}

// goOn sends the next command of the day.
func (w *world) goOn() {
	if w.beat >= len(w.setup.day) {
		return
	}
	b := w.setup.day[w.beat]
	w.beat++
	w.ask(b.side, b.command, client{by: byClient})
	if w.beat < len(w.setup.day) {
		w.plan(goalWait, event{kind: evBeat})
	}
	w.hasten()
}

// hasten lets the day go on soon after the end of the newest goal of the day.
func (w *world) hasten() {
	if w.beat == 0 || w.beat >= len(w.setup.day) {
		return
	}
	k := len(w.goals) - 1
	for k >= 0 && !w.goals[k].ofDay {
		k--
	}
	if w.goals[k].open() {
		return
	}
	soon := w.now + w.setup.day[w.beat].after
	for k, e := range w.queue {
		if e.kind == evBeat && e.at > soon {
			w.queue = slices.Delete(w.queue, k, k+1)
			w.plan(soon-w.now, event{kind: evBeat})
			return
		}
	}
}

// violates notes that something happened that must never be.
func (w *world) violates(format string, args ...any) {
	words := fmt.Sprintf(format, args...)
	w.tell("VIOLATION: %s", words)
	if len(w.verdict) < 8 && !slices.Contains(w.verdict, words) {
		w.verdict = append(w.verdict, words)
	}
}
