package machine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rstate/internal/lifecycle"
)

// draw writes a machine. Its states and the ways between them are sound; what happens without a command is drawn, so
// that some machines are refused.
func draw(r *rand.Rand) string {
	var b strings.Builder
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	armed, mixed, lost := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(3) == 0
	b.WriteString("initial: idle\nstates:\n  over: {nodes: finalized, final: true}\n")
	states := []string{"idle", "calm", "busy"}
	via := ""
	b.WriteString("  idle: {nodes: unconfigured}\n  calm: {nodes: inactive}\n  busy: {nodes: active}\n")
	if mixed {
		states = append(states, "left", "right")
		b.WriteString("  left: {nodes: {a: active, others: inactive}}\n  right: {nodes: {b: " +
			pick("active", "inactive") + ", a: inactive}}\n")
	}
	if lost {
		states = append(states, "lost")
		b.WriteString("  lost: {nodes: as_is}\n")
	}
	if armed {
		via = "via: going, "
		states = append(states, "live")
		b.WriteString("  live: {nodes: active, armed: " + pick("true", "[a]") +
			", disarmed: busy}\n  going: {transition: true}\n")
	}
	up := []string{"wake", "work", "turn_left", "turn_right", "fire"}
	keys := func(name string) string {
		more := map[string]string{}
		for range max(0, r.IntN(8)-5) {
			key := pick(
				"on_failure: stay", "on_failure: {then: "+pick("sink", "fall", "end", "work")+"}",
				"on_error: {then: "+pick("fall", "sink")+"}",
				"on_failure: {then: fall}, mirrored_failure: target", "cancel: refuse", "loop: true, through: idle")
			if raises := slices.Contains(up, name); !raises || r.IntN(20) == 0 {
				key = pick(key, "preempts: true", "arrives: always", "spread: all", "hidden: true",
					"role: "+pick("configure", "activate", "deactivate", "cleanup", "disarm", "arm", "shutdown"))
			}
			word, _, _ := strings.Cut(key, ":")
			more[word[:4]] = key // each once, and on_failure not beside on_error
		}
		list := ""
		for _, word := range slices.Sorted(maps.Keys(more)) {
			if word != "on_e" || more["on_f"] == "" {
				list += ", " + more[word]
			}
		}
		return list
	}
	b.WriteString("transitions:\n")
	one := func(name, from, to string) {
		fmt.Fprintf(&b, "  %s: {from: [%s], %sto: %s%s}\n", name, from, via, to, keys(name))
	}
	one("wake", "idle", "calm")
	one("work", "calm", "busy")
	one("rest", "busy", "calm")
	one("sleep", "calm", "idle")
	if mixed {
		one("turn_left", "calm, right", "left")
		one("turn_right", "calm, left", "right")
		one("back", "left, right", "calm")
	}
	if armed {
		one("fire", "busy", "live")
		one("cease", "live", "busy")
	}
	origins := slices.DeleteFunc(slices.Clone(states), func(s string) bool { return s == "live" })
	one("sink", strings.Join(origins, ", "), pick("idle", "calm", "over"))
	if lost {
		one("lose", "busy, calm", "lost")
		one("find", "lost", "idle")
	}
	var to []string
	for _, o := range origins {
		to = append(to, o+": "+pick("idle", "over", o))
	}
	fmt.Fprintf(&b, "  fall: {%sto: {%s}, else: over%s}\n", via, strings.Join(to, ", "), keys("fall"))
	fmt.Fprintf(&b, "  end: {from: any, %sto: over}\n", via)
	if n := r.IntN(3); n > 0 {
		b.WriteString("auto:\n")
		for i := range n {
			fmt.Fprintf(&b, "  - {in: %s, on: %s, do: %s}\n", states[i],
				pick("settled", "node_error", "{report: word}"), pick("sink", "fall", "rest", "sleep", "end"))
		}
	}
	return b.String()
}

// crew are nodes of which each is in other groups, judged one by one.
var crew = [][]string{nil, {"a"}, {"b"}}

// asks is what a state wants of a node with these groups, and false where the node stays as it is.
func asks(s State, groups []string) (lifecycle.State, bool) {
	for _, g := range s.Nodes.Groups {
		if slices.Contains(groups, g.Group) {
			return g.State, true
		}
	}
	return s.Nodes.Others, s.Nodes.Others != lifecycle.Unknown
}

func arms(s State, groups []string) bool {
	return s.Armed.All || slices.ContainsFunc(s.Armed.Groups, func(g string) bool { return slices.Contains(groups, g) })
}

// lifts names a node that rises between two states; empty: none does.
func lifts(m *Machine, from, to string) string {
	a, _ := m.State(from)
	b, _ := m.State(to)
	for _, groups := range crew {
		was, known := asks(a, groups)
		if !known {
			was = lifecycle.Unconfigured // at worst
		}
		is, asked := asks(b, groups)
		if asked && is.Level() > was.Level() && is != lifecycle.Unconfigured || arms(b, groups) && !arms(a, groups) {
			return fmt.Sprintf("a node of %v rises from %s to %s", groups, from, to)
		}
	}
	return ""
}

