//go:build ros

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"

	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

const (
	// cyclesOfBound is the share of the bound that a loop must reach with cyclesNodes participants.
	cyclesOfBound = 0.8
	// cyclesOverRclpy is how many times as many cycles it must run as the same calls from rclpy.
	cyclesOverRclpy = 3
	cyclesNodes     = 10
)

// BenchmarkCycles counts the cycles of a stepped loop in a second, of participants in Go that do nothing. The bound is
// one round trip for each phase: the same calls by this process, with the same library and all calls of a phase at
// once. Two programs in rclpy make the same calls, too: all calls of a phase at once, which the goal is for, and one
// call after another, as most programs do. Half of the participants are simulators.
func BenchmarkCycles(b *testing.B) {
	for _, n := range []int{1, cyclesNodes, 50} {
		if testing.Short() && n > cyclesNodes {
			continue
		}
		b.Run("participants="+strconv.Itoa(n), func(b *testing.B) { once(b, func() outcome { return cycles(b, n) }) })
	}
}

func cycles(b *testing.B, n int) outcome {
	b.Helper()
	// Each program has participants of its own: an answer reaches every client of its service, also those that did not
	// ask.
	ours, bare, pythons := startParticipants(b, n, 0), startParticipants(b, n, 0), startParticipants(b, n, 0)
	c := newCaller(b)
	d, h := c.startLoop(b, ours), c.stepper(bare)
	rclpy := startPeer(b, "stepper.py", pythons.prefix, strconv.Itoa(n), strconv.Itoa(simulators(n)))
	d.command("initialize")
	steps := max(2000/n, 50)
	var loop, bound, python, inTurn series
	for range times(b, "RSTATE_BENCH_RUNS", 15, 3) {
		loop = append(loop, d.steps(steps)/time.Duration(steps))
		bound = append(bound, h.cycles(steps)/time.Duration(steps))
		asked := func(op string) time.Duration {
			var took int64
			rclpy.ask(op, map[string]any{"count": steps / 2}, &took)
			return time.Duration(took) / time.Duration(steps/2)
		}
		python, inTurn = append(python, asked("cycles")), append(inTurn, asked("in_turn"))
	}
	ofTheBound, times, timesInTurn := over(bound, loop).median(), over(python, loop).median(),
		over(inTurn, loop).median()
	o := outcome{"ns/op": float64(loop.median()), "x-rclpy": times, "x-rclpy-in-turn": timesInTurn}
	goal, says := "", ""
	if n == cyclesNodes {
		o[ofBound] = max(cyclesOfBound/ofTheBound, cyclesOverRclpy/times)
		goal, says = fmt.Sprintf("%.1f, %d", cyclesOfBound, cyclesOverRclpy), verdict(o[ofBound])
	}
	t := tableOf("A cycle of a stepped loop, in ms: median (least–most)",
		"participants", "rstate", "rclgo: all calls of a phase at once", "rclpy: all at once",
		"rclpy: one after another", "cycles a second",
		"of the bound", "times rclpy at once", "goal", "", "times rclpy one after another")
	t.row(count(n), loop.String(), bound.String(), python.String(), inTurn.String(),
		fmt.Sprintf("%.0f", 1/loop.median().Seconds()),
		fmt.Sprintf("%.2f", ofTheBound), fmt.Sprintf("%.1f", times), goal, says, fmt.Sprintf("%.1f", timesInTurn))
	return o
}

// simulators is how many of n participants are simulators.
func simulators(n int) int { return (n + 1) / 2 }

// startParticipants starts participants in Go. Each of their calls takes that long.
func startParticipants(b *testing.B, n int, takes time.Duration) group {
	b.Helper()
	g := group{prefix: bed.Unique(b, "n"), count: n}
	args := []string{binary(b), "node", "--log-level", "error", "--step", "--step-takes", takes.String()}
	if n > 1 {
		args = append(args, "--count", strconv.Itoa(n), g.prefix)
	} else {
		args = append(args, g.prefix+"_1")
	}
	bed.StartCommand(b, "participants", shipped(args))
	return g
}

// startLoop starts a daemon with the machine cle over participants.
func (c *caller) startLoop(b *testing.B, g group) *daemon {
	b.Helper()
	text := fmt.Sprintf("simulation: %s\nmachine: cle\n%s", g.prefix, loopOf(g))
	return c.startDaemonOn(b, bed.Unique(b, "rstate"), g.prefix, written(b, text))
}

// loopOf is the loop of a network file over participants, and its nodes, to which lines may be added.
func loopOf(g group) string {
	var parts, nodes strings.Builder
	for i, name := range g.names() {
		as := "controller"
		if i < simulators(g.count) {
			as = "simulator"
		}
		fmt.Fprintf(&parts, "%s: {as: %s, deadline: 60s}, ", name, as)
		fmt.Fprintf(&nodes, "  %s: {}\n", name)
	}
	record := ""
	if g.record != "" {
		record = "record: " + g.record + ", "
	}
	return fmt.Sprintf("defaults: {deadline: {discover: 60s, configure: 60s, activate: 60s}}\nloop: {%sparticipants: {%s}}\nnodes:\n%s",
		record, strings.TrimSuffix(parts.String(), ", "), nodes.String())
}

