//go:build ros

package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rstate/internal/session"
	lifecycle_msgs_srv "rstate/msgs/gen/lifecycle_msgs/srv"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// Until waits until the daemon publishes a state that holds, and returns it; or, with an error, the
// newest one when ctx is done, which is nil if there was none.
func (c *Client) Until(ctx context.Context,
	holds func(*rstate_msgs_msg.InstanceState) bool) (newest *rstate_msgs_msg.InstanceState, err error) {
	err = c.until(ctx, func(s *rstate_msgs_msg.InstanceState, _ bool) bool {
		newest = s
		return s != nil && holds(s)
	})
	return newest, err
}

// There returns those of the names, in full, that nodes in the graph have.
func (c *Client) There(names []string) (there []string) {
	found, namespaces, err := c.node.GetNodeNames()
	if err != nil {
		return nil
	}
	for i := range found {
		name := strings.TrimSuffix(namespaces[i], "/") + "/" + found[i]
		if slices.Contains(names, name) && !slices.Contains(there, name) {
			there = append(there, name)
		}
	}
	slices.Sort(there)
	return there
}

// ChangeState asks a node for a transition. The node's answer does not matter: the caller sees the result in the node's
// state.
func (c *Client) ChangeState(ctx context.Context, node, transition string) error {
	client, err := lifecycle_msgs_srv.NewChangeStateClient(c.node, node+"/change_state", nil)
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	defer client.Close()
	for {
		if ok, err := client.Available(); err != nil || ok {
			break // Send reports the error
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot change the state of %s: its service does not answer: %w", node, ctx.Err())
		case <-time.After(findStep):
		}
	}
	request := lifecycle_msgs_srv.NewChangeState_Request()
	request.Transition.Label = transition
	_, _, err = client.Send(ctx, request)
	return err
}
