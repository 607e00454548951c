package session

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestAClientAsksAgain: a client repeats a request that may be carried out twice until the server,
// which drops its first answers, answers.
func TestAClientAsksAgain(t *testing.T) {
	dropped := func(n int32, then string, err error) (func(context.Context) (string, error), *atomic.Int32) {
		var asked atomic.Int32
		return func(ctx context.Context) (string, error) {
			if asked.Add(1) <= n {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return then, err
		}, &asked
	}
	refused := errors.New("no")
	for name, c := range map[string]struct {
		drops int32
		err   error
		asked int32
		want  error
	}{
		"answered at once":              {0, nil, 1, nil},
		"three answers are dropped":     {3, nil, 4, nil},
		"an error is an answer":         {1, refused, 2, refused},
		"no answer until the time ends": {100, nil, 10, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second-time.Millisecond)
				defer cancel()
				call, asked := dropped(c.drops, "yes", c.err)
				got, err := Insist(ctx, call)
				if !errors.Is(err, c.want) || err == nil && got != "yes" || asked.Load() != c.asked {
					t.Errorf("%q, %v after %d requests; want %v after %d", got, err, asked.Load(), c.want, c.asked)
				}
			})
		})
	}
}

// TestAClientTakesASlowAnswer: the answer to the first request counts, although it was asked again.
func TestAClientTakesASlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		got, err := Insist(t.Context(), func(ctx context.Context) (string, error) {
			if asked.Add(1) == 1 {
				time.Sleep(5*insistAfter - time.Millisecond)
				return "slow", nil
			}
			<-ctx.Done()
			return "", ctx.Err()
		})
		if got != "slow" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// TestARequestThatMayNotActTwice is sent once, after the server has answered something harmless. The client knows
// whether it was sent.
func TestARequestThatMayNotActTwice(t *testing.T) {
	silent := func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	says := func(err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return "yes", err }
	}
	refused := errors.New("no")
	for name, c := range map[string]struct {
		probe, call func(context.Context) (string, error)
		want        error
		sent        int32
	}{
		"both are answered":        {says(nil), says(nil), nil, 1},
		"the list is not answered": {silent, says(nil), ErrNotAsked, 0},
		"the list fails":           {says(refused), says(nil), ErrNotAsked, 0},
		"its answer is lost":       {says(nil), silent, ErrUnsure, 1},
		"it fails before the end":  {says(nil), says(refused), refused, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				var sent atomic.Int32
				began := time.Now()
				_, err := AskOnce(ctx, c.probe, func(ctx context.Context) (string, error) {
					sent.Add(1)
					return c.call(ctx)
				})
				if !errors.Is(err, c.want) || errors.Is(err, ErrUnsure) != (c.want == ErrUnsure) ||
					sent.Load() != c.sent || time.Since(began) > 10*time.Second {
					t.Errorf("%v after %v and %d requests, want %v", err, time.Since(began), sent.Load(), c.want)
				}
			})
		})
	}
}
