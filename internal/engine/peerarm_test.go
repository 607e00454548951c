package engine_test

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/simnet"
)

const requiresB = "peers: {required: [/b]}\n"

// TestP7NothingIsArmedWithoutRequiredPeers: the client learns every reason, and no node gets a
// request.
func TestP7NothingIsArmedWithoutRequiredPeers(t *testing.T) {
	cast(t, []several{
		{name: "all are fit", all: []instance{
			{keys: requiresB, script: up, tell: []simnet.Beat{asks(2, "arm")}, goals: "arm 2: succeeded done",
				published: "armed+"},
			{script: up, ends: "armed, wants armed"},
		}},
		{name: "each reason is named", all: []instance{
			{
				keys: "peers: {required: [/b, /y, /z]}\n", script: up, tell: []simnet.Beat{asks(2, "arm")},
				goals: "arm 2: rejected", published: "none",
				why: "required peer /b: is inactive, which is lower than active (send active to it); " +
					"required peer /y: is not there (start it); required peer /z: is not there (start it)",
			},
			{script: simnet.Script{State: in}},
		}},
		{name: "by the name of the state", all: []instance{
			{keys: requiresB, script: up, tell: []simnet.Beat{asks(2, "armed")}, goals: "armed 2: rejected",
				why: "/b: is inactive"},
			{script: simnet.Script{State: in}},
		}},
		{name: "it was lost", all: []instance{
			{keys: requiresB, script: up, tell: []simnet.Beat{asks(4, "arm")}, goals: "arm 4: rejected",
				why: "/b: lost for "},
			{script: up, tell: []simnet.Beat{does(2, simnet.Crash{DownFor: 20 * time.Second})}},
		}},
		{name: "on the way to armed it is waited for", all: []instance{
			{keys: requiresB, tell: []simnet.Beat{asks(2, "armed")}, goals: "armed 2: succeeded done",
				published: "inactive+ active+ armed+"},
			{script: simnet.Script{On: []simnet.On{{Do: "activate", Takes: time.Second}}}, ends: "armed, wants armed"},
		}},
		{name: "and not for ever", all: []instance{
			{
				keys: "peers: {required: [/b], deadline: 1s}\n", tell: []simnet.Beat{asks(2, "armed")},
				goals: "armed 2: aborted restored",
				why:   "arm failed: /b is activating, on its way to active (wait for its end); the network is active again",
			},
			{script: simnet.Script{On: []simnet.On{{Do: "activate", Takes: 1900 * ms}}}},
		}},
		{name: "one that cannot follow takes down the one that requires it", all: []instance{
			{keys: requiresB, tell: []simnet.Beat{asks(2, "armed")}, goals: "armed 2: aborted superseded",
				why: "superseded by /b: ", ends: "inactive, wants inactive"},
			{script: simnet.Script{On: []simnet.On{{Do: "activate", End: simnet.Refuse}}},
				ends: "inactive, wants inactive"},
		}},
	})
}

// TestP7ARequiredPeerThatIsNotFitDisarms at once, one way, and stays disarmed.
func TestP7ARequiredPeerThatIsNotFitDisarms(t *testing.T) {
	armed := "arming armed disarming active"
	arms := []simnet.Beat{asks(2, "arm")}
	cast(t, []several{
		{name: "it is killed", all: []instance{
			{keys: requiresB, script: up, tell: arms, states: armed, ends: "active, wants armed, behind",
				history: "disarm: required peers: /b: lost for 0s"},
			{script: up, tell: []simnet.Beat{does(3, simnet.Crash{DownFor: 30 * time.Second})}},
		}},
		{name: "it stands still", all: []instance{
			{keys: requiresB, script: up, tell: arms, states: armed},
			{script: up, tell: []simnet.Beat{does(3, simnet.Stall{For: 3 * time.Second})}},
		}},
		{name: "it leaves", all: []instance{
			{keys: requiresB, script: up, tell: arms, states: armed,
				history: "disarm: required peers: /b: is about to end", not: "errorprocessing"},
			{script: up, tell: []simnet.Beat{does(3, simnet.Stop{})}},
		}},
		{name: "it loses a node", all: []instance{
			{keys: requiresB, script: up, tell: arms, states: armed, ends: "active, wants active"},
			{script: up, tell: []simnet.Beat{does(3, simnet.Kill{Node: "/b_base"})}, published: "disarming+ active",
				ends: "active, wants active"},
		}},
		{name: "it is cut off", all: []instance{
			{keys: requiresB, script: up,
				tell: append(arms, does(3, simnet.Cut{Sides: []int{0, 1}}), does(6, simnet.Heal{})), states: armed,
				ends: "active, wants armed, behind"},
			{script: up, ends: "armed, wants armed"},
		}},
		{name: "while arming", all: []instance{
			{
				keys: requiresB, script: up, arm: []simnet.Reply{{Takes: 2 * time.Second}}, tell: arms,
				goals: "arm 2: aborted restored",
				why:   "arm failed: /b lost for 0s", states: "arming errorprocessing active",
			},
			{script: up, tell: []simnet.Beat{does(2.5, simnet.Crash{DownFor: 30 * time.Second})}},
		}},
		{name: "one that is not required", all: []instance{
			{script: up, tell: arms, states: "arming armed", ends: "armed, wants armed"},
			{script: up, tell: []simnet.Beat{does(3, simnet.Crash{DownFor: 30 * time.Second})}},
		}},
	})
}

