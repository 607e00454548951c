//go:build ros

package rosnet

import (
	"fmt"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
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
	if err != nil || msg.InstanceId == w.instance || msg.ValidNs == 0 { // with 0 it says that it holds none
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
	proved := m.Proved + w.suspended()
	replaced := w.out.leases.SetOr(func() {
		err := w.out.lease.Publish(&rstate_msgs_msg.ArmLease{
			InstanceId: m.Instance, Term: m.Term, Seq: m.Seq, ProvedNs: proved.Nanoseconds(),
			ValidNs: m.Valid.Nanoseconds(),
		})
		if err != nil {
			w.log.Error("cannot renew the arm lease", zap.Error(err))
			w.leaseUnsent(m.Term)
			return
		}
		now := time.Now()
		w.out.sent.Store(&m)
		w.out.sentAt.Store(&now)
	}, func() { w.leaseUnsent(m.Term) })
	if replaced { // the message before this one never leaves
		w.leaseUnsent(m.Term)
	}
}

// leaseUnsent tells the engine that a message of the lease did not leave, and which one was the last that did. Any
// goroutine.
func (w *World) leaseUnsent(term uint64) {
	unsent := engine.LeaseUnsent{Term: term}
	if left := w.out.sent.Load(); left != nil && left.Term == term {
		unsent.Sent, unsent.Proved = true, left.Proved
	}
	w.post(unsent)
}

// restLease says once a second that no lease is held, from when this instance has the name. A receiver learns from it
// how fast a message can be, before a lease comes whose first messages may wait for it. Coordinator's goroutine only.
func (w *World) restLease(now time.Time) {
	s := w.newest.Load()
	if s == nil || s.Lease.Term != 0 || !w.offering.begun || now.Sub(w.out.rested) < lease.Rest-lease.Every/2 {
		return
	}
	w.out.rested = now
	w.out.rests.Set(func() {
		err := w.out.lease.Publish(&rstate_msgs_msg.ArmLease{InstanceId: w.instance,
			ProvedNs: (w.sinceStart() + w.suspended()).Nanoseconds()})
		if err != nil {
			w.log.Warn("cannot say that no arm lease is held", zap.Error(err))
		}
	})
}

// suspended is how long the machine has been suspended since the start, which the engine's clock does not count.
// Receivers on other machines do. It is read first, so that it is never too long.
func (w *World) suspended() time.Duration {
	if w.steady == nil {
		return 0
	}
	boot := coordinator.BootTime() - w.booted
	return max(0, boot-w.steady().Steady).Round(time.Millisecond)
}
