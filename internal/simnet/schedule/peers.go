package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Peers is a run of several instances that was drawn and has not begun.
type Peers struct {
	*rand.Rand
	Seed  uint64
	All   []*Schedule      // one of each instance
	Calm  bool             // nothing goes wrong, and one command comes after another
	Tame  bool             // nodes and wires are good, and all are armed before anything happens
	Meet  bool             // instances come and go while others pass through their phases
	Cover *simnet.Coverage // that counts what happens; nil: nothing is counted

	options simnet.PeersOptions
}

// DrawPeers draws the schedule of a seed with n instances; 0 draws their number too, most often two or three.
func DrawPeers(seed uint64, n int) *Peers {
	x := rand.New(rand.NewPCG(seed, 6))
	meet, tame := x.IntN(2) == 0, x.IntN(2) == 0
	p := drawPeers(seed, n, meet && tame)
	p.Meet = meet && !p.Calm
	if !p.Calm {
		for _, s := range p.All {
			s.drawEnds()
		}
	}
	if p.follows() {
		p.slows()
	}
	if !p.Calm {
		for _, s := range p.All {
			s.drawStops()
		}
	}
	if !p.Calm && !p.Tame && !p.Meet {
		for _, s := range p.All {
			s.drawTale()
		}
	}
	return p
}

// drawFormerPeers draws it without the newer stories, as it was when some seeds were written down.
func drawFormerPeers(seed uint64, n int) *Peers { return drawPeers(seed, n, false) }

func drawPeers(seed uint64, n int, tame bool) *Peers {
	p := &Peers{Rand: rand.New(rand.NewPCG(seed, 4)), Seed: seed}
	drawn := []int{2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 5}[p.IntN(16)]
	if p.IntN(50) == 0 {
		drawn = 10
	}
	if n == 0 {
		n = drawn
	}
	p.Calm = p.IntN(10) == 0
	p.Tame = !p.Calm && (tame || rand.New(rand.NewPCG(seed, 5)).IntN(4) == 0)
	for i := range n {
		p.All = append(p.All, p.drawOne(i))
	}
	p.bind()
	p.options = simnet.PeersOptions{Seed: seed, Rest: 10 * time.Second}
	if !p.Calm && !p.Tame {
		one := p.All[0]
		p.options.Lost, p.options.Double, p.options.Slow = one.share(), one.share(), one.share()
		p.options.Found.Max = pick(one, 0, 0, time.Second, 3*time.Second)
	}
	return p
}

func nameOf(i int) string { return fmt.Sprintf("/rstate%d", i) }

func (p *Peers) drawOne(i int) *Schedule {
	s := &Schedule{Rand: p.Rand, Seed: p.Seed<<8 + uint64(i), Calm: p.Calm || p.Tame, prefix: fmt.Sprintf("r%d_", i)}
	s.drawNetwork()
	s.Network.File = fmt.Sprintf("schedule%d.yaml", i)
	s.drawOptions()
	s.options.Name = nameOf(i)
	s.Network.Peers.Deadline = pick(s, 2*time.Second, 10*time.Second, 30*time.Second)
	return s
}

// bind draws what the instances have to do with each other: which requires which, which is of another kind, and which
// node two of them list.
func (p *Peers) bind() {
	n := len(p.All)
	alike := p.All[0].Network.Machine
	for i, s := range p.All {
		net := s.Network
		if net.Machine != alike && !(s.chance(0.1) && !p.Calm) {
			net.Machine, net.Groups = alike, nil
			if alike == presets.modes {
				net.Groups = append(net.Groups, some(net))
			}
		}
		for j := range p.All {
			if j != i && s.chance(0.8/float64(n)) {
				net.Peers.Required = append(net.Peers.Required, nameOf(j))
			}
		}
		switch {
		case p.Calm || p.Tame:
			net.Arming.SecretFile = ""
		case s.chance(0.2):
			net.Peers.Plain = []string{"/plain"}
		case s.chance(0.02):
			net.Peers.Required = append(net.Peers.Required, "/nobody")
		}
	}
	if !p.Calm && p.IntN(20) == 0 { // the last node of one has the name of another's
		one, other := p.All[0].Network, p.All[1].Network
		last := &one.Nodes[len(one.Nodes)-1]
		p.All[0].options.Scripts[other.Nodes[0].Name] = p.All[0].options.Scripts[last.Name]
		last.Name = other.Nodes[0].Name
		if len(one.Groups) > 0 {
			one.Groups = []network.Group{some(one)}
		}
	}
}

