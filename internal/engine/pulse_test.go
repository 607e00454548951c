package engine_test

import (
	"testing"
	"time"

	"rstate/internal/engine"
)

// TestAMachineThatWasSuspendedHasStoodStill: the steady clock stands with it, the other does not.
func TestAMachineThatWasSuspendedHasStoodStill(t *testing.T) {
	before := time.Now()
	var p engine.Pulse
	p.Beat(before)
	if now := before.Add(100 * ms); p.Stood(now) {
		t.Error("it has stood still for 100 ms")
	}
	if woken := before.Add(50 * ms).Round(0).Add(time.Minute); !p.Stood(woken) { // of the wall clock only
		t.Error("it has not stood still, and a minute has passed")
	}
}

// TestS1OfTwoThatMeetAfterAStallOneStays: two that were apart, each with the name, meet right after the loop of one has
// stood still for whatever time. Each asks the other, and answers as it may.
func TestS1OfTwoThatMeetAfterAStallOneStays(t *testing.T) {
	for _, stands := range []string{older, younger} {
		for stall := time.Duration(0); stall <= 3*time.Second; stall += 50 * ms {
			a, b := newHolder(t, older), newHolder(t, younger)
			for _, h := range []*holder{a, b} {
				if h.id == stands {
					h.turn(stall)
				} else {
					h.turn(0)
				}
			}
			fromA, fromB := a.answers(), b.answers()
			a.hears(fromB)
			b.hears(fromA)
			if a.ends == b.ends {
				t.Fatalf("%s has stood still for %v: the older ends: %v, the younger: %v", stands, stall, a.ends,
					b.ends)
			}
		}
	}
}

// holder is an instance that has held the name since long ago, with its pulse.
type holder struct {
	id    string
	state *engine.State
	pulse engine.Pulse
	began time.Time
	now   time.Duration // of its steady clock
	ends  bool
}

func newHolder(t *testing.T, id string) *holder {
	t.Helper()
	h := &holder{id: id, began: time.Now(),
		state: engine.New(story{}.network(t), engine.Options{Instance: id, Name: "/rstate"})}
	for range 200 {
		h.turn(0)
	}
	return h
}

// turn lets its loop stand still, and then turn once, as the coordinator does: the stall comes first, then the beat.
func (h *holder) turn(stall time.Duration) {
	gap := 100*ms + stall
	h.now += gap
	if gap > engine.Stall {
		h.take(engine.Stalled{For: gap})
	}
	h.take(engine.Tick{})
	h.pulse.Beat(h.began.Add(h.now))
}

func (h *holder) take(in engine.Input) {
	var out []engine.Effect
	h.state, out = engine.Step(h.state, engine.Time{Steady: h.now}, in)
	for _, e := range out {
		if _, exit := e.(engine.Exit); exit {
			h.ends = true
		}
	}
}

// answers is the answer to a request for the holder of the name, or nil.
func (h *holder) answers() engine.Input {
	if h.pulse.Stood(h.began.Add(h.now)) {
		return nil
	}
	return engine.NameTaken{Instance: h.id, Holds: true, Answered: true}
}

func (h *holder) hears(in engine.Input) {
	answer, ok := in.(engine.NameTaken)
	if !ok {
		return
	}
	answer.Stood = h.pulse.Stood(h.began.Add(h.now))
	h.take(answer)
}
