//go:build ros

package rosnet

import (
	"fmt"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/lease"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// leaseTopic is the topic of the arm lease: it tells armed nodes until when they may stay armed.
const leaseTopic = "~/arm_lease"

// openLease makes the writer of the lease, and listens for others that hold one in our name: our
// terms are above theirs. What is late is of no use, so nothing is sent again or kept. The writer
// promises no liveliness: the lease itself is the sign of life, and Cyclone DDS ends a process that
// asserts the liveliness of a best-effort writer.
func (w *World) openLease() (err error) {
	out := rclgo.NewDefaultPublisherOptions()
	out.Qos.Reliability, out.Qos.Durability = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile
	out.Qos.History, out.Qos.Depth = rclgo.HistoryKeepLast, 1
	if w.out.lease, err = rstate_msgs_msg.NewArmLeasePublisher(w.node, leaseTopic, out); err != nil {
		return fmt.Errorf("cannot publish the arm lease: %w", err)
	}
	w.owns(w.out.lease.Close)
	in := rclgo.NewDefaultSubscriptionOptions()
	in.Qos.Reliability, in.Qos.Durability, in.Qos.Depth = rclgo.ReliabilityBestEffort, rclgo.DurabilityVolatile, 1
	others, err := rstate_msgs_msg.NewArmLeaseSubscription(w.node, leaseTopic, in, w.heardLease)
	if err != nil {
		return fmt.Errorf("cannot listen for other arm leases: %w", err)
	}
	w.owns(others.Close)
	return nil
}

// leaseHeard is a term that was heard of another instance.
type leaseHeard struct {
	at   time.Time
	term uint64
}

func (w *World) heardLease(msg *rstate_msgs_msg.ArmLease, _ *rclgo.MessageInfo, err error) {
	if err != nil || msg.InstanceId == w.instance {
		return
	}
	// Anyone may send thousands in a second. A term that is not above one of just before tells nothing new.
	heard, now := &w.leases[0], time.Now()
	if msg.Term > lease.Most {
		heard = &w.leases[1]
	}
	if now.Sub(heard.at) < lease.Every/2 && msg.Term <= heard.term {
		return
	}
	heard.at, heard.term = now, msg.Term
	w.post(engine.LeaseHeard{Term: msg.Term})
}

// LeaseAge is how long ago the newest message of the lease has left; negative: none has.
func (w *World) LeaseAge(now time.Time) time.Duration {
	if at := w.out.sentAt.Load(); at != nil {
		return now.Sub(*at)
	}
	return -1
}

// said reports whether a message of that term of the lease has left; 0: there is none.
func (o *outlets) said(term uint64) bool {
	left := o.sent.Load()
	return term == 0 || left != nil && left.Term == term
}

func (w *World) sendLease(m lease.Message) {
	if w.steady != nil {
		w.peers.noteProof(w.steady().Steady-m.Proved, time.Now())
	}
	w.out.term = m.Term
	replaced := w.out.leases.Set(func() {
		err := w.out.lease.Publish(&rstate_msgs_msg.ArmLease{
			InstanceId: m.Instance, Term: m.Term, Seq: m.Seq, ProvedNs: m.Proved.Nanoseconds(),
			ValidNs: m.Valid.Nanoseconds(),
		})
		if err != nil {
			w.log.Error("cannot renew the arm lease", zap.Error(err))
			return
		}
		now := time.Now()
		w.out.sent.Store(&m)
		w.out.sentAt.Store(&now)
	})
	if replaced { // the message before this one never leaves
		unsent := engine.LeaseUnsent{Term: m.Term}
		if left := w.out.sent.Load(); left != nil && left.Term == m.Term {
			unsent.Sent, unsent.Proved = true, left.Proved
		}
		w.post(unsent)
	}
}
