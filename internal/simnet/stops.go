package simnet

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/network"
)

// Stop buttons in truth: processes that repeat their value on the topic of a stop input (A12). Each stop input
// has one from the beginning, which is clear.

const (
	// buttonEvery is how often a button repeats its value.
	buttonEvery = 100 * time.Millisecond
	// stopsWithin is how long after a press that was heard nothing may be shown as armed.
	stopsWithin = 200 * time.Millisecond
)

// button is one stop button.
type button struct {
	world  *World
	topic  string
	id     string // of its publisher: another one at each start
	word   stopinput.Word
	quiet  bool // it says nothing
	alive  bool
	listed bool // the graph shows it
}

// What is done to stop buttons, by their number: the stop inputs of the file have the first ones.

// Press presses a button, or releases it. It says so at once.
type Press struct {
	Button int
	Not    bool
}

// Hush lets a button say nothing, until it is to speak again.
type Hush struct {
	Button int
	Not    bool
}

// Garble lets a button send what is no value.
type Garble struct{ Button int }

// KillButton kills the process of a button, which the graph notices late.
type KillButton struct{ Button int }

// UnplugButton ends the process of a button in order.
type UnplugButton struct{ Button int }

// PlugButton starts another process of a button.
type PlugButton struct{ Button int }

// AddButton starts another button of a stop input.
type AddButton struct{ Stop int }

// Acknowledge is a person who acknowledges.
type Acknowledge struct {
	Who          string
	Unauthorized bool
	Shown        bool   // it says which stops were shown, which are the open ones
	Missed       uint64 // without the newest so many of each run
}

// Ack is what became of an Acknowledge.
type Ack struct {
	At       time.Duration
	Accepted bool
	Message  string
}

// stopTruth is what is true of stops, and what the coordinator has heard of them.
type stopTruth struct {
	buttons []*button
	ids     int
	// Since when a press was heard that is not acknowledged; negative: none was.
	heardAt time.Duration
	acks    int
}

func (w *World) openButtons() {
	w.stops.heardAt = -1
	for k := range w.net.Stop {
		w.addButton(k)
	}
}

func (w *World) addButton(stop int) {
	b := &button{world: w, topic: w.net.Stop[stop].Topic}
	w.stops.buttons = append(w.stops.buttons, b)
	b.plug()
}

// input is the number of the stop input in the network file of the present run; negative: that file does not have it,
// and the button is not heard.
func (b *button) input() int {
	return slices.IndexFunc(b.world.net.Stop, func(s network.Stop) bool { return s.Topic == b.topic })
}

// plug starts a process of the button. It speaks at once, and the graph shows it later.
func (b *button) plug() {
	if b.alive {
		return
	}
	w := b.world
	w.stops.ids++
	b.id, b.alive, b.quiet, b.word = fmt.Sprintf("button %d", w.stops.ids), true, false, stopinput.Clear
	id := b.id
	w.queue.push(w.now+w.opt.Discovery.Max, func() {
		if b.id == id && b.alive {
			b.listed = true
			w.showButtons(b.input())
		}
	})
	b.repeat(id)
}

// repeat says the value of the button again and again.
func (b *button) repeat(id string) {
	if b.id != id || !b.alive {
		return
	}
	b.say()
	b.world.queue.push(b.world.now+buttonEvery, func() { b.repeat(id) })
}

func (b *button) say() {
	w := b.world
	if b.quiet || !b.alive {
		return
	}
	in := engine.StopHeard{Writer: b.id, Word: b.word}
	if b.word == stopinput.Garbled {
		in.Fault = "it has another type"
	}
	w.queue.push(w.now+w.opt.Latency.Max, func() {
		if in.Stop = b.input(); w.brain.up && in.Stop >= 0 {
			w.brain.take(letter{in, func() { w.hearsStop(in.Word) }})
		}
	})
}

// hearsStop notes that the coordinator is about to hear a press.
func (w *World) hearsStop(word stopinput.Word) {
	if word == stopinput.Stop && w.stops.heardAt < 0 {
		w.stops.heardAt, w.check.toldAt = w.now, w.now
	}
}

func (b *button) die(noticed time.Duration) {
	if !b.alive {
		return
	}
	b.alive = false
	id := b.id
	b.world.queue.push(b.world.now+noticed, func() {
		if b.id == id {
			b.listed = false
			b.world.showButtons(b.input())
		}
	})
}

// showButtons tells the coordinator which publishers of a stop input the graph shows.
func (w *World) showButtons(stop int) {
	if stop < 0 {
		return
	}
	var seen stopinput.Seen
	for _, b := range w.stops.buttons {
		if b.input() == stop && b.listed {
			seen.Writers = append(seen.Writers, stopinput.Writer{ID: b.id, Node: "/" + b.id})
		}
	}
	w.brain.deliver(engine.StopSeen{Stop: stop, Seen: seen})
}

