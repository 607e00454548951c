package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// insistAfter is how long insist waits for an answer before it asks again.
const insistAfter = time.Second

// Insist calls a service until it answers or ctx ends, and returns the first answer or error. A ROS 2
// server drops its answer if it has not discovered the reader of the client yet. Only for requests
// that may be carried out twice.
//
// Each call gets a context that ends with insist. Calls overlap, so a slow answer counts too.
func Insist[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
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

// errNotAsked and errUnsure are the errors of askOnce without an answer: the request was not sent, or
// it may have been carried out.
var (
	ErrNotAsked = errors.New("nothing was asked")
	ErrUnsure   = errors.New("the request may have been carried out")
)

// AskOnce calls a service that may not act twice, and so gets the request once. Function probe asks the
// same server for something harmless: its answer shows that the server has discovered this client.
func AskOnce[P, T any](ctx context.Context, probe func(context.Context) (P, error),
	call func(context.Context) (T, error)) (T, error) {
	var none T
	if _, err := Insist(ctx, probe); err != nil {
		return none, fmt.Errorf("%w: %w", ErrNotAsked, err)
	}
	if err := ctx.Err(); err != nil {
		return none, fmt.Errorf("%w: %w", ErrNotAsked, err)
	}
	value, err := call(ctx)
	if err != nil && ctx.Err() != nil {
		return none, fmt.Errorf("%w: %w", ErrUnsure, err)
	}
	return value, err
}
