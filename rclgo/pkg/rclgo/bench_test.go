package rclgo_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// floorLimit bounds the cost of message, call and goal relative to a C program over rcl
// alone.
const floorLimit = 1.3

// BenchmarkAgainstRclpy runs the same operations in Go and, alternately, in rclpy and in a C
// program over rcl alone, against the same server, which is a process of its own. After the
// last benchmark of the package a table shows the medians and the limits.
func BenchmarkAgainstRclpy(b *testing.B) {
	prefix := fmt.Sprintf("/bench_%d", os.Getpid())
	startBenchServer(b, prefix)
	peer, floor := startBenchPeer(b, prefix), startBenchFloor(b, prefix)
	c := must[*rclgo.Context](b)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go c.Spin(ctx)
	n := must[*rclgo.Node](b)(c.NewNode("bench_go", ""))
	for _, v := range []struct {
		what  string
		limit float64 // of rclpy's
		floor float64 // of the floor's; 0: no limit
		make  func(*testing.B, *rclgo.Node, string) func() error
	}{
		{"message", 1, floorLimit, benchMessage},
		{"call", 0.8, floorLimit, benchCall},
		{"goal", 1, floorLimit, benchGoal},
		{"cycle/10", 1, 0, benchCycle(10)},
		{"cycle/100", 1, 0, benchCycle(100)},
		{"cycle/400", 1, 0, benchCycle(400)},
	} {
		b.Run(v.what, func(b *testing.B) {
			once := v.make(b, n, prefix)
			if err := once(); err != nil {
				b.Fatal(err)
			}
			sideBySide(b, verdict{what: v.what, limit: v.limit, floorLimit: v.floor}, once, peer, floor)
		})
	}
}

// sideBySide alternates measurements of once and of the peers in short turns, so that other
// load on the machine affects both alike. One operation of the benchmark is all rounds; its
// ns/op is the median of one.
func sideBySide(b *testing.B, v verdict, once func() error, peer, floor *benchPeer) {
	const rounds, turn = 25, 4
	var ours, theirs, least []time.Duration
	measure := func() {
		for range turn {
			start := time.Now()
			if err := once(); err != nil {
				b.Fatal(err)
			}
			ours = append(ours, time.Since(start))
		}
	}
	for b.Loop() {
		for range rounds {
			measure()
			theirs = append(theirs, peer.measure(b, v.what, 2*turn)...)
			measure()
			least = append(least, floor.measure(b, v.what, 2*turn)...)
		}
	}
	v.ours, v.theirs, v.least = median(ours), median(theirs), median(least)
	b.ReportMetric(float64(v.ours), "ns/op")
	b.ReportMetric(float64(v.theirs), "rclpy-ns/op")
	b.ReportMetric(v.ratio(), "of-rclpy")
	b.ReportMetric(float64(v.least), "floor-ns/op")
	b.ReportMetric(v.ofFloor(), "of-floor")
	b.ReportMetric(v.used(), "of-bound") // up to 1 both limits are met
	// A benchmark may run several times to find its length, or for -count: the last counts.
	verdicts = append(slices.DeleteFunc(verdicts, func(old verdict) bool { return old.what == v.what }), v)
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// verdict is a row of the table.
type verdict struct {
	what                string
	ours, theirs, least time.Duration
	limit               float64 // of ratio
	floorLimit          float64 // of ofFloor; 0: none
}

func (v verdict) ratio() float64 { return float64(v.ours) / float64(v.theirs) }

func (v verdict) ofFloor() float64 { return float64(v.ours) / float64(v.least) }

// used returns which fraction of the tighter limit is used.
func (v verdict) used() float64 {
	used := v.ratio() / v.limit
	if v.floorLimit > 0 {
		used = max(used, v.ofFloor()/v.floorLimit)
	}
	return used
}

var verdicts []verdict

// report prints the table, if anything was measured. TestMain calls it.
func report(w io.Writer) {
	if len(verdicts) == 0 {
		return
	}
	met := 0
	fmt.Fprintf(w, "\n%-12s %10s %10s %6s %9s %10s %6s %9s\n",
		"median of", "rclgo", "rclpy", "ratio", "at most", "floor", "ratio", "at most")
	for _, v := range verdicts {
		word, most := "missed", "-"
		if v.used() <= 1 {
			met++
			word = "met"
		}
		if v.floorLimit > 0 {
			most = fmt.Sprintf("%.2f", v.floorLimit)
		}
		round := func(d time.Duration) time.Duration { return d.Round(100 * time.Nanosecond) }
		fmt.Fprintf(w, "%-12s %10v %10v %6.2f %9.2f %10v %6.2f %9s  %s\n", v.what, round(v.ours), round(v.theirs),
			v.ratio(), v.limit, round(v.least), v.ofFloor(), most, word)
	}
	fmt.Fprintf(w, "rclgo against rclpy and the floor, C over rcl: %d of %d met\n", met, len(verdicts))
}

func benchMessage(b *testing.B, n *rclgo.Node, prefix string) func() error {
	ts := must[types.MessageTypeSupport](b)(rclgo.LoadDynamicMessageTypeSupport("std_msgs", "String"))
	heard := make(chan struct{}, 100)
	must[*rclgo.Subscription](b)(n.NewSubscription(prefix+"/go/pong", ts, nil, hears(ts, heard)))
	return publishAndHear(b, n, prefix+"/go/ping", ts, heard)
}

// hears returns a handler that takes one message and signals heard.
func hears(ts types.MessageTypeSupport, heard chan<- struct{}) rclgo.SubscriptionCallback {
	in := ts.New()
	return func(s *rclgo.Subscription) {
		if _, err := s.TakeMessage(in); err == nil {
			select {
			case heard <- struct{}{}:
			default: // no goroutine waits any more
			}
		}
	}
}

// publishAndHear returns a function that publishes a String and waits for its arrival.
func publishAndHear(b *testing.B, n *rclgo.Node, topic string, ts types.MessageTypeSupport,
	heard <-chan struct{}) func() error {
	pub := must[*rclgo.Publisher](b)(n.NewPublisher(topic, ts, nil))
	msg := ts.New()
	if err := msg.(*introspection.DynamicMessage).Set("data", strings.Repeat("x", 20)); err != nil {
		b.Fatal(err)
	}
	// Messages are lost until all participants have discovered the topics; messages that
	// were on their way then are discarded.
	for found := false; !found; {
		if err := pub.Publish(msg); err != nil {
			b.Fatal(err)
		}
		found = drained(heard, 100*time.Millisecond)
	}
	for drained(heard, 500*time.Millisecond) {
	}
	return func() error {
		if err := pub.Publish(msg); err != nil {
			return err
		}
		<-heard
		return nil
	}
}

// drained takes a value if one arrives in time.
func drained(c <-chan struct{}, wait time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(wait):
		return false
	}
}

