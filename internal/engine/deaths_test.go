package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rstate/internal/lifecycle"
	"rstate/internal/simnet"
)

// untold is a world in which only the middleware notices the end of a process, and takes 20 s for it: nodes of other
// hosts and of other users.
var untold = simnet.Options{Notice: 20 * time.Second, Rest: 40 * time.Second}

// TestF2CrashInACallbackIsRolledBack: a node that crashes in its callback takes no healthy node down with it further
// than the rollback does, and the daemon lives, whenever the middleware notices the crash.
func TestF2CrashInACallbackIsRolledBack(t *testing.T) {
	const quick = "defaults: {deadline: {configure: 10s}}\n"
	for _, c := range []struct {
		command string
		first   []string
		outcome string
		cancel  bool
	}{
		{"configure", nil, "aborted restored", false},
		{"activate", ways[1].way, "aborted unconfigured", false},
		{"deactivate", ways[2].way, "aborted unconfigured", false},
		{"cleanup", ways[1].way, "aborted unconfigured", false},
		{"configure", nil, "canceled canceled", true},
		{"activate", ways[1].way, "aborted unconfigured", true},
	} {
		for _, after := range []time.Duration{50 * ms, 2 * time.Second, 9900 * ms, 14 * time.Second} {
			s := story{
				name: fmt.Sprintf("%s, after %v, cancelled: %v", c.command, after, c.cancel), keys: quick, opt: untold,
				first:   c.first,
				scripts: one("/slam", on(c.command, simnet.On{End: simnet.Die, Takes: after})),
				tell:    []simnet.Beat{send(c.command)},
				goals:   c.command + ": " + c.outcome, ends: "unconfigured - unconfigured unconfigured",
			}
			if c.cancel {
				s.tell = append(s.tell, when(simnet.Begun(c.command, "/slam"), simnet.Cancel{Handle: c.command}))
			}
			play(t, []story{s})
		}
	}
	for _, deadline := range []time.Duration{300 * ms, 700 * ms, 1500 * ms} {
		play(t, []story{{
			name: fmt.Sprintf("whose deadline is %v", deadline),
			keys: fmt.Sprintf("defaults: {deadline: {activate: %v}}\n", deadline), opt: untold,
			first: ways[1].way, scripts: one("/slam", on("activate", simnet.On{End: simnet.Die, Takes: 50 * ms})),
			tell: []simnet.Beat{send("activate")}, goals: "activate: aborted unconfigured",
		}})
	}
	play(t, []story{{
		name: "in the callback that takes a step back", keys: quick, opt: untold, first: ways[1].way,
		goals: "activate: aborted unconfigured",
		scripts: map[string]simnet.Script{
			"/lidar":      on("deactivate", simnet.On{End: simnet.Die, Takes: 2 * time.Second}),
			"/arm_driver": on("activate", simnet.On{End: simnet.Refuse}),
		},
		tell: []simnet.Beat{send("activate")}, ends: "- unconfigured unconfigured unconfigured",
	}, {
		name: "at rest, and its silence is noticed by a command", keys: quick, opt: untold, first: ways[2].way,
		goals: "deactivate: aborted unconfigured",
		tell:  []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/slam"}), send("deactivate")},
		ends:  "unconfigured - unconfigured unconfigured",
	}})
}

