package explore

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
)

// Stop buttons: processes that repeat their value on the topic of a stop input. Each stop input has one.

const (
	buttonEvery = 200 * time.Millisecond // between two messages of a button
	flapFor     = 50 * time.Millisecond  // from a press until its release, of a button that flaps
)

// button is a stop button in truth.
type button struct {
	life   int // counts its processes
	word   stopinput.Word
	alive  bool
	quiet  bool
	listed bool // the graph shows its publisher
	link   pipe // of its process
}

func (b *button) id(i int) string { return fmt.Sprintf("button %d.%d", i, b.life) }

// plug starts a process of a button.
func (w *world) plug(i, k int) {
	b := &w.sides[i].buttons[k]
	*b = button{life: b.life + 1, alive: true, word: stopinput.Clear}
	w.unplanButton(evButton, i, k)
	w.plan(0, event{kind: evButton, side: i, node: k})
	w.plan(found, event{kind: evButtonSeen, side: i, node: k, epoch: uint64(b.life)})
}

func (w *world) unplanButton(kind kind, i, k int) {
	w.queue = slices.DeleteFunc(w.queue, func(e event) bool { return e.kind == kind && e.side == i && e.node == k })
}

// repeat says the value of a button, and goes on with that.
func (w *world) repeat(e event) {
	if w.sides[e.side].buttons[e.node].alive {
		w.speak(e.side, e.node)
		w.plan(buttonEvery, event{kind: evButton, side: e.side, node: e.node})
	}
}

// speak sends the value of a button.
func (w *world) speak(i, k int) {
	s := &w.sides[i]
	if b := &s.buttons[k]; b.alive && !b.quiet {
		w.plan(hop, event{kind: evInput, side: i, node: k, life: s.life, by: byButton,
			in: engine.StopHeard{Stop: k, Writer: b.id(k), Word: b.word}})
	}
}

// press presses a button, or releases it. It says so at once.
func (w *world) press(i, k int, word stopinput.Word) {
	w.tell("button %d of %s says %v", k, w.sides[i].file.name, word)
	w.sides[i].buttons[k].word = word
	w.speak(i, k)
}

// unplug ends the process of a button. The graph notices that late.
func (w *world) unplug(i, k int) {
	b := &w.sides[i].buttons[k]
	w.tell("button %d of %s dies", k, w.sides[i].file.name)
	b.alive = false
	w.unplanButton(evButton, i, k)
	w.plan(noticed, event{kind: evButtonSeen, side: i, node: k, epoch: uint64(b.life)})
}

// seesButton is when the graph notices that a button has started or ended.
func (w *world) seesButton(e event) {
	if b := &w.sides[e.side].buttons[e.node]; b.life == int(e.epoch) {
		b.listed = b.alive
		w.showButton(e.side, e.node)
	}
}

// showButton tells the daemon which publishers a stop input has.
func (w *world) showButton(i, k int) {
	s := &w.sides[i]
	var seen stopinput.Seen
	if b := &s.buttons[k]; b.listed {
		seen.Writers = []stopinput.Writer{{ID: b.id(k), Node: "/" + b.id(k)}}
	}
	w.deliver(i, engine.StopSeen{Stop: k, Seen: seen})
}

// acknowledge is a person.
func (w *world) acknowledge(i int) {
	w.tell("a person acknowledges at %s", w.sides[i].file.name)
	w.deliver(i, engine.AcknowledgeAsked{Handle: "acknowledge", Who: "ann", Authorized: true})
}

// remember keeps a stop for the next start.
func (s *side) remember(l latch.Latch) {
	var known latch.Ledger
	known.Merge(s.latches)
	known.Merge([]latch.Latch{l})
	s.latches = known.List()
}

// stopTruth is what is true of the stops of an instance.
type stopTruth struct {
	word    stopinput.Word // that was heard last
	presses uint64         // that this life has heard
	heard   time.Duration  // when the first press was heard that is not acknowledged; 0: there is none
}

// hearsStop notes what an engine is about to hear of a button, and reports whether that is a press.
func (t *stopTruth) hearsStop(w *world, in engine.StopHeard) (pressed bool) {
	if pressed = in.Word == stopinput.Stop && t.word != stopinput.Stop; pressed {
		t.presses++
		if t.heard == 0 {
			t.heard = w.now
		}
	}
	t.word = in.Word
	return pressed
}

