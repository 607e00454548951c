//go:build ros

package rosnet

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/coordinator"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/network"
	lifecycle_msgs_msg "rstate/msgs/gen/lifecycle_msgs/msg"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	std_srvs_srv "rstate/msgs/gen/std_srvs/srv"
)

// setBool is the one type of arming call that is spoken so far.
const setBool = "std_srvs/srv/SetBool"

// remote is our side of one node of the network: clients, its events, and what is known of its
// process.
type remote struct {
	w    *World
	i    int // the node's place in the network
	spec *network.Node

	// nil where the node is a plain one
	getState    *lifecycle_msgs_srv.GetStateClient
	changeState *lifecycle_msgs_srv.ChangeStateClient
	events      *lifecycle_msgs_msg.TransitionEventSubscription
	eventTopic  string

	armer    *std_srvs_srv.SetBoolClient // nil where there is nothing to arm
	disarmer *std_srvs_srv.SetBoolClient // the same service; a disarm waits for no other request

	reads, changes, arms, disarms flight
	saidYes                       time.Time // when it first confirmed a disarm of disarmNow beside an open arm

	presence presence
	servers  servers
	reports  reports
	child    child
	unsafe   []string                   // as posted last; watcher only
	broken   atomic.Pointer[brokenBond] // nil: its bond has not broken
	epochMu  sync.Mutex
	epochs   map[rclgo.GID]uint64 // of the writers of its events that live
}

// openRemote makes the clients and the subscription of node i, all up front: none is made while a
// network runs.
func (w *World) openRemote(i int) (*remote, error) {
	spec := &w.net.Nodes[i]
	r := &remote{w: w, i: i, spec: spec, epochs: map[rclgo.GID]uint64{}}
	if spec.Lifecycle {
		if err := r.openLifecycle(); err != nil {
			return nil, fmt.Errorf("cannot reach node %q: %w", spec.Name, err)
		}
	}
	if spec.Arm != nil {
		if err := r.openArm(); err != nil {
			return nil, fmt.Errorf("cannot arm node %q: %w", spec.Name, err)
		}
	}
	if err := r.openReports(); err != nil {
		return nil, fmt.Errorf("cannot hear the reports of node %q: %w", spec.Name, err)
	}
	return r, nil
}

func (r *remote) openLifecycle() (err error) {
	node, name := r.w.node, r.spec.Name
	if r.getState, err = lifecycle_msgs_srv.NewGetStateClient(node, name+"/get_state", nil); err != nil {
		return err
	}
	r.w.owns(r.getState.Close)
	if r.changeState, err = lifecycle_msgs_srv.NewChangeStateClient(node, name+"/change_state", nil); err != nil {
		return err
	}
	r.w.owns(r.changeState.Close)
	r.eventTopic = name + "/transition_event"
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Depth = 100 // a node that is taken through its life at once speaks often
	r.events, err = lifecycle_msgs_msg.NewTransitionEventSubscription(node, r.eventTopic, opts, r.heard)
	if err != nil {
		return err
	}
	r.w.owns(r.events.Close)
	return nil
}

func (r *remote) openArm() (err error) {
	if r.spec.Arm.Type != setBool {
		return fmt.Errorf("a service of type %s cannot be called yet; use %s", r.spec.Arm.Type, setBool)
	}
	if r.armer, err = std_srvs_srv.NewSetBoolClient(r.w.node, r.spec.Arm.Service, nil); err != nil {
		return err
	}
	r.w.owns(r.armer.Close)
	if r.disarmer, err = std_srvs_srv.NewSetBoolClient(r.w.node, r.spec.Arm.Service, nil); err != nil {
		return err
	}
	r.w.owns(r.disarmer.Close)
	return nil
}

// heard takes a transition event. Its own goroutine, events in order.
func (r *remote) heard(msg *lifecycle_msgs_msg.TransitionEvent, info *rclgo.MessageInfo, err error) {
	if err != nil {
		r.w.log.Warn("cannot read a transition event", zap.String("node", r.spec.Name), zap.Error(err))
		return
	}
	epoch := r.epochOf(info.PublisherGID)
	if epoch == 0 {
		r.w.lookAgain() // a writer that we have not seen in the graph yet
	}
	r.w.post(engine.EventHeard{
		Node: r.i, Epoch: epoch, From: stateOf(&msg.StartState), To: stateOf(&msg.GoalState),
	})
}

// epochOf returns the epoch of the writer of a message; 0: it is not known. Where messages do not carry
// the GIDs of the graph, it is known while only one process bears the node's name.
func (r *remote) epochOf(writer rclgo.GID) uint64 {
	r.epochMu.Lock()
	defer r.epochMu.Unlock()
	if !r.w.able().GIDs && len(r.epochs) == 1 {
		for _, epoch := range r.epochs {
			return epoch
		}
	}
	return r.epochs[writer]
}

// stateOf reads a state: the label decides, the id stands in for one that we do not know.
func stateOf(s *lifecycle_msgs_msg.State) lifecycle.State {
	if state, ok := lifecycle.Parse(s.Label); ok {
		return state
	}
	return lifecycle.State(s.Id)
}

