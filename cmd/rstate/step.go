//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"rstate/internal/client"
	"rstate/internal/machine"
	"rstate/internal/stepper"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// stepVerb runs steps of the loop: it sends the command of the machine that takes a number of them, and waits until
// they have run.
func stepVerb(e *env, f *options) action {
	s := newSending(e, f)
	dt := f.Duration("dt", 0, "how much simulated time a step covers, a `time` like 20ms; without it, as before")
	_ = f.MarkHidden("argument")
	return func(words []string) int {
		s.goal.Argument = "1"
		if len(words) > 0 {
			s.goal.Argument = words[0]
		}
		asked, err := strconv.ParseUint(s.goal.Argument, 10, 64)
		if err != nil || asked == 0 {
			err = fmt.Errorf("cannot run %q steps: write a number from 1 on", s.goal.Argument)
			return s.answer(*s.output, e.fail(exitBadInput, "%v", err), err)
		}
		if *dt != 0 {
			s.goal.Argument += " " + dt.String()
		}
		return s.run(func(conn *client.Client, stop <-chan os.Signal) (*client.Ending, any, error) {
			return s.steps(conn, asked, stop)
		})
	}
}

// stepped is what step prints for programs: a result, and the steps.
type stepped struct {
	message
	asked, ran uint64
}

// MarshalJSON puts the steps behind the fields of the result.
func (s stepped) MarshalJSON() ([]byte, error) {
	text, err := s.message.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(text[:len(text)-1], `,"steps_asked":%d,"steps_run":%d}`, s.asked, s.ran), nil
}

// steps sends the goal and waits until the loop has stopped: in some machines the goal ends before that.
func (s *sending) steps(conn *client.Client, asked uint64, stop <-chan os.Signal) (*client.Ending, any, error) {
	ctx, done := untilSignal(stop, "stopped before a step was asked for")
	m, before, err := s.choose(ctx, conn)
	err = orCause(ctx, err)
	done()
	if err != nil {
		return nil, nil, err
	}
	end, err := s.follow(conn, stop)
	if err != nil {
		return nil, nil, err
	}
	answered := time.Now()
	ctx, done = untilSignal(stop, "not waiting any more; the loop goes on: look with rstate status")
	defer done()
	if !end.Result.Success { // only the number of its steps may be missing
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, lastStateIn)
		defer cancel()
	}
	after, err := conn.AwaitSteps(ctx, m, s.goal.Command, before)
	if err != nil && (end.Result.Success || after == nil) {
		return nil, nil, orCause(ctx, err)
	}
	ran := client.StepsRun(before, after)
	if end.Result.Success {
		end.Result.Elapsed = later(end.Result.Elapsed, time.Since(answered))
		judgeSteps(end.Result, after, asked, ran)
	}
	return end, stepped{message{end.Result}, asked, ran}, nil
}

// lastStateIn is how long the state may still be on its way in which a goal has failed.
const lastStateIn = time.Second

// judgeSteps puts into the result of a goal that succeeded how its steps have ended.
func judgeSteps(r *rstate_msgs_action.Transition_Result, after *rstate_msgs_msg.InstanceState, asked, ran uint64) {
	words := fmt.Sprintf("%d of %d steps have run; the network is %s", ran, asked, labelOf(after.State))
	switch {
	case after.StepFault != "":
		r.Success, r.Outcome, r.Message = false, rstate_msgs_action.Transition_Result_OUTCOME_HELD,
			words+": "+after.StepFault
	case ran < asked:
		r.Success, r.Outcome, r.Message = false, rstate_msgs_action.Transition_Result_OUTCOME_PREEMPTED,
			words+": "+after.Cause
	case r.State.Label != after.State.Label:
		r.Message = words
	}
	r.State = after.State
}

// choose asks the daemon which command steps the loop where it is now, and puts it into the goal. It returns the
// machine, and the state before the goal.
func (s *sending) choose(ctx context.Context, conn *client.Client) (*machine.Machine, *rstate_msgs_msg.InstanceState,
	error) {
	m, err := conn.Machine(ctx)
	if err != nil {
		return nil, nil, err
	}
	state, err := conn.State(ctx)
	if err != nil {
		return nil, nil, err
	}
	if s.goal.Command = stepsBy(m, state.Legal); s.goal.Command == "" {
		return nil, nil, &client.Rejected{Text: "cannot step: no command that steps is legal now; rstate status lists the commands that are", Legal: state.Legal}
	}
	return m, state, nil
}

// orCause returns why ctx has ended instead of an error that comes of it.
func orCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// untilSignal returns a context that ends at a signal, and a function that ends it.
func untilSignal(stop <-chan os.Signal, why string) (context.Context, func()) {
	ctx, leave := context.WithCancelCause(context.Background())
	go func() {
		select {
		case <-stop:
			leave(errors.New(why))
		case <-ctx.Done():
		}
	}()
	return ctx, func() { leave(nil) }
}

// stepsBy chooses a command that takes a number of steps: one that ends by itself before one that goes on.
func stepsBy(m *machine.Machine, legal []string) string {
	best := ""
	for _, name := range legal {
		t, _ := m.Transition(name)
		if t.Argument == "" || t.Argument == machine.TellsEnd {
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
	if s.StepOverruns > 0 {
		text += fmt.Sprintf(", overruns: %d", s.StepOverruns)
	}
	slowest := rstate_msgs_msg.StepTime{}
	for _, t := range s.StepTimes {
		if durationOf(t.Mean) > durationOf(slowest.Mean) {
			slowest = t
		}
	}
	if slowest.Node != "" {
		phase := stepper.Phase(slowest.Phase)
		text += fmt.Sprintf("; slowest: %s takes %v for %v, %v at most", slowest.Node,
			rounded(durationOf(slowest.Mean)), phase, rounded(durationOf(slowest.Max)))
	}
	if s.Outcome != "" {
		text += "; the outcome is " + s.Outcome
	}
	if s.Recording != "" {
		text += "; recorded to " + s.Recording
	}
	if s.StepFault != "" {
		text += "; stopped by a fault: " + s.StepFault
	}
	return strings.TrimSpace(text)
}

func later(d builtin_interfaces_msg.Duration, by time.Duration) builtin_interfaces_msg.Duration {
	by += durationOf(d)
	return builtin_interfaces_msg.Duration{Sec: int32(by / time.Second), Nanosec: uint32(by % time.Second)}
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
