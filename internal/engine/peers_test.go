package engine_test

import (
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/mirror"
	"rstate/internal/simnet"
)

// up is an instance whose nodes are active from the beginning.
var up = simnet.Script{State: ac}

// TestP1AChangeIsPublishedOnceAndMirrored: an instance that follows publishes nothing, and its
// journal names the peer that it follows.
func TestP1AChangeIsPublishedOnceAndMirrored(t *testing.T) {
	several{all: []instance{
		{
			tell: []simnet.Beat{asks(1, "configure"), asks(2, "activate"), asks(3, "arm"), asks(4, "disarm"),
				asks(5, "deactivate"), asks(6, "cleanup")},
			published: "inactive+ active+ armed+ disarming+ active deactivating+ inactive cleaningup+ unconfigured",
			ends:      "unconfigured, wants unconfigured",
		},
		{
			published: "none", states: "configuring inactive activating active arming armed disarming active deactivating inactive cleaningup unconfigured",
			ends:    "unconfigured, wants unconfigured",
			history: "disarm: from armed to active, mirrored from /a | disarm: mirrored from /a",
		},
	}}.run(t)
}

// TestP1TheSnapshotShowsPeers: who they are, where, and how long they took.
func TestP1TheSnapshotShowsPeers(t *testing.T) {
	trace := several{all: []instance{{tell: []simnet.Beat{asks(1, "configure")}},
		{keys: "peers: {required: [/a, /z]}\n"}}}.run(t)
	a, b := trace.Worlds[0].Last, trace.Worlds[1].Last
	if len(a.Peers.All) != 1 || a.Peers.Common != "inactive" || a.Peers.Behind || len(a.Peers.Seen) != 1 ||
		a.Peers.Seen[0].N != 1 {
		t.Fatalf("/a shows %+v", a)
	}
	p := a.Peers.All[0]
	if p.Name != "/b" || p.Required || !p.Alive || !p.SameMachine || p.State != "inactive" || !p.Settled || !p.Intact ||
		p.Target != "inactive" ||
		p.Behind || p.Leaving || len(p.Nodes) != 2 || p.Lag <= 0 || p.Lag > 100*ms || p.Age < 0 || p.Age > time.Second {
		t.Errorf("/a shows of /b: %+v", p)
	}
	if len(b.Peers.All) != 2 || !b.Peers.All[0].Required || b.Peers.All[1].Name != "/z" || b.Peers.All[1].Alive ||
		b.Peers.All[1].Age >= 0 || b.Peers.All[1].Lag >= 0 {
		t.Errorf("/b shows %+v", b.Peers.All)
	}
}

// TestP2WhatIsMadeAtOnceGoesToTheLower: both sides of a partition go on. After it, both go to the
// lower of the two states, without a message.
func TestP2WhatIsMadeAtOnceGoesToTheLower(t *testing.T) {
	cut, heal := does(3, simnet.Cut{Sides: []int{0, 1}}), does(9, simnet.Heal{})
	cast(t, []several{
		{
			name: "one down, one up", mark: 8 * time.Second, all: []instance{
				{script: up, tell: []simnet.Beat{asks(2, "arm"), cut, asks(5, "disarm"), heal}, published: "none",
					states: "none", ends: "active, wants active"},
				{tell: []simnet.Beat{asks(5, "disarm"), asks(6, "arm")}, script: up, published: "none",
					states: "disarming active", ends: "active, wants active"},
			},
		},
		{
			name: "both down", mark: 8 * time.Second, all: []instance{
				{script: up, tell: []simnet.Beat{asks(2, "arm"), cut, asks(5, "disarm"), heal}, published: "none",
					states: "deactivating inactive", ends: "inactive, wants inactive"},
				{script: up, tell: []simnet.Beat{asks(5, "inactive")}, published: "none", states: "none",
					ends: "inactive, wants inactive"},
			},
		},
	})
}

