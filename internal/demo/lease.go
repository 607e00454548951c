//go:build ros

package demo

import (
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/lease"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// follow subscribes the node to the lease.
func (l *follower) follow(node *rclgo.Node) error {
	newest := rclgo.NewDefaultSubscriptionOptions()
	newest.Qos.Reliability, newest.Qos.Durability, newest.Qos.Depth = rclgo.ReliabilityBestEffort,
		rclgo.DurabilityVolatile, lease.Depth
	_, err := rstate_msgs_msg.NewArmLeaseSubscription(node, l.topic, newest,
		func(m *rstate_msgs_msg.ArmLease, info *rclgo.MessageInfo, err error) {
			if err == nil {
				l.take(lease.Message{Instance: m.InstanceId, Writer: string(info.PublisherGID[:]), Term: m.Term,
					Seq:    m.Seq,
					Proved: time.Duration(m.ProvedNs), Valid: time.Duration(m.ValidNs)})
			}
		})
	return err
}
