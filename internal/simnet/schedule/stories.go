package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"rstate/internal/network"
	"rstate/internal/simnet"
)

// Stories of one instance that the first part of a life hardly ever draws. What they draw comes from a source of its
// own, so the rest of a seed's life stays what it was.

type tale string

const (
	noTale   tale = ""
	reused   tale = "reused"   // goal ids are used again
	stubborn tale = "stubborn" // a node does not confirm its disarm, and the network is then to go lower
	refiled  tale = "refiled"  // the coordinator is restarted with other network files
	absent   tale = "absent"   // only optional nodes can be armed, and some of them never come
)

// apart returns the same schedule with another source of chance.
func (s *Schedule) apart(stream uint64) *Schedule {
	x := *s
	x.Rand = rand.New(rand.NewPCG(s.Seed, stream))
	return &x
}

// drawTale picks the story of a seed and shapes the network and its nodes for it.
func (s *Schedule) drawTale() {
	x := s.apart(100)
	if s.Calm || x.chance(0.5) {
		return
	}
	s.tale = pick(x, reused, reused, refiled, refiled, stubborn, absent)
	switch s.tale {
	case refiled:
		s.drawFiles(x)
		if x.chance(0.6) { // else it is seldom armed
			s.options.Noise, s.options.StallAt, s.options.StallArm, s.options.KillAt, s.options.Disk = simnet.Noise{},
				0, 0, 0, simnet.Disk{}
		}
	case stubborn:
		x.giveArm(false)
		for i := range s.Network.Nodes {
			n := &s.Network.Nodes[i]
			if n.Arm == nil {
				continue
			}
			script := s.options.Scripts[n.Name]
			for range 1 + x.IntN(4) {
				script.Disarm = append(script.Disarm,
					pick(x, simnet.Reply{Silent: true}, simnet.Reply{No: true}, simnet.Reply{Mute: true},
						simnet.Reply{Takes: x.upTo(3 * time.Second)}, simnet.Reply{}))
			}
			script.Disarm = append(script.Disarm, pick(x, simnet.Reply{}, simnet.Reply{}, simnet.Reply{Silent: true}))
			s.options.Scripts[n.Name] = script
			n.Deadline.Disarm = pick(x, time.Second, n.Deadline.Disarm)
		}
	case absent:
		for i := range s.Network.Nodes {
			n := &s.Network.Nodes[i]
			script := s.options.Scripts[n.Name]
			n.Arm, script.Armed = nil, false
			s.options.Scripts[n.Name] = script
		}
		for range 1 + x.IntN(2) {
			x.giveArm(true)
		}
		for _, n := range s.Network.Nodes {
			if script := s.options.Scripts[n.Name]; n.Arm != nil && x.chance(0.7) {
				script.Never, script.Born = x.chance(0.6), x.upTo(40*time.Second)
				s.options.Scripts[n.Name] = script
			}
		}
	}
}

func (s *Schedule) drawEnds() {
	x := s.apart(104)
	if s.Calm || x.chance(0.3) {
		return
	}
	s.options.Ends = simnet.Ends{Told: pick(x, 0.5, 0.9, 1)}
	// else the answer may be lost, or late
	if n := s.options.Noise; n.Request == 0 && n.Answer == 0 && n.Slow == 0 && x.chance(0.5) {
		s.options.Ends.Wrong = 0.3
	}
}

// giveArm makes a node one that can be armed, if there is none yet or it is to be an optional one.
func (s *Schedule) giveArm(optional bool) {
	nodes := s.Network.Nodes
	if !optional && slices.ContainsFunc(nodes, func(n network.Node) bool { return n.Arm != nil }) {
		return
	}
	i := s.IntN(len(nodes))
	nodes[i].Optional, nodes[i].Arm = optional, s.armOf(i, nodes[i].Name)
}

type teller struct {
	*Schedule
	beats []simnet.Beat
	name  string
	count int
	last  string
}

func (t *teller) send(when simnet.Moment, command, id string) string {
	t.count++
	t.last = fmt.Sprintf("%s %s%d", command, t.name, t.count)
	t.do(when, simnet.Send{Command: command, Handle: t.last, ID: id, Unauthorized: t.chance(0.05),
		WaitPeers: t.prefix != "" && t.chance(0.3)})
	return t.last
}

func (t *teller) do(when simnet.Moment, act simnet.Act) {
	t.beats = append(t.beats, simnet.Beat{When: when, Do: act})
}

func (t *teller) soon(d time.Duration) simnet.Moment { return simnet.Then().Later(t.upTo(d)) }

