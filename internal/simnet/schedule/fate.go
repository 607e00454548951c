package schedule

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/network"
	"rstate/internal/simnet"
)

// wishes are what people ask for, and modeWishes what those do beside whose network has modes.
var (
	wishes = []string{"configure", "activate", "arm", "disarm", "deactivate", "cleanup", "shutdown",
		"active", "inactive", "unconfigured", "armed", "configure", "activate", "active", "arm", "armed", "mapping"}
	modeWishes = []string{"map", "map", "mapping", "mapping", "mapping", "mapping", "mapping", "mapping"}
	// what those ask for who drive
	drives = []string{"armed", "armed", "armed", "arm", "arm", "disarm", "active", "inactive", "unconfigured"}
)

func (s *Schedule) people(w *simnet.World) {
	var beats []simnet.Beat
	last, commands := "", wishes
	if s.Network.Machine == presets.modes {
		commands = slices.Concat(wishes, modeWishes)
	}
	pause := time.Second
	if s.driven {
		commands, pause = drives, 5*time.Second
	}
	for i := range 1 + s.IntN(8) {
		command := pick(s, commands...)
		when := simnet.Then().Later(s.upTo(3 * time.Second))
		if i == 0 && (s.driven || s.chance(0.4)) {
			command, when = "armed", simnet.Settled()
		}
		handle := fmt.Sprintf("%s %d", command, i)
		if last != "" && s.chance(0.7) {
			when = simnet.Ended(last).Later(s.upTo(pause))
		}
		id := ""
		if s.chance(0.1) {
			id = pick(s, "a", "b")
		}
		send := simnet.Send{Command: command, Handle: handle, ID: id, Unauthorized: s.chance(0.3)}
		if s.prefix != "" {
			send.WaitPeers = s.chance(0.3)
		}
		beats = append(beats, simnet.Beat{When: when, Do: send})
		if s.chance(0.15) {
			beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(200 * time.Millisecond)),
				Do: simnet.Cancel{Handle: handle}})
		}
		last = handle
	}
	if s.chance(0.1) {
		beats = append(beats, simnet.Beat{When: simnet.Then().Later(s.upTo(time.Second)), Do: simnet.Stop{}})
		if s.chance(0.5) {
			w.Aside(simnet.Beat{When: simnet.Exited().Later(s.upTo(5 * time.Second)), Do: simnet.Restart{}})
		}
	}
	w.Tell(beats...)
}

// fate does things to nodes, clocks, the disk and the coordinator: some at a time, some at a moment of a transition.
func (s *Schedule) fate(w *simnet.World) {
	var beats []simnet.Beat
	if s.driven {
		for k := range 1 + s.IntN(3) {
			w.Aside(s.unfit(s.driver(), k+1)...)
		}
		return
	}
	for range s.IntN(5) {
		beats = append(beats, s.blow(s.node())...)
	}
	w.Tell(beats...)
	if s.chance(0.3) {
		passing := pick(s, "configuring", "activating", "arming", "armed", "disarming", "deactivating", "cleaningup",
			"shuttingdown", "errorprocessing")
		blow := s.blow(s.node())
		blow[0].When = simnet.Shown(passing).Later(s.upTo(100 * time.Millisecond))
		w.Aside(blow...)
	}
	if s.chance(0.4) {
		w.Aside(s.unfit(s.driver(), 1)...)
	}
}

func (s *Schedule) driver() string {
	node := s.node()
	if i := slices.IndexFunc(s.Network.Nodes, func(n network.Node) bool { return n.Arm != nil }); i >= 0 &&
		s.chance(0.4) {
		return s.Network.Nodes[i].Name
	}
	return node
}