func benchCall(b *testing.B, n *rclgo.Node, prefix string) func() error {
	ts := must[*introspection.ServiceType](b)(introspection.LoadDynamicService("std_srvs", "SetBool"))
	c := must[*rclgo.Client](b)(n.NewClient(prefix+"/call", ts, nil))
	wait(b, c.Available)
	req := ts.Request().New()
	return func() error {
		_, _, err := c.Send(context.Background(), req)
		return err
	}
}

func benchGoal(b *testing.B, n *rclgo.Node, prefix string) func() error {
	c := must[*fibClient](b)(test_msgs_action.NewFibonacciClient(n, prefix+"/goal", nil))
	wait(b, c.Available)
	return func() error {
		resp, id, err := c.SendGoal(context.Background(), &fibGoal{Order: 1})
		if err == nil && resp.Accepted {
			_, err = c.GetResult(context.Background(), id)
		}
		return err
	}
}

// benchCycle measures one cycle of a loop that waits on a number of entities: one of them
// wakes it, it does next to nothing and waits again. The message is from its own process, and
// only the wait reports it.
func benchCycle(entities int) func(*testing.B, *rclgo.Node, string) func() error {
	return func(b *testing.B, _ *rclgo.Node, prefix string) func() error {
		ts := must[types.MessageTypeSupport](b)(rclgo.LoadDynamicMessageTypeSupport("std_msgs", "String"))
		c := must[*rclgo.Context](b)(rclgo.NewContext(rclgo.ClockTypeROSTime, nil))
		ctx, cancel := context.WithCancel(context.Background())
		spun := make(chan error, 1)
		go func() { spun <- c.Spin(ctx) }()
		b.Cleanup(func() {
			cancel()
			<-spun
			if err := c.Close(); err != nil {
				b.Error(err)
			}
		})
		n := must[*rclgo.Node](b)(c.NewNode(fmt.Sprintf("cycle_%d", entities), ""))
		heard := make(chan struct{}, 100)
		topic := func(i int) string { return fmt.Sprintf("%s/go_%d/entity_%d", prefix, entities, i) }
		for i := range entities {
			must[*rclgo.Subscription](b)(n.NewSubscription(topic(i), ts, nil, hears(ts, heard)))
		}
		return publishAndHear(b, n, topic(entities/2), ts, heard)
	}
}

func wait(b *testing.B, there func() (bool, error)) {
	b.Helper()
	deadline := time.Now().Add(patience)
	for yes, err := there(); !yes; yes, err = there() {
		if err != nil || time.Now().After(deadline) {
			b.Fatalf("no answer within %v (%v)", patience, err)
		}
	}
}
