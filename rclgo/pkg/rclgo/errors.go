package rclgo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tiiuae/rclgo/internal/rcl"
)

// rclError is the common part of all error types. The text reads "cannot <op>: <cause>".
type rclError struct{ op, cause string }

func (e *rclError) Error() string {
	if e.op == "" {
		return "an error of rcl" // a zero value, for errors.Is or a test
	}
	return "cannot " + e.op + ": " + e.cause
}

// coded is implemented by every error type.
type coded interface{ retCode() int }

// same makes errors.Is match by return code: errors.Is(err, &Timeout{}).
func same(err coded, target error) bool {
	t, ok := target.(coded)
	return ok && t.retCode() == err.retCode()
}

// The error types, one for each return code of rcl, rmw, rcl_action and rcl_lifecycle.
type (
	RmwOk                         struct{ rclError }
	RmwError                      struct{ rclError }
	RmwTimeout                    struct{ rclError }
	RmwUnsupported                struct{ rclError }
	RmwBadAlloc                   struct{ rclError }
	RmwInvalidArgument            struct{ rclError }
	RmwIncorrectRmwImplementation struct{ rclError }
	RmwNodeNameNonExistent        struct{ rclError }
	AlreadyInit                   struct{ rclError }
	NotInit                       struct{ rclError }
	MismatchedRmwId               struct{ rclError }
	TopicNameInvalid              struct{ rclError }
	ServiceNameInvalid            struct{ rclError }
	UnknownSubstitution           struct{ rclError }
	AlreadyShutdown               struct{ rclError }
	NodeInvalid                   struct{ rclError }
	NodeInvalidName               struct{ rclError }
	NodeInvalidNamespace          struct{ rclError }
	NodeNameNonExistent           struct{ rclError }
	PublisherInvalid              struct{ rclError }
	SubscriptionInvalid           struct{ rclError }
	SubscriptionTakeFailed        struct{ rclError }
	ClientInvalid                 struct{ rclError }
	ClientTakeFailed              struct{ rclError }
	ServiceInvalid                struct{ rclError }
	ServiceTakeFailed             struct{ rclError }
	TimerInvalid                  struct{ rclError }
	TimerCanceled                 struct{ rclError }
	WaitSetInvalid                struct{ rclError }
	WaitSetEmpty                  struct{ rclError }
	WaitSetFull                   struct{ rclError }
	InvalidRemapRule              struct{ rclError }
	WrongLexeme                   struct{ rclError }
	InvalidRosArgs                struct{ rclError }
	InvalidParamRule              struct{ rclError }
	InvalidLogLevelRule           struct{ rclError }
	EventInvalid                  struct{ rclError }
	EventTakeFailed               struct{ rclError }
	LifecycleStateRegistered      struct{ rclError }
	LifecycleStateNotRegistered   struct{ rclError }
	ActionNameInvalid             struct{ rclError }
	ActionGoalAccepted            struct{ rclError }
	ActionGoalRejected            struct{ rclError }
	ActionClientInvalid           struct{ rclError }
	ActionClientTakeFailed        struct{ rclError }
	ActionServerInvalid           struct{ rclError }
	ActionServerTakeFailed        struct{ rclError }
	ActionGoalHandleInvalid       struct{ rclError }
	ActionGoalEventInvalid        struct{ rclError }
	UnknownReturnCode             struct{ rclError }
)

// Codes that rcl adopts from rmw.
type (
	Ok              = RmwOk
	Error           = RmwError
	Timeout         = RmwTimeout
	Unsupported     = RmwUnsupported
	BadAlloc        = RmwBadAlloc
	InvalidArgument = RmwInvalidArgument
)

const (
	codeTimeout             = 2
	codeInvalidArgument     = 11
	codeAlreadyInit         = 100
	codeNotInit             = 101
	codeAlreadyShutdown     = 106
	codeNodeInvalid         = 200
	codeNodeNameNonExistent = 203
	codePublisherInvalid    = 300
	codeSubscriptionInvalid = 400
	codeClientInvalid       = 500
	codeServiceInvalid      = 600
	codeServiceTakeFailed   = 601

	codeTopicNameInvalid       = 103
	codeServiceNameInvalid     = 104
	codeNodeInvalidName        = 201
	codeNodeInvalidNamespace   = 202
	codeSubscriptionTakeFailed = 401
	codeClientTakeFailed       = 501
	codeEventTakeFailed        = 2001
	codeActionNameInvalid      = 4000
	codeActionClientTakeFailed = 4103
	codeActionServerTakeFailed = 4201

	codeTimerInvalid   = 800
	codeWaitSetInvalid = 900
	codeInvalidRosArgs = 1003
	codeEventInvalid   = 2000
	codeUnknown        = -1
)

