//go:build ros

package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"sync"
	"time"

	"github.com/tiiuae/rclgo/pkg/rclgo"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/protocol"
	action_msgs_srv "rstate/msgs/gen/action_msgs/srv"
	builtin_interfaces_msg "rstate/msgs/gen/builtin_interfaces/msg"
	rstate_msgs_action "rstate/msgs/gen/rstate_msgs/action"
	rstate_msgs_msg "rstate/msgs/gen/rstate_msgs/msg"
)

// longestID is how many bytes the id of a goal may have.
const longestID = 256

// Goal is what a caller wants.
type Goal struct {
	Command, Reason, ID string
	Authority           string
	Client              string // the requester's name in the history; empty: this user and process
	WaitPeers           bool
	Argument            string

	// A goal that can arm rests on what its person saw. Seen is that of ~/state at that moment; empty: as Send first reads
	// it. If Send first reads it later than Within after the person has Asked, because the link was down or no daemon was
	// there, it does not send the goal. Asked is zero for the call of Send, and Within for SeenWithin.
	Seen   string
	Asked  time.Time
	Within time.Duration
}

// Ending is how a goal ended, with its result.
type Ending struct {
	Status rclgo.GoalStatus
	Result *rstate_msgs_action.Transition_Result
}

// Send sees a goal through: it finds the daemon, sends the goal, hands on what comes back
// meanwhile, and returns how it ended. When f.Cancel is closed it asks once to cancel the goal, and
// goes on to wait for the end either way. Its errors are *NoDaemon, *Rejected, or that of ctx.
func (c *Client) Send(ctx context.Context, g Goal, f Following) (*Ending, error) {
	g = g.named()
	g, err := c.findFor(ctx, g, f.Cancel)
	if err != nil {
		return nil, err
	}
	c.noteOrigin()
	following, stop := context.WithCancel(ctx)
	steps := newStepsTold()
	progress := func(_ context.Context, m *rstate_msgs_action.Transition_FeedbackMessage) {
		if f.Progress != nil {
			oneByOne(&m.Feedback, f.Progress)
		}
		steps.note(&m.Feedback)
	}
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
		seeing.Wait()
	}()
	id, deaf, err := c.insist(ctx, g, progress)
	defer deaf()
	if err != nil {
		return nil, err
	}
	if f.Taken != nil {
		f.Taken(g.ID)
	}
	end, err := c.follow(ctx, id, g.Command, f)
	if err == nil && f.Progress != nil && end.Result.Outcome != rstate_msgs_action.Transition_Result_OUTCOME_ALREADY {
		steps.await(ctx, end.Result.Nodes)
	}
	return end, err
}

// findFor waits for the daemon until cancel is closed: before the goal is sent there is nothing to
// cancel. It returns the goal with what it rests on.
func (c *Client) findFor(ctx context.Context, g Goal, cancel <-chan struct{}) (Goal, error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	go func() {
		select {
		case <-cancel:
			leave()
		case <-ctx.Done():
		}
	}()
	// From here on the client follows the daemon's liveliness.
	c.widenIn = g.Within / 2
	seen, err := c.State(ctx)
	if err != nil {
		return g, err
	}
	if g, err = c.rests(ctx, g, seen); err != nil {
		return g, err
	}
	return g, c.find(ctx)
}

// askResultAtMost bounds the growing pause between two requests for one result.
const askResultAtMost = 30 * time.Second

// result asks for the result of a goal until an answer comes. The middleware of a server drops an
// answer if it has not discovered the client's reader within 100 ms, so one request is not enough.
// The server answers all requests.
func (c *Client) result(ctx context.Context, id types.GoalID) (*rstate_msgs_action.Transition_GetResult_Response,
	error) {
	type answer struct {
		resp *rstate_msgs_action.Transition_GetResult_Response
		err  error
	}
	asking, stop := context.WithCancel(ctx)
	var requests sync.WaitGroup
	defer requests.Wait()
	defer stop()
	answers := make(chan answer)
	for pause := silentFor; ; pause = min(2*pause, askResultAtMost) {
		requests.Go(func() {
			resp, err := c.action.GetResult(asking, &id)
			select {
			case answers <- answer{resp, err}:
			case <-asking.Done():
			}
		})
		again := time.NewTimer(pause)
		select {
		case a := <-answers:
			again.Stop()
			return a.resp, a.err
		case <-ctx.Done():
			again.Stop()
			return nil, ctx.Err()
		case <-again.C:
		}
	}
}

