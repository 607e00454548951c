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
  /lidar: {on_loss: restore}            # if it is lost and comes back: to where the network is
  /slam: {after: [/lidar]}              # needs the lidar
  /camera: {}
  /arm_driver: {after: [/slam], arm: {}} # moves something: it can be armed
`

const prologue = `A robot is many nodes, and they have to come up together, in order, or not at all. rstate is one daemon that
takes all of them through their life as one thing. This demo starts a small robot on this machine, in ROS
domain %s, and lets things go wrong. It takes half a minute; Ctrl-C ends all of it at any time.
`

const epilogue = `
That was all: every process has ended, and nothing is left. Try it yourself with rstate up config/demo.yaml.
`

// story is what is told. Each scene begins where the one before has ended. (A function, as scenes run verbs, of which this is one.)
func story() []scene {
	return []scene{
		{"Four nodes start, each a process of its own, and rstate beside them. This file is all that it is told:", playStart},
		{"One command is to bring everything up. But /slam has no map this morning, and will say no.", playRefusal},
		{"Why? rstate keeps a journal, and answers from it.", playWhy},
		{"Somebody puts the map in place. The same command again:", playActive},
		{"What can do harm is armed on top, by a command of its own. Each node has to prove first that it is well.", playArm},
		{"What must not be done now is refused, with the reason. Nothing changes.", playRejected},
		{"Now /lidar dies, as if somebody pulled its plug.", playDeath},
		{"Something starts its process again, as launch would. rstate takes it back up, but arms nothing by itself.", playRestore},
		{"The day is over: one command takes everything down, in reverse order.", playShutdown},
		{"rstate has ended, and what happened can still be read.", playHistory},
	}
}

// faultOf says what a node of the demo does badly.
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
	return "rstate has found all four. The network is unconfigured: nothing works yet, and nothing was touched.", err
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
			return "/slam refused, so what was configured was taken back, node by node. Nobody is left half up.", nil
		}
	}
	return "", fmt.Errorf("nobody says that /slam refused")
}

func playWhy(d *stage) (string, error) {
	text, err := d.ask("why")
	if err == nil && !strings.Contains(text, "/slam") {
		err = fmt.Errorf("why does not name /slam")
	}
	return "the reason, the node, the time, and what to do about it.", err
}

// ask runs a verb that reads the journal, and prints what it says.
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
	return "first /lidar, then /slam, then /arm_driver; /camera waits for nobody.", err
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
		return "it was refused, and the robot is still armed.", nil
	}
	return "", fmt.Errorf("cleanup was not refused: %v", err)
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
	return fmt.Sprintf("%.1f s after the kill /arm_driver was disarmed; the network says that it is not intact, and why.", took.Seconds()), nil
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
		return "", fmt.Errorf("%s may be armed, and nobody has asked for it", strings.Join(s.MayBeArmed, ", "))
	}
	return "/lidar was configured and activated again, and the network is intact. To arm is for a person.", nil
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
	return "every node is finalized, and rstate has ended by itself, with code 0.", nil
}

func playHistory(d *stage) (string, error) {
	text, err := d.ask("history", "--kind", "state")
	for _, part := range []string{"configure failed", "armed", "finalized"} {
		if err == nil && !strings.Contains(text, part) {
			err = fmt.Errorf("the history does not tell of %s", part)
		}
	}
	return "each state of the network, when, and why (rstate history shows each step of each node, too).", err
}

// sceneIn is how long something may take that nobody has a command for.
const sceneIn = 25 * time.Second

// reaches waits until the daemon's state is as wanted.
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
