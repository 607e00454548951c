package machine

import (
	"math/rand/v2"
	"testing"
)

// TestP2MeetNeverRaises: of two states that were entered at once both sides take the same one, and it raises and arms
// no node of either.
func TestP2MeetNeverRaises(t *testing.T) {
	taken, third, none := 0, 0, 0
	for seed := range uint64(300) {
		text := draw(rand.New(rand.NewPCG(seed, 2)))
		m, err := parse("drawn.yaml", []byte(text))
		if err != nil {
			continue
		}
		taken++
		for _, a := range m.States {
			for _, b := range m.States {
				if a.Passing || b.Passing {
					continue
				}
				state, ok := m.Meet(a.Name, b.Name)
				if back, also := m.Meet(b.Name, a.Name); back != state || also != ok {
					t.Errorf("seed %d: of %s and %s one side takes %q, the other %q\n%s", seed, a.Name, b.Name, state,
						back, text)
				}
				switch {
				case !ok:
					none++
				case lifts(m, a.Name, state) != "" || lifts(m, b.Name, state) != "":
					t.Errorf("seed %d: of %s and %s both sides take %s: %s%s\n%s", seed, a.Name, b.Name, state,
						lifts(m, a.Name, state), lifts(m, b.Name, state), text)
				case state != a.Name && state != b.Name:
					third++
				}
				for _, s := range m.States {
					low := !s.Passing && !s.Final && !s.Nodes.AsIs && !m.Raises(a.Name, s.Name) &&
						!m.Raises(b.Name, s.Name)
					if apart := m.Raises(a.Name, b.Name) && m.Raises(b.Name, a.Name); apart && low &&
						(!ok || m.Level(state) < s.Level()) {
						t.Errorf("seed %d: of %s and %s both sides take %q, and %s is higher\n%s", seed, a.Name, b.Name,
							state, s.Name, text)
					}
				}
			}
		}
	}
	if taken < 60 || third < 20 {
		t.Errorf("of 300 machines %d are taken; %d pairs meet in a third state, %d nowhere", taken, third, none)
	}
}

func TestP2Meet(t *testing.T) {
	const file = `
initial: low
states:
  low: {nodes: unconfigured}
  left: {nodes: {a: active, others: inactive}}
  right: {nodes: {b: active, others: inactive}}
  calm: {nodes: inactive}
  high: {nodes: active}
  arm_a: {nodes: active, armed: [a], disarmed: high}
  arm_b: {nodes: active, armed: [b], disarmed: high}
  arm_all: {nodes: active, armed: true, disarmed: high}
  lost: {nodes: as_is}
  over: {nodes: finalized, final: true}
  going: {transition: true}
transitions:
  to_left: {from: [low], via: going, to: left}
  to_right: {from: [low], via: going, to: right}
  to_calm: {from: [low], via: going, to: calm}
  to_high: {from: [low], via: going, to: high}
  to_a: {from: [high], via: going, to: arm_a}
  to_b: {from: [high], via: going, to: arm_b}
  to_all: {from: [high], via: going, to: arm_all}
  disarm: {from: [arm_a, arm_b, arm_all], via: going, to: high}
  lose: {from: [low], via: going, to: lost}
  down: {from: [left, right, calm, high, lost], via: going, to: low}
  end: {from: any, via: going, to: over}
`
	m, err := parse("apart.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	sole := *m // the same without a state below left and right
	sole.States = nil
	for _, s := range m.States {
		if s.Name != "calm" && s.Name != "low" {
			sole.States = append(sole.States, s)
		}
	}
	for _, c := range []struct {
		of         *Machine
		a, b, want string
	}{
		{m, "left", "right", "calm"},
		{m, "left", "high", "left"},
		{m, "arm_a", "arm_b", "high"},
		{m, "arm_a", "arm_all", "arm_a"},
		{m, "arm_a", "left", "left"},
		{m, "arm_b", "low", "low"},
		{m, "high", "over", "over"},
		{m, "low", "over", "over"},
		{m, "lost", "high", "lost"},
		{m, "calm", "calm", "calm"},
		{&sole, "left", "right", ""},
		{&sole, "arm_a", "arm_b", "high"},
		{m, "left", "nowhere", ""},
	} {
		got, ok := c.of.Meet(c.a, c.b)
		if back, _ := c.of.Meet(c.b, c.a); got != c.want || back != got || ok != (c.want != "") {
			t.Errorf("of %s and %s one side takes %q, the other %q, want %q", c.a, c.b, got, back, c.want)
		}
	}
}