// TestP3TheShortestWay: a message is a level. An instance in another state than its maker was says
// so.
func TestP3TheShortestWay(t *testing.T) {
	play(t, []story{
		{
			name: "from further below", tell: []simnet.Beat{when(simnet.Then(), told("inactive", nil)),
				when(simnet.Then(), heard("inactive", "activate", "active", knows("b 1", 2)))},
			states: "unconfigured configuring inactive activating active", published: "unconfigured",
			ends: "active active active active",
		},
		{
			name: "down from armed", first: []string{"armed"},
			tell: []simnet.Beat{when(simnet.Then(), told("armed", knows("instance 1", 3))),
				when(simnet.Then(), heard("inactive", "cleanup", "unconfigured", knows("instance 1", 3, "b 1", 1)))},
			states: "disarming active deactivating inactive cleaningup unconfigured", published: "none",
		},
	})
	trace := story{tell: []simnet.Beat{when(simnet.Then(), told("inactive", nil)),
		when(simnet.Then(), heard("inactive", "activate", "active", knows("b 1", 1)))}}.run(t)
	if !tells(trace, "/b went from inactive, and this network is unconfigured: it takes the shortest way to active") {
		t.Errorf("it does not say that it was elsewhere:\n%v", trace)
	}
}

// TestP3LoopsRunFirst: a looping command of a peer runs here too, wherever it is legal.
func TestP3LoopsRunFirst(t *testing.T) {
	const loops = "extends: rstate\ntransitions:\n  reset: {from: [active], to: active, loop: true}\n"
	cast(t, []several{{name: "live", all: []instance{
		{keys: loops, script: up, tell: []simnet.Beat{asks(1.5, "deactivate"), asks(2, "activate"), asks(3, "reset")},
			published: "deactivating+ inactive active+ active+"},
		{keys: loops, script: up, published: "none", history: "reset: from active to active, mirrored from /a"},
	}}, {name: "missed while cut off", all: []instance{
		{
			keys: loops, script: up, published: "deactivating+ inactive active+ active+ active+",
			tell: []simnet.Beat{asks(1.5, "deactivate"), asks(2, "activate"), does(3, simnet.Cut{Sides: []int{0, 1}}),
				asks(5, "reset"), asks(6, "reset"), does(7, simnet.Heal{})},
		},
		{keys: loops, script: up, published: "none", history: "reset: from active to active, mirrored from /a"},
	}}, {name: "a peer that joins runs none", all: []instance{
		{keys: loops, script: up, tell: []simnet.Beat{asks(1.5, "reset"), asks(3, "reset")}},
		{keys: loops, script: up, tell: []simnet.Beat{does(1, simnet.Crash{DownFor: 5 * time.Second})},
			not: "reset: from"},
	}}})
}

// tells says whether the journal says so.
func tells(trace *simnet.Trace, sentence string) bool {
	for _, e := range trace.Entries {
		if e.Sentence == sentence {
			return true
		}
	}
	return false
}