// TestR4DrawnMachines: whatever passes the check can neither raise a node without a command, nor arm one that is not
// active, nor go on for ever by itself.
func TestR4DrawnMachines(t *testing.T) {
	taken, preempted, followed, reacted := 0, 0, 0, 0
	for seed := range uint64(300) {
		text := draw(rand.New(rand.NewPCG(seed, 1)))
		m, err := parse("drawn.yaml", []byte(text))
		if err != nil {
			continue
		}
		taken++
		wrong := func(format string, args ...any) {
			t.Errorf("seed %d: %s\n%s", seed, fmt.Sprintf(format, args...), text)
		}
		var rests []State
		always := 0
		for _, s := range m.States {
			if s.Passing {
				continue
			}
			if !s.Final {
				rests = append(rests, s)
			}
			for _, groups := range crew {
				is, asked := asks(s, groups)
				if asked && (is == lifecycle.Finalized) != s.Final || arms(s, groups) && is != lifecycle.Active {
					wrong("%s wants %v of a node of %v", s.Name, is, groups)
				}
			}
		}
		settles := func(command, origin, why string) {
			to, ok := m.Target(command, origin)
			if !ok {
				wrong("%s leads nowhere from %s", command, origin)
			}
			if rises := lifts(m, origin, to); rises != "" {
				wrong("%s: %s with %s", why, rises, command)
			}
			if tr, _ := m.Transition(command); tr.Through != "" && lifts(m, tr.Through, to) != "" {
				wrong("%s: %s with %s comes back up", why, origin, command)
			}
		}
		for _, tr := range m.Transitions {
			if tr.Always {
				always++
			}
			for _, s := range rests {
				to, ok := m.Target(tr.Name, s.Name)
				if !ok {
					continue
				}
				end, _ := m.State(to)
				if end.Armed.Any() && (tr.Via == "" || lifts(m, m.Disarmed(to), m.Disarmed(s.Name)) != "" ||
					lifts(m, m.Disarmed(s.Name), m.Disarmed(to)) != "") {
					wrong("%s arms from %s", tr.Name, s.Name)
				}
				if end.Final && tr.Cancel != Refuse {
					wrong("%s ends the network and can be cancelled", tr.Name)
				}
				if (tr.Preempts || tr.Spread == SpreadAll) && !tr.Always {
					preempted++
					settles(tr.Name, s.Name, "uncommanded")
				}
				if m.Arrives(tr.Name, s.Name) {
					if !tr.Always {
						settles(tr.Name, s.Name, "passes over a node")
					}
					continue
				}
				for _, v := range []Verdict{Refusal, Error} {
					for _, f := range []Failed{m.OnFailure(tr.Name, s.Name, v),
						m.OnMirroredFailure(tr.Name, s.Name, v)} {
						if rest, _ := m.State(f.Rest); rest.Armed.Any() {
							wrong("%s fails from %s and rests in %s", tr.Name, s.Name, f.Rest)
						}
						if f.Then != "" {
							followed++
							settles(f.Then, f.Rest, "after a failure")
						}
					}
				}
			}
		}
		for _, a := range m.Auto {
			reacted++
			settles(a.Do, a.In, "a reaction")
		}
		if always != 1 {
			wrong("%d commands end the network from everywhere", always)
		}
		for _, s := range rests {
			if way := goesOn(m, s.Name, 30); way != "" {
				wrong("goes on for ever: %s", way)
			}
		}
		if again, err := parse("again.yaml", []byte(m.YAML())); err != nil || again.Hash() != m.Hash() {
			wrong("reads back to another machine: %v\n%s", err, m.YAML())
		}
		walk(t, m)
	}
	if taken < 60 || preempted < 40 || followed < 40 || reacted < 20 {
		t.Errorf("of 300 machines only %d are taken, with %d pre-emptions, %d commands after failures and %d reactions",
			taken, preempted, followed, reacted)
	}
}

// goesOn follows the reactions from a settled state, each of which may also fail, and returns a way that is too long.
func goesOn(m *Machine, state string, most int) string {
	if most == 0 {
		return state
	}
	var next []string
	var fails func(command, origin string, most int) bool
	fails = func(command, origin string, most int) bool {
		if most == 0 {
			return true
		}
		if to, ok := m.Target(command, origin); ok {
			next = append(next, to)
		}
		if m.Arrives(command, origin) {
			return false
		}
		for _, v := range []Verdict{Refusal, Error} {
			if f := m.OnFailure(command, origin, v); f.Then != "" && fails(f.Then, f.Rest, most-1) {
				return true
			}
		}
		return false
	}
	for _, a := range m.Autos(state, On{Event: Settled}, "") {
		if fails(a.Do, state, most-1) {
			return a.Do + " in " + state
		}
	}
	for _, to := range next {
		if way := goesOn(m, to, most-1); way != "" {
			return state + ", " + way
		}
	}
	return ""
}

// walk starts every command in every state, so that the judge panics here and not in the daemon.
func walk(t *testing.T, m *Machine) {
	t.Helper()
	for _, s := range m.States {
		for _, tr := range m.Transitions {
			if s.Passing {
				continue
			}
			j := m.Start()
			if err := j.Settle(s.Name); err != nil {
				t.Fatal(err)
			}
			to, leads := m.Target(tr.Name, s.Name)
			if j.Can(tr.Name) && !leads {
				t.Errorf("%s is legal in %s and leads nowhere", tr.Name, s.Name)
			}
			if j.Begin(tr.Name) == nil && j.Settle(to) != nil {
				t.Errorf("%s in %s does not settle in %q", tr.Name, s.Name, to)
			}
		}
	}
}
