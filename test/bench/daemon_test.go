//go:build ros

package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/test/bed"

	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

// patience is how long large networks on a busy machine may take for an operation.
const patience = 4 * bed.Deadline

// caller is this process's part of ROS: it sends goals, and measures the round trip of calls to
// nodes.
type caller struct {
	b    *testing.B
	node *rclgo.Node
}

func newCaller(b *testing.B) *caller {
	b.Helper()
	c := must[*rclgo.Context](b)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
	node := must[*rclgo.Node](b)(c.NewNode(bed.Unique(b, "caller"), ""))
	ctx, cancel := context.WithCancel(context.Background())
	spun := make(chan error, 1)
	go func() { spun <- c.Spin(ctx) }()
	b.Cleanup(func() {
		cancel()
		<-spun
		if err := c.Close(); err != nil {
			b.Errorf("cannot close the caller's part of ROS: %v", err)
		}
	})
	return &caller{b: b, node: node}
}

func must[T any](b *testing.B) func(T, error) T {
	return func(v T, err error) T {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
}

// await waits until a server is matched.
func await(b *testing.B, what string, available func() (bool, error)) {
	b.Helper()
	bed.Eventually(b, what+" is matched", func() (string, bool) {
		ok, err := available()
		return fmt.Sprint(err), ok
	})
}

// probe reads the states of nodes, one after another, to measure what a call takes in this run.
type probe struct {
	b       *testing.B
	clients []*lifecycle_msgs_srv.GetStateClient
	turn    int
}

func (c *caller) probe(g group) *probe {
	c.b.Helper()
	p := &probe{b: c.b}
	for _, name := range g.names()[:min(g.count, 10)] {
		client := must[*lifecycle_msgs_srv.GetStateClient](c.b)(lifecycle_msgs_srv.NewGetStateClient(c.node,
			name+"/get_state", nil))
		await(c.b, name, client.Available)
		p.clients = append(p.clients, client)
	}
	p.roundTrip(len(p.clients))
	return p
}

// roundTrip returns the median of that many calls.
func (p *probe) roundTrip(calls int) time.Duration {
	p.b.Helper()
	var took series
	for range calls {
		client := p.clients[p.turn%len(p.clients)]
		p.turn++
		ctx, cancel := context.WithTimeout(context.Background(), bed.Deadline)
		start := time.Now()
		_, _, err := client.Send(ctx, lifecycle_msgs_srv.NewGetState_Request())
		took = append(took, time.Since(start))
		cancel()
		if err != nil {
			p.b.Fatalf("cannot read the state of a node: %v", err)
		}
	}
	return took.median()
}

// daemon is rstate over a group, and a client of its action.
type daemon struct {
	b          *testing.B
	process    *bed.Process
	name, file string
	simulation string
	env        []string // added to the environment as shipped
	rosArgs    []string // added to its name
	action     *rstate_msgs_action.TransitionClient
	lowered    time.Time // when it was last lowered
}

// networkFile writes the network of some groups, without an order: all nodes may go concurrently.
func networkFile(b *testing.B, groups ...group) string {
	b.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "simulation: %s\ndefaults: {deadline: {discover: 60s, configure: 60s, activate: 60s}}\nnodes:\n",
		groups[0].prefix)
	for _, g := range groups {
		for _, name := range g.names() {
			fmt.Fprintf(&text, "  %s: {}\n", name)
		}
	}
	file := filepath.Join(b.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// launch starts a daemon with more ROS arguments. It returns when the daemon knows its network,
// with the time that this took.
func launch(b *testing.B, name, file string, rosArgs []string, env ...string) (*bed.Process, time.Duration) {
	b.Helper()
	start := time.Now()
	args := []string{binary(b), "run", file, "--ready-fd", "1", "--ros-args", "-r", "__node:=" + name}
	command := shipped(append(args, rosArgs...))
	command.Env = append(command.Env, env...)
	process, _, out := bed.StartPiped(b, name, command)
	line := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(out).ReadString('\n')
		line <- err
	}()
	select {
	case err := <-line:
		if err != nil {
			b.Fatalf("%s has ended; its log:\n%s", name, process.Log())
		}
	case <-time.After(patience):
		b.Fatalf("%s does not know its network; its log:\n%s", name, process.Log())
	}
	return process, time.Since(start)
}

// startDaemon starts a daemon over groups of nodes, and returns when it accepts commands.
func (c *caller) startDaemon(b *testing.B, groups ...group) *daemon {
	b.Helper()
	return c.startDaemonOn(b, bed.Unique(b, "rstate"), groups[0].prefix, networkFile(b, groups...))
}

// startDaemonOn starts a daemon of that name over a network file, with more environment, and
// returns when it accepts commands.
func (c *caller) startDaemonOn(b *testing.B, name, simulation, file string, env ...string) *daemon {
	b.Helper()
	return c.startDaemonWith(b, nil, name, simulation, file, env...)
}

// startDaemonWith is startDaemonOn with more arguments after its ROS arguments.
func (c *caller) startDaemonWith(b *testing.B, args []string, name, simulation, file string, env ...string) *daemon {
	b.Helper()
	d := &daemon{b: b, name: name, simulation: simulation, file: file, env: env, rosArgs: args}
	d.action = must[*rstate_msgs_action.TransitionClient](b)(rstate_msgs_action.NewTransitionClient(c.node,
		"/"+name+"/transition", nil))
	b.Cleanup(func() { _ = d.action.Close() })
	d.start()
	return d
}

// start starts the daemon, for the first time or again, and returns how long it took to know its network.
func (d *daemon) start() (took time.Duration) {
	d.b.Helper()
	d.process, took = launch(d.b, d.name, d.file, d.rosArgs, d.env...)
	await(d.b, "the action", d.action.Available)
	return took
}

// command sends a goal that must succeed, and returns how long the caller waited for its result.
func (d *daemon) command(word string) (waited time.Duration) {
	d.b.Helper()
	start := time.Now()
	result, err := d.try(word)
	waited = time.Since(start)
	if err == nil && !result.Success {
		err = errors.New(result.Message)
	}
	if err != nil {
		d.b.Fatalf("%s: %v", word, err)
	}
	return waited
}

// try sends a goal and waits for its end.
func (d *daemon) try(word string) (*rstate_msgs_action.Transition_Result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	end, err := d.send(ctx, word)
	if err != nil {
		return nil, err
	}
	return end()
}

// send sends a goal, and returns when it was accepted; end waits for its result.
func (d *daemon) send(ctx context.Context, word string) (end func() (*rstate_msgs_action.Transition_Result, error),
	err error) {
	goal := rstate_msgs_action.NewTransition_Goal()
	goal.Command = word
	sent, id, err := d.action.SendGoal(ctx, goal)
	if err == nil && !sent.Accepted {
		err = errors.New("the goal was rejected")
	}
	if err != nil {
		return nil, err
	}
	return func() (*rstate_msgs_action.Transition_Result, error) {
		got, err := d.action.GetResult(ctx, id)
		if err != nil {
			return nil, err
		}
		return &got.Result, nil
	}, nil
}

// lower lowers the network, without measuring.
func (d *daemon) lower() {
	d.b.Helper()
	d.command("unconfigured")
	d.lowered = time.Now()
}

// stale waits until the daemon's last reading of its nodes is too old to act on, as it usually is
// when a command arrives. Otherwise bring-ups in quick succession would skip the reading.
func (d *daemon) stale() {
	if left := time.Until(d.lowered.Add(1100 * time.Millisecond)); left > 0 {
		<-time.After(left)
	}
}
