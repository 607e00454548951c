//go:build ros

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// demos returns all demos; the first one is the default. It is a function because scenes run verbs, and the demo is one
// of them.
func demos() []demonstration {
	return []demonstration{{
		name: "rstate", network: "small_robot.yaml", story: "rstate.yaml",
		prologue: `rstate brings up, arms and shuts down all lifecycle nodes of a robot with one command. This demo runs a small
robot on this machine, in ROS domain %s, and makes things fail. It takes half a minute; Ctrl-C ends it.
`,
		hint: "rstate up config/small_robot.yaml",
	}, {
		name: "nrp", network: "nrp.yaml", story: "nrp.yaml",
		prologue: `The backend of the Neurorobotics Platform triggers states of a simulation: initialized, started, paused, reset, stopped.
With the preset nrp, rstate asks the nodes of the simulation for the steps behind each trigger. This demo runs two
simulations on this machine, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		hint: "rstate up config/nrp.yaml",
	}, {
		name: "rock", network: "rock.yaml", story: "rock.yaml",
		prologue: `In Rock, a component is preoperational, stopped or running, and an error leads to exception or to fatal. With the preset
rock, rstate takes all components of a robot through this life together. This demo runs three components on this machine,
in ROS domain %s, and makes their hooks fail. It takes half a minute; Ctrl-C ends it.
`,
		hint: "rstate up config/rock.yaml",
	}, factoryDemo(), {
		name: "cle", network: "cle.yaml", story: "cle.yaml",
		prologue: `A closed loop engine steps a simulated world and a simulated brain in turns, so that neither is ahead of the other. With
the preset cle, rstate is such an engine. This demo runs it on this machine, in ROS domain %s. It takes half a minute;
Ctrl-C ends it.
`,
		hint: "rstate up config/cle.yaml",
	}, roscleDemo(), {
		name: "cloe", network: "cloe.yaml", story: "cloe.yaml", recorded: true, options: []string{"--step-takes", "3ms"},
		prologue: `Cloe runs driving scenarios: simulators and controllers are stepped until a trigger says that the scenario is over, and
the outcome is reported. With the preset cloe, rstate does that. This demo runs a scenario on this machine, in ROS
domain %s. It takes half a minute; Ctrl-C ends it.
`,
		scenes: []scene{{
			"Both runs were recorded. This is what /world published in the first one, over simulated time.",
			keepsRecording("/world/wave"),
		}},
		hint: "rstate up config/cloe.yaml",
	}}
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
