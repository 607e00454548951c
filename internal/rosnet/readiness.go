//go:build ros

package rosnet

import (
	"rstate/internal/engine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// describeReadiness tells whether Arm would arm the network now, why not, and what each check says.
func describeReadiness(m *rstate_msgs_msg.InstanceState, s *engine.Snapshot) {
	m.Readiness = string(s.Readiness.Word)
	for _, o := range s.Readiness.Against {
		m.Obstacles = append(m.Obstacles, rstate_msgs_msg.Obstacle{
			Name: o.Node, Why: o.Why, WhatToDo: o.Do, Measuring: o.Kind == engine.Measured,
		})
	}
	for _, c := range s.Checks {
		m.Checks = append(m.Checks, rstate_msgs_msg.Check{
			Name: c.Node, Subject: c.Subject, Kind: c.Kind, Value: c.Value, Known: c.Known, Passes: c.Passes(),
			Fault: c.Fault, WhatToDo: c.Do, When: c.When, Warn: c.Warn,
		})
	}
}