// Following is what a caller wants to know of a goal while it runs. Progress and State may be
// called until Send returns.
type Following struct {
	Progress func(*rstate_msgs_action.Transition_Feedback)
	State    func(*rstate_msgs_msg.InstanceState) // nil: it is not asked for
	Taken    func(id string)                      // the goal was accepted, under that id; nil: it is not asked for
	Cancel   <-chan struct{}
	Answered func(accepted bool) // the cancel request was
}

// named returns the goal with an id, so that it can be sent again, with the name of its client, and with the moment at
// which its person asked.
func (g Goal) named() Goal {
	// The daemon drops a longer ID. Then the goal could run twice.
	if g.ID == "" || len(g.ID) > longestID {
		g.ID = "send " + rand.Text()
	}
	if g.Client == "" {
		g.Client = thisProcess()
	}
	g.Asked, g.Within = cmp.Or(g.Asked, time.Now()), cmp.Or(g.Within, SeenWithin)
	return g
}

// insist sends the goal until it is answered, and returns the id under which it was taken. A
// request can be lost, or reach only a daemon that was killed a moment ago and still counts as
// there, while another has taken its place. So it is sent again after a while; since all bear the
// same id of the caller's, nothing runs twice. deaf ends the hearing of feedback.
func (c *Client) insist(ctx context.Context, g Goal, progress feedback) (id types.GoalID, deaf func(), err error) {
	began := time.Now()
	var earlier []types.GoalID // requests without an answer
	for {
		_, _ = rand.Read(id[:]) // never fails
		hearing, stop := context.WithCancel(ctx)
		heard := c.action.WatchFeedback(hearing, &id, progress)
		deaf = func() { stop(); <-heard }
		taken, err := c.ask(ctx, id, g)
		if first, ended := c.endedOf(ctx, earlier, err); ended {
			return first, deaf, nil
		}
		if taken || err != nil {
			return id, deaf, err
		}
		deaf()
		earlier = append(earlier, id)
		if time.Since(began) >= c.Patience {
			return id, deaf, &NoDaemon{fmt.Sprintf("cannot send %s: %s lives, but has not answered for %v; it may have taken the goal all the same: look with rstate status",
				g.Command, c.daemon, c.Patience)}
		}
		c.waits("%s has not answered %s for %v; it is sent once more, and runs once", c.daemon, g.Command, silentFor)
	}
}

// endedOf finds the request that a daemon took although its answer was lost, after a later one was
// rejected: the id is used, and the state may have changed since the goal ended.
func (c *Client) endedOf(ctx context.Context, earlier []types.GoalID, err error) (id types.GoalID, ended bool) {
	if rejected := (*Rejected)(nil); !errors.As(err, &rejected) {
		return id, false
	}
	soon, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	for _, id := range earlier {
		resp, err := c.action.GetResult(soon, &id)
		if err == nil && rclgo.GoalStatus(resp.Status) != rclgo.GoalUnknown {
			return id, true
		}
	}
	return id, false
}

// feedback hears how a goal goes.
type feedback = func(context.Context, *rstate_msgs_action.Transition_FeedbackMessage)

// oneByOne hands on each step of a message of feedback as if it had come alone.
func oneByOne(m *rstate_msgs_action.Transition_Feedback, progress func(*rstate_msgs_action.Transition_Feedback)) {
	for i := range m.Before {
		progress(&rstate_msgs_action.Transition_Feedback{
			State: m.State, Done: m.Done - uint32(len(m.Before)-i), Total: m.Total, Last: m.Before[i],
		})
	}
	progress(m)
}