// records notes that stops are acknowledged: all that were heard.
func (t *stopTruth) records(s *side, e engine.Entry) {
	if e.Event != engine.EventAcknowledged || e.Node != s.file.name || e.Latch.Open() {
		return
	}
	if own := e.Latch.Instance == s.instance(); own && e.Latch.Acknowledged >= t.presses || !own && t.presses == 0 {
		t.heard = 0
	}
}

// acknowledges judges the answer to a person: nothing is acknowledged while its button is pressed.
func (t *stopTruth) acknowledges(w *world, e engine.AnswerAcknowledge) {
	if e.Accepted && t.word == stopinput.Stop {
		w.violates("acknowledged while pressed: a stop is acknowledged, and its button says stop")
	}
}

// staysStopped looks whether an armed node of an instance is being disarmed after a press: at that instance, and at one
// that hears it.
func (j *judge) staysStopped(w *world, i int, n *node) {
	for k := range w.sides {
		t, by, within := &j.sides[k].stop12, &w.sides[k], stopIn
		if k != i {
			within = 2*stopIn + lateBy // its message may be lost or late
		}
		apart := k != i && (w.cut || !by.up || by.stalled)
		if t.heard == 0 || apart || n.stuck() || n.settles(w) {
			continue
		}
		from := max(t.heard, w.last, w.sides[i].awake, by.awake, n.armedSince)
		if w.now > from+within && w.now-n.disarmSent > askedIn {
			w.violates("stop without effect: %s stays armed after a stop button was pressed", n.spec.Name)
		}
	}
}

// armsStopped judges a request that arms: nothing is armed between a press that was heard and an acknowledgement.
func (j *judge) armsStopped(w *world, i int, n *node) {
	if j.sides[i].stop12.heard != 0 {
		w.violates("armed while stopped: %s is asked to arm, and a stop is not acknowledged", n.spec.Name)
	}
}

func hasButton(w *world, t thing) bool { return len(w.sides[t.side].buttons) > 0 }

func buttonIs(is func(b *button) bool) func(*world, thing) bool {
	return func(w *world, t thing) bool { return hasButton(w, t) && is(&w.sides[t.side].buttons[0]) }
}

// buttonMenu lists the deviations of stop buttons: each is of the first one of an instance.
var buttonMenu = []deviation{
	{"pressed", "the stop button is pressed", toSide,
		buttonIs(func(b *button) bool { return b.alive && b.word == stopinput.Clear }),
		func(w *world, t thing) { w.press(t.side, 0, stopinput.Stop) }},
	{"released", "the stop button is released", toSide,
		buttonIs(func(b *button) bool { return b.alive && b.word == stopinput.Stop }),
		func(w *world, t thing) { w.press(t.side, 0, stopinput.Clear) }},
	{"flaps", "the stop button is pressed for 50 ms", toSide,
		buttonIs(func(b *button) bool { return b.alive && b.word == stopinput.Clear }),
		func(w *world, t thing) {
			w.press(t.side, 0, stopinput.Stop)
			w.plan(flapFor, event{kind: evRelease, side: t.side})
		}},
	{"falls silent", "the stop button says nothing any more", toSide,
		buttonIs(func(b *button) bool { return b.alive && !b.quiet }),
		func(w *world, t thing) { w.sides[t.side].buttons[0].quiet = true }},
	{"speaks again", "the silent stop button speaks again", toSide,
		buttonIs(func(b *button) bool { return b.alive && b.quiet }),
		func(w *world, t thing) { w.sides[t.side].buttons[0].quiet = false }},
	{"button killed", "the process of the stop button is killed", toSide,
		buttonIs(func(b *button) bool { return b.alive }),
		func(w *world, t thing) { w.unplug(t.side, 0) }},
	{"button back", "a process of the stop button starts", toSide,
		buttonIs(func(b *button) bool { return !b.alive }),
		func(w *world, t thing) { w.plug(t.side, 0) }},
	{"acknowledged", "a person acknowledges the stops", toSide,
		func(w *world, t thing) bool {
			return isUp(w, t) && slices.ContainsFunc(w.sides, func(s side) bool { return len(s.buttons) > 0 })
		},
		func(w *world, t thing) { w.acknowledge(t.side) }},
}
