package engine_test

import (
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/simnet"
)

// TestS3LossThatIsReportedLate: a node dies and its next process answers before the graph shows it. What it says looks
// like a node that strayed; on_loss applies all the same when the new process is discovered.
func TestS3LossThatIsReportedLate(t *testing.T) {
	const net = `
simulation: demo
nodes:
  /lidar: {}
  /slam: {after: [/lidar], probe: 200ms}
`
	slow := simnet.Options{Discovery: simnet.Range{Min: 4 * time.Second, Max: 4 * time.Second}, Notice: time.Hour,
		Rest: 3500 * ms}
	early := map[string]simnet.Script{"/slam": {Matched: -3900 * ms}}
	dies := []simnet.Beat{
		when(simnet.Then(), simnet.Kill{Node: "/slam"}), when(simnet.Then(), simnet.Respawn{Node: "/slam"}),
		// the graph shows both at once
		when(simnet.Then().Later(3*time.Second), simnet.Hear{In: engine.NodeSeen{Node: 1, Epoch: 2, Count: 1}}),
	}
	play(t, []story{
		{name: "error, though it was brought back as strayed", keys: "defaults: {on_drift: restore, on_loss: error}\n",
			states: "errorprocessing active", ends: "active active"},
		{name: "error, though straying is only reported", keys: "defaults: {on_drift: report, on_loss: error}\n",
			states: "errorprocessing active", ends: "active active"},
		{name: "report, and straying is brought back", keys: "defaults: {on_drift: restore, on_loss: report}\n",
			states: "none", ends: "active active"},
		{name: "restore, and straying is only reported", keys: "defaults: {on_drift: report, on_loss: restore}\n",
			states: "none", ends: "active active"},
	}, func(s *story) {
		s.net, s.opt, s.scripts, s.first, s.tell = net, slow, early, ways[2].way, dies
	})
	play(t, []story{
		{name: "report, while straying is brought back", keys: "defaults: {on_drift: restore, on_loss: report}\n",
			states: "none", ends: "active inactive"},
		{name: "restore, while straying is brought back", keys: "defaults: {on_drift: restore, on_loss: restore}\n",
			states: "none", ends: "active active"},
	}, func(s *story) {
		s.net, s.opt, s.first, s.tell = net, slow, ways[2].way, dies
		s.tell = append(dies[:2:2], when(simnet.Then().Later(600*ms), dies[2].Do))
		s.scripts = map[string]simnet.Script{"/slam": {Matched: -3900 * ms,
			On: []simnet.On{{Do: "configure", Times: 1}, {Do: "configure", Takes: 700 * ms, Times: 1}}}}
	})
	// the loss is known first
	play(t, []story{
		{name: "on time", keys: "defaults: {on_drift: report, on_loss: error}\n",
			states: "errorprocessing unconfigured"},
	}, func(s *story) {
		s.net, s.first, s.tell = net, ways[2].way,
			[]simnet.Beat{dies[0], when(simnet.Then().Later(time.Second), simnet.Respawn{Node: "/slam"})}
	})
}
