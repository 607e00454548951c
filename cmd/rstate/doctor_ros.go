//go:build ros

package main

import (
	"context"
	"errors"
	"os/signal"
	"syscall"
	"time"

	"rstate/internal/client"
	"rstate/internal/doctor"
	"rstate/internal/network"
)

// doctorIn is the time limit of an examination, which takes 7 s if many nodes are missing. Without
// a limit, a middleware that hangs on locked shared memory of a killed process would block the
// doctor for ever.
const doctorIn = 15 * time.Second

func doctorVerb(e *env, f *options) action {
	daemon := f.daemon("full `name` of the daemon")
	output := f.output("how to print it")
	return func(words []string) int {
		var net *network.Network
		if len(words) > 0 {
			var ok bool
			if net, ok = load(e, words[0]); !ok {
				return exitBadInput
			}
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		facts, err := examine(ctx, net, *daemon, e.ros)
		if err != nil {
			return codeOf(e, err)
		}
		report := doctor.Judge(facts)
		if err := writeReport(e.out, *output, report); err != nil {
			return e.fail(exitFailed, "cannot print the report: %v", err)
		}
		switch {
		case ctx.Err() != nil:
			return e.fail(exitCancelled, "stopped before every check was done")
		case facts.Stack.Fault != "":
			return exitNoROS
		case report.Faults > 0:
			return exitFailed
		}
		return exitDone
	}
}

// examine returns within doctorIn, even if the middleware hangs.
func examine(ctx context.Context, net *network.Network, daemon string, ros []string) (doctor.Facts, error) {
	type result struct {
		facts doctor.Facts
		err   error
	}
	done := make(chan result, 1)
	go func() {
		facts, err := client.Examine(ctx, net, daemon, ros)
		done <- result{facts, err}
	}()
	limit := time.NewTimer(doctorIn)
	defer limit.Stop()
	select {
	case r := <-done:
		return r.facts, r.err
	case <-limit.C:
		return doctor.Facts{}, errors.New("cannot look at ROS: the middleware has hung for 15 s; end the processes of ROS that hang, remove what they left in /dev/shm (fastrtps_*), and look again")
	}
}