// holdsUp lets what the coordinator says of the lease wait for the middleware, while the network is armed.
func (s *Schedule) holdsUp(w *simnet.World) {
	x := s.apart(103)
	if !x.chance(0.15) {
		return
	}
	for n := range 1 + x.IntN(2) {
		when := simnet.Shown(pick(x, "armed", "armed", "arming")).Time(n + 1).Later(x.upTo(2 * time.Second))
		w.Perhaps(simnet.Beat{When: when, Do: simnet.HoldUp{For: x.upTo(pick(x, time.Second, 3*time.Second))}})
	}
}

// tells tells the schedule's story, and says whether anything else is to be asked for by people beside it.
func (s *Schedule) tells(w *simnet.World) (alone bool) {
	x := s.apart(101)
	t := &teller{Schedule: x, name: "t"}
	switch s.tale {
	case reused:
		t.reuses()
	case refiled:
		t.changesFiles()
	case stubborn:
		t.insists()
	case absent:
		t.armsTheAbsent()
	default:
		return false
	}
	if s.tale == refiled { // it waits for what need not come
		w.Perhaps(t.beats...)
	} else {
		w.Tell(t.beats...)
	}
	return x.chance(0.7)
}

// reuses asks for goals whose ids were used before: for the same or for something else, while the first one runs, after
// its end, after the network has gone elsewhere, and after something has happened to a node.
func (t *teller) reuses() {
	goals := []string{"armed", "armed", "arm", "disarm", "disarm", "active", "inactive", "unconfigured", "activate",
		"deactivate", "configure"}
	t.send(simnet.Settled(), pick(t.Schedule, "armed", "armed", "active", "inactive"), "")
	for round := range 1 + t.IntN(4) {
		id := fmt.Sprintf("id %d", t.IntN(2)*round)
		one := pick(t.Schedule, goals...)
		first := t.send(simnet.Ended(t.last).Later(t.upTo(pick(t.Schedule, time.Millisecond, time.Second))), one, id)
		other := pick(t.Schedule, goals...)
		switch t.IntN(7) {
		case 0, 1: // joined, and one of the two is given up, or both
			again := t.send(t.soon(pick(t.Schedule, time.Millisecond, 300*time.Millisecond)),
				pick(t.Schedule, one, one+" "), id)
			if t.chance(0.7) {
				gives := []string{first, again}
				t.Shuffle(2, func(i, j int) { gives[i], gives[j] = gives[j], gives[i] })
				for _, handle := range gives[:1+t.IntN(2)] {
					t.do(t.soon(200*time.Millisecond), simnet.Cancel{Handle: handle})
				}
			}
		case 2:
			t.send(t.soon(200*time.Millisecond), other, id)
		case 3:
			t.send(simnet.Ended(first).Later(t.upTo(2*time.Second)), one, id)
		case 4:
			t.send(simnet.Ended(first).Later(t.upTo(2*time.Second)), other, id)
		case 5:
			second := t.send(simnet.Ended(first).Later(t.upTo(time.Second)), other, "")
			t.send(simnet.Ended(second).Later(t.upTo(time.Second)), one, id)
		case 6:
			t.do(simnet.Ended(first).Later(t.upTo(time.Second)),
				pick[simnet.Act](t.Schedule, simnet.Kill{Node: t.driver()},
					simnet.Freeze{Node: t.driver()}, simnet.Part{Node: t.driver()}, t.still(),
					simnet.Crash{DownFor: t.gap()}))
			t.send(t.soon(3*time.Second), one, id)
		}
	}
}

// insists arms, and then has the network disarmed and taken lower while a node does not confirm.
func (t *teller) insists() {
	t.send(simnet.Settled(), "armed", "")
	for range 1 + t.IntN(3) {
		down := pick(t.Schedule, "disarm", "disarm", "active", "inactive", "unconfigured", "deactivate", "shutdown")
		first := t.send(simnet.Ended(t.last).Later(t.upTo(time.Second)), down, "")
		if t.chance(0.4) {
			t.do(t.soon(2*time.Second), simnet.Cancel{Handle: first})
		}
		when := simnet.Ended(first).Later(t.upTo(3 * time.Second))
		if t.chance(0.4) {
			when = t.soon(3 * time.Second)
		}
		lower := t.send(when, pick(t.Schedule, "inactive", "unconfigured", "deactivate", "active", "disarm",
			"shutdown"), "")
		if t.chance(0.3) {
			t.do(t.soon(2*time.Second), simnet.Cancel{Handle: lower})
		}
		t.send(simnet.Ended(lower).Later(t.upTo(2*time.Second)), pick(t.Schedule, "armed", "armed", "active", "disarm"),
			"")
	}
}

func (t *teller) armsTheAbsent() {
	t.send(simnet.Settled(), pick(t.Schedule, "active", "armed"), "")
	for range 1 + t.IntN(3) {
		t.send(simnet.Ended(t.last).Later(t.upTo(5*time.Second)),
			pick(t.Schedule, "arm", "arm", "armed", "active", "disarm"), "")
	}
}
