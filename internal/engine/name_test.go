package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// Others of our name: "instance 1" is the one that is tested.
const older, younger = "instance 0", "instance 2"

func rival(r simnet.Rival) []simnet.Beat { return []simnet.Beat{when(simnet.At(0), r)} }

// TestS1AStartYieldsToWhoHoldsTheName: before it has taken the name, a start ends when another instance answers, or
// lives and is past its start, or older; nothing is asked of any node.
func TestS1AStartYieldsToWhoHoldsTheName(t *testing.T) {
	up := at(ac, ac, ac, ac) // it would disarm
	armed := up["/arm_driver"]
	armed.Armed = true
	up["/arm_driver"] = armed
	yields := story{scripts: up, states: "none", calls: "none", ends: "active active active active*", exit: 4}
	goesOn := story{scripts: up, states: "active", calls: "disarm arm_driver", ends: "active active active active"}
	for _, r := range []struct {
		name string
		tell []simnet.Beat
		story
	}{
		{"it has answered", rival(simnet.Rival{Instance: younger, Answered: true}), yields},
		{"it is past its start, and lives", rival(simnet.Rival{Instance: younger, Holds: true, Renews: true}), yields},
		{"it was past its start, and nothing shows that it lives", rival(simnet.Rival{Instance: older, Holds: true}),
			goesOn},
		{"both start, and it is the older", rival(simnet.Rival{Instance: older, Renews: true}), yields},
		{"both start, and it is the younger", rival(simnet.Rival{Instance: younger, Renews: true}), goesOn},
		{"our own words", rival(simnet.Rival{Instance: "instance 1", Holds: true, Renews: true, Answered: true}), goesOn},
		{"it is seen and never heard: a ghost", rival(simnet.Rival{}), goesOn},
		{"it is seen, and heard before a second has passed",
			append(rival(simnet.Rival{}), when(simnet.At(900*ms), simnet.Rival{Instance: older, Answered: true})),
			yields},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := r.story
			s.early = r.tell
			trace := s.run(t)
			if trace.Exit != nil && (!strings.Contains(trace.Exit.Why, "another rstate has the name /rstate") ||
				!strings.Contains(trace.Exit.Why, "__node:=")) {
				t.Errorf("it ends with %q", trace.Exit.Why)
			}
		})
	}
}

// TestS1NothingIsWrittenWhileTheNameIsInDoubt: an instance that only the graph shows has a second
// to prove that it lives. A start listens on for a while after the last node was found.
func TestS1NothingIsWrittenWhileTheNameIsInDoubt(t *testing.T) {
	for _, r := range []struct {
		name   string
		listen engine.Listen
		tell   []simnet.Beat
		from   time.Duration
	}{
		{"another node is seen", engine.Listen{}, rival(simnet.Rival{}), time.Second},
		{"a younger one is heard again and again", engine.Listen{}, []simnet.Beat{
			when(simnet.At(0), simnet.Rival{Instance: younger}),
			when(simnet.At(700*ms), simnet.Rival{Instance: younger}),
		}, 1700 * ms},
		{"a node is a network, and does not say what it drives", engine.Listen{},
			[]simnet.Beat{when(simnet.At(0), simnet.Child{Node: "/slam"})}, 3 * time.Second},
		{"a node is a network, and says so after a while", engine.Listen{}, []simnet.Beat{
			when(simnet.At(0), simnet.Child{Node: "/slam"}),
			when(simnet.At(700*ms), simnet.Child{Node: "/slam", Simulation: "other"}),
		}, 700 * ms},
		{"the last node was found just now", engine.Listen{Least: 300 * ms}, nil, 300 * ms},
	} {
		t.Run(r.name, func(t *testing.T) {
			trace := story{scripts: at(ac, ac, ac, ac), opt: simnet.Options{Listen: r.listen}, early: r.tell}.run(t)
			if first := trace.Calls[0]; first.At < r.from || first.At > r.from+20*ms {
				t.Errorf("%s at %v, want it at %v\n%v", first.Do, first.At, r.from, trace)
			}
		})
	}
}