// showAllButtons is what a start finds.
func (w *World) showAllButtons() {
	life := w.brain.life
	w.queue.push(w.now+w.opt.Discovery.Max, func() {
		if life != w.brain.life {
			return
		}
		for k := range w.net.Stop {
			w.showButtons(k)
		}
	})
}

func (w *World) button(k int) *button {
	if k >= len(w.stops.buttons) {
		return &button{world: w}
	}
	return w.stops.buttons[k]
}

func (a Press) act(w *World) {
	b := w.button(a.Button)
	b.word = stopinput.Stop
	if a.Not {
		b.word = stopinput.Clear
	}
	b.say()
}

func (a Hush) act(w *World) { w.button(a.Button).quiet = !a.Not }
func (a KillButton) act(w *World) {
	w.button(a.Button).die(or(w.opt.Notice, time.Second) + 2*time.Second)
}
func (a UnplugButton) act(w *World) { w.button(a.Button).die(w.opt.Latency.Max + 1) }

func (a Garble) act(w *World) {
	w.button(a.Button).word = stopinput.Garbled
	w.button(a.Button).say()
}

func (a PlugButton) act(w *World) {
	if b := w.button(a.Button); a.Button < len(w.stops.buttons) {
		b.plug()
	}
}

func (a AddButton) act(w *World) {
	if a.Stop < len(w.net.Stop) {
		w.addButton(a.Stop)
	}
}

func (a Acknowledge) act(w *World) {
	w.stops.acks++
	in := engine.AcknowledgeAsked{Handle: fmt.Sprintf("acknowledge %d", w.stops.acks), Who: a.Who,
		Authorized: !a.Unauthorized}
	if in.ShownOnly = a.Shown; a.Shown {
		in.Shown = slices.Clone(w.brain.state.Snapshot().Stops.Open)
		for k := range in.Shown {
			in.Shown[k].Latched -= a.Missed
		}
	}
	w.brain.deliver(in)
}

// acknowledged looks at the answer to a person: nothing is acknowledged while a button is pressed that this instance
// hears, and what is acknowledged was stopped.
func (c *checker) acknowledged(e engine.AnswerAcknowledge) {
	w := c.world
	w.trace.Acks = append(w.trace.Acks, Ack{w.now, e.Accepted, e.Message})
	if !e.Accepted {
		w.covers("stop", "refused", "", "")
		return
	}
	for _, b := range w.stops.buttons {
		in := slices.IndexFunc(w.brain.state.Snapshot().Stops.Inputs, func(v engine.StopView) bool {
			return v.Topic == b.topic && v.Kind == stopinput.Pressed
		})
		if b.word == stopinput.Stop && b.alive && !b.quiet && in >= 0 {
			c.fault("a stop is acknowledged while %s is pressed", b.id)
		}
	}
	c.toldAt = w.now
	w.stopOver()
}

// stopOver notes that the stops are acknowledged, here or at a peer.
func (w *World) stopOver() { w.stops.heardAt = -1 }

// stopped looks whether something is armed, or shown as armed, although a stop was heard and is not acknowledged.
func (c *checker) stoppedRightly() {
	w := c.world
	if at := w.stops.heardAt; at >= 0 && c.arms && !c.ousted && !c.stopped && w.brain.up && w.now > max(at, w.brain.awake, w.brain.began)+stopsWithin &&
		!c.stateOf(c.state).Passing {
		c.fault("%s is shown, and a stop was heard at %v that is not acknowledged", w.brain.shown, at)
	}
}

// lifeEnd is the end of a life of the coordinator.
type lifeEnd struct {
	at      time.Duration
	orderly bool
}

// unheard is the time before a start in which no life has listened.
func (b *brain) unheard() latch.Gap {
	g := latch.Gap{To: epoch.Add(b.world.now), For: -1}
	switch {
	case b.ended == nil:
		return b.world.opt.Unheard
	case b.lossy:
		g.Why = "it has no journal of a run before"
	default:
		g.From = epoch.Add(b.ended.at)
		if b.ended.orderly {
			g.For = b.world.now - b.ended.at
		}
	}
	return g
}

// forgetsStops is what a start does not know: a stop that the journal of the life before does not have.
func (b *brain) forgetsStops() {
	if !slices.ContainsFunc(b.latches, func(l latch.Latch) bool { return l.Open() }) {
		b.world.stopOver()
	}
}

// remembersStops keeps what a restart reads of stops.
func (b *brain) remembersStops(e engine.Entry) {
	if e.Kind != engine.EntryStop {
		return
	}
	b.world.covers("stop", string(e.Event), "", "")
	switch {
	case e.Event == engine.EventLatched && !e.Latch.IsGap() && b.world.stops.heardAt < 0:
		b.world.stops.heardAt = b.world.now
	case e.Event == engine.EventAcknowledged && len(b.state.Snapshot().Stops.Open) == 0:
		b.world.stopOver()
	}
	if b.world.disk.bad() {
		return
	}
	var known latch.Ledger
	known.Merge(b.latches)
	known.Merge([]latch.Latch{e.Latch})
	b.latches = known.List()
}