// TestP7AMirroredArmTakesWhatArmTakes: its own proofs, and its own authority; else it is behind and says why.
func TestP7AMirroredArmTakesWhatArmTakes(t *testing.T) {
	arms := instance{script: up, tell: []simnet.Beat{asks(2, "arm")}, published: "armed+", ends: "armed, wants armed"}
	for _, c := range []struct {
		name, warns string
		instance
	}{
		{"it is ready", "", instance{script: up, states: "arming armed", ends: "armed, wants armed"}},
		{"it has nothing that can be armed", "",
			instance{script: up, plain: true, states: "arming armed", ends: "armed, wants armed"}},
		{"authority is its own", "arming asks for authority here",
			instance{keys: "arming: {secret_file: /x}\n", script: up, states: "none",
				ends: "active, wants armed, behind"}},
		{"it is not intact", "the network is not intact", instance{
			script: up, tell: []simnet.Beat{does(1, simnet.Kill{Node: "/b_base"})}, states: "none",
			ends: "active, wants armed, behind",
		}},
		{"its node refuses", "arm failed: /b_arm arm: answered no", instance{
			script: up, arm: []simnet.Reply{{No: true}}, states: "arming errorprocessing active", published: "none",
			ends: "active, wants armed, behind",
		}},
		{"its own required peer is not there", "required peer /z: is not there (start it)", instance{
			keys: "peers: {required: [/z]}\n", script: up, states: "none", ends: "active, wants armed, behind",
		}},
		{"it is lower", "", instance{script: simnet.Script{State: in}, states: "activating active",
			ends: "active, wants armed, behind"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := several{all: []instance{arms, c.instance}}.run(t)
			if w := strings.Join(trace.Worlds[1].Last.Warnings, "\n"); !strings.Contains(w, c.warns) {
				t.Errorf("it warns %q, want %q", w, c.warns)
			}
		})
	}
}

// TestA1APeerMayHaveWhatCanBeArmed: an instance without anything that can be armed takes Arm where a peer lives that
// follows.
func TestA1APeerMayHaveWhatCanBeArmed(t *testing.T) {
	cast(t, []several{
		{name: "a peer follows", all: []instance{
			{script: up, plain: true, tell: []simnet.Beat{asks(2, "arm")}, goals: "arm 2: succeeded done",
				published: "armed+", ends: "armed, wants armed"},
			{script: up, states: "arming armed", ends: "armed, wants armed"},
		}},
		{name: "no peer is present", all: []instance{
			{script: up, plain: true, tell: []simnet.Beat{asks(2, "arm")}, goals: "arm 2: rejected",
				why: "nothing can be armed", ends: "active, wants "},
		}},
	})
}

// TestP7NoArmAfterAStandstill: an arm that is heard within a second after the process stood still may be older than it
// seems, and is not followed. A later one is.
func TestP7NoArmAfterAStandstill(t *testing.T) {
	stands := does(2, simnet.Stall{For: 900 * ms})
	cast(t, []several{
		{name: "just after it", all: []instance{
			{script: up, tell: []simnet.Beat{asks(3.2, "arm")}, ends: "armed, wants armed"},
			{script: up, tell: []simnet.Beat{stands}, states: "unknown active", ends: "active, wants armed, behind"},
		}},
		{name: "later", all: []instance{
			{script: up, tell: []simnet.Beat{asks(5, "arm")}, ends: "armed, wants armed"},
			{script: up, tell: []simnet.Beat{stands}, states: "unknown active arming armed",
				ends: "armed, wants armed"},
		}},
	})
}