// TestS1TheYoungerYieldsLater: two that find each other when both hold the name. Only an answer counts; the goals of
// the one that ends are aborted, and it disarms what it has armed and nothing else.
func TestS1TheYoungerYieldsLater(t *testing.T) {
	hears := func(r simnet.Rival) []simnet.Beat { return []simnet.Beat{when(simnet.Then(), r)} }
	proof := simnet.Rival{Instance: older, Holds: true, Answered: true}
	deaf := simnet.Script{Disarm: []simnet.Reply{{Silent: true}}}
	play(t, []story{
		{name: "the older has answered", first: ways[2].way, tell: hears(proof), states: "none", calls: "none",
			ends: "active active active active", exit: 4},
		{name: "and this one has armed", first: ways[3].way, tell: hears(proof), states: "disarming", published: "none",
			calls: "disarm arm_driver", ends: "active active active active", exit: 4},
		{
			name: "its node does not confirm, and the lease ends all the same", first: ways[3].way,
			scripts: one("/arm_driver", deaf), tell: hears(proof),
			states: "disarming", published: "none", ends: "active active active active", exit: 6,
		},
		{
			name: "one that follows no lease does not confirm",
			net:  "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}}\n", first: ways[3].way,
			scripts: one("/a", deaf), tell: hears(proof), states: "disarming", ends: "active*", exit: 6,
		},
		{
			name: "when it is finalized already, and its node has not confirmed", first: ways[3].way,
			scripts: one("/arm_driver", simnet.Script{Disarm: deaf.Disarm,
				On: []simnet.On{{Do: "shutdown", End: simnet.Hang}}}),
			tell:   []simnet.Beat{send("shutdown"), when(simnet.Shown("finalized"), proof)},
			states: "shuttingdown finalized", exit: 6,
		},
		{name: "the older lives, and has not answered", first: ways[3].way,
			tell: hears(simnet.Rival{Instance: older, Holds: true, Renews: true}), states: "none", calls: "none",
			ends: "active active active active*"},
		{name: "it is the younger that has answered", first: ways[3].way,
			tell: hears(simnet.Rival{Instance: younger, Holds: true, Answered: true}), states: "none", calls: "none",
			ends: "active active active active*"},
		{
			name: "the younger has taken over while this one stood still", first: ways[3].way, states: "none",
			calls: "none", ends: "active active active active*", exit: 4,
			tell: hears(simnet.Rival{Instance: younger, Holds: true, Answered: true, Stood: true}),
		},
		{
			name: "in the middle of a transition", first: ways[1].way,
			scripts: one("/lidar", on("activate", simnet.On{Takes: time.Second})),
			tell:    []simnet.Beat{send("activate"), when(simnet.Begun("activate", "/lidar"), proof)},
			goals:   "activate: aborted preempted", calls: "activate lidar, activate camera",
			why: "this one is the younger", exit: 4,
		},
		{
			name:  "one that came armed, perhaps, is left to the other",
			net:   "simulation: x\nnodes:\n  /a: {arm: {}}\n  /b: {arm: {}, optional: true, late: leave}\n",
			first: ways[3].way, scripts: map[string]simnet.Script{"/a": deaf, "/b": {Never: true, Disarm: deaf.Disarm}},
			tell: []simnet.Beat{
				when(simnet.Then(), simnet.Respawn{Node: "/b", State: ac}),
				when(simnet.Called("disarm", "/b").Later(500*ms), proof),
			},
			calls: "disarm b, disarm a, disarm a, disarm a", ends: "active active", exit: 6,
		},
		{
			name:    "armed by an earlier life, which is the other's business",
			scripts: one("/arm_driver", simnet.Script{State: ac, Armed: true, Disarm: []simnet.Reply{{Silent: true}}}),
			early:   []simnet.Beat{when(simnet.Called("disarm", "/arm_driver").Later(100*ms), proof)},
			calls:   "disarm arm_driver", exit: 4,
		},
	})
}

