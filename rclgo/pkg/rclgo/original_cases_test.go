package rclgo_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	action_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/action_msgs/msg"
	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	test_msgs_srv "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/srv"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// Each test TestOriginalX of this file checks what the test TestX of the original checks.
// TestOriginalParseArgs stands for its ExampleParseArgs.

// lasting is the QoS profile that the original's tests use for topics.
func lasting() rclgo.QosProfile {
	q := rclgo.NewDefaultQosProfile()
	q.History = rclgo.HistoryKeepAll
	q.Durability = rclgo.DurabilityTransientLocal
	q.Reliability = rclgo.ReliabilityReliable
	return q
}

func lastingServer() *rclgo.ActionServerOptions {
	o := rclgo.NewDefaultActionServerOptions()
	for _, q := range []*rclgo.QosProfile{&o.GoalServiceQos, &o.CancelServiceQos, &o.ResultServiceQos} {
		q.History = rclgo.HistoryKeepAll
	}
	o.FeedbackTopicQos, o.StatusTopicQos = lasting(), lasting()
	return o
}

func lastingClient() *rclgo.ActionClientOptions {
	o := rclgo.NewDefaultActionClientOptions()
	for _, q := range []*rclgo.QosProfile{&o.GoalServiceQos, &o.CancelServiceQos, &o.ResultServiceQos} {
		q.History = rclgo.HistoryKeepAll
	}
	o.FeedbackTopicQos, o.StatusTopicQos = lasting(), lasting()
	return o
}

// debugContext is a context as the original's tests make theirs.
func debugContext(t *testing.T) *rclgo.Context {
	t.Helper()
	args, rest, err := rclgo.ParseArgs([]string{"--ros-args", "--log-level", "original:=debug"})
	check(t, err)
	if len(rest) != 0 {
		t.Fatalf("%q is left of ROS arguments", rest)
	}
	c := must[*rclgo.Context](t)(rclgo.NewContext(0, args))
	t.Cleanup(func() { check(t, closeContext(c)) })
	return c
}

// spinning spins and returns the function that ends it and returns its error.
func spinning(t *testing.T, spins ...func(context.Context) error) (context.Context, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, len(spins))
	for _, s := range spins {
		go func() { ended <- s(ctx) }()
	}
	stop := func() {
		t.Helper()
		cancel()
		for range spins {
			if err := await(t, "spinning ends", ended); !errors.Is(err, context.Canceled) {
				t.Errorf("spinning ended by %v", err)
			}
		}
	}
	t.Cleanup(cancel)
	return ctx, stop
}

// untyped returns an action over messages and its client, without the typed wrappers.
func untyped(t *testing.T, server, client *rclgo.Node, action rclgo.Action) *rclgo.ActionClient {
	t.Helper()
	name := unique("original")
	must[*rclgo.ActionServer](t)(server.NewActionServer(name, action, lastingServer()))
	return must[*rclgo.ActionClient](t)(client.NewActionClient(name, test_msgs_action.FibonacciTypeSupport,
		lastingClient()))
}

// obedient is an action that rejects negative orders, aborts positive ones, and holds a goal of
// order 0 until it is released or canceled.
func obedient() (release chan struct{}, action rclgo.Action) {
	release = make(chan struct{})
	return release, rclgo.NewAction(test_msgs_action.FibonacciTypeSupport,
		func(ctx context.Context, g *rclgo.GoalHandle) (types.Message, error) {
			order := g.Description.(*fibGoal).Order
			if order < 0 {
				return nil, errors.New("rejected")
			}
			if _, err := g.Accept(); err != nil {
				return nil, err
			}
			if order > 0 {
				return nil, errors.New("aborted")
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-release:
				return test_msgs_action.NewFibonacci_Result(), nil
			}
		})
}

func statusOf(t *testing.T, c *rclgo.ActionClient, id *types.GoalID) rclgo.GoalStatus {
	t.Helper()
	resp := must[types.Message](t)(c.GetResult(within(t), id))
	return rclgo.GoalStatus(resp.(*fibResponse).Status)
}

func sendOrder(t *testing.T, c *rclgo.ActionClient, order int32, accepted bool) *types.GoalID {
	t.Helper()
	resp, id, err := c.SendGoal(within(t), &fibGoal{Order: order})
	check(t, err)
	if got := resp.(*test_msgs_action.Fibonacci_SendGoal_Response).Accepted; got != accepted || id == nil {
		t.Fatalf("order %d: accepted %v with id %v", order, got, id)
	}
	return id
}

