//go:build ros

package main

import (
	"context"
	"fmt"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
	"rstate/internal/stepper"
)

// triggerVerb sets or removes a trigger of a stepped loop.
func triggerVerb(e *env, f *options) action {
	daemon := f.daemon("full `name` of the daemon")
	do := f.oneOf("do", "what happens at the end of a step", "succeed", "stop", "fail", "reset", "abort", "pause")
	after := f.Uint64("after", 0, "when so many `steps` have ended from now on")
	at := f.Duration("at", 0, "when simulated time has reached that `time`, like 1m30s; with --after, both must hold")
	reason := f.String("reason", "", "why, as `text`")
	remove := f.Bool("remove", false, "remove the trigger of that number")
	patience := f.Duration("timeout", client.Patience, "how long to wait for an unresponsive daemon, a `time` like 30s")
	return func(words []string) int {
		number, err := strconv.ParseUint(words[0], 10, 32)
		switch {
		case err != nil || number == 0:
			return e.fail(exitBadInput, "cannot use the number %q: write one from 1 to %d", words[0], uint32(1<<32-1))
		case *remove && (f.Changed("do") || f.Changed("after") || f.Changed("at")):
			return e.fail(exitBadInput, "cannot remove and set a trigger: leave out --remove, or all other options")
		case !*remove && *after == 0 && *at == 0:
			return e.fail(exitBadInput, "cannot set a trigger without a condition: write --after STEPS, --at TIME, or both")
		case *at < 0 || *at > stepper.Latest:
			return e.fail(exitBadInput, "cannot set a trigger at %v: simulated time is from 0 to %v", *at,
				stepper.Latest)
		}
		t := stepper.Trigger{ID: number, Cycles: *after, At: *at, Why: *reason}
		if !*remove {
			t.Want = stepper.WantOf(*do)
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		conn, err := connect(e, func() (*client.Client, error) { return client.NewBrief(*daemon, e.ros, zap.NewNop()) })
		if err != nil {
			return codeOf(e, err)
		}
		defer conn.Close()
		conn.Patience = *patience
		conn.Waits = func(text string) { fmt.Fprintln(e.err, text) }
		if err := conn.SetTrigger(ctx, t); err != nil {
			return codeOf(e, err)
		}
		fmt.Fprintln(e.out, clean.Text(said(t)))
		return exitDone
	}
}

// said tells what the trigger does.
func said(t stepper.Trigger) string {
	if t.Want == stepper.None {
		return fmt.Sprintf("trigger %d is removed", t.ID)
	}
	when := ""
	if t.Cycles > 0 {
		when = " after " + clean.Count(int(min(t.Cycles, 1<<62)), "step")
	}
	if t.At > 0 {
		when += fmt.Sprintf(" at %v of simulated time", t.At.Round(time.Nanosecond))
	}
	return fmt.Sprintf("trigger %d: %v%s", t.ID, t.Want, when)
}
