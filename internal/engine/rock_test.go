package engine_test

import (
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

const rock = "simulation: demo\nmachine: rock\nnodes:\n  /a: {}\n  /b: {after: [/a]}\n"

// The life of Rock components: what a hook that refuses or errs leads to, exceptions, and fatal errors.
func TestPresetRock(t *testing.T) {
	refuse, err := simnet.On{End: simnet.Refuse}, simnet.On{End: simnet.Err}
	running := []string{"configure", "start"}
	play(t, []story{
		{
			name: "a whole life", net: rock, tell: []simnet.Beat{
				send("configure"), after("configure", "start"), after("start", "stop"), after("stop", "cleanup"),
				after("cleanup", "shutdown"),
			},
			states: "preoperational stopped running stopped preoperational finalized", ends: "finalized finalized",
			exit: 1,
		},
		{
			name: "a refused configure changes nothing", net: rock, scripts: one("/b", on("configure", refuse)),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: aborted restored", states: "preoperational", ends: "unconfigured unconfigured",
		},
		{
			name: "a configure that errs changes nothing", net: rock, scripts: one("/b", on("configure", err)),
			tell:  []simnet.Beat{send("configure")},
			goals: "configure: aborted restored", states: "preoperational", ends: "unconfigured unconfigured",
		},
		{
			name: "a start that errs is refused, and its node configured again", net: rock,
			first: []string{"configure"}, scripts: one("/b", on("activate", err)),
			tell: []simnet.Beat{send("start")}, goals: "start: aborted restored", states: "none",
			ends:  "inactive inactive",
			calls: "activate a, activate b, deactivate a, configure b",
		},
		{
			name: "an error in stop is an exception", net: rock, first: running,
			scripts: one("/b", on("deactivate", err)), tell: []simnet.Beat{send("stop")},
			goals: "stop: aborted restored", ends: "unconfigured unconfigured", why: "/b deactivate erred",
		},
		{
			name: "an error on the way to exception is fatal", net: rock, first: running,
			scripts: one("/b", simnet.Script{On: []simnet.On{{Do: "deactivate", End: simnet.Err}}}),
			tell:    []simnet.Beat{send("exception")},
			goals:   "exception: aborted restored", states: "fatal",
		},
		{
			name: "exception is left by reset", net: rock, first: append(running, "exception"),
			tell:  []simnet.Beat{send("reset"), after("reset", "configure")},
			goals: "reset: succeeded done, configure: succeeded done", states: "preoperational stopped",
			ends: "inactive inactive",
		},
		{
			name: "not by configure", net: rock, first: append(running, "exception"),
			tell: []simnet.Beat{send("configure")}, goals: "configure: rejected",
		},
		{
			name: "a node that errs while running", net: rock, first: running,
			tell: []simnet.Beat{when(simnet.Then(), simnet.Raise{Node: "/b"}),
				when(simnet.Then().Later(3*time.Second), simnet.Nothing{})},
			states: "exception", ends: "unconfigured unconfigured",
		},
	})
}

// TestE10NodesWithoutConfiguration: such a node may stay unconfigured where inactive is asked of it, and is configured
// when active is.
func TestE10NodesWithoutConfiguration(t *testing.T) {
	net := "simulation: demo\nmachine: rock\nnodes:\n  /a: {}\n  /b: {after: [/a], needs_configuration: false}\n"
	wait := when(simnet.Then().Later(3*time.Second), simnet.Nothing{})
	play(t, []story{
		{name: "configure leaves it alone", net: net, tell: []simnet.Beat{here, send("configure"), wait},
			goals: "configure: succeeded done", states: "stopped", calls: "configure a", ends: "inactive unconfigured"},
		{
			name: "start configures it", net: net, first: []string{"configure"}, tell: []simnet.Beat{send("start")},
			goals: "start: succeeded done", calls: "activate a, configure b, activate b", ends: "active active",
		},
		{
			name: "stop leaves it inactive, and cleanup takes it down", net: net, first: []string{"configure", "start"},
			tell:  []simnet.Beat{send("stop"), after("stop", "cleanup")},
			goals: "stop: succeeded done, cleanup: succeeded done",
			calls: "deactivate b, deactivate a, cleanup b, cleanup a", ends: "unconfigured unconfigured",
		},
		{
			name: "a start that fails", net: net, first: []string{"configure"},
			scripts: one("/b", on("activate", simnet.On{End: simnet.Refuse})), tell: []simnet.Beat{send("start")},
			goals: "start: aborted restored", ends: "inactive inactive", // it may be
		},
		{
			name: "another tool may configure it", net: net, first: []string{"configure"}, states: "none",
			ends: "inactive inactive",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/b", To: lifecycle.Inactive}), wait},
		},
		{
			name: "but not activate it", net: net, first: []string{"configure"},
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/b", To: lifecycle.Active}), soon("start")},
			goals: "start: rejected", why: "not intact", ends: "inactive active",
		},
	})
}

// soon sends a command when what has happened is known.
func soon(command string) simnet.Beat {
	return when(simnet.Then().Later(time.Second), simnet.Send{Command: command})
}

// TestM4TheExceptionGroup: an error takes the group to exception, and the other nodes stay as they are.
func TestM4TheExceptionGroup(t *testing.T) {
	net := "simulation: demo\nmachine: rock\nnodes:\n  /a: {}\n  /b: {}\n  /c: {}\ngroups: {drive: [/a, /b]}\nexception_group: drive\n"
	wait := when(simnet.Then().Later(3*time.Second), simnet.Nothing{})
	play(t, []story{
		{
			name: "one of the group errs", net: net, first: []string{"configure", "start"},
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Raise{Node: "/b"}), wait},
			states: "exception", ends: "unconfigured unconfigured active",
		},
		{
			name: "another one errs", net: net, first: []string{"configure", "start"},
			tell:   []simnet.Beat{when(simnet.Then(), simnet.Raise{Node: "/c"}), wait},
			states: "exception", ends: "unconfigured unconfigured unconfigured",
		},
		{
			name: "reset is for all", net: net, first: []string{"configure", "start", "exception"},
			tell:  []simnet.Beat{send("reset")},
			goals: "reset: succeeded done", states: "preoperational", ends: "unconfigured unconfigured unconfigured",
		},
	})
}

