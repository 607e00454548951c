//go:build ros

package client

import (
	"context"
	"time"

	"rstate/internal/session"
	"rstate/internal/stepper"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// SetTrigger sets a trigger of the stepped loop, or removes it with the want None. Its errors are *NoDaemon, *Rejected,
// that of ctx, or another.
func (c *Client) SetTrigger(ctx context.Context, t stepper.Trigger) error {
	if _, err := c.State(ctx); err != nil {
		return err
	}
	client, err := rstate_msgs_srv.NewSetTriggerClient(c.node, c.daemon+"/set_trigger", nil)
	if err != nil {
		return &session.NoROS{Cause: err}
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
		return &Rejected{Text: "cannot set the trigger: the network file of " + c.daemon +
			" has no loop:, so nothing is stepped"}
	}
	if err := c.expect(ctx, "takes triggers", offered); err != nil {
		return err
	}
	req := rstate_msgs_srv.NewSetTrigger_Request()
	req.Id, req.Steps, req.Want, req.Reason = t.ID, t.Cycles, uint8(t.Want), t.Why
	req.At = builtin_interfaces_msg.Time{Sec: int32(t.At / time.Second), Nanosec: uint32(t.At % time.Second)}
	resp, err := session.Insist(ctx, func(ctx context.Context) (*rstate_msgs_srv.SetTrigger_Response, error) {
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
