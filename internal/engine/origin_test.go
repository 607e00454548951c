package engine_test

import (
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/mirror"
	"rstate/internal/network"
)

// TestProgressSaysWhoBeganWhat: whatever runs, what is shown says which command it is, who began it, under which id,
// for how long it runs, and whether it is a try to put something right.
func TestProgressSaysWhoBeganWhat(t *testing.T) {
	type shown struct {
		command  string
		by       engine.Origin
		id       string
		recovery string
		elapsed  time.Duration
	}
	const half = 500 * time.Millisecond
	refuse := func(r *rehearsal) {
		r.step(engine.CallAnswered{Node: 0, Call: r.calls[0].Call})
		r.now.Steady += half // an error would have been announced by now
		r.step(engine.Tick{})
		r.now.Steady += half
	}
	for name, c := range map[string]struct {
		keys string
		at   lifecycle.State
		tell func(*rehearsal)
		want shown
	}{
		"nothing": {"", lifecycle.Inactive, func(*rehearsal) {}, shown{}},
		"a goal": {"", lifecycle.Inactive, func(r *rehearsal) {
			r.step(engine.GoalAsked{Handle: "g", Command: "activate", ID: "42"})
		}, shown{"activate", engine.ByGoal, "42", "", half}},
		"one command of a goal": {"", lifecycle.Unconfigured, func(r *rehearsal) {
			r.step(engine.GoalAsked{Handle: "g", Command: "active", ID: "42"})
		}, shown{"configure", engine.ByGoal, "42", "", half}},
		"a parent": {"", lifecycle.Inactive, func(r *rehearsal) {
			r.step(engine.GoalAsked{Handle: "g", Command: "cleanup", By: engine.ByParent})
		}, shown{"cleanup", engine.ByParent, "", "", half}},
		"a goal whose command failed": {"", lifecycle.Inactive, func(r *rehearsal) {
			r.step(engine.GoalAsked{Handle: "g", Command: "activate", By: engine.ByAutostart})
			r.at[0], r.at[1] = lifecycle.Inactive, lifecycle.Active // so that there is something to take back
			r.step(engine.CallAnswered{Node: 1, Call: r.calls[1].Call, Success: true})
			refuse(r)
		}, shown{"activate", engine.ByAutostart, "", "restore", 3 * half}},
		"a policy": {"defaults: {on_drift: restore}\n", lifecycle.Active, func(r *rehearsal) {
			r.at[0] = lifecycle.Inactive
			r.step(engine.EventHeard{Node: 0, Epoch: 1, From: lifecycle.Deactivating, To: lifecycle.Inactive})
		}, shown{"", engine.ByPolicy, "", "", half}},
		"a peer": {"", lifecycle.Active, func(r *rehearsal) {
			knows := []engine.Seen{{Instance: "b", N: 1}}
			r.step(engine.PeerTold{Status: mirror.Status{Name: "/peer", Instance: "b", State: "active", Settled: true,
				Intact: true, Target: "active", Hash: rstateHash}})
			r.step(engine.PeerChanged{Change: mirror.Change{Name: "/peer", Instance: "b", SourceState: "active",
				Event: "deactivate", TargetState: "inactive", Seen: knows, Hash: rstateHash}})
		}, shown{"deactivate", "peer /peer", "", "", half}},
		"the end": {"on_exit: shutdown\n", lifecycle.Active, func(r *rehearsal) {
			r.step(engine.StopAsked{Why: "it got SIGTERM"})
		}, shown{"shutdown", engine.ByExit, "", "", half}},
	} {
		t.Run(name, func(t *testing.T) {
			net, err := network.Parse("test.yaml", []byte(c.keys+"simulation: x\nnodes: {/a: {}, /b: {}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			r := &rehearsal{state: engine.New(net, engine.Options{Instance: "a"}), at: []lifecycle.State{c.at, c.at},
				calls: map[int]engine.CallNode{}}
			for i := range net.Nodes {
				r.step(engine.NodeSeen{Node: i, Epoch: 1, Count: 1})
			}
			c.tell(r)
			r.now.Steady += half
			r.step(engine.Tick{})
			s := r.state.Snapshot()
			if got := (shown{s.Work.Command, s.Work.By, s.Work.GoalID, s.Work.Recovery,
				s.Work.Elapsed.Round(time.Millisecond)}); got != c.want {
				t.Errorf("got  %+v\nwant %+v\nin %s", got, c.want, s.State)
			}
		})
	}
}
