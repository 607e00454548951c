package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Machine is a network file with a machine that was drawn, and the life that it is driven through. Most machines are
// nearly sound, with a slip here and there, because a machine of pure chance is always refused.
type Machine struct {
	*rand.Rand
	Seed uint64
	File string

	slips  float64 // the share of choices that ignore what makes a machine sound
	states []drawnState
}

// drawnState is a resting state.
type drawnState struct {
	name, nodes, armed, disarmed string
	final                        bool
}

// DrawMachine draws the machine of a seed.
func DrawMachine(seed uint64) *Machine {
	m := &Machine{Rand: rand.New(rand.NewPCG(seed, 4)), Seed: seed}
	m.slips = one(m.Rand, 0, 0, 0.1, 0.3)
	m.draw()
	return m
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// calm reports whether nothing goes wrong in the machine's life.
func (m *Machine) calm() bool { return m.Seed%3 > 0 }

func (m *Machine) slip() bool { return m.Float64() < m.slips }

func (m *Machine) wants() string {
	all := []string{"unconfigured", "inactive", "active"}
	if m.slip() {
		all = append(all, "finalized")
	}
	switch m.IntN(5) {
	case 0:
		return fmt.Sprintf("{some: %s, others: %s}", one(m.Rand, all...), one(m.Rand, all...))
	case 1:
		return fmt.Sprintf("{some: %s}", one(m.Rand, all...))
	}
	return one(m.Rand, all...)
}

func (m *Machine) draw() {
	extends := m.IntN(3) == 0
	if extends {
		m.states = []drawnState{
			{name: "unconfigured", nodes: "unconfigured"}, {name: "inactive", nodes: "inactive"}, {name: "active", nodes: "active"},
			{name: "armed", nodes: "active", armed: "true", disarmed: "active"}, {name: "finalized", nodes: "finalized", final: true},
		}
	} else {
		m.states = []drawnState{{name: "s0", nodes: "unconfigured"}, {name: "over", nodes: "finalized", final: true}}
		if m.IntN(3) > 0 {
			m.states = append(m.states, drawnState{name: "ready", nodes: "active"})
		}
	}
	first := len(m.states)
	for i := range m.IntN(4) {
		m.states = append(m.states, drawnState{name: fmt.Sprintf("s%d", i+1), nodes: m.wants(), final: m.slip()})
	}
	var arming []drawnState
	for i := range m.IntN(3) {
		if s, ok := m.arming(i); ok {
			arming = append(arming, s)
		}
	}
	m.states = append(m.states, arming...)
	vias := []string{"v0", "v1"}[:m.IntN(3)]
	passing := slices.Clone(vias)
	head, indent := m.network()+"extends: rstate\n", ""
	if !extends {
		head, indent, first = strings.TrimSuffix(head, "extends: rstate\n")+"machine:\n initial: s0\n", " ", 0
		if m.IntN(2) == 0 {
			head, passing = head+" error: wrong\n", append(passing, "wrong")
		}
		if m.calm() && m.IntN(3) == 0 {
			head += " repeat: ignore\n"
		}
	} else {
		vias = append(vias, "configuring", "arming", "disarming")
	}
	var states []string
	for _, s := range m.states[first:] {
		states = append(states, s.line())
	}
	for _, v := range passing {
		states = append(states, v+": {transition: true}")
	}
	m.File = head + keys(indent, "states", states) + keys(indent, "transitions", m.transitions(first, extends, vias))
}

// line is the state in the file.
func (s drawnState) line() string {
	text := fmt.Sprintf("%s: {nodes: %s", s.name, s.nodes)
	if s.armed != "" {
		text += fmt.Sprintf(", armed: %s, disarmed: %s", s.armed, s.disarmed)
	}
	if s.final {
		text += ", final: true"
	}
	return text + "}"
}

// keys are the lines of one key of the file; none: the key is left out.
func keys(indent, key string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return indent + key + ":\n  " + strings.Join(lines, "\n  ") + "\n"
}

// arming draws a state that arms: another one's nodes, and some of them armed.
func (m *Machine) arming(i int) (drawnState, bool) {
	from := slices.DeleteFunc(slices.Clone(m.states), func(s drawnState) bool {
		return !m.slip() && (s.final || s.armed != "" || s.nodes != "active" && !strings.Contains(s.nodes, "some: active"))
	})
	if len(from) == 0 {
		return drawnState{}, false
	}
	d := one(m.Rand, from...)
	s := drawnState{name: fmt.Sprintf("hot%d", i), nodes: d.nodes, armed: "[some]", disarmed: d.name}
	if d.nodes == "active" || m.slip() {
		s.armed = one(m.Rand, "true", "[some]")
	}
	if m.slip() {
		s.nodes = m.wants()
	}
	return s, true
}

// transitions draws commands: a way into and out of every state, the end, and some more.
func (m *Machine) transitions(first int, extends bool, vias []string) (lines []string) {
	add := func(from, to drawnState, loop bool) {
		hot := from.armed != "" || to.armed != ""
		if hot && len(vias) == 0 && !m.slip() {
			return
		}
		line := fmt.Sprintf("t%d: {from: [%s], to: %s", len(lines), from.name, to.name)
		if len(vias) > 0 && (hot != m.slip() || m.IntN(2) == 0) {
			line += ", via: " + one(m.Rand, vias...)
		}
		if m.IntN(6) == 0 {
			line += ", cancel: refuse"
		}
		if loop {
			line += ", loop: true"
		}
		lines = append(lines, line+"}")
	}
	resting := slices.DeleteFunc(slices.Clone(m.states), func(s drawnState) bool { return s.final || s.armed != "" })
	if m.slip() {
		resting = slices.Clone(m.states)
	}
	for _, s := range m.states[first:] {
		switch d := slices.IndexFunc(m.states, func(o drawnState) bool { return o.name == s.disarmed }); {
		case s.armed != "" && d >= 0:
			if m.slip() {
				d = m.IntN(len(m.states))
			}
			add(m.states[d], s, false)
			add(s, m.states[d], false)
		case !s.final || m.slip():
			add(one(m.Rand, resting...), s, false)
			if !extends || m.IntN(2) == 0 {
				add(s, m.states[0], false)
			}
		}
	}
	for range m.IntN(4) {
		from, to := one(m.Rand, resting...), one(m.Rand, resting...)
		if m.slip() || m.IntN(6) == 0 {
			from = one(m.Rand, m.states...)
		}
		add(from, to, m.IntN(4) == 0)
	}
	if extends && !m.slip() {
		return lines
	}
	for _, s := range m.states {
		if s.final && !m.slip() {
			line := "end_" + s.name + ": {from: any, to: " + s.name
			if len(vias) > 0 && !m.slip() {
				line += ", via: " + one(m.Rand, vias...)
			}
			lines = append(lines, line+"}")
		}
	}
	return lines
}

// network draws the nodes. The group some is active wherever it is armed, if the machine is sound.
func (m *Machine) network() string {
	var b strings.Builder
	fmt.Fprintf(&b, "simulation: drawn\nlast_resort: %s\nnodes:\n", one(m.Rand, "shutdown", "hold"))
	n := 1 + m.IntN(4)
	for i := range n {
		fmt.Fprintf(&b, "  /n%d: {", i)
		if i > 0 && m.IntN(2) == 0 {
			fmt.Fprintf(&b, "after: [/n%d], ", m.IntN(i))
		}
		if i%2 == 0 && m.IntN(2) == 0 {
			b.WriteString("arm: {}, ")
		}
		fmt.Fprintf(&b, "optional: %v}\n", i > 0 && m.IntN(4) == 0)
	}
	some := []string{"/n0"}
	if n > 2 {
		some = append(some, "/n2")
	}
	fmt.Fprintf(&b, "groups: {some: [%s]}\n", strings.Join(some, ", "))
	return b.String()
}

// Live drives the network of the machine through its commands and states, the least used first, and
// ends it. It returns what was wrong, and false if the file is refused.
func (m *Machine) Live() (trace *simnet.Trace, faults []string, taken bool) {
	net, err := network.Parse("machine.yaml", []byte(m.File))
	if err != nil {
		return nil, nil, false
	}
	opt := simnet.Options{Seed: m.Seed}
	if !m.calm() {
		opt.Noise = simnet.Noise{End: 0.1, Arm: 0.1}
	}
	l := &machineLife{Machine: m, net: net, world: simnet.New(net, opt), used: map[string]int{}}
	l.trace = l.world.Pass(15 * time.Second)
	for k := range 6 + 2*len(net.Machine.Transitions) {
		if l.trace.Exit != nil || len(l.trace.Faults) > 0 {
			break
		}
		l.step(k)
	}
	l.end()
	trace = l.world.Finish()
	return trace, append(l.faults, trace.Faults...), true
}

// machineLife is one life of a drawn machine.
type machineLife struct {
	*Machine
	net    *network.Network
	world  *simnet.World
	trace  *simnet.Trace
	used   map[string]int
	faults []string
}

func (l *machineLife) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

func (l *machineLife) settled() string {
	if len(l.trace.States) == 0 {
		return ""
	}
	name := l.trace.States[len(l.trace.States)-1]
	if s, ok := l.net.Machine.State(name); !ok || s.Passing {
		return ""
	}
	return name
}

func (l *machineLife) step(k int) {
	m := l.net.Machine
	at := l.settled()
	var names []string
	for _, t := range m.Transitions {
		if !t.Always && (slices.Contains(t.From, at) || l.IntN(8) == 0) {
			names = append(names, t.Name)
		}
	}
	for _, s := range m.States {
		if !s.Passing && !s.Final && l.IntN(6) == 0 {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	slices.SortStableFunc(names, func(a, b string) int { return l.used[a] - l.used[b] })
	command := names[0]
	l.used[command]++
	handle := fmt.Sprintf("%s %d", command, k)
	l.world.Do(simnet.Send{Command: command, Handle: handle})
	if l.IntN(6) == 0 {
		l.world.Pass(time.Duration(l.IntN(20)) * time.Millisecond)
		l.world.Do(one[simnet.Act](l.Rand, simnet.Cancel{Handle: handle}, simnet.Send{Command: "disarm", Handle: handle + " disarm"}))
	}
	patience := map[bool]time.Duration{true: 10 * time.Second, false: 2 * time.Minute}[l.calm()]
	l.trace = l.world.Pass(patience)
	shown := len(l.trace.States)
	if l.calm() && l.trace.Exit == nil && l.settled() == "" {
		l.fault("R3: after %s the network does not rest, but shows %v", command, l.trace.States)
	}
	l.world.Rest()
	l.trace = l.world.Pass(5 * time.Second)
	if l.calm() && len(l.trace.States) > shown {
		l.fault("R4: %s is left without a command: %v", l.trace.States[shown-1], l.trace.States[shown:])
	}
}

// end asks for the end, which is taken everywhere and always arrives.
func (l *machineLife) end() {
	if l.trace.Exit != nil || len(l.trace.Faults) > 0 {
		return
	}
	t, _ := l.net.Machine.Shutdown()
	l.world.Do(simnet.Send{Command: t.Name, Handle: "the end"})
	l.trace = l.world.Pass(3 * time.Minute)
	switch exit := l.trace.Exit; {
	case exit == nil:
		l.fault("%s does not end the network: %v", t.Name, l.trace.States)
	case l.calm() && exit.Code != 0:
		l.fault("%s ends with %d: %s", t.Name, exit.Code, exit.Why)
	case l.calm() && strings.Trim(strings.ReplaceAll(l.trace.Truth(), lifecycle.Finalized.String(), ""), " ") != "":
		l.fault("%s ends, and the nodes are %s", t.Name, l.trace.Truth())
	}
	if last := l.trace.States[len(l.trace.States)-1]; l.trace.Exit != nil && last != t.To {
		l.fault("the last state is %s, not %s", last, t.To)
	}
}

// Report describes a drawn machine whose lives have faults.
func (m *Machine) Report(faults []string) string {
	return fmt.Sprintf("machine %d: %s\n%s", m.Seed, strings.Join(faults, "\n"), m.File)
}