// Run plays the schedule.
func (p *Peers) Run() *simnet.PeersTrace {
	peers := make([]simnet.Peer, len(p.All))
	for i, s := range p.All {
		s.options.Cover = p.Cover
		peers[i] = simnet.Peer{Net: s.Network, Options: s.options}
	}
	all := simnet.NewPeers(peers, p.options)
	if p.Calm {
		return p.runCalmly(all)
	}
	for i, s := range p.All {
		s.presses(all.World(i))
	}
	if p.Meet {
		p.meets(all)
	}
	if p.Tame {
		if !p.Meet {
			p.disturb(all)
		}
		return all.Run()
	}
	for i, s := range p.All {
		w := all.World(i)
		if i == 0 || s.chance(0.6) {
			if !s.tells(w) && !p.Meet {
				s.people(w)
			}
		}
		if s.chance(0.4) {
			s.fate(w)
		}
		if s.chance(0.3) {
			s.comesAndGoes(w)
		}
	}
	p.cuts(all.World(0))
	return all.Run()
}

// disturb arms all, and then lets happen to some of them what must not leave the others armed, or what makes two of
// them want different things at once.
func (p *Peers) disturb(all *simnet.Peers) {
	s := p.All[0]
	first := simnet.Send{Command: pick(s, "armed", "armed", "active"), Handle: "first", WaitPeers: s.chance(0.5)}
	all.World(0).Tell(simnet.Beat{When: simnet.At(6 * time.Second), Do: first})
	at := 14 * time.Second
	for k := range 1 + s.IntN(4) {
		i := s.IntN(len(p.All))
		w, one := all.World(i), p.All[i]
		at += s.upTo(pick(s, 2*time.Millisecond, 300*time.Millisecond, 5*time.Second))
		node := one.node()
		blows := pick(s,
			[]simnet.Act{simnet.Cut{Sides: p.sides()}, simnet.Heal{}},
			append(append([]simnet.Act{simnet.Cut{Sides: p.sides()}}, p.wishes(s, k)...), simnet.Heal{}),
			[]simnet.Act{simnet.Crash{DownFor: s.upTo(3 * time.Second)}, simnet.Nothing{}},
			[]simnet.Act{stills(s.upTo(3 * time.Second)), simnet.Nothing{}},
			[]simnet.Act{simnet.Stop{}, simnet.Restart{}},
			[]simnet.Act{simnet.Kill{Node: node}, simnet.Respawn{Node: node}},
			[]simnet.Act{simnet.Freeze{Node: node}, simnet.Thaw{Node: node}},
			p.wishes(s, k+10), p.wishes(s, k+20), p.wishes(s, k+30),
		)
		beats := []simnet.Beat{{When: simnet.At(at), Do: blows[0]}}
		for _, do := range blows[1:] {
			beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(8 * time.Second)), Do: do})
		}
		w.Tell(beats...)
	}
	all.World(0).Tell(simnet.Beat{When: simnet.At(at + 10*time.Second), Do: simnet.Heal{}})
	all.World(s.IntN(len(p.All))).Tell(simnet.Beat{When: simnet.At(at + 20*time.Second),
		Do: simnet.Send{Command: "armed", Handle: "last", WaitPeers: s.chance(0.5)}})
}

// wishes are two commands for one instance, of those that may be wished for while it is armed.
func (p *Peers) wishes(s *Schedule, k int) []simnet.Act {
	var acts []simnet.Act
	for j := range 2 {
		command := pick(s, "disarm", "disarm", "arm", "armed", "inactive", "active", "unconfigured", "shutdown")
		acts = append(acts, simnet.Send{Command: command, Handle: fmt.Sprintf("%s %d.%d", command, k, j),
			WaitPeers: s.chance(0.3)})
	}
	return acts
}

