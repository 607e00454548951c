//go:build ros

// Package lockstep tests participants that count their messages, on real ROS 2, against a
// coordinator that the test plays.
package lockstep

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
	std_msgs_msg "rstate/msgs/gen/std_msgs/msg"
	"rstate/ros/rstate/stepped"
	"rstate/test/bed"
)

func TestMain(m *testing.M) { os.Exit(bed.Main(m)) }

// participants are the implementations: build returns the start of a command line, to which the test
// adds IN OUT FILE --ros-args -r __node:=NAME.
var participants = []struct {
	name  string
	build func(t *testing.T) []string
}{
	{"C++", func(t *testing.T) []string { return []string{bed.BuildCpp(t, "testdata/participant.cpp")} }},
	{"Go", func(t *testing.T) []string { return []string{bed.BuildGo(t, "./participant")} }},
	{"Python", func(*testing.T) []string { return []string{"python3", "-B", "testdata/participant.py"} }},
}

// loop is the coordinator, and a publisher of /in and a reader of /out of its own: /driver.
type loop struct {
	t      *testing.T
	node   *rclgo.Node
	name   string // of the participant
	in     string
	out    string
	topics []rstate_msgs_msg.StepTopic
	pub    *std_msgs_msg.Float64Publisher
	stages *rstate_msgs_srv.StepDataClient
	steps  *rstate_msgs_srv.StepClient
	number uint64
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newLoop(t *testing.T, command []string) (*loop, string) {
	t.Helper()
	name := bed.Unique(t, "counter")
	l := &loop{t: t, name: "/" + name, in: "/" + name + "_in", out: "/" + name + "_out"}
	file := filepath.Join(t.TempDir(), "seen")
	module := must[string](t)(filepath.Abs("../../ros/rstate"))
	bed.StartCommand(t, name, bed.Command{
		Args: slices.Concat(command, []string{l.in, l.out, file, "--ros-args", "-r", "__node:=" + name}),
		Env:  []string{"PYTHONPATH=" + module + string(filepath.ListSeparator) + os.Getenv("PYTHONPATH")},
	})
	ctx := must[*rclgo.Context](t)(rclgo.NewContext(0, nil))
	t.Cleanup(func() {
		if err := ctx.Close(); err != nil {
			t.Error(err)
		}
	})
	l.node = must[*rclgo.Node](t)(ctx.NewNode(name+"_driver", ""))
	options := &rclgo.PublisherOptions{Qos: stepped.Profile()}
	l.pub = must[*std_msgs_msg.Float64Publisher](t)(std_msgs_msg.NewFloat64Publisher(l.node, l.in, options))
	must[*std_msgs_msg.Float64Subscription](t)(std_msgs_msg.NewFloat64Subscription(l.node, l.out,
		&rclgo.SubscriptionOptions{Qos: stepped.Profile()}, func(*std_msgs_msg.Float64, *rclgo.MessageInfo, error) {}))
	l.stages = must[*rstate_msgs_srv.StepDataClient](t)(rstate_msgs_srv.NewStepDataClient(l.node, l.name+"/step_data",
		nil))
	l.steps = must[*rstate_msgs_srv.StepClient](t)(rstate_msgs_srv.NewStepClient(l.node, l.name+"/step", nil))
	spin, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = l.node.Spin(spin)
	}()
	t.Cleanup(func() { stop(); <-done })
	const typ = "std_msgs/msg/Float64"
	driver := l.driver()
	l.topics = []rstate_msgs_msg.StepTopic{
		{Topic: l.in, Type: typ, Publishers: []string{driver}, Subscribers: []string{l.name}},
		{Topic: l.out, Type: typ, Publishers: []string{l.name}, Subscribers: []string{driver}},
	}
	return l, file
}

func (l *loop) driver() string { return l.node.FullyQualifiedName() }

