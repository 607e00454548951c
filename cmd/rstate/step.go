//go:build ros

package main

import (
	"context"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"

	"rstate/internal/app"
	"rstate/internal/machine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// stepVerb runs steps of the loop: it sends the command of the machine that takes a number of them.
func stepVerb(e *env, f *options) action {
	send := sendVerb(e, f)
	dt := f.Duration("dt", 0, "how much simulated time a step covers, a `time` like 20ms; without it, as before")
	_ = f.MarkHidden("argument")
	return func(words []string) int {
		steps := "1"
		if len(words) > 0 {
			steps = words[0]
		}
		if *dt != 0 {
			steps += " " + dt.String()
		}
		if err := f.Set("argument", steps); err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		command, err := stepCommand(e, f)
		if err != nil {
			return codeOf(e, err)
		}
		if command == "" {
			return e.fail(exitRejected, "cannot step: no command that steps is legal now; rstate status lists the commands that are")
		}
		return send([]string{command})
	}
}

// stepCommand asks the daemon which command steps the loop where it is now; empty: none does.
func stepCommand(e *env, f *options) (string, error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := connect(func() (*app.Client, error) {
		return app.NewBriefClient(f.Lookup("node").Value.String(), e.ros, zap.NewNop())
	})
	if err != nil {
		return "", err
	}
	defer client.Close()
	client.Patience, _ = f.GetDuration("timeout")
	m, err := client.Machine(ctx)
	if err != nil {
		return "", err
	}
	state, err := client.State(ctx)
	if err != nil {
		return "", err
	}
	return stepsBy(m, state.Legal), nil
}

// stepsBy chooses a command that takes a number of steps: one that ends by itself before one that goes on.
func stepsBy(m *machine.Machine, legal []string) string {
	best := ""
	for _, name := range legal {
		t, _ := m.Transition(name)
		if t.Argument == "" {
			continue
		}
		to, _ := m.State(t.To)
		if to.Loop == machine.LoopEnding {
			return name
		}
		if best == "" {
			best = name
		}
	}
	return best
}

// loopLine describes the stepped loop; empty if it never ran.
func loopLine(s *rstate_msgs_msg.InstanceState) string {
	if s.Step == 0 && s.Phase == "" && s.StepFault == "" {
		return ""
	}
	at := time.Duration(s.StepTime.Sec)*time.Second + time.Duration(s.StepTime.Nanosec)
	text := fmt.Sprintf("step %d at %v of simulated time", s.Step, at)
	if s.Phase != "" {
		text += ", " + s.Phase
	}
	if s.StepRate > 0 {
		text += fmt.Sprintf(", %.1f steps a second", s.StepRate)
	}
	slowest := rstate_msgs_msg.StepTime{}
	for _, t := range s.StepTimes {
		if durationOf(t.Mean) > durationOf(slowest.Mean) {
			slowest = t
		}
	}
	if slowest.Node != "" {
		phase := [...]string{"step_begin", "step_simulator", "step_controller", "step_end"}[min(slowest.Phase, 3)]
		text += fmt.Sprintf("; slowest: %s takes %v for %s, %v at most", slowest.Node, rounded(durationOf(slowest.Mean)), phase, rounded(durationOf(slowest.Max)))
	}
	if s.StepFault != "" {
		text += "; stopped by a fault: " + s.StepFault
	}
	return strings.TrimSpace(text)
}

// rounded leaves three digits or so.
func rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
