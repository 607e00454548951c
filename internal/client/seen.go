//go:build ros

package client

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"rstate/internal/machine"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// began is when this process began, or its first image: see Client.Widen.
var began = cmp.Or(lookedSince(), time.Now())

// Began returns when this process began: the moment at which the person who started it asked for what it does.
func Began() time.Time { return began }

// rests returns the goal with the Seen on which it rests, which is the one that its person saw, or that of the state.
// If the client has first read that state long after its person asked, another client may have disarmed in between, and a
// goal that can arm is not sent: the error is *Rejected then.
func (c *Client) rests(ctx context.Context, g Goal, on *rstate_msgs_msg.InstanceState) (Goal, error) {
	if g.Seen != "" {
		return g, nil // the daemon refuses it if that is over
	}
	g.Seen = on.Seen
	waited := age(g.Asked, time.Now())
	if !tooLate(waited, g.Within) || !c.mayArm(ctx, g.Command) {
		return g, nil
	}
	return g, &Rejected{
		Text: fmt.Sprintf("cannot %s: it was not sent, because %s was first seen %v after you asked (--patience is %v), "+
			"and another client may have disarmed since; look with rstate status, then send it again", g.Command, c.daemon,
			waited.Round(10*time.Millisecond), g.Within),
		Legal: on.Legal,
	}
}

// mayArm reports whether a goal can arm in the machine of the daemon. If that cannot be learned, every goal can that does
// not lower each network.
func (c *Client) mayArm(ctx context.Context, command string) bool {
	soon, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	c.LearnMachine(soon)
	c.mu.Lock()
	defer c.mu.Unlock()
	return mayArm(c.ruler, machine.ReadWord(command))
}
