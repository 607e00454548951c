package nav2

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"time"
)

// Params are the parameters of a manager.
type Params struct {
	NodeNames      []string
	Autostart      bool
	BondTimeout    time.Duration // 0: no bonds
	BondHeartbeat  time.Duration
	Respawn        bool          // attempt_respawn_reconnection
	ServiceTimeout time.Duration // the deadline of each step; 0: that of rstate
	Parallel       bool          // of rstate: the order of the names means nothing
}

// Defaults returns the parameters of a manager whose file sets none.
func Defaults() Params {
	return Params{BondTimeout: 4 * time.Second, BondHeartbeat: 250 * time.Millisecond, Respawn: true}
}

// The parameters, by their names in ROS.
const (
	NodeNames        = "node_names"
	Autostart        = "autostart"
	BondTimeout      = "bond_timeout"
	BondHeartbeat    = "bond_heartbeat_period"
	Respawn          = "attempt_respawn_reconnection"
	RespawnWithin    = "bond_respawn_max_duration"
	ServiceTimeout   = "service_timeout"
	Parallel         = "parallel"
	simulatedTime    = "use_sim_time"
	longest          = 24 * time.Hour
	shortestBeat     = 10 * time.Millisecond
	respawnWithinWhy = "rstate raises a node whenever it comes back"
)

// Seconds reads a parameter that is a time in seconds.
func Seconds(value float64) (time.Duration, error) {
	if !(value >= 0 && value <= longest.Seconds()) { // NaN is neither
		return 0, fmt.Errorf("it is %v; write seconds between 0 and %.0f", value, longest.Seconds())
	}
	return time.Duration(value * float64(time.Second)), nil
}

var nodeName = regexp.MustCompile(`^/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*$`)

// Check returns what is wrong with the parameters; nil: nothing is.
func (p Params) Check() error {
	if len(p.NodeNames) == 0 {
		return errors.New("it is empty; name the nodes to manage, in the order in which they come up")
	}
	ids := map[string]string{}
	for _, name := range p.NodeNames {
		if !nodeName.MatchString(name) {
			return fmt.Errorf("it has %q, which is no name of a node", name)
		}
		if ids[BondID(name)] == name {
			return fmt.Errorf("it has %q twice", name)
		}
		if other, twice := ids[BondID(name)]; twice && p.BondTimeout > 0 {
			return fmt.Errorf("it has %q and %q, whose bonds have one id; give each node a name of its own, or set %s to 0",
				other, name, BondTimeout)
		}
		ids[BondID(name)] = name
	}
	return nil
}

// Heartbeat returns the period of our heartbeats: several of them fit into the timeout.
func (p Params) Heartbeat() time.Duration {
	const least = 4 // in a timeout
	return max(min(p.BondHeartbeat, p.BondTimeout/least), shortestBeat)
}

// FullName returns the full name of a node in node_names: nav2 resolves it in the namespace of the manager.
func FullName(namespace, node string) string {
	if path.IsAbs(node) {
		return node
	}
	return path.Join("/", namespace, node)
}

// BondID is the id with which a node bonds: nav2's servers use their name without its namespace.
func BondID(node string) string { return path.Base(node) }