// TestP4AFailureSpreadsOnlyDownwardAndOnlyWhereItIsRequired: an instance that fails and that no
// peer requires is behind. A command that fails is not rolled back at peers.
func TestP4AFailureSpreadsOnlyDownwardAndOnlyWhereItIsRequired(t *testing.T) {
	const toError = "defaults: {on_loss: error}\n"
	stray := func(second float64) simnet.Beat { return does(second, simnet.Kill{Node: "/a_base"}) }
	refuses := simnet.Script{State: ac, On: []simnet.On{{Do: "deactivate", End: simnet.Refuse}}}
	never := simnet.Script{State: in, On: []simnet.On{{Do: "activate", End: simnet.Refuse}}}
	begin := []simnet.Beat{asks(1.2, "deactivate"), asks(1.5, "activate")}
	const begun = "deactivating+ inactive active+ "
	cast(t, []several{
		{name: "no peer requires it", all: []instance{
			{keys: toError, script: up, tell: append(begin, stray(3)),
				published: begun + "errorprocessing unconfigured", ends: "unconfigured, wants active, behind"},
			{script: up, published: "none", ends: "active, wants active"},
		}},
		{name: "it is required", all: []instance{
			{keys: toError, script: up, tell: append(begin, stray(3)),
				published: begun + "errorprocessing unconfigured+", ends: "unconfigured, wants unconfigured"},
			{keys: "peers: {required: [/a]}\n", script: up, published: "none", ends: "unconfigured, wants unconfigured",
				history: "mirrored from /a"},
		}},
		{name: "a lowering that ends higher", all: []instance{
			{script: refuses, keys: "peers: {required: [/b]}\n", tell: []simnet.Beat{asks(1.5, "deactivate")},
				published: "deactivating+ errorprocessing active", ends: "active, wants inactive, behind"},
			{script: up, keys: "peers: {required: [/a]}\n", published: "none", ends: "inactive, wants inactive"},
		}},
		{name: "what is mirrored fails", all: []instance{
			{script: simnet.Script{State: in}, tell: []simnet.Beat{asks(1.5, "activate")}, published: "active+",
				ends: "active, wants active"},
			{script: never, published: "none", states: "activating errorprocessing inactive",
				ends: "inactive, wants active, behind"},
		}},
		{name: "what is mirrored fails, lower than before, and is required", all: []instance{
			{keys: "peers: {required: [/b]}\n", script: up, tell: []simnet.Beat{asks(1.5, "deactivate")},
				published: "deactivating+ inactive", ends: "unconfigured, wants unconfigured"},
			{script: refuses2, published: "unconfigured+", ends: "unconfigured, wants unconfigured"},
		}},
	})
}

// refuses2 cannot be taken down one step, only by going on.
var refuses2 = simnet.Script{State: ac, On: []simnet.On{{Do: "deactivate", End: simnet.Err, Times: 1}}}

// TestP4ACancelIsAChangeToo: up or down, because a client has asked for it.
func TestP4ACancelIsAChangeToo(t *testing.T) {
	slow := simnet.Script{State: ac, On: []simnet.On{{Do: "deactivate", Takes: time.Second}}}
	several{all: []instance{
		{script: slow, tell: []simnet.Beat{asks(1.5, "deactivate"), does(2, simnet.Cancel{Handle: "deactivate 1.5"})},
			published: "deactivating+ active+", ends: "active, wants active"},
		{script: up, published: "none", states: "deactivating inactive activating active",
			ends: "active, wants active"},
	}}.run(t)
}

// TestP4ACancelAfterANewerChangeIsNone: what a peer has commanded since stands.
func TestP4ACancelAfterANewerChangeIsNone(t *testing.T) {
	slow := one("/slam", on("deactivate", simnet.On{Takes: time.Second}))
	after := simnet.Then().Later(100 * ms)
	play(t, []story{{
		name: "the same", scripts: slow, first: []string{"active"}, states: "deactivating active",
		published: "deactivating+ active",
		tell: []simnet.Beat{
			when(simnet.Then(), told("active", nil)), send("deactivate"),
			when(after, heard("inactive", "activate", "active", knows("instance 1", 3, "b 1", 1))),
			when(after, simnet.Cancel{Handle: "deactivate"}),
		},
		goals: "deactivate: canceled canceled",
	}})
}

