//go:build ros

package main

import (
	"slices"
	"strings"

	"rstate/internal/term"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// readinessLines returns one coloured word, the reasons, and a line for each check that was looked at and is no reason.
// A network in which nothing can be armed has none, and one that is armed says so already.
func readinessLines(s *rstate_msgs_msg.InstanceState) []term.Line {
	var lines []term.Line
	if listsReasons(s) {
		lines = append(lines, term.Line{{Text: "readiness: "}, {Text: s.Readiness, Style: styleOfReadiness(s.Readiness)}})
		for _, o := range s.Obstacles {
			lines = append(lines, term.Text("  - "+obstacleText(o), term.Plain))
		}
	}
	return append(lines, checkLines(s)...)
}

func listsReasons(s *rstate_msgs_msg.InstanceState) bool {
	return s.Readiness != "" && s.Readiness != rstate_msgs_msg.InstanceState_READY_ARMED
}

// isReason reports whether the reasons against arming are shown, and one about a name ends with these words. Then they
// need not be said again.
func isReason(s *rstate_msgs_msg.InstanceState, name, words string) bool {
	return listsReasons(s) && slices.ContainsFunc(s.Obstacles, func(o rstate_msgs_msg.Obstacle) bool {
		return o.Name == name && strings.HasSuffix(o.Why, words)
	})
}

func styleOfReadiness(word string) term.Style {
	switch word {
	case rstate_msgs_msg.InstanceState_READY:
		return term.Green
	case rstate_msgs_msg.InstanceState_READY_NOT:
		return term.Red
	}
	return term.Yellow
}

// inLines puts each reason of a refusal on a line of its own, if there are several.
func inLines(text string) string {
	if strings.Count(text, "; ") < 2 { // one reason, and the legal commands
		return text
	}
	return strings.ReplaceAll(text, "; ", ";\n  ")
}

func obstacleText(o rstate_msgs_msg.Obstacle) string {
	text := strings.TrimSpace(o.Name + " " + o.Why)
	if o.WhatToDo != "" {
		text += " (" + o.WhatToDo + ")"
	}
	return text
}

// checkLines returns a line for each check that was looked at, with its value, in columns.
func checkLines(s *rstate_msgs_msg.InstanceState) []term.Line {
	name, subject := 0, 0
	for _, c := range s.Checks {
		name, subject = max(name, term.Width(c.Name)), max(subject, term.Width(c.Subject))
	}
	var lines []term.Line
	for _, c := range s.Checks {
		if !c.Passes && c.Fault != "" && isReason(s, c.Name, c.Subject+" "+c.Fault) {
			continue
		}
		says, style := c.Value, term.Plain
		switch {
		case c.Known && !c.Passes && c.Warn:
			says, style = c.Fault, term.Yellow
		case c.Known && !c.Passes:
			says, style = c.Fault, term.Red
		case !c.Known && c.Fault == "":
			continue // it is not looked at now
		case !c.Known:
			says, style = c.Fault, term.Dim
		}
		if note := checkNote(c); note != "" {
			says += " (" + note + ")"
		}
		lines = append(lines, term.Text("  check "+padded(c.Name, name)+"  "+padded(c.Subject, subject)+"  "+says, style))
	}
	return lines
}

// checkNote says when a check counts; empty: before and while the network is armed.
func checkNote(c rstate_msgs_msg.Check) string {
	switch {
	case c.Warn:
		return "warns only"
	case c.When == "enter":
		return "to enter"
	case c.When == "stay":
		return "to stay"
	}
	return ""
}

// readinessChange says that readiness has another word, with the reasons; empty: it has not.
func readinessChange(before, now *rstate_msgs_msg.InstanceState) string {
	if now.Readiness == before.Readiness || now.Readiness == "" ||
		now.Readiness == rstate_msgs_msg.InstanceState_READY_ARMED {
		return ""
	}
	words := make([]string, len(now.Obstacles))
	for k, o := range now.Obstacles {
		words[k] = obstacleText(o)
	}
	return strings.TrimSuffix("readiness: "+now.Readiness+": "+strings.Join(words, "; "), ": ")
}
