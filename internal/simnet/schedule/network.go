package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"rstate/internal/machine"
	"rstate/internal/network"
)

// drawNetwork draws a network of two to six nodes in a random order of dependence. It is made as data, because reading
// a file takes longer than a whole run; File writes it down.
func (s *Schedule) drawNetwork() {
	net := network.Defaults()
	net.File, net.Simulation = "schedule.yaml", "demo"
	net.Machine = presets.rstate
	net.Topic = network.DefaultTopic(net.Machine, net.Simulation)
	net.Startup = pick(s, network.Adopt, network.Adopt, network.Adopt, network.Adopt, network.Hold, network.Reset)
	net.OnExit = pick(s, network.ExitDisarm, network.ExitShutdown, network.ExitLeave)
	net.Proof = pick(s, net.Proof, net.Proof, 200*time.Millisecond, 3*time.Second)
	if s.chance(0.2) {
		net.Arming.SecretFile = "secret"
	}
	net.LastResort = pick(s, network.ResortShutdown, network.ResortHold)
	short := s.chance(0.3)
	for i := range 2 + s.IntN(5) {
		net.Nodes = append(net.Nodes, s.drawNode(i, net.Nodes, short))
	}
	if s.driven && !slices.ContainsFunc(net.Nodes, func(n network.Node) bool { return n.Arm != nil }) {
		i := s.IntN(len(net.Nodes))
		net.Nodes[i].Optional, net.Nodes[i].Arm = false, s.armOf(i, net.Nodes[i].Name)
	}
	if s.chance(0.15) {
		net.Machine = presets.modes
		net.Groups = []network.Group{some(&net)}
	}
	s.Network = &net
}

func some(net *network.Network) network.Group {
	return network.Group{Name: "some", Nodes: []string{net.Nodes[0].Name, net.Nodes[len(net.Nodes)-1].Name}}
}

func (s *Schedule) drawNode(i int, before []network.Node, short bool) network.Node {
	n := network.DefaultNode(fmt.Sprintf("/%sn%d", s.prefix, i))
	for _, o := range before {
		if s.chance(0.3) {
			n.After = append(n.After, o.Name)
		}
	}
	n.OnLoss.Do = pick(s, network.Report, network.Restore, network.ToError)
	n.OnDrift = pick(s, network.Report, network.Restore, network.ToError)
	n.Late = pick(s, network.Join, network.Leave)
	if short {
		d := &n.Deadline
		d.Configure, d.Activate, d.Deactivate, d.Cleanup, d.Shutdown = shortly, shortly, shortly, shortly, shortly
		d.Arm, d.Disarm, d.Discover, d.Recover = time.Second, time.Second, 5*time.Second, pick(s, 0, time.Second)
	}
	switch {
	case s.chance(0.25):
		n.Optional = true
	case s.chance(0.3):
		n.Arm = s.armOf(i, n.Name)
	}
	if s.chance(0.15) {
		n.Checks = append(n.Checks, network.Check{Topic: fmt.Sprintf("/%stopic%d", s.prefix, i),
			Rate: pick(s, 1.0, 10, 50)})
	}
	if s.chance(0.15) {
		n.Checks = append(n.Checks, network.Check{Service: fmt.Sprintf("/%stest%d", s.prefix, i),
			Type: network.DefaultCheckType})
	}
	s.drawKinds(i, &n)
	if s.chance(0.2) {
		n.Unsafe = []string{fmt.Sprintf("/%smove%d", s.prefix, i)}
	}
	if s.chance(0.1) {
		n.Probe = pick(s, 200*time.Millisecond, 2*time.Second)
	}
	n.Lifecycle = !s.chance(0.05)
	if s.chance(0.1) {
		n.Clock = network.SteadyClock
	}
	return n
}

// drawKinds draws when checks count, and more kinds of checks, apart from all else that is drawn of a seed.
func (s *Schedule) drawKinds(node int, n *network.Node) {
	r := rand.New(rand.NewPCG(s.Seed, 1003+uint64(node)))
	for k := range n.Checks {
		switch c := &n.Checks[k]; r.IntN(8) {
		case 0:
			c.When = network.Enter
		case 1:
			c.When = network.Stay
		case 2:
			c.Warn = true
		}
	}
	if r.Float64() < 0.1 {
		low := 0.5
		n.Checks = append(n.Checks, []network.Check{
			{Topic: fmt.Sprintf("/%sage%d", s.prefix, node), Age: time.Second},
			{Topic: fmt.Sprintf("/%sfield%d", s.prefix, node), Field: "data", Age: 2 * time.Second,
				Bound: network.Bound{Above: &low}},
			{Parameter: "speed", Bound: network.Bound{Above: &low}},
			{File: fmt.Sprintf("/run/%sfile%d", s.prefix, node)},
		}[r.IntN(4)])
	}
}

func (s *Schedule) armOf(node int, name string) *network.Arm {
	arm := network.DefaultArm()
	arm.Service = network.DefaultArmService(name)
	arm.DeadMan = s.deadMan(node)
	return &arm
}

// deadMan draws what disarms a node when rstate dies, apart from all else that is drawn of a seed.
func (s *Schedule) deadMan(node int) network.DeadMan {
	if rand.New(rand.NewPCG(s.Seed, 3+uint64(node))).Float64() < 0.4 {
		return network.DeadManNone
	}
	return network.DeadManLease
}