func (*RmwOk) retCode() int                         { return 0 }
func (*RmwError) retCode() int                      { return 1 }
func (*RmwTimeout) retCode() int                    { return 2 }
func (*RmwUnsupported) retCode() int                { return 3 }
func (*RmwBadAlloc) retCode() int                   { return 10 }
func (*RmwInvalidArgument) retCode() int            { return codeInvalidArgument }
func (*RmwIncorrectRmwImplementation) retCode() int { return 12 }
func (*RmwNodeNameNonExistent) retCode() int        { return codeNodeNameNonExistent }
func (*AlreadyInit) retCode() int                   { return codeAlreadyInit }
func (*NotInit) retCode() int                       { return codeNotInit }
func (*MismatchedRmwId) retCode() int               { return 102 }
func (*TopicNameInvalid) retCode() int              { return 103 }
func (*ServiceNameInvalid) retCode() int            { return 104 }
func (*UnknownSubstitution) retCode() int           { return 105 }
func (*AlreadyShutdown) retCode() int               { return codeAlreadyShutdown }
func (*NodeInvalid) retCode() int                   { return codeNodeInvalid }
func (*NodeInvalidName) retCode() int               { return 201 }
func (*NodeInvalidNamespace) retCode() int          { return 202 }
func (*NodeNameNonExistent) retCode() int           { return codeNodeNameNonExistent }
func (*PublisherInvalid) retCode() int              { return codePublisherInvalid }
func (*SubscriptionInvalid) retCode() int           { return codeSubscriptionInvalid }
func (*SubscriptionTakeFailed) retCode() int        { return 401 }
func (*ClientInvalid) retCode() int                 { return codeClientInvalid }
func (*ClientTakeFailed) retCode() int              { return 501 }
func (*ServiceInvalid) retCode() int                { return codeServiceInvalid }
func (*ServiceTakeFailed) retCode() int             { return codeServiceTakeFailed }
func (*TimerInvalid) retCode() int                  { return codeTimerInvalid }
func (*TimerCanceled) retCode() int                 { return 801 }
func (*WaitSetInvalid) retCode() int                { return codeWaitSetInvalid }
func (*WaitSetEmpty) retCode() int                  { return 901 }
func (*WaitSetFull) retCode() int                   { return 902 }
func (*InvalidRemapRule) retCode() int              { return 1001 }
func (*WrongLexeme) retCode() int                   { return 1002 }
func (*InvalidRosArgs) retCode() int                { return codeInvalidRosArgs }
func (*InvalidParamRule) retCode() int              { return 1010 }
func (*InvalidLogLevelRule) retCode() int           { return 1020 }
func (*EventInvalid) retCode() int                  { return codeEventInvalid }
func (*EventTakeFailed) retCode() int               { return 2001 }
func (*LifecycleStateRegistered) retCode() int      { return 3000 }
func (*LifecycleStateNotRegistered) retCode() int   { return 3001 }
func (*ActionNameInvalid) retCode() int             { return 4000 }
func (*ActionGoalAccepted) retCode() int            { return 4100 }
func (*ActionGoalRejected) retCode() int            { return 4101 }
func (*ActionClientInvalid) retCode() int           { return 4102 }
func (*ActionClientTakeFailed) retCode() int        { return 4103 }
func (*ActionServerInvalid) retCode() int           { return 4200 }
func (*ActionServerTakeFailed) retCode() int        { return 4201 }
func (*ActionGoalHandleInvalid) retCode() int       { return 4300 }
func (*ActionGoalEventInvalid) retCode() int        { return 4301 }
func (*UnknownReturnCode) retCode() int             { return codeUnknown }

