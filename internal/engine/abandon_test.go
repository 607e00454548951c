package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// TestA3WhoLeavesWithoutALeaseMayBeArmed: a node with dead_man: none leaves the graph while it may
// be armed. It delays no other node, and may be armed until a later process of its name denies it
// or is finalized. The engine also asks a new process that is not configured. It neither shuts that
// process down for its silence, nor keeps it from being configured.
func TestA3WhoLeavesWithoutALeaseMayBeArmed(t *testing.T) {
	const pair = "simulation: x\nnodes:\n  /a: {arm: {dead_man: none}}\n  /b: {arm: {}}\n"
	optional := strings.Replace(pair, "none}", "none}, optional: true, late: leave", 1)
	kill, later := when(simnet.Then(), simnet.Kill{Node: "/a"}), func(do simnet.Act) simnet.Beat {
		return when(simnet.Then().Later(3*time.Second), do)
	}
	respawn := later(simnet.Respawn{Node: "/a"})
	mute := one("/a", simnet.Script{Disarm: []simnet.Reply{{Silent: true}}})
	for _, r := range []struct {
		story
		a engine.ArmBelief // at the end
	}{
		{story{name: "killed", tell: []simnet.Beat{kill}, calls: "disarm b", ends: "- active"}, engine.MayBeArmed},
		{story{name: "killed, and started anew", tell: []simnet.Beat{kill, respawn}, calls: "disarm b, disarm a",
			ends: "unconfigured active"}, engine.Disarmed},
		{story{name: "cut off, and found again",
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Part{Node: "/a"}), later(simnet.Join{Node: "/a"})},
			calls: "disarm b, disarm a", ends: "active active"}, engine.Disarmed},
		{story{name: "cut off", tell: []simnet.Beat{when(simnet.Then(), simnet.Part{Node: "/a"})}, calls: "disarm b",
			ends: "active* active"}, engine.MayBeArmed},
		{story{name: "another process has its place at once", opt: simnet.Options{Notice: time.Second},
			tell: []simnet.Beat{kill, when(simnet.Then(), simnet.Respawn{Node: "/a"})}, ends: "unconfigured active"},
			engine.Disarmed},
		{story{name: "the new process says nothing, and is left alone", scripts: mute,
			tell: []simnet.Beat{kill, respawn}, opt: simnet.Options{Rest: 10 * time.Second},
			ends: "unconfigured active"}, engine.MayBeArmed},
		{story{name: "nor is it in the way of what configures it", scripts: mute,
			tell: []simnet.Beat{kill, respawn, later(simnet.Send{Command: "activate"})}, opt: simnet.Options{Rest: ms},
			goals: "activate: aborted held", why: "asked again every second: /a", ends: "active active"},
			engine.MayBeArmed},
		{story{name: "no arm meanwhile", net: optional, tell: []simnet.Beat{kill, later(simnet.Send{Command: "arm"})},
			goals: "arm: rejected", why: "/a is lost: it left the graph and follows no lease", ends: "- active"},
			engine.MayBeArmed},
		{story{name: "a disarm says so", tell: []simnet.Beat{kill, later(simnet.Send{Command: "disarm"})},
			goals: "disarm: aborted held", why: "/a left the graph and follows no lease: it may be armed until",
			ends: "- active"}, engine.MayBeArmed},
		{story{name: "so does what lowers, and it goes on to its end",
			tell:  []simnet.Beat{kill, later(simnet.Send{Command: "unconfigured"})},
			goals: "unconfigured: aborted held",
			why:   "the network is unconfigured, but not intact: /a is lost: it left the graph",
			ends:  "- unconfigured"}, engine.MayBeArmed},
		{story{name: "and a shutdown", tell: []simnet.Beat{kill, later(simnet.Send{Command: "shutdown"})},
			goals: "shutdown: aborted finalized", why: "not finalized: /a, which may still be armed",
			ends: "- finalized", exit: 6}, engine.MayBeArmed},
		{story{name: "its policy is followed all the same", keys: "defaults: {on_loss: error}\n",
			tell: []simnet.Beat{kill}, states: "disarming active errorprocessing unconfigured", ends: "- unconfigured"},
			engine.MayBeArmed},
		{story{name: "one that was disarmed is no matter",
			tell:  []simnet.Beat{send("disarm"), when(simnet.Ended("disarm"), simnet.Kill{Node: "/a"})},
			goals: "disarm: succeeded done", ends: "- active"}, engine.Disarmed},
	} {
		t.Run(r.name, func(t *testing.T) {
			if r.net == "" {
				r.net = pair
			}
			r.first = armedAll
			trace := r.run(t)
			if got := trace.Last.Nodes[0].Armed; got != r.a {
				t.Errorf("it is believed to be %q, want %q\n%v", got, r.a, trace)
			}
		})
	}
	trace := story{net: pair, first: armedAll, opt: simnet.Options{Notice: 10 * ms}, tell: []simnet.Beat{kill},
		states: "disarming active"}.run(t)
	if took := trace.Shown[len(trace.Shown)-1] - trace.Marked; took > 50*ms {
		t.Errorf("the disarming of the others was over after %v\n%v", took, trace)
	}
	if trace.Last.Intact || !slices.ContainsFunc(trace.Last.Deviations,
		func(d string) bool { return strings.Contains(d, "/a is lost: it left the graph and follows no lease") }) {
		t.Errorf("intact: %v, %q", trace.Last.Intact, trace.Last.Deviations)
	}
}

