//go:build ros

package ros

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rstate/test/bed"
	"rstate/test/bed/daemon"
)

// simulated is a loop of a simulator that speaks simulation_interfaces (testdata/simulator.py) and
// a controller of rstate, with the machine cle.
type simulated struct {
	*daemon.Daemon
	t           *testing.T
	name, pilot string
	simulator   *bed.Process
	controller  *bed.Node
}

// newSimulated starts them, and waits until the network is stopped. words are those of the
// simulator; keys are more of its entry in participants. The daemon runs in an environment.
func newSimulated(t *testing.T, env []string, keys string, words ...string) *simulated {
	t.Helper()
	t.Parallel()
	s := &simulated{t: t, name: "/" + bed.Unique(t, "gz"), pilot: "/" + bed.Unique(t, "pilot")}
	host := bed.NewHost(t)
	s.controller = host.Node(bed.NodeSpec{Name: s.pilot, Steps: true, Threads: 2})
	s.starts(words...)
	if !strings.Contains(keys, "deadline:") {
		keys += ", deadline: 20s"
	}
	network := patient + fmt.Sprintf(`machine: cle
nodes:
  %[1]s: {lifecycle: false}
  %[2]s: {}
loop:
  dt: 20ms
  participants:
    %[1]s: {as: simulator, speaks: simulation_interfaces%[3]s}
    %[2]s: {deadline: 20s}
`, s.name, s.pilot, keys)
	s.Daemon = daemon.Start(t, host, daemon.Config{Binary: binary, Network: network, Env: env})
	s.Intact("created")
	s.Do("initialize", "succeeded done stopped")
	return s
}

// starts starts the simulator.
func (s *simulated) starts(words ...string) {
	s.t.Helper()
	args := append([]string{"python3", "-B", "testdata/simulator.py", strings.TrimPrefix(s.name, "/")}, words...)
	s.simulator = bed.StartCommand(s.t, s.name, bed.Command{Args: args, Env: bed.SimulationInterfaces(s.t)})
}