func TestOriginalActionExecution(t *testing.T) {
	c := debugContext(t)
	one := must[*rclgo.Node](t)(c.NewNode(unique("a"), "original"))
	two := must[*rclgo.Node](t)(c.NewNode(unique("b"), "original"))
	goOn := make(chan struct{})
	client := untyped(t, one, two, rclgo.NewAction(test_msgs_action.FibonacciTypeSupport,
		func(ctx context.Context, g *rclgo.GoalHandle) (types.Message, error) {
			order := g.Description.(*fibGoal).Order
			if order < 0 {
				return nil, errors.New("the order is negative")
			}
			sender, err := g.Accept()
			if err != nil {
				return nil, err
			}
			if order >= 100 {
				return nil, errors.New("the order is too great")
			}
			result := test_msgs_action.NewFibonacci_Result()
			for a, b := int32(0), int32(1); len(result.Sequence) < int(order); a, b = b, a+b {
				result.Sequence = append(result.Sequence, a)
				if err := sender.Send(&fibFeedback{Sequence: result.Sequence}); err != nil {
					return nil, err
				}
			}
			if again, err := g.Accept(); err != nil || again == nil {
				return nil, errors.Join(err, errors.New("a second Accept has no sender"))
			}
			<-goOn
			return result, nil
		}))
	ctx, stop := spinning(t, one.Spin, two.Spin)

	want := []int32{0, 1, 1, 2, 3, 5, 8, 13, 21, 34}
	feedback := make(chan []int32, 100)
	var seen [][]int32
	released := make(chan struct{})
	go func() {
		defer close(released)
		for range want {
			select {
			case s := <-feedback:
				seen = append(seen, s)
			case <-time.After(patience):
			}
		}
		close(goOn)
	}()
	resp, id, err := client.WatchGoal(ctx, &fibGoal{Order: 10}, func(_ context.Context, m types.Message) {
		feedback <- m.(*test_msgs_action.Fibonacci_FeedbackMessage).Feedback.Sequence
	})
	check(t, err)
	<-released
	if id == nil {
		t.Error("a goal has no id")
	}
	expect(t, resp.(*fibResponse), rclgo.GoalSucceeded, want...)
	slices.SortFunc(seen, func(a, b []int32) int { return len(a) - len(b) })
	for i, s := range seen {
		if !slices.Equal(s, want[:i+1]) {
			t.Errorf("feedback %d is %v", i, s)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d messages of feedback", len(seen))
	}

	resp, _, err = client.WatchGoal(ctx, &fibGoal{Order: -1}, func(context.Context, types.Message) {
		t.Error("a rejected goal has feedback")
	})
	if err == nil || resp != nil {
		t.Errorf("a rejected goal: %v, %v", resp, err)
	}
	sendOrder(t, client, -1, false)
	if got := statusOf(t, client, sendOrder(t, client, 100, true)); got != rclgo.GoalAborted {
		t.Errorf("a failed goal ended %v", got)
	}
	stop()
	check(t, c.Close())
}

func TestOriginalActionCanceling(t *testing.T) {
	c := debugContext(t)
	release, action := obedient()
	client := untyped(t, must[*rclgo.Node](t)(c.NewNode(unique("a"), "original")),
		must[*rclgo.Node](t)(c.NewNode(unique("b"), "original")), action)
	_, stop := spinning(t, c.Spin)
	canceled, other := sendOrder(t, client, 0, true), sendOrder(t, client, 0, true)
	must[types.Message](t)(client.CancelGoal(within(t), cancelRequestFor(canceled)))
	if got := statusOf(t, client, canceled); got != rclgo.GoalCanceled {
		t.Errorf("the canceled goal ended %v", got)
	}
	select {
	case release <- struct{}{}:
	case <-time.After(patience):
		t.Fatal("the other goal does not run")
	}
	if got := statusOf(t, client, other); got != rclgo.GoalSucceeded {
		t.Errorf("the other goal ended %v", got)
	}
	stop()
	check(t, c.Close())
}

func TestOriginalWatchGoalCanceling(t *testing.T) {
	c := debugContext(t)
	_, action := obedient()
	client := untyped(t, must[*rclgo.Node](t)(c.NewNode(unique("a"), "original")),
		must[*rclgo.Node](t)(c.NewNode(unique("b"), "original")), action)
	_, stop := spinning(t, c.Spin)
	running := make(chan struct{}, 10)
	watch, endWatch := context.WithCancel(context.Background())
	ended := client.WatchStatus(watch, nil, func(_ context.Context, m types.Message) {
		if rclgo.GoalStatus(m.(*action_msgs_msg.GoalStatus).Status) == rclgo.GoalExecuting {
			running <- struct{}{}
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	type outcome struct {
		id  *types.GoalID
		err error
	}
	got := make(chan outcome, 1)
	go func() {
		_, id, err := client.WatchGoal(ctx, test_msgs_action.NewFibonacci_Goal(), nil)
		got <- outcome{id, err}
	}()
	await(t, "the goal runs", running)
	cancel()
	o := await(t, "WatchGoal returns", got)
	if !errors.Is(o.err, context.Canceled) || o.id == nil {
		t.Fatalf("WatchGoal: id %v, %v", o.id, o.err)
	}
	if got := statusOf(t, client, o.id); got != rclgo.GoalCanceled {
		t.Errorf("the goal ended %v", got)
	}
	endWatch()
	await(t, "the watch ends", ended)
	stop()
	check(t, c.Close())
}

func TestOriginalActionStatuses(t *testing.T) {
	c := debugContext(t)
	release, action := obedient()
	client := untyped(t, must[*rclgo.Node](t)(c.NewNode(unique("a"), "original")),
		must[*rclgo.Node](t)(c.NewNode(unique("b"), "original")), action)
	_, stop := spinning(t, c.Spin)
	for i, tc := range []struct {
		name  string
		order int32
		then  func(*types.GoalID)
		want  []rclgo.GoalStatus
	}{
		{"succeeds", 0, func(*types.GoalID) { release <- struct{}{} },
			[]rclgo.GoalStatus{rclgo.GoalAccepted, rclgo.GoalExecuting, rclgo.GoalSucceeded}},
		{"is canceled", 0, func(id *types.GoalID) {
			must[types.Message](t)(client.CancelGoal(within(t), cancelRequestFor(id)))
		}, []rclgo.GoalStatus{rclgo.GoalAccepted, rclgo.GoalExecuting, rclgo.GoalCanceling, rclgo.GoalCanceled}},
		{"is rejected", -1, nil, nil},
		{"is aborted", 1, nil, []rclgo.GoalStatus{rclgo.GoalAccepted, rclgo.GoalExecuting, rclgo.GoalAborted}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			request := test_msgs_action.NewFibonacci_SendGoal_Request()
			request.Goal.Order = tc.order
			request.GoalID.Uuid[0] = byte(i + 1)
			id := request.GetGoalID()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			seen := make(chan rclgo.GoalStatus, 100)
			ended := client.WatchStatus(ctx, id, func(_ context.Context, m types.Message) {
				s := m.(*action_msgs_msg.GoalStatus)
				if *s.GetGoalID() != *id {
					t.Errorf("a status of goal %v", s.GetGoalID())
				}
				seen <- rclgo.GoalStatus(s.Status)
			})
			must[types.Message](t)(client.SendGoalRequest(within(t), request))
			if tc.then != nil {
				tc.then(id)
			}
			final := rclgo.GoalUnknown
			for _, want := range tc.want {
				if final = await(t, "a status", seen); final != want {
					t.Fatalf("status %v, want %v", final, want)
				}
			}
			if got := statusOf(t, client, id); got != final {
				t.Errorf("the result says %v", got)
			}
			cancel()
			if err := await(t, "the watch ends", ended); err != context.Canceled {
				t.Errorf("the watch ended by %v (%T)", err, err)
			}
			if len(seen) > 0 {
				t.Errorf("then status %v", <-seen)
			}
		})
	}
	stop()
	check(t, c.Close())
}

func TestOriginalContextClose(t *testing.T) {
	c := debugContext(t)
	for range 2 {
		must[*rclgo.Node](t)(c.NewNode(unique("idle"), "/original/close"))
	}
	n := must[*rclgo.Node](t)(c.NewNode(unique("busy"), "/original/close"))
	must[*rclgo.WaitSet](t)(c.NewWaitSet())
	for _, topic := range []string{"one", "two"} {
		must[*rclgo.Publisher](t)(n.NewPublisher(topic, stringType(t), nil))
	}
	must[*rclgo.Subscription](t)(n.NewSubscription("one", stringType(t), nil, func(*rclgo.Subscription) {}))
	for _, service := range []string{"three", "four"} {
		must[*rclgo.Client](t)(n.NewClient(service, test_msgs_srv.EmptyTypeSupport, nil))
		must[*rclgo.Service](t)(n.NewService(service, test_msgs_srv.EmptyTypeSupport, nil,
			func(*rclgo.ServiceInfo, types.Message, rclgo.ServiceResponseSender) {}))
	}
	_, action := obedient()
	must[*rclgo.ActionServer](t)(n.NewActionServer("five", action, nil))
	must[*rclgo.ActionClient](t)(n.NewActionClient("five", test_msgs_action.FibonacciTypeSupport, nil))
	check(t, c.Close())
	if c.Close() == nil {
		t.Error("a second Close is no error")
	}
}

// fresh runs the test in a process of its own, where nothing was logged or initialized. There
// it returns true.
func fresh(t *testing.T) bool {
	t.Helper()
	const variable = "RCLGO_FRESH_PROCESS"
	if os.Getenv(variable) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}

func TestOriginalInitLogging(t *testing.T) {
	if !fresh(t) {
		return
	}
	root, log := rclgo.GetLogger(""), rclgo.GetLogger("over.logger")
	parent, child := log.Parent(), log.Child("child")
	if root == nil || parent.Name() != "over" || child.Name() != "over.logger.child" || parent.Parent() != root {
		t.Fatalf("loggers %v %v %v", root, parent, child)
	}
	level := func(what string, get func() (rclgo.LogSeverity, error), want rclgo.LogSeverity) {
		t.Helper()
		if got, err := get(); err != nil || got != want {
			t.Errorf("%s is %v, want %v: %v", what, got, want, err)
		}
	}
	level("the effective level before", child.EffectiveLevel, rclgo.LogSeverityInfo)
	level("the level before", child.Level, rclgo.LogSeverityUnset)
	args, _, err := rclgo.ParseArgs([]string{"--ros-args", "--log-level", "DEBUG"})
	check(t, err)
	check(t, rclgo.InitLogging(args))
	level("the effective level", child.EffectiveLevel, rclgo.LogSeverityDebug)
	level("the level", child.Level, rclgo.LogSeverityUnset)
	check(t, child.SetLevel(rclgo.LogSeverityError))
	level("the level that was set", child.Level, rclgo.LogSeverityError)
	for _, l := range []*rclgo.Logger{root, log, parent, child} {
		check(t, l.Info("a line"))
	}
}

func TestOriginalGetLogger(t *testing.T) {
	root := rclgo.GetLogger("")
	if root == nil || root != rclgo.GetLogger("") {
		t.Error("the root logger is not one pointer")
	}
	a, ab := rclgo.GetLogger("a"), rclgo.GetLogger("a.b")
	if a.Name() != "a" || a.Parent() != root || ab.Name() != "a.b" || ab.Parent().Name() != "a" ||
		a.Child("b").Name() != "a.b" {
		t.Errorf("loggers %q, %q", a.Name(), ab.Name())
	}
	for _, name := range []string{".", ".b", "b."} {
		if a.Child(name) != nil {
			t.Errorf("a has a child %q", name)
		}
	}
	for _, name := range []string{".", "..", "...", ".a.", ".a.b", "a.b.", "a..b"} {
		if rclgo.GetLogger(name) != nil {
			t.Errorf("there is a logger %q", name)
		}
	}
}

func TestOriginalNodeLogger(t *testing.T) {
	root := rclgo.GetLogger("")
	args, _, err := rclgo.ParseArgs(nil)
	check(t, err)
	if args == nil {
		t.Error("no arguments are no Args")
	}
	c := must[*rclgo.Context](t)(rclgo.NewContext(0, args))
	t.Cleanup(func() { check(t, c.Close()) })
	check(t, root.Debugln("after the context"))
	n := must[*rclgo.Node](t)(c.NewNode("logging_node", "test_namespace"))
	if got := n.Logger().Name(); got != "test_namespace.logging_node" {
		t.Errorf("the node's logger is %q", got)
	}
	check(t, n.Logger().Info("a line"))
}

// ownDomain returns the options of contexts in a domain in which no other test has nodes.
func ownDomain() *rclgo.ContextOptions {
	o := rclgo.NewDefaultContextOptions()
	o.DomainID = uint(ownDomains.Add(1))
	return o
}

var ownDomains = func() *atomic.Int64 {
	n := &atomic.Int64{}
	n.Store(215) // above the ports that the system hands out; 216 to 232 are free
	return n
}()

func TestOriginalNodeGetTopicNamesAndTypes(t *testing.T) {
	o := ownDomain()
	var nodes []*rclgo.Node
	for _, name := range []string{"node1", "node2"} {
		c := must[*rclgo.Context](t)(rclgo.NewContextWithOpts(nil, o))
		t.Cleanup(func() { check(t, c.Close()) })
		nodes = append(nodes, must[*rclgo.Node](t)(c.NewNode(name, "original")))
	}
	want := map[string][]string{"/rosout": {"rcl_interfaces/msg/Log"}}
	seen := func() {
		t.Helper()
		for _, n := range nodes {
			eventually(t, n.Name()+" sees the topics", func() bool {
				got := must[map[string][]string](t)(n.GetTopicNamesAndTypes(true))
				if len(got) != len(want) {
					return false
				}
				for topic, kinds := range want {
					if !slices.Equal(got[topic], kinds) {
						return false
					}
				}
				return true
			})
		}
	}
	seen()
	must[*test_msgs_msg.EmptyPublisher](t)(test_msgs_msg.NewEmptyPublisher(nodes[0], "one", nil))
	want["/original/one"] = []string{"test_msgs/msg/Empty"}
	seen()
	pub := must[*test_msgs_msg.BasicTypesPublisher](t)(test_msgs_msg.NewBasicTypesPublisher(nodes[0], "two", nil))
	want["/original/two"] = []string{"test_msgs/msg/BasicTypes"}
	seen()
	check(t, pub.Publish(test_msgs_msg.NewBasicTypes()))
	seen()
	must[*test_msgs_msg.StringsPublisher](t)(test_msgs_msg.NewStringsPublisher(nodes[1], "one", nil))
	want["/original/one"] = []string{"test_msgs/msg/Empty", "test_msgs/msg/Strings"}
	seen()
}

func TestOriginalPubSub(t *testing.T) {
	listener, topic := debugContext(t), unique("/original")
	sub := must[*rclgo.Node](t)(listener.NewNode(unique("sub"), "/original"))
	type heard struct {
		msg *test_msgs_msg.BasicTypes
		err error
	}
	got := make(chan heard, 10)
	must[*rclgo.Subscription](t)(sub.NewSubscription(topic, test_msgs_msg.BasicTypesTypeSupport,
		&rclgo.SubscriptionOptions{Qos: lasting()}, func(s *rclgo.Subscription) {
			raw, info, err := s.TakeSerializedMessage()
			if err != nil || info == nil {
				got <- heard{err: errors.Join(err, errors.New("not taken"))}
				return
			}
			m, err := rclgo.Deserialize(raw, test_msgs_msg.BasicTypesTypeSupport)
			if err != nil {
				got <- heard{err: err}
				return
			}
			// The bytes may differ: Fast CDR leaves those between two fields as they are in memory.
			again, err := rclgo.Serialize(m)
			if err == nil && len(again) != len(raw) {
				err = errors.New("serialized again, the message has another length")
			}
			if err == nil {
				m, err = rclgo.Deserialize(again, test_msgs_msg.BasicTypesTypeSupport)
			}
			if err != nil {
				got <- heard{err: err}
				return
			}
			got <- heard{m.(*test_msgs_msg.BasicTypes), nil}
		}))
	_, stop := spinning(t, listener.Spin)
	speaker := debugContext(t)
	pub := must[*rclgo.Publisher](t)(must[*rclgo.Node](t)(speaker.NewNode(unique("pub"),
		"/original")).NewPublisher(topic,
		test_msgs_msg.BasicTypesTypeSupport, &rclgo.PublisherOptions{Qos: lasting()}))
	for _, v := range []float32{1.55, 0} {
		m := test_msgs_msg.NewBasicTypes()
		m.Float32Value, m.Float64Value, m.Int8Value = v, 2*float64(v), -7
		check(t, pub.Publish(m))
		h := await(t, "the message", got)
		check(t, h.err)
		if *h.msg != *m {
			t.Errorf("got %+v, want %+v", h.msg, m)
		}
	}
	stop()
	check(t, listener.Close())
	check(t, pub.Publish(test_msgs_msg.NewBasicTypes()))
	if len(got) != 0 {
		t.Error("a closed subscription heard something")
	}
	check(t, speaker.Close())
}

func TestOriginalMultipleSubscribersInSingleWaitSet(t *testing.T) {
	one, two := debugContext(t), debugContext(t)
	topic1, topic2 := unique("/original"), unique("/original")
	_, heard1 := listen(t, must[*rclgo.Node](t)(one.NewNode(unique("sub"), "/original")), topic1, nil)
	_, heard2 := listen(t, must[*rclgo.Node](t)(two.NewNode(unique("sub"), "/original")), topic2, nil)
	pub1 := must[*rclgo.Publisher](t)(must[*rclgo.Node](t)(one.NewNode(unique("pub"), "/original")).NewPublisher(topic1,
		stringType(t), nil))
	pub2 := must[*rclgo.Publisher](t)(must[*rclgo.Node](t)(two.NewNode(unique("pub"), "/original")).NewPublisher(topic1,
		stringType(t), nil))
	_, stop := spinning(t, one.Spin, two.Spin)
	for _, p := range []struct {
		pub  *rclgo.Publisher
		text string
	}{{pub1, "from the same context"}, {pub2, "from the other context"}} {
		connected(t, p.pub)
		check(t, p.pub.Publish(text(t, p.text)))
		if got := await(t, "the message", heard1); got != p.text {
			t.Errorf("heard %q, want %q", got, p.text)
		}
	}
	// Both listeners spin, and a message that the second received by mistake came earlier.
	pub3 := must[*rclgo.Publisher](t)(must[*rclgo.Node](t)(two.NewNode(unique("pub"), "/original")).NewPublisher(topic2,
		stringType(t), nil))
	connected(t, pub3)
	check(t, pub3.Publish(text(t, "to the second")))
	if got := await(t, "the message", heard2); got != "to the second" {
		t.Errorf("the second heard %q", got)
	}
	stop()
	check(t, one.Close())
	check(t, two.Close())
}

func TestOriginalMultipleTimersInSingleWaitSet(t *testing.T) {
	c := debugContext(t)
	early, late := make(chan time.Time, 10), make(chan time.Time, 10)
	start := time.Now()
	must[*rclgo.Timer](t)(c.NewTimer(300*time.Millisecond, func(*rclgo.Timer) { early <- time.Now() }))
	must[*rclgo.Timer](t)(c.NewTimer(time.Hour, func(*rclgo.Timer) { late <- time.Now() }))
	_, stop := spinning(t, c.Spin)
	for i := range 2 {
		if after := await(t, "the timer fires", early).Sub(start); after < time.Duration(i+1)*300*time.Millisecond {
			t.Errorf("call %d came after %v", i, after)
		}
	}
	if len(late) != 0 {
		t.Error("a timer of one hour has fired")
	}
	stop()
	check(t, c.Close())
}

func TestOriginalServiceAndClient(t *testing.T) {
	qos := rclgo.NewDefaultServiceQosProfile()
	qos.History = rclgo.HistoryKeepAll
	name := unique("/original")
	server, caller := debugContext(t), debugContext(t)
	requests, answered := make(chan *test_msgs_srv.BasicTypes_Request, 200), make(chan error, 200)
	must[*rclgo.Service](t)(must[*rclgo.Node](t)(server.NewNode(unique("server"), "/original")).NewService(name,
		test_msgs_srv.BasicTypesTypeSupport, &rclgo.ServiceOptions{Qos: qos},
		func(info *rclgo.ServiceInfo, m types.Message, s rclgo.ServiceResponseSender) {
			request := m.(*test_msgs_srv.BasicTypes_Request)
			requests <- request
			response := test_msgs_srv.NewBasicTypes_Response()
			response.Int64Value = request.Int64Value + int64(request.Int32Value)
			answered <- s.SendResponse(response)
		}))
	client := must[*rclgo.Client](t)(must[*rclgo.Node](t)(caller.NewNode(unique("client"), "/original")).NewClient(name,
		test_msgs_srv.BasicTypesTypeSupport, &rclgo.ClientOptions{Qos: qos}))
	ctx, stop := spinning(t, server.Spin, caller.Spin)
	available(t, client)
	call := func(a int64, b int32) error {
		request := test_msgs_srv.NewBasicTypes_Request()
		request.Int64Value, request.Int32Value = a, b
		resp, info, err := client.Send(ctx, request)
		switch {
		case err != nil:
			return err
		case info == nil:
			return errors.New("the response has no info")
		case resp.(*test_msgs_srv.BasicTypes_Response).Int64Value != a+int64(b):
			return errors.New("the response is that of another request")
		}
		return nil
	}
	check(t, call(3, -7))
	if got := await(t, "the request", requests); got.Int64Value != 3 || got.Int32Value != -7 {
		t.Errorf("request %+v", got)
	}
	check(t, await(t, "the answer", answered))

	const many = 100
	ended := make(chan error, many)
	random := rand.New(rand.NewPCG(42, 0))
	for range many {
		a, b := random.Int64N(1<<40), random.Int32()
		go func() { ended <- call(a, b) }()
	}
	for range many {
		check(t, await(t, "all calls end", ended))
	}
	stop()
	check(t, server.Close())
	check(t, caller.Close())
}

func TestOriginalParseArgs(t *testing.T) {
	for _, tc := range []struct{ given, ros, rest string }{
		{"--extra0 args0 --ros-args --log-level DEBUG -- --extra1 args1", "--log-level DEBUG",
			"--extra0 args0 --extra1 args1"},
		{"--ros-args --log-level INFO", "--log-level INFO", ""},
		{"--extra0 args0 --extra1 args1", "", "--extra0 args0 --extra1 args1"},
		{"", "", ""},
	} {
		args, rest, err := rclgo.ParseArgs(strings.Fields(tc.given))
		check(t, err)
		if got := args.String(); got != tc.ros {
			t.Errorf("%q: ROS arguments %q, want %q", tc.given, got, tc.ros)
		}
		if got := strings.Join(rest, " "); got != tc.rest {
			t.Errorf("%q: rest %q, want %q", tc.given, got, tc.rest)
		}
	}
}

func TestOriginalPubSubCount(t *testing.T) {
	c := must[*rclgo.Context](t)(rclgo.NewContextWithOpts(nil, ownDomain()))
	t.Cleanup(func() { check(t, c.Close()) })
	speaker := must[*rclgo.Node](t)(c.NewNode("speaker", "original"))
	listener := must[*rclgo.Node](t)(c.NewNode("listener", "original"))
	loose := lasting()
	loose.Reliability = rclgo.ReliabilityBestEffort
	subscribe := func(topic string, opts *rclgo.SubscriptionOptions) *rclgo.Subscription {
		t.Helper()
		return must[*rclgo.Subscription](t)(listener.NewSubscription(topic, stringType(t), opts,
			func(*rclgo.Subscription) {}))
	}
	// Within a context the counts are right at once.
	type counted struct {
		name  string
		count func() (int, error)
	}
	var all []counted
	counts := func(want ...int) {
		t.Helper()
		for i, e := range all {
			if got := must[int](t)(e.count()); got != want[i] {
				t.Errorf("%s counts %d, want %d", e.name, got, want[i])
			}
		}
	}
	pub := must[*rclgo.Publisher](t)(speaker.NewPublisher("string", stringType(t), nil))
	all = append(all, counted{name: "the publisher", count: pub.GetSubscriptionCount})
	counts(0)
	all = append(all, counted{name: "the first subscription", count: subscribe("string", nil).GetPublisherCount})
	counts(1, 1)
	all = append(all, counted{name: "the second subscription", count: subscribe("string", nil).GetPublisherCount})
	counts(2, 1, 1)
	// This one requires stored messages, which the first publisher does not offer.
	all = append(all, counted{name: "the loose subscription",
		count: subscribe("string", &rclgo.SubscriptionOptions{Qos: loose}).GetPublisherCount})
	counts(2, 1, 1, 0)
	unreliable := must[*rclgo.Publisher](t)(speaker.NewPublisher("string", stringType(t),
		&rclgo.PublisherOptions{Qos: loose}))
	all = append(all, counted{name: "the loose publisher", count: unreliable.GetSubscriptionCount})
	counts(2, 1, 1, 1, 1)
	all = append(all, counted{name: "the subscription elsewhere", count: subscribe("other", nil).GetPublisherCount})
	counts(2, 1, 1, 1, 1, 0)
}
