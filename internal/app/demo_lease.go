//go:build ros

package app

import (
	"path"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/lease"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// follow subscribes the node to the lease.
func (l *leash) follow(node *rclgo.Node) error {
	newest := rclgo.NewDefaultSubscriptionOptions()
	newest.Qos.Reliability, newest.Qos.Durability, newest.Qos.Depth = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile, leaseDepth
	_, err := rstate_msgs_msg.NewArmLeaseSubscription(node, l.topic, newest, func(m *rstate_msgs_msg.ArmLease, info *rclgo.MessageInfo, err error) {
		if err == nil {
			l.take(lease.Message{Instance: m.InstanceId, Writer: string(info.PublisherGID[:]), Term: m.Term, Seq: m.Seq, Proved: time.Duration(m.ProvedNs), Valid: time.Duration(m.ValidNs)})
		}
	})
	return err
}

// UsualLease is the topic of the arm lease of a daemon that is started without a name.
func UsualLease() string { return LeaseOf("/" + NodeName) }

// LeaseOf is the topic of the arm lease of a daemon.
func LeaseOf(daemon string) string { return path.Join("/", daemon, "arm_lease") }

// DaemonName returns the full name that a daemon has which is started with these ROS arguments.
func DaemonName(rosArgs []string) (string, error) {
	s, err := open(rosArgs, zap.NewNop())
	if err != nil {
		return "", err
	}
	defer s.done.run(letGo)
	name, _, err := s.willBe(NodeName)
	return name, err
}
