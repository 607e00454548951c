//go:build ros

package main

import "rstate/internal/engine"

const rockFile = `simulation: rock
machine: rock
nodes:
  /camera: {}
  /gripper: {}
  /motion: {after: [/camera, /gripper]} # drives only if it can see and grip
`

// rockDemo is the life of three components: hooks that refuse, an exception, and a fatal error.
func rockDemo() demonstration {
	return demonstration{
		name: "rock",
		prologue: `In Rock, a component is preoperational, stopped or running, and an error leads to exception or to fatal. With the preset
rock, rstate takes all components of a robot through this life together. This demo runs three components on this machine,
in ROS domain %s, and makes their hooks fail. It takes half a minute; Ctrl-C ends it.
`,
		network: rockFile,
		faults: map[string][]string{
			"/camera":  {"--fail", "configure", "--times", "1"},
			"/gripper": {"--err", "activate", "--times", "1"},
			"/motion":  {"--err", "deactivate", "--times", "2"},
		},
		scenes: []scene{
			{
				"Three components start, each in its own process, and the daemon rstate with this network file:",
				does("the network is preoperational: no component is configured.", begins, is("preoperational")),
			},
			{
				"The command configure: the hook of /camera says no.",
				does("rstate refused the command and rolled back the other components. The network is preoperational, as before.",
					sends("configure", engine.OutcomeRestored, verdict("/camera", "refused")), is("preoperational")),
			},
			{
				"The hook agrees now. Then the command start: the hook of /gripper throws an error.",
				does("the command start was refused. rstate configured /gripper again, and the network is stopped, as before.",
					sends("configure", engine.OutcomeDone), is("stopped"),
					sends("start", engine.OutcomeRestored, verdict("/gripper", "errored")), is("stopped")),
			},
			{
				"The command start again, without an error.",
				does("the network is running: every component is active.", sends("start", engine.OutcomeDone),
					is("running")),
			},
			{
				"Another program stops /motion behind the back of rstate, and the stop hook throws an error.",
				does("by itself, rstate deactivated and cleaned up every component. The network is in exception.",
					asksNode("/motion", "deactivate"), is("exception")),
			},
			{
				"An exception is left by reset alone. Then configure and start lead back to running.",
				does("start was rejected in exception. After reset, the network is running again.",
					rejects("start"), sends("reset", engine.OutcomeDone), is("preoperational"),
					sends("configure", engine.OutcomeDone), sends("start", engine.OutcomeDone), is("running")),
			},
			{
				"The command exception takes the network there, too. But the stop hook of /motion throws once more, on the way.",
				does("an error on the way to exception is fatal. Only a new process of the component leads out of it, or the end.",
					sends("exception", engine.OutcomeRestored, verdict("/motion", "errored")),
					rests("fatal", "shutdown")),
			},
			{
				"The process of /motion is killed, and starts again.",
				does("by itself, rstate took the network to preoperational, intact.", kills("/motion"),
					restarts("/motion"), is("preoperational")),
			},
			{
				"One command shuts down everything.",
				does("every component is finalized, and the daemon has ended with code 0.",
					sends("shutdown", engine.OutcomeDone), exits(exitDone)),
			},
			{
				"The daemon has ended. Its journal still shows what happened.",
				does("each state of the network, with its time and reason.",
					asks([]string{"history", "--kind", "state"},
						[]string{"start failed", "exception", "fatal", "finalized"})),
			},
		},
		epilogue: `
The demo is over, and every process has ended. Try it yourself with rstate up config/rock.yaml.
`,
	}
}
