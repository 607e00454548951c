package rclgo_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
)

// rclpyGoal is one goal of an rclpy client.
type rclpyGoal struct {
	*host
	id     string
	events <-chan hostEvent
	early  []hostEvent // arrived before next looked for them
}

// next returns the first event of a kind; events of different endpoints arrive in any order.
func (g *rclpyGoal) next(t *testing.T, kind string) hostEvent {
	t.Helper()
	is := func(e hostEvent) bool { return e.Event == kind }
	for {
		if i := slices.IndexFunc(g.early, is); i >= 0 {
			e := g.early[i]
			g.early = slices.Delete(g.early, i, i+1)
			return e
		}
		e := await(t, "rclpy says "+kind, g.events)
		if e.Error != "" {
			t.Fatalf("rclpy: %s", e.Error)
		}
		g.early = append(g.early, e)
	}
}

// ended checks the result that rclpy got.
func (g *rclpyGoal) ended(t *testing.T, status rclgo.GoalStatus, sequence ...int32) {
	t.Helper()
	m := g.next(t, "ended").Msg
	want := make([]any, 0, len(sequence))
	for _, v := range sequence {
		want = append(want, float64(v))
	}
	if m["status"] != float64(status) || !slices.Equal(m["sequence"].([]any), want) {
		t.Fatalf("rclpy got %v, want %v with %v", m, status, sequence)
	}
}

// cancel makes rclpy cancel the goal, or all with a name, and checks the answer.
func (g *rclpyGoal) cancel(t *testing.T, op, name string, code, count int) {
	t.Helper()
	g.do(t, op, g.id, map[string]any{"name": name})
	if m := g.next(t, "cancel").Msg; m["code"] != float64(code) || m["count"] != float64(count) {
		t.Fatalf("rclpy's cancel: %v, want code %d for %d goals", m, code, count)
	}
}

func TestRclpySendsGoals(t *testing.T) {
	h, n := actionHost(t), newNode(t)
	spin(t, n.Spin)
	opts := rclgo.NewDefaultActionServerOptions()
	opts.OnCancel = notStubborn
	release := make(chan struct{})
	s := serveFib(t, n, opts, fibonacci(release))
	client := unique("client")
	until(t, h.do(t, "client", client, map[string]any{"name": s.ActionName}), "done")
	send := func(t *testing.T, order int) *rclpyGoal {
		t.Helper()
		id := unique("goal")
		return &rclpyGoal{host: h, id: id,
			events: h.do(t, "send", id, map[string]any{"client": client, "order": order})}
	}

	t.Run("result, twice", func(t *testing.T) {
		g := send(t, 3)
		g.ended(t, rclgo.GoalSucceeded, 0, 1, 1, 2, 3)
		g.do(t, "result", g.id, nil)
		g.ended(t, rclgo.GoalSucceeded, 0, 1, 1, 2, 3)
	})
	t.Run("rejection", func(t *testing.T) { send(t, -1).next(t, "rejected") })
	t.Run("abort with a result", func(t *testing.T) {
		send(t, orderAbort).ended(t, rclgo.GoalAborted, orderAbort)
	})
	t.Run("cancel with a result", func(t *testing.T) {
		g := send(t, orderHold)
		g.next(t, "accepted")
		g.cancel(t, "cancel", "", cancelAccepted, 1)
		g.ended(t, rclgo.GoalCanceled, orderHold)
	})
	t.Run("feedback, cancel refused", func(t *testing.T) {
		g := send(t, orderStubborn)
		var lengths []int
		for range 3 {
			lengths = append(lengths, len(g.next(t, "feedback").Msg["sequence"].([]any)))
		}
		slices.Sort(lengths) // the threads of rclpy's executor may overtake each other
		if !slices.Equal(lengths, []int{3, 4, 5}) {
			t.Fatalf("feedback of lengths %v", lengths)
		}
		g.next(t, "accepted")
		g.cancel(t, "cancel", "", cancelRejected, 0)
		close(release)
		g.ended(t, rclgo.GoalSucceeded, orderStubborn)
	})
	t.Run("two goals at once, all cancelled", func(t *testing.T) {
		one, two := send(t, orderHold), send(t, orderHold)
		one.next(t, "accepted")
		two.next(t, "accepted")
		one.cancel(t, "cancel_all", s.ActionName, cancelAccepted, 2)
		one.ended(t, rclgo.GoalCanceled, orderHold)
		two.ended(t, rclgo.GoalCanceled, orderHold)
	})
}