func (l *loop) stage(stage uint8, epoch uint64) (*rstate_msgs_srv.StepData_Response, error) {
	ctx, stop := context.WithTimeout(context.Background(), bed.Deadline)
	defer stop()
	req := rstate_msgs_srv.NewStepData_Request()
	req.Stage, req.Epoch, req.Topics = stage, epoch, l.topics
	resp, _, err := l.stages.Send(ctx, req)
	return resp, err
}

// asked asks until the participant answers as wanted. Discovery takes a while.
func (l *loop) asked(what string, stage uint8, epoch uint64,
	wanted func(*rstate_msgs_srv.StepData_Response) bool) (last *rstate_msgs_srv.StepData_Response) {
	l.t.Helper()
	bed.Eventually(l.t, what, func() (string, bool) {
		resp, err := l.stage(stage, epoch)
		if err != nil {
			return err.Error(), false
		}
		last = resp
		return fmt.Sprintf("%+v", *resp), wanted(resp)
	})
	return last
}

func ok(r *rstate_msgs_srv.StepData_Response) bool { return r.Ok }

// activate brings the participant to active, over its lifecycle services.
func (l *loop) activate() {
	l.t.Helper()
	host := bed.NewHost(l.t)
	for _, label := range []string{"configure", "activate"} {
		bed.Eventually(l.t, "the participant answers to "+label, func() (string, bool) {
			done, err := host.ChangeState(l.name, label, bed.Deadline)
			return fmt.Sprint(done, err), done && err == nil
		})
	}
}

// begin does what comes before the first step of an epoch.
func (l *loop) begin(epoch uint64) {
	l.t.Helper()
	bed.Eventually(l.t, "the service is there", func() (string, bool) {
		n, err := l.node.CountServices(l.name + "/step_data")
		return fmt.Sprint(n, err), n == 1
	})
	l.asked("the participant settles", rstate_msgs_srv.StepData_Request_SETTLE, 0, ok)
	l.asked("the participant is matched", rstate_msgs_srv.StepData_Request_MATCH, 0, ok)
	l.asked("the counts are zero", rstate_msgs_srv.StepData_Request_ZERO, epoch, ok)
}

func (l *loop) publish(values ...float64) {
	l.t.Helper()
	for _, v := range values {
		m := std_msgs_msg.NewFloat64()
		m.Data = v
		if err := l.pub.Publish(m); err != nil {
			l.t.Fatal(err)
		}
	}
}

func (l *loop) step(epoch, count uint64, deadline time.Duration) *rstate_msgs_srv.Step_Response {
	l.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), bed.Deadline)
	defer stop()
	l.number++
	req := rstate_msgs_srv.NewStep_Request()
	req.Step, req.Phase, req.Epoch = l.number, rstate_msgs_srv.Step_Request_STEP_CONTROLLER, epoch
	req.Deadline = builtin_interfaces_msg.Duration{Sec: int32(deadline / time.Second),
		Nanosec: uint32(deadline % time.Second)}
	if epoch != 0 {
		req.Visible = []rstate_msgs_msg.StepCount{{Topic: l.in, Participant: l.driver(), Count: count}}
	}
	resp, _, err := l.steps.Send(ctx, req)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp
}

// went fails unless the step went well and n messages have been sent.
func (l *loop) went(r *rstate_msgs_srv.Step_Response, n uint64) {
	l.t.Helper()
	if !r.Ok || !r.Counts || len(r.Sent) != 1 || r.Sent[0] != (rstate_msgs_msg.StepCount{Topic: l.out, Count: n}) {
		l.t.Fatalf("the answer is %+v; want ok, and %d messages sent to %s", *r, n, l.out)
	}
}

func (l *loop) refused(r *rstate_msgs_srv.Step_Response, why string) {
	l.t.Helper()
	if r.Ok || r.Message != why {
		l.t.Fatalf("the answer is %+v; want the refusal %q", *r, why)
	}
}

func seen(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Fatalf("the participant was handed\n%s(%v)\nwant\n%s", got, err, want)
	}
}

func TestParticipants(t *testing.T) {
	for _, p := range participants {
		t.Run(p.name, func(t *testing.T) {
			command := p.build(t)
			t.Run("declares", func(t *testing.T) { declares(t, command) })
			t.Run("refuses a stranger", func(t *testing.T) { stranger(t, command) })
			t.Run("hands over", func(t *testing.T) { handsOver(t, command) })
		})
	}
}

