package page

import (
	"fmt"
	"slices"
	"time"

	"rstate/internal/httpapi"
)

// robot is a simulation of four nodes, all of which are in a state.
func robot(state string) httpapi.Simulation {
	node := func(name string, after ...string) httpapi.Node {
		return httpapi.Node{Name: name, After: after, Lifecycle: true, Present: true, State: state, Expected: state}
	}
	s := httpapi.Simulation{
		Summary: httpapi.Summary{ID: "demo", Name: "/rstate", Run: "2026-11-27T10:00:00Z-1", Machine: "rstate", State: state,
			Settled: true, Intact: true, Cause: state + " was asked for by rstate send on pc7"},
		Version: "0.1.0", Target: state, Seen: "2026-11-27T10:00:00Z-1/3", Disarm: "disarm",
		Nodes: []httpapi.Node{node("/lidar"), node("/slam", "/lidar"), node("/camera"), node("/arm_driver", "/slam")},
	}
	s.Nodes[2].Optional = true
	s.Nodes[3].Armable, s.Nodes[3].DeadMan = true, "lease"
	allows(&s, map[string][]string{"unconfigured": {"configure", "shutdown"}, "inactive": {"activate", "cleanup", "shutdown"},
		"active": {"deactivate", "arm", "shutdown"}}[state]...)
	s.Checks = []httpapi.Check{{Name: "/arm_driver", Subject: "/joint_states", Kind: "rate"},
		{Name: "/arm_driver", Subject: "/battery percentage", Kind: "field", Warn: true}}
	s.Readiness = "not ready"
	s.Obstacles = []httpapi.Obstacle{{Why: "arm is not legal in " + state, Do: "first: activate"}}
	if state == "active" {
		s.Readiness, s.Obstacles = "ready", nil
		s.Checks[0].Known, s.Checks[0].Passes, s.Checks[0].Value = true, true, "49.8 Hz of 50 Hz"
		s.Checks[1].Known, s.Checks[1].Value, s.Checks[1].Fault = true, "0.17", "is 0.17, not above 0.2"
	}
	s.Stops = &httpapi.Stops{Inputs: []httpapi.StopInput{{Topic: "/estop", Kind: "clear", Writers: []string{"/stop_button"}}}}
	return s
}

// commands are those of the preset rstate, in the order of the API.
var commands = []httpapi.Command{{Name: "configure", To: "inactive", Role: "configure", WhyNot: "legal in: unconfigured"},
	{Name: "activate", To: "active", Role: "activate", WhyNot: "legal in: inactive"},
	{Name: "arm", To: "armed", Arms: true, Role: "arm", WhyNot: "legal in: active"},
	{Name: "disarm", To: "active", Role: "disarm", WhyNot: "legal in: armed"},
	{Name: "deactivate", To: "inactive", Role: "deactivate", WhyNot: "legal in: active"},
	{Name: "cleanup", To: "unconfigured", Role: "cleanup", WhyNot: "legal in: inactive"},
	{Name: "shutdown", To: "finalized", Ends: true, Role: "shutdown", WhyNot: "not now"}}

// allows makes commands legal, and no others.
func allows(s *httpapi.Simulation, names ...string) {
	s.Commands, s.AllCommands = nil, nil
	for _, c := range commands {
		if slices.Contains(names, c.Name) {
			c.WhyNot = ""
			s.Commands = append(s.Commands, c)
		}
		s.AllCommands = append(s.AllCommands, c)
	}
}

// armed is the robot when its arm is armed.
func armed() httpapi.Simulation {
	s := robot("active")
	s.State, s.Target, s.Cause = "armed", "armed", "arm was asked for by 127.0.0.1 (HTTP, Mozilla/5.0): the pick test"
	allows(&s, "disarm", "shutdown")
	s.MayBeArmed = []string{"/arm_driver"}
	s.Nodes[3].Armed, s.Nodes[3].MayBeArmed = true, true
	for i := range s.Nodes {
		age := 0.2 + 0.1*float64(i)
		s.Nodes[i].ProofAge = &age
	}
	s.Lease = &httpapi.Lease{Term: 3, Age: 0.05, Left: 0.45}
	s.Readiness = "armed"
	return s
}

// activating is the robot on its way up.
func activating() httpapi.Simulation {
	s := robot("inactive")
	left, whole := 8.4, 21.0
	s.State, s.Settled, s.Target = "activating", false, "active"
	s.Obstacles = []httpapi.Obstacle{{Why: "arm is not legal in activating", Do: "wait for active"}}
	s.Progress = &httpapi.Progress{Command: "activate", Origin: "goal", Client: "rstate send on pc7", From: "inactive",
		Via: "activating", Done: 1, Total: 4, Elapsed: 1.6, TimeLeft: &whole}
	for i := range s.Nodes {
		s.Nodes[i].Expected = "active"
	}
	s.Nodes[2].State = "active"
	s.Nodes[0].Running, s.Nodes[0].TimeLeft = "activate", &left
	allows(&s, "disarm", "shutdown")
	return s
}

