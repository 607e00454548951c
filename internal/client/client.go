//go:build ros

package client

import (
	"context"
	"fmt"
	"os"
	"path"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"go.uber.org/zap"

	"rstate/internal/machine"
	"rstate/internal/middleware"
	"rstate/internal/protocol"
	"rstate/internal/selftest"
	"rstate/internal/session"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
	rstate_msgs_srv "rstate/msgs/gen/rstate_msgs/srv"
)

// NoDaemon is the error of a client whose daemon is absent, has ended or is unresponsive.
type NoDaemon struct{ Text string }

func (e *NoDaemon) Error() string { return e.Text }

// Rejected is the error of a goal that the daemon rejected. Such a goal changes nothing.
type Rejected struct {
	Text  string
	Legal []string // the commands that are legal instead
}

func (e *Rejected) Error() string { return e.Text }

// Client speaks with one daemon, as any other program could: over its action and its state topic.
type Client struct {
	// Patience is how long the client waits for an unresponsive daemon. Set it before using the
	// client.
	Patience time.Duration
	// Waits, if not nil, receives what the client waits for when that takes long. The client calls
	// it only while one of its methods runs.
	Waits func(string)
	// Widen, if not nil, is called with the beginning of the search when nothing answers at the place
	// where the daemon has noted that it listens. It starts the process over with LookEverywhere in its
	// environment, because the middleware reads its profile once in a process, and returns only if that
	// is not possible. The client is closed then.
	Widen func(began time.Time) error

	session *session.Session
	node    *rclgo.Node
	daemon  string // full name of its ROS node
	action  *rstate_msgs_action.TransitionClient
	history *rstate_msgs_srv.HistoryClient // nil: not asked for yet

	widenIn time.Duration // of Widen; 0: see widenAt

	began time.Time // the search for the daemon, by an earlier image of this process; zero: by this one

	mu     sync.Mutex
	state  *rstate_msgs_msg.InstanceState // the newest
	pulse  middleware.Pulse
	change chan struct{}    // closed and replaced when one of them changes
	sights *[]Sight         // for Watch; nil: Watch is not running
	origin string           // the state in which the network rested when a goal was sent
	ruler  *machine.Machine // the daemon's machine; nil: not known
}

// New makes a client of the daemon of that name. It does not look for it yet.
func New(daemon string, rosArgs []string, log *zap.Logger) (*Client, error) {
	return newClient(daemon, rosArgs, log, false)
}

// NewBrief makes a client for one goal or question. If the daemon runs on this host, the
// client discovers the daemon alone, and no other process discovers the client: many clients at
// once then cost the robot's nodes nothing. If the daemon starts again meanwhile, the client does
// not find the new process. See Client.Widen for a daemon that does not answer there.
func NewBrief(daemon string, rosArgs []string, log *zap.Logger) (*Client, error) {
	return newClient(daemon, rosArgs, log, true)
}

func newClient(daemon string, rosArgs []string, log *zap.Logger, brief bool) (*Client, error) {
	s, err := session.OpenToAsk(rosArgs, log)
	if err != nil {
		return nil, err
	}
	c := &Client{session: s, daemon: path.Join("/", daemon), change: make(chan struct{}), Patience: Patience}
	if c.began = lookedSince(); brief && c.began.IsZero() {
		s.LookOnlyFor(c.daemon)
	}
	if err := c.build(); err != nil {
		s.End()
		return nil, err
	}
	return c, nil
}

func (c *Client) build() (err error) {
	if c.node, err = c.session.Node(fmt.Sprintf("rstate_client_%d", os.Getpid()), ""); err != nil {
		return err
	}
	actionOpts := rclgo.NewDefaultActionClientOptions()
	// A short goal is over before the daemon has found our end of its feedback: latched, it comes
	// all the same.
	actionOpts.FeedbackTopicQos.Depth = protocol.FeedbackDepth
	actionOpts.FeedbackTopicQos.Durability = rclgo.DurabilityTransientLocal
	if c.action, err = rstate_msgs_action.NewTransitionClient(c.node, c.daemon+"/transition", actionOpts); err != nil {
		return &session.NoROS{Cause: err}
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, sightDepth
	opts.Qos.Liveliness, opts.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, trust
	sub, err := rstate_msgs_msg.NewInstanceStateSubscription(c.node, c.daemon+"/state", opts, c.heard)
	if err != nil {
		return &session.NoROS{Cause: err}
	}
	if err := sub.OnLivelinessChanged(c.lives); err != nil && !selftest.Unsupported(err) {
		return &session.NoROS{Cause: err}
	}
	c.session.Serve()
	c.session.AtEnd("watch over the daemon", c.startAging())
	return nil
}

// Close ends the client.
func (c *Client) Close() { c.session.End() }

func (c *Client) heard(msg *rstate_msgs_msg.InstanceState, _ *rclgo.MessageInfo, err error) {
	if err != nil {
		return
	}
	c.note(func() {
		if c.state != nil && msg.InstanceId != c.state.InstanceId {
			c.pulse = middleware.Pulse{} // what the one before has repeated says nothing of this one
		}
		before, again := c.pulse.Alive, repeats(c.state, msg)
		c.pulse.Heard(again)
		switch {
		case !again:
			c.state = msg
			c.sight(Sight{State: msg, Alive: true})
		case !before: // the same again is a sign of life
			c.sight(Sight{Alive: true})
		}
	})
}

// repeats reports whether a message of a daemon is the same as the one before.
func repeats(before, now *rstate_msgs_msg.InstanceState) bool {
	return before != nil && now.InstanceId == before.InstanceId && now.Stamp == before.Stamp &&
		now.Stamp != builtin_interfaces_msg.Time{}
}

func (c *Client) lives(l rclgo.LivelinessChanged) {
	c.note(func() {
		before := c.pulse.Alive
		if c.pulse.Event(l.AliveCount); c.pulse.Alive != before {
			c.sight(Sight{Alive: c.pulse.Alive})
		}
	})
}

// startAging lets the age of the newest message decide where no liveliness event fires, for a daemon that repeats
// it. The caller calls stop at the end.
func (c *Client) startAging() (stop func() error) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		look := time.NewTicker(middleware.Look)
		defer look.Stop()
		for {
			select {
			case <-over:
				return
			case <-look.C:
				c.age()
			}
		}
	}()
	return func() error {
		close(over)
		<-ended
		return nil
	}
}

func (c *Client) age() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pulse.Tick() {
		c.sight(Sight{})
		c.changed()
	}
}

func (c *Client) note(what func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what()
	c.changed()
}

// changed wakes what waits. The caller holds mu.
func (c *Client) changed() {
	close(c.change)
	c.change = make(chan struct{})
}

// until waits until holds says true of what is known.
func (c *Client) until(ctx context.Context, holds func(state *rstate_msgs_msg.InstanceState, alive bool) bool) error {
	for {
		c.mu.Lock()
		state, alive, change := c.state, c.pulse.Alive, c.change
		c.mu.Unlock()
		if holds(state, alive) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-change:
		}
	}
}
