//go:build ros

package client

import (
	"context"
	"fmt"

	"rstate/internal/doctor"
	"rstate/internal/gather"
	"rstate/internal/session"
)

// Peers listens to the instances of a simulation, as any other node could. Its errors are *NoROS,
// or that of ctx.
func (c *Client) Peers(ctx context.Context, simulation string) (doctor.Circle, error) {
	test, err := c.session.Tested(c.node)
	if err != nil {
		return doctor.Circle{}, err
	}
	circle, err := gather.Peers(ctx, c.node, test.Abilities(), simulation)
	switch {
	case ctx.Err() != nil:
		return circle, fmt.Errorf("stopped before every peer was heard: %w", ctx.Err())
	case err != nil:
		return circle, &session.NoROS{Cause: err}
	}
	return circle, nil
}
