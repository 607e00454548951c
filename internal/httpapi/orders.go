package httpapi

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// full says that a limit of clients is reached.
func (s *Server) full(what string) *Problem {
	p := problem(http.StatusServiceUnavailable, "there are too many "+what+" now; try again")
	p.retry = time.Second
	return p
}

// The operations by which commands and creations come, and what an arm needs before.
const (
	commandRoute = "PUT /simulation/{id}/state"
	createRoute  = "POST /simulation"

	challengeRoute = "POST /simulation/{id}/challenge"
)

// finish carries out what a client asked for, whether or not the client waits for the end. It
// returns when the work has ended or the client is away. The place is taken until the work has
// ended: many requests can join one transition, and each of them costs memory without its client too. A disarm goes
// another way.
func finish[T any](s *Server, ctx context.Context, what string,
	work func(context.Context, string) (T, error), about ...zap.Field) (T, error) {
	by := callerOf(ctx)
	giveBack, ok := s.orders.take(by.local)
	if !ok {
		var none T
		return none, s.full("commands")
	}
	return await(s, ctx, giveBack, what, func(ctx context.Context) (T, error) { return work(ctx, by.name) }, about...)
}

// await is finish for a client that has its place.
func await[T any](s *Server, ctx context.Context, giveBack func(), what string,
	work func(context.Context) (T, error), about ...zap.Field) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		defer giveBack()
		value, err := work(context.WithoutCancel(ctx))
		s.config.Log.Info("http "+what, append(about, zap.String("client", callerOf(ctx).name), zap.Error(err))...)
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, problemOf(a.err)
	case <-ctx.Done():
		var none T
		return none, away(what)
	}
}

func away(what string) *Problem {
	return problem(http.StatusServiceUnavailable, "the client is away; the "+what+" goes on")
}