// TestF2ANodeThatHangsEndsTheWait: a living node that never answers is waited for no longer than a dead one, and not at
// all beyond `deadline.recover` where that is set or where the node shows that it lives.
func TestF2ANodeThatHangsEndsTheWait(t *testing.T) {
	const quick = "defaults: {deadline: {configure: 1s, activate: 1s, shutdown: 1s%s}}\n"
	hangs := simnet.On{End: simnet.Hang}
	for _, c := range []struct {
		name, recover string
		parallel      bool
		least, most   time.Duration
		outcome       string
		exit          int
	}{
		{"silent", "", false, 25 * time.Second, 28 * time.Second, "unconfigured", 0},
		{"silent, with a deadline", ", recover: 3s", false, 3 * time.Second, 7 * time.Second, "unconfigured", 0},
		{"it answers reads", "", true, 2 * time.Second, 4 * time.Second, "finalized", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := on("activate", hangs)
			script.Parallel = c.parallel
			trace := story{
				keys: fmt.Sprintf(quick, c.recover), opt: untold, first: ways[1].way, scripts: one("/slam", script),
				tell: []simnet.Beat{send("activate")}, goals: "activate: aborted " + c.outcome, exit: c.exit,
			}.run(t)
			if g := trace.Goal("activate"); g.Ended-g.Asked < c.least || g.Ended-g.Asked > c.most {
				t.Errorf("it took %v, not %v to %v", g.Ended-g.Asked, c.least, c.most)
			}
		})
	}
}

// TestF1NoNodeIsRaisedForASilentOne: a lowering that a silent node made fail is not taken back by raising the others
// before that node has shown that it lives.
func TestF1NoNodeIsRaisedForASilentOne(t *testing.T) {
	const free = "simulation: demo\nnodes:\n  /lidar: {}\n  /slam: {}\n  /radar: {after: [/lidar]}\n"
	raised := func(t *testing.T, trace *simnet.Trace) {
		t.Helper()
		for _, c := range trace.Calls {
			if c.At >= trace.Marked && (c.Do == "activate" || c.Do == "configure") {
				t.Errorf("%s is asked to %s after %v", c.Node, c.Do, c.At-trace.Marked)
			}
		}
	}
	for _, net := range []string{demo, free} {
		for _, c := range []struct {
			command, outcome string
			exit             int
			first            []string
			dies             bool
		}{
			{"unconfigured", "aborted unconfigured", 0, ways[2].way, true},
			{"unconfigured", "aborted unconfigured", 0, ways[2].way, false},
			{"unconfigured", "aborted unconfigured", 0, ways[1].way, true},
			{"deactivate", "aborted unconfigured", 0, ways[2].way, true},
			{"deactivate", "aborted unconfigured", 0, ways[2].way, false},
			{"inactive", "aborted unconfigured", 0, ways[2].way, true},
			{"cleanup", "aborted unconfigured", 0, ways[1].way, true},
		} {
			t.Run(fmt.Sprintf("%s, dead: %v", c.command, c.dies), func(t *testing.T) {
				act := simnet.Act(simnet.Freeze{Node: "/slam"})
				if c.dies {
					act = simnet.Kill{Node: "/slam"}
				}
				raised(t, story{
					net: net, opt: untold, first: c.first,
					tell:  []simnet.Beat{when(simnet.Then(), act), send(c.command)},
					goals: c.command + ": " + c.outcome, exit: c.exit,
				}.run(t))
			})
		}
		play(t, []story{{
			name: "it answers after all", net: net, opt: untold, first: ways[2].way,
			goals: "deactivate: aborted restored", states: "deactivating errorprocessing active",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/slam"}), send("deactivate"),
				when(simnet.Shown("errorprocessing").Later(5*time.Second), simnet.Thaw{Node: "/slam"})},
		}})
	}
	// the goal names the state into which the second rung leads: nodes that can go down do so at once
	trace := story{
		net: free, opt: untold, first: ways[2].way,
		tell: []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/slam"}), send("unconfigured")},
	}.run(t)
	for _, c := range trace.Calls {
		if c.At > trace.Marked+11*time.Second && c.Node != "/slam" {
			t.Errorf("%s is asked to %s only after %v", c.Node, c.Do, c.At-trace.Marked)
		}
	}
	if told := trace.String(); !strings.Contains(told,
		"active is not restored, as the goal names unconfigured: every node to unconfigured") {
		t.Errorf("why is not said:\n%s", told)
	}
}

