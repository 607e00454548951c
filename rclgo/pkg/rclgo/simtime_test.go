package rclgo_test

import (
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// clockSays makes rclpy publish a time on /clock until n's clock shows it: the topic is
// best effort.
func clockSays(t *testing.T, h *host, publisher string, n *rclgo.Node, sec int) {
	t.Helper()
	want := time.Unix(int64(sec), 500)
	eventually(t, "the node's clock follows", func() bool {
		msg := map[string]any{"clock": map[string]any{"sec": sec, "nanosec": 500}}
		until(t, h.do(t, "publish", publisher, map[string]any{"msg": msg}), "done")
		return must[time.Time](t)(n.Clock().Now()).Equal(want)
	})
}

func rclpyClock(t *testing.T) (*host, string) {
	t.Helper()
	h, id := pyhost(t), unique("clock")
	until(t, h.do(t, "advertise", id, map[string]any{"type": "rosgraph_msgs/msg/Clock", "topic": "/clock"}), "done")
	t.Cleanup(func() { until(t, h.do(t, "withdraw", id, nil), "done") })
	return h, id
}

func simTime(t *testing.T, n *rclgo.Node) rclgo.SimTime {
	t.Helper()
	return must[rclgo.SimTime](t)(n.SimTime())
}

func TestSimulatedTimeFromTheStart(t *testing.T) {
	h, clock := rclpyClock(t)
	n := nodeWith(t, unique("node"), "", "-p", "use_sim_time:=true")
	spin(t, n.Spin)
	if now := must[time.Time](t)(n.Clock().Now()); !now.Equal(time.Unix(0, 0)) {
		t.Errorf("before the first message it is %v", now)
	}
	if s := simTime(t, n); !s.Active || s.Messages != 0 || !s.Heard.IsZero() {
		t.Errorf("before the first message: %+v", s)
	}
	clockSays(t, h, clock, n, 1000)
	fired := make(chan time.Time, 100)
	must[*rclgo.Timer](t)(n.NewTimer(10*time.Second, func(*rclgo.Timer) {
		now, err := n.Clock().Now()
		if err != nil {
			t.Error(err)
		}
		fired <- now
	}))
	clockSays(t, h, clock, n, 1009)
	clockSays(t, h, clock, n, 1010)
	if now := await(t, "the timer fires", fired); now.Unix() != 1010 {
		t.Errorf("the timer fired at %v", now)
	}
	if s := simTime(t, n); s.Messages < 3 || time.Since(s.Heard) > time.Minute {
		t.Errorf("after some messages: %+v", s)
	}
	clockSays(t, h, clock, n, 5) // a simulation starts again
}

func TestUseSimTimeIsSetByRclpy(t *testing.T) {
	h, clock := rclpyClock(t)
	n := openNode(t)
	c := rclpyClientOf(t, n)
	set := func(on bool) {
		t.Helper()
		answer := c.ask(t, "set_parameters", map[string]any{"values": map[string]any{"use_sim_time": on}}).([]any)
		if ok, reason := result(t, answer[0]); !ok {
			t.Fatal(reason)
		}
	}
	isNow := func(when string) {
		t.Helper()
		if now := must[time.Time](t)(n.Clock().Now()); time.Since(now).Abs() > time.Minute {
			t.Errorf("%s it is %v", when, now)
		}
		if s := simTime(t, n); s.Active {
			t.Errorf("%s: %+v", when, s)
		}
	}
	isNow("at first")
	set(true)
	clockSays(t, h, clock, n, 77)
	set(true) // no change
	if now := must[time.Time](t)(n.Clock().Now()); now.Unix() != 77 {
		t.Errorf("set to true again it is %v", now)
	}
	set(false)
	isNow("after simulated time")
	if count := must[int](t)(n.CountSubscribers("/clock")); count != 0 {
		t.Errorf("%d subscriptions on /clock are left", count)
	}
	set(true)
	clockSays(t, h, clock, n, 88)
}

// TestRclpyFollowsOurClock runs rclpy with simulated time and Go as the simulator.
func TestRclpyFollowsOurClock(t *testing.T) {
	h, n := pyhost(t), newNode(t)
	name := unique("simulated")
	until(t, h.do(t, "create", name, map[string]any{"name": name, "parameters": map[string]any{"use_sim_time": true}}),
		"done")
	t.Cleanup(func() { until(t, h.do(t, "destroy", name, nil), "done") })
	ts := messageType(t, "rosgraph_msgs", "Clock")
	pub := must[*rclgo.Publisher](t)(n.NewPublisher("/clock", ts, nil))
	connected(t, pub)
	eventually(t, "rclpy's clock follows", func() bool {
		check(t, pub.Publish(message(t, ts, "clock.sec", 123, "clock.nanosec", 4)))
		return until(t, h.do(t, "now", unique("now"), map[string]any{"node": name}), "now").Msg["ns"] == 123e9+4.0
	})
}

// TestNodesClockIsClosed: the other users of the clock go on.
func TestNodesClockIsClosed(t *testing.T) {
	n := nodeWith(t, unique("node"), "", "-p", "use_sim_time:=true")
	spin(t, n.Spin)
	timer := must[*rclgo.Timer](t)(n.NewTimer(time.Hour, nil))
	check(t, n.Clock().Close())
	check(t, n.Clock().Close())
	if err := timer.Reset(); err == nil {
		t.Error("its timer works")
	}
	if err := second(n.Clock().Now()); err == nil {
		t.Error("it can be read")
	}
	must[any](t)(n.Parameters().Declare("a", 1, nil)) // is published with a stamp
	check(t, n.Parameters().Set(param{"use_sim_time", false}))
}

// TestTheClockOfASimulationHasAnotherName: several simulations share a domain.
func TestTheClockOfASimulationHasAnotherName(t *testing.T) {
	n := nodeWith(t, unique("node"), "", "-p", "use_sim_time:=true", "-r", "/clock:=/sim_0/clock")
	spin(t, n.Spin)
	s := must[rclgo.SimTime](t)(n.SimTime())
	if s.Topic != "/sim_0/clock" {
		t.Errorf("the node has %+v", s)
	}
	if got := must[int](t)(n.CountSubscribers(s.Topic)); got != 1 {
		t.Errorf("%d subscriptions of %s", got, s.Topic)
	}
}

func TestSimulatedTimeIsTold(t *testing.T) {
	h, clock := rclpyClock(t)
	n := openNode(t)
	spin(t, n.Spin)
	told := make(chan rclgo.SimTime, 1000)
	if err := n.OnSimTime(func(s rclgo.SimTime) { told <- s }); err != nil {
		t.Fatal(err)
	}
	if s := await(t, "the present state", told); s != (rclgo.SimTime{}) {
		t.Errorf("at first: %+v", s)
	}
	set := func(on bool) {
		t.Helper()
		if err := n.Parameters().Set(rclgo.Parameter{Name: "use_sim_time", Value: on}); err != nil {
			t.Fatal(err)
		}
	}
	set(true)
	if s := await(t, "that use_sim_time is set", told); s != (rclgo.SimTime{Active: true, Topic: "/clock"}) {
		t.Errorf("as use_sim_time is set: %+v", s)
	}
	clockSays(t, h, clock, n, 1000)
	if s := await(t, "the first message", told); !s.Active || s.Messages != 1 || !s.Now.Equal(time.Unix(1000, 500)) {
		t.Errorf("with the first message: %+v", s)
	}
	set(false)
	for s := await(t, "the end of it", told); s.Active; s = await(t, "the end of it", told) {
	}
	if err := n.OnSimTime(nil); err != nil {
		t.Fatal(err)
	}
	set(true)
	select {
	case s := <-told:
		t.Errorf("after the end: %+v", s)
	default: // setting returns after the loop has done it
	}
}
