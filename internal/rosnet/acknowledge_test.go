//go:build ros

package rosnet

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"rstate/internal/engine"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// TestA12AnAcknowledgementIsHandedOverAtOnce, before the middleware has the next request: a goroutine that runs later
// would acknowledge a stop that came meanwhile.
func TestA12AnAcknowledgementIsHandedOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &World{log: zap.NewNop(), started: make(chan struct{})}
		w.ctx, w.cancel = context.WithCancel(t.Context())
		w.asking = w.ctx
		var asked, answers []string
		w.sink = func(in engine.Input) {
			a := in.(engine.AcknowledgeAsked)
			asked = append(asked, a.Who)
			if a.ShownOnly {
				t.Errorf("%s counts as a person who was shown %v", a.Who, a.Shown)
			}
			w.acks.answer(engine.AnswerAcknowledge{Handle: a.Handle, Message: a.Who})
		}
		close(w.started)
		want := []string{"ann", "bob", "a service client (~/acknowledge)"}
		for k, who := range []string{"ann", "bob", ""} {
			w.acknowledgeAsked(&rstate_msgs_srv.Acknowledge_Request{Who: who},
				func(r *rstate_msgs_srv.Acknowledge_Response) { answers = append(answers, r.Message) })
			if !slices.Equal(asked, want[:k+1]) {
				t.Errorf("after request %d the engine was asked by %q", k, asked)
			}
			synctest.Wait() // one answer after the other
		}
		if !slices.Equal(answers, want) {
			t.Errorf("%q were answered", answers)
		}
		w.cancel()
		w.tasks.Wait()
	})
}