func (e *RmwOk) Is(target error) bool                         { return same(e, target) }
func (e *RmwError) Is(target error) bool                      { return same(e, target) }
func (e *RmwTimeout) Is(target error) bool                    { return same(e, target) }
func (e *RmwUnsupported) Is(target error) bool                { return same(e, target) }
func (e *RmwBadAlloc) Is(target error) bool                   { return same(e, target) }
func (e *RmwInvalidArgument) Is(target error) bool            { return same(e, target) }
func (e *RmwIncorrectRmwImplementation) Is(target error) bool { return same(e, target) }
func (e *RmwNodeNameNonExistent) Is(target error) bool        { return same(e, target) }
func (e *AlreadyInit) Is(target error) bool                   { return same(e, target) }
func (e *NotInit) Is(target error) bool                       { return same(e, target) }
func (e *MismatchedRmwId) Is(target error) bool               { return same(e, target) }
func (e *TopicNameInvalid) Is(target error) bool              { return same(e, target) }
func (e *ServiceNameInvalid) Is(target error) bool            { return same(e, target) }
func (e *UnknownSubstitution) Is(target error) bool           { return same(e, target) }
func (e *AlreadyShutdown) Is(target error) bool               { return same(e, target) }
func (e *NodeInvalid) Is(target error) bool                   { return same(e, target) }
func (e *NodeInvalidName) Is(target error) bool               { return same(e, target) }
func (e *NodeInvalidNamespace) Is(target error) bool          { return same(e, target) }
func (e *NodeNameNonExistent) Is(target error) bool           { return same(e, target) }
func (e *PublisherInvalid) Is(target error) bool              { return same(e, target) }
func (e *SubscriptionInvalid) Is(target error) bool           { return same(e, target) }
func (e *SubscriptionTakeFailed) Is(target error) bool        { return same(e, target) }
func (e *ClientInvalid) Is(target error) bool                 { return same(e, target) }
func (e *ClientTakeFailed) Is(target error) bool              { return same(e, target) }
func (e *ServiceInvalid) Is(target error) bool                { return same(e, target) }
func (e *ServiceTakeFailed) Is(target error) bool             { return same(e, target) }
func (e *TimerInvalid) Is(target error) bool                  { return same(e, target) }
func (e *TimerCanceled) Is(target error) bool                 { return same(e, target) }
func (e *WaitSetInvalid) Is(target error) bool                { return same(e, target) }
func (e *WaitSetEmpty) Is(target error) bool                  { return same(e, target) }
func (e *WaitSetFull) Is(target error) bool                   { return same(e, target) }
func (e *InvalidRemapRule) Is(target error) bool              { return same(e, target) }
func (e *WrongLexeme) Is(target error) bool                   { return same(e, target) }
func (e *InvalidRosArgs) Is(target error) bool                { return same(e, target) }
func (e *InvalidParamRule) Is(target error) bool              { return same(e, target) }
func (e *InvalidLogLevelRule) Is(target error) bool           { return same(e, target) }
func (e *EventInvalid) Is(target error) bool                  { return same(e, target) }
func (e *EventTakeFailed) Is(target error) bool               { return same(e, target) }
func (e *LifecycleStateRegistered) Is(target error) bool      { return same(e, target) }
func (e *LifecycleStateNotRegistered) Is(target error) bool   { return same(e, target) }
func (e *ActionNameInvalid) Is(target error) bool             { return same(e, target) }
func (e *ActionGoalAccepted) Is(target error) bool            { return same(e, target) }
func (e *ActionGoalRejected) Is(target error) bool            { return same(e, target) }
func (e *ActionClientInvalid) Is(target error) bool           { return same(e, target) }
func (e *ActionClientTakeFailed) Is(target error) bool        { return same(e, target) }
func (e *ActionServerInvalid) Is(target error) bool           { return same(e, target) }
func (e *ActionServerTakeFailed) Is(target error) bool        { return same(e, target) }
func (e *ActionGoalHandleInvalid) Is(target error) bool       { return same(e, target) }
func (e *ActionGoalEventInvalid) Is(target error) bool        { return same(e, target) }
func (e *UnknownReturnCode) Is(target error) bool             { return same(e, target) }