// TestS1AnotherOfTheNameIsShown: one that stays in spite of a rival says so while that is heard, and names nodes that
// are no rstate at all; neither stops anything.
func TestS1AnotherOfTheNameIsShown(t *testing.T) {
	net := story{}.network(t)
	state := engine.New(net, engine.Options{Instance: "instance 1", Name: "/rstate"})
	step := func(at time.Duration, in engine.Input) []string {
		state, _ = engine.Step(state, engine.Time{Steady: at}, in)
		return state.Snapshot().Warnings
	}
	step(0, engine.Tick{})
	step(4*time.Second, engine.Tick{})
	step(5*time.Second, engine.NameTaken{Instance: younger, Holds: true})
	var out []engine.Effect
	state, out = engine.Step(state, engine.Time{Steady: 5 * time.Second},
		engine.NameTaken{Instance: younger, Holds: true, Answered: true, Who: "with other.yaml"})
	if !slices.Contains(out, engine.Effect(engine.Show{})) {
		t.Errorf("it is not shown who the other one is: %v", out)
	}
	heard := step(5*time.Second, engine.Tick{})
	if len(heard) != 1 || !strings.Contains(heard[0], "instance 2, with other.yaml") {
		t.Errorf("warns of %q", heard)
	}
	if left := step(9*time.Second, engine.Tick{}); len(left) > 0 {
		t.Errorf("still warns of %q", left)
	}
	if shared := step(10*time.Second, engine.NameShared{Others: 1}); len(shared) != 1 ||
		!strings.Contains(shared[0], "no rstate") {
		t.Errorf("warns of %q", shared)
	}
	if gone := step(11*time.Second, engine.NameShared{}); len(gone) > 0 {
		t.Errorf("still warns of %q", gone)
	}
}

// TestS1AChildThatLeadsBackIsRefused: a network that is a node of ours must not drive us, nor bear our simulation id.
// At the start that ends rstate; later the node is not as it should be, nothing is raised, and nothing is asked of it.
func TestS1AChildThatLeadsBackIsRefused(t *testing.T) {
	back := simnet.Child{Node: "/slam", Simulation: "other", Way: []string{"/lift", "/rstate"}}
	same := simnet.Child{Node: "/slam", Simulation: "demo"}
	fine := simnet.Child{Node: "/slam", Simulation: "other"}
	asked := simnet.Send{Command: "activate"}
	later := func(c simnet.Child) []simnet.Beat {
		return []simnet.Beat{when(simnet.Then(), c), when(simnet.Then().Later(10*ms), asked)}
	}
	play(t, []story{
		{name: "found at the start", early: []simnet.Beat{when(simnet.At(0), back)}, states: "none", calls: "none",
			exit: 3},
		{name: "of the same simulation", early: []simnet.Beat{when(simnet.At(0), same)}, states: "none", calls: "none",
			exit: 3},
		{name: "any other network", early: []simnet.Beat{when(simnet.At(0), fine)}, states: "unconfigured"},
		{name: "found later", first: ways[1].way, tell: later(back), states: "none", calls: "none",
			goals: "activate: rejected", why: "/slam is a network that leads back to this one (/slam lists /lift, which lists /rstate)"},
		{name: "the same simulation, later", first: ways[1].way, tell: later(same), states: "none", calls: "none",
			goals: "activate: rejected", why: "/slam is a network of the same simulation, demo"},
		{name: "any other, later", first: ways[1].way, tell: later(fine), states: "activating active",
			goals: "activate: succeeded done"},
		{
			name: "in the middle of a transition", first: ways[1].way,
			scripts: one("/lidar", on("activate", simnet.On{Takes: time.Second})),
			tell:    []simnet.Beat{send("activate"), when(simnet.Begun("activate", "/lidar"), back)},
			goals:   "activate: aborted restored", states: "activating errorprocessing inactive", why: "/slam",
			calls: "activate lidar, activate camera, deactivate camera, deactivate lidar",
		},
		{
			name: "while armed", first: ways[3].way, tell: []simnet.Beat{when(simnet.Then(), back)},
			states: "disarming active",
			calls:  "disarm arm_driver", ends: "active active active active",
		},
		{
			name: "whatever the policy", keys: "defaults: {on_drift: error}\n", first: ways[1].way,
			tell:   []simnet.Beat{when(simnet.Then(), back)},
			states: "none", calls: "none",
		},
	})
}

// TestS1AStopBeforeTheNameIsTakenTouchesNothing: nothing is this one's yet, whatever the file says of its end.
func TestS1AStopBeforeTheNameIsTakenTouchesNothing(t *testing.T) {
	play(t, []story{{
		name: "on_exit: shutdown", keys: "on_exit: shutdown\n", scripts: at(ac, no, ac, ac),
		early:  []simnet.Beat{when(simnet.At(time.Second), simnet.Stop{})},
		states: "none", calls: "none", ends: "active - active active", exit: 1,
	}})
}
