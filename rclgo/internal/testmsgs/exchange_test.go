package testmsgs_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/typemap"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// exchange is the Python process at the other end; testdata/exchange.py describes its
// commands.
type exchange struct {
	in     io.Writer
	events chan exchangeEvent
}

type exchangeEvent struct {
	ID, Event, CDR, Error string
	Status                int
}

func startExchange(t *testing.T) *exchange {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	cmd := exec.CommandContext(ctx, "python3", "testdata/exchange.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	x := &exchange{in, make(chan exchangeEvent, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var e exchangeEvent
			if json.Unmarshal(lines.Bytes(), &e) == nil { // rcl writes lines to the same output
				x.events <- e
			}
		}
	}()
	t.Cleanup(func() {
		in.Close()
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("rclpy: %v", err)
		}
		cancel()
	})
	return x
}

// do runs a command.
func (x *exchange) do(t *testing.T, op, id string, args map[string]any) {
	t.Helper()
	cmd := map[string]any{"op": op, "id": id}
	for k, v := range args {
		cmd[k] = v
	}
	line, err := json.Marshal(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// until returns the next event of a kind.
func (x *exchange) until(t *testing.T, id, kind string) exchangeEvent {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case e := <-x.events:
			if e.Error != "" {
				t.Fatalf("rclpy: %s", e.Error)
			}
			if e.ID == id && e.Event == kind {
				return e
			}
		case <-deadline:
			t.Fatalf("rclpy did not say %q within %v", kind, patience)
		}
	}
}

