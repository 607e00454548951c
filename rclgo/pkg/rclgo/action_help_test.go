package rclgo_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	action_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/msg"
	action_msgs_srv "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/srv"
	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// Orders with a meaning, the same in testdata/action_host.py.
const (
	orderHold     = 1000 // until cancelled
	orderStubborn = 1001 // refuses to be cancelled; ours sends feedback first
	orderAbort    = 1002
)

// The codes of action_msgs/srv/CancelGoal.
const (
	cancelAccepted = iota
	cancelRejected
	cancelUnknown
	cancelTerminated
)

// killable is fastDiscovery for a process that the test kills and whose loss must be noticed
// soon; a pause of 3 s is no loss. The process stays on the loopback interface and out of the
// middleware's shared memory: a process that is killed there while it holds a lock blocks the others for ever.
// The profile applies only if the discovery range is not LOCALHOST, which implies shared
// memory.
const killable = `<?xml version="1.0" encoding="UTF-8" ?>
<profiles xmlns="http://www.eprosima.com">
  <transport_descriptors><transport_descriptor>
    <transport_id>loopback</transport_id><type>UDPv4</type>
    <interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>
    <maxInitialPeersRange>32</maxInitialPeersRange>
  </transport_descriptor></transport_descriptors>
  <participant profile_name="killable" is_default_profile="true"><rtps>
    <userTransports><transport_id>loopback</transport_id></userTransports>
    <useBuiltinTransports>false</useBuiltinTransports>
    <builtin>
      <initialPeersList><locator><udpv4><address>127.0.0.1</address></udpv4></locator></initialPeersList>
      <discovery_config>
        <leaseDuration><sec>5</sec></leaseDuration>
        <leaseAnnouncement><sec>0</sec><nanosec>200000000</nanosec></leaseAnnouncement>
        <initialAnnouncements><count>20</count><period><sec>0</sec><nanosec>50000000</nanosec></period></initialAnnouncements>
      </discovery_config>
    </builtin>
  </rtps></participant>
</profiles>
`

