//go:build ros

package ros

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/test/bed"
)

// ClockState holds the fields of ~/state that are about time.
type ClockState struct {
	State    State
	Settled  bool
	Clock    string
	Warnings []string
	Nodes    []NodeClock
}

type NodeClock struct {
	Name     string
	State    State
	Running  string
	Held     bool
	TimeLeft struct{ Sec, Nanosec int } `json:"time_left"`
}

func (n NodeClock) left() time.Duration {
	return time.Duration(n.TimeLeft.Sec)*time.Second + time.Duration(n.TimeLeft.Nanosec)
}

// simulation is a daemon with use_sim_time over a slow node, and a second daemon with real time.
type simulation struct {
	*pair
	robot        *robot
	daemon       *bed.Process
	params       *bed.Parameters
	slow, steady *bed.Node
	clock        *bed.Publisher
}

// deadline is the deadline of both nodes.
const deadline = 500 * time.Millisecond

func newSimulation(t *testing.T, simulated bool) *simulation {
	t.Helper()
	s := &simulation{pair: &pair{t: t, host: bed.StartHost(t), simulation: bed.Unique(t, "sim"), folder: t.TempDir()}}
	frozen := map[string][]bed.Behaviour{"configure": {{Result: bed.Frozen}}}
	s.slow = s.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "slow"), Script: frozen})
	s.steady = s.host.Node(bed.NodeSpec{Name: "/" + bed.Unique(t, "steady"), Script: frozen})
	file := s.write("network.yaml", patient+fmt.Sprintf(`simulation: %s
nodes:
  %s: {deadline: {configure: %v, recover: 60s}}
  %s: {deadline: {configure: %v}, clock: steady, optional: true}
`, s.simulation, s.slow.Name, deadline, s.steady.Name, deadline))
	name := "/" + bed.Unique(t, "rstate")
	s.clock = s.host.Advertise(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: "/clock"})
	s.robot, s.daemon = s.run(name, file, "--log", "text", "--ros-args", "-r", "__node:="+name[1:], "-p",
		fmt.Sprintf("use_sim_time:=%v", simulated))
	s.params = s.host.Parameters(name)
	s.robot.intact("unconfigured")
	return s
}

// says publishes a time repeatedly, since /clock is best effort, until the state is as wanted.
func (s *simulation) says(clock time.Duration, what string, wanted func(ClockState, NodeClock) bool) {
	s.t.Helper()
	bed.Eventually(s.t, fmt.Sprintf("with the clock at %v %s", clock, what), func() (string, bool) {
		s.publish(clock)
		return s.sees(wanted)
	})
}

// runs advances the clock from a time until simulated time counts.
func (s *simulation) runs(from time.Duration) {
	s.t.Helper()
	bed.Eventually(s.t, "simulated time counts", func() (string, bool) {
		from += time.Millisecond
		s.publish(from)
		return s.sees(func(c ClockState, _ NodeClock) bool { return c.Clock == "ros" && len(c.Warnings) == 0 })
	})
}

func (s *simulation) publish(clock time.Duration) {
	s.t.Helper()
	s.clock.Publish(map[string]any{"clock": map[string]any{"sec": int(clock / time.Second),
		"nanosec": int(clock % time.Second)}})
}

// without waits for the wanted state while nothing is published on /clock.
func (s *simulation) without(what string, wanted func(ClockState, NodeClock) bool) {
	s.t.Helper()
	bed.Eventually(s.t, "without a clock "+what, func() (string, bool) { return s.sees(wanted) })
}

func (s *simulation) sees(wanted func(ClockState, NodeClock) bool) (string, bool) {
	s.t.Helper()
	var state ClockState
	if !s.robot.states.Last(&state) {
		return "nothing", false
	}
	i := slices.IndexFunc(state.Nodes, func(n NodeClock) bool { return n.Name == s.slow.Name })
	return fmt.Sprintf("%+v", state), i >= 0 && wanted(state, state.Nodes[i])
}

// configure sends the command and waits until both nodes are in their callbacks.
func (s *simulation) configure() *bed.Goal {
	s.t.Helper()
	goal := s.robot.goal("configure")
	bed.Eventually(s.t, "both nodes are asked", func() (string, bool) {
		a, b := s.slow.Truth(), s.steady.Truth()
		return fmt.Sprint(a, b), running(a, "configure") && running(b, "configure")
	})
	return goal
}

// holds stops the clock while a step runs, and waits until the step is late in real time.
func (s *simulation) holds(at time.Duration) *bed.Goal {
	s.t.Helper()
	s.says(at, "the clock is held", func(c ClockState, _ NodeClock) bool { return c.Clock == "held" })
	goal := s.configure()
	s.steadyIsLate(goal)
	return goal
}

// steadyIsLate waits until the deadline of both nodes has passed in real time.
func (s *simulation) steadyIsLate(goal *bed.Goal) {
	s.t.Helper()
	bed.Eventually(s.t, "the deadline is over in real time", func() (string, bool) {
		var last NodeResult
		for _, m := range goal.Record().Feedback {
			var told struct{ Last NodeResult }
			s.robot.decode(m, &told)
			last = told.Last
		}
		return fmt.Sprintf("%+v", last), last.Name == s.steady.Name && last.Verdict == "late"
	})
}