// TestP5WhatLowersDoesNotWait: a peer's lowering ends what raises here; what raises waits for what runs.
func TestP5WhatLowersDoesNotWait(t *testing.T) {
	slow := func(step string) map[string]simnet.Script {
		return one("/slam", on(step, simnet.On{Takes: time.Second}))
	}
	after := simnet.Then().Later(100 * ms)
	first := func(state string) simnet.Beat { return when(simnet.Then(), told(state, nil)) }
	play(t, []story{
		{
			name: "an activation is superseded", scripts: slow("activate"), first: []string{"configure"},
			tell: []simnet.Beat{first("inactive"), send("activate"),
				when(after, heard("inactive", "cleanup", "unconfigured", knows("instance 1", 1, "b 1", 1)))},
			states: "activating deactivating inactive cleaningup unconfigured", published: "none",
			goals: "activate: aborted superseded", why: "superseded by /b: cleanup",
		},
		{
			name: "back to where it began", scripts: slow("configure"),
			tell: []simnet.Beat{when(simnet.Then(), told("unconfigured", nil)), send("configure"),
				when(after, heard("inactive", "cleanup", "unconfigured", knows("b 1", 1)))},
			states: "unconfigured configuring cleaningup unconfigured", published: "unconfigured",
			goals: "configure: aborted superseded", ends: "unconfigured unconfigured unconfigured unconfigured",
		},
		{
			name: "a lowering is taken further down", scripts: slow("deactivate"), first: []string{"active"},
			tell: []simnet.Beat{first("active"), send("deactivate"),
				when(after, heard("active", "cleanup", "unconfigured", knows("instance 1", 3, "b 1", 1)))},
			states: "deactivating inactive cleaningup unconfigured", published: "deactivating+ inactive",
			goals: "deactivate: succeeded done",
		},
		{
			name: "but an end waits for nothing", scripts: slow("deactivate"), first: []string{"active"}, exit: 1,
			tell: []simnet.Beat{first("active"), send("deactivate"),
				when(after, heard("active", "shutdown", "finalized", knows("instance 1", 3, "b 1", 1)))},
			states: "deactivating shuttingdown finalized", published: "deactivating+",
			goals: "deactivate: aborted superseded",
		},
		{
			name: "what raises waits", scripts: slow("configure"),
			tell: []simnet.Beat{when(simnet.Then(), told("unconfigured", nil)),
				when(simnet.Then(), heard("unconfigured", "configure", "inactive", knows("b 1", 1))),
				when(after, heard("inactive", "activate", "active", knows("b 1", 2)))},
			states: "unconfigured configuring inactive activating active", published: "unconfigured",
		},
		{
			name: "other goals are rejected meanwhile", scripts: slow("configure"),
			tell: []simnet.Beat{when(simnet.Then(), told("unconfigured", nil)),
				when(simnet.Then(), heard("unconfigured", "configure", "inactive", knows("b 1", 1))),
				when(after, simnet.Send{Command: "activate"})},
			goals: "activate: rejected", why: "configure, mirrored from /b is under way",
		},
		{
			name: "a shutdown of our own pre-empts what is mirrored, for all", scripts: slow("configure"), exit: 1,
			tell: []simnet.Beat{when(simnet.Then(), told("unconfigured", nil)),
				when(simnet.Then(), heard("unconfigured", "configure", "inactive", knows("b 1", 1))),
				when(after, simnet.Send{Command: "shutdown"})},
			goals: "shutdown: succeeded done", published: "unconfigured shuttingdown+ finalized",
		},
		{
			name: "a disarm of our own takes back an arming that waits, for all", first: []string{"configure"},
			scripts: slow("activate"),
			tell: []simnet.Beat{
				first("inactive"), when(simnet.Then(),
					heard("inactive", "activate", "active", knows("instance 1", 1, "b 1", 1))),
				when(after, heard("active", "arm", "armed", knows("instance 1", 1, "b 1", 2))),
				when(after, simnet.Send{Command: "disarm"}),
			},
			goals: "disarm: aborted peers_behind", why: "peers behind: /b has not heard of the disarm",
			states: "activating active", published: "activating+",
		},
	})
}

