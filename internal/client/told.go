//go:build ros

package client

import (
	"context"
	"slices"
	"sync"
	"time"

	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// restIn is how long feedback that the result has overtaken may still be on its way.
const restIn = time.Second

// stepsTold holds the steps of nodes that the feedback of a goal has named. The result of a goal names
// the last step of each node, and may overtake the feedback.
type stepsTold struct {
	mu     sync.Mutex
	steps  map[stepTold]bool
	change chan struct{} // closed and replaced when there are more
}

// stepTold is the end of one step.
type stepTold struct{ node, step, verdict string }

func newStepsTold() *stepsTold {
	return &stepsTold{steps: map[stepTold]bool{}, change: make(chan struct{})}
}

func stepOf(r *rstate_msgs_msg.NodeResult) stepTold { return stepTold{r.Name, r.Step, r.Verdict} }

// note takes the steps that a feedback names.
func (t *stepsTold) note(f *rstate_msgs_action.Transition_Feedback) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range f.Before {
		t.steps[stepOf(&f.Before[i])] = true
	}
	t.steps[stepOf(&f.Last)] = true
	close(t.change)
	t.change = make(chan struct{})
}

// await waits until the feedback has named each step of a result, for at most restIn.
func (t *stepsTold) await(ctx context.Context, nodes []rstate_msgs_msg.NodeResult) {
	named := slices.DeleteFunc(slices.Clone(nodes), func(r rstate_msgs_msg.NodeResult) bool { return r.Step == "" })
	if len(named) == 0 { // no node had to take a step
		named = nodes
	}
	rest := time.NewTimer(restIn)
	defer rest.Stop()
	for {
		t.mu.Lock()
		missing := slices.ContainsFunc(named, func(r rstate_msgs_msg.NodeResult) bool { return !t.steps[stepOf(&r)] })
		change := t.change
		t.mu.Unlock()
		if !missing {
			return
		}
		select {
		case <-change:
		case <-rest.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
