//go:build ros

package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
	"go.uber.org/zap"

	"rstate/internal/engine"
	"rstate/internal/rosnet"
	action_msgs_srv "rstate/msgs/gen/action_msgs/srv"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

const (
	// findIn is how long a client looks for its daemon.
	findIn = 5 * time.Second
	// findStep is how often it looks.
	findStep = 20 * time.Millisecond
	// trust is how long a daemon may be silent before a client gives it up; the daemon renews its life far more often.
	trust = time.Second
	// restIn is how long feedback that the result has overtaken may still be on its way.
	restIn = 300 * time.Millisecond
	// lastWord is how long the answer of a daemon that has gone may still be on its way.
	lastWord = time.Second
)

// NoDaemon is the error of a client whose daemon is not there, or not there any more.
type NoDaemon struct{ Text string }

func (e *NoDaemon) Error() string { return e.Text }

// Rejected is the error of a goal that was not taken; nothing has changed then.
type Rejected struct{ Text string }

func (e *Rejected) Error() string { return e.Text }

// Client speaks with one daemon, as any other program could: over its action and its state topic.
type Client struct {
	session *session
	node    *rclgo.Node
	daemon  string // full name of its ROS node
	action  *rstate_msgs_action.TransitionClient

	mu     sync.Mutex
	state  *rstate_msgs_msg.InstanceState // the newest
	alive  bool
	change chan struct{} // closed and replaced when one of them changes
	sights *[]Sight      // for who watches; nil: nobody does
}

// NewClient makes a client of the daemon of that name. It does not look for it yet.
func NewClient(daemon string, rosArgs []string, log *zap.Logger) (*Client, error) {
	s, err := open(rosArgs, log)
	if err != nil {
		return nil, err
	}
	c := &Client{session: s, daemon: path.Join("/", daemon), change: make(chan struct{})}
	if err := c.build(); err != nil {
		s.done.run(letGo)
		return nil, err
	}
	return c, nil
}

func (c *Client) build() (err error) {
	if c.node, err = c.session.node(fmt.Sprintf("rstate_client_%d", os.Getpid()), ""); err != nil {
		return err
	}
	actionOpts := rclgo.NewDefaultActionClientOptions()
	// A short goal is over before the daemon has found our end of its feedback: latched, it comes all the same.
	actionOpts.FeedbackTopicQos.Depth = rosnet.FeedbackDepth
	actionOpts.FeedbackTopicQos.Durability = rclgo.DurabilityTransientLocal
	if c.action, err = rstate_msgs_action.NewTransitionClient(c.node, c.daemon+"/transition", actionOpts); err != nil {
		return &NoROS{err}
	}
	opts := rclgo.NewDefaultSubscriptionOptions()
	opts.Qos.Durability, opts.Qos.Depth = rclgo.DurabilityTransientLocal, sightDepth
	opts.Qos.Liveliness, opts.Qos.LivelinessLeaseDuration = rclgo.LivelinessManualByTopic, trust
	sub, err := rstate_msgs_msg.NewInstanceStateSubscription(c.node, c.daemon+"/state", opts, c.heard)
	if err != nil {
		return &NoROS{err}
	}
	if err := sub.OnLivelinessChanged(c.lives); err != nil {
		return &NoROS{err}
	}
	c.session.serve()
	return nil
}

// Close ends the client.
func (c *Client) Close() { c.session.done.run(letGo) }

func (c *Client) heard(msg *rstate_msgs_msg.InstanceState, _ *rclgo.MessageInfo, err error) {
	if err == nil {
		c.note(func() {
			c.state, c.alive = msg, true
			c.sight(Sight{State: msg, Alive: true})
		})
	}
}

func (c *Client) lives(l rclgo.LivelinessChanged) {
	c.note(func() {
		if alive := l.AliveCount > 0; alive != c.alive {
			c.alive = alive
			c.sight(Sight{Alive: alive})
		}
	})
}

func (c *Client) note(what func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what()
	close(c.change)
	c.change = make(chan struct{})
}

