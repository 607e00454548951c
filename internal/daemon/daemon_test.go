//go:build ros

package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest"

	"rstate/internal/client"
	"rstate/internal/network"
	"rstate/internal/session"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	"rstate/test/bed"
	"rstate/test/bed/stall"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

// rig is a daemon in this process, a client for it, and two rclpy nodes, the second of which can be
// armed.
type rig struct {
	t          *testing.T
	daemon     string
	host       *bed.Host
	lidar, arm *bed.Node
	app        *Daemon
	client     *client.Client

	mu     sync.Mutex
	logged []string
}

// newRig starts all of it and waits until the network's state is known.
func newRig(t *testing.T, script map[string][]bed.Behaviour) *rig {
	t.Helper()
	r := &rig{t: t, host: bed.StartHost(t), daemon: bed.Unique(t, "rstate")}
	lidar, arm := "/"+bed.Unique(t, "lidar"), "/"+bed.Unique(t, "arm")
	r.lidar = r.host.Node(bed.NodeSpec{Name: lidar, Script: script})
	r.arm = r.host.Node(bed.NodeSpec{Name: arm, Arm: arm + "/arm"})
	r.app = r.start(fmt.Sprintf("simulation: %s\nproof: 10s\nnodes:\n  %s: {}\n  %s: {after: [%s], arm: {service: %s/arm}}\n",
		r.daemon, lidar, arm, lidar, arm))
	client, err := client.New(r.daemon, nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	r.client = client
	return r
}

// hears keeps what the daemon logs.
func (r *rig) hears(e zapcore.Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logged = append(r.logged, e.Message)
	return nil
}

func (r *rig) start(text string) *Daemon {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	a, err := New(Config{
		File: file, Version: "test", Log: zaptest.NewLogger(r.t, zaptest.WrapOptions(zap.Hooks(r.hears))),
		ROSArgs: []string{"--ros-args", "-r", "__node:=" + r.daemon},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := a.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { a.Stop("the test is over") })
	select {
	case <-a.Ready():
	case <-time.After(bed.Deadline):
		r.t.Fatal("the state of the network never came to be known")
	}
	return a
}

// send sends a goal and returns how it ended. It sends a goal again that failed because the daemon got no time from
// this machine.
func (r *rig) send(command string, f client.Following) (end *client.Ending) {
	r.t.Helper()
	var err error
	stall.Again(r.t, command, func() string {
		if end, err = r.try(command, f); err != nil {
			return err.Error()
		}
		if end.Result.Outcome == "preempted" {
			return end.Result.Message
		}
		return ""
	}, func(lower string) { _, _ = r.try(lower, client.Following{}) })
	if err != nil {
		r.t.Fatalf("%s: %v", command, err)
	}
	return end
}

func (r *rig) try(command string, f client.Following) (*client.Ending, error) {
	ctx, cancel := context.WithTimeout(context.Background(), bed.Deadline)
	defer cancel()
	if f.Progress == nil {
		f.Progress = func(*rstate_msgs_action.Transition_Feedback) {}
	}
	return r.client.Send(ctx, client.Goal{Command: command}, f)
}

func (r *rig) reach(command, state string) {
	r.t.Helper()
	if end := r.send(command, client.Following{}); end.Status != rclgo.GoalSucceeded ||
		end.Result.State.Label != state {
		r.t.Fatalf("%s ended %v in %s: %s", command, end.Status, end.Result.State.Label, end.Result.Message)
	}
}

func TestNetworkGoesThroughItsWholeLife(t *testing.T) {
	r := newRig(t, nil)
	for _, step := range []struct {
		command, network, node string
		armed                  bool
	}{
		{"configure", "inactive", "inactive", false},
		{"Activate", "active", "active", false},
		{"arm", "armed", "active", true},
		{"disarm", "active", "active", false},
		{"deactivate", "inactive", "inactive", false},
		{"clean up", "unconfigured", "unconfigured", false},
		{"armed", "armed", "active", true}, // a state, through several commands
		{"shutdown", "finalized", "finalized", false},
	} {
		r.reach(step.command, step.network)
		for _, n := range []*bed.Node{r.lidar, r.arm} {
			truth := n.Truth()
			if truth.State != step.node || truth.Armed != (step.armed && n == r.arm) {
				t.Errorf("after %s: %s is %s, armed %v", step.command, n.Name, truth.State, truth.Armed)
			}
		}
	}
	if code, err := r.app.Wait(); code != 0 || err != nil {
		t.Errorf("the daemon ended with %d, %v", code, err)
	}
}

func TestProgressNamesEveryStepAndTheNodesKeepTheirOrder(t *testing.T) {
	r := newRig(t, nil)
	steps := make(chan string, 100)
	r.send("configure", client.Following{Progress: func(f *rstate_msgs_action.Transition_Feedback) {
		steps <- fmt.Sprintf("%s %s %s", f.Last.Name, f.Last.Step, f.Last.Verdict)
	}})
	close(steps)
	var seen []string
	for s := range steps {
		seen = append(seen, s)
	}
	first := slices.Index(seen, r.lidar.Name+" configure done")
	last := slices.Index(seen, r.arm.Name+" configure done")
	if first < 0 || last < first {
		t.Errorf("heard %q", seen)
	}
}

func TestIllegalCommandIsRejectedAndTellsWhatIsLegal(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.try("arm", client.Following{})
	var rejected *client.Rejected
	if !errors.As(err, &rejected) || !strings.Contains(err.Error(), "configure") {
		t.Errorf("got %v, want a rejection that names configure", err)
	}
	words := append(r.lidar.Truth().Words(), r.arm.Truth().Words()...)
	// which a start without a journal asks
	if slices.ContainsFunc(words, func(w string) bool { return w != "disarm" }) {
		t.Errorf("the nodes were asked for %v", words)
	}
}

func TestRefusalOfANodeEndsTheGoalWhereItBegan(t *testing.T) {
	r := newRig(t, map[string][]bed.Behaviour{"activate": {{Result: bed.Failure}}})
	r.reach("configure", "inactive")
	end := r.send("activate", client.Following{})
	if end.Status != rclgo.GoalAborted || end.Result.Outcome != "restored" || end.Result.State.Label != "inactive" {
		t.Errorf("ended %v, %+v", end.Status, end.Result)
	}
	i := slices.IndexFunc(end.Result.Nodes, func(n rstate_msgs_msg.NodeResult) bool { return n.Name == r.lidar.Name })
	if i < 0 || end.Result.Nodes[i].Verdict != "refused" {
		t.Errorf("the result does not say that %s refused: %+v", r.lidar.Name, end.Result.Nodes)
	}
	if s := r.arm.Truth().State; s != "inactive" {
		t.Errorf("%s is %s", r.arm.Name, s)
	}
}

func TestCancelBringsTheNetworkBack(t *testing.T) {
	r := newRig(t, map[string][]bed.Behaviour{"configure": {{Result: bed.Frozen}}})
	bed.Eventually(t, "the daemon runs as long as the goal", func() (string, bool) {
		r.send("unconfigured", client.Following{})
		before := r.lidar.Truth().Count("configure")
		cancel, accepted := make(chan struct{}), make(chan bool, 1)
		ended := make(chan string, 1)
		go func() {
			end, err := r.try("configure", client.Following{Cancel: cancel, Answered: func(yes bool) { accepted <- yes }})
			if err != nil {
				ended <- err.Error()
				return
			}
			ended <- fmt.Sprint(end.Status == rclgo.GoalCanceled, " ", end.Result.State.Label, ": ", end.Result.Message)
		}()
		bed.Eventually(t, "the node is asked to configure, or the goal has ended", func() (string, bool) {
			n := r.lidar.Truth().Count("configure")
			return fmt.Sprint(n), n > before || len(ended) > 0
		})
		close(cancel)
		said := ""
		select {
		case yes := <-accepted:
			if !yes {
				t.Error("the cancel was refused")
			}
			r.lidar.Thaw()
			said = <-ended
		case said = <-ended:
			r.lidar.Thaw()
		}
		if stall.Said(said) {
			return said, false
		}
		if !strings.HasPrefix(said, "true unconfigured: ") {
			t.Fatalf("ended %s", said)
		}
		return said, true
	})
	r.lidar.EventuallyState(t, "unconfigured")
}

func TestLateReadersGetThePresentState(t *testing.T) {
	r := newRig(t, nil)
	r.reach("configure", "inactive")
	state := r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/InstanceState", Name: "/" + r.daemon + "/state",
		Latched: true, Depth: 1})
	change := r.host.Subscribe(bed.Topic{Kind: "rstate_msgs/msg/NetworkState",
		Name: "/simulation/" + r.daemon + "/lifecycle", Latched: true})
	for _, s := range []*bed.Subscription{state, change} {
		var last struct{ State struct{ Label string } }
		bed.Eventually(t, "the state is heard", func() (string, bool) {
			return last.State.Label, s.Last(&last) && last.State.Label == "inactive"
		})
	}
}

