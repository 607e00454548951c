//go:build ros

package main

import (
	"fmt"
	"strings"

	"rstate/internal/clean"
	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// stopLines describes the stop inputs, the stops that are not acknowledged, and what to do, as far as the reasons
// against arming do not say it.
func stopLines(s *rstate_msgs_msg.InstanceState) []term.Line {
	var lines []term.Line
	for k := range s.StopInputs {
		in := &s.StopInputs[k]
		style := term.Green
		switch in.Kind {
		case rstate_msgs_msg.StopInput_STOP:
			style = term.Red
		case rstate_msgs_msg.StopInput_CLEAR:
		default:
			style = term.Yellow
		}
		text := "stop input " + stopWord(in)
		if in.Why != "" && !isReason(s, "", in.Topic+": "+in.Why) {
			text += ": " + in.Why
		}
		lines = append(lines, term.Text(clean.Text(text), style))
	}
	told := true
	for k := range s.Stops {
		if isReason(s, "", s.Stops[k].Why) {
			continue
		}
		told = false
		lines = append(lines, term.Text(clean.Text("stopped: "+latchWord(&s.Stops[k])), term.Red))
	}
	if !told {
		lines = append(lines, term.Text("make sure that nothing has to stop, then run rstate acknowledge", term.Red))
	}
	return lines
}

// stopWord describes a stop input.
func stopWord(in *rstate_msgs_msg.StopInput) string {
	text := in.Topic + "  " + in.Kind
	if in.Age.Sec >= 0 {
		text += ", heard " + took(durationOf(in.Age)) + " ago"
	}
	if len(in.Writers) > 0 {
		text += " of " + strings.Join(in.Writers, ", ")
	}
	return text
}

// latchWord describes a stop that is not acknowledged.
func latchWord(l *rstate_msgs_msg.StopLatch) string {
	return fmt.Sprintf("since %s by %s, %s", timeOfDay(l.At), l.Origin, l.Why)
}

// stopNews describes what has changed about stops.
func stopNews(before, now *rstate_msgs_msg.InstanceState) []string {
	words := func(s *rstate_msgs_msg.InstanceState) (kinds, latches []string) {
		for k := range s.StopInputs {
			in := &s.StopInputs[k]
			kinds = append(kinds, strings.TrimSuffix("stop input "+in.Topic+" is "+in.Kind+": "+in.Why, ": "))
		}
		for k := range s.Stops {
			latches = append(latches, latchWord(&s.Stops[k]))
		}
		return kinds, latches
	}
	oldKinds, old := words(before)
	kinds, latches := words(now)
	news := added("", oldKinds, kinds)
	news = append(news, added("stopped ", old, latches)...)
	return append(news, added("acknowledged: the stop ", latches, old)...)
}
