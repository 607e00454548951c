//go:build ros

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rstate/internal/network"
	"rstate/internal/outline"
	"rstate/test/bed"
	"rstate/test/bed/domain"
)

// ownDomain gives a test a domain in which only its own nodes are.
func ownDomain(t *testing.T) {
	t.Helper()
	t.Setenv(domain.Variable, "") // so that it is back after the test
	os.Unsetenv(domain.Variable)
	_, release, err := domain.Take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
}

// comesUp runs a drafted file as it is.
func comesUp(t *testing.T, file string) *network.Network {
	t.Helper()
	if said := do(t, exitDone, "check", file); !strings.Contains(said, "no faults") {
		t.Errorf("check said:\n%s", said)
	}
	daemon := rstate(t, "run", file, "--log", "text", "--journal", t.TempDir())
	says(t, daemon, "the network is ")
	do(t, exitDone, "send", "active")
	net, err := network.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var status struct {
		Intact bool
		Nodes  []struct {
			Name  string
			State struct{ Label string }
		}
	}
	_, out, _ := separately(t, "status", "-o", "json")
	if err := json.Unmarshal([]byte(out), &status); err != nil || !status.Intact || len(status.Nodes) != len(net.Nodes) {
		t.Errorf("%v; the status is:\n%s", err, out)
	}
	for _, n := range status.Nodes {
		if n.State.Label != "active" {
			t.Errorf("%s is %s", n.Name, n.State.Label)
		}
	}
	return net
}

// TestInitOfTheRobotsOfConfig: demo nodes in place of the nodes of a file. Their draft lists the same lifecycle nodes,
// and comes up.
func TestInitOfTheRobotsOfConfig(t *testing.T) {
	for _, name := range []string{"small_robot.yaml", "mobile_robot.yaml", "rocket_stand.yaml"} {
		t.Run(name, func(t *testing.T) {
			ownDomain(t)
			net, err := network.Load(filepath.Join("..", "..", "config", name))
			if err != nil {
				t.Fatal(err)
			}
			var want, plain []string
			var shared []string // those that need no process of their own
			for _, n := range net.Nodes {
				flags := append(armFlags(n, "/rstate"), checkFlags(n)...)
				switch {
				case !n.Lifecycle:
					plain = append(plain, n.Name)
					continue
				case len(flags) == 0:
					shared = append(shared, n.Name)
				default:
					says(t, rstate(t, append([]string{"node", n.Name, "--log", "text"}, flags...)...), "is there")
				}
				want = append(want, n.Name)
			}
			says(t, rstate(t, append([]string{"node", "--log", "text"}, shared...)...), "is there")
			if len(plain) > 0 {
				says(t, rstate(t, append([]string{"node", "--plain", "--log", "text"}, plain...)...), "is there")
			}
			file := filepath.Join(t.TempDir(), "draft.yaml")
			var text []byte
			bed.Eventually(t, "no node is found too late for one look", func() (string, bool) {
				if said := do(t, exitDone, "init", file, "--force"); !strings.Contains(said, file+" is written") {
					t.Errorf("init said:\n%s", said)
				}
				if text, err = os.ReadFile(file); err != nil {
					t.Fatal(err)
				}
				late := func(n string) bool { return !strings.Contains(string(text), n+": ") }
				return string(text), !slices.ContainsFunc(slices.Concat(want, plain), late)
			})
			for _, n := range plain {
				if !strings.Contains(string(text), "# "+n+": {lifecycle: false}\n") {
					t.Errorf("it does not offer %s:\n%s", n, text)
				}
			}
			var got []string
			for _, n := range comesUp(t, file).Nodes {
				got = append(got, n.Name)
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("it lists %q, want %q", got, want)
			}
		})
	}
}

