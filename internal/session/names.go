package session

import (
	"path"

	"rstate/internal/network"
)

// NodeName is the default name of a daemon's node.
const NodeName = network.UsualName

// UsualLease is the topic of the arm lease of a daemon that is started without a name.
func UsualLease() string { return LeaseOf("/" + NodeName) }

// LeaseOf is the topic of the arm lease of a daemon.
func LeaseOf(daemon string) string { return path.Join("/", daemon, "arm_lease") }

// FactoryName is the default name of a factory's node.
const FactoryName = "rstate_factory"