// TestA6ALeaseOfAnotherRun: a node that follows the lease, and leaves before this run has seen it disarmed, may be
// armed by the lease of another run. It may be armed until that lease has run out.
func TestA6ALeaseOfAnotherRun(t *testing.T) {
	const net = "simulation: x\ndefaults: {deadline: {discover: 2s}}\nnodes:\n  /a: {arm: {}, optional: true, late: leave}\n  /b: {arm: {}}\n"
	active := simnet.Script{State: ac}
	mute := simnet.Script{State: ac, Armed: true, Disarm: []simnet.Reply{{Silent: true}}}
	part := func(at time.Duration) simnet.Beat { return when(simnet.At(at), simnet.Part{Node: "/a"}) }
	arm := func(second time.Duration) simnet.Beat {
		at := second * time.Second
		return when(simnet.At(at), simnet.Send{Command: "arm", Handle: fmt.Sprint("arm ", at)})
	}
	opt := simnet.Options{Notice: 10 * ms}
	play(t, []story{
		{
			name: "of an earlier run", early: []simnet.Beat{part(time.Second), arm(5), arm(9), arm(11)},
			goals: "arm 5s: rejected, arm 9s: rejected, arm 11s: succeeded done",
		},
		{
			name: "which may be as long as its own", keys: "proof: 15s\n",
			early: []simnet.Beat{part(time.Second), arm(14), arm(16)},
			goals: "arm 14s: rejected, arm 16s: succeeded done",
		},
		{
			name: "of another instance that was heard", early: []simnet.Beat{
				part(time.Second), when(simnet.At(12*time.Second), simnet.OtherLease{Term: 7}),
				when(simnet.At(12*time.Second), simnet.Join{Node: "/a"}), part(13 * time.Second), arm(15), arm(21),
				arm(23),
			},
			goals: "arm 15s: rejected, arm 21s: rejected, arm 23s: succeeded done",
		},
		{name: "a disarmed node is disarmed", scripts: map[string]simnet.Script{"/a": active, "/b": active},
			early: []simnet.Beat{part(time.Second), arm(5)}, goals: "arm 5s: succeeded done"},
	}, func(s *story) {
		s.net, s.opt = net, opt
		if s.scripts == nil {
			s.scripts = map[string]simnet.Script{"/a": mute, "/b": active}
		}
	})
}
