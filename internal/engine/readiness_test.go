package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rstate/internal/checking"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// situation is a drawn network in a drawn state, of which nothing changes any more.
type situation struct {
	*rand.Rand
	text  string
	tells []string // what was done to it
}

// TestA10ReadyIsWhatArmDoes: in situations in which nothing changes, Arm arms the network if readiness says ready,
// and else arms nothing and names every reason that readiness has named.
func TestA10ReadyIsWhatArmDoes(t *testing.T) {
	words := map[engine.ReadyWord]int{}
	for seed := range uint64(1000) {
		s := &situation{Rand: rand.New(rand.NewPCG(seed, 10))}
		w := s.world(t)
		s.disturb(t, w)
		w.Pass(20 * time.Second)
		s.shown(t, w)
		ready := w.Now().Readiness
		words[ready.Word]++
		w.Do(simnet.Send{Command: "arm", Handle: "arm"})
		trace := w.Pass(10 * time.Second)
		for range 12 { // a node that does not answer holds up the way back
			if trace.Goal("arm").Verdict() == "open" {
				trace = w.Pass(10 * time.Second)
			}
		}
		if problem := s.compare(ready, trace.Goal("arm")); problem != "" {
			t.Fatalf("seed %d: %s\nreadiness: %v\nArm: %s, %s\n%s\n%s", seed, problem, ready,
				trace.Goal("arm").Verdict(), trace.Goal("arm").Why+trace.Goal("arm").Result.Message, s.text,
				strings.Join(s.tells, "\n"))
		}
	}
	if words[engine.Ready] < 200 || words[engine.NotReady] < 200 || words[engine.Measuring] > 0 {
		t.Errorf("the situations are not what they should be: %v", words)
	}
}

// shown compares what ~/state says with what the engine finds if it looks again.
func (s *situation) shown(t *testing.T, w *simnet.World) {
	t.Helper()
	was := reasons(w.Published().Readiness)
	w.Do(simnet.Hear{In: engine.Tick{}})
	is := reasons(w.Now().Readiness)
	if was != is {
		t.Fatalf("it is\n%s\nand ~/state says\n%s\n%s\n%s", is, was, s.text, strings.Join(s.tells, "\n"))
	}
}

// reasons is readiness without values that change with each look.
func reasons(r engine.Readiness) string {
	words := []string{string(r.Word)}
	for _, o := range r.Against {
		words = append(words, o.Node+" "+checking.Unmeasured(o.Why))
	}
	return strings.Join(words, "\n")
}

func (s *situation) compare(ready engine.Readiness, arm *simnet.Goal) string {
	armed := arm.Verdict() == "succeeded done"
	said := arm.Why + arm.Result.Message
	switch {
	case ready.Word == engine.Ready && !armed:
		return "it was ready, and Arm did not arm"
	case ready.Word != engine.Ready && armed:
		return "it was not ready, and Arm armed"
	case ready.Word != engine.NothingToArm && (ready.Word == engine.Ready) != (len(ready.Against) == 0):
		return "the word does not fit the reasons"
	}
	for _, r := range arm.Result.Nodes {
		if o := (engine.Obstacle{Node: r.Node, Why: r.Evidence}); strings.Contains(said, o.String()) &&
			!engine.Advises(o) && !strings.HasSuffix(o.Why, ")") {
			return fmt.Sprintf("the failed Arm does not say what to do about %q", o)
		}
	}
	for _, o := range ready.Against {
		if !engine.Advises(o) {
			return fmt.Sprintf("nothing says what to do about %q", o)
		}
		why := checking.Unmeasured(strings.TrimPrefix(o.Why, "does not pass its check: "))
		silent := strings.HasPrefix(why, "is unresponsive") || strings.HasPrefix(why, "is lost: it left ")
		if silent && strings.HasPrefix(arm.Verdict(), "aborted") { // it was asked anew
			why = "does not answer"
		}
		if !armed && (!strings.Contains(said, why) || !strings.Contains(said, o.Node)) {
			return fmt.Sprintf("Arm does not name the reason %q", o)
		}
	}
	return ""
}

func (s *situation) chance(p float64) bool { return s.Float64() < p }

// few is 0, or with chance p a number from 1 to most.
func (s *situation) few(p float64, most int) int {
	if !s.chance(p) {
		return 0
	}
	return 1 + s.IntN(most)
}

