package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/simnet"
	"rstate/internal/stepper"
)

// Machine is a network file with a machine that was drawn, and the life that it is driven through. Most machines are
// nearly sound, with a slip here and there, because a machine of pure chance is always refused.
type Machine struct {
	*rand.Rand
	Seed uint64
	File string // the network file, of one instance

	slips  float64 // the share of choices that ignore what makes a machine sound
	base   string  // the preset that it extends; empty: none
	states []drawnState
	vias   []string // states that are passed through; without them nothing arms
	auto   []string // reactions
	body   string   // the part of the file that is the machine
}

// drawnState is a resting state.
type drawnState struct {
	name, nodes, armed, disarmed string
	final                        bool
	exit                         int
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

// bases are the states of the presets, from which a machine may go on.
var bases = map[string][]drawnState{
	"rstate": {
		{name: "unconfigured", nodes: "unconfigured"}, {name: "inactive", nodes: "inactive"},
		{name: "active", nodes: "active"},
		{name: "armed", nodes: "active", armed: "true", disarmed: "active"},
		{name: "finalized", nodes: "finalized", final: true},
	},
	"nrp": {
		{name: "created", nodes: "unconfigured"}, {name: "halted", nodes: "inactive"},
		{name: "paused", nodes: "inactive"},
		{name: "started", nodes: "active"}, {name: "stopped", nodes: "finalized", final: true},
		{name: "failed", nodes: "finalized", final: true},
	},
	"rock": {
		{name: "preoperational", nodes: "unconfigured"}, {name: "exception", nodes: "unconfigured"},
		{name: "stopped", nodes: "inactive"},
		{name: "running", nodes: "active"}, {name: "fatal", nodes: "as_is"},
		{name: "finalized", nodes: "finalized", final: true},
	},
	"cle": {
		{name: "created", nodes: "unconfigured"}, {name: "stopped", nodes: "active"},
		{name: "released", nodes: "finalized", final: true},
	},
	"roscle": {
		{name: "created", nodes: "unconfigured"}, {name: "initial", nodes: "active"}, {name: "paused", nodes: "active"},
		{name: "stopped", nodes: "finalized", final: true},
	},
	"cloe": {
		{name: "idle", nodes: "unconfigured"}, {name: "stop", nodes: "inactive"}, {name: "connect", nodes: "inactive"},
		{name: "pause", nodes: "active"}, {name: "disconnect", nodes: "finalized", final: true},
	},
}

// loops are the presets with a stepped loop.
var loops = []string{"cle", "roscle", "cloe"}

func (m *Machine) draw() {
	m.base = one(m.Rand, append(loops, "", "", "", "", "", "", "rstate", "rstate", "rstate", "nrp", "rock")...)
	if m.base == "" || m.base == "rstate" { // the others end without via
		m.vias = []string{"v0", "v1"}[:m.IntN(3)]
	}
	if m.states = slices.Clone(bases[m.base]); m.base == "" {
		m.states = []drawnState{{name: "s0", nodes: "unconfigured"},
			{name: "over", nodes: "finalized", final: true, exit: m.IntN(2)}}
		if m.IntN(3) > 0 {
			m.states = append(m.states, drawnState{name: "ready", nodes: "active"})
		}
		if m.IntN(4) == 0 {
			m.states = append(m.states, drawnState{name: "dead", nodes: "finalized", final: true, exit: 3})
		}
		if m.IntN(4) == 0 {
			m.states = append(m.states, drawnState{name: "lost", nodes: "as_is"})
		}
		if m.IntN(6) == 0 {
			m.states = append(m.states, drawnState{name: "left", nodes: "as_is", final: true})
		}
	}
	first := len(bases[m.base])
	for i := range m.IntN(4) {
		m.states = append(m.states, drawnState{name: fmt.Sprintf("s%d", i+1), nodes: m.wants(), final: m.slip()})
	}
	if m.arms() || m.slip() {
		for i := range m.IntN(3) {
			if s, ok := m.arming(i); ok {
				m.states = append(m.states, s)
			}
		}
	}
	passing := slices.Clone(m.vias)
	network := m.network("")
	head, indent := "extends: "+m.base+"\n", ""
	switch m.base {
	case "":
		head, indent = "machine:\n initial: s0\n", " "
		if m.IntN(2) == 0 && len(m.vias) > 0 {
			head, passing = head+" error: wrong\n", append(passing, "wrong")
		}
		if m.calm() && m.IntN(3) == 0 {
			head += " repeat: ignore\n"
		}
	case "rstate":
		m.vias = append(slices.Clone(m.vias), "configuring", "arming", "disarming")
	}
	if slices.Contains(loops, m.base) && m.IntN(2) == 0 {
		m.body = "machine: " + m.base + "\n"
		m.File = network + m.body
		return
	}
	transitions := m.transitions(first)
	var states []string
	for _, s := range m.states[first:] {
		states = append(states, s.line())
	}
	for _, v := range passing {
		if v == "wrong" || strings.Contains(strings.Join(transitions, " "), "via: "+v) || m.slip() {
			states = append(states, v+": {transition: true}")
		}
	}
	m.body = head + keys(indent, "states", states) + keys(indent, "transitions", transitions) + keys(indent, "auto",
		m.auto)
	m.File = network + m.body
}

// arms reports whether the machine may have states of its own that arm.
func (m *Machine) arms() bool { return len(m.vias) > 0 || m.base == "rstate" }

// line is the state in the file.
func (s drawnState) line() string {
	text := fmt.Sprintf("%s: {nodes: %s", s.name, s.nodes)
	if s.armed != "" {
		text += fmt.Sprintf(", armed: %s, disarmed: %s", s.armed, s.disarmed)
	}
	if s.final {
		text += ", final: true"
	}
	if s.exit > 0 {
		text += fmt.Sprintf(", exit: %d", s.exit)
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
		return !m.slip() && (s.final || s.armed != "" ||
			s.nodes != "active" && !strings.Contains(s.nodes, "some: active"))
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

// transitions draws commands: a way into and out of every state, the end, a fall and reactions, and some more.
func (m *Machine) transitions(first int) (lines []string) {
	vias := m.vias
	resting := slices.DeleteFunc(slices.Clone(m.states), func(s drawnState) bool { return s.final || s.armed != "" })
	if m.slip() {
		resting = slices.Clone(m.states)
	}
	falls := m.IntN(2) == 0 && (m.base == "" || m.base == "rstate")
	add := func(from, to drawnState, loop bool) {
		hot := from.armed != "" || to.armed != ""
		if hot && len(vias) == 0 && !m.slip() {
			return
		}
		line := fmt.Sprintf("t%d: {from: [%s], to: %s", len(lines), from.name, to.name)
		through := len(vias) > 0 && (hot != m.slip() || m.IntN(2) == 0)
		if through {
			line += ", via: " + one(m.Rand, vias...)
		}
		if m.IntN(6) == 0 {
			line += ", cancel: refuse"
		}
		if loop {
			line += ", loop: true"
			if m.IntN(2) == 0 {
				line += ", through: " + one(m.Rand, resting...).name
			}
		}
		if !hot || m.slip() {
			line += m.endings(from, to, falls, through || !m.arms())
		}
		lines = append(lines, line+"}")
	}
	for _, s := range m.states[first:] {
		switch d := slices.IndexFunc(m.states, func(o drawnState) bool { return o.name == s.disarmed }); {
		case s.armed != "" && d >= 0:
			if m.slip() {
				d = m.IntN(len(m.states))
			}
			add(m.states[d], s, false)
			add(s, m.states[d], false)
		case s.name == resting[0].name:
		default:
			placed := slices.IndexFunc(resting, func(o drawnState) bool { return o.name == s.name })
			if placed < 1 || m.slip() { // a final state, from anywhere
				placed = len(resting)
			}
			add(resting[m.IntN(placed)], s, false)
			if !s.final && (m.base == "" || m.IntN(2) == 0) || m.slip() {
				add(s, resting[0], false)
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
	via := ""
	if len(vias) > 0 && !m.slip() {
		via = ", via: " + one(m.Rand, vias...)
	}
	if falls {
		lines = append(lines, m.fall(resting, via))
	}
	m.reacts(resting, falls)
	if m.base != "" && !m.slip() {
		return lines
	}
	for _, s := range m.states {
		if s.final && !m.slip() {
			lines = append(lines, "end_"+s.name+": {from: any, to: "+s.name+via+"}")
			if !m.slip() { // the last resort is one
				break
			}
		}
	}
	return lines
}

// endings draws what follows a failure of a command, and what else a command may be.
func (m *Machine) endings(from, to drawnState, falls, interrupts bool) (text string) {
	if level(to) <= level(from) && m.IntN(4) == 0 || m.slip() {
		text = one(m.Rand, ", arrives: always", ", spread: all")
		if interrupts || m.slip() {
			text = one(m.Rand, text, ", preempts: true", ", preempts: true, arrives: always")
		}
		if strings.Contains(text, "arrives") && !m.slip() { // it never fails
			return text
		}
	}
	then := m.safe()
	if falls {
		then = "fall"
	}
	fails := func() string {
		return one(m.Rand, "restore", "stay", "stay", "{then: "+then+"}", "{then: "+then+"}")
	}
	switch m.IntN(6) {
	case 0, 1:
		text += ", on_failure: " + fails()
	case 2, 3:
		text += ", on_refusal: " + fails() + ", on_error: " + fails()
	case 4:
		text += ", on_failure: {then: " + then + "}, mirrored_failure: target"
	}
	return text
}

// level is how high the nodes of a drawn state are, at most.
func level(s drawnState) int {
	for i, word := range []string{"active", "inactive", "unconfigured"} {
		if slices.Contains(strings.FieldsFunc(s.nodes, func(r rune) bool { return strings.ContainsRune("{}:, ", r) }),
			word) {
			return 3 - i
		}
	}
	return 0
}

// fall draws a command whose target depends on the origin, and which a failure or a reaction may run.
func (m *Machine) fall(resting []drawnState, via string) string {
	over := m.states[slices.IndexFunc(m.states, func(s drawnState) bool { return s.final })].name
	var to []string
	for _, s := range resting {
		lower := slices.DeleteFunc(slices.Clone(m.states),
			func(o drawnState) bool { return level(o) >= level(s) && !m.slip() || o.armed != "" })
		switch {
		case m.IntN(4) == 0:
			to = append(to, s.name+": "+s.name)
		case len(lower) > 0:
			to = append(to, s.name+": "+one(m.Rand, lower...).name)
		}
	}
	text := "fall: {from: [" + strings.Join(names(resting), ", ") + "], to: {" + strings.Join(to, ", ") + "}, else: " +
		over + ", cancel: refuse" + via
	for _, key := range []string{"preempts: true", "arrives: always", "spread: all", "loop: true"} {
		if m.IntN(2) == 0 {
			text += ", " + key
		}
	}
	return text + "}"
}

func names(states []drawnState) (list []string) {
	for _, s := range states {
		list = append(list, s.name)
	}
	return list
}

// safe is a command that lowers from everywhere.
func (m *Machine) safe() string {
	return map[string]string{"": "end_over", "rstate": "shutdown", "nrp": one(m.Rand, "failed", "failed", "shutdown"),
		"rock": one(m.Rand, "exception", "shutdown"),
		"cle":  "shutdown", "roscle": "shutdown", "cloe": one(m.Rand, "abort", "disconnect")}[m.base]
}

// reacts draws reactions.
func (m *Machine) reacts(resting []drawnState, falls bool) {
	for range max(0, m.IntN(5)-2) {
		do := m.safe()
		if falls {
			do = one(m.Rand, "fall", "fall", do)
		}
		m.auto = append(m.auto, fmt.Sprintf("- {in: %s, on: %s, do: %s}", one(m.Rand, resting...).name,
			one(m.Rand, "settled", "node_error", "node_error", "node_fatal", "node_reborn", "{report: BLOCKED}"), do))
	}
}

// network draws the nodes, whose names begin with the prefix. The group some is active wherever it is armed, if the
// machine is sound.
func (m *Machine) network(prefix string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "simulation: drawn\nlast_resort: %s\nnodes:\n", one(m.Rand, "shutdown", "hold"))
	n := 1 + m.IntN(4)
	for i := range n {
		fmt.Fprintf(&b, "  /%sn%d: {", prefix, i)
		if i > 0 && m.IntN(2) == 0 {
			fmt.Fprintf(&b, "after: [/%sn%d], ", prefix, m.IntN(i))
		}
		if i%2 == 0 && m.IntN(2) == 0 {
			b.WriteString("arm: {}, ")
		}
		if m.IntN(6) == 0 {
			b.WriteString("needs_configuration: false, ")
		}
		if m.IntN(2) == 0 {
			b.WriteString("exception_states: [BLOCKED], fatal_states: [BROKEN], ")
		}
		fmt.Fprintf(&b, "optional: %v}\n", i > 0 && m.IntN(4) == 0)
	}
	some := []string{"/" + prefix + "n0"}
	if n > 2 {
		some = append(some, "/"+prefix+"n2")
	}
	fmt.Fprintf(&b, "groups: {some: [%s]}\n", strings.Join(some, ", "))
	if m.IntN(6) == 0 {
		b.WriteString("exception_group: some\n")
	}
	if slices.Contains(loops, m.base) {
		var parts []string
		for i := range n {
			if i == 0 || m.IntN(3) > 0 {
				parts = append(parts, fmt.Sprintf("/%sn%d: {as: %s, deadline: 10s}", prefix, i,
					one(m.Rand, "simulator", "controller")))
			}
		}
		fmt.Fprintf(&b, "loop: {participants: {%s}", strings.Join(parts, ", "))
		if m.IntN(4) == 0 {
			fmt.Fprintf(&b, ", triggers: [{after: %d, do: %s}]", 1+m.IntN(30),
				one(m.Rand, "stop", "reset", "abort", "pause", "fail"))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// Live drives the network of the machine through its commands and states, the least used first, and
// ends it. It returns what was wrong, and false if the file is refused.
func (m *Machine) Live() (trace *simnet.Trace, faults []string, taken bool) {
	net, err := network.Parse("machine.yaml", []byte(m.File))
	if err != nil {
		return nil, nil, false
	}
	opt := simnet.Options{Seed: m.Seed, Scripts: m.steppers(net)}
	if !m.calm() {
		opt.Noise = simnet.Noise{End: 0.1, Arm: 0.1, Report: 0.3}
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

// steppers are the scripts of the participants of a loop. They are slow, because a life is long.
func (m *Machine) steppers(net *network.Network) map[string]simnet.Script {
	if net.Loop == nil {
		return nil
	}
	scripts := map[string]simnet.Script{}
	for _, p := range net.Loop.Participants {
		var steps []simnet.Step
		for !m.calm() && m.IntN(2) == 0 {
			steps = append(steps, simnet.Step{
				Phase: stepper.Phase(m.IntN(4)), Cycle: uint64(1 + m.IntN(20)),
				Takes: time.Duration(m.IntN(8000)) * time.Millisecond, Twice: m.IntN(4) == 0,
				End:  one(m.Rand, simnet.Succeed, simnet.Succeed, simnet.Refuse, simnet.Hang, simnet.Die),
				Want: stepper.Want(m.IntN(7)),
			})
		}
		for phase := stepper.StepBegin; phase <= stepper.StepEnd; phase++ {
			steps = append(steps, simnet.Step{Phase: phase, Takes: 2 * time.Second})
		}
		scripts[p.Node] = simnet.Script{Steps: steps}
	}
	return scripts
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
		l.world.Do(one[simnet.Act](l.Rand, simnet.Cancel{Handle: handle},
			simnet.Send{Command: "disarm", Handle: handle + " disarm"}))
	}
	if !l.calm() {
		l.strike()
	}
	patience := map[bool]time.Duration{true: 10 * time.Second, false: 2 * time.Minute}[l.calm()]
	l.trace = l.world.Pass(patience)
	shown := len(l.trace.States)
	if l.calm() && l.trace.Exit == nil && l.settled() == "" {
		l.fault("R3: after %s the network does not rest, but shows %v", command, l.trace.States)
	}
	l.world.Rest()
	l.trace = l.world.Pass(5 * time.Second)
	if here, _ := m.State(l.trace.States[shown-1]); l.calm() && len(l.trace.States) > shown &&
		here.Loop == machine.NoLoop {
		l.fault("R4: %s is left without a command: %v", l.trace.States[shown-1], l.trace.States[shown:])
	}
}

// strike lets something happen to a node or to the coordinator, and perhaps ends that after a while.
func (l *machineLife) strike() {
	if l.IntN(2) == 0 {
		return
	}
	l.world.Pass(time.Duration(l.IntN(int(one(l.Rand, time.Millisecond, 100*time.Millisecond, 5*time.Second)))))
	node := one(l.Rand, l.net.Nodes...).Name
	state := one(l.Rand, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active)
	for _, act := range one(l.Rand,
		[]simnet.Act{simnet.Raise{Node: node}}, []simnet.Act{simnet.Raise{Node: node}},
		[]simnet.Act{simnet.Report{Node: node, Word: one(l.Rand, "BLOCKED", "BROKEN")}},
		[]simnet.Act{simnet.Kill{Node: node}, simnet.Respawn{Node: node, State: state}},
		[]simnet.Act{simnet.Kill{Node: node}, simnet.Respawn{Node: node}},
		[]simnet.Act{simnet.Freeze{Node: node}, simnet.Thaw{Node: node}},
		[]simnet.Act{simnet.Part{Node: node}, simnet.Join{Node: node}},
		[]simnet.Act{simnet.Move{Node: node, To: state}},
		[]simnet.Act{simnet.Crash{DownFor: time.Second}},
		[]simnet.Act{simnet.Stall{For: time.Second}},
		[]simnet.Act{simnet.CancelOpen{}},
	) {
		l.world.Do(act)
		l.trace = l.world.Pass(time.Duration(l.IntN(int(10 * time.Second))))
	}
}

// end asks for the end, which is taken everywhere and always arrives.
func (l *machineLife) end() {
	if l.trace.Exit != nil || len(l.trace.Faults) > 0 {
		return
	}
	t, _ := l.net.Machine.Shutdown()
	if l.world.Do(simnet.Send{Command: t.Name, Handle: "the end"}); t.Hidden { // no client can give it
		l.world.Do(simnet.Stop{OnExit: network.ExitShutdown})
	}
	l.trace = l.world.Pass(3 * time.Minute)
	switch exit := l.trace.Exit; {
	case exit == nil:
		l.fault("%s does not end the network: %v", t.Name, l.trace.States)
	case l.calm() && exit.Code != l.exit() && !l.outcome(exit.Code):
		l.fault("%s ends with %d: %s", t.Name, exit.Code, exit.Why)
	case l.calm() && strings.Trim(strings.ReplaceAll(l.trace.Truth(), lifecycle.Finalized.String(), ""), " ") != "":
		l.fault("%s ends, and the nodes are %s", t.Name, l.trace.Truth())
	}
	last := l.trace.States[len(l.trace.States)-1]
	if s, _ := l.net.Machine.State(last); l.trace.Exit != nil && !s.Final && (l.calm() || l.trace.Exit.Code != 5) {
		l.fault("the last state is %s", last)
	}
}

// exit is the code of a clean end in the state that was shown last.
func (l *machineLife) exit() int {
	s, _ := l.net.Machine.State(l.trace.States[len(l.trace.States)-1])
	return s.Exit
}

// outcome reports whether the code is that of an outcome.
func (l *machineLife) outcome(code int) bool {
	return slices.ContainsFunc(l.net.Machine.Outcomes, func(o machine.Outcome) bool { return o.Exit == code })
}

// Report describes a drawn machine whose lives have faults.
func (m *Machine) Report(faults []string) string {
	return fmt.Sprintf("machine %[1]d: %[2]s\nreplay: go run ./tools/simulate -machines -seed %[1]d -tell\n%[3]s",
		m.Seed, strings.Join(faults, "\n"), m.File)
}
