//go:build ros

package app

import (
	"context"
	"time"

	"rstate/internal/clean"
	"rstate/internal/httpapi"
	"rstate/internal/stepper"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// Trigger sets a trigger of the stepped loop of a simulation, or removes it.
func (s *Simulations) Trigger(_ context.Context, id string, number uint64, t *httpapi.Trigger) error {
	a, err := s.find(id)
	if err != nil {
		return err
	}
	if a.over() {
		return &httpapi.Rejected{Why: "simulation " + id + " has ended"}
	}
	set := stepper.Trigger{ID: number}
	if t != nil {
		set.Cycles, set.At, set.Want, set.Why = t.After, secondsOf(t.At), stepper.WantOf(t.Do), clean.Short(t.Reason)
	}
	if why := a.world.SetTrigger(set); why != "" {
		return &httpapi.Rejected{Why: why}
	}
	return nil
}

// secondsOf is a number of seconds as a duration. Simulated time does not reach the largest one.
func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// SetTrigger sets a trigger of the stepped loop, or removes it with the want None. Its errors are *NoDaemon, *Rejected, that of
// ctx, or another.
func (c *Client) SetTrigger(ctx context.Context, t stepper.Trigger) error {
	if _, err := c.State(ctx); err != nil {
		return err
	}
	client, err := rstate_msgs_srv.NewSetTriggerClient(c.node, c.daemon+"/set_trigger", nil)
	if err != nil {
		return &NoROS{err}
	}
	defer client.Close()
	offered := func() bool {
		ok, err := client.Available()
		return err == nil && ok
	}
	net, err := c.network(ctx)
	if err != nil {
		return err
	}
	if net.Loop == nil {
		return &Rejected{Text: "cannot set the trigger: the network file of " + c.daemon + " has no loop:, so nothing is stepped"}
	}
	if err := c.expect(ctx, "takes triggers", offered); err != nil {
		return err
	}
	req := rstate_msgs_srv.NewSetTrigger_Request()
	req.Id, req.Steps, req.Want, req.Reason = t.ID, t.Cycles, uint8(t.Want), t.Why
	req.At = builtin_interfaces_msg.Time{Sec: int32(t.At / time.Second), Nanosec: uint32(t.At % time.Second)}
	resp, err := insist(ctx, func(ctx context.Context) (*rstate_msgs_srv.SetTrigger_Response, error) {
		resp, _, err := client.Send(ctx, req)
		return resp, err
	})
	if err != nil {
		return err
	}
	if !resp.Success {
		return &Rejected{Text: "cannot set the trigger: " + resp.Message}
	}
	return nil
}
