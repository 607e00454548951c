//go:build ros

package rosnet

import (
	"fmt"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/engine"
	diagnostic_msgs_msg "rstate/msgs/gen/diagnostic_msgs/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// livelinessLease is how long a reader believes in an instance that is silent.
const livelinessLease = 500 * time.Millisecond

// outlets are the topics that this instance writes.
type outlets struct {
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

func (o *outlets) assert(log *zap.Logger, alone bool) {
	all := []*rclgo.Publisher{o.state.Publisher, o.change.Publisher, o.lease.Publisher}
	if !alone {
		all = append(all, o.peers.Publisher)
	}
	for _, p := range all {
		if err := p.AssertLiveliness(); err != nil {
			log.Warn("cannot renew liveliness", zap.String("topic", p.TopicName), zap.Error(err))
		}
	}
}

// Show publishes a snapshot. Coordinator's goroutine only.
func (w *World) Show(s engine.Snapshot) {
	w.newest.Store(&s)
	w.peers.proof(s.ProofAge, time.Now())
	if err := w.out.state.Publish(w.describe(s, time.Now())); err != nil {
		w.log.Error("cannot publish the state", zap.Error(err))
	}
	if w.face != nil {
		w.face.show(s)
	}
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
		InstanceID:  w.instance,
		Seen:        seenMessage(c.Seen),
		Machine:     w.machine.Name,
		MachineHash: w.hash,
		Cause:       c.Cause,
		Stamp:       stamp(time.Now()),
	}
	if err := w.out.change.Publish(msg); err != nil {
		w.log.Error("cannot publish a change", zap.String("change", c.String()), zap.Error(err))
	}
}

func (w *World) feedback(e engine.SendFeedback) *rstate_msgs_action.Transition_Feedback {
	return &rstate_msgs_action.Transition_Feedback{
		State: networkState(w.machine, e.State),
		Done:  uint32(e.Done),
		Total: uint32(e.Total),
		Last:  nodeResult(e.Last),
	}
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
	return w.result(engine.Result{Outcome: engine.OutcomePreempted, Message: "rstate ended before the goal did"})
}