// TestP5ADisarmEndsAnArmingThatIsMirrored: for all, the one who made it too.
func TestP5ADisarmEndsAnArmingThatIsMirrored(t *testing.T) {
	several{all: []instance{
		{script: up, tell: []simnet.Beat{asks(1.5, "arm")}, published: "armed+",
			states: "arming armed disarming active"},
		{script: up, arm: []simnet.Reply{{Takes: time.Second}}, tell: []simnet.Beat{asks(2, "disarm")},
			published: "disarming+ active", states: "arming disarming active"},
	}}.run(t)
}

// TestP6WhoJoinsCatchesUp: by what living peers say, never above active, without a word, and without spreading its
// failure. TestC4WhoeverIsAskedDisarmsAll: a disarm is for all peers, also where nothing is armed, or not any more.
func TestC4WhoeverIsAskedDisarmsAll(t *testing.T) {
	armed := func(also ...simnet.Beat) instance {
		return instance{script: up, tell: append([]simnet.Beat{asks(2, "arm")}, also...),
			states: "arming armed disarming active", ends: "active, wants active"}
	}
	cast(t, []several{
		{name: "one that could not follow the arm", all: []instance{
			armed(),
			{script: up, arm: []simnet.Reply{{No: true}}, tell: []simnet.Beat{asks(4, "disarm")},
				goals: "disarm 4: succeeded done", published: "active+", ends: "active, wants active"},
		}},
		{name: "one that has disarmed for its own safety, which no peer has to know", all: []instance{
			{script: up, tell: []simnet.Beat{asks(2, "arm"), does(3, simnet.Kill{Node: "/a_base"}), asks(5, "disarm")},
				goals: "arm 2: succeeded done, disarm 5: succeeded done", ends: "active, wants active"},
			{script: up, states: "arming armed disarming active", ends: "active, wants active"},
		}},
		{name: "and it waits for them", all: []instance{
			armed(),
			{script: up, arm: []simnet.Reply{{No: true}}, tell: []simnet.Beat{waits(4, "disarm")},
				goals: "disarm 4: succeeded done", published: "active+", ends: "active, wants active"},
		}},
		{name: "without an armed peer it is none", all: []instance{
			{script: up},
			{script: up, tell: []simnet.Beat{asks(4, "disarm")}, goals: "disarm 4: succeeded already",
				published: "none"},
		}},
	})
}

func TestP6WhoJoinsCatchesUp(t *testing.T) {
	never := simnet.Script{On: []simnet.On{{Do: "activate", End: simnet.Refuse}}}
	late := func(act ...simnet.Beat) []simnet.Beat {
		return append([]simnet.Beat{does(0.5, simnet.Crash{DownFor: 4 * time.Second})}, act...)
	}
	a := instance{script: up, tell: []simnet.Beat{asks(1.5, "deactivate"), asks(2, "activate"), asks(3, "arm")},
		published: "deactivating+ inactive active+ armed+", ends: "armed, wants armed"}
	cast(t, []several{
		{name: "to active", all: []instance{a,
			{tell: late(), states: "unconfigured configuring inactive activating active", published: "unconfigured",
				ends: "active, wants armed, behind"}}},
		{name: "a failure of it is its own affair", all: []instance{a, {
			script: never, keys: "last_resort: hold\n", tell: late(), published: "unconfigured",
			ends: "inactive, wants armed, behind",
		}}},
		{name: "a peer that was cut off", all: []instance{
			{script: up, tell: []simnet.Beat{asks(1.5, "arm"), does(2, simnet.Cut{Sides: []int{0, 1}}),
				asks(5, "deactivate"), asks(5.2, "disarm"), asks(5.5, "deactivate"), does(6, simnet.Heal{})},
				ends: "inactive, wants inactive"},
			{script: up, states: "arming armed disarming active deactivating inactive", published: "none",
				ends: "inactive, wants inactive"},
		}},
		{name: "a peer that is cut off is not armed by the heal", all: []instance{
			{script: up, tell: []simnet.Beat{asks(1.5, "deactivate"), asks(2, "activate"),
				does(3, simnet.Cut{Sides: []int{0, 1}}), asks(5, "arm"), does(6, simnet.Heal{})},
				ends: "armed, wants armed"},
			{script: up, states: "deactivating inactive activating active", published: "none",
				ends: "active, wants armed, behind"},
		}},
		{name: "who stood still catches up", all: []instance{
			{tell: []simnet.Beat{asks(1.5, "configure"), asks(3, "activate")}, ends: "active, wants active"},
			{tell: []simnet.Beat{does(2.9, simnet.Stall{For: 2 * time.Second})}, ends: "active, wants active"},
		}},
	})
}

