//go:build ros

package client

import (
	"context"

	"rstate/internal/session"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// Acknowledge acknowledges all stops that the daemon knows, in the name of a person; without one it names this
// process. It returns what was acknowledged. Its errors are *NoDaemon, *Rejected, that of ctx, or another.
func (c *Client) Acknowledge(ctx context.Context, who, authority string) (string, error) {
	if _, err := c.State(ctx); err != nil {
		return "", err
	}
	client, err := rstate_msgs_srv.NewAcknowledgeClient(c.node, c.daemon+"/acknowledge", nil)
	if err != nil {
		return "", &session.NoROS{Cause: err}
	}
	defer client.Close()
	net, err := c.network(ctx)
	if err != nil {
		return "", err
	}
	if !net.Machine.CanArm() {
		return "", &Rejected{Text: "cannot acknowledge: nothing can be armed in the network of " + c.daemon}
	}
	if err := c.expect(ctx, "takes acknowledgements", func() bool {
		ok, err := client.Available()
		return err == nil && ok
	}); err != nil {
		return "", err
	}
	req := rstate_msgs_srv.NewAcknowledge_Request()
	req.Who, req.Authority = thisProcess(), authority
	if who != "" {
		req.Who = who + ", " + req.Who
	}
	// A request that is carried out twice would be answered with a no.
	resp, err := session.AskOnce(ctx, func(ctx context.Context) (any, error) { return c.network(ctx) },
		func(ctx context.Context) (*rstate_msgs_srv.Acknowledge_Response, error) {
			ctx, cancel := context.WithTimeout(ctx, c.Patience)
			defer cancel()
			resp, _, err := client.Send(ctx, req)
			return resp, err
		})
	if err != nil {
		return "", err
	}
	if !resp.Success {
		return "", &Rejected{Text: "cannot acknowledge: " + resp.Message}
	}
	return resp.Message, nil
}
