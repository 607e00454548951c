//go:build ros

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"rstate/internal/app"
	"rstate/internal/engine"
	"rstate/internal/journal"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

const demoFile = `simulation: demo
nodes:
  /lidar: {on_loss: restore}             # if it is lost and starts again, rstate raises it again
  /slam: {after: [/lidar]}               # needs the lidar
  /camera: {}
  /arm_driver: {after: [/slam], arm: {}} # moves something, so it can be armed
`

const prologue = `rstate brings up, arms and shuts down all lifecycle nodes of a robot with one command. This demo runs a small
robot on this machine, in ROS domain %s, and makes things fail. It takes half a minute; Ctrl-C ends it.
`

const epilogue = `
The demo is over, and every process has ended. Try it yourself with rstate up config/demo.yaml.
`

// story returns the scenes. Each one begins in the state in which the previous one ended. It is a function because scenes
// run verbs, and the demo is one of them.
func story() []scene {
	return []scene{
		{"Four nodes start, each in its own process, and the daemon rstate. This is the network file of the daemon:", playStart},
		{"One command brings up everything. But /slam has no map, and will refuse to configure.", playRefusal},
		{"Why did it fail? rstate answers from its journal.", playWhy},
		{"The map is in place now. The same command again:", playActive},
		{"A node that can do harm is armed by a separate command. Every required node must prove its state first.", playArm},
		{"A command that is not legal in this state is rejected, with the reason. Nothing changes.", playRejected},
		{"Now the process of /lidar is killed.", playDeath},
		{"The process starts again, as launch would start it. rstate raises the node, but never arms by itself.", playRestore},
		{"One command shuts down everything, in reverse order.", playShutdown},
		{"The daemon has ended. Its journal still shows what happened.", playHistory},
	}
}

// faultOf holds the options that make nodes of the demo fail.
var faultOf = map[string][]string{"/slam": {"--fail", "configure", "--times", "1"}}

// startNode starts a node's process.
func (d *stage) startNode(name string, more ...string) error {
	args := append([]string{"node", name, "--log", "text", "--configure-delay", "300ms", "--activate-delay", "200ms"}, more...)
	args = append(args, armFlags(d.net.Nodes[d.net.Index(name)], daemonName(d.ros))...)
	child, err := d.up.start(name, nil, args...)
	if err == nil {
		d.up.nodes = append(d.up.nodes, child)
	}
	return err
}

func playStart(d *stage) (string, error) {
	fmt.Fprint(d.shown(), demoFile, "\n$ rstate run demo.yaml\n")
	for _, n := range d.net.Nodes {
		if err := d.startNode(n.Name, faultOf[n.Name]...); err != nil {
			return "", err
		}
	}
	var err error
	if d.up.daemon, err = d.up.start("rstate", nil, append([]string{"run", d.net.File, "--log", "text"}, d.ros...)...); err != nil {
		return "", err
	}
	_, err = d.reaches("unconfigured and intact", func(s *rstate_msgs_msg.InstanceState) bool {
		return s.State.Label == "unconfigured" && s.Settled && s.Intact
	})
	return "rstate has found all four nodes. The network is unconfigured: no node works yet, and rstate has changed nothing.", err
}

// send gives a command and prints what rstate send would print.
func (d *stage) send(command string, wanted engine.Outcome) (*app.Ending, error) {
	out := d.shown()
	fmt.Fprintf(out, "$ rstate send %s\n", command)
	t := &lines{out: out}
	end, err := d.client.Send(d.ctx, app.Goal{Command: command, Reason: "the demo"}, app.Following{Progress: t.progress})
	if err != nil {
		return nil, err
	}
	printResult(out, end.Result)
	if end.Result.Outcome != string(wanted) {
		return end, fmt.Errorf("%s ended as %s, not as %s", command, end.Result.Outcome, wanted)
	}
	return end, nil
}

func playRefusal(d *stage) (string, error) {
	end, err := d.send("active", engine.OutcomeRestored)
	if err != nil {
		return "", err
	}
	for _, n := range end.Result.Nodes {
		if n.Name == "/slam" && n.Verdict == "refused" {
			return "/slam refused, so rstate rolled back the other nodes. No node stays half configured.", nil
		}
	}
	return "", fmt.Errorf("the result does not say that /slam refused")
}

func playWhy(d *stage) (string, error) {
	text, err := d.ask("why")
	if err == nil && !strings.Contains(text, "/slam") {
		err = fmt.Errorf("why does not name /slam")
	}
	return "the cause, the node, the time, and what to do.", err
}

