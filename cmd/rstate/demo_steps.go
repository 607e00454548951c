//go:build ros

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"rstate/internal/client"
	"rstate/internal/engine"
	"rstate/internal/journal"
	"rstate/internal/narrate"
	"rstate/internal/session"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// step is a part of a scene. It returns an error if the network does not do what the story says.
type step func(*stage) error

// does plays steps in their order. told is the result of the scene.
func does(told string, steps ...step) func(*stage) (string, error) {
	return func(d *stage) (string, error) {
		for _, s := range steps {
			if err := s(d); err != nil {
				return "", err
			}
		}
		return told, nil
	}
}

// begins starts the nodes, with their faults, and the daemon.
func begins(d *stage) error { return d.start(d.demo.network, d.demo.faults) }

// beginsAnew ends the nodes, and starts nodes without faults and a daemon with another network file.
func beginsAnew(text string) step {
	return func(d *stage) error {
		d.up.stopNodes()
		d.up.nodes = nil
		if err := d.write(text); err != nil {
			return err
		}
		return d.start(text, nil)
	}
}

func (d *stage) start(text string, faults map[string][]string) (err error) {
	fmt.Fprintf(d.shown(), "%s\n$ rstate run %s\n", d.written(text), filepath.Base(d.net.File))
	for _, n := range d.net.Nodes {
		if err := d.startNode(n.Name, faults[n.Name]...); err != nil {
			return err
		}
	}
	d.up.daemon, err = d.up.start("rstate", nil, append([]string{"run", d.net.File, "--log", "text"}, d.ros...)...)
	return err
}

// startNode starts a node's process.
func (d *stage) startNode(name string, more ...string) error {
	args := append([]string{"node", name, "--log", "text", "--configure-delay", "300ms", "--activate-delay", "200ms"},
		more...)
	args = append(append(args, d.demo.options...), stepFlagsOf(d.net, name)...)
	args = append(args, armFlags(d.net.Nodes[d.net.Index(name)], daemonName(d.ros))...)
	child, err := d.up.start(name, nil, args...)
	if err == nil {
		d.up.nodes = append(d.up.nodes, child)
	}
	return err
}

// restarts starts a node's process again, without faults.
func restarts(node string) step {
	return func(d *stage) error { return d.startNode(node) }
}

// kills kills a node's process.
func kills(node string) step {
	return func(d *stage) error {
		at := slices.IndexFunc(d.up.nodes, func(c *child) bool { return c.name == node })
		process := d.up.nodes[at].cmd.Process
		fmt.Fprintf(d.shown(), "$ kill -9 %d\n", process.Pid)
		return process.Signal(syscall.SIGKILL)
	}
}

// asksNode asks a node for a transition, as another program would. The node may refuse it.
func asksNode(node, transition string) step {
	return func(d *stage) error {
		fmt.Fprintf(d.shown(), "$ ros2 lifecycle set %s %s\n", node, transition)
		ctx, cancel := context.WithTimeout(d.ctx, sceneIn)
		defer cancel()
		return d.conn.ChangeState(ctx, node, transition)
	}
}

// check looks at the result of a command.
type check func(*client.Ending) error

// sends gives a command, and prints what rstate send would print.
func sends(command string, wanted engine.Outcome, checks ...check) step {
	return givesGoal(client.Goal{Command: command, Reason: "the demo"}, wanted, checks)
}

func givesGoal(g client.Goal, wanted engine.Outcome, checks []check) step {
	return func(d *stage) error {
		line := "$ rstate send " + g.Command
		if g.Argument != "" {
			line += fmt.Sprintf(" --argument %q", g.Argument)
		}
		out := d.shown()
		fmt.Fprintln(out, line)
		t := &lines{out: out}
		end, err := d.conn.Send(d.ctx, g, client.Following{Progress: t.progress})
		for standsStill(err) {
			fmt.Fprintln(out, err)
			fmt.Fprintln(out, line)
			end, err = d.conn.Send(d.ctx, g, client.Following{Progress: t.progress})
		}
		if err != nil {
			return err
		}
		return d.judges(end, wanted, checks)
	}
}

// standsStill reports whether a command was rejected because the machine had no time for the daemon.
func standsStill(err error) bool {
	rejected, ok := err.(*client.Rejected)
	return ok && strings.Contains(rejected.Text, "the process did not run for")
}

// judges prints the result of a goal, and checks it.
func (d *stage) judges(end *client.Ending, wanted engine.Outcome, checks []check) error {
	printResult(d.shown(), end.Result)
	if end.Result.Outcome != string(wanted) {
		return fmt.Errorf("the command ended as %s, not as %s", end.Result.Outcome, wanted)
	}
	for _, holds := range checks {
		if err := holds(end); err != nil {
			return err
		}
	}
	return nil
}

