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

// putsWith commands a simulation, with an argument.
func putsWith(id int, command, argument string, status int, parts ...string) step {
	return curls("PUT", fmt.Sprintf("/%d/state", id), fmt.Sprintf(`{"state": %q, "argument": %q}`, command, argument),
		status, parts...)
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