// TestP6AnotherMachine is shown and not followed.
func TestP6AnotherMachine(t *testing.T) {
	other := "extends: rstate\nstates:\n  mapping: {nodes: active}\ntransitions:\n  map: {from: [inactive], to: mapping}\n  unmap: {from: [mapping], to: inactive}\n"
	trace := several{all: []instance{
		{tell: []simnet.Beat{asks(1.5, "configure")}, ends: "inactive, wants inactive"},
		{keys: other, states: "none", ends: "unconfigured, wants "},
	}}.run(t)
	if p := trace.Worlds[1].Last.Peers.All; len(p) != 1 || p[0].SameMachine || len(trace.Worlds[1].Last.Warnings) != 1 {
		t.Errorf("/b shows %+v, and warns %v", p, trace.Worlds[1].Last.Warnings)
	}
}

// TestP9PlainPeers are followed where the file lists them.
func TestP9PlainPeers(t *testing.T) {
	says := simnet.Hear{In: engine.PeerChanged{Change: mirror.Change{Name: "/nrp", SourceState: "unconfigured",
		Event: "go", TargetState: "armed"}}}
	play(t, []story{
		{name: "listed, never into armed", keys: "peers: {plain: [/nrp]}\n",
			tell:   []simnet.Beat{when(simnet.Then(), says)},
			states: "unconfigured configuring inactive activating active", published: "unconfigured"},
		{name: "not listed", tell: []simnet.Beat{when(simnet.Then(), says)}, states: "unconfigured",
			published: "unconfigured"},
	})
}

// TestF7WhoLeavesSaysSo: before its silence is noticed.
func TestF7WhoLeavesSaysSo(t *testing.T) {
	trace := several{all: []instance{{}, {tell: []simnet.Beat{does(2, simnet.Stop{})}}}}.run(t)
	if p := trace.Worlds[0].Last.Peers.All; len(p) != 1 || !p[0].Leaving || p[0].Alive {
		t.Errorf("/a shows %+v", p)
	}
}

// TestS1ANodeThatAPeerDrivesToo refuses what raises, and says why; lowering is taken.
func TestS1ANodeThatAPeerDrivesToo(t *testing.T) {
	also := told("unconfigured", nil, func(s *mirror.Status) { s.Nodes = []string{"/x", "/slam"} })
	several := told("unconfigured", nil, func(s *mirror.Status) { s.Nodes = []string{"/camera", "/slam", "/lidar"} })
	play(t, []story{
		{
			name: "several nodes are one line", tell: []simnet.Beat{when(simnet.Then(), several), send("configure")},
			goals: "configure: rejected",
			why:   ": /lidar, /slam, /camera are driven by /b too, and a node has one coordinator only: take them out of one of the two files",
		},
		{
			name: "refused", tell: []simnet.Beat{when(simnet.Then(), also), send("configure")},
			goals: "configure: rejected",
			why:   "/slam is driven by /b too, and a node has one coordinator only: take it out of one of the two files",
		},
		{name: "lowering", first: []string{"configure"},
			tell: []simnet.Beat{when(simnet.Then(), also), send("cleanup")}, goals: "cleanup: succeeded done"},
		{name: "when it has gone", tell: []simnet.Beat{when(simnet.Then(), also), when(simnet.Then(), lost()),
			send("configure")}, goals: "configure: succeeded done"},
	})
}
