//go:build ros

package bench

import (
	"bufio"
	"context"
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

// caller is this process's side of ROS: who sends goals, and who asks nodes how long a round trip is.
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

// probe asks nodes for their state, one after another: what a call takes in this very run.
type probe struct {
	b       *testing.B
	clients []*lifecycle_msgs_srv.GetStateClient
	turn    int
}

func (c *caller) probe(g group) *probe {
	c.b.Helper()
	p := &probe{b: c.b}
	for _, name := range g.names()[:min(g.count, 10)] {
		client := must[*lifecycle_msgs_srv.GetStateClient](c.b)(lifecycle_msgs_srv.NewGetStateClient(c.node, name+"/get_state", nil))
		await(c.b, name, client.Available)
		p.clients = append(p.clients, client)
	}
	p.roundTrip(len(p.clients))
	return p
}

// roundTrip is the median of so many calls.
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
	b       *testing.B
	process *bed.Process
	name    string
	action  *rstate_msgs_action.TransitionClient
	lowered time.Time // when it was last taken down
}

// networkFile writes the network of a group, in no order: its nodes may go side by side.
func networkFile(b *testing.B, g group) string {
	b.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "simulation: %s\ndefaults: {deadline: {configure: 60s, activate: 60s}}\nnodes:\n", g.prefix)
	for _, name := range g.names() {
		fmt.Fprintf(&text, "  %s: {}\n", name)
	}
	file := filepath.Join(b.TempDir(), g.prefix+".yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// launch starts a daemon and returns when it knows its network, and how long that took.
func launch(b *testing.B, name, file string) (*bed.Process, time.Duration) {
	b.Helper()
	start := time.Now()
	args := []string{binary(b), "run", file, "--ready-fd", "1", "--ros-args", "-r", "__node:=" + name}
	process, _, out := bed.StartPiped(b, name, shipped(args))
	line := make(chan error, 1)
	go func() {
		_, err := bufio.NewReader(out).ReadString('\n')
		line <- err
	}()
	select {
	case err := <-line:
		if err != nil {
			b.Fatalf("%s has ended; it said:\n%s", name, process.Log())
		}
	case <-time.After(bed.Deadline):
		b.Fatalf("%s does not know its network; it said:\n%s", name, process.Log())
	}
	return process, time.Since(start)
}

func (c *caller) startDaemon(b *testing.B, g group) *daemon {
	b.Helper()
	d := &daemon{b: b, name: bed.Unique(b, "rstate")}
	d.process, _ = launch(b, d.name, networkFile(b, g))
	d.action = must[*rstate_msgs_action.TransitionClient](b)(rstate_msgs_action.NewTransitionClient(c.node, "/"+d.name+"/transition", nil))
	b.Cleanup(func() { _ = d.action.Close() })
	await(b, "the action", d.action.Available)
	return d
}

// command sends a goal that is to succeed. It returns how long the caller waited for the result, and how long the
// daemon says that it took.
func (d *daemon) command(word string) (waited, elapsed time.Duration) {
	d.b.Helper()
	result, waited := d.goal(word)
	if !result.Success {
		d.b.Fatalf("%s: %s; the daemon said:\n%s", word, result.Message, d.process.Log())
	}
	return waited, time.Duration(result.Elapsed.Sec)*time.Second + time.Duration(result.Elapsed.Nanosec)
}

func (d *daemon) goal(word string) (*rstate_msgs_action.Transition_Result, time.Duration) {
	d.b.Helper()
	goal := rstate_msgs_action.NewTransition_Goal()
	goal.Command = word
	ctx, cancel := context.WithTimeout(context.Background(), 4*bed.Deadline)
	defer cancel()
	start := time.Now()
	sent, id, err := d.action.SendGoal(ctx, goal)
	if err != nil {
		d.b.Fatalf("cannot send %s: %v; the daemon said:\n%s", word, err, d.process.Log())
	}
	if !sent.Accepted {
		d.b.Fatalf("%s was rejected; the daemon said:\n%s", word, d.process.Log())
	}
	got, err := d.action.GetResult(ctx, id)
	if err != nil {
		d.b.Fatalf("cannot follow %s: %v; the daemon said:\n%s", word, err, d.process.Log())
	}
	return &got.Result, time.Since(start)
}

// lower takes the network down, unmeasured.
func (d *daemon) lower() {
	d.b.Helper()
	d.command("unconfigured")
	d.lowered = time.Now()
}

// stale waits until what the daemon has last read of its nodes is too old to act on, as it is when a command comes
// after a while: else bring-ups right after one another would be spared the reading.
func (d *daemon) stale() {
	if left := time.Until(d.lowered.Add(1100 * time.Millisecond)); left > 0 {
		<-time.After(left)
	}
}
