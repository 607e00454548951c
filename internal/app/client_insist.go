package app

import (
	"context"
	"sync"
	"time"
)

// insistAfter is how long insist waits for an answer before it asks again.
const insistAfter = time.Second

// insist calls a service until it answers or ctx ends, and returns the first answer or error. A ROS 2
// server drops its answer if it has not discovered the reader of the client yet. Only for requests
// that may be carried out twice.
//
// Each call gets a context that ends with insist. Calls overlap, so a slow answer counts too.
func insist[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var calls sync.WaitGroup
	defer calls.Wait()
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer)
	again := time.NewTicker(insistAfter)
	defer again.Stop()
	for {
		calls.Go(func() {
			value, err := call(within)
			select {
			case answers <- answer{value, err}:
			case <-within.Done():
			}
		})
		select {
		case a := <-answers:
			return a.value, a.err
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		case <-again.C:
		}
	}
}