func TestRclpyAsksForAnExpiredResult(t *testing.T) {
	h, n := actionHost(t), newNode(t)
	spin(t, n.Context().Spin)
	clock := must[*rclgo.Clock](t)(n.Context().NewClock(rclgo.ClockTypeROSTime))
	check(t, clock.SetROSTimeOverride(time.Unix(1000, 0)))
	opts := rclgo.NewDefaultActionServerOptions()
	opts.Clock, opts.ResultTimeout = clock, time.Hour
	s := serveFib(t, n, opts, fibonacci(nil))
	client, id := unique("client"), unique("goal")
	until(t, h.do(t, "client", client, map[string]any{"name": s.ActionName}), "done")
	g := &rclpyGoal{host: h, id: id, events: h.do(t, "send", id, map[string]any{"client": client, "order": 1})}
	g.ended(t, rclgo.GoalSucceeded, 0, 1, 1)
	g.do(t, "result", id, nil)
	g.ended(t, rclgo.GoalSucceeded, 0, 1, 1)
	check(t, clock.SetROSTimeOverride(time.Unix(5000, 0)))
	eventually(t, "the result is forgotten", func() bool {
		g.do(t, "result", id, nil)
		return g.next(t, "ended").Msg["status"] == float64(rclgo.GoalUnknown)
	})
}

// TestGoalOutcomes walks through the table in the comment of Action.
func TestGoalOutcomes(t *testing.T) {
	some := sequenceOf(7)
	for name, tc := range map[string]struct {
		cancel bool
		result *fibResult
		err    error
		want   rclgo.GoalStatus
	}{
		"result":                            {false, some, nil, rclgo.GoalSucceeded},
		"nothing":                           {false, nil, nil, rclgo.GoalSucceeded},
		"aborted":                           {false, some, rclgo.Aborted(nil), rclgo.GoalAborted},
		"aborted, wrapped":                  {false, some, fmt.Errorf("so: %w", rclgo.Aborted(nil)), rclgo.GoalAborted},
		"error with a result":               {false, some, fmt.Errorf("stuck"), rclgo.GoalAborted},
		"error":                             {false, nil, fmt.Errorf("stuck"), rclgo.GoalAborted},
		"canceled without a cancel":         {false, some, rclgo.Canceled(nil), rclgo.GoalAborted},
		"context.Canceled without a cancel": {false, some, context.Canceled, rclgo.GoalAborted},
		"cancelled: result":                 {true, some, nil, rclgo.GoalCanceled},
		"cancelled: canceled":               {true, some, rclgo.Canceled(nil), rclgo.GoalCanceled},
		"cancelled: the context's error":    {true, some, context.Canceled, rclgo.GoalCanceled},
		"cancelled: aborted":                {true, some, rclgo.Aborted(fmt.Errorf("lost")), rclgo.GoalAborted},
		"cancelled: error":                  {true, some, fmt.Errorf("stuck"), rclgo.GoalAborted},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			spin(t, n.Spin)
			s := serveFib(t, n, nil, func(ctx context.Context, g *fibHandle) (*fibResult, error) {
				if _, err := g.Accept(); err != nil {
					return nil, err
				}
				if tc.cancel {
					<-g.Canceling()
					if cause := context.Cause(ctx); cause != rclgo.ErrGoalCanceled {
						t.Errorf("the context ended by %v", cause)
					}
				}
				return tc.result, tc.err
			})
			c := fibClientOf(t, n, s.ActionName)
			id := accepted(t, c, 1)
			if tc.cancel {
				cancelGoals(t, c, id, cancelAccepted, 1)
			}
			var want []int32
			if tc.result != nil {
				want = tc.result.Sequence
			}
			expect(t, getResult(t, c, id), tc.want, want...)
			reaches(t, statuses(t, c, id), tc.want)
		})
	}
}
