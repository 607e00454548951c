package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Other network files at a restart.

func (s *Schedule) drawFiles(x *Schedule) {
	x.giveArm(false)
	net := s.Network
	for k := range 1 + x.IntN(3) {
		file := x.otherFile(net, k)
		s.files = append(s.files, file)
		net = file.Net
	}
}

func (s *Schedule) otherFile(net *network.Network, k int) simnet.Swap {
	other := *net
	other.Nodes = slices.Clone(net.Nodes)
	for i := range other.Nodes {
		other.Nodes[i].After = slices.Clone(other.Nodes[i].After)
	}
	var how []string
	for range 1 + s.IntN(2) {
		how = append(how, s.alter(&other, k))
	}
	if len(other.Groups) > 0 {
		other.Groups = []network.Group{some(&other)}
	}
	return simnet.Swap{Net: &other, How: strings.Join(how, ", ")}
}

func (s *Schedule) alter(net *network.Network, k int) string {
	armable := func(n network.Node) bool { return n.Arm != nil }
	i := s.IntN(len(net.Nodes))
	if j := slices.IndexFunc(net.Nodes, armable); j >= 0 && s.chance(0.5) {
		i = j
	}
	n := &net.Nodes[i]
	switch what := s.IntN(8); {
	case what < 3 && len(net.Nodes) > 1:
		name := n.Name
		net.Nodes = slices.Delete(net.Nodes, i, i+1)
		for j := range net.Nodes {
			o := &net.Nodes[j]
			o.After = slices.DeleteFunc(o.After, func(a string) bool { return a == name })
		}
		return "a node is left out (" + name + ")"
	case what == 3:
		added := network.DefaultNode(fmt.Sprintf("/%sx%d", s.prefix, k))
		if slices.ContainsFunc(net.Nodes, func(o network.Node) bool { return o.Name == added.Name }) {
			return "nothing more"
		}
		if s.chance(0.4) {
			added.Arm = s.armOf(100+k, added.Name)
		}
		net.Nodes = append(net.Nodes, added)
		s.options.Scripts[added.Name] = simnet.Script{Born: s.upTo(2 * time.Second)}
		return "a node is added (" + added.Name + ")"
	case what == 4 && n.Arm != nil:
		n.Arm = nil
		return "a node is not armed (" + n.Name + ")"
	case what == 5:
		if n.Arm == nil {
			n.Arm = s.armOf(i, n.Name)
		}
		return "a node is armed (" + n.Name + ")"
	case what == 6:
		if net.Machine == presets.modes {
			net.Machine, net.Groups = presets.rstate, nil
		} else {
			net.Machine, net.Groups = presets.modes, []network.Group{{}}
		}
		return "another machine"
	case what == 7 && s.prefix == "": // those of another simulation are no peers
		net.Simulation = "other"
		net.Topic = network.DefaultTopic(net.Machine, net.Simulation)
		return "another simulation"
	}
	net.Nodes[0], net.Nodes[len(net.Nodes)-1] = net.Nodes[len(net.Nodes)-1], net.Nodes[0]
	return "another order of the same nodes"
}

// changesFiles arms, and restarts the coordinator with other files, in whatever it does.
func (t *teller) changesFiles() {
	t.send(simnet.Settled(), pick(t.Schedule, "armed", "armed", "armed", "active", "inactive"), "")
	for _, file := range t.files {
		when := simnet.Ended(t.last).Later(t.upTo(2 * time.Second))
		switch t.IntN(4) {
		case 0:
			when = t.soon(300 * time.Millisecond)
		case 1:
			when = simnet.Shown(pick(t.Schedule, "armed", "arming",
				"disarming")).Later(t.upTo(pick(t.Schedule, 2*time.Millisecond, time.Second)))
		}
		t.do(when, file)
		if t.chance(0.7) {
			t.do(simnet.Then(), simnet.Crash{DownFor: t.upTo(pick(t.Schedule, 100*time.Millisecond, 3*time.Second))})
		} else {
			t.do(simnet.Then(), simnet.Stop{})
			t.do(t.soon(8*time.Second), simnet.Rise{})
		}
		t.send(t.soon(5*time.Second), pick(t.Schedule, "armed", "armed", "arm", "active", "disarm", "inactive"), "")
		if t.chance(0.5) {
			t.send(simnet.Ended(t.last).Later(t.upTo(3*time.Second)),
				pick(t.Schedule, "armed", "disarm", "inactive", "active"), "")
		}
	}
}

// Files returns the network files of a life, in their order.
func (s *Schedule) Files() string {
	text := s.File()
	for _, f := range s.files {
		other := *s
		other.Network = f.Net
		text += "--- # " + f.How + "\n" + other.File()
	}
	return text
}
