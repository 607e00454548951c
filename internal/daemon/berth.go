//go:build ros

package daemon

import (
	"strings"

	"rstate/internal/network"
	"rstate/internal/session"
)

// Berth is the place of a simulation in a factory.
type Berth struct {
	Session   *session.Session
	ID, Owner string
	Driver    func(*network.Node) string // the other instance that drives a node, as far as ROS shows; empty: none
}

// owner is the person or program that asked for the simulation.
func (d *Daemon) owner() string {
	if d.within == nil {
		return ""
	}
	return strings.TrimSpace(d.within.Owner)
}
