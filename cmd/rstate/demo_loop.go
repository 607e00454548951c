//go:build ros

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
	"rstate/internal/engine"
	"rstate/internal/session"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// cleFile is a closed loop engine.
const cleFile = `simulation: engine
machine: cle
nodes:
  /world: {}               # simulates the robot and its surroundings
  /brain: {after: [/world]} # simulates neurons
loop:
  dt: 20ms
  participants: {/world: {as: simulator}, /brain: {as: controller}}
`

// roscleFile is an experiment with a stepped loop.
const roscleFile = `simulation: $(sim)
machine: roscle
nodes:
  /sim_$(sim)/world: {}
  /sim_$(sim)/brain: {after: [/sim_$(sim)/world]}
loop:
  participants: {/sim_$(sim)/world: {as: simulator}, /sim_$(sim)/brain: {as: controller}}
`

// cloeFile is a scenario of ten seconds of simulated time.
const cloeFile = `simulation: race
machine: cloe
nodes:
  /world: {}   # simulates the road
  /sensors: {} # simulates cameras and radars
  /pilot: {after: [/world, /sensors]}
loop:
  dt: 20ms
  participants: {/world: {as: simulator}, /sensors: {as: simulator}, /pilot: {as: controller}}
  triggers: [{at: 10s, do: succeed}]
`

// cleDemo is the life of a closed loop engine.
func cleDemo() demonstration {
	return demonstration{
		name: "cle",
		prologue: `A closed loop engine steps a simulated world and a simulated brain in turns, so that neither is ahead of the other. With
the preset cle, rstate is such an engine. This demo runs it on this machine, in ROS domain %s. It takes half a minute;
Ctrl-C ends it.
`,
		network: cleFile,
		faults:  map[string][]string{"/brain": {"--fail-step", "50"}},
		scenes: []scene{
			{
				"The participants start, each in its own process, and the daemon rstate with this network file:",
				does("the engine is created. Nothing but initialize and shutdown is allowed now.", begins,
					is("created"), rejects("start")),
			},
			{
				"initialize configures and activates the nodes.",
				does("the engine is stopped, and its nodes are active. No step was run.",
					sends("initialize", engine.OutcomeDone), is("stopped")),
			},
			{
				"run_step runs single steps. In each step /world is called first, then /brain.",
				does("ten steps were run, which are 200 ms of simulated time.",
					sendsWith("run_step", "10", engine.OutcomeDone), at("stopped", 10)),
			},
			{
				"start runs steps until a stop. But /brain will fail in step 50.",
				does("the engine stopped at once, and the goal names the participant and the phase. The network is not intact.",
					sends("start", engine.OutcomeHeld, saying("/brain failed in step_begin of cycle 50")),
					rests("stopped", "start", "run_step", "reset", "shutdown")),
			},
			{
				"Why did it stop? rstate answers from its journal.",
				does("the participant, the phase, and the time.", why("/brain")),
			},
			{
				"reset makes the next step the first one again, and start runs. The goal of start stays open meanwhile.",
				does("it runs, and the state shows how fast, and which participant is the slowest.",
					sends("reset", engine.OutcomeDone), opensGoal("start"), loops(30)),
			},
			{
				"stop returns when the step that runs has ended.",
				does("the engine is stopped. The goal of start has ended, too, and well.",
					sends("stop", engine.OutcomeDone), is("stopped"), goalEnds(engine.OutcomeDone)),
			},
			{
				"It runs again, and the process of /world is killed.",
				does("the engine noticed it and stopped. The goal of start names /world.",
					opensGoal("start"), loops(0), kills("/world"), goalEnds(engine.OutcomeHeld, saying("/world"))),
			},
			{
				"The process of /world starts again, and one command ends the engine.",
				does("every node is finalized, and the daemon has ended with code 0.", restarts("/world"),
					found("/world"), sends("shutdown", engine.OutcomeDone), exits(exitDone)),
			},
		},
		epilogue: `
The demo is over, and every process has ended. Try it yourself with rstate up config/cle.yaml.
`,
	}
}