// world draws a network, and brings it up.
func (s *situation) world(t *testing.T) *simnet.World {
	t.Helper()
	var b strings.Builder
	b.WriteString("simulation: x\nlast_resort: hold\n")
	disk := simnet.Disk{}
	if s.chance(0.1) {
		b.WriteString("journal: required\n")
		if s.chance(0.5) {
			disk.Fault = "the disk is full"
		}
	}
	if s.chance(0.05) {
		b.WriteString("peers: {required: [/other/rstate]}\n")
	}
	for k := range s.few(0.3, 2) {
		fmt.Fprintf(&b, "%s  - {topic: /estop%d}\n", [...]string{"stop:\n", ""}[k], k)
	}
	opt := simnet.Options{Seed: s.Uint64(), Disk: disk}
	if s.chance(0.3) {
		b.WriteString("arming: {guard: required}\n")
		opt.Guards = s.few(0.8, 2)
	}
	b.WriteString("nodes:\n")
	for i, n := 0, 1+s.IntN(3); i < n; i++ {
		fmt.Fprintf(&b, "  /n%d: {checks: [%s]", i, strings.Join(s.checks(), ", "))
		if s.chance(0.7) {
			b.WriteString([...]string{", arm: {}", ", arm: {dead_man: none}"}[s.IntN(2)])
		}
		if s.chance(0.25) {
			b.WriteString(", optional: true")
		}
		if s.chance(0.2) {
			fmt.Fprintf(&b, ", unsafe: [/move%d]", i)
		}
		if s.chance(0.1) {
			b.WriteString(", probe: 500ms")
		}
		b.WriteString("}\n")
	}
	s.text = b.String()
	net, err := network.Parse("drawn.yaml", []byte(s.text))
	if err != nil {
		t.Fatal(err)
	}
	w := simnet.New(net, opt)
	w.Pass(5 * time.Second)
	for _, command := range []string{"configure", "activate"} {
		if s.chance(0.95) {
			s.do(w, simnet.Send{Command: command})
			w.Pass(8 * time.Second)
		}
	}
	return w
}

// checks draws up to three checks.
func (s *situation) checks() []string {
	var list []string
	for range s.IntN(4) {
		what := [...]string{"topic: /t, rate: 10Hz", "topic: /t, rate: 1Hz", "topic: /t, age: 300ms",
			"topic: /t, field: x, above: 0", "service: /s", "parameter: p, below: 5", "file: /run/x"}[s.IntN(7)]
		switch s.IntN(6) {
		case 0:
			what += ", when: enter"
		case 1:
			what += ", when: stay"
		case 2:
			what += ", warn: true"
		}
		list = append(list, "{"+what+"}")
	}
	return list
}

// disturb does some of what may stand against arming.
func (s *situation) disturb(t *testing.T, w *simnet.World) {
	t.Helper()
	for range s.IntN(3) {
		i := s.IntN(3)
		for i >= len(w.Now().Nodes) {
			i--
		}
		node := w.Now().Nodes[i].Name
		switch s.IntN(9) {
		case 0:
			s.do(w, simnet.Publish{Node: node})
		case 1:
			s.do(w, simnet.Publish{Node: node, Share: 0.3})
		case 2, 3:
			s.do(w, simnet.Fail{Node: node})
		case 4:
			s.do(w, simnet.Kill{Node: node})
		case 5:
			s.do(w, simnet.Freeze{Node: node})
		case 6:
			s.do(w, simnet.Move{Node: node, To: lifecycle.Inactive})
		case 7:
			s.do(w, simnet.Advertise{Node: node})
		case 8:
			if n := w.Checks(node); n > 0 {
				s.do(w, simnet.Measure{Node: node, Check: s.IntN(n), Value: network.Number(float64(s.IntN(3)*10 - 10))})
			}
		}
		w.Pass(time.Duration(s.IntN(3000)) * ms)
		s.shown(t, w)
	}
	s.disturbStops(t, w)
	s.disturbGuards(t, w)
}

// disturbStops does some of what may become of stop buttons, and of a person beside them.
func (s *situation) disturbStops(t *testing.T, w *simnet.World) {
	t.Helper()
	n := len(w.Now().Stops.Inputs)
	if n == 0 {
		return
	}
	for range s.IntN(4) {
		k := s.IntN(n + 1) // the last one is added, or is not there
		s.do(w, [...]simnet.Act{
			simnet.Press{Button: k}, simnet.Press{Button: k, Not: true}, simnet.Acknowledge{Who: "a person"},
			simnet.Hush{Button: k}, simnet.Hush{Button: k, Not: true}, simnet.Garble{Button: k}, simnet.KillButton{Button: k},
			simnet.UnplugButton{Button: k}, simnet.PlugButton{Button: k}, simnet.AddButton{Stop: n - 1},
		}[s.IntN(10)])
		w.Pass(time.Duration(s.IntN(3000)) * ms)
		s.shown(t, w)
	}
}

// disturbGuards does some of what may become of guards. That a guard is deaf shows only when there is a lease to hear.
func (s *situation) disturbGuards(t *testing.T, w *simnet.World) {
	t.Helper()
	for range s.few(0.3, 3) {
		id := fmt.Sprint("guard ", 1+s.IntN(3))
		to := [...]simnet.GuardState{simnet.GuardDead, simnet.GuardLives, simnet.GuardFrozen}[s.IntN(3)]
		s.do(w, simnet.Guard{ID: id, To: to})
		w.Pass(time.Duration(s.IntN(3000)) * ms)
		s.shown(t, w)
	}
}

func (s *situation) do(w *simnet.World, a simnet.Act) {
	s.tells = append(s.tells, fmt.Sprintf("%T %+v", a, a))
	w.Do(a)
}