// read asks for the state. Coordinator's goroutine only, as are change and arm.
func (r *remote) read(ticket uint64) {
	if r.shares() {
		r.readAll(ticket)
		return
	}
	r.request(&r.reads, "get_state", anyTime, func(q *request) error {
		resp, err := send[*lifecycle_msgs_srv.GetState_Response](q, r.getState.Client,
			lifecycle_msgs_srv.NewGetState_Request())
		if err != nil {
			return err
		}
		r.w.post(engine.StateRead{Node: r.i, Ticket: ticket, State: stateOf(&resp.CurrentState)})
		return nil
	})
}

// change asks for a transition, by id and by label: the label decides where both are read.
func (r *remote) change(call uint64, t lifecycle.Transition) {
	ready := anyTime
	if t == lifecycle.Configure || t == lifecycle.Activate {
		ready = r.w.fresh(false)
	}
	r.request(&r.changes, "change_state", ready, func(q *request) error {
		req := lifecycle_msgs_srv.NewChangeState_Request()
		req.Transition.Id, req.Transition.Label = t.ID, t.Label
		resp, err := send[*lifecycle_msgs_srv.ChangeState_Response](q, r.changeState.Client, req)
		if err != nil {
			return err
		}
		r.w.post(engine.CallAnswered{Node: r.i, Call: call, Success: resp.Success})
		return nil
	})
}

// arm arms or disarms. A disarm goes its own way, and what was to arm and has not left yet never
// does.
func (r *remote) arm(call uint64, on bool) {
	way, client := &r.arms, r.armer
	ready := r.w.fresh(true) // the lease that is published for it leaves first
	if !on {
		r.arms.recall()
		r.w.out.leases.Clear()
		way, client, ready = &r.disarms, r.disarmer, anyTime
	}
	r.request(way, r.spec.Arm.Service, ready, func(q *request) error {
		req := std_srvs_srv.NewSetBool_Request()
		req.Data = on
		resp, err := send[*std_srvs_srv.SetBool_Response](q, client.Client, req)
		if err != nil {
			return err
		}
		r.w.post(engine.ArmAnswered{Node: r.i, Call: call, Arm: on, Success: resp.Success, Message: resp.Message})
		return nil
	})
}

// request runs one call on a goroutine of its own. A call without an answer is no input: silence is
// what the engine has its deadlines for.
func (r *remote) request(f *flight, what string, ready func(context.Context) bool, call func(*request) error) {
	req := f.begin(r.w.ctx)
	r.w.goes(func() {
		defer f.end(req)
		if !req.turn() {
			return
		}
		if !ready(req.ctx) {
			if req.ctx.Err() == nil {
				r.w.log.Warn("a request was not sent: it was too old when it could leave",
					zap.String("node", r.spec.Name), zap.String("request", what))
			}
			return
		}
		if err := call(req); err != nil && req.ctx.Err() == nil {
			r.w.log.Warn("a request got no answer", zap.String("node", r.spec.Name), zap.String("request", what),
				zap.Error(err))
		}
	})
}

// anyTime is ready for requests that may leave late.
func anyTime(context.Context) bool { return true }

// fresh returns what reports, right before a request that raises is sent, whether it is still young
// enough. If it follows what is published, it waits for that, and is not sent while the middleware
// is stuck.
func (w *World) fresh(leased bool) func(context.Context) bool {
	decided, mark, term := coordinator.BootTime(), w.out.box.Mark(), w.out.term
	return func(ctx context.Context) bool {
		if leased && !(w.out.box.Wait(ctx, mark) && w.out.said(term)) { // what waits too long never leaves
			return false
		}
		return coordinator.BootTime()-decided <= engine.Stall
	}
}

// disarmNow is the last word to a node of an instance that broke down. No request to arm leaves after it. It reports
// whether the node is known to be disarmed (A3): while a request to arm may be on its way, that takes a second yes, after
// the answer to that request or once the node has settled.
func (r *remote) disarmNow(ctx context.Context) bool {
	r.arms.close()
	arming := r.arms.busy()
	if !r.confirms(ctx) {
		return false
	}
	if !arming {
		return true
	}
	if r.saidYes.IsZero() {
		r.saidYes = time.Now()
	}
	look := time.NewTicker(lookAgainIn)
	defer look.Stop()
	for r.arms.busy() && time.Since(r.saidYes) < r.spec.Arm.Settles {
		select {
		case <-ctx.Done():
			r.w.log.Error("a node may stay armed: a request to arm it is still open", zap.String("node", r.spec.Name))
			return false
		case <-look.C:
		}
	}
	return r.confirms(ctx)
}

// confirms asks the node to disarm.
func (r *remote) confirms(ctx context.Context) bool {
	resp, _, err := r.disarmer.Send(ctx, std_srvs_srv.NewSetBool_Request())
	switch {
	case err != nil:
		r.w.log.Error("a node may stay armed: it does not confirm", zap.String("node", r.spec.Name), zap.Error(err))
	case !resp.Success:
		r.w.log.Error("a node may stay armed: it refuses to disarm", zap.String("node", r.spec.Name),
			zap.String("answer", resp.Message))
	}
	return err == nil && resp.Success
}