// TestC7RepairWaitsForARespawn: a node that was killed and starts again is waited for by the command that puts the
// network right, and is back in its place 1 s after its services answer.
func TestC7RepairWaitsForARespawn(t *testing.T) {
	kill := when(simnet.Then(), simnet.Kill{Node: "/slam"})
	respawn := func(after time.Duration) simnet.Beat {
		return when(simnet.Then().Later(after), simnet.Respawn{Node: "/slam"})
	}
	active := func(after time.Duration) simnet.Beat {
		return when(simnet.Then().Later(after), simnet.Send{Command: "active"})
	}
	const deaf = 700 * ms // the most that requests to the new process are lost
	for _, c := range []struct {
		name string
		opt  simnet.Options
		tell []simnet.Beat
		by   time.Duration // until when the new process is in its place, after its services answer
	}{
		{"asked before its end is certain", endsTold, []simnet.Beat{kill, active(20 * ms), respawn(500 * ms)},
			520*ms + 500*ms},
		{"asked before the respawn", endsTold, []simnet.Beat{kill, active(200 * ms), respawn(2 * time.Second)},
			2200*ms + 500*ms},
		{"asked after the respawn", endsTold, []simnet.Beat{kill, respawn(50 * ms), active(300 * ms)}, 350*ms + 500*ms},
		{"long dead", endsTold, []simnet.Beat{kill, respawn(10 * time.Second), active(300 * ms)}, 10300*ms + 500*ms},
		{"the middleware shows both", untold, []simnet.Beat{kill, respawn(50 * ms), active(300 * ms)},
			20*time.Second + time.Second - deaf},
	} {
		for _, late := range []time.Duration{0, 300 * ms, deaf} {
			t.Run(fmt.Sprintf("%s, deaf for %v", c.name, late), func(t *testing.T) {
				trace := story{
					opt: c.opt, first: ways[2].way, tell: c.tell, scripts: one("/slam", simnet.Script{Matched: late}),
					goals: "active: succeeded done", ends: "active active active active",
				}.run(t)
				if took := trace.Goal("active").Ended - trace.Marked; took > c.by+late {
					t.Errorf("it took %v after the kill, not %v", took, c.by+late)
				}
			})
		}
	}
	// the wait for a node that does not come back ends, and no other node is taken down for it
	trace := story{
		opt: endsTold, first: ways[2].way, tell: []simnet.Beat{kill, active(200 * ms)},
		goals: "active: aborted restored",
		why:   "/slam its process has ended", ends: "active - active active",
	}.run(t)
	if g := trace.Goal("active"); g.Ended-g.Asked < 4*time.Second || g.Ended-g.Asked > 5*time.Second {
		t.Errorf("it waited %v for the next process", g.Ended-g.Asked)
	}
	trace = story{
		opt: endsTold, first: ways[2].way, tell: []simnet.Beat{kill, active(time.Minute)},
		goals: "active: aborted restored",
	}.run(t)
	if g := trace.Goal("active"); g.Ended-g.Asked > time.Second {
		t.Errorf("it waited %v for the next process of a node that was lost a minute ago", g.Ended-g.Asked)
	}
}

// TestE4TwoThatAnswerAreNotWaitedFor: of two of one name of which only one answers, the other is waited for as long as
// the middleware may take to notice its end; of two that both answer, as long as the deadline says.
func TestE4TwoThatAnswerAreNotWaitedFor(t *testing.T) {
	second := when(simnet.Then(), simnet.Respawn{Node: "/slam", State: lifecycle.Inactive})
	trace := story{
		keys: "defaults: {deadline: {activate: 3s}, on_drift: report}\n", opt: untold, first: ways[2].way,
		tell: []simnet.Beat{when(simnet.Then(), simnet.Move{Node: "/slam", To: lifecycle.Inactive}), second,
			when(simnet.Then().Later(200*ms), simnet.Send{Command: "active"})},
		why: "2 living nodes bear this name",
	}.run(t)
	failed := time.Duration(0)
	for k, state := range trace.States {
		if state == "errorprocessing" && failed == 0 {
			failed = trace.Shown[k]
		}
	}
	if took := failed - trace.Goal("active").Asked; took < 2*time.Second || took > 5*time.Second {
		t.Errorf("two that live were waited for for %v", took)
	}
}

