package schedule

import (
	"fmt"
	"time"

	"rstate/internal/simnet"
)

// Stories of several instances: each is restarted, or held up, in each phase of each other.

// phases are what an instance may be doing when something happens to another.
var phases = []string{"unconfigured", "configuring", "inactive", "activating", "active", "arming", "armed", "disarming",
	"deactivating",
	"cleaningup", "errorprocessing", "shuttingdown", "finalized", "unknown"}

// journeys are the commands that are sent while instances come and go. Together they lead through every phase.
var journeys = [][]string{
	{"armed", "shutdown"},
	{"armed", "unconfigured", "shutdown"},
	{"armed", "disarm", "shutdown"},
	{"configure", "activate", "arm", "disarm", "deactivate", "cleanup", "shutdown"},
	{"active", "arm", "inactive", "armed", "unconfigured"},
	{"armed", "active", "armed", "disarm", "arm"},
	{"inactive", "active", "arm", "shutdown"},
}

// meets tells a journey of all, asked of this one and that, and lets instances be killed, ended and started while
// others pass through it.
func (p *Peers) meets(all *simnet.Peers) {
	if p.follows() {
		p.outlives(all)
		return
	}
	x := p.All[0].apart(200)
	if n := len(p.All); n > 2 && p.Tame && x.chance(0.5) {
		p.leaves(all, x, x.Perm(n))
		return
	}
	at := 4*time.Second + x.upTo(3*time.Second)
	for k, command := range pick(x, journeys...) {
		send := simnet.Send{Command: command, Handle: fmt.Sprintf("%s m%d", command, k), WaitPeers: x.chance(0.3),
			Unauthorized: x.chance(0.05)}
		if x.chance(0.1) {
			send.ID = "m"
		}
		all.World(x.IntN(len(p.All))).Tell(simnet.Beat{When: simnet.At(at), Do: send})
		at += time.Second + x.upTo(pick(x, time.Second, 8*time.Second))
	}
	for k := range 1 + x.IntN(4) {
		i := x.IntN(len(p.All))
		j := (i + 1 + x.IntN(len(p.All)-1)) % len(p.All)
		all.World(j).Perhaps(p.comes(x, i, k)...)
	}
}

// follows reports whether the life is one in which all follow an instance that dies meanwhile.
func (p *Peers) follows() bool { return p.Meet && p.Tame && p.All[0].apart(201).chance(0.2) }

// slows lets the nodes of all but the first instance take seconds to activate or to arm.
func (p *Peers) slows() {
	for _, s := range p.All[1:] {
		x := s.apart(202)
		for k := range s.Network.Nodes {
			n := &s.Network.Nodes[k]
			script := s.options.Scripts[n.Name]
			script.On = append([]simnet.On{{Do: "activate", Times: 1, Takes: x.upTo(9 * time.Second)}}, script.On...)
			if x.chance(0.3) {
				script.Arm = append([]simnet.Reply{{Takes: x.upTo(3 * time.Second)}}, script.Arm...)
			}
			s.options.Scripts[n.Name] = script
			n.Deadline.Activate = 20 * time.Second
		}
	}
}

// outlives asks the first instance for armed, which the others follow slowly. Meanwhile the first, or its whole host,
// ends, and perhaps it comes back.
func (p *Peers) outlives(all *simnet.Peers) {
	x := p.All[0].apart(203)
	all.World(0).Tell(simnet.Beat{When: simnet.At(5 * time.Second),
		Do: simnet.Send{Command: "armed", Handle: "armed o", WaitPeers: x.chance(0.3)}})
	in := func(do simnet.Act) simnet.Act { return simnet.In{World: 0, Do: do} }
	down := 5 * time.Minute
	if x.chance(0.3) {
		down = x.upTo(10 * time.Second)
	}
	watched := x.IntN(len(p.All))
	when := simnet.Shown(pick(x, "activating", "activating", "arming",
		"armed")).Later(x.upTo(pick(x, 20*time.Millisecond, time.Second, 9*time.Second)))
	beats := []simnet.Beat{{When: when, Do: in(simnet.Crash{DownFor: down})}}
	if x.chance(0.6) {
		for _, n := range p.All[0].Network.Nodes {
			beats = append(beats, simnet.Beat{When: simnet.Then(), Do: in(simnet.Kill{Node: n.Name})})
		}
	}
	all.World(watched).Perhaps(beats...)
}

// leaves makes four things happen: the first instance arms all, the second is killed, the third shuts all down, and the
// second starts while they end. The newest change of the first that the second can hear is then an old arm.
func (p *Peers) leaves(all *simnet.Peers, x *Schedule, who []int) {
	first, second, third := who[0], who[1], who[2]
	in := func(do simnet.Act) simnet.Act { return simnet.In{World: second, Do: do} }
	soon := func() time.Duration {
		return x.upTo(pick(x, time.Millisecond, 100*time.Millisecond, 500*time.Millisecond))
	}
	say := func(world int, at time.Duration, command string) {
		all.World(world).Tell(simnet.Beat{When: simnet.At(at),
			Do: simnet.Send{Command: command, Handle: command + " l"}})
	}
	say(third, 5*time.Second, "active")
	say(first, 12*time.Second, "arm")
	all.World(third).Tell(simnet.Beat{When: simnet.At(14 * time.Second).Later(x.upTo(time.Second)),
		Do: in(simnet.Crash{DownFor: time.Minute})})
	say(third, 15*time.Second+x.upTo(2*time.Second), pick(x, "shutdown", "shutdown", "shutdown", "unconfigured"))
	watched := pick(x, first, first, third)
	phase := pick(x, "shuttingdown", "shuttingdown", "finalized")
	all.World(watched).Perhaps(simnet.Beat{When: simnet.Shown(phase).Later(soon()), Do: in(simnet.Rise{})})
}

func (p *Peers) comes(x *Schedule, i, k int) []simnet.Beat {
	soon := func() time.Duration {
		return x.upTo(pick(x, time.Millisecond, 20*time.Millisecond, 300*time.Millisecond, 2*time.Second))
	}
	in := func(do simnet.Act) simnet.Act { return simnet.In{World: i, Do: do} }
	when := simnet.Shown(pick(x, phases...)).Time(1 + x.IntN(2)).Later(soon())
	long := 20*time.Second + x.upTo(20*time.Second)
	switch x.IntN(6) {
	case 0:
		return []simnet.Beat{{When: when, Do: in(simnet.Crash{DownFor: time.Millisecond + soon()})}}
	case 1:
		return []simnet.Beat{{When: when, Do: in(simnet.Stop{})},
			{When: simnet.Shown(pick(x, phases...)).Later(soon()), Do: in(simnet.Rise{})}}
	case 2:
		return []simnet.Beat{{When: when, Do: in(stills(x.upTo(3 * time.Second)))}}
	}
	beats := []simnet.Beat{
		{When: simnet.Shown(pick(x, "active", "armed", "armed", "inactive")).Later(soon()),
			Do: in(simnet.Crash{DownFor: long})},
		{When: simnet.Shown(pick(x, phases...)).Later(soon()), Do: in(simnet.Rise{})},
	}
	if x.chance(0.3) { // what is asked of one that has just started
		send := simnet.Send{Command: pick(x, "disarm", "disarm", "shutdown", "active", "armed"),
			Handle: fmt.Sprintf("at its start %d", k), WaitPeers: x.chance(0.6)}
		beats = append(beats, simnet.Beat{When: simnet.Then().Later(soon()), Do: in(send)})
	}
	return beats
}