// until waits until holds says true of what is known.
func (c *Client) until(ctx context.Context, holds func(state *rstate_msgs_msg.InstanceState, alive bool) bool) error {
	for {
		c.mu.Lock()
		state, alive, change := c.state, c.alive, c.change
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

// State returns the newest state that the daemon has published, waiting for the first one.
func (c *Client) State(ctx context.Context) (*rstate_msgs_msg.InstanceState, error) {
	looking, cancel := context.WithTimeout(ctx, findIn)
	defer cancel()
	err := c.until(looking, func(s *rstate_msgs_msg.InstanceState, _ bool) bool { return s != nil })
	if err != nil {
		return nil, c.notFound(ctx, "publishes its state")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, nil
}

// find waits until the daemon's action can be used.
func (c *Client) find(ctx context.Context) error {
	looking, cancel := context.WithTimeout(ctx, findIn)
	defer cancel()
	tick := time.NewTicker(findStep)
	defer tick.Stop()
	for {
		if ok, err := c.action.Available(); err == nil && ok {
			return nil
		}
		select {
		case <-looking.Done():
			return c.notFound(ctx, "takes goals")
		case <-tick.C:
		}
	}
}

// notFound says what was looked for, where, and what there is instead.
func (c *Client) notFound(ctx context.Context, what string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("stopped before %q was found: %w", c.daemon, ctx.Err())
	}
	text := fmt.Sprintf("cannot find %q: no daemon of that name %s within %v (%s); ", c.daemon, what, findIn, c.session.where())
	if others := c.others(); len(others) > 0 {
		return &NoDaemon{text + "there is " + strings.Join(others, ", ") + ": name it with --node"}
	}
	return &NoDaemon{text + "start one with rstate run FILE, in the same domain"}
}

// others lists the daemons that are there.
func (c *Client) others() []string {
	topics, err := c.node.GetTopicNamesAndTypes(true)
	if err != nil {
		return nil
	}
	var names []string
	for topic, kinds := range topics {
		name, ok := strings.CutSuffix(topic, "/state")
		if ok && name != c.daemon && slices.Contains(kinds, "rstate_msgs/msg/InstanceState") && c.published(topic) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (c *Client) published(topic string) bool {
	n, err := c.node.CountPublishers(topic)
	return err == nil && n > 0
}

// Goal is what a caller wants.
type Goal struct {
	Command, Reason, ID string
	Authority           string
	WaitPeers           bool
}

// Ending is how a goal ended, with its result.
type Ending struct {
	Status rclgo.GoalStatus
	Result *rstate_msgs_action.Transition_Result
}

// Send sees a goal through: it finds the daemon, sends the goal, hands on what comes back meanwhile, and returns how it
// ended. When f.Cancel is closed it asks once to cancel the goal, and goes on to wait for the end either way. Its errors are *NoDaemon, *Rejected, or that of ctx.
func (c *Client) Send(ctx context.Context, g Goal, f Following) (*Ending, error) {
	if err := c.find(ctx); err != nil {
		return nil, err
	}
	if _, err := c.State(ctx); err != nil { // its life can be watched from here on
		return nil, err
	}
	var id types.GoalID
	rand.Read(id[:]) // never fails
	following, stop := context.WithCancel(ctx)
	whole := make(chan struct{}, 1)
	watched := c.action.WatchFeedback(following, &id, func(_ context.Context, m *rstate_msgs_action.Transition_FeedbackMessage) {
		if f.Progress != nil {
			f.Progress(&m.Feedback)
		}
		offer(whole, m.Feedback.Done >= m.Feedback.Total)
	})
	var seeing sync.WaitGroup
	if f.State != nil {
		seeing.Go(func() {
			_ = c.Watch(following, func(s Sight) { // it ends when we do
				if s.State != nil {
					f.State(s.State)
				}
			})
		})
	}
	defer func() {
		stop()
		<-watched
		seeing.Wait()
	}()
	if err := c.ask(ctx, id, g); err != nil {
		return nil, err
	}
	end, err := c.follow(ctx, id, g.Command, f)
	if err == nil && end.Result.Outcome != string(engine.OutcomeAlready) {
		rest := time.NewTimer(restIn)
		defer rest.Stop()
		select {
		case <-whole:
		case <-rest.C:
		}
	}
	return end, err
}

// offer leaves a token in a channel of one, or takes it out.
func offer(token chan struct{}, there bool) {
	if there {
		select {
		case token <- struct{}{}:
		default:
		}
		return
	}
	select {
	case <-token:
	default:
	}
}

// Following is what a caller wants to know of a goal while it runs. Progress and State may be called until Send returns.
type Following struct {
	Progress func(*rstate_msgs_action.Transition_Feedback)
	State    func(*rstate_msgs_msg.InstanceState) // nil: it is not asked for
	Cancel   <-chan struct{}
	Answered func(accepted bool) // the cancel request was
}

// ask sends the goal and returns when it was accepted.
func (c *Client) ask(ctx context.Context, id types.GoalID, g Goal) error {
	req := rstate_msgs_action.NewTransition_SendGoal_Request()
	req.GoalID.UUID = id
	req.Goal.Command, req.Goal.Reason, req.Goal.ID = g.Command, g.Reason, g.ID
	req.Goal.Authority, req.Goal.WaitPeers = g.Authority, g.WaitPeers
	sent := time.Now()
	answered, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := c.watch(answered, cancel)
	resp, err := c.action.SendGoalRequest(answered, req)
	switch {
	case lost(), errors.Is(err, rclgo.ErrActionServerGone):
		return c.silent(g.Command)
	case err != nil:
		return err
	case !resp.Accepted:
		return &Rejected{c.whyRejected(ctx, g.Command, sent)}
	}
	return nil
}

// whyRejected finds the reason, which actions have no place for, in the state.
func (c *Client) whyRejected(ctx context.Context, command string, sent time.Time) string {
	soon, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	_ = c.until(soon, func(s *rstate_msgs_msg.InstanceState, _ bool) bool {
		return s != nil && s.Refusal != "" && !time.Unix(int64(s.Stamp.Sec), int64(s.Stamp.Nanosec)).Before(sent)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == nil || c.state.Refusal == "" {
		return fmt.Sprintf("cannot %s: %s rejected it and did not say why; look with rstate status", command, c.daemon)
	}
	return c.state.Refusal
}

// follow waits for the result.
func (c *Client) follow(ctx context.Context, id types.GoalID, command string, f Following) (*Ending, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := c.watch(waiting, cancel)
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() {
		select {
		case <-waiting.Done():
		case <-f.Cancel:
			if accepted := c.cancel(waiting, id); waiting.Err() == nil {
				f.Answered(accepted)
			}
		}
	})
	resp, err := c.action.GetResult(waiting, &id)
	cancel()
	switch {
	case err == nil:
		return &Ending{Status: rclgo.GoalStatus(resp.Status), Result: &resp.Result}, nil
	case lost(), errors.Is(err, rclgo.ErrActionServerGone):
		return nil, c.silent(command)
	}
	return nil, err
}

// cancel asks to cancel the goal and says whether that was accepted.
func (c *Client) cancel(ctx context.Context, id types.GoalID) bool {
	req := action_msgs_srv.NewCancelGoal_Request()
	req.GoalInfo.GoalID.UUID = id
	resp, err := c.action.CancelGoal(ctx, req)
	return err == nil && len(resp.GoalsCanceling) > 0
}

// watch calls gone when the daemon has fallen silent and has had time for a last word; lost says whether it has.
func (c *Client) watch(ctx context.Context, gone func()) (lost func() bool) {
	var mu sync.Mutex
	fell := false
	go func() {
		for ctx.Err() == nil {
			if c.until(ctx, func(s *rstate_msgs_msg.InstanceState, alive bool) bool { return s != nil && !alive }) != nil {
				return
			}
			word, cancel := context.WithTimeout(ctx, lastWord)
			err := c.until(word, func(_ *rstate_msgs_msg.InstanceState, alive bool) bool { return alive })
			cancel()
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				mu.Lock()
				fell = true
				mu.Unlock()
				gone()
			}
		}
	}()
	return func() bool {
		mu.Lock()
		defer mu.Unlock()
		return fell
	}
}

func (c *Client) silent(command string) error {
	return &NoDaemon{fmt.Sprintf("cannot follow %s: %s has fallen silent, and what became of it is not known; look with rstate status, start it again with rstate run", command, c.daemon)}
}
