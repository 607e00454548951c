//go:build ros

package factory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/httpapi"
	"rstate/internal/machine"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// requestDepth is how many requests of a service wait to be taken. Of ROS's default, 10, a client that
// removes all simulations at once loses most requests.
const requestDepth = 1000

// offer offers the services of the factory. A creation or removal takes its time, so each is answered
// from a goroutine of its own.
func (f *Factory) offer() error {
	opts := rclgo.NewDefaultServiceOptions()
	opts.Qos.Depth = requestDepth
	create, err := rstate_msgs_srv.NewCreateSimulationService(f.node, "~/create_simulation", opts,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.CreateSimulation_Request,
			to rstate_msgs_srv.CreateSimulationServiceResponseSender) {
			f.tasks.Go(func() { _ = to.SendResponse(f.created(req)) }) // an error means that the client has left
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/create_simulation: %w", err)
	}
	f.session.AtEnd("~/create_simulation", create.Close)
	remove, err := rstate_msgs_srv.NewRemoveSimulationService(f.node, "~/remove_simulation", opts,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.RemoveSimulation_Request,
			to rstate_msgs_srv.RemoveSimulationServiceResponseSender) {
			f.tasks.Go(func() { _ = to.SendResponse(f.removed(req)) })
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/remove_simulation: %w", err)
	}
	f.session.AtEnd("~/remove_simulation", remove.Close)
	list, err := rstate_msgs_srv.NewListSimulationsService(f.node, "~/list_simulations", opts,
		func(_ *rclgo.ServiceInfo, _ *rstate_msgs_srv.ListSimulations_Request,
			to rstate_msgs_srv.ListSimulationsServiceResponseSender) {
			_ = to.SendResponse(f.listed())
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/list_simulations: %w", err)
	}
	f.session.AtEnd("~/list_simulations", list.Close)
	return nil
}

// overROS names a client of the services for the history: ROS does not name the caller of a service.
const overROS = "a client over ROS"

// created answers a creation. A panic fails this creation alone.
func (f *Factory) created(req *rstate_msgs_srv.CreateSimulation_Request) (resp *rstate_msgs_srv.CreateSimulation_Response) {
	resp = rstate_msgs_srv.NewCreateSimulation_Response()
	defer func() {
		if p := recover(); p != nil {
			resp.Success, resp.Message = false, f.panicked("the creation", p).Error()
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), madeInROS)
	defer cancel()
	s, err := f.Create(ctx, overROS, httpapi.Creation{Experiment: req.Experiment, ID: req.Simulation, Owner: req.Owner})
	if err != nil {
		resp.Message = err.Error()
		return resp
	}
	resp.Success, resp.Message = true, madeWords(s)
	resp.Simulation, resp.Name, resp.InstanceId = s.ID, s.Name, s.Run
	return resp
}

// madeWords tells the client of a creation what was made. Nodes that are missing do not make it a failure.
func madeWords(s httpapi.Simulation) string {
	words := fmt.Sprintf("simulation %s was made, as %s; its network is %s", s.ID, s.Name, s.State)
	switch {
	case s.State == machine.Unknown:
		words = fmt.Sprintf("simulation %s was made, as %s; the state of its network is not known yet", s.ID, s.Name)
	case !s.Settled:
		words += " and on its way to " + s.Target
	case !s.Intact && !s.Ended:
		words += ", but not intact"
	}
	if s.Cause != "" && (!s.Intact || s.Ended) {
		words += ": " + s.Cause
	}
	return words
}

func (f *Factory) removed(req *rstate_msgs_srv.RemoveSimulation_Request) (resp *rstate_msgs_srv.RemoveSimulation_Response) {
	resp = rstate_msgs_srv.NewRemoveSimulation_Response()
	defer func() {
		if p := recover(); p != nil {
			resp.Success, resp.Message = false, f.panicked("the removal", p).Error()
		}
	}()
	switch req.OnExit {
	case "", "disarm", "leave", "shutdown":
	default:
		resp.Message = fmt.Sprintf("on_exit cannot be %q; write disarm, leave or shutdown, or leave it empty",
			req.OnExit)
		return resp
	}
	err := f.Remove(context.Background(), req.Simulation, overROS,
		httpapi.Removal{OnExit: req.OnExit, Reason: req.Reason})
	if errors.Is(err, httpapi.ErrUnknown) {
		resp.Message = fmt.Sprintf("there is no simulation %q; rstate sim list shows all", req.Simulation)
		return resp
	}
	if resp.Success = err == nil; err != nil {
		resp.Message = err.Error()
		return resp
	}
	resp.Message = fmt.Sprintf("simulation %s has ended", req.Simulation)
	return resp
}

func (f *Factory) listed() *rstate_msgs_srv.ListSimulations_Response {
	resp := rstate_msgs_srv.NewListSimulations_Response()
	for _, a := range f.all.Apps() {
		s := a.View()
		state, _ := a.Network().Machine.State(s.State)
		info := rstate_msgs_msg.SimulationInfo{
			Simulation: s.ID, Name: s.Name, InstanceId: s.Run, Machine: s.Machine, Owner: s.Owner, Intact: s.Intact,
			State:   rstate_msgs_msg.State{Id: state.ID, Label: s.State},
			Created: builtin_interfaces_msg.Time{Sec: int32(s.Created.Unix()), Nanosec: uint32(s.Created.Nanosecond())},
		}
		if s.Ended {
			info.Cause = cmp.Or(s.Cause, "it has ended")
			if len(s.MayBeArmed) > 0 {
				info.Cause += "; may be armed: " + strings.Join(s.MayBeArmed, ", ")
			}
		}
		resp.Simulations = append(resp.Simulations, info)
	}
	return resp
}