// ask sends the goal once and says whether it was taken. No answer within silentFor is no error.
func (c *Client) ask(ctx context.Context, id types.GoalID, g Goal) (taken bool, err error) {
	req := rstate_msgs_action.NewTransition_SendGoal_Request()
	req.GoalID.Uuid = id
	req.Goal.Command, req.Goal.Reason, req.Goal.Id = g.Command, g.Reason, g.ID
	req.Goal.Authority, req.Goal.WaitPeers, req.Goal.Client, req.Goal.Argument = g.Authority, g.WaitPeers, g.Client,
		g.Argument
	req.Goal.Seen = g.Seen
	sent := time.Now()
	answered, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := c.watch(answered, g.Command, cancel)
	soon, stop := context.WithTimeout(answered, silentFor)
	defer stop()
	resp, err := c.action.SendGoalRequest(soon, req)
	switch {
	case lost() != nil:
		return false, lost()
	case errors.Is(err, rclgo.ErrActionServerGone):
		return false, c.silent(g.Command, "it has left the graph")
	case err != nil && answered.Err() != nil:
		return false, err
	case errors.Is(err, context.DeadlineExceeded):
		return false, c.speaks(answered, lost)
	case err != nil:
		return false, err
	case !resp.Accepted:
		return false, c.whyRejected(ctx, g.Command, id, sent)
	}
	return true, nil
}

// speaks waits until the daemon gives a sign of life, or is lost.
func (c *Client) speaks(ctx context.Context, lost func() error) error {
	err := c.until(ctx, func(_ *rstate_msgs_msg.InstanceState, alive bool) bool { return alive })
	if lost() != nil {
		return lost()
	}
	return err
}

// whyRejected finds the reason, which actions have no place for, in the state. Other goals may have
// been rejected since.
func (c *Client) whyRejected(ctx context.Context, command string, id types.GoalID, sent time.Time) *Rejected {
	soon, cancel := context.WithTimeout(ctx, lastWord)
	defer cancel()
	_ = c.until(soon, func(s *rstate_msgs_msg.InstanceState, _ bool) bool {
		return s != nil && s.Refusal != "" &&
			(s.RefusedGoal == protocol.GoalText(id) || s.RefusedGoal == "" && !timeOf(s.Stamp).Before(sent))
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	switch s := c.state; {
	case s != nil && s.Refusal != "" && (s.RefusedGoal == protocol.GoalText(id) || s.RefusedGoal == "" ||
		s.Refused == command):
		return &Rejected{Text: s.Refusal, Legal: s.Legal}
	case s != nil:
		return &Rejected{Text: fmt.Sprintf("cannot %s: %s rejected it and did not say why; look with rstate status",
			command, c.daemon), Legal: s.Legal}
	}
	return &Rejected{Text: fmt.Sprintf("cannot %s: %s rejected it and did not say why; look with rstate status",
		command, c.daemon)}
}

func timeOf(t builtin_interfaces_msg.Time) time.Time {
	return time.Unix(int64(t.Sec), int64(t.Nanosec))
}

// thisProcess names this user, host and process.
func thisProcess() string {
	who := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil && u.Username != "" {
		who = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("%s@%s (rstate, process %d)", who, host, os.Getpid())
}

// follow waits for the result.
func (c *Client) follow(ctx context.Context, id types.GoalID, command string, f Following) (*Ending, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := c.watch(waiting, command, cancel)
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
	resp, err := c.result(waiting, id)
	cancel()
	switch {
	case err == nil:
		return &Ending{Status: rclgo.GoalStatus(resp.Status), Result: &resp.Result}, nil
	case lost() != nil:
		return nil, lost()
	case errors.Is(err, rclgo.ErrActionServerGone):
		return nil, c.silent(command, "it has left the graph")
	}
	return nil, err
}

// cancel asks to cancel the goal and says whether that was accepted.
func (c *Client) cancel(ctx context.Context, id types.GoalID) bool {
	req := action_msgs_srv.NewCancelGoal_Request()
	req.GoalInfo.GoalId.Uuid = id
	resp, err := c.action.CancelGoal(ctx, req)
	return err == nil && len(resp.GoalsCanceling) > 0
}

// Action is the client of the daemon's action, for a caller with wishes of its own.
func (c *Client) Action() *rstate_msgs_action.TransitionClient { return c.action }