// shortly is a deadline that a slow node misses.
const shortly = 2 * time.Second

// File is the network file of the schedule.
func (s *Schedule) File() string {
	var b strings.Builder
	net := s.Network
	fmt.Fprintf(&b, "simulation: %s\nstartup: %s\non_exit: %s\nlast_resort: %s\nproof: %v\narming: {secret_file: %q, guard: %s}\n",
		net.Simulation, net.Startup, net.OnExit, net.LastResort, net.Proof, net.Arming.SecretFile, net.Arming.Guard)
	if net.Machine == presets.modes {
		fmt.Fprintf(&b, "%sgroups: {some: [%s]}\n", modes, strings.Join(net.Groups[0].Nodes, ", "))
	}
	if p := net.Peers; len(p.Required)+len(p.Plain) > 0 || p.Deadline != network.Defaults().Peers.Deadline {
		fmt.Fprintf(&b, "peers: {required: [%s], plain: [%s], deadline: %v}\n", strings.Join(p.Required, ", "),
			strings.Join(p.Plain, ", "), p.Deadline)
	}
	b.WriteString(stopsOf(net.Stop))
	b.WriteString("nodes:\n")
	for _, n := range net.Nodes {
		fmt.Fprintf(&b, "  %s: {after: [%s], on_loss: %s, on_drift: %s, late: %s, clock: %s, optional: %v, lifecycle: %v",
			n.Name, strings.Join(n.After, ", "), lossOf(n), n.OnDrift, n.Late, n.Clock, n.Optional, n.Lifecycle)
		if n.Arm != nil {
			fmt.Fprintf(&b, ", arm: {dead_man: %s}", servedBy(n.Arm))
		}
		b.WriteString(proofs(n))
		if d := n.Deadline; d.Configure == shortly {
			fmt.Fprintf(&b, ", deadline: {configure: %[1]v, activate: %[1]v, deactivate: %[1]v, cleanup: %[1]v, shutdown: %[1]v, "+
				"arm: %[2]v, disarm: %[2]v, discover: %[3]v", shortly, d.Arm, d.Discover)
			if d.Recover > 0 {
				fmt.Fprintf(&b, ", recover: %v", d.Recover)
			}
			b.WriteString("}")
		} else if d.Disarm != network.DefaultNode(n.Name).Deadline.Disarm {
			fmt.Fprintf(&b, ", deadline: {disarm: %v}", d.Disarm)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// servedBy is what disarms a node when rstate dies, and which node serves its arm, if that is another one.
func servedBy(arm *network.Arm) string {
	if arm.ServedBy == "" {
		return string(arm.DeadMan)
	}
	return string(arm.DeadMan) + ", served_by: " + arm.ServedBy
}

func stopsOf(list []network.Stop) string {
	text := ""
	for _, s := range list {
		text += fmt.Sprintf("  - {topic: %s, silent: %v}\n", s.Topic, s.Silent)
	}
	if text == "" {
		return ""
	}
	return "stop:\n" + text
}

func proofs(n network.Node) string {
	text := fmt.Sprintf(", probe: %v, checks: [", n.Probe)
	for k, c := range n.Checks {
		if k > 0 {
			text += ", "
		}
		text += written(&c)
	}
	return fmt.Sprintf("%s], unsafe: [%s]", text, strings.Join(n.Unsafe, ", "))
}

// written is a check as a file has it.
func written(c *network.Check) string {
	text := ""
	switch c.Kind() {
	case network.CheckRate:
		text = fmt.Sprintf("{topic: %s, rate: %gHz", c.Topic, c.Rate)
	case network.CheckAge:
		text = fmt.Sprintf("{topic: %s, age: %v", c.Topic, c.Age)
	case network.CheckField:
		text = fmt.Sprintf("{topic: %s, field: %s, age: %v, above: %g", c.Topic, c.Field, c.Age, *c.Bound.Above)
	case network.CheckParameter:
		text = fmt.Sprintf("{parameter: %s, above: %g", c.Parameter, *c.Bound.Above)
	case network.CheckFile:
		text = "{file: " + c.File
	case network.CheckService:
		text = "{service: " + c.Service
	}
	if c.When != network.Always {
		text += ", when: " + string(c.When)
	}
	if c.Warn {
		text += ", warn: true"
	}
	return text + "}"
}

// modes is a machine of a team's own: in one of its states some nodes are higher than others.
const modes = `extends: rstate
states:
  mapping: {nodes: {some: active, others: inactive}}
  preparing_map: {transition: true}
transitions:
  map: {from: [inactive, active], via: preparing_map, to: mapping, cancel: origin}
`

// presets are the machines of the schedules, read once: a machine is never changed after it was read.
var presets = struct{ rstate, modes *machine.Machine }{machineOf(""), machineOf(modes + "groups: {some: [/a]}\n")}

func machineOf(keys string) *machine.Machine {
	net, err := network.Parse("machine.yaml", []byte("simulation: demo\nnodes: {/a: {}}\n"+keys))
	if err != nil {
		panic(err) // a fault of this file
	}
	return net.Machine
}