// TestF1SaysWhatCannotBeReached: the journal names each state that was tried, once, and the nodes that are in the way.
func TestF1SaysWhatCannotBeReached(t *testing.T) {
	const quick = "defaults: {deadline: {configure: 1s, activate: 1s, recover: 2s, shutdown: 1s}}\n"
	hang := simnet.On{End: simnet.Hang}
	hangs := func(do string) simnet.Script { // and answers reads
		script := on(do, hang)
		script.Parallel = true
		return script
	}
	for _, c := range []struct {
		story
		says []string
	}{
		{story{
			name: "from unconfigured", scripts: one("/slam", hangs("configure")),
			tell: []simnet.Beat{send("configure")},
		}, []string{"unconfigured cannot be reached (/slam no answer to configure in 2s): shutting down"}},
		{story{
			name: "cancelled", scripts: one("/slam", hangs("configure")), first: []string{},
			tell: []simnet.Beat{send("configure"),
				when(simnet.Begun("configure", "/slam"), simnet.Cancel{Handle: "configure"})},
		}, []string{"unconfigured cannot be reached (/slam no answer to configure in 2s): shutting down"}},
		{story{
			name: "from inactive", scripts: one("/slam", hangs("activate")), first: ways[1].way,
			tell: []simnet.Beat{send("activate")},
		}, []string{
			"inactive cannot be restored: every node to unconfigured",
			"neither inactive nor unconfigured can be reached (/slam no answer to activate in 2.",
		}},
		{story{
			name: "no goal waits for it", first: ways[3].way, keys: "on_exit: shutdown\n",
			tell: []simnet.Beat{when(simnet.Then(), simnet.Kill{Node: "/lidar"}),
				when(simnet.Then().Later(3*time.Second), simnet.Nothing{})},
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.keys = quick + c.keys
			c.exit = 6
			if c.says == nil {
				c.exit = 0
			}
			trace := c.run(t)
			told := trace.String()
			for _, words := range c.says {
				if !strings.Contains(told, words) {
					t.Errorf("it does not say %q:\n%s", words, told)
				}
			}
			if strings.Contains(told, "neither unconfigured nor unconfigured") {
				t.Errorf("a state is named twice:\n%s", told)
			}
		})
	}
}

// TestS10WaitsForTheMiddlewareAsLongAsItTakes: a rollback waits for a dead node until the middleware has removed it,
// if the options say how long that takes. The state names that time.
func TestS10WaitsForTheMiddlewareAsLongAsItTakes(t *testing.T) {
	const quick = "defaults: {deadline: {configure: 10s}}\n"
	for silent, outcome := range map[time.Duration]string{0: "aborted unconfigured", time.Minute: "aborted restored"} {
		play(t, []story{{
			name: fmt.Sprintf("told %v", silent), keys: quick,
			opt:     simnet.Options{Notice: time.Minute, Silent: silent, Rest: 80 * time.Second},
			scripts: one("/slam", on("configure", simnet.On{End: simnet.Die, Takes: 50 * ms})),
			tell:    []simnet.Beat{send("configure")}, goals: "configure: " + outcome,
		}})
	}
	const net = "simulation: x\nnodes:\n  /a: {}\n  /b: {arm: {}}\n"
	trace := story{net: net, first: ways[2].way, opt: simnet.Options{Silent: time.Minute}, tell: []simnet.Beat{send("arm")},
		goals: "arm: succeeded done"}.run(t)
	if got := trace.Last.Warnings; len(got) != 1 || !strings.Contains(got[0], "removes it (60 s)") {
		t.Errorf("warnings: %v", got)
	}
}
