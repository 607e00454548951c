//go:build ros

package rosnet

import (
	"strings"
	"testing"
	"time"

	"rstate/internal/engine"
	"rstate/internal/engine/guards"
	"rstate/internal/engine/stopinput"
	"rstate/internal/latch"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
)

func TestDiagnoses(t *testing.T) {
	net, err := network.Parse("test.yaml",
		[]byte("simulation: demo\nnodes:\n  /lidar: {}\n  /camera: {optional: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{net: net, machine: net.Machine, name: "/rstate"}
	lidar := engine.NodeView{Name: "/lidar", Lifecycle: true, Present: true, Count: 1, State: lifecycle.Active}
	camera := engine.NodeView{Name: "/camera", Lifecycle: true, Present: true, Count: 1, Optional: true,
		State: lifecycle.Active}
	change := func(n engine.NodeView, how func(*engine.NodeView)) engine.NodeView { how(&n); return n }
	for name, c := range map[string]struct {
		s    engine.Snapshot
		want string // level and message of network, lidar, camera
	}{
		"all is well": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Nodes: []engine.NodeView{lidar, camera}},
			"0 active | 0 active | 0 active",
		},
		"nothing is known yet": {
			engine.Snapshot{State: "unknown", Waiting: []string{"/lidar is not there"},
				Nodes: []engine.NodeView{{Name: "/lidar", Lifecycle: true}, camera}},
			"3 waiting: /lidar is not there | 3 not there | 0 active",
		},
		"a required node strayed": {
			engine.Snapshot{State: "active", Settled: "active", Deviations: []string{"/lidar is inactive"},
				Nodes: []engine.NodeView{
					change(lidar, func(n *engine.NodeView) { n.State, n.Deviates = lifecycle.Inactive, "it is inactive" }),
					camera}},
			"2 active, but /lidar is inactive | 2 it is inactive | 0 active",
		},
		"an optional node strayed": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Deviations: []string{"/camera is lost"},
				Nodes: []engine.NodeView{
					lidar, change(camera, func(n *engine.NodeView) { n.Present, n.Deviates = false, "it is lost" })}},
			"1 active; /camera is lost | 0 active | 1 it is lost",
		},
		"an unresponsive node": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Nodes: []engine.NodeView{
				change(lidar, func(n *engine.NodeView) { n.Silent = "is unresponsive" }), camera}},
			"0 active | 1 is unresponsive | 0 active",
		},
		"error processing": {
			engine.Snapshot{State: "errorprocessing", Settled: "inactive", Cause: "activate failed: /lidar refused",
				Nodes: []engine.NodeView{lidar, camera}},
			"2 activate failed: /lidar refused | 0 active | 0 active",
		},
		"two of one name": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Nodes: []engine.NodeView{
				change(lidar, func(n *engine.NodeView) { n.Count = 2 }), camera}},
			"0 active | 2 there are 2 of that name; end all but one | 0 active",
		},
		"not ready, for two reasons": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Readiness: engine.Readiness{
				Word: engine.NotReady, Against: []engine.Obstacle{{Node: "/lidar", Why: "is lost", Do: "start it"},
					{Why: "a stop is not acknowledged"}}}},
			"0 active | 0 not ready: /lidar is lost (start it); a stop is not acknowledged",
		},
		"armed, with all that arming rests on": {
			engine.Snapshot{State: "armed", Settled: "armed", Intact: true,
				Readiness: engine.Readiness{Word: engine.ArmedAlready},
				Checks: []engine.CheckView{
					{Node: "/lidar", Subject: "/scan", Kind: "rate", Known: true, Value: "9.8 Hz of 10 Hz"},
					{Node: "/lidar", Subject: "/map", Kind: "age", Known: true, Fault: "came last 3s ago"},
					{Node: "/lidar", Subject: "/free", Kind: "service"}},
				Stops: engine.StopsView{Inputs: []engine.StopView{{Topic: "/estop", Kind: stopinput.IsClear}}},
				Guards: []engine.GuardView{{View: guards.View{ID: "a:1", Lives: true}, Nodes: []string{"/camera"}},
					{View: guards.View{ID: "b:2", Fault: "is lost"}}}},
			"0 armed | 0 armed | 0 9.8 Hz of 10 Hz | 1 came last 3s ago | 0 is not looked at now | 0 clear | " +
				"0 covers /camera | 1 is lost",
		},
		"a stop that is not acknowledged": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Stops: engine.StopsView{
				Open: []latch.Latch{{Origin: "/rstate", Why: "/estop says stop"}}, Forbids: "stopped"}},
			"2 active; stopped",
		},
		"the journal cannot be written": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true, Warnings: []string{"the disk is full"},
				Nodes: []engine.NodeView{lidar, camera}},
			"1 active; the disk is full | 0 active | 0 active",
		},
		"a command was refused a moment ago": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Refusal: engine.Refusal{Why: "arm was rejected: no", At: time.Unix(-8, 0)}},
			"1 active; arm was rejected: no",
		},
		"a command was refused, and nothing is intact": {
			engine.Snapshot{State: "active", Settled: "active", Deviations: []string{"/lidar is lost"},
				Refusal: engine.Refusal{Why: "arm was rejected: no", At: time.Unix(1, 0)}},
			"2 active, but /lidar is lost; arm was rejected: no",
		},
		"a command was refused a while ago": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Refusal: engine.Refusal{Why: "arm was rejected: no", At: time.Unix(-9, 0)}},
			"0 active",
		},
		"a peer that is not required is lost": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Cause: "is lost"}}}},
			"0 active",
		},
		"a required peer is well": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, Instance: "1", Alive: true, SameMachine: true, Intact: true, State: "active"}}}},
			"0 active | 0 active",
		},
		"a required peer was never there": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, State: "unknown"}}}},
			"0 active | 3 not there",
		},
		"a required peer is lost": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, Instance: "1", Cause: "is lost: it does not renew its liveliness"}}}},
			"0 active | 2 is lost: it does not renew its liveliness",
		},
		"a required peer ends": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, Instance: "1", Alive: true, SameMachine: true, Intact: true, Leaving: true, State: "active"}}}},
			"0 active | 2 it ends",
		},
		"a required peer of another machine": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, Instance: "1", Alive: true, Intact: true, State: "hot"}}}},
			"0 active | 2 it follows another machine",
		},
		"a required peer could not follow": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, Instance: "1", Alive: true, SameMachine: true, Intact: true, Behind: true, State: "inactive", Cause: "/lidar refused"}}}},
			"0 active | 2 inactive, behind: /lidar refused",
		},
		"a required peer is not intact": {
			engine.Snapshot{State: "active", Settled: "active", Intact: true,
				Peers: engine.PeersView{All: []engine.PeerView{{Name: "/base/rstate", Required: true, Instance: "1", Alive: true, SameMachine: true, State: "active"}}}},
			"0 active | 2 active, not intact",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range w.diagnose(c.s, time.Unix(1, 0)).Status {
				got = append(got, string('0'+d.Level)+" "+d.Message)
			}
			if text := strings.Join(got, " | "); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

// TestDiagnosesSayWhatToDo: the values have each reason against arming, each check and each stop, for monitors that
// show them as a table.
func TestDiagnosesSayWhatToDo(t *testing.T) {
	net, err := network.Parse("test.yaml", []byte("simulation: demo\nnodes:\n  /lidar: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{net: net, machine: net.Machine, name: "/rstate"}
	var got []string
	for _, d := range w.diagnose(engine.Snapshot{State: "active", Settled: "active", Intact: true,
		Readiness: engine.Readiness{Word: engine.NotReady, Against: []engine.Obstacle{{Node: "/lidar", Why: "is lost",
			Do: "start it"}, {Why: "a stop is not acknowledged"}}},
		Checks: []engine.CheckView{{Node: "/lidar", Subject: "/scan", Kind: "rate", Known: true, Value: "2 Hz of 10 Hz",
			Fault: "comes at 2 Hz", Do: "see its publisher", When: "enter"},
			{Node: "/lidar", Subject: "/file", Kind: "file", Warn: true}},
		Stops: engine.StopsView{Open: []latch.Latch{{Origin: "/base/rstate", Why: "/estop says stop"}}, Forbids: "stopped"},
		Guards: []engine.GuardView{{View: guards.View{ID: "a:1", Lives: true, Age: 100 * time.Millisecond},
			Nodes: []string{"/arm", "/gripper"}}},
	}, time.Unix(1, 0)).Status {
		for _, v := range d.Values {
			got = append(got, d.Name+" | "+v.Key+": "+v.Value)
		}
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"/rstate: network demo | stopped by /base/rstate: /estop says stop",
		"/rstate: readiness | reason 1: /lidar: is lost", "/rstate: readiness | what to do 1: start it",
		"/rstate: readiness | reason 2: the network: a stop is not acknowledged",
		"/rstate: check /lidar /scan | value: 2 Hz of 10 Hz", "/rstate: check /lidar /scan | what to do: see its publisher",
		"/rstate: check /lidar /scan | forbids: arming\n", "/rstate: check /lidar /file | forbids: nothing",
		"/rstate: guard a:1 | nodes: /arm, /gripper", "/rstate: guard a:1 | age: 100ms",
	} {
		if !strings.Contains(text+"\n", want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "what to do 2") {
		t.Errorf("it tells what to do about a reason that has no advice:\n%s", text)
	}
}
