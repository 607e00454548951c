//go:build ros

package main

import (
	"fmt"
	"time"

	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// failureLine describes the last failure; it is empty if there is none.
func failureLine(s *rstate_msgs_msg.InstanceState) string {
	f := &s.LastFailure
	if f.Command == "" {
		return ""
	}
	what := fmt.Sprintf("%s failed (%s)", f.Command, f.Outcome)
	switch f.Outcome {
	case rstate_msgs_msg.Failure_OUTCOME_LOWERED:
		what = fmt.Sprintf("%s from %s, which no goal asked for", f.Command, labelOf(f.FromState))
	case rstate_msgs_action.Transition_Result_OUTCOME_RESTORED:
		what = f.Command + " failed and was rolled back" // commands of the goal before it stand
	}
	text := fmt.Sprintf("%s at %s", what, timeOfDay(f.Stamp))
	if f.Client != "" {
		text += ", asked for by " + f.Client
	}
	return text + ": " + f.Cause + "; rstate why says more"
}

// refusalLine describes the last refusal, with the client; it is empty if there is none.
func refusalLine(s *rstate_msgs_msg.InstanceState) string {
	switch {
	case s.Refusal == "":
		return ""
	case s.RefusedClient == "":
		return s.Refusal
	}
	return fmt.Sprintf("%s (asked for by %s at %s)", s.Refusal, s.RefusedClient, timeOfDay(s.RefusedAt))
}

// leaseLine describes the arm lease and the age of the oldest proof; it is empty if the network
// holds no lease.
func leaseLine(s *rstate_msgs_msg.InstanceState) string {
	if s.LeaseTerm == 0 {
		return ""
	}
	text := fmt.Sprintf("arm lease %d", s.LeaseTerm)
	if s.LeaseAge.Sec >= 0 {
		text += fmt.Sprintf(" renewed %s ago, ends in %s unless renewed", took(durationOf(s.LeaseAge)),
			took(durationOf(s.LeaseLeft)))
	}
	if s.ProofAge.Sec < 0 {
		return text + "; no required node is asked for proof"
	}
	return text + "; oldest proof " + took(durationOf(s.ProofAge)) + " old"
}

// runningLine describes the running transition, with the client; it is empty if none runs.
func runningLine(s *rstate_msgs_msg.InstanceState) string {
	p := &s.Progress
	if p.Command == "" {
		return ""
	}
	who := p.Client
	if who == "" {
		who = p.Origin
	}
	return fmt.Sprintf("%s runs, asked for by %s, since %s", p.Command, who, took(durationOf(p.Elapsed)))
}

func timeOfDay(t builtin_interfaces_msg.Time) string {
	at := time.Unix(int64(t.Sec), int64(t.Nanosec)).Local()
	if at.Format(time.DateOnly) != time.Now().Format(time.DateOnly) {
		return at.Format(time.DateTime)
	}
	return at.Format(time.TimeOnly)
}