// goesBack thaws the nodes and checks the end of the goal.
func (s *simulation) goesBack(goal *bed.Goal) {
	s.t.Helper()
	s.slow.Thaw()
	s.steady.Thaw()
	var result Result
	status := goal.Result(&result)
	i := slices.IndexFunc(result.Nodes, func(n NodeResult) bool { return n.Name == s.slow.Name })
	if status != bed.StatusAborted || i < 0 || result.Nodes[i].Verdict != "late" {
		s.t.Errorf("configure ended with %d: %+v", status, result)
	}
}

// TestE8TheClockHoldsDeadlinesAndPassesThem checks the whole rule on real ROS: a clock that stands
// still, runs and jumps back.
func TestE8TheClockHoldsDeadlinesAndPassesThem(t *testing.T) {
	s := newSimulation(t, true)
	s.runs(90 * time.Second)
	goal := s.holds(100 * time.Second)
	held := func(left time.Duration) func(ClockState, NodeClock) bool {
		return func(c ClockState, n NodeClock) bool {
			return c.State.Label == "configuring" && c.Clock == "held" && n.Held && n.Running == "configure" &&
				n.left() == left
		}
	}
	s.without("the whole deadline remains", held(deadline))
	s.says(100*time.Second+300*time.Millisecond, "a part of the deadline remains", held(200*time.Millisecond))
	s.says(50*time.Second, "it has begun again", held(deadline))
	s.says(50*time.Second+400*time.Millisecond, "a smaller part remains", held(100*time.Millisecond))
	s.says(50*time.Second+600*time.Millisecond, "the deadline has passed",
		func(c ClockState, _ NodeClock) bool { return c.State.Label != "configuring" })
	s.goesBack(goal)
}

// TestE8NoClockIsReportedAndRealTimeCounts: use_sim_time without a simulation.
func TestE8NoClockIsReportedAndRealTimeCounts(t *testing.T) {
	s := newSimulation(t, true)
	waited := slices.ContainsFunc(s.robot.states.Messages(), func(m bed.Message) bool {
		var c ClockState
		s.robot.decode(m, &c)
		return c.Clock == "held" && len(c.Warnings) == 0
	})
	if !waited {
		t.Error("the state never showed that the daemon waits for the first message")
	}
	goal := s.configure()
	s.steadyIsLate(goal)
	s.without("the deadline counts in real time", func(c ClockState, _ NodeClock) bool {
		return c.Clock == "steady" && len(c.Warnings) == 1 &&
			strings.Contains(c.Warnings[0], "nothing is heard on /clock")
	})
	s.without("the deadline passes", func(c ClockState, _ NodeClock) bool { return c.State.Label != "configuring" })
	s.goesBack(goal)
	if !strings.Contains(s.daemon.Log(), "WARN  use_sim_time is true and nothing is heard on /clock") {
		t.Errorf("the log has no such warning:\n%s", s.daemon.Log())
	}
	s.says(7*time.Second, "the simulation runs", func(c ClockState, _ NodeClock) bool {
		return c.Clock != "steady" && len(c.Warnings) == 0
	})
}

// TestE8AClockWhoseSourceEnds: it does not stand still, so real time counts, until another source is heard.
func TestE8AClockWhoseSourceEnds(t *testing.T) {
	s := newSimulation(t, true)
	s.runs(90 * time.Second)
	goal := s.holds(100 * time.Second)
	s.clock.Close()
	s.without("real time counts", func(c ClockState, _ NodeClock) bool {
		return c.Clock == "steady" && len(c.Warnings) == 1 &&
			strings.Contains(c.Warnings[0], "nothing is heard on /clock")
	})
	s.without("the deadline passes", func(c ClockState, _ NodeClock) bool { return c.State.Label != "configuring" })
	s.goesBack(goal)
	s.clock = s.host.Advertise(bed.Topic{Kind: "rosgraph_msgs/msg/Clock", Name: "/clock"})
	s.runs(7 * time.Second)
}

// TestE8UseSimTimeIsSetAndTakenBack: the parameter is set and reset while a step runs.
func TestE8UseSimTimeIsSetAndTakenBack(t *testing.T) {
	s := newSimulation(t, false)
	set := func(on bool) {
		t.Helper()
		if got := s.params.Set("use_sim_time", on); !got.Successful {
			t.Fatal(got.Reason)
		}
	}
	s.without("real time counts", func(c ClockState, _ NodeClock) bool { return c.Clock == "steady" })
	set(true)
	s.runs(3 * time.Second)
	goal := s.holds(10 * time.Second)
	s.says(10*time.Second, "the deadline is held",
		func(c ClockState, n NodeClock) bool { return c.State.Label == "configuring" && n.Held })
	set(false)
	s.without("real time counts again", func(c ClockState, _ NodeClock) bool { return c.Clock == "steady" })
	s.without("the deadline passes", func(c ClockState, _ NodeClock) bool { return c.State.Label != "configuring" })
	s.goesBack(goal)
}
