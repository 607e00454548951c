//go:build ros

package main

import (
	"rstate/internal/clean"
	"rstate/internal/lifecycle"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// labelOf returns the name of a state as text for people.
func labelOf(s rstate_msgs_msg.State) string { return clean.Text(lifecycle.Words(s.Label)) }
