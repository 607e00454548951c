// Package launchfile reads which nodes a launch file of ROS 2 starts, without starting them. A Python program does that
// with the launch of the ROS 2 that is sourced; this package runs it and takes its answer. It imports outline.
package launchfile

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rstate/internal/outline"
)

//go:embed describe.py
var program string

// python is the interpreter that ROS 2 uses.
const python = "python3"

const (
	// readIn is how long a launch file may take. Its code can do anything, such as waiting for a network.
	readIn = 30 * time.Second
	// endIn is how long after that the output of a process that it left behind is waited for.
	endIn = time.Second
	// noLaunch is the exit code of the program if there is no launch.
	noLaunch = 4
	// mostSaid is how much of an error is shown.
	mostSaid = 600
)

// NoLaunch is the error of a machine without the launch of ROS 2.
type NoLaunch struct{ Cause string }

func (e *NoLaunch) Error() string {
	return fmt.Sprintf("cannot read a launch file: there is no launch of ROS 2 here (%s); source a ROS 2 that has it, "+
		"or start the robot and write rstate init without --from-launch", e.Cause)
}

// answer is what the program prints.
type answer struct {
	Nodes []struct {
		Name, Namespace     string
		Package, Executable string
		Container           string
		Lifecycle           bool
		SimTime             *bool    `json:"use_sim_time"`
		Manages             []string `json:"node_names"`
		Remappings          [][2]string
	}
	Unread []string
}

// Read describes the nodes of a launch file, which is given its arguments as name:=value.
func Read(ctx context.Context, file string, given []string) (outline.Robot, error) {
	if _, err := os.Stat(file); err != nil {
		return outline.Robot{}, fmt.Errorf("cannot read the launch file %s: %w", file, errors.Unwrap(err))
	}
	ctx, cancel := context.WithTimeout(ctx, readIn)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, append([]string{"-B", "-c", program, file}, given...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+withoutFolder(os.Getenv("PYTHONPATH")))
	cmd.WaitDelay = endIn
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	said := lastLines(errs.String())
	var ended *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return outline.Robot{}, &NoLaunch{"there is no " + python}
	case ctx.Err() != nil:
		return outline.Robot{}, fmt.Errorf("cannot read the launch file %s: it takes longer than %v", file, readIn)
	case errors.As(err, &ended) && ended.ExitCode() == noLaunch:
		return outline.Robot{}, &NoLaunch{said}
	case err != nil:
		return outline.Robot{}, fmt.Errorf("cannot read the launch file %s: %s", file, said)
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return outline.Robot{}, fmt.Errorf("cannot read the launch file %s: what launch says of it is no JSON: %w", file, err)
	}
	return a.robot(file), nil
}

// withoutFolder removes what Python takes for the current folder from a list of folders: the empty ones, which a colon
// too many makes. A module there could have the name of one that this program needs.
func withoutFolder(list string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(list), func(folder string) bool { return folder == "" }),
		string(filepath.ListSeparator))
}

// robot turns the answer into a description.
func (a *answer) robot(file string) outline.Robot {
	r := outline.Robot{Source: "the launch file " + filepath.Base(file), Launch: true, Nodes: []outline.Node{},
		Daemons: []outline.Daemon{}, Unread: append([]string{}, a.Unread...)}
	counts := map[string]int{}
	for _, n := range a.Nodes {
		if n.Package == "controller_manager" && n.Executable != "ros2_control_node" {
			continue // it loads controllers, and ends
		}
		if n.Name == "" {
			r.Unread = append(r.Unread, fmt.Sprintf(
				"the launch file gives %s %s no name, so its node has the name that its program gives it", n.Package, n.Executable))
			continue
		}
		name := path.Join("/", n.Namespace, n.Name)
		if counts[name]++; counts[name] > 1 {
			continue
		}
		node := outline.Node{Name: name, Managed: n.Lifecycle, SimTime: n.SimTime, Process: n.Container,
			Package: n.Package, Executable: n.Executable, Remappings: n.Remappings,
			Transitions: []string{}, Manages: []string{}, Serves: []outline.Endpoint{}, Calls: []outline.Endpoint{},
			Publishes: []outline.Endpoint{}, Reads: []outline.Endpoint{}}
		for _, m := range n.Manages {
			if !strings.HasPrefix(m, "/") {
				m = path.Join("/", n.Namespace, m)
			}
			node.Manages = append(node.Manages, m)
		}
		r.Nodes = append(r.Nodes, node)
	}
	for i := range r.Nodes {
		r.Nodes[i].Count = counts[r.Nodes[i].Name]
	}
	return r
}

// lastLines returns the end of what a process said, in one line.
func lastLines(text string) string {
	said := strings.Join(strings.Fields(text), " ")
	if len(said) > mostSaid {
		said = "… " + said[len(said)-mostSaid:]
	}
	return said
}