func TestStopDisarmsAndEnds(t *testing.T) {
	r := newRig(t, nil)
	r.reach("armed", "armed")
	r.app.Stop("the test says so")
	if code, err := r.app.Wait(); code != 0 || err != nil {
		t.Errorf("the daemon ended with %d, %v", code, err)
	}
	if truth := r.arm.Truth(); truth.Armed || truth.State != "active" {
		t.Errorf("it left %+v", truth)
	}
}

// TestC2AClientThatNeverAsks delays the end, but the daemon still closes everything.
func TestC2AClientThatNeverAsks(t *testing.T) {
	for name, command := range map[string]string{"at the end of the network": "shutdown", "at a stop": "activate"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.reach("configure", "inactive")
			within, cancel := context.WithTimeout(t.Context(), bed.Deadline)
			defer cancel()
			goal := rstate_msgs_action.NewTransition_Goal()
			goal.Command = command
			if resp, _, err := r.client.Action().SendGoal(within, goal); err != nil || !resp.Accepted {
				t.Fatalf("%+v, %v", resp, err)
			}
			if command == "activate" {
				r.arm.EventuallyState(t, "active")
				r.app.Stop("the test says so")
			}
			if code, err := r.app.Wait(); code != 0 || err != nil {
				t.Errorf("the daemon ended with %d, %v", code, err)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if said := strings.Join(r.logged, "\n"); strings.Contains(said, "takes too long") ||
				strings.Contains(said, "leaves before it is done") {
				t.Errorf("it did not close everything:\n%s", said)
			}
		})
	}
}

func TestStopTwiceAndBeforeStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "network.yaml")
	if err := os.WriteFile(file, []byte("simulation: x\nnodes: {/a: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := New(Config{File: file, Log: zaptest.NewLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	a.Stop("once")
	a.Stop("twice")
	if code, err := a.Wait(); code != 0 || err != nil {
		t.Errorf("ended with %d, %v", code, err)
	}
}

func TestWhatCannotBeStartedSaysWhy(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.yaml")
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	for file, text := range map[string]string{good: "simulation: x\nnodes: {/a: {}}\n",
		bad: "simulation: x\nnods: {}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		file string
		args []string
		want any
	}{
		"faults of the file":     {bad, nil, new(network.Faults)},
		"unknown ROS arguments":  {good, []string{"--ros-args", "--nonsense"}, new(*session.BadArgs)},
		"arguments ROS does not": {good, []string{"--ros-args", "-r", "nonsense"}, new(*session.BadArgs)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Config{File: c.file, ROSArgs: c.args, Log: zaptest.NewLogger(t)})
			if !errors.As(err, c.want) {
				t.Errorf("got %v (%T), want a %T", err, err, c.want)
			}
		})
	}
}

func TestClientWithoutDaemonSaysWhereItLookedAndWhoIsThere(t *testing.T) {
	r := newRig(t, nil)
	c, err := client.New("nobody", nil, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Send(t.Context(), client.Goal{Command: "configure"}, client.Following{})
	var missing *client.NoDaemon
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{`"/nobody"`, "domain " + os.Getenv("ROS_DOMAIN_ID"),
		os.Getenv("ROS_AUTOMATIC_DISCOVERY_RANGE"), "/" + r.daemon} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %s in %q", part, err)
		}
	}
}
