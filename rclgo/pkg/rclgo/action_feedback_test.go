package rclgo_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	test_msgs_action "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/action"
	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// TestOneTurnTakesSoManyMessages: an action whose messages never end leaves the loop to the others.
func TestOneTurnTakesSoManyMessages(t *testing.T) {
	n := newNode(t)
	c := must[*rclgo.ActionClient](t)(n.NewActionClient(unique("/fib"), test_msgs_action.FibonacciTypeSupport, nil))
	if feedback, status := c.FloodWatches(1000); feedback != 64 || status != 64 {
		t.Errorf("one turn takes %d messages of feedback and %d of status, want 64", feedback, status)
	}
}

// TestMuchFeedbackComesBeforeTheResult: also if one turn of the loop does not take all of it.
func TestMuchFeedbackComesBeforeTheResult(t *testing.T) {
	const many = 900 // less than deep() keeps, and several turns
	near, far := newNode(t), newNode(t)
	spin(t, near.Context().Spin)
	spin(t, far.Context().Spin)
	serverOpts, clientOpts := rclgo.NewDefaultActionServerOptions(), rclgo.NewDefaultActionClientOptions()
	serverOpts.FeedbackTopicQos, clientOpts.FeedbackTopicQos = deep(), deep()
	goals, held, tick := make(chan types.GoalID, 1), make(chan struct{}), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	server := serveFib(t, far, serverOpts, func(_ context.Context, g *fibHandle) (*fibResult, error) {
		out, err := g.Accept()
		if err != nil {
			return nil, err
		}
		goals <- g.ID
		for open := true; open; { // until the client hears it
			select {
			case <-held:
				open = false
			case <-tick.C:
				if err := out.Send(&fibFeedback{Sequence: []int32{0}}); err != nil {
					return nil, err
				}
			}
		}
		for range many {
			if err := out.Send(&fibFeedback{Sequence: []int32{1}}); err != nil {
				return nil, err
			}
		}
		return sequenceOf(1), nil
	})
	c := must[*fibClient](t)(test_msgs_action.NewFibonacciClient(near, server.ActionName, clientOpts))
	eventually(t, "the client finds its action", func() bool { return must[bool](t)(c.Available()) })
	other := fibClientOf(t, far, server.ActionName)
	var first, seen atomic.Int32
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.WatchGoal(within(t), &fibGoal{Order: 1},
			func(_ context.Context, m *test_msgs_action.Fibonacci_FeedbackMessage) {
				if m.Feedback.Sequence[0] == 0 {
					first.Add(1)
				} else {
					seen.Add(1)
				}
			})
		ended <- err
	}()
	id := await(t, "the goal runs", goals)
	eventually(t, "the client hears feedback", func() bool { return first.Load() > 0 })
	free := near.Context().HoldLoop()
	close(held)
	_, err := other.GetResult(within(t), &id) // when it is there, the client that waits has been answered too
	free()
	check(t, err)
	check(t, await(t, "the goal ends", ended))
	if n := seen.Load(); n != many {
		t.Errorf("%d messages of feedback came before the result, want %d", n, many)
	}
}

// rubbishFeedback is an action whose feedback cannot be decoded.
type (
	rubbishFeedback struct{ types.ActionTypeSupport }
	rubbish         struct{ types.MessageTypeSupport }
)

func (r rubbishFeedback) FeedbackMessage() types.MessageTypeSupport {
	return rubbish{r.ActionTypeSupport.FeedbackMessage()}
}
func (rubbish) Decode(types.Message, unsafe.Pointer) error { return errors.New("made by a test") }

// TestRubbishFeedbackIsTaken: it is logged once, and does not make the client wait.
func TestRubbishFeedbackIsTaken(t *testing.T) {
	n := newNode(t)
	spin(t, n.Context().Spin)
	server := serveFib(t, n, nil, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
		out, err := g.Accept()
		for range 3 {
			err = errors.Join(err, out.Send(&fibFeedback{Sequence: []int32{1}}))
		}
		<-ctx.Done()
		return nil, err
	})
	c := must[*rclgo.ActionClient](t)(n.NewActionClient(server.ActionName,
		rubbishFeedback{test_msgs_action.FibonacciTypeSupport}, nil))
	eventually(t, "the client finds its action", func() bool { return must[bool](t)(c.Available()) })
	c.WatchFeedback(within(t), nil, func(context.Context, types.Message) { t.Error("rubbish was decoded") })
	lines := errorLines(t)
	_, _, err := c.SendGoal(within(t), &fibGoal{Order: 1})
	check(t, err)
	eventually(t, "the feedback arrives", func() bool { return lines.Load() > 0 })
	if p := c.Pause(); p != 0 {
		t.Errorf("the client pauses for %v", p)
	}
	check(t, server.Close())
	if n := lines.Load(); n != 1 {
		t.Errorf("%d lines were logged, want 1", n)
	}
}
