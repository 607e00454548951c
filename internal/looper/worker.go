package looper

import (
	"context"

	"rstate/internal/queue"
	"rstate/internal/stepper"
)

// worker calls one participant, one call at a time.
type worker struct {
	index   int
	caller  Caller
	calls   chan request // one: the loop calls a participant again only after its answer, or in another run
	answers *queue.Queue[any]
}

// request is a call in a run.
type request struct {
	ctx  context.Context // ends with the run
	call stepper.Call
}

func (w *worker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-w.calls:
			a, err := w.caller.Call(r.ctx, r.call)
			if r.ctx.Err() != nil {
				continue // the run is over
			}
			if err != nil {
				a = stepper.Answered{Message: err.Error()}
			}
			a.Participant, a.Call = w.index, r.call.ID
			w.answers.Put(a)
		}
	}
}
