package rclgo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tiiuae/rclgo/internal/rcl"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

const (
	codeActionGoalAccepted      = 4100
	codeActionGoalRejected      = 4101
	codeActionClientInvalid     = 4102
	codeActionServerInvalid     = 4200
	codeActionGoalHandleInvalid = 4300
)

// GoalStatus is the progress of a goal, with the numbers of action_msgs/msg/GoalStatus.
type GoalStatus int8

// The statuses of goals. The last three are final.
const (
	GoalUnknown GoalStatus = iota
	GoalAccepted
	GoalExecuting
	GoalCanceling
	GoalSucceeded
	GoalCanceled
	GoalAborted
)

var goalStatusNames = [...]string{"Unknown", "Accepted", "Executing", "Canceling", "Succeeded", "Canceled", "Aborted"}

func (i GoalStatus) String() string {
	if i < 0 || int(i) >= len(goalStatusNames) {
		return fmt.Sprintf("GoalStatus(%d)", int8(i))
	}
	return goalStatusNames[i]
}

// FeedbackHandler takes an A_FeedbackMessage of action type A.
type FeedbackHandler func(context.Context, types.Message)

// StatusHandler takes an action_msgs/msg/GoalStatus.
type StatusHandler func(context.Context, types.Message)

// ActionClientOptions configures an action client.
type ActionClientOptions struct {
	GoalServiceQos   QosProfile
	CancelServiceQos QosProfile
	ResultServiceQos QosProfile
	FeedbackTopicQos QosProfile
	StatusTopicQos   QosProfile
}

// NewDefaultActionClientOptions returns the default profiles for services, topics and
// the status topic.
func NewDefaultActionClientOptions() *ActionClientOptions {
	return &ActionClientOptions{
		GoalServiceQos:   NewDefaultServiceQosProfile(),
		CancelServiceQos: NewDefaultServiceQosProfile(),
		ResultServiceQos: NewDefaultServiceQosProfile(),
		FeedbackTopicQos: NewDefaultQosProfile(),
		StatusTopicQos:   NewDefaultStatusQosProfile(),
	}
}

func (o *ActionClientOptions) rcl() rcl.ActionQoS {
	return rcl.ActionQoS{
		Goal: o.GoalServiceQos.rcl(), Cancel: o.CancelServiceQos.rcl(), Result: o.ResultServiceQos.rcl(),
		Feedback: o.FeedbackTopicQos.rcl(), Status: o.StatusTopicQos.rcl(),
	}
}

// ActionServerOptions configures an action server.
type ActionServerOptions struct {
	GoalServiceQos   QosProfile
	CancelServiceQos QosProfile
	ResultServiceQos QosProfile
	FeedbackTopicQos QosProfile
	StatusTopicQos   QosProfile

	// ResultTimeout is how long the server keeps an ended goal and its result. A negative
	// value keeps them until the server is closed.
	ResultTimeout time.Duration
	// Clock stamps goals and measures ResultTimeout; nil is the clock of the context.
	// Closing the clock closes the server.
	Clock *Clock

	// OnGoal is called for each goal before ExecuteGoal, in the order in which the goals arrive.
	// ExecuteGoal begins on a goroutine of its own, so two calls of it begin in any order. OnGoal
	// runs on the goroutine that serves everything of the context. It must not block or accept.
	OnGoal func(goal *GoalHandle)
	// OnCancel reports whether a goal may be cancelled. It runs on a goroutine of its own
	// and may block: the request is answered when it returns. Its context ends with the
	// goal. With nil every request is accepted, unless the action is a CancelDecider.
	OnCancel func(ctx context.Context, goal *GoalHandle) bool
}

// NewDefaultActionServerOptions returns the default profiles for services, topics and the
// status topic, and a result timeout of 15 minutes.
func NewDefaultActionServerOptions() *ActionServerOptions {
	return &ActionServerOptions{
		GoalServiceQos:   NewDefaultServiceQosProfile(),
		CancelServiceQos: NewDefaultServiceQosProfile(),
		ResultServiceQos: NewDefaultServiceQosProfile(),
		FeedbackTopicQos: NewDefaultQosProfile(),
		StatusTopicQos:   NewDefaultStatusQosProfile(),
		ResultTimeout:    15 * time.Minute,
	}
}

func (o *ActionServerOptions) rcl() rcl.ActionQoS {
	return rcl.ActionQoS{
		Goal: o.GoalServiceQos.rcl(), Cancel: o.CancelServiceQos.rcl(), Result: o.ResultServiceQos.rcl(),
		Feedback: o.FeedbackTopicQos.rcl(), Status: o.StatusTopicQos.rcl(),
	}
}

// ExecuteGoalFunc is the type of [Action]'s ExecuteGoal.
type ExecuteGoalFunc = func(context.Context, *GoalHandle) (types.Message, error)