// verdict checks the last verdict on a node.
func verdict(node, wanted string) check {
	return func(end *client.Ending) error {
		for _, n := range end.Result.Nodes {
			if n.Name == node && n.Verdict == wanted {
				return nil
			}
		}
		return fmt.Errorf("the result does not say of %s: %s", node, wanted)
	}
}

// lastStep checks that every node has taken that step last.
func lastStep(wanted string) check {
	return func(end *client.Ending) error {
		for _, n := range end.Result.Nodes {
			if n.Step != wanted || n.Verdict != rstate_msgs_msg.NodeResult_DONE {
				return fmt.Errorf("the last step of %s is %s (%s), not %s", n.Name, n.Step, n.Verdict, wanted)
			}
		}
		return nil
	}
}

// rejects gives a command that the daemon has to reject.
func rejects(command string) step {
	return func(d *stage) error {
		err := sends(command, engine.OutcomeDone)(d)
		rejected, ok := err.(*client.Rejected)
		if !ok {
			return fmt.Errorf("%s was not rejected: %v", command, err)
		}
		fmt.Fprintln(d.shown(), rejected)
		return nil
	}
}

// journalIn is the time limit of the journal, which the daemon writes asynchronously.
const journalIn = 5 * time.Second

// asks runs a verb that reads the journal until its output contains all parts, and prints the output.
func asks(args, parts []string) step {
	return func(d *stage) error {
		fmt.Fprintf(d.shown(), "$ rstate %s\n", strings.Join(args, " "))
		dir, err := journal.Dir(os.Getenv("ROS_HOME"), "/"+session.NodeName)
		if err != nil {
			return err
		}
		for began := time.Now(); ; narrate.Wait(d.ctx, 100*time.Millisecond) {
			var text, said strings.Builder
			code := dispatch(&env{in: d.env.in, out: &text, err: &said}, append(slices.Clone(args), "--dir", dir))
			lacks := slices.IndexFunc(parts, func(part string) bool { return !strings.Contains(text.String(), part) })
			if lacks >= 0 && time.Since(began) < journalIn && d.ctx.Err() == nil {
				continue
			}
			fmt.Fprint(d.shown(), text.String())
			switch {
			case code != exitDone:
				return fmt.Errorf("rstate %s ended with %d: %s", args[0], code, &said)
			case lacks >= 0:
				return fmt.Errorf("rstate %s does not tell of %s", args[0], parts[lacks])
			}
			return nil
		}
	}
}

// why asks for the reasons of the present state, which have to contain all parts.
func why(parts ...string) step { return asks([]string{"why"}, parts) }

// is waits until the network rests in a state, intact.
func is(state string) step {
	return func(d *stage) error {
		_, err := d.reaches(state+" and intact", func(s *rstate_msgs_msg.InstanceState) bool {
			return s.Settled && s.State.Label == state && s.Intact
		})
		return err
	}
}

// rests waits until the network rests in a state, intact or not, with these legal commands, and prints the status.
func rests(state string, legal ...string) step {
	return func(d *stage) error {
		slices.Sort(legal)
		s, err := d.reaches(fmt.Sprintf("%s, with %s as legal commands", state, strings.Join(legal, ", ")),
			func(s *rstate_msgs_msg.InstanceState) bool {
				return s.Settled && s.State.Label == state && len(s.OpenGoals) == 0 &&
					slices.Equal(slices.Sorted(slices.Values(s.Legal)), legal)
			})
		if err != nil {
			return err
		}
		fmt.Fprintln(d.shown(), "$ rstate status")
		printState(d.shown(), s)
		return nil
	}
}

// exits waits until the daemon has ended by itself, with that exit code.
func exits(code int) step {
	return func(d *stage) error {
		select {
		case <-d.up.daemon.done:
		case <-d.ctx.Done():
			return d.ctx.Err()
		}
		if got := d.up.daemon.cmd.ProcessState.ExitCode(); got != code {
			return fmt.Errorf("rstate ended with %d, not %d", got, code)
		}
		return nil
	}
}

// sceneIn is the time limit of a change of state that no command of the demo asks for.
const sceneIn = 25 * time.Second

// reaches waits until the state of the daemon fulfils a condition.
func (d *stage) reaches(what string, holds func(*rstate_msgs_msg.InstanceState) bool) (*rstate_msgs_msg.InstanceState,
	error) {
	ctx, cancel := context.WithTimeout(d.ctx, sceneIn)
	defer cancel()
	s, err := d.conn.Until(ctx, holds)
	if err == nil {
		return s, nil
	}
	now := "nothing was heard of it"
	if s != nil {
		now = fmt.Sprintf("it is %s: %s", labelOf(s.State), s.Cause)
	}
	return s, fmt.Errorf("the network was not %s within %v; %s", what, sceneIn, now)
}