func written(b *testing.B, text string) (file string) {
	b.Helper()
	file = filepath.Join(b.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// steps runs that many steps, and returns how long the caller waited for the end.
func (d *daemon) steps(count int) time.Duration {
	d.b.Helper()
	return d.stepsOf(strconv.Itoa(count))
}

// stepsOf is steps with the argument of run_step.
func (d *daemon) stepsOf(argument string) time.Duration {
	d.b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	goal := rstate_msgs_action.NewTransition_Goal()
	goal.Command, goal.Argument = "run_step", argument
	start := time.Now()
	sent, id, err := d.action.SendGoal(ctx, goal)
	if err != nil || !sent.Accepted {
		d.b.Fatalf("run_step %s: %v, %+v", argument, err, sent)
	}
	got, err := d.action.GetResult(ctx, id)
	if err != nil || !got.Result.Success {
		d.b.Fatalf("run_step %s: %v, %+v", argument, err, got)
	}
	return time.Since(start)
}

// stepper calls participants without a coordinator, from this process.
type stepper struct {
	hand
	steps []*rstate_msgs_srv.StepClient
}

func (c *caller) stepper(g group) *stepper {
	c.b.Helper()
	s := &stepper{hand: hand{b: c.b}}
	for _, name := range g.names() {
		client := must[*rstate_msgs_srv.StepClient](c.b)(rstate_msgs_srv.NewStepClient(c.node, name+"/step", nil))
		await(c.b, name, client.Available)
		s.steps = append(s.steps, client)
	}
	return s
}

// cycles runs cycles, and returns how long they took.
func (s *stepper) cycles(count int) (took time.Duration) {
	s.b.Helper()
	n := len(s.steps)
	phases := []struct {
		phase    uint8
		from, to int
	}{
		{rstate_msgs_srv.Step_Request_STEP_BEGIN, 0, n},
		{rstate_msgs_srv.Step_Request_STEP_SIMULATOR, 0, simulators(n)},
		{rstate_msgs_srv.Step_Request_STEP_CONTROLLER, simulators(n), n}, {rstate_msgs_srv.Step_Request_STEP_END, 0, n},
	}
	for k := range count {
		for _, p := range phases {
			took += s.allOf(p.from, p.to, func(ctx context.Context, i int) error {
				request := rstate_msgs_srv.NewStep_Request()
				request.Step, request.Phase, request.Dt = uint64(k+1), p.phase,
					builtin_interfaces_msg.Duration{Nanosec: 20e6}
				answer, _, err := s.steps[i].Send(ctx, request)
				if err == nil && !answer.Ok {
					err = fmt.Errorf("%d has failed", i)
				}
				return err
			})
		}
	}
	return took
}

// steppedDrivers is the number of armed nodes of BenchmarkDisarmWhileStepping.
const steppedDrivers = 5

// BenchmarkDisarmWhileStepping measures how soon armed nodes get their disarm requests while a loop steps: as fast as
// it can, and with steps that take a second. It begins before the goal is sent, in the middle of a step.
func BenchmarkDisarmWhileStepping(b *testing.B) {
	var list []row
	for _, kind := range []struct {
		name  string
		takes time.Duration
	}{{"steps follow each other at once", 0}, {"a step takes 0.9 s", 300 * time.Millisecond}} {
		s := newStepping(b, kind.takes)
		r := row{name: kind.name + ": last request sent", limit: wireLimit}
		for k := range times(b, "RSTATE_BENCH_RUNS", 20, 3) {
			s.arms()
			<-time.After(time.Duration(k) * 37 * time.Millisecond) // at another moment of the step
			at := s.armed.at("clock", nil)
			s.daemon.command("disarm")
			r.took = append(r.took, last(at, disarmed(at, s.armed).sent))
		}
		s.daemon.command("shutdown")
		list = append(list, r)
	}
	rows(b, fmt.Sprintf("Disarming %d nodes while a loop steps, in ms", steppedDrivers), 0, list)
}

// stepping is a loop that can be armed.
type stepping struct {
	b      *testing.B
	daemon *daemon
	armed  drivers
}

func newStepping(b *testing.B, takes time.Duration) *stepping {
	b.Helper()
	participants, armed := startParticipants(b, 2, takes), startDrivers(b, driverSpec{count: steppedDrivers})
	text := fmt.Sprintf("simulation: %s\nextends: cle\n%s", participants.prefix, loopOf(participants))
	for _, name := range armed.group().names() {
		text += fmt.Sprintf("  %s: {arm: {dead_man: none}}\n", name)
	}
	text += `states:
  armed: {nodes: active, armed: true, disarmed: running, loop: running, adopt_as: stopped}
  arming: {transition: true}
  disarming: {transition: true}
  releasing: {transition: true}
transitions:
  arm: {from: [running], via: arming, to: armed, role: arm}
  disarm: {from: [armed], via: disarming, to: running, role: disarm}
  shutdown: {from: any, via: releasing, to: released, role: shutdown}
`
	s := &stepping{b: b, armed: armed, daemon: newCaller(b).startDaemonOn(b, bed.Unique(b, "rstate"),
		participants.prefix, written(b, text))}
	s.daemon.command("initialize")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := s.daemon.send(ctx, "start"); err != nil { // it stays open
		b.Fatalf("start: %v", err)
	}
	return s
}

func (s *stepping) arms() {
	s.b.Helper()
	bed.Eventually(s.b, "the loop is armed", func() (string, bool) {
		result, err := s.daemon.try("arm")
		return fmt.Sprintf("%v %+v", err, result), err == nil && result.Success && s.armed.armed()
	})
}