// TestWhoseMessageItIs runs testdata/inbox.py.
func TestWhoseMessageItIs(t *testing.T) {
	c := exec.Command("python3", "-B", "testdata/inbox.py")
	module := must[string](t)(filepath.Abs("../../ros/rstate"))
	c.Env = append(os.Environ(), "PYTHONPATH="+module+string(filepath.ListSeparator)+os.Getenv("PYTHONPATH"))
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "Ran 5 tests") {
		t.Errorf("%v\n%s", err, out)
	}
}

func declares(t *testing.T, command []string) {
	l, _ := newLoop(t, command)
	l.begin(1)
	first := l.asked("the participant declares", rstate_msgs_srv.StepData_Request_DECLARE, 0, ok)
	got := map[string]string{}
	for _, topic := range first.Topics {
		got[topic.Topic] = fmt.Sprint(topic.Type, topic.Publishers, topic.Subscribers)
	}
	want := map[string]string{
		l.in:  fmt.Sprint("std_msgs/msg/Float64", []string{}, []string{l.name}),
		l.out: fmt.Sprint("std_msgs/msg/Float64", []string{l.name}, []string{}),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || first.Incarnation == 0 {
		t.Errorf("declared %v of incarnation %d; want %v", got, first.Incarnation, want)
	}
	if second := l.asked("the participant declares", rstate_msgs_srv.StepData_Request_DECLARE, 0,
		ok); second.Incarnation != first.Incarnation {
		t.Errorf("the incarnation changed from %d to %d", first.Incarnation, second.Incarnation)
	}
}

func stranger(t *testing.T, command []string) {
	l, _ := newLoop(t, command)
	l.begin(1)
	other := must[*rclgo.Node](t)(l.node.Context().NewNode("stranger", ""))
	must[*std_msgs_msg.Float64Publisher](t)(std_msgs_msg.NewFloat64Publisher(other, l.in, nil))
	l.asked("the participant names the stranger", rstate_msgs_srv.StepData_Request_MATCH, 0,
		func(r *rstate_msgs_srv.StepData_Response) bool {
			return !r.Ok && strings.Contains(r.Message, "/stranger ") && strings.Contains(r.Message, l.in)
		})
	l.asked("the participant does not count beside the stranger", rstate_msgs_srv.StepData_Request_ZERO, 2,
		func(r *rstate_msgs_srv.StepData_Response) bool { return !r.Ok && strings.Contains(r.Message, l.in) })
}

func handsOver(t *testing.T, command []string) {
	l, file := newLoop(t, command)
	l.activate()
	l.begin(7)
	l.publish(1, 2, 3)
	l.went(l.step(7, 1, bed.Deadline), 1)
	seen(t, file, "1 2 1 1.000000\n") // 2 and 3 are kept
	l.refused(l.step(6, 1, bed.Deadline), "its counts are of epoch 7, and the step is of epoch 6; start the loop again")
	l.refused(l.step(7, 4, 100*time.Millisecond), "message 4 of "+l.in+" from "+l.driver()+" has not arrived")
	l.went(l.step(7, 3, bed.Deadline), 2)
	const three = "1 2 1 1.000000\n4 2 2 2.000000\n4 2 3 3.000000\n"
	seen(t, file, three)
	l.publish(4)
	l.acked()
	l.begin(8) // 4 is dropped
	l.publish(5)
	l.went(l.step(8, 1, bed.Deadline), 1)
	l.publish(6)
	l.acked()
	l.went(l.step(0, 0, bed.Deadline), 2)
	seen(t, file, three+"5 2 4 5.000000\n6 2 5 6.000000\n")
}

// acked waits until the participant's middleware has what was published.
func (l *loop) acked() {
	l.t.Helper()
	if err := l.pub.WaitForAllAcked(bed.Deadline); err != nil {
		l.t.Fatal(err)
	}
}
