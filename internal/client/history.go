//go:build ros

package client

import (
	"context"
	"errors"
	"time"

	"rstate/internal/journal"
	"rstate/internal/session"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// historyIn is how long a daemon that was found has to read its journal.
const historyIn = 15 * time.Second

// findHistory waits until the history of the daemon can be asked for.
func (c *Client) findHistory(ctx context.Context) (err error) {
	if c.history == nil {
		if c.history, err = rstate_msgs_srv.NewHistoryClient(c.node, c.daemon+"/history", nil); err != nil {
			return &session.NoROS{Cause: err}
		}
	}
	return c.expect(ctx, "tells its history", func() bool {
		ok, err := c.history.Available()
		return err == nil && ok
	})
}

// History asks the daemon for lines of its journal, of those that the filter wants the newest. It also
// returns what there is to say about the journal. Its errors are *NoDaemon, that of ctx, or another if
// the daemon cannot read its journal.
func (c *Client) History(ctx context.Context, f journal.Filter) (lines []journal.Line, said string, err error) {
	if _, err := c.State(ctx); err != nil {
		return nil, "", err
	}
	if err := c.findHistory(ctx); err != nil {
		return nil, "", err
	}
	req := rstate_msgs_srv.NewHistory_Request()
	req.Last, req.Node, req.Lines, req.Kind = uint32(f.Last), f.Node, true, f.Kind.Group()
	if !f.Since.IsZero() {
		req.Since = builtin_interfaces_msg.Time{Sec: int32(f.Since.Unix()), Nanosec: uint32(f.Since.Nanosecond())}
	}
	soon, cancel := context.WithTimeout(ctx, historyIn)
	defer cancel()
	resp, err := session.Insist(soon, func(ctx context.Context) (*rstate_msgs_srv.History_Response, error) {
		resp, _, err := c.history.Send(ctx, req)
		return resp, err
	})
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return nil, "", &NoDaemon{"cannot read the journal of " + c.daemon + ": it does not answer on " + c.daemon +
			"/history"}
	case !resp.Success:
		return nil, "", errors.New(resp.Message)
	}
	for _, e := range resp.Entries {
		if l, err := journal.ParseLine(e.Line); err == nil {
			lines = append(lines, l)
		}
	}
	return f.Of(lines), resp.Message, nil
}
