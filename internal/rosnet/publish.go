//go:build ros

package rosnet

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/lease"
	"rstate/internal/middleware"
	"rstate/internal/outbox"
	"rstate/internal/patient"
	"rstate/internal/selftest"
	diagnostic_msgs_msg "rstate/msgs/gen/diagnostic_msgs/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// livelinessLease is how long a reader believes in an instance that is silent.
const livelinessLease = 500 * time.Millisecond * patient.Factor

const (
	// leaseKeeps is how long a message of the lease may wait to be written. The next one comes
	// before that.
	leaseKeeps = 200 * time.Millisecond
	// pulseKeeps is how long a beat of the loop counts as a sign of life.
	pulseKeeps = 300 * time.Millisecond
)

// outlets are the topics that this instance writes. The loop hands every message to box, and each
// beat to pulse, so that it never waits for the middleware. The pulse has an outbox of its own: a
// message that is stuck does not end it, and a loop that does not turn does.
type outlets struct {
	box, pulse *outbox.Outbox
	states     *outbox.Slot // of state, while the network's state is inState
	repeats    *outbox.Slot // of state, where no event tells that we live
	inState    string
	statuses   *outbox.Slot // of peers
	leases     *outbox.Slot // of lease
	rests      *outbox.Slot // of lease, while none is held
	rested     time.Time    // when that was said last; loop only
	beats      *outbox.Slot
	term       uint64                        // of the newest message of the lease that was put; loop only
	sent       atomic.Pointer[lease.Message] // the newest message of the lease that has left
	sentAt     atomic.Pointer[time.Time]     // when it has

	unrenewed [3]bool // of which publishers liveliness could not be renewed last; goroutine of pulse only

	shown *rstate_msgs_msg.InstanceState // published last; goroutine of box only
	spoke atomic.Pointer[time.Time]      // when it was

	state     *rstate_msgs_msg.InstanceStatePublisher
	change    *rstate_msgs_msg.NetworkStatePublisher
	peers     *rstate_msgs_msg.PeerStatusPublisher
	lease     *rstate_msgs_msg.ArmLeasePublisher
	diagnoses *diagnostic_msgs_msg.DiagnosticArrayPublisher
}

// latched is the profile of what a late reader must get: the newest, and whether its writer lives.
func latched() *rclgo.PublisherOptions {
	o := rclgo.NewDefaultPublisherOptions()
	o.Qos.Reliability = rclgo.ReliabilityReliable
	o.Qos.Durability = rclgo.DurabilityTransientLocal
	o.Qos.History, o.Qos.Depth = rclgo.HistoryKeepLast, 1
	o.Qos.Liveliness, o.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, livelinessLease
	return o
}

func (w *World) openOutlets() (err error) {
	o := &w.out
	o.box, o.pulse = outbox.New(coordinator.BootTime), outbox.New(coordinator.BootTime)
	o.states, o.statuses, o.leases = o.box.Slot(0), o.box.Slot(0), o.box.Slot(leaseKeeps)
	o.repeats, o.rests = o.box.Slot(leaseKeeps), o.box.Slot(leaseKeeps)
	o.beats = o.pulse.Slot(pulseKeeps)
	if w.out.state, err = rstate_msgs_msg.NewInstanceStatePublisher(w.node, "~/state", latched()); err != nil {
		return fmt.Errorf("cannot publish the state: %w", err)
	}
	w.owns(w.out.state.Close)
	if w.out.change, err = rstate_msgs_msg.NewNetworkStatePublisher(w.node, w.net.Topic, latched()); err != nil {
		return fmt.Errorf("cannot publish on %q: %w", w.net.Topic, err)
	}
	w.owns(w.out.change.Close)
	if err := w.openLease(); err != nil {
		return err
	}
	return w.openDiagnostics()
}

// close lets nothing more in. What waits leaves, if the middleware takes it.
func (o *outlets) close() {
	if o.box != nil {
		o.box.Close()
		o.pulse.Close()
	}
}

