//go:build ros

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rstate/internal/clean"
	"rstate/internal/narrate"
)

// sharedFile is an experiment whose simulations would all drive the same node.
const sharedFile = `simulation: $(sim)
machine: nrp
nodes:
  /world: {deadline: {discover: 10ms}}
`

// factoryDemo is the life of a factory. It speaks HTTP, as curl would.
func factoryDemo() demonstration {
	return demonstration{
		name: "factory", network: "experiments/nrp.yaml",
		prologue: `A factory makes simulations of experiments on request. Each has an id, nodes and a state of its own, and all of them
run in one process. This demo asks for simulations over HTTP, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		experiments: map[string]string{"shared": sharedFile},
		scenes: []scene{
			{
				"The nodes of a simulation start, and the factory with a folder of experiments. This is the experiment nrp:",
				does("$(sim) stands for the id of a simulation. There is none yet.", opens,
					curls("GET", "", "", http.StatusOK, "[]")),
			},
			{
				"A request creates a simulation.",
				does("it has the id 0, and it is created: its nodes are unconfigured.",
					curls("POST", "", `{"experiment": "nrp"}`, http.StatusCreated, `"id":"0"`), webIs(0, "created")),
			},
			{
				"The same request again. Two more nodes have started for it.",
				does("simulation 1 has the same experiment, and nodes of its own.",
					nodesOf(1), curls("POST", "", `{"experiment": "nrp", "owner": "me"}`, http.StatusCreated,
						`"id":"1"`), webIs(1, "created")),
			},
			{
				"Commands go to one simulation. They are answered when its nodes have done their part.",
				does("simulation 0 is started, and simulation 1 is paused.",
					puts(0, "initialized", http.StatusOK, "done"), puts(0, "started", http.StatusOK, "done"),
					puts(1, "initialized", http.StatusOK, "done"),
					webIs(0, "started"), webIs(1, "paused")),
			},
			{
				"A command that is not legal now, and an experiment that there is not:",
				does("both are refused, with what there is instead. Nothing has changed.",
					puts(0, "initialized", http.StatusBadRequest, "reset"),
					curls("POST", "", `{"experiment": "nrq"}`, http.StatusBadRequest, "there are nrp, shared"),
					webIs(0, "started")),
			},
			{
				"The names in the experiment shared do not contain $(sim), so two simulations of it would drive the same node.",
				does("the first one was created, and the second one was refused. A node has one coordinator.",
					curls("POST", "", `{"experiment": "shared"}`, http.StatusCreated, `"id":"2"`),
					curls("POST", "", `{"experiment": "shared"}`, http.StatusBadRequest,
						"/sim_2/rstate drives the node /world already")),
			},
			{
				"Now a node of simulation 0 is killed.",
				does("simulation 0 is not intact. Simulation 1 does not notice, and is started.",
					kills("/sim_0/engine"), breaks(0, "/sim_0/engine"), puts(1, "started", http.StatusOK, "done"),
					webIs(1, "started")),
			},
			{
				"Simulation 0 is removed, and its other node is shut down.",
				does("the simulation is gone, and its id is never used again. Simulation 1 goes on.",
					curls("DELETE", "/0?on_exit=shutdown", "", http.StatusNoContent),
					curls("GET", "/0/state", "", http.StatusNotFound, "there is no such simulation"),
					webIs(1, "started")),
			},
			{
				"The same over ROS, on the command line:",
				does("a simulation of the factory is a daemon like any other: /sim_1/rstate.",
					runsVerb("sim", "list"), runsVerb("sim", "send", "1", "paused"), webIs(1, "paused")),
			},
			{
				"Ctrl-C ends the factory, and with it all simulations.",
				does("everything that was armed would be disarmed now. The factory has ended with code 0.",
					interruptsIt, exits(exitDone)),
			},
		},
		hint: "rstate factory --experiments config/experiments, which has\nconfig/experiments/nrp.yaml",
	}
}

// roscleDemo is the life of a simulation that a factory makes and initializes.
func roscleDemo() demonstration {
	return demonstration{
		name: "roscle", network: "experiments/roscle.yaml",
		prologue: `The ROS server of the NRP makes simulations and steps them. With the preset roscle, a factory of rstate does. This demo
speaks HTTP with it, in ROS domain %s. It takes half a minute; Ctrl-C ends it.
`,
		faults: map[string][]string{"/sim_0/brain": {"--fail-step", "50"}},
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
		hint: "rstate factory --experiments config/experiments, which has\nconfig/experiments/roscle.yaml",
	}
}

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

// opens starts the nodes of simulation 0, and the factory on a free port.
func opens(d *stage) error {
	dir := filepath.Join(d.folder, "experiments")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("cannot make a folder for experiments: %w", err)
	}
	experiments := maps.Clone(d.demo.experiments)
	if experiments == nil {
		experiments = map[string]string{}
	}
	experiments[strings.TrimSuffix(filepath.Base(d.demo.network), ".yaml")] = d.text
	for name, text := range experiments {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			return fmt.Errorf("cannot write an experiment: %w", err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("cannot find a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	l.Close()
	if err != nil {
		return fmt.Errorf("cannot find a free port: %w", err)
	}
	d.address = "localhost:" + port
	fmt.Fprintf(d.shown(), "%s\n$ rstate factory --experiments experiments --http %s\n", d.text, port)
	if err := nodesOf(0)(d); err != nil {
		return err
	}
	d.up.daemon, err = d.up.start("rstate", nil,
		append([]string{"factory", "--experiments", dir, "--http", port, "--log", "text"}, d.ros...)...)
	if err != nil {
		return err
	}
	_, err = d.answers("it serves HTTP", "", func(status int, _ string) bool { return status == http.StatusOK })
	return err
}

// nodesOf starts the nodes of a simulation.
func nodesOf(id int) step {
	return func(d *stage) error {
		if err := d.write(id); err != nil {
			return err
		}
		for _, n := range d.net.Nodes {
			if err := d.startNode(n.Name, d.demo.faults[n.Name]...); err != nil {
				return err
			}
		}
		return nil
	}
}

// request sends a request, and returns the answer.
func (d *stage) request(method, path, body string) (status int, text string, err error) {
	r, err := http.NewRequestWithContext(d.ctx, method, "http://"+d.address+"/simulation"+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	conn := &http.Client{Timeout: sceneIn, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := conn.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer), err
}

// curls sends a request, which must be answered with that status and contain all parts.
func curls(method, path, body string, status int, parts ...string) step {
	return func(d *stage) error {
		line := "$ curl"
		if method != http.MethodGet {
			line += " -X " + method
		}
		line += " " + quotedURL(d.address+"/simulation"+path)
		if body != "" {
			line += " -H 'Content-Type: application/json' -d '" + body + "'"
		}
		fmt.Fprintln(d.shown(), line)
		got, text, err := d.request(method, path, body)
		if err != nil {
			return err
		}
		fmt.Fprintf(d.shown(), "%d %s\n", got, gist(text))
		if got != status {
			return fmt.Errorf("%s %s is answered with %d, not with %d", method, path, got, status)
		}
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return fmt.Errorf("the answer does not contain %q: %s", part, text)
			}
		}
		return nil
	}
}

// quotedURL is an address as a word of a shell.
func quotedURL(url string) string {
	if strings.ContainsAny(url, "?&") {
		return "'" + url + "'"
	}
	return url
}

// gist is what is worth reading of an answer.
func gist(text string) string {
	var a struct {
		ID, State, Outcome, Detail string
		Legal                      []string
	}
	if json.Unmarshal([]byte(text), &a) != nil {
		return strings.TrimSpace(text)
	}
	var words []string
	for _, w := range []struct{ name, value string }{{"id", a.ID}, {"outcome", a.Outcome}, {"state", a.State},
		{"legal", strings.Join(a.Legal, ", ")}} {
		if w.value != "" {
			words = append(words, w.name+": "+w.value)
		}
	}
	if a.Detail != "" {
		words = append([]string{a.Detail}, words...)
	}
	return strings.Join(words, "; ")
}

// puts commands a simulation.
func puts(id int, command string, status int, parts ...string) step {
	return curls("PUT", fmt.Sprintf("/%d/state", id), fmt.Sprintf(`{"state": %q}`, command), status, parts...)
}

// answers asks until an answer fulfils a condition.
func (d *stage) answers(what, path string, holds func(status int, text string) bool) (string, error) {
	for began := time.Now(); ; narrate.Wait(d.ctx, 50*time.Millisecond) {
		status, text, err := d.request(http.MethodGet, path, "")
		switch {
		case err == nil && holds(status, text):
			return text, nil
		case d.ctx.Err() != nil:
			return "", d.ctx.Err()
		case time.Since(began) > sceneIn:
			return "", fmt.Errorf("it did not come about within %v that %s: %d %s %v", sceneIn, what, status, text, err)
		}
	}
}

// webIs waits until a simulation rests in a state, intact.
func webIs(id int, state string) step {
	return func(d *stage) error {
		_, err := d.answers(fmt.Sprintf("simulation %d is %s", id, state), fmt.Sprintf("/%d/state", id),
			func(_ int, text string) bool {
				var s struct {
					State           string
					Settled, Intact bool
				}
				return json.Unmarshal([]byte(text), &s) == nil && s.State == state && s.Settled && s.Intact
			})
		return err
	}
}

// breaks waits until a simulation is not intact because of a node, and says so.
func breaks(id int, node string) step {
	return func(d *stage) error {
		var s struct {
			Intact     bool
			Deviations []struct{ Name, Found, Cause string }
		}
		path := fmt.Sprintf("/%d", id)
		_, err := d.answers(fmt.Sprintf("simulation %d is not intact", id), path, func(_ int, text string) bool {
			return json.Unmarshal([]byte(text), &s) == nil && !s.Intact && len(s.Deviations) == 1 &&
				s.Deviations[0].Name == node
		})
		if err == nil {
			fmt.Fprintf(d.shown(), "$ curl %s/simulation%s\nnot intact: %s is %s: %s\n", d.address, path, node,
				s.Deviations[0].Found, s.Deviations[0].Cause)
		}
		return err
	}
}

// runsVerb runs a verb of rstate.
func runsVerb(args ...string) step {
	return func(d *stage) error {
		fmt.Fprintf(d.shown(), "$ rstate %s\n", strings.Join(args, " "))
		if code := dispatch(&env{in: d.env.in, out: d.shown(), err: d.shown()},
			append(args, d.ros...)); code != exitDone {
			return fmt.Errorf("rstate %s ended with %d", args[0], code)
		}
		return nil
	}
}

// kills kills a node's process.
func kills(node string) step {
	return func(d *stage) error { return d.signals(node, "-9", syscall.SIGKILL) }
}

// interruptsIt is Ctrl-C for the factory.
func interruptsIt(d *stage) error {
	fmt.Fprintf(d.shown(), "$ kill -INT %d\n", d.up.daemon.cmd.Process.Pid)
	return d.up.daemon.cmd.Process.Signal(syscall.SIGINT)
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
