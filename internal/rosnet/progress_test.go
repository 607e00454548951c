//go:build ros

package rosnet

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/machine"
	"rstate/internal/queue"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
)

// TestC2FeedbackOfManyAtOnce: each step is reported, in order and with its count; steps at about
// the same time share a message, and no step waits longer than that.
func TestC2FeedbackOfManyAtOnce(t *testing.T) {
	m, err := machine.Preset("rstate")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var said []string
		p := progress{w: &World{ctx: t.Context(), asking: t.Context(), log: zap.NewNop(), machine: m},
			send: func(f *rstate_msgs_action.Transition_Feedback) error {
				line := fmt.Sprint(time.Since(start), " ", f.State.Label, ":")
				for _, b := range f.Before {
					line += " " + b.Name
				}
				said = append(said, fmt.Sprint(line, " ", f.Last.Name, " ", f.Done, "/", f.Total))
				return nil
			}}
		from := queue.New[told]()
		step := func(at time.Duration, state, node string, done, total int) {
			time.AfterFunc(at, func() {
				from.Put(told{effect: engine.SendFeedback{State: state, Done: done, Total: total,
					Last: engine.NodeResult{Node: node}}})
			})
		}
		const ms = time.Millisecond
		step(0, "activating", "/a", 1, 5)
		step(1*ms, "activating", "/b", 2, 5)
		step(5*ms, "activating", "/c", 3, 5)
		step(90*ms, "activating", "/d", 4, 5)
		step(95*ms, "activating", "/e", 5, 5)
		step(96*ms, "activating", "/e", 1, 2) // the rollback has its own count
		step(97*ms, "errorprocessing", "/d", 2, 2)
		time.AfterFunc(98*ms, func() { from.Put(told{effect: engine.FinishGoal{}}) })
		for {
			next, ok := p.take(from)
			if e, is := next.effect.(engine.SendFeedback); ok && is {
				p.add(e)
				continue
			}
			p.flush()
			break
		}
		want := []string{
			"0s activating: /a 1/5", "20ms activating: /b /c 3/5", "90ms activating: /d 4/5", "96ms activating: /e 5/5",
			"97ms activating: /e 1/2",
			"98ms errorprocessing: /d 2/2",
		}
		if fmt.Sprint(said) != fmt.Sprint(want) {
			t.Errorf("got  %q\nwant %q", said, want)
		}
	})
}
