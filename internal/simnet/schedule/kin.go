package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Kin are several instances with one drawn machine, each with nodes of its own, and the life that they have together.
type Kin struct {
	*Machine
	Texts []string // the network file of each

	nets []*network.Network
}

// DrawKin draws instances with the machine of a seed; 0 draws their number too. It returns false if the machine is
// refused.
func DrawKin(seed uint64, n int) (k *Kin, taken bool) {
	k = &Kin{Machine: DrawMachine(seed)}
	if n == 0 { // from a source of its own: a replay gives the number
		n = one(rand.New(rand.NewPCG(seed, 8)), 2, 2, 3)
	}
	for i := range n {
		text := k.network(fmt.Sprintf("r%d_", i)) + k.body
		if before, after, looped := strings.Cut(text, "\nloop: "); looped && i > 0 { // one of them has it
			_, after, _ = strings.Cut(after, "\n")
			text = before + "\n" + after
		}
		var required []string
		for j := range n {
			if j != i && k.IntN(2) == 0 {
				required = append(required, nameOf(j))
			}
		}
		text += "peers: {required: [" + strings.Join(required, ", ") + "]}\n"
		net, err := network.Parse("machine.yaml", []byte(text))
		if err != nil {
			return k, false
		}
		k.Texts, k.nets = append(k.Texts, text), append(k.nets, net)
	}
	return k, true
}

// Live lets clients ask the instances for commands and states, while things happen to some of them.
func (k *Kin) Live() *simnet.PeersTrace {
	peers := make([]simnet.Peer, len(k.nets))
	for i, net := range k.nets {
		opt := simnet.Options{Seed: k.Seed<<4 + uint64(i), Name: nameOf(i), Scripts: k.steppers(net)}
		if !k.calm() {
			opt.Noise = simnet.Noise{End: 0.1, Report: 0.1}
		}
		peers[i] = simnet.Peer{Net: net, Options: opt}
	}
	all := simnet.NewPeers(peers, simnet.PeersOptions{Seed: k.Seed, Rest: 10 * time.Second})
	at := 8 * time.Second
	for round := range 4 + k.IntN(8) {
		i := k.IntN(len(peers))
		at += time.Duration(k.IntN(int(one(k.Rand, 3*time.Millisecond, time.Second, 10*time.Second, 30*time.Second))))
		acts := []simnet.Act{k.wish(i, round)}
		if k.IntN(3) == 0 {
			acts = k.blow(i)
		}
		beats := []simnet.Beat{{When: simnet.At(at), Do: acts[0]}}
		for _, do := range acts[1:] {
			beats = append(beats, simnet.Beat{When: simnet.Then().Later(time.Duration(k.IntN(int(8 * time.Second)))),
				Do: do})
		}
		all.World(i).Tell(beats...)
	}
	all.World(0).Tell(simnet.Beat{When: simnet.At(at + 10*time.Second), Do: simnet.Heal{}})
	return all.Run()
}

// wish is a command or a state that a client of one instance asks for, seldom a final one.
func (k *Kin) wish(i, round int) simnet.Act {
	m := k.nets[i].Machine
	var commands, states []string
	for _, t := range m.Transitions {
		if !t.Hidden && (!t.Always || k.IntN(10) == 0) {
			commands = append(commands, t.Name)
		}
	}
	for _, s := range m.States {
		if !s.Passing && (!s.Final || k.IntN(10) == 0) {
			states = append(states, s.Name)
		}
	}
	command := one(k.Rand, slices.Concat(states, one(k.Rand, commands, nil))...)
	return simnet.Send{Command: command, Handle: fmt.Sprintf("%s %d", command, round), WaitPeers: k.IntN(4) == 0}
}

// blow is what happens to an instance or to one of its nodes.
func (k *Kin) blow(i int) []simnet.Act {
	node := one(k.Rand, k.nets[i].Nodes...).Name
	sides := make([]int, len(k.nets))
	for j := range sides {
		sides[j] = k.IntN(2)
	}
	return one(k.Rand,
		[]simnet.Act{simnet.Raise{Node: node}},
		[]simnet.Act{simnet.Report{Node: node, Word: one(k.Rand, "BLOCKED", "BROKEN")}},
		[]simnet.Act{simnet.Kill{Node: node}, simnet.Respawn{Node: node}},
		[]simnet.Act{simnet.Freeze{Node: node}, simnet.Thaw{Node: node}},
		[]simnet.Act{simnet.Cut{Sides: sides}, simnet.Heal{}},
		[]simnet.Act{simnet.Crash{DownFor: time.Duration(k.IntN(int(3 * time.Second)))}},
		[]simnet.Act{simnet.Stall{For: time.Duration(k.IntN(int(3 * time.Second)))}},
		[]simnet.Act{simnet.Stop{}, simnet.Restart{}},
		[]simnet.Act{simnet.CancelOpen{}},
	)
}

// Report describes instances whose life has faults.
func (k *Kin) Report(faults []string) string {
	return fmt.Sprintf("machine %[1]d of %[2]d peers: %[3]s\nreplay: go run ./tools/simulate -machines -peers %[2]d -seed %[1]d -tell\n%[4]s",
		k.Seed, len(k.nets), strings.Join(faults, "\n"), k.Texts[0])
}
