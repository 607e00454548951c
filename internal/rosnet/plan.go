//go:build ros

package rosnet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"

	"rstate/internal/clean"
	"rstate/internal/engine"
	"rstate/internal/lifecycle"
	"rstate/internal/machine"
	"rstate/internal/plan"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// startPlan offers ~/plan: what a command would do now. Nothing is done.
func (w *World) startPlan() error {
	service, err := rstate_msgs_srv.NewPlanService(w.node, "~/plan", nil,
		func(_ *rclgo.ServiceInfo, req *rstate_msgs_srv.Plan_Request, to rstate_msgs_srv.PlanServiceResponseSender) {
			w.sent(to.SendResponse(w.planned(req.Command)))
		})
	if err != nil {
		return fmt.Errorf("cannot offer ~/plan: %w", err)
	}
	w.owns(service.Close)
	return nil
}

// planned plans from the newest snapshot. What is legal is the engine's to say, and stands in
// there.
func (w *World) planned(command string) *rstate_msgs_srv.Plan_Response {
	resp := rstate_msgs_srv.NewPlan_Response()
	s := w.newest.Load()
	if s == nil || s.Settled == "" {
		resp.Message = "the nodes have not all been read yet"
		return resp
	}
	name, isState, ok := w.machine.Command(machine.ReadWord(command))
	if !ok {
		resp.Message = fmt.Sprintf("%q is neither a command nor a state of machine %s; legal now: %s", command,
			w.machine.Name, strings.Join(s.Legal, ", "))
		return resp
	}
	path, to := []string{name}, name
	if isState {
		path, ok = w.machine.Path(s.Settled, name)
	} else {
		to = w.machine.Leaving(name, s.Settled).To
	}
	resp.Target = networkState(w.machine, to)
	there, _ := w.machine.State(to)
	why := w.unarmable(s, there)
	resp.Legal = ok && why == "" && s.Rests() && (len(path) == 0 || slices.Contains(s.Legal, path[0]))
	if why != "" {
		resp.Message = fmt.Sprintf("%s would not be taken: %s", command, why)
		return resp
	}
	if !resp.Legal {
		resp.Message = fmt.Sprintf("%s would not be taken in %s; legal now: %s", command, s.State,
			strings.Join(s.Legal, ", "))
		return resp
	}
	now := w.beliefs(*s)
	var longest time.Duration
	for _, leg := range plan.Ahead(w.net, s.Settled, now, path) {
		longest += leg.Plan.AtMost()
		resp.Steps = append(resp.Steps, w.steps(leg, now)...)
		for _, i := range leg.Plan.Missing {
			resp.Warnings = append(resp.Warnings, w.net.Nodes[i].Name+" is not there")
		}
		now = plan.At(w.net, leg.To)
	}
	resp.AtMost = duration(longest)
	resp.Message = fmt.Sprintf("%s, %v at the most", clean.Count(len(resp.Steps), "step"), longest)
	return resp
}

// beliefs are those of a snapshot, in the order of the file.
func (w *World) beliefs(s engine.Snapshot) []plan.Belief {
	list := make([]plan.Belief, len(s.Nodes))
	for i, n := range s.Nodes {
		armed := n.Armed == engine.IsArmed || n.Armed == engine.MayBeArmed
		list[i] = plan.Belief{Present: n.Present, State: n.State, Armed: armed}
	}
	return list
}

// steps puts a leg into the words of ~/plan, with where each node is when its step begins.
func (w *World) steps(leg plan.Leg, now []plan.Belief) []rstate_msgs_msg.PlanStep {
	at := make([]lifecycle.State, len(now))
	for i, b := range now {
		at[i] = b.State
	}
	var list []rstate_msgs_msg.PlanStep
	for _, s := range leg.Plan.Steps {
		step := rstate_msgs_msg.PlanStep{
			Command: leg.Command, Node: w.net.Nodes[s.Node].Name, Step: s.Do, Deadline: duration(s.Deadline),
			Optional:  !s.Required,
			FromState: nodeState(at[s.Node]),
		}
		// A step that arms moves no node.
		if goal := (lifecycle.Transition{Label: s.Do}).Target(); goal != lifecycle.Unknown {
			at[s.Node] = goal
		}
		step.ToState = nodeState(at[s.Node])
		for _, a := range s.After {
			step.After = append(step.After, w.net.Nodes[leg.Plan.Steps[a].Node].Name)
		}
		list = append(list, step)
	}
	return list
}
