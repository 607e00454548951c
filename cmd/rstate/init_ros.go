//go:build ros

package main

import (
	"context"
	"errors"
	"time"

	"rstate/internal/client"
	"rstate/internal/outline"
)

// initAsks is how long asking the nodes that were found may take on top, before the middleware counts as hung.
const initAsks = 15 * time.Second

// survey describes what runs in the graph. It returns in time, even if the middleware hangs.
func survey(ctx context.Context, e *env, within time.Duration) (outline.Robot, int) {
	type result struct {
		robot outline.Robot
		err   error
	}
	done := make(chan result, 1)
	go func() {
		robot, err := client.Survey(ctx, e.ros, within)
		done <- result{robot, err}
	}()
	limit := time.NewTimer(within + initAsks)
	defer limit.Stop()
	select {
	case r := <-done:
		if ctx.Err() != nil {
			return r.robot, e.fail(exitCancelled, "stopped before the graph was read")
		}
		if r.err != nil {
			return r.robot, codeOf(e, r.err)
		}
		return r.robot, exitDone
	case <-limit.C:
		return outline.Robot{}, codeOf(e, errors.New("cannot look at ROS: the middleware has hung; rstate doctor says more"))
	}
}