// roscleDemo is the life of a simulation that a factory makes and initializes.
func roscleDemo() demonstration {
	return demonstration{
		name: "roscle", file: "config/experiments/roscle.yaml",
		prologue: `The ROS server of the NRP makes simulations and steps them. With the preset roscle, a factory of rstate does. This demo
speaks HTTP with it, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		network:     roscleFile,
		experiments: map[string]string{"roscle": roscleFile},
		faults:      map[string][]string{"/sim_0/brain": {"--fail-step", "50"}},
		scenes: []scene{
			{
				"The nodes of a simulation start, and the factory with a folder of experiments. This is the experiment roscle:",
				does("there is no simulation yet.", opens, curls("GET", "", "", http.StatusOK, "[]")),
			},
			{
				"A request creates a simulation. The factory initializes it by itself.",
				does("its nodes are active, and it is initial. Its loop does not run: no start of rstate starts a loop.",
					curls("POST", "", `{"experiment": "roscle"}`, http.StatusCreated, `"id":"0"`), webIs(0, "initial")),
			},
			{
				"start may say how many steps it runs, and how much simulated time each covers. It answers at once.",
				does("the simulation is paused after ten steps, which are 50 ms of simulated time.",
					putsWith(0, "start", "10 5ms", http.StatusOK, "done"), webIs(0, "paused"), webSteps(0, 10)),
			},
			{
				"A server has no run_step and no shutdown.",
				does("both are refused, with what is legal.", puts(0, "run_step", http.StatusBadRequest, "reset"),
					puts(0, "shutdown", http.StatusBadRequest, "reset")),
			},
			{
				"It runs without end now. But /sim_0/brain will fail in step 50.",
				does("the loop stopped at once: the simulation is paused, and says why it is not intact.",
					puts(0, "start", http.StatusOK, "done"),
					webFault(0, "/sim_0/brain failed in step_begin of cycle 50")),
			},
			{
				"reset makes the next step the first one again. Then it starts again.",
				does("the simulation runs, and is intact.",
					puts(0, "reset", http.StatusOK, "done"), webIs(0, "initial"),
					puts(0, "start", http.StatusOK, "done"), webSteps(0, 20), webIs(0, "running")),
			},
			{
				"pause is answered when the step that runs has ended.",
				does("the simulation is paused. Its nodes stay active.", puts(0, "pause", http.StatusOK, "done"),
					webIs(0, "paused")),
			},
			{
				"stop ends the simulation, and shuts its nodes down.",
				does("it is stopped, which is final.", puts(0, "stop", http.StatusOK, "done"),
					curls("GET", "/0/state", "", http.StatusOK, "stopped")),
			},
			{
				"Ctrl-C ends the factory.",
				does("the factory has ended with code 0.", interruptsIt, exits(exitDone)),
			},
		},
		epilogue: `
The demo is over, and every process has ended. Try it yourself with rstate factory --experiments config/experiments, which has
config/experiments/roscle.yaml.
`,
	}
}

// cloeDemo is the life of two runs of a scenario: one is paused and comes to its end, one is aborted.
func cloeDemo() demonstration {
	return demonstration{
		name: "cloe",
		prologue: `Cloe runs driving scenarios: simulators and controllers are stepped until a trigger says that the scenario is over, and
the outcome is reported. With the preset cloe, rstate does that. This demo runs a scenario on this machine, in ROS
domain %s. It takes half a minute; Ctrl-C ends it.
`,
		network:  cloeFile,
		recorded: true,
		options:  []string{"--step-takes", "3ms"},
		scenes: []scene{
			{
				"The participants start, each in its own process, and the daemon rstate with this network file:",
				does("the run is idle. It can be connected, and aborted.", begins, is("idle"), rejects("start")),
			},
			{
				"connect configures the nodes. If one of them failed, the run would be aborted.",
				does("the nodes are connected, and inactive.", sends("connect", engine.OutcomeDone), is("connect")),
			},
			{
				"start activates them, and runs steps. This one is to run 100 of the 500.",
				does("two seconds of simulated time have passed, and the run pauses.",
					sendsWith("start", "100", engine.OutcomeDone), at("pause", 100)),
			},
			{
				"In a pause single steps can be run.",
				does("one step more.", runsVerb("step"), at("pause", 101)),
			},
			{
				"resume goes on. pause interrupts it again, at the end of a step.",
				does("the goal of resume has ended, and the run pauses.",
					opensGoal("resume"), loops(110), sends("pause", engine.OutcomeDone), is("pause"),
					goalEnds(engine.OutcomeDone)),
			},
			{
				"resume once more. The trigger of the network file ends the scenario after ten seconds of simulated time.",
				does("the nodes were shut down, and the daemon has ended with code 0, because the outcome is success.",
					sends("resume", engine.OutcomeDone), exits(exitDone)),
			},
			{
				"What happened? The journal knows it still.",
				does("each state of the run, with its time and reason.",
					asks([]string{"history", "--kind", "state"}, []string{"pause", "trigger", "disconnect"})),
			},
			{
				"A new run, and new nodes. It is connected and started.",
				does("it runs.", beginsAnew(cloeFile), is("idle"), sends("connect", engine.OutcomeDone),
					opensGoal("start"), loops(10)),
			},
			{
				"abort waits for nothing, not even for the end of the step.",
				does("the run went through abort and stop, and the daemon has ended with code 12: the run was aborted.",
					sends("abort", engine.OutcomeDone), goalEnds(engine.OutcomeHeld), exits(12)),
			},
			{
				"Both runs were recorded. This is what /world published in the first one, over simulated time.",
				keepsRecording("/world/wave"),
			},
		},
		epilogue: `
The demo is over, and every process has ended. Try it yourself with rstate up config/cloe.yaml.
`,
	}
}

// keepsRecording draws a topic of the recording of the first of two runs, and keeps the file for the user.
func keepsRecording(topic string) func(*stage) (string, error) {
	return func(d *stage) (string, error) {
		kept, err := os.CreateTemp("", "rstate-"+d.demo.name+"-*.mcap")
		if err != nil {
			return "", fmt.Errorf("cannot keep the recording: %w", err)
		}
		earlier := filepath.Join(d.folder, d.demo.name+".1.mcap") // the second run has renamed it
		if err := errors.Join(kept.Close(), os.Rename(earlier, kept.Name())); err != nil {
			return "", errors.Join(fmt.Errorf("cannot keep the recording: %w", err), os.Remove(kept.Name()))
		}
		if err := runsVerb("plot", kept.Name(), topic)(d); err != nil {
			return "", err
		}
		return fmt.Sprintf("the recording is kept in %s. Foxglove opens it, and PlotJuggler: plotjuggler -d %[1]s",
			kept.Name()), nil
	}
}

// sendsWith gives a command with an argument.
func sendsWith(command, argument string, wanted engine.Outcome, checks ...check) step {
	return givesGoal(client.Goal{Command: command, Argument: argument, Reason: "the demo"}, wanted, checks)
}

// saying checks that the result contains that text.
func saying(text string) check {
	return func(end *client.Ending) error {
		if !strings.Contains(end.Result.Message, text) {
			return fmt.Errorf("the result does not say: %s", text)
		}
		return nil
	}
}

// at waits until the network rests in a state, after so many steps since the reset, and prints the status.
func at(state string, steps uint64) step {
	return func(d *stage) error {
		return d.shows(fmt.Sprintf("%s after step %d", state, steps), func(s *rstate_msgs_msg.InstanceState) bool {
			return s.Settled && s.State.Label == state && s.Step == steps && len(s.OpenGoals) == 0
		})
	}
}

// loops waits until the loop has run so many steps since the reset, and prints the status.
func loops(steps uint64) step {
	return func(d *stage) error {
		return d.shows(fmt.Sprintf("in step %d", steps), func(s *rstate_msgs_msg.InstanceState) bool {
			return s.Settled && s.Phase != "" && s.Step > steps && s.StepRate > 0
		})
	}
}

func (d *stage) shows(what string, holds func(*rstate_msgs_msg.InstanceState) bool) error {
	s, err := d.reaches(what, holds)
	if err == nil {
		fmt.Fprintln(d.shown(), "$ rstate status")
		printState(d.shown(), s)
	}
	return err
}

// found waits until the daemon knows the state of a node that has started.
func found(node string) step {
	return func(d *stage) error {
		_, err := d.reaches("aware of "+node, func(s *rstate_msgs_msg.InstanceState) bool {
			return slices.ContainsFunc(s.Nodes,
				func(n rstate_msgs_msg.NodeState) bool { return n.Name == node && n.State.Label == "unconfigured" })
		})
		return err
	}
}

// opened is a goal that was sent and not awaited.
type opened struct {
	end *client.Ending
	err error
}

// opensGoal gives a command and does not wait for its end, as in another terminal.
func opensGoal(command string) step {
	return func(d *stage) error {
		fmt.Fprintf(d.shown(), "$ rstate send %s &\n", command)
		conn, err := client.New("/"+session.NodeName, d.ros, zap.NewNop())
		if err != nil {
			return err
		}
		ended := make(chan opened, 1)
		go func() {
			defer conn.Close()
			end, err := conn.Send(d.ctx, client.Goal{Command: command, Reason: "the demo"}, client.Following{})
			ended <- opened{end, err}
		}()
		d.opened = ended
		return nil
	}
}

// goalEnds waits for the end of the goal that was opened, and prints its result.
func goalEnds(wanted engine.Outcome, checks ...check) step {
	return func(d *stage) error {
		ctx, cancel := context.WithTimeout(d.ctx, sceneIn)
		defer cancel()
		select {
		case o := <-d.opened:
			if o.err != nil {
				return o.err
			}
			return d.judges(o.end, wanted, checks)
		case <-ctx.Done():
			return fmt.Errorf("the goal did not end within %v", sceneIn)
		}
	}
}

// putsWith commands a simulation, with an argument.
func putsWith(id int, command, argument string, status int, parts ...string) step {
	return curls("PUT", fmt.Sprintf("/%d/state", id), fmt.Sprintf(`{"state": %q, "argument": %q}`, command, argument),
		status, parts...)
}

// webLoop waits until the loop of a simulation fulfils a condition, and prints it.
func webLoop(id int, what string, holds func(state string, intact bool, step int, fault string) bool) step {
	return func(d *stage) error {
		var s struct {
			State  string
			Intact bool
			Loop   struct {
				Step  int
				Time  float64 `json:"time_s"`
				Fault string
			}
		}
		path := "/" + strconv.Itoa(id)
		_, err := d.answers(fmt.Sprintf("simulation %d %s", id, what), path, func(_ int, text string) bool {
			return json.Unmarshal([]byte(text), &s) == nil && holds(s.State, s.Intact, s.Loop.Step, s.Loop.Fault)
		})
		if err == nil {
			line := fmt.Sprintf("%s, step %d at %.3f s of simulated time", s.State, s.Loop.Step, s.Loop.Time)
			if s.Loop.Fault != "" {
				line += "; stopped by a fault: " + s.Loop.Fault
			}
			fmt.Fprintf(d.shown(), "$ curl %s/simulation%s\n%s\n", d.address, path, line)
		}
		return err
	}
}

// webSteps waits until a simulation has run so many steps since its reset.
func webSteps(id, steps int) step {
	return webLoop(id, "has run "+clean.Count(steps, "step"),
		func(_ string, _ bool, step int, _ string) bool { return step >= steps })
}

// webFault waits until a fault has paused the loop of a simulation.
func webFault(id int, words string) step {
	return webLoop(id, "is paused by a fault", func(state string, intact bool, _ int, fault string) bool {
		return state == "paused" && !intact && strings.Contains(fault, words)
	})
}