// actionHost starts an rclpy process of the test's own.
func actionHost(t *testing.T) *host {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile.xml")
	check(t, os.WriteFile(profile, []byte(killable), 0o600))
	cmd := exec.Command("python3", "testdata/action_host.py")
	cmd.Env = os.Environ()
	if variable := ours().ProfilesVariable; variable != "" {
		cmd.Env = append(cmd.Env, variable+"="+profile, "ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT")
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in := must[io.WriteCloser](t)(cmd.StdinPipe())
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	check(t, cmd.Start())
	h := &host{cmd: cmd, in: in, gone: make(chan struct{}), waiting: map[string]chan hostEvent{}}
	t.Cleanup(h.end)
	ready := h.events("")
	go h.read(out)
	await(t, "the rclpy peer starts", ready)
	if shared := sharedMemory(cmd.Process.Pid); len(shared) > 0 {
		t.Fatalf("a process that may be killed shares memory: %v", shared)
	}
	return h
}

// end lets the process finish, kills it if it does not, and waits.
func (h *host) end() {
	h.in.Close()
	select {
	case <-h.gone:
	case <-time.After(10 * time.Second):
		h.kill()
	}
	_ = h.cmd.Wait()
}

func (h *host) kill() {
	_ = syscall.Kill(-h.cmd.Process.Pid, syscall.SIGKILL)
	<-h.gone
}

type (
	fibGoal     = test_msgs_action.Fibonacci_Goal
	fibResult   = test_msgs_action.Fibonacci_Result
	fibFeedback = test_msgs_action.Fibonacci_Feedback
	fibHandle   = test_msgs_action.FibonacciGoalHandle
	fibClient   = test_msgs_action.FibonacciClient
	fibResponse = test_msgs_action.Fibonacci_GetResult_Response
)

func sequenceOf(v ...int32) *fibResult { return &fibResult{Sequence: v} }

// fibonacci treats goals as testdata/action_host.py does. Goals that refuse to be
// cancelled run until release is closed.
func fibonacci(release <-chan struct{}) func(context.Context, *fibHandle) (*fibResult, error) {
	return func(ctx context.Context, g *fibHandle) (*fibResult, error) {
		order := g.Description.Order
		if order < 0 {
			return nil, nil
		}
		sender, err := g.Accept()
		if err != nil {
			return nil, err
		}
		seq := []int32{0, 1}
		steps := func(n int32) error {
			for range n {
				seq = append(seq, seq[len(seq)-1]+seq[len(seq)-2])
				if err := sender.Send(&fibFeedback{Sequence: seq}); err != nil {
					return err
				}
			}
			return nil
		}
		switch order {
		case orderHold:
			if err := sender.Send(&fibFeedback{Sequence: []int32{1}}); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return sequenceOf(orderHold), rclgo.Canceled(context.Cause(ctx))
		case orderStubborn:
			if err := steps(3); err != nil {
				return nil, err
			}
			select {
			case <-release:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return sequenceOf(orderStubborn), nil
		case orderAbort:
			return sequenceOf(orderAbort), rclgo.Aborted(nil)
		}
		err = steps(order)
		return sequenceOf(seq...), err
	}
}

// notStubborn is the decision about cancel requests that goes with fibonacci.
func notStubborn(_ context.Context, g *rclgo.GoalHandle) bool {
	return g.Description.(*fibGoal).Order != orderStubborn
}

// serveFib makes an action server of a name of its own.
func serveFib(t *testing.T, n *rclgo.Node, opts *rclgo.ActionServerOptions,
	execute func(context.Context, *fibHandle) (*fibResult, error)) *test_msgs_action.FibonacciServer {
	t.Helper()
	return must[*test_msgs_action.FibonacciServer](t)(test_msgs_action.NewFibonacciServer(
		n, unique("/fib"), test_msgs_action.NewFibonacciAction(execute), opts))
}

// fibClientOf makes a client that has found its server.
func fibClientOf(t *testing.T, n *rclgo.Node, name string) *fibClient {
	t.Helper()
	return fibClientWith(t, n, name, nil)
}

func fibClientWith(t *testing.T, n *rclgo.Node, name string, opts *rclgo.ActionClientOptions) *fibClient {
	t.Helper()
	c := must[*fibClient](t)(test_msgs_action.NewFibonacciClient(n, name, opts))
	eventually(t, "the client finds its action", func() bool {
		yes, err := c.Available()
		check(t, err)
		return yes
	})
	return c
}

// fibPair is a server with default options for fibonacci and a client, in one process.
func fibPair(t *testing.T, opts *rclgo.ActionServerOptions) (*test_msgs_action.FibonacciServer, *fibClient) {
	t.Helper()
	n := newNode(t)
	spin(t, n.Context().Spin)
	s := serveFib(t, n, opts, fibonacci(nil))
	return s, fibClientOf(t, n, s.ActionName)
}

// accepted sends a goal that the server accepts.
func accepted(t *testing.T, c *fibClient, order int32) *types.GoalID {
	t.Helper()
	resp, id, err := c.SendGoal(within(t), &fibGoal{Order: order})
	check(t, err)
	if !resp.Accepted {
		t.Fatalf("goal %d is rejected", order)
	}
	return id
}

// expect checks how a goal ended.
func expect(t *testing.T, r *fibResponse, status rclgo.GoalStatus, sequence ...int32) {
	t.Helper()
	if rclgo.ResultStatus(r) != status || !slices.Equal(r.Result.Sequence, sequence) {
		t.Fatalf("goal ended %v with %v, want %v with %v", rclgo.ResultStatus(r), r.Result.Sequence, status, sequence)
	}
}

func getResult(t *testing.T, c *fibClient, id *types.GoalID) *fibResponse {
	t.Helper()
	return must[*fibResponse](t)(c.GetResult(within(t), id))
}

func cancelRequestFor(id *types.GoalID) *action_msgs_srv.CancelGoal_Request {
	req := action_msgs_srv.NewCancelGoal_Request()
	if id != nil {
		req.GoalInfo.GoalId.Uuid = *id
	}
	return req
}

// cancelGoals cancels one goal, all with a nil id, and checks the answer.
func cancelGoals(t *testing.T, c *fibClient, id *types.GoalID, code int8, count int) {
	t.Helper()
	resp, err := c.CancelGoal(within(t), cancelRequestFor(id))
	check(t, err)
	if resp.ReturnCode != code || len(resp.GoalsCanceling) != count {
		t.Fatalf("cancel: code %d for %d goals, want %d for %d", resp.ReturnCode, len(resp.GoalsCanceling), code, count)
	}
}

// statuses watches a goal, all with a nil id.
func statuses(t *testing.T, c *fibClient, id *types.GoalID) <-chan rclgo.GoalStatus {
	t.Helper()
	out := make(chan rclgo.GoalStatus, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	ended := c.WatchStatus(ctx, id, func(_ context.Context, s *action_msgs_msg.GoalStatus) {
		out <- rclgo.GoalStatus(s.Status)
	})
	t.Cleanup(func() { cancel(); <-ended })
	return out
}

// reaches waits for a status.
func reaches(t *testing.T, c <-chan rclgo.GoalStatus, want rclgo.GoalStatus) {
	t.Helper()
	for await(t, fmt.Sprintf("status %v", want), c) != want {
	}
}