func (p *Peers) sides() []int {
	s := p.All[0]
	sides := make([]int, len(p.All))
	for k := range sides {
		sides[k] = s.IntN(pick(s, 2, 2, 3))
	}
	return sides
}

// comesAndGoes ends a coordinator, or holds it up, and starts it again or not.
func (s *Schedule) comesAndGoes(w *simnet.World) {
	first := pick(s, simnet.Then(), simnet.Shown("armed"), simnet.Shown("active")).Later(s.upTo(15 * time.Second))
	then := simnet.Then().Later(s.upTo(10 * time.Second))
	do := pick[simnet.Act](s, simnet.Crash{DownFor: s.upTo(10 * time.Second)}, stills(s.upTo(10*time.Second)),
		simnet.Stop{})
	beats := []simnet.Beat{{When: first, Do: do}}
	if s.chance(0.7) {
		beats = append(beats, simnet.Beat{When: then, Do: simnet.Restart{}})
	}
	w.Aside(beats...)
}

// cuts parts the instances into two or three sides and heals them, and lets a plain peer say something.
func (p *Peers) cuts(w *simnet.World) {
	s := p.All[0]
	var beats []simnet.Beat
	if s.chance(0.6) {
		for range 1 + s.IntN(3) {
			sides := p.sides()
			beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(8 * time.Second)),
				Do: simnet.Cut{Sides: sides}})
		}
		long := pick(s, time.Second, 5*time.Second, 30*time.Second)
		beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(long)), Do: simnet.Heal{}})
	}
	w.Tell(beats...)
	if s.chance(0.2) {
		var says []simnet.Beat
		for range 1 + s.IntN(3) {
			to := pick(s, "unconfigured", "inactive", "active", "armed", "finalized")
			says = append(says, simnet.Beat{When: simnet.Then().Later(s.upTo(8 * time.Second)),
				Do: simnet.Plain{Name: "/plain", Source: "inactive", Event: "go", Target: to}})
		}
		w.Tell(says...)
	}
}

const pace = 12 * time.Second

// runCalmly asks one instance after another for a command of a network's life, and compares what comes of it.
func (p *Peers) runCalmly(all *simnet.Peers) *simnet.PeersTrace {
	for k, command := range lifetime {
		send := simnet.Send{Command: command, WaitPeers: true}
		all.World(p.IntN(len(p.All))).Tell(simnet.Beat{When: simnet.At(time.Duration(k+1) * pace), Do: send})
	}
	trace := all.Run()
	for _, g := range trace.Goals() {
		want := "succeeded done"
		if g.Command == "cleanup" {
			want = "rejected"
		}
		if got := g.Verdict(); got != want {
			trace.Faults = append(trace.Faults, fmt.Sprintf("nothing went wrong, and %s: %s", g.Handle, got))
		}
	}
	trace.Faults = append(trace.Faults, trace.Overheard(commands)...)
	return trace
}

// commands is how many changes the lifetime makes: some of it are states that more than one leads to.
const commands = 13

// Replay returns the command that runs the schedule again and prints all that happens.
func (p *Peers) Replay() string {
	return fmt.Sprintf("go run ./tools/simulate -peers %d -seed %d -tell", len(p.All), p.Seed)
}

// Report describes a schedule with faults, and how to replay it.
func (p *Peers) Report(faults []string) string {
	return fmt.Sprintf("seed %d of %d peers: %s\nreplay: %s", p.Seed, len(p.All), strings.Join(faults, "\n"),
		p.Replay())
}

// Files returns the network file of each instance.
func (p *Peers) Files() string {
	var b strings.Builder
	for i, s := range p.All {
		fmt.Fprintf(&b, "# %s\n%s---\n", nameOf(i), s.Files())
	}
	return b.String()
}