// TestP4ReactionsAmongPeers: a reaction concerns only the peers that require this instance.
func TestP4ReactionsAmongPeers(t *testing.T) {
	rocks := "machine: rock\n"
	fails := does(5, simnet.Raise{Node: "/b_base"})
	cast(t, []several{
		{
			name: "required", mark: 4 * time.Second, all: []instance{
				{keys: rocks + "peers: {required: [/b]}\n", plain: true,
					tell: []simnet.Beat{asks(2, "configure"), asks(3, "start")}, states: "exception", published: "none",
					ends: "exception, wants exception"},
				{keys: rocks, plain: true, tell: []simnet.Beat{fails}, states: "exception",
					ends: "exception, wants exception"},
			},
		},
		{
			name: "not required", mark: 4 * time.Second, all: []instance{
				{keys: rocks, plain: true, tell: []simnet.Beat{asks(2, "configure"), asks(3, "start")}, states: "none",
					published: "none", ends: "running, wants running"},
				{keys: rocks, plain: true, tell: []simnet.Beat{fails}, states: "exception",
					ends: "exception, wants running, behind"},
			},
		},
	})
}

// TestF1AnErrorThatLeadsToTheTarget: error processing takes a node to unconfigured, where cleanup leads as well. The
// error counts, in whatever order its announcements, its answer and reads come.
func TestF1AnErrorThatLeadsToTheTarget(t *testing.T) {
	for seed := range uint64(64) {
		for _, obeys := range []bool{false, true} {
			opt := simnet.Options{Seed: seed + 1, Latency: simnet.Range{Min: ms / 10, Max: 40 * ms}}
			scripts := one("/b", on("cleanup", simnet.On{End: simnet.Err}))
			want := "cleanup: aborted restored"
			if obeys {
				scripts, want = nil, "cleanup: succeeded done"
			}
			story{
				name: "cleanup", net: rock, first: []string{"configure"}, scripts: scripts, opt: opt,
				tell: []simnet.Beat{send("cleanup")}, goals: want,
				ends: "unconfigured unconfigured",
			}.run(t)
		}
	}
}