// assert renews the liveliness of what others watch. It says once that it cannot, and again after it could.
func (o *outlets) assert(log *zap.Logger, alone bool) {
	all := []*rclgo.Publisher{o.state.Publisher, o.change.Publisher}
	if !alone {
		all = append(all, o.peers.Publisher)
	}
	for k, p := range all {
		err := p.AssertLiveliness()
		if err != nil && !o.unrenewed[k] && !selftest.Unsupported(err) {
			log.Warn("cannot renew liveliness", zap.String("topic", p.TopicName), zap.Error(err))
		}
		o.unrenewed[k] = err != nil
	}
}

// Show has a snapshot published. Coordinator's goroutine only.
func (w *World) Show(s engine.Snapshot) {
	now := time.Now()
	w.newest.Store(&s)
	w.peers.noteProof(s.ProofAge, now)
	// Only a snapshot of the same state of the network takes the place of one that waits:
	// subscribers see every state.
	if s.State != w.out.inState {
		w.out.states, w.out.inState = w.out.box.Slot(0), s.State
	}
	w.out.states.Set(func() {
		w.out.shown = w.describe(s, now)
		w.publishState()
	})
	if w.face != nil {
		w.face.show(s)
	}
	if w.simulation != nil {
		w.simulation.show()
	}
	if w.manager != nil {
		w.manager.show()
	}
}

// publishState publishes what the outlets show. Goroutine of the outbox only.
func (w *World) publishState() {
	now := time.Now()
	w.out.spoke.Store(&now)
	if err := w.out.state.Publish(w.out.shown); err != nil {
		w.log.Error("cannot publish the state", zap.Error(err))
	}
}

// repeatState publishes the same state again when that is due, so that its age tells that we live.
// The message keeps its stamp: nothing has changed. Coordinator's goroutine only.
func (w *World) repeatState(now time.Time) {
	spoke := w.out.spoke.Load()
	if spoke == nil || now.Sub(*spoke) < middleware.Heartbeat {
		return
	}
	w.out.repeats.Set(w.publishState)
}

func (w *World) publishChange(c engine.Change) {
	msg := &rstate_msgs_msg.NetworkState{
		Simulation:  w.net.Simulation,
		SourceNode:  w.name,
		SourceState: c.SourceState,
		Event:       c.Event,
		TargetState: c.TargetState,
		State:       networkState(w.machine, c.State),
		Settled:     c.Settled,
		InstanceId:  w.instance,
		Seen:        seenMessage(c.Seen),
		Orders:      seenMessage(c.Orders),
		Made:        duration(c.Made),
		Machine:     w.machine.Name,
		MachineHash: w.hash,
		Cause:       c.Cause,
		Stamp:       stamp(time.Now()),
	}
	w.out.box.Put(func() {
		msg.Steady = duration(w.sinceStart()) // it may have waited for the middleware
		if err := w.out.change.Publish(msg); err != nil {
			w.log.Error("cannot publish a change", zap.String("change", c.String()), zap.Error(err))
		}
	})
}

// feedback is one message of steps that came close together, oldest first.
func (w *World) feedback(steps []engine.SendFeedback) *rstate_msgs_action.Transition_Feedback {
	last := steps[len(steps)-1]
	out := &rstate_msgs_action.Transition_Feedback{
		State:  networkState(w.machine, last.State),
		Done:   uint32(last.Done),
		Total:  uint32(last.Total),
		Last:   nodeResult(last.Last),
		Before: make([]rstate_msgs_msg.NodeResult, len(steps)-1),
	}
	for i := range out.Before {
		out.Before[i] = nodeResult(steps[i].Last)
	}
	return out
}

func (w *World) result(r engine.Result) *rstate_msgs_action.Transition_Result {
	out := &rstate_msgs_action.Transition_Result{
		Success: r.Success,
		Outcome: string(r.Outcome),
		Message: r.Message,
		State:   networkState(w.machine, r.State),
		Nodes:   make([]rstate_msgs_msg.NodeResult, len(r.Nodes)),
		Elapsed: duration(r.Elapsed),
	}
	for i, n := range r.Nodes {
		out.Nodes[i] = nodeResult(n)
	}
	return out
}

// cutOff is the result of a goal that the end of the process overtook.
func (w *World) cutOff() *rstate_msgs_action.Transition_Result {
	return w.result(engine.Result{Outcome: engine.OutcomePreempted,
		Message: fmt.Sprintf("the goal did not end: %v", w.whyOver())})
}
