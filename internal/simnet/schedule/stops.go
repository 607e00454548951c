package schedule

import (
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Stop buttons. What they draw comes from a source of its own, so the rest of a seed's life stays what it was.

// mostButtons is how many buttons of one stop input are drawn.
const mostButtons = 3

// drawStops gives the network of some seeds stop inputs.
func (s *Schedule) drawStops() {
	x := s.apart(107)
	if s.Calm && s.prefix == "" || !x.chance(0.25) {
		return
	}
	for k := range 1 + x.IntN(2) {
		s.Network.Stop = append(s.Network.Stop, network.Stop{Topic: []string{"/estop", "/panel"}[k],
			Type: network.DefaultStopType, Field: "data", Value: network.Truth(true),
			Silent: pick(x, 300*time.Millisecond, 500*time.Millisecond, 2*time.Second)})
	}
}

// presses lets people press stop buttons, and lets these fail. In the end each button is there and clear, and a person
// acknowledges.
func (s *Schedule) presses(w *simnet.World) {
	if len(s.Network.Stop) == 0 {
		return
	}
	x := s.apart(108)
	t := &teller{Schedule: x, name: "b"}
	for range 1 + x.IntN(4) {
		when := simnet.Then().Later(x.upTo(pick(x, time.Second, 10*time.Second)))
		if x.chance(0.5) {
			when = simnet.Shown(pick(x, "armed", "armed", "arming", "disarming", "active", "activating")).Later(
				x.upTo(pick(x, 20*time.Millisecond, time.Second)))
		}
		b := x.IntN(mostButtons)
		first, then := x.hurt(b)
		t.do(when, first)
		if x.chance(0.3) { // before the input is clear
			t.do(t.soon(time.Second), simnet.Acknowledge{Who: "ann", Unauthorized: x.chance(0.1)})
		}
		t.do(t.soon(5*time.Second), then)
		if x.chance(0.3) {
			t.do(t.soon(time.Second), simnet.AddButton{Stop: x.IntN(2)})
		}
		if x.chance(0.2) {
			t.do(t.soon(time.Second), simnet.Crash{DownFor: x.upTo(3 * time.Second)})
		}
		t.do(t.soon(2*time.Second), simnet.Acknowledge{Who: "ann", Unauthorized: x.chance(0.1)})
		if x.chance(0.5) {
			t.send(t.soon(2*time.Second), pick(x, "armed", "armed", "arm", "active"), "")
		}
	}
	w.Perhaps(t.beats...)
}

// hurt is what becomes of a button, and what ends that.
func (s *Schedule) hurt(b int) (first, then simnet.Act) {
	switch s.IntN(6) {
	case 0:
		return simnet.Hush{Button: b}, simnet.Hush{Button: b, Not: true}
	case 1:
		return simnet.KillButton{Button: b}, simnet.PlugButton{Button: b}
	case 2:
		return simnet.UnplugButton{Button: b}, simnet.PlugButton{Button: b}
	case 3:
		return simnet.Garble{Button: b}, simnet.Press{Button: b, Not: true}
	}
	return simnet.Press{Button: b}, simnet.Press{Button: b, Not: true}
}