// heard waits until the simulator was called so often, and returns its calls.
func (s *simulated) heard(calls int) []string {
	s.t.Helper()
	var lines []string
	bed.Eventually(s.t, fmt.Sprintf("the simulator has heard %d calls", calls), func() (string, bool) {
		lines = nil
		for line := range strings.Lines(s.simulator.Log()) {
			if line = strings.TrimSpace(line); line != "ready" {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, ", "), len(lines) >= calls
	})
	return lines
}

// wantHeard checks the calls of the simulator so far.
func (s *simulated) wantHeard(want ...string) {
	s.t.Helper()
	if got := s.heard(len(want)); !slices.Equal(got, want) {
		s.t.Errorf("the simulator heard %v, want %v", got, want)
	}
}

// fails runs steps that must fail with these words, once for each message.
func (s *simulated) fails(steps string, words ...string) {
	s.t.Helper()
	g := s.GoalWith("run_step", steps)
	r := s.End(g)
	if r.Success {
		s.t.Errorf("%s steps succeed: %+v", steps, r)
	}
	for _, w := range words {
		if !strings.Contains(r.Message, w) {
			s.t.Errorf("the result does not say %q: %s", w, r.Message)
		}
	}
	s.Await("the fault is shown", func(v daemon.View) bool { return v.StepFault != "" && !v.Intact })
}

// run runs steps that must succeed.
func (s *simulated) run(steps string) {
	s.t.Helper()
	if r := s.End(s.GoalWith("run_step", steps)); r.String() != "succeeded done stopped" {
		s.t.Errorf("%s steps ended %v: %s", steps, r, r.Message)
	}
}

// TestL14ASimulatorWithoutCode takes part in a loop: it is paused before the first step, stepped
// once in each step of the loop, by as many of its own steps as the file says, and reset with the
// loop. Its controller is called as ever.
func TestL14ASimulatorWithoutCode(t *testing.T) {
	s := newSimulated(t, bed.SimulationInterfaces(t), ", steps: 10")
	s.run("3")
	s.wantHeard("features", "state 2", "step 10 call 1 time 0.020", "step 10 call 2 time 0.040",
		"step 10 call 3 time 0.060")
	s.run("1")
	s.wantHeard("features", "state 2", "step 10 call 1 time 0.020", "step 10 call 2 time 0.040",
		"step 10 call 3 time 0.060",
		"features", "state 2", "step 10 call 4 time 0.080")
	s.Await("the loop is at step 4", func(v daemon.View) bool { return v.Step == 4 })
	s.Do("reset", "succeeded done stopped")
	s.run("1")
	if got := s.heard(13)[8:]; !slices.Equal(got,
		[]string{"features", "state 2", "reset 0", "state 2", "step 10 call 5 time 0.020"}) {
		t.Errorf("after a reset the simulator heard %v", got)
	}
	var phases []string
	for _, c := range s.controller.Truth().Steps {
		phases = append(phases, fmt.Sprintf("%d%c", c[0], "bscer"[c[1]]))
	}
	want := "1b 1c 1e 2b 2c 2e 3b 3c 3e 4b 4c 4e 1r 1b 1c 1e"
	if got := strings.Join(phases, " "); got != want {
		t.Errorf("the controller was called for %s, want %s", got, want)
	}
}

// TestL14AStepThatFails stops the loop, with the code and the cleaned text of the simulator. The
// step runs again.
func TestL14AStepThatFails(t *testing.T) {
	s := newSimulated(t, bed.SimulationInterfaces(t), "", "fails=2")
	s.fails("3", s.name+" failed in step_simulator of cycle 2: RESULT_OPERATION_FAILED: the left wheel �[31mfell off")
	s.run("1")
	s.Await("the loop is at the step that failed", func(v daemon.View) bool { return v.Step == 2 })
}

// TestL14ASimulatorThatCannotTakePart: the loop does not begin, and says what is missing. Nothing
// else breaks.
func TestL14ASimulatorThatCannotTakePart(t *testing.T) {
	for name, row := range map[string]struct {
		keys  string
		words []string
		want  []string
	}{
		"it does not step": {words: []string{"without=STEP_SIMULATION_SINGLE"},
			want: []string{"cannot be stepped: its features lack STEP_SIMULATION_SINGLE"}},
		"one step at a time only": {
			keys: ", steps: 5", words: []string{"without=STEP_SIMULATION_MULTIPLE"},
			want: []string{"cannot be stepped: its features lack STEP_SIMULATION_MULTIPLE"},
		},
		"a service is not there": {
			keys: ", deadline: 3s", words: []string{"no=step_simulation"},
			want: []string{"does not offer ", "/step_simulation (simulation_interfaces/srv/StepSimulation)",
				"services:"},
		},
		"it cannot be paused": {words: []string{"stays=1"},
			want: []string{"cannot be paused: STATE_TRANSITION_ERROR: the physics thread is stuck"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulated(t, bed.SimulationInterfaces(t), row.keys, row.words...)
			s.fails("1", row.want...)
			if s.Do("shutdown", "succeeded done released"); strings.Contains(strings.Join(s.heard(1), " "), "step ") {
				t.Errorf("it was stepped: %v", s.heard(1))
			}
		})
	}
}

// TestL14ASimulatorThatCannotBeReset: the reset is the next step's failure, and is tried again.
func TestL14ASimulatorThatCannotBeReset(t *testing.T) {
	s := newSimulated(t, bed.SimulationInterfaces(t), "", "without=SIMULATION_RESET", "no=reset_simulation")
	s.run("1")
	s.Do("reset", "succeeded done stopped")
	s.fails("1", "failed in reset of cycle 1: its features lack SIMULATION_RESET")
}

// TestL14ASimulatorThatHangs is stopped by the deadline of the participant, and one that is killed
// by its loss.
func TestL14ASimulatorThatHangs(t *testing.T) {
	s := newSimulated(t, bed.SimulationInterfaces(t), "", "hangs=2")
	g := s.GoalWith("run_step", "3")
	s.heard(4) // features, state, a step, hangs
	s.simulator.Kill()
	if r := s.End(g); r.Success || !strings.Contains(r.Message, s.name) {
		t.Errorf("the goal ended %v: %s", r, r.Message)
	}
	s.Do("shutdown", "succeeded done released")
}

// TestL14ServicesOfOtherNames: the services of some simulators are not below their node.
func TestL14ServicesOfOtherNames(t *testing.T) {
	base := "/" + bed.Unique(t, "isaac")
	s := newSimulated(t, bed.SimulationInterfaces(t), ", services: "+base, "base="+base)
	s.run("2")
	s.wantHeard("features", "state 2", "step 1 call 1 time 0.002", "step 1 call 2 time 0.004")
}

// TestL14WithoutThePackage: where simulation_interfaces is not installed the loop does not begin,
// and says what to install. The network works.
func TestL14WithoutThePackage(t *testing.T) {
	s := newSimulated(t, nil, "")
	s.fails("1", "simulation_interfaces is not installed where rstate runs; install it (apt-get install ros-"+
		os.Getenv("ROS_DISTRO")+"-simulation-interfaces)")
	s.Do("shutdown", "succeeded done released")
}

// TestL14TheDefinitionsAreThoseOfTheStandard: the package of these tests has the type hashes of
// the published one.
func TestL14TheDefinitionsAreThoseOfTheStandard(t *testing.T) {
	var prefix string
	for _, pair := range bed.SimulationInterfaces(t) {
		if list, ok := strings.CutPrefix(pair, "AMENT_PREFIX_PATH="); ok {
			prefix = filepath.SplitList(list)[0]
		}
	}
	for name, hash := range map[string]string{
		"msg/SimulatorFeatures":  "8b101c8529bc0ea3dcf056078254768f39832b9ef0adaf93bd5cea96c0de3305",
		"srv/StepSimulation":     "913fe0653690ce6bf8f09f316e6a626747012e9fca31e26719910d417aa8565c",
		"srv/GetSimulationState": "3362dcebee4b1afebbf9c4beee5c79c1455385aded62092a892d61fde8644f30",
		"srv/ResetSimulation":    "4ce285d7ff9b8ac70dcc95161f32bf54c05a6f4b13427990e41ab40c36c39646",
	} {
		text, err := os.ReadFile(filepath.Join(prefix, "share", "simulation_interfaces", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "RIHS01_"+hash) {
			t.Errorf("%s is not the published type", name)
		}
	}
}