// Action implements the goals of an action server.
//
// ExecuteGoal is called for each goal, on a goroutine of its own; ActionServerOptions.OnGoal
// keeps the order. A goal that it does not Accept before it returns is rejected. For an
// accepted goal, its return values determine the final status:
//
//	(result, nil)            succeeded, or canceled where a cancel was accepted
//	(result, Canceled(err))  canceled where a cancel was accepted, else aborted
//	(result, Aborted(err))   aborted
//	(result, any other err)  aborted; canceled where a cancel was accepted and err is
//	                         context.Canceled
//
// The result goes to the client in each case; nil stands for an empty one. ctx ends when
// a cancel has been accepted (context.Cause says ErrGoalCanceled) and when the server is
// closed (ErrActionServerClosed).
type Action interface {
	ExecuteGoal(ctx context.Context, goal *GoalHandle) (types.Message, error)
	TypeSupport() types.ActionTypeSupport
}

// CancelDecider is implemented by actions that decide about cancel requests themselves.
// ActionServerOptions.OnCancel takes precedence. An action that wraps another one may have a
// method Unwrap() any instead.
type CancelDecider interface {
	OnCancel(ctx context.Context, goal *GoalHandle) bool
}

// NewAction makes an action from one function.
func NewAction(
	typeSupport types.ActionTypeSupport,
	executeGoal ExecuteGoalFunc,
) Action {
	return &funcAction{typeSupport, executeGoal}
}

type funcAction struct {
	typeSupport types.ActionTypeSupport
	executeGoal ExecuteGoalFunc
}

func (a *funcAction) ExecuteGoal(ctx context.Context, goal *GoalHandle) (types.Message, error) {
	return a.executeGoal(ctx, goal)
}

func (a *funcAction) TypeSupport() types.ActionTypeSupport { return a.typeSupport }

// The reasons why the context of a goal, or a call, ended.
var (
	ErrGoalCanceled       = errors.New("a client cancelled the goal")
	ErrActionServerClosed = errors.New("the action server was closed")
	ErrActionServerGone   = errors.New("the action server has left the graph")
)

// Aborted is returned from ExecuteGoal, beside a result, to end a goal as aborted. err
// may be nil.
func Aborted(err error) error { return &goalEnd{GoalAborted, err} }

// Canceled is returned from ExecuteGoal, beside a result, to end a goal as canceled. err
// may be nil. Without an accepted cancel the goal is aborted, as ROS demands.
func Canceled(err error) error { return &goalEnd{GoalCanceled, err} }

type goalEnd struct {
	status GoalStatus
	cause  error
}

func (e *goalEnd) Error() string {
	if e.cause == nil {
		return "the goal is " + strings.ToLower(e.status.String())
	}
	return e.cause.Error()
}

func (e *goalEnd) Unwrap() error { return e.cause }

// ResultStatus returns the status in an A_GetResult_Response, which [ActionClient.GetResult]
// and [ActionClient.WatchGoal] return. It returns GoalUnknown for anything else, and if the
// server does not know the goal.
func ResultStatus(result types.Message) GoalStatus {
	if r, ok := result.(types.ResultResponseMessage); ok {
		return GoalStatus(r.GetGoalStatus())
	}
	return GoalUnknown
}

// ResultError returns nil for the result of a goal that succeeded, else a *GoalError.
func ResultError(result types.Message) error {
	if s := ResultStatus(result); s != GoalSucceeded {
		return &GoalError{Status: s}
	}
	return nil
}

// GoalError reports that a goal did not succeed.
type GoalError struct{ Status GoalStatus }

func (e *GoalError) Error() string {
	if e.Status == GoalUnknown {
		return "the server does not know the goal, or no longer"
	}
	return "the goal was " + strings.ToLower(e.Status.String())
}

// checkActionType reports why the messages of an action type cannot be used.
func checkActionType(ts types.ActionTypeSupport) error {
	if err := types.Check(ts); err != nil {
		return err
	}
	for _, part := range []any{ts.SendGoal(), ts.GetResult(), ts.CancelGoal(), ts.FeedbackMessage(),
		ts.GoalStatusArray()} {
		if err := types.Check(part); err != nil {
			return err
		}
	}
	_, goal := ts.SendGoal().Request().New().(types.GoalRequestMessage)
	_, accepted := ts.SendGoal().Response().New().(types.GoalResponseMessage)
	_, result := ts.GetResult().Request().New().(types.GoalIDMessage)
	_, feedback := ts.FeedbackMessage().New().(types.GoalIDMessage)
	if !goal || !accepted || !result || !feedback {
		return errors.New("the action's messages lack their methods: generate them anew with rclgo-gen")
	}
	return nil
}
