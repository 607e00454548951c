//go:build ros

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/engine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// demos returns all demos; the first one is the default. It is a function because scenes run verbs, and the demo is one
// of them. Each scene begins in the state in which the previous one ended.
func demos() []demonstration {
	return []demonstration{{
		name: "rstate",
		prologue: `rstate brings up, arms and shuts down all lifecycle nodes of a robot with one command. This demo runs a small
robot on this machine, in ROS domain %s, and makes things fail. It takes half a minute; Ctrl-C ends it.
`,
		network: demoFile,
		faults:  map[string][]string{"/slam": {"--fail", "configure", "--times", "1"}},
		scenes: []scene{
			{
				"Four nodes start, each in its own process, and the daemon rstate. This is the network file of the daemon:",
				does("rstate has found all four nodes. The network is unconfigured: no node works yet, and rstate has changed nothing.",
					begins, is("unconfigured")),
			},
			{
				"One command brings up everything. But /slam has no map, and will refuse to configure.",
				does("/slam refused, so rstate rolled back the other nodes. No node stays half configured.",
					sends("active", engine.OutcomeRestored, verdict("/slam", "refused"))),
			},
			{
				"Why did it fail? rstate answers from its journal.",
				does("the cause, the node, the time, and what to do.", why("/slam")),
			},
			{
				"The map is in place now. The same command again:",
				does("first /lidar, then /slam, then /arm_driver. /camera waits for no other node.",
					sends("active", engine.OutcomeDone)),
			},
			{
				"A node that can do harm is armed by a separate command. Every required node must prove its state first.",
				does("/arm_driver is armed.", sends("arm", engine.OutcomeDone), armed("/arm_driver")),
			},
			{
				"A command that is not legal in this state is rejected, with the reason. Nothing changes.",
				does("the command was rejected, and the robot is still armed.", rejects("cleanup"),
					armed("/arm_driver")),
			},
			{"Now the process of /lidar is killed.", playDeath},
			{
				"The process starts again, as launch would start it. rstate raises the node, but never arms by itself.",
				does("rstate configured and activated /lidar, and the network is intact. Arming it again takes a command.",
					restarts("/lidar"), is("active"), rests("active", "arm", "deactivate", "shutdown"), armed()),
			},
			{
				"One command shuts down everything, in reverse order.",
				does("every node is finalized, and the daemon has ended with code 0.",
					sends("shutdown", engine.OutcomeDone), exits(exitDone)),
			},
			{
				"The daemon has ended. Its journal still shows what happened.",
				does("each state of the network, with its time and reason. Without --kind, the history also shows each step of each node.",
					asks([]string{"history", "--kind", "state"}, []string{"configure failed", "armed", "finalized"})),
			},
		},
		epilogue: `
The demo is over, and every process has ended. Try it yourself with rstate up config/demo.yaml.
`,
	}, nrpDemo(), rockDemo(), factoryDemo(), cleDemo(), roscleDemo(), cloeDemo()}
}

const demoFile = `simulation: demo
nodes:
  /lidar: {on_loss: restore}             # if it is lost and starts again, rstate raises it again
  /slam: {after: [/lidar]}               # needs the lidar
  /camera: {}
  /arm_driver: {after: [/slam], arm: {}} # moves something, so it can be armed
`

// armed waits until exactly these nodes are armed, and no other node may be armed.
func armed(nodes ...string) step {
	return func(d *stage) error {
		_, err := d.reaches("armed: "+strings.Join(nodes, ", "), func(s *rstate_msgs_msg.InstanceState) bool {
			return slices.Equal(s.Armed, nodes) && slices.Equal(s.MayBeArmed, nodes)
		})
		return err
	}
}

func playDeath(d *stage) (string, error) {
	killed := time.Now()
	if err := kills("/lidar")(d); err != nil {
		return "", err
	}
	s, err := d.reaches("disarmed, and not intact", func(s *rstate_msgs_msg.InstanceState) bool {
		return s.Settled && s.State.Label == "active" && !s.Intact && len(s.MayBeArmed) == 0
	})
	if err != nil {
		return "", err
	}
	took := time.Since(killed)
	fmt.Fprintln(d.shown(), "$ rstate status")
	printState(d.shown(), s)
	return fmt.Sprintf("rstate disarmed /arm_driver %.1f s after the kill. The network is not intact, and the state says why.", took.Seconds()), nil
}
