//go:build ros

package client

import (
	"context"
	"fmt"

	"rstate/internal/machine"
	"rstate/internal/network"
	"rstate/internal/session"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// Machine asks the daemon for its machine.
func (c *Client) Machine(ctx context.Context) (*machine.Machine, error) {
	net, err := c.network(ctx)
	if err != nil {
		return nil, err
	}
	return net.Machine, nil
}

// network asks the daemon for its network.
func (c *Client) network(ctx context.Context) (*network.Network, error) {
	client, err := rstate_msgs_srv.NewGetNetworkClient(c.node, c.daemon+"/get_network", nil)
	if err != nil {
		return nil, &session.NoROS{Cause: err}
	}
	defer client.Close()
	if err := c.expect(ctx, "answers ~/get_network", func() bool {
		ok, err := client.Available()
		return err == nil && ok
	}); err != nil {
		return nil, err
	}
	resp, err := session.Insist(ctx, func(ctx context.Context) (*rstate_msgs_srv.GetNetwork_Response, error) {
		resp, _, err := client.Send(ctx, rstate_msgs_srv.NewGetNetwork_Request())
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	net, err := network.Parse(resp.File, []byte(resp.Network))
	if err != nil {
		return nil, fmt.Errorf("cannot read the network of %s: %w", c.daemon, err)
	}
	return net, nil
}