// ask runs a verb that reads the journal, and prints its output.
func (d *stage) ask(args ...string) (string, error) {
	var text strings.Builder
	fmt.Fprintf(d.shown(), "$ rstate %s\n", strings.Join(args, " "))
	dir, err := journal.Dir(os.Getenv("ROS_HOME"), "/"+app.NodeName)
	if err != nil {
		return "", err
	}
	code := dispatch(&env{in: d.env.in, out: &text, err: &text}, append(args, "--dir", dir))
	fmt.Fprint(d.shown(), text.String())
	if code != exitDone {
		return "", fmt.Errorf("rstate %s ended with %d", args[0], code)
	}
	return text.String(), nil
}

func playActive(d *stage) (string, error) {
	_, err := d.send("active", engine.OutcomeDone)
	return "first /lidar, then /slam, then /arm_driver. /camera waits for no other node.", err
}

func playArm(d *stage) (string, error) {
	if _, err := d.send("arm", engine.OutcomeDone); err != nil {
		return "", err
	}
	_, err := d.reaches("armed", func(s *rstate_msgs_msg.InstanceState) bool { return slices.Equal(s.Armed, []string{"/arm_driver"}) })
	return "/arm_driver is armed.", err
}

func playRejected(d *stage) (string, error) {
	_, err := d.send("cleanup", engine.OutcomeDone)
	if rejected, ok := err.(*app.Rejected); ok {
		fmt.Fprintln(d.shown(), rejected)
		return "the command was rejected, and the robot is still armed.", nil
	}
	return "", fmt.Errorf("cleanup was not rejected: %v", err)
}

func playDeath(d *stage) (string, error) {
	at := slices.IndexFunc(d.up.nodes, func(c *child) bool { return c.name == "/lidar" })
	fmt.Fprintf(d.shown(), "$ kill -9 %d\n", d.up.nodes[at].cmd.Process.Pid)
	killed := time.Now()
	if err := d.up.nodes[at].cmd.Process.Signal(syscall.SIGKILL); err != nil {
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

func playRestore(d *stage) (string, error) {
	if err := d.startNode("/lidar"); err != nil {
		return "", err
	}
	s, err := d.reaches("active and intact again", func(s *rstate_msgs_msg.InstanceState) bool {
		return s.Settled && s.State.Label == "active" && s.Intact
	})
	if err != nil {
		return "", err
	}
	fmt.Fprintln(d.shown(), "$ rstate status")
	printState(d.shown(), s)
	if len(s.MayBeArmed) > 0 {
		return "", fmt.Errorf("%s may be armed, without a command", strings.Join(s.MayBeArmed, ", "))
	}
	return "rstate configured and activated /lidar, and the network is intact. Arming it again takes a command.", nil
}

func playShutdown(d *stage) (string, error) {
	if _, err := d.send("shutdown", engine.OutcomeDone); err != nil {
		return "", err
	}
	select {
	case <-d.up.daemon.done:
	case <-d.ctx.Done():
		return "", d.ctx.Err()
	}
	if code := d.up.daemon.cmd.ProcessState.ExitCode(); code != exitDone {
		return "", fmt.Errorf("rstate ended with %d", code)
	}
	return "every node is finalized, and the daemon has ended with code 0.", nil
}

func playHistory(d *stage) (string, error) {
	text, err := d.ask("history", "--kind", "state")
	for _, part := range []string{"configure failed", "armed", "finalized"} {
		if err == nil && !strings.Contains(text, part) {
			err = fmt.Errorf("the history does not tell of %s", part)
		}
	}
	return "each state of the network, with its time and reason. Without --kind, the history also shows each step of each node.", err
}

// sceneIn is the time limit of a change of state that no command of the demo asks for.
const sceneIn = 25 * time.Second

// reaches waits until the state of the daemon fulfils a condition.
func (d *stage) reaches(what string, holds func(*rstate_msgs_msg.InstanceState) bool) (*rstate_msgs_msg.InstanceState, error) {
	ctx, cancel := context.WithTimeout(d.ctx, sceneIn)
	defer cancel()
	s, err := d.client.Until(ctx, holds)
	if err == nil {
		return s, nil
	}
	now := "nothing was heard of it"
	if s != nil {
		now = fmt.Sprintf("it is %s: %s", s.State.Label, s.Cause)
	}
	return s, fmt.Errorf("the network was not %s within %v; %s", what, sceneIn, now)
}
