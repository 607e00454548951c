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
const initAsks = client.SurveyAsksAtMost + 10*time.Second

// errHung is the error of a look at ROS that does not return.
var errHung = errors.New("cannot look at ROS: the middleware has hung; rstate doctor says more")

// survey describes what runs in the graph.
func survey(ctx context.Context, e *env, within time.Duration) (outline.Robot, int) {
	robot, err := inTime(ctx, within+initAsks, func() (outline.Robot, error) { return client.Survey(ctx, e.ros, within) })
	switch {
	case ctx.Err() != nil:
		return robot, e.fail(exitCancelled, "stopped before the graph was read")
	case err != nil:
		return robot, codeOf(e, err)
	}
	return robot, exitDone
}

// inTime returns what a look at ROS finds. If the middleware hangs, it returns without it: after the limit, or a moment
// after the end of ctx.
func inTime(ctx context.Context, limit time.Duration, look func() (outline.Robot, error)) (outline.Robot, error) {
	type result struct {
		robot outline.Robot
		err   error
	}
	done := make(chan result, 1)
	go func() {
		robot, err := look()
		done <- result{robot, err}
	}()
	hangs := time.NewTimer(limit)
	defer hangs.Stop()
	select {
	case r := <-done:
		return r.robot, r.err
	case <-ctx.Done():
		hangs.Reset(hangsIn)
	case <-hangs.C:
		return outline.Robot{}, errHung
	}
	select {
	case r := <-done:
		return r.robot, r.err
	case <-hangs.C:
		return outline.Robot{}, errHung
	}
}