// failed is the robot after a node that did not activate.
func failed() httpapi.Simulation {
	s := robot("inactive")
	s.Failure = &httpapi.Failure{Command: "activate", Origin: "goal", Outcome: "restored", From: "inactive",
		Cause: "activate failed: /slam answered no to activate; it is still inactive; the network is inactive again", Stamp: time.Now()}
	s.Cause = "activate failed: /slam answered no to activate; it is still inactive"
	return s
}

// loweredBy is what is left of a disarm without a client.
func loweredBy(why string) *httpapi.Failure {
	return &httpapi.Failure{Command: "disarm", Origin: "policy", Outcome: "lowered", From: "armed", Cause: why, Stamp: time.Now()}
}

// drifted is the robot when a node was lost.
func drifted() httpapi.Simulation {
	s := robot("active")
	s.Intact, s.Cause = false, "disarm: /lidar is lost: its process has ended"
	s.Failure = loweredBy("/lidar is lost: its process has ended")
	s.Nodes[0].Present, s.Nodes[0].State, s.Nodes[0].Cause = false, "unknown", "is lost: its process has ended"
	s.Deviations = []httpapi.Deviation{{Name: "/lidar", Expected: "active", Found: "lost", Cause: s.Nodes[0].Cause}}
	allows(&s, "deactivate")
	s.Readiness = "not ready"
	s.Obstacles = []httpapi.Obstacle{{Name: "/lidar", Why: "is lost, not active", Do: "start it again"},
		{Name: "/arm_driver", Why: "does not pass its check: /joint_states 12 Hz, not 50 Hz", Do: "look at what publishes /joint_states"}}
	s.Checks[0].Passes, s.Checks[0].Value, s.Checks[0].Fault = false, "12 Hz of 50 Hz", "12 Hz, not 50 Hz"
	return s
}

// stopped is the robot after its stop button was pressed.
func stopped() httpapi.Simulation {
	s := robot("active")
	s.Cause = "disarm: stop input /estop: /stop_button says stop"
	s.Failure = loweredBy("stop input /estop: /stop_button says stop")
	s.Readiness = "not ready"
	s.Obstacles = []httpapi.Obstacle{{Why: "stopped at 10:03:04Z by /rstate: /estop: /stop_button says stop",
		Do: "release the stop, then run rstate acknowledge"}, {Why: "stop input /estop: /stop_button says stop"}}
	s.Stops.Inputs[0].Kind, s.Stops.Inputs[0].Why = "stop", "/stop_button says stop"
	s.Stops.Open = []httpapi.Stop{{Origin: "/rstate", Why: "/estop: /stop_button says stop", Stamp: time.Now()}}
	return s
}

// many is a robot of n nodes.
func many(n int) httpapi.Simulation {
	s := robot("active")
	s.Nodes = nil
	for i := range n {
		node := httpapi.Node{Name: fmt.Sprintf("/robot/part_%03d", i), Lifecycle: true, Present: true, State: "active", Expected: "active"}
		if i > 0 {
			node.After = []string{fmt.Sprintf("/robot/part_%03d", (i-1)/2)}
		}
		s.Nodes = append(s.Nodes, node)
	}
	return s
}

// story is the history of the robot until it failed.
func story() ([]httpapi.Entry, httpapi.Why) {
	t := tell(4.2)
	t.asks(0, "activate")
	t.step("/camera", "activate", "done", .8, .8, "/camera active")
	t.step("/lidar", "activate", "done", 1.9, 1.9, "/lidar active")
	t.step("/slam", "activate", "refused", 3.3, 1.3, "/slam refused to activate (no map was found at /maps/hall.yaml)")
	t.step("/lidar", "deactivate", "undone", 4.1, .7, "/lidar rolled back")
	t.step("/camera", "deactivate", "undone", 3.7, .3, "/camera rolled back")
	t.ends(4.2, "activate", "aborted restored", 4.2, "activate aborted: /slam refused to activate; every node is back as before")
	return t.entries, httpapi.Why{Text: "The network is inactive, not active, since " + t.at(4.2).Format(time.TimeOnly) + ": activate failed.",
		Try: []string{"rstate history --about /slam"}, Because: []httpapi.Why{
			{At: t.at(3.3), Node: "/slam", Text: "/slam refused to activate.", Because: []httpapi.Why{
				{At: t.at(3.2), Text: "It logged: no map was found at /maps/hall.yaml"}}},
			{At: t.at(4.1), Text: "/lidar and /camera were rolled back."}}}
}