// typed wraps e into the type of its code.
var typed = map[int]func(rclError) error{
	1:    func(e rclError) error { return &RmwError{e} },
	2:    func(e rclError) error { return &RmwTimeout{e} },
	3:    func(e rclError) error { return &RmwUnsupported{e} },
	10:   func(e rclError) error { return &RmwBadAlloc{e} },
	11:   func(e rclError) error { return &RmwInvalidArgument{e} },
	12:   func(e rclError) error { return &RmwIncorrectRmwImplementation{e} },
	100:  func(e rclError) error { return &AlreadyInit{e} },
	101:  func(e rclError) error { return &NotInit{e} },
	102:  func(e rclError) error { return &MismatchedRmwId{e} },
	103:  func(e rclError) error { return &TopicNameInvalid{e} },
	104:  func(e rclError) error { return &ServiceNameInvalid{e} },
	105:  func(e rclError) error { return &UnknownSubstitution{e} },
	106:  func(e rclError) error { return &AlreadyShutdown{e} },
	200:  func(e rclError) error { return &NodeInvalid{e} },
	201:  func(e rclError) error { return &NodeInvalidName{e} },
	202:  func(e rclError) error { return &NodeInvalidNamespace{e} },
	203:  func(e rclError) error { return &NodeNameNonExistent{e} },
	300:  func(e rclError) error { return &PublisherInvalid{e} },
	400:  func(e rclError) error { return &SubscriptionInvalid{e} },
	401:  func(e rclError) error { return &SubscriptionTakeFailed{e} },
	500:  func(e rclError) error { return &ClientInvalid{e} },
	501:  func(e rclError) error { return &ClientTakeFailed{e} },
	600:  func(e rclError) error { return &ServiceInvalid{e} },
	601:  func(e rclError) error { return &ServiceTakeFailed{e} },
	800:  func(e rclError) error { return &TimerInvalid{e} },
	801:  func(e rclError) error { return &TimerCanceled{e} },
	900:  func(e rclError) error { return &WaitSetInvalid{e} },
	901:  func(e rclError) error { return &WaitSetEmpty{e} },
	902:  func(e rclError) error { return &WaitSetFull{e} },
	1001: func(e rclError) error { return &InvalidRemapRule{e} },
	1002: func(e rclError) error { return &WrongLexeme{e} },
	1003: func(e rclError) error { return &InvalidRosArgs{e} },
	1010: func(e rclError) error { return &InvalidParamRule{e} },
	1020: func(e rclError) error { return &InvalidLogLevelRule{e} },
	2000: func(e rclError) error { return &EventInvalid{e} },
	2001: func(e rclError) error { return &EventTakeFailed{e} },
	3000: func(e rclError) error { return &LifecycleStateRegistered{e} },
	3001: func(e rclError) error { return &LifecycleStateNotRegistered{e} },
	4000: func(e rclError) error { return &ActionNameInvalid{e} },
	4100: func(e rclError) error { return &ActionGoalAccepted{e} },
	4101: func(e rclError) error { return &ActionGoalRejected{e} },
	4102: func(e rclError) error { return &ActionClientInvalid{e} },
	4103: func(e rclError) error { return &ActionClientTakeFailed{e} },
	4200: func(e rclError) error { return &ActionServerInvalid{e} },
	4201: func(e rclError) error { return &ActionServerTakeFailed{e} },
	4300: func(e rclError) error { return &ActionGoalHandleInvalid{e} },
	4301: func(e rclError) error { return &ActionGoalEventInvalid{e} },
}

// newError makes the typed error of a return code. If rcl gives no cause, the name of the
// type is the cause.
func newError(code int, op, cause string) error {
	wrap, ok := typed[code]
	if code == codeNodeNameNonExistent {
		cause = "there is no such node in the graph, or not yet; Node.GetNodeNames lists those that are"
	}
	if ok && cause == "" {
		name := fmt.Sprintf("%T", wrap(rclError{}))
		cause = fmt.Sprintf("%s (rcl code %d)", strings.TrimPrefix(name, "*rclgo."), code)
	}
	if ok {
		return wrap(rclError{op, cause})
	}
	return &UnknownReturnCode{rclError{op, fmt.Sprintf("unknown rcl code %d: %s", code, cause)}}
}

// errorsCastC returns the typed error of a return code with a text. The tests of the original
// library use this name.
func errorsCastC(code int, text string) error { return newError(code, "use rcl", text) }

// fail returns an error that op failed because of err, which may be nil. A typed error
// already has such a text.
func fail(op string, err error) error {
	if _, ok := err.(coded); ok || err == nil {
		return err
	}
	var r *rcl.Error
	switch {
	case errors.As(err, &r):
		return newError(r.Code, op, r.Text)
	default:
		return fmt.Errorf("cannot %s: %w", op, err)
	}
}
