package engine_test

import (
	"testing"
	"time"

	"rstate/internal/simnet"
)

// TestF2LostBeforeALowering: a node that is known to be lost before a lowering begins, although its endpoints are left,
// does not fail it. It is asked all the same, the result names it, and the network is not intact until it answers or is
// gone.
func TestF2LostBeforeALowering(t *testing.T) {
	const probed = `
simulation: demo
nodes:
  /lidar: {}
  /slam: {after: [/lidar], probe: 200ms}
`
	frozen := []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/slam"}),
		when(simnet.Then().Later(8*time.Second), simnet.Mark{})}
	then := func(beats ...simnet.Beat) []simnet.Beat { return append(append([]simnet.Beat{}, frozen...), beats...) }
	thaw := when(simnet.Then().Later(3*time.Second), simnet.Thaw{Node: "/slam"})
	play(t, []story{
		{
			name: "a command", net: probed, first: ways[2].way, tell: then(send("deactivate")),
			goals: "deactivate: succeeded done",
			why:   "the network is inactive; /slam is lost: it left", states: "deactivating inactive",
			calls: "deactivate slam, deactivate lidar", ends: "inactive active",
		},
		{
			name: "a state", net: probed, first: ways[2].way, tell: then(send("unconfigured")),
			goals: "unconfigured: succeeded done",
			why:   "/slam is lost", states: "deactivating inactive cleaningup unconfigured",
			ends: "unconfigured active",
		},
		{
			name: "it goes on afterwards", net: probed, first: ways[2].way, tell: then(send("deactivate"), thaw),
			goals: "deactivate: succeeded done",
			ends:  "inactive inactive",
		},
		{
			name: "a shutdown is not clean", net: probed, first: ways[2].way, tell: then(send("shutdown")),
			goals: "shutdown: aborted finalized",
			why:   "not finalized: /slam", calls: "shutdown slam, shutdown lidar", exit: 6,
		},
		{
			name: "a raise fails", net: probed, first: ways[1].way, tell: then(send("activate")),
			goals: "activate: rejected",
		},
		{
			name: "the ladder goes on without it", net: probed,
			keys:  "defaults: {on_loss: error, deadline: {activate: 1s, deactivate: 1s, cleanup: 1s}}\n",
			first: ways[2].way, tell: frozen, ends: "unconfigured active",
		},
		{
			name: "one that falls silent later fails it", net: probed, first: ways[2].way,
			keys:  "defaults: {deadline: {deactivate: 1s, cleanup: 1s, shutdown: 1s, activate: 1s}}\n",
			tell:  []simnet.Beat{when(simnet.Then(), simnet.Freeze{Node: "/slam"}), send("deactivate")},
			goals: "deactivate: aborted unconfigured",
		},
	})
}
