// Package checking judges what was measured for the checks of a network file, without the engine around it. The
// world measures, and package engine decides what follows. It imports network only.
//
// Each kind of check is a Gauge, in a file of its own. A new kind needs such a file, a line in Of, a constant in
// package network, and a piece of rosnet that measures.
package checking

import (
	"fmt"
	"strings"
	"time"

	"rstate/internal/network"
	"rstate/internal/patient"
)

// Sample is what the world has measured for one check. A kind of check reads what it needs.
type Sample struct {
	Count uint64         // messages of the topic since the counting began
	Age   time.Duration  // of the newest message when the sample was taken; negative: none has come
	Every time.Duration  // how often such samples come; zero: it is no count
	Value network.Scalar // of the field, or of the parameter
	Fault string         // why it cannot be measured, or the no of a service; empty: it can
}

// Moment is when a sample came: on the clock of the node's deadlines, and on the steady clock.
type Moment struct{ Clock, Steady time.Duration }

// Verdict is what a check says now.
type Verdict struct {
	Known bool   // false: not enough was measured yet; Fault says what is missing
	Fault string // why the check does not pass; empty: it passes
	Value string // what was measured, in words: "9.8 Hz of 10 Hz"; empty: nothing was
	// Number is the same as a number: messages a second, an age in seconds, or a value that is a number. Without a
	// value: nothing was measured, or it is no number.
	Number network.Scalar
}

// Gauge is one kind of check.
type Gauge interface {
	// Take notes a sample.
	Take(s Sample, at Moment)
	// Judge says what the check says at a moment of the steady clock.
	Judge(now time.Duration) Verdict
	// Due is the moment of the steady clock after which Judge may say something else without a new sample; 0: none.
	Due() time.Duration
	// Restart forgets what was measured.
	Restart()
	// Window is how much longer the check has to be measured, at most, before it is known.
	Window() time.Duration
	Clone() Gauge
}

// Of returns the gauge of a check of which nothing was measured yet.
func Of(c *network.Check) Gauge {
	switch c.Kind() {
	case network.CheckRate:
		return &rate{wanted: c.Rate}
	case network.CheckAge:
		return &age{most: c.Age}
	case network.CheckField:
		return &field{age: age{most: c.Age}, bound: c.Bound}
	case network.CheckParameter:
		return &parameter{bound: c.Bound}
	case network.CheckFile:
		return &answer{passes: "exists"}
	}
	return &answer{passes: "answers yes"}
}

// Advice says what a person can do if a check of a node does not pass.
func Advice(c *network.Check, node string) string {
	switch c.Kind() {
	case network.CheckRate, network.CheckAge:
		return "see its publisher: ros2 topic info -v " + c.Topic + ", ros2 topic hz " + c.Topic
	case network.CheckField:
		return "see what is published: ros2 topic echo --once " + c.Topic
	case network.CheckParameter:
		return fmt.Sprintf("see the parameter: ros2 param get %s %s", node, c.Parameter)
	case network.CheckFile:
		return "make the file on the host of rstate"
	}
	return fmt.Sprintf("see what the service answers: ros2 service call %s %s", c.Service, c.Type)
}

// What stands before a value that changes with each look.
const (
	comesWords   = "comes at "
	countedWords = "was counted "
	newestWords  = "came last "
	nowWords     = "is now "
)

// Unmeasured returns a text up to its first value that changes with each look.
func Unmeasured(text string) string {
	for _, words := range [...]string{comesWords, countedWords, newestWords, nowWords} {
		if before, _, ok := strings.Cut(text, words); ok {
			return before + words
		}
	}
	return text
}

// Counts of messages are stale after countStale.
const countStale = time.Second * patient.Factor

// overdue is after how many of the times between counts the next one is overdue.
const overdue = 2

// tenths rounds a time for people.
func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
