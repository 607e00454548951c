//go:build ros

package main

import (
	"strings"

	"rstate/internal/engine"
)

// nrpFile is the simulation 0, nrpNext the one after it.
const nrpFile = `simulation: 0
topic: /ros_cle_simulation/sim_0/lifecycle
machine: nrp
nodes:
  /world: {}                         # simulates the robot and its surroundings
  /brain: {}                         # simulates neurons
  /engine: {after: [/world, /brain]} # steps both
`

var nrpNext = strings.NewReplacer("simulation: 0", "simulation: 1", "sim_0", "sim_1").Replace(nrpFile)

// nrpDemo is the life of two simulations: a hook fails in the first one, and the second one ends well.
func nrpDemo() demonstration {
	return demonstration{
		name: "nrp",
		prologue: `The backend of the Neurorobotics Platform triggers states of a simulation: initialized, started, paused, reset, stopped.
With the preset nrp, rstate asks the nodes of the simulation for the steps behind each trigger. This demo runs two
simulations on this machine, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		network: nrpFile,
		faults:  map[string][]string{"/engine": {"--fail", "activate", "--times", "1"}},
		scenes: []scene{
			{
				"The nodes of simulation 0 start, each in its own process, and the daemon rstate with this network file:",
				does("the simulation is created, and its nodes are unconfigured.", begins, is("created")),
			},
			{
				"The trigger initialized configures the nodes. A trigger whose state is reached already is ignored.",
				does("the simulation is paused: its nodes are inactive. The second trigger asked no node for anything.",
					sends("initialized", engine.OutcomeDone), sends("initialized", engine.OutcomeAlready),
					is("paused")),
			},
			{
				"The trigger started activates the nodes. But /engine will refuse: its hook fails.",
				does("rstate rolled back the other nodes, and the trigger failed followed by itself. The simulation is halted.",
					sends("started", engine.OutcomeRestored, verdict("/engine", "refused")), is("halted"),
					rests("halted", "stopped")),
			},
			{
				"Why is it halted? rstate answers from its journal.",
				does("the cause, the node, and the time.", why("halted", "/engine")),
			},
			{
				"From halted, the trigger stopped is the only way out. It ends the simulation as failed.",
				does("every node is finalized, and the daemon has ended with code 1, because failed is an unsuccessful end.",
					sends("stopped", engine.OutcomeDone), exits(exitFailed)),
			},
			{
				"The next simulation has a new id, new nodes and a new daemon. It is initialized and started.",
				does("the simulation is started, and its nodes are active.",
					beginsAnew(nrpNext), is("created"), sends("initialized", engine.OutcomeDone),
					sends("started", engine.OutcomeDone), is("started")),
			},
			{
				"The trigger initialized is not legal any more.",
				does("the trigger was rejected, and nothing has changed.", rejects("initialized"), is("started")),
			},
			{
				"The trigger paused deactivates the nodes.",
				does("the simulation is paused.", sends("paused", engine.OutcomeDone, lastStep("deactivate")),
					is("paused")),
			},
			{
				"The trigger reset ends in paused, too, and always runs: the nodes are cleaned up and configured again.",
				does("each node went through unconfigured, and the simulation is paused.",
					sends("reset", engine.OutcomeDone, lastStep("configure")), is("paused")),
			},
			{
				"The trigger stopped ends the simulation.",
				does("every node is finalized, and the daemon has ended with code 0.",
					sends("stopped", engine.OutcomeDone), exits(exitDone)),
			},
		},
		epilogue: `
The demo is over, and every process has ended. Try it yourself with rstate up config/nrp.yaml.
`,
	}
}
