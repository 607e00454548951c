package introspection

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// lazyHandle is a type support that is looked up on first use.
type lazyHandle struct {
	name, kind string
	mu         sync.Mutex // held while loading
	loaded     atomic.Pointer[byte]
}

func (h *lazyHandle) load() (unsafe.Pointer, error) {
	if p := h.loaded.Load(); p != nil {
		return unsafe.Pointer(p), nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := loadHandle(h.name, h.kind)
	if err == nil {
		h.loaded.Store((*byte)(p))
	}
	return p, err
}

// TypeName returns the ROS name.
func (h *lazyHandle) TypeName() string { return h.name }

// TypeSupport panics for a type that cannot be loaded; call Check first.
func (h *lazyHandle) TypeSupport() unsafe.Pointer {
	p, err := h.load()
	if err != nil {
		panic(err)
	}
	return p
}

// ServiceType is the type support of a service type; all methods may be called from
// any goroutine.
type ServiceType struct {
	lazyHandle
	request, response types.MessageTypeSupport
}

var (
	_ types.ServiceTypeSupport = (*ServiceType)(nil)
	_ types.Checker            = (*ServiceType)(nil)
	_ types.ActionTypeSupport  = (*ActionType)(nil)
	_ types.Checker            = (*ActionType)(nil)
)

// NewServiceType describes the service type called name ("pkg/srv/Name", or
// "pkg/action/Name_SendGoal" and "pkg/action/Name_GetResult").
func NewServiceType(name string, request, response types.MessageTypeSupport) *ServiceType {
	return &ServiceType{
		lazyHandle: lazyHandle{name: name, kind: "service"},
		request:    request,
		response:   response,
	}
}

// Request returns the type of the service's requests.
func (t *ServiceType) Request() types.MessageTypeSupport { return t.request }

// Response returns the type of the service's responses.
func (t *ServiceType) Response() types.MessageTypeSupport { return t.response }

// Check loads the service and its messages and returns the reason if they cannot be used.
func (t *ServiceType) Check() error {
	if _, err := t.load(); err != nil {
		return err
	}
	return errors.Join(types.Check(t.request), types.Check(t.response))
}

// ActionParts holds the parts of an action type. The functions make the messages that the
// client library itself sends.
type ActionParts struct {
	Goal, Result, Feedback, FeedbackMessage types.MessageTypeSupport
	SendGoal, GetResult, CancelGoal         types.ServiceTypeSupport
	GoalStatusArray                         types.MessageTypeSupport

	NewSendGoalResponse  func(accepted bool, stamp time.Duration) types.Message
	NewGetResultResponse func(status int8, result types.Message) types.Message
	NewFeedbackMessage   func(goalID *types.GoalID, feedback types.Message) types.Message
}

// ActionType is the type support of an action type; all methods may be called from any
// goroutine.
type ActionType struct {
	lazyHandle
	parts ActionParts
}

// NewActionType describes the action type called name ("pkg/action/Name").
func NewActionType(name string, parts ActionParts) *ActionType {
	return &ActionType{lazyHandle: lazyHandle{name: name, kind: "action"}, parts: parts}
}

// Goal returns the type of the action's goals.
func (t *ActionType) Goal() types.MessageTypeSupport { return t.parts.Goal }

// Result returns the type of the action's results.
func (t *ActionType) Result() types.MessageTypeSupport { return t.parts.Result }

// Feedback returns the type of the action's feedback, without the goal's id.
func (t *ActionType) Feedback() types.MessageTypeSupport { return t.parts.Feedback }

// FeedbackMessage returns the type of the feedback topic's messages.
func (t *ActionType) FeedbackMessage() types.MessageTypeSupport { return t.parts.FeedbackMessage }

// GoalStatusArray returns the type of the status topic's messages.
func (t *ActionType) GoalStatusArray() types.MessageTypeSupport { return t.parts.GoalStatusArray }

// SendGoal returns the type of the service that takes goals.
func (t *ActionType) SendGoal() types.ServiceTypeSupport { return t.parts.SendGoal }

// GetResult returns the type of the service that gives results.
func (t *ActionType) GetResult() types.ServiceTypeSupport { return t.parts.GetResult }

// CancelGoal returns the type of the service that cancels goals.
func (t *ActionType) CancelGoal() types.ServiceTypeSupport { return t.parts.CancelGoal }

// NewSendGoalResponse makes the answer to a goal; stamp counts from the epoch.
func (t *ActionType) NewSendGoalResponse(accepted bool, stamp time.Duration) types.Message {
	return t.parts.NewSendGoalResponse(accepted, stamp)
}

// NewGetResultResponse makes the answer to a request for a result.
func (t *ActionType) NewGetResultResponse(status int8, result types.Message) types.Message {
	return t.parts.NewGetResultResponse(status, result)
}

// NewFeedbackMessage makes a message for the feedback topic.
func (t *ActionType) NewFeedbackMessage(goalID *types.GoalID, feedback types.Message) types.Message {
	return t.parts.NewFeedbackMessage(goalID, feedback)
}

// Check loads the action with its services and messages and returns the reason if they cannot
// be used.
func (t *ActionType) Check() error {
	if _, err := t.load(); err != nil {
		return err
	}
	p := &t.parts
	return errors.Join(types.Check(p.Goal), types.Check(p.Result), types.Check(p.Feedback),
		types.Check(p.FeedbackMessage), types.Check(p.SendGoal), types.Check(p.GetResult),
		types.Check(p.CancelGoal), types.Check(p.GoalStatusArray))
}
