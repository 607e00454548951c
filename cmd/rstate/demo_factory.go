//go:build ros

package main

import "net/http"

// sharedFile is an experiment whose simulations would all drive the same node.
const sharedFile = `simulation: $(sim)
machine: nrp
nodes:
  /world: {deadline: {discover: 10ms}}
`

// factoryDemo is the life of a factory. It speaks HTTP, as curl would.
func factoryDemo() demonstration {
	return demonstration{
		name: "factory", network: "experiments/nrp.yaml",
		prologue: `A factory makes simulations of experiments on request. Each has an id, nodes and a state of its own, and all of them
run in one process. This demo asks for simulations over HTTP, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		experiments: map[string]string{"shared": sharedFile},
		scenes: []scene{
			{
				"The nodes of a simulation start, and the factory with a folder of experiments. This is the experiment nrp:",
				does("$(sim) stands for the id of a simulation. There is none yet.", opens,
					curls("GET", "", "", http.StatusOK, "[]")),
			},
			{
				"A request creates a simulation.",
				does("it has the id 0, and it is created: its nodes are unconfigured.",
					curls("POST", "", `{"experiment": "nrp"}`, http.StatusCreated, `"id":"0"`), webIs(0, "created")),
			},
			{
				"The same request again. Two more nodes have started for it.",
				does("simulation 1 has the same experiment, and nodes of its own.",
					nodesOf(1), curls("POST", "", `{"experiment": "nrp", "owner": "me"}`, http.StatusCreated,
						`"id":"1"`), webIs(1, "created")),
			},
			{
				"Commands go to one simulation. They are answered when its nodes have done their part.",
				does("simulation 0 is started, and simulation 1 is paused.",
					puts(0, "initialized", http.StatusOK, "done"), puts(0, "started", http.StatusOK, "done"),
					puts(1, "initialized", http.StatusOK, "done"),
					webIs(0, "started"), webIs(1, "paused")),
			},
			{
				"A command that is not legal now, and an experiment that there is not:",
				does("both are refused, with what there is instead. Nothing has changed.",
					puts(0, "initialized", http.StatusBadRequest, "reset"),
					curls("POST", "", `{"experiment": "nrq"}`, http.StatusBadRequest, "there are nrp, shared"),
					webIs(0, "started")),
			},
			{
				"The names in the experiment shared do not contain $(sim), so two simulations of it would drive the same node.",
				does("the first one was created, and the second one was refused. A node has one coordinator.",
					curls("POST", "", `{"experiment": "shared"}`, http.StatusCreated, `"id":"2"`),
					curls("POST", "", `{"experiment": "shared"}`, http.StatusBadRequest,
						"/sim_2/rstate drives the node /world already")),
			},
			{
				"Now a node of simulation 0 is killed.",
				does("simulation 0 is not intact. Simulation 1 does not notice, and is started.",
					kills("/sim_0/engine"), breaks(0, "/sim_0/engine"), puts(1, "started", http.StatusOK, "done"),
					webIs(1, "started")),
			},
			{
				"Simulation 0 is removed, and its other node is shut down.",
				does("the simulation is gone, and its id is never used again. Simulation 1 goes on.",
					curls("DELETE", "/0?on_exit=shutdown", "", http.StatusNoContent),
					curls("GET", "/0/state", "", http.StatusNotFound, "there is no such simulation"),
					webIs(1, "started")),
			},
			{
				"The same over ROS, on the command line:",
				does("a simulation of the factory is a daemon like any other: /sim_1/rstate.",
					runsVerb("sim", "list"), runsVerb("sim", "send", "1", "paused"), webIs(1, "paused")),
			},
			{
				"Ctrl-C ends the factory, and with it all simulations.",
				does("everything that was armed would be disarmed now. The factory has ended with code 0.",
					interruptsIt, exits(exitDone)),
			},
		},
		hint: "rstate factory --experiments config/experiments, which has\nconfig/experiments/nrp.yaml",
	}
}

// roscleDemo is the life of a simulation that a factory makes and initializes.
func roscleDemo() demonstration {
	return demonstration{
		name: "roscle", network: "experiments/roscle.yaml",
		prologue: `The ROS server of the NRP makes simulations and steps them. With the preset roscle, a factory of rstate does. This demo
speaks HTTP with it, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		faults: map[string][]string{"/sim_0/brain": {"--fail-step", "50"}},
		scenes: []scene{
			{
				"The nodes of a simulation start, and the factory with a folder of experiments. This is the experiment roscle:",
				does("there is no simulation yet.", opens, curls("GET", "", "", http.StatusOK, "[]")),
			},
			{
				"A request creates a simulation. The factory initializes it by itself.",
				does("its nodes are active, and it is initial. Its loop does not run: no start of rstate starts a loop.",
					curls("POST", "", `{"experiment": "roscle"}`, http.StatusCreated, `"id":"0"`), webIs(0, "initial")),
			},
			{
				"start may say how many steps it runs, and how much simulated time each covers. It answers at once.",
				does("the simulation is paused after ten steps, which are 50 ms of simulated time.",
					putsWith(0, "start", "10 5ms", http.StatusOK, "done"), webIs(0, "paused"), webSteps(0, 10)),
			},
			{
				"A server has no run_step and no shutdown.",
				does("both are refused, with what is legal.", puts(0, "run_step", http.StatusBadRequest, "reset"),
					puts(0, "shutdown", http.StatusBadRequest, "reset")),
			},
			{
				"It runs without end now. But /sim_0/brain will fail in step 50.",
				does("the loop stopped at once: the simulation is paused, and says why it is not intact.",
					puts(0, "start", http.StatusOK, "done"),
					webFault(0, "/sim_0/brain failed in step_begin of cycle 50")),
			},
			{
				"reset makes the next step the first one again. Then it starts again.",
				does("the simulation runs, and is intact.",
					puts(0, "reset", http.StatusOK, "done"), webIs(0, "initial"),
					puts(0, "start", http.StatusOK, "done"), webSteps(0, 20), webIs(0, "running")),
			},
			{
				"pause is answered when the step that runs has ended.",
				does("the simulation is paused. Its nodes stay active.", puts(0, "pause", http.StatusOK, "done"),
					webIs(0, "paused")),
			},
			{
				"stop ends the simulation, and shuts its nodes down.",
				does("it is stopped, which is final.", puts(0, "stop", http.StatusOK, "done"),
					curls("GET", "/0/state", "", http.StatusOK, "stopped")),
			},
			{
				"Ctrl-C ends the factory.",
				does("the factory has ended with code 0.", interruptsIt, exits(exitDone)),
			},
		},
		hint: "rstate factory --experiments config/experiments, which has\nconfig/experiments/roscle.yaml",
	}
}