// unfit takes from a network that is armed for the nth time what that rests on.
func (s *Schedule) unfit(node string, n int) []simnet.Beat {
	when := simnet.Shown("armed").Time(n).Later(s.upTo(3 * time.Second))
	then := simnet.Then().Later(s.upTo(10 * time.Second))
	blows := pick(s,
		[]simnet.Act{simnet.Freeze{Node: node}, simnet.Thaw{Node: node}},
		[]simnet.Act{simnet.Fail{Node: node}, simnet.Fail{Node: node, Not: true}},
		[]simnet.Act{simnet.Advertise{Node: node}, simnet.Advertise{Node: node, Not: true}},
		[]simnet.Act{simnet.Publish{Node: node}, simnet.Publish{Node: node, Share: 1}},
		[]simnet.Act{s.still(), simnet.Nothing{}},
		[]simnet.Act{simnet.Part{Node: node}, simnet.Join{Node: node}},
		[]simnet.Act{simnet.Stop{}, simnet.Restart{}},
		[]simnet.Act{simnet.Kill{Node: node}, simnet.Respawn{Node: node}},
		[]simnet.Act{simnet.Crash{DownFor: s.gap()}, simnet.Nothing{}},
	)
	return []simnet.Beat{{When: when, Do: blows[0]}, {When: then, Do: blows[1]}}
}

// blow is one thing that happens, with what follows from it.
func (s *Schedule) blow(node string) []simnet.Beat {
	first := simnet.Then().Later(s.upTo(5 * time.Second))
	then := simnet.Then().Later(s.upTo(3 * time.Second))
	if s.chance(0.2) {
		then = simnet.Then().Later(s.upTo(30 * time.Second))
	}
	one := func(a simnet.Act) []simnet.Beat { return []simnet.Beat{{When: first, Do: a}} }
	two := func(a, b simnet.Act) []simnet.Beat { return []simnet.Beat{{When: first, Do: a}, {When: then, Do: b}} }
	reborn := simnet.Respawn{Node: node, State: pick(s, lifecycle.Unconfigured, lifecycle.Unconfigured,
		lifecycle.Inactive, lifecycle.Active)}
	switch s.IntN(16) {
	case 0:
		return one(simnet.Kill{Node: node})
	case 1:
		return two(simnet.Kill{Node: node}, reborn)
	case 2:
		return two(simnet.Freeze{Node: node}, simnet.Thaw{Node: node})
	case 3:
		to := pick(s, lifecycle.Unconfigured, lifecycle.Inactive, lifecycle.Active, lifecycle.Finalized)
		return one(simnet.Move{Node: node, To: to, Quiet: s.chance(0.3)})
	case 4:
		return two(reborn, simnet.Kill{Node: node})
	case 5:
		return two(simnet.Part{Node: node}, simnet.Join{Node: node})
	case 6:
		return one(s.still())
	case 7:
		return one(simnet.Crash{DownFor: s.gap()})
	case 8:
		if s.chance(0.3) {
			return two(simnet.UseClock{On: true}, simnet.UseClock{})
		}
		if s.chance(0.3) {
			return two(simnet.EndClock{}, simnet.StartClock{})
		}
		return two(simnet.StopClock{}, simnet.StartClock{})
	case 10:
		return two(simnet.Publish{Node: node, Share: pick(s, 0, 0.3, 0.6)}, simnet.Publish{Node: node, Share: 1})
	case 12:
		return two(simnet.Advertise{Node: node}, simnet.Advertise{Node: node, Not: true})
	case 11:
		return two(simnet.Fail{Node: node}, simnet.Fail{Node: node, Not: true})
	case 9:
		return two(simnet.SetDisk{Disk: s.disk()}, simnet.SetDisk{Disk: simnet.Disk{}})
	case 14:
		return one(simnet.OtherLease{Term: s.Uint64N(20)})
	case 13:
		if s.prefix != "" { // others that bear the name of one of several are not what those are about
			return one(simnet.Crash{DownFor: s.upTo(3 * time.Second)})
		}
		return two(s.rival(node), s.rival(node))
	}
	return one(simnet.JumpClock{By: pick(s, -3*time.Second, 3*time.Second)})
}

// rival is another instance that bears the coordinator's name, or a node that is a network itself.
func (s *Schedule) rival(node string) simnet.Act {
	who := pick(s, "", "instance 0", "instance 1", "instance 2", "instance 9", "instance 9")
	heard := simnet.Rival{Instance: who, Holds: s.chance(0.7), Renews: s.chance(0.7), Answered: s.chance(0.5),
		Stood: s.chance(0.2)}
	child := simnet.Child{Node: node, Simulation: pick(s, "other", "demo", ""),
		Way: pick(s, nil, nil, []string{"/rstate"})}
	return pick[simnet.Act](s, heard, heard, heard, heard, simnet.Share{Others: s.IntN(3)}, child)
}
