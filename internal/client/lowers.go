//go:build ros

package client

import (
	"context"
	"time"

	"rstate/internal/machine"
	"rstate/internal/network"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// askEvery is how long an answer to a request for the machine is awaited.
const askEvery = 500 * time.Millisecond

// Lowers reports whether a goal that is being sent lowers the network. It does not wait: if the
// daemon's machine is not known by now, only a disarm and a shutdown do.
func (c *Client) Lowers(command string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	origin := c.origin
	if origin == "" && c.state != nil {
		origin = restedIn(c.state)
	}
	return lowers(c.ruler, origin, machine.ReadWord(command))
}

// noteOrigin notes where the network rests, before a goal changes that.
func (c *Client) noteOrigin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.origin = restedIn(c.state)
}

// restedIn is the state in which the network rests, or rested last.
func restedIn(s *rstate_msgs_msg.InstanceState) string {
	if s.Settled || s.Progress.FromState.Label == "" {
		return s.State.Label
	}
	return s.Progress.FromState.Label
}

// LearnMachine learns which machine the daemon has: a preset is known by its hash, any other is
// asked for. It returns when it knows, or when ctx is done.
func (c *Client) LearnMachine(ctx context.Context) {
	var name, hash string
	err := c.until(ctx, func(s *rstate_msgs_msg.InstanceState, _ bool) bool {
		if s != nil {
			name, hash = s.Machine, s.MachineHash
		}
		return s != nil
	})
	if err != nil {
		return
	}
	m, err := machine.Preset(name)
	if err != nil || m.Hash() != hash {
		m = c.askMachine(ctx, hash)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ruler = m
}

// askMachine takes the machine from the network that the daemon describes; nil: it does not, or
// this version cannot read it.
func (c *Client) askMachine(ctx context.Context, hash string) *machine.Machine {
	client, err := rstate_msgs_srv.NewGetNetworkClient(c.node, c.daemon+"/get_network", nil)
	if err != nil {
		return nil
	}
	defer client.Close()
	for ctx.Err() == nil {
		once, cancel := context.WithTimeout(ctx, askEvery)
		answer, _, err := client.Send(once, rstate_msgs_srv.NewGetNetwork_Request())
		cancel()
		if err == nil {
			net, err := network.Parse(answer.File, []byte(answer.Network))
			if err != nil || net.Machine.Hash() != hash {
				return nil
			}
			return net.Machine
		}
		select { // a daemon that has not found this client yet does not answer
		case <-ctx.Done():
		case <-time.After(findStep):
		}
	}
	return nil
}