// installed returns the names of the installed types of test_msgs of one kind, and fails
// for those that have no binding here.
func installed(t *testing.T, kind string, has func(name string) bool) (names []string) {
	t.Helper()
	for _, i := range interfaces(t) {
		if i.Pkg != "test_msgs" || i.Kind != kind {
			continue
		}
		name := i.Name.String()
		if !has(name) {
			t.Errorf("%s is installed and has no case; run go generate here", name)
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		t.Fatalf("test_msgs has no %s installed", kind)
	}
	return names
}

// random returns a message of the type called name.
func random(name string, seed uint64) types.Message {
	msg := typemap.GetMessageMust(name).New()
	randomize(reflect.ValueOf(msg).Elem(), rand.New(rand.NewPCG(seed, 1)))
	return msg
}

func cdr(t *testing.T, msg types.Message) string {
	t.Helper()
	b, err := rclgo.Serialize(msg)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

// same checks that the received message equals the sent one, except for padding. Padding also
// follows the message: a transport fills the last word, and the serialiser of the middleware
// returns as many bytes as the message may need at most.
func same(t *testing.T, what string, came []byte, want types.Message) {
	t.Helper()
	got, err := rclgo.Deserialize(came, want.GetTypeSupport())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got %.1000v, %v, want %.1000v", what, got, err, want)
	}
	ours, err := rclgo.Serialize(want)
	if err != nil {
		t.Fatal(err)
	}
	n := min(len(ours), len(came))
	if !isPadding(ours[:n], came[:n], want) {
		t.Fatalf("%s: %d bytes\n%.1000x, of rclpy %d\n%.1000x", what, len(ours), ours, len(came), came)
	}
}

func sameHex(t *testing.T, what, came string, want types.Message) {
	t.Helper()
	b, err := hex.DecodeString(came)
	if err != nil {
		t.Fatal(err)
	}
	same(t, what, b, want)
}

func sameMessage(t *testing.T, what string, got, want types.Message) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got %+v, want %+v", what, got, want)
	}
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// TestTopicsBothWaysWithRclpy publishes every message to rclpy, which republishes it on
// another topic.
func TestTopicsBothWaysWithRclpy(t *testing.T) {
	x, n := startExchange(t), newNode(t)
	qos := rclgo.NewDefaultQosProfile()
	qos.Depth, qos.Durability = 100, rclgo.DurabilityTransientLocal
	for i, name := range installed(t, "msg", func(name string) bool { _, ok := typemap.GetMessage(name); return ok }) {
		t.Run(name, func(t *testing.T) {
			ts := typemap.GetMessageMust(name)
			out, in := fmt.Sprintf("to_rclpy_%d", i), fmt.Sprintf("from_rclpy_%d", i)
			x.do(t, "echo", name, map[string]any{"type": name, "in": out, "out": in})
			heard := make(chan []byte, 100)
			sub, err := n.NewSubscription(in, ts, &rclgo.SubscriptionOptions{Qos: qos}, func(s *rclgo.Subscription) {
				if b, _, err := s.TakeSerializedMessage(); err == nil {
					heard <- b
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			pub, err := n.NewPublisher(out, ts, &rclgo.PublisherOptions{Qos: qos})
			if err != nil {
				t.Fatal(err)
			}
			defer pub.Close()
			x.until(t, name, "done")
			sent := []types.Message{ts.New()}
			for seed := range uint64(10) {
				sent = append(sent, random(name, seed))
			}
			for _, msg := range sent { // one by one: there is no order among messages of different keys
				if err := pub.Publish(msg); err != nil {
					t.Fatal(err)
				}
				select {
				case came := <-heard:
					same(t, "echo", came, msg)
				case <-time.After(patience):
					t.Fatal("nothing came back")
				}
			}
		})
	}
}

func TestServicesBothWaysWithRclpy(t *testing.T) {
	x, n := startExchange(t), newNode(t)
	for i, name := range installed(t, "srv", func(name string) bool { _, ok := typemap.GetService(name); return ok }) {
		ts := typemap.GetServiceMust(name)
		request, response := random(name+"_Request", 1), random(name+"_Response", 2)
		t.Run(name+" of rclpy", func(t *testing.T) {
			id, service := name+" served", fmt.Sprintf("theirs_%d", i)
			x.do(t, "serve", id, map[string]any{"type": name, "name": service, "response": cdr(t, response)})
			x.until(t, id, "done")
			c, err := n.NewClient(service, ts, nil)
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the service is there", c.Available)
			got, _, err := c.Send(within(t), request)
			if err != nil {
				t.Fatal(err)
			}
			sameMessage(t, "response", got, response)
			sameHex(t, "request", x.until(t, id, "asked").CDR, request)
		})
		t.Run(name+" for rclpy", func(t *testing.T) {
			id, service := name+" called", fmt.Sprintf("ours_%d", i)
			asked := make(chan types.Message, 1)
			if _, err := n.NewService(service, ts, nil,
				func(_ *rclgo.ServiceInfo, req types.Message, out rclgo.ServiceResponseSender) {
					asked <- req
					if err := out.SendResponse(response); err != nil {
						t.Error(err)
					}
				}); err != nil {
				t.Fatal(err)
			}
			x.do(t, "call", id, map[string]any{"type": name, "name": service, "request": cdr(t, request)})
			sameHex(t, "response", x.until(t, id, "answered").CDR, response)
			sameMessage(t, "request", <-asked, request)
		})
	}
}

func TestActionsBothWaysWithRclpy(t *testing.T) {
	x, n := startExchange(t), newNode(t)
	for i, name := range installed(t, "action",
		func(name string) bool { _, ok := typemap.GetAction(name); return ok }) {
		ts := typemap.GetActionMust(name)
		goal, result, feedback := random(name+"_Goal", 3), random(name+"_Result", 4), random(name+"_Feedback", 5)
		t.Run(name+" of rclpy", func(t *testing.T) {
			id, action := name+" served", fmt.Sprintf("their_action_%d", i)
			x.do(t, "serve_action", id, map[string]any{
				"type": name, "name": action, "feedback": cdr(t, feedback), "result": cdr(t, result)})
			x.until(t, id, "done")
			c, err := n.NewActionClient(action, ts, nil)
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, "the action is there", c.Available)
			fed := make(chan types.Message, 1)
			var once sync.Once
			resp, _, err := c.WatchGoal(within(t), goal, func(_ context.Context, m types.Message) {
				once.Do(func() {
					fed <- m
					x.do(t, "client_heard", id+" heard", map[string]any{"of": id})
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(fed) == 0 {
				t.Fatalf("no feedback came within %v", patience)
			}
			if status := rclgo.ResultStatus(resp); status != rclgo.GoalSucceeded {
				t.Errorf("status %v", status)
			}
			sameMessage(t, "result", resp.(types.ResultResponseMessage).GetGoalResult(), result)
			sameMessage(t, "feedback", (<-fed).(types.FeedbackMessage).GetGoalFeedback(), feedback)
			sameHex(t, "goal", x.until(t, id, "asked").CDR, goal)
		})
		t.Run(name+" for rclpy", func(t *testing.T) {
			id, action := name+" called", fmt.Sprintf("our_action_%d", i)
			asked := make(chan types.Message, 1)
			fed := make(chan struct{})
			s, err := n.NewActionServer(action, rclgo.NewAction(ts,
				func(ctx context.Context, g *rclgo.GoalHandle) (types.Message, error) {
					asked <- g.Description
					sender, err := g.Accept()
					if err != nil {
						return nil, err
					}
					// The topic is volatile and rclpy may find it late. rclpy also drops the
					// feedback of a goal whose result it has.
					for again := time.Tick(20 * time.Millisecond); ; {
						if err := sender.Send(feedback); err != nil {
							return nil, err
						}
						select {
						case <-again:
						case <-fed:
							return result, nil
						case <-ctx.Done():
							return nil, ctx.Err()
						}
					}
				}), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			x.do(t, "send_goal", id, map[string]any{"type": name, "name": action, "goal": cdr(t, goal)})
			sameHex(t, "feedback", x.until(t, id, "feedback").CDR, feedback)
			close(fed)
			e := x.until(t, id, "ended")
			if e.Status != int(rclgo.GoalSucceeded) {
				t.Errorf("status %d", e.Status)
			}
			sameHex(t, "result", e.CDR, result)
			sameMessage(t, "goal", <-asked, goal)
		})
	}
}