// TestInitOfARobotOfRclpyNodes: nodes of two namespaces in several states, with topics, services and an arm service. A
// draft beside the daemon that then drives them names it, and its network can be had instead.
func TestInitOfARobotOfRclpyNodes(t *testing.T) {
	ownDomain(t)
	says(t, bed.StartCommand(t, "robot", bed.Command{Args: []string{"python3", "testdata/robot.py"}}), "all are there")
	file := filepath.Join(t.TempDir(), "robot.yaml")
	var d outline.Draft
	bed.Eventually(t, "no node answers too late for one look", func() (string, bool) {
		code, out, errs := separately(t, "init", file, "--force", "-o", "json")
		d = outline.Draft{}
		if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitDone || errs != "" {
			t.Fatalf("code %d, %v, %q in:\n%s", code, err, errs, out)
		}
		late := func(n outline.Node) bool { return n.SimTime == nil } // which is asked last
		return out, !slices.ContainsFunc(d.Seen.Nodes, late)
	})
	states := map[string]string{}
	for _, n := range d.Seen.Nodes {
		states[n.Name] = string(n.Kind) + " " + n.State + " " + strings.Join(n.Transitions, ",")
		simulated := n.SimTime != nil && *n.SimTime
		if simulated != (n.Name == "/rear/maps") || n.SimTime == nil || n.Process == "" {
			t.Errorf("%s: simulated time %v, process %q", n.Name, n.SimTime, n.Process)
		}
	}
	for name, want := range map[string]string{
		"/front/lidar": "lifecycle active deactivate,shutdown", "/rear/maps": "lifecycle active deactivate,shutdown",
		"/front/slam": "lifecycle inactive activate,cleanup,shutdown",
		"/rear/arm":   "lifecycle unconfigured configure,shutdown", "/rear/joy": "plain  ",
	} {
		if states[name] != want {
			t.Errorf("%s is %q, want %q", name, states[name], want)
		}
	}
	for _, part := range []string{
		"# guess: after /front/lidar, because it reads /front/scan\n", "because it calls /rear/maps/load and calls the action\n  #   /rear/maps/explore\n",
		"  /front/slam: {after: [/front/lidar, /rear/maps]}\n",
		"  /rear/arm: {arm: {service: /rear/arm/arm, dead_man: none}}\n", "\n  # /rear/joy: {lifecycle: false}\n",
		"# TODO: /rear/maps has use_sim_time true, and ", "(2 active, 1 inactive, 1 unconfigured)",
	} {
		if !strings.Contains(d.Text, part) {
			t.Errorf("want %q in:\n%s", part, d.Text)
		}
	}
	comesUp(t, file)
	comesToSay(t, exitDone, []string{"TODO: /rstate already drives /front/lidar,"}, "init") // beside a daemon
	told := filepath.Join(t.TempDir(), "told.yaml")
	comesToSay(t, exitDone, nil, "init", told, "--force", "--from-daemon", "rstate")
	if said := do(t, exitDone, "check", told); !strings.Contains(said, "4 nodes: no faults") {
		t.Errorf("check of the network of the daemon said:\n%s", said)
	}
	comesToSay(t, exitNoROS, []string{"there is /rstate"}, "init", "--from-daemon", "/other")
}

func TestInitWithoutNodes(t *testing.T) {
	ownDomain(t)
	file := filepath.Join(t.TempDir(), "robot.yaml")
	said := do(t, exitNoROS, "init", file, "--for", "300ms")
	if !strings.Contains(said, "there is no node in the graph of domain "+os.Getenv(domain.Variable)) ||
		!strings.Contains(said, "rstate doctor") {
		t.Errorf("it said:\n%s", said)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it has written a file")
	}
}

// TestASignalEndsInitThoughTheMiddlewareHangs, long before the time that the look may take.
func TestASignalEndsInitThoughTheMiddlewareHangs(t *testing.T) {
	signalled, signal := context.WithCancel(t.Context())
	hung, free := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(free) })
	ended := make(chan error, 1)
	go func() {
		_, err := inTime(signalled, time.Hour, func() (outline.Robot, error) {
			close(hung)
			<-free
			return outline.Robot{}, nil
		})
		ended <- err
	}()
	<-hung
	signal()
	bed.Eventually(t, "the look is given up", func() (string, bool) { return "", len(ended) > 0 })
	if err := <-ended; !errors.Is(err, errHung) {
		t.Errorf("it ended with %v", err)
	}
}
