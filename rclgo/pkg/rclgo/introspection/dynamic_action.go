package introspection

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// The names of the fields that rosidl gives the messages of an action.
const (
	fieldGoalID   = "goal_id"
	fieldGoal     = "goal"
	fieldResult   = "result"
	fieldFeedback = "feedback"
)

var (
	_ types.GoalRequestMessage    = (*DynamicMessage)(nil)
	_ types.GoalResponseMessage   = (*DynamicMessage)(nil)
	_ types.ResultResponseMessage = (*DynamicMessage)(nil)
	_ types.FeedbackMessage       = (*DynamicMessage)(nil)
)

// LoadDynamicAction returns the installed action type called name in package pkg; its messages are
// dynamic, also those of goals, results and feedback.
func LoadDynamicAction(pkg, name string) (*ActionType, error) {
	name = strings.TrimPrefix(name, "action/")
	l := dynamicLoader{pkg: pkg, name: name}
	goal, result, feedback := l.message("Goal"), l.message("Result"), l.message("Feedback")
	said, send, get := l.message("FeedbackMessage"), l.service("SendGoal"), l.service("GetResult")
	l.pkg, l.name = "action_msgs", ""
	cancel, status := l.service("srv/CancelGoal"), l.message("msg/GoalStatusArray")
	if l.err != nil {
		return nil, l.err
	}
	l.has(send.Request(), fieldGoal, "goal_id.uuid")
	l.has(send.Response(), "accepted", "stamp.sec", "stamp.nanosec")
	l.has(get.Response(), "status", fieldResult)
	l.has(said, fieldFeedback, "goal_id.uuid")
	if l.err != nil {
		return nil, l.err
	}
	holds(send.Request(), fieldGoal, goal)
	holds(get.Response(), fieldResult, result)
	holds(said, fieldFeedback, feedback)
	parts := ActionParts{
		Goal: goal, Result: result, Feedback: feedback, FeedbackMessage: said,
		SendGoal: send, GetResult: get, CancelGoal: cancel, GoalStatusArray: status,
	}
	parts.NewSendGoalResponse = func(ok bool, stamp time.Duration) types.Message {
		m := send.Response().New().(*DynamicMessage)
		m.mustSet("accepted", ok)
		m.mustSet("stamp.sec", int32(stamp/time.Second))
		m.mustSet("stamp.nanosec", uint32(stamp%time.Second))
		return m
	}
	parts.NewGetResultResponse = func(status int8, value types.Message) types.Message {
		m := get.Response().New().(*DynamicMessage)
		m.mustSet("status", status)
		m.fill(fieldResult, value)
		return m
	}
	parts.NewFeedbackMessage = func(id *types.GoalID, value types.Message) types.Message {
		m := said.New().(*DynamicMessage)
		m.SetGoalID(id)
		m.fill(fieldFeedback, value)
		return m
	}
	t := NewActionType(pkg+"/action/"+name, parts)
	if _, err := t.load(); err != nil {
		return nil, err
	}
	return t, nil
}

// holds notes the type of the message in a field.
func holds(t types.MessageTypeSupport, field string, part *DynamicType) {
	t.(*DynamicType).parts = map[string]*DynamicType{field: part}
}

// dynamicLoader loads the parts of an action, and keeps the first error.
type dynamicLoader struct {
	pkg, name string // without a name: of a type that belongs to no action
	err       error
}

func (l *dynamicLoader) part(suffix string) string {
	if l.name == "" {
		return suffix
	}
	return "action/" + l.name + "_" + suffix
}

func (l *dynamicLoader) message(suffix string) *DynamicType {
	t, err := LoadDynamic(l.pkg, l.part(suffix))
	if err != nil && l.err == nil {
		l.err = err
	}
	return t
}

func (l *dynamicLoader) service(suffix string) *ServiceType {
	t, err := LoadDynamicService(l.pkg, l.part(suffix))
	if err != nil && l.err == nil {
		l.err = err
	}
	return t
}

// has notes an error if a message lacks a field. With these fields no method for messages of an action panics.
func (l *dynamicLoader) has(t types.MessageTypeSupport, fields ...string) {
	m := t.New().(*DynamicMessage)
	for _, name := range fields {
		if _, err := m.field(name); err != nil && l.err == nil {
			l.err = fmt.Errorf("the installed %s is no part of an action: %w", m.typ.name, err)
		}
	}
}

// part returns the message in a field. It shares the field's memory.
func (m *DynamicMessage) part(field string) *DynamicMessage {
	t := m.typ.parts[field]
	if t == nil {
		panic(fmt.Sprintf("introspection: %s was not loaded by LoadDynamicAction, or has no field %q", m.typ.name,
			field))
	}
	return &DynamicMessage{t, m.mustField(field).Addr()}
}

// fill copies a message into a field of its type.
func (m *DynamicMessage) fill(field string, from types.Message) {
	v := m.mustField(field)
	src, ok := from.(*DynamicMessage)
	if !ok || src.body.Type().Elem() != v.Type() {
		panic(fmt.Sprintf("introspection: a %T is no %s of %s", from, field, m.typ.name))
	}
	v.SetZero()
	deepCopy(v, src.body.Elem())
}

func (m *DynamicMessage) mustField(field string) reflect.Value {
	v, err := m.field(field)
	if err != nil {
		panic(fmt.Sprintf("introspection: %s is not of an action: %v", m.typ.name, err))
	}
	return v
}

func (m *DynamicMessage) mustSet(path string, value any) {
	if err := m.Set(path, value); err != nil {
		panic("introspection: " + err.Error())
	}
}

// GetGoalID returns the id in a message about a goal. It panics for other messages, as the other
// methods for messages of an action do.
func (m *DynamicMessage) GetGoalID() *types.GoalID {
	v := m.mustField(fieldGoalID + ".uuid")
	if v.Kind() != reflect.Array || v.Len() != types.GoalIDLen || v.Type().Elem().Kind() != reflect.Uint8 {
		panic(fmt.Sprintf("introspection: the goal id of %s is a %v", m.typ.name, v.Type()))
	}
	return (*types.GoalID)(unsafe.Pointer(v.Addr().Pointer())) // m owns the memory, and the result keeps it
}

// SetGoalID sets the id in a message about a goal.
func (m *DynamicMessage) SetGoalID(id *types.GoalID) { *m.GetGoalID() = *id }

// GetGoalDescription returns the goal in a request to send it.
func (m *DynamicMessage) GetGoalDescription() types.Message { return m.part(fieldGoal) }

// SetGoalDescription sets the goal in a request to send it.
func (m *DynamicMessage) SetGoalDescription(goal types.Message) { m.fill(fieldGoal, goal) }

// GetGoalAccepted returns whether a response accepts a goal.
func (m *DynamicMessage) GetGoalAccepted() bool { return m.mustField("accepted").Bool() }

// GetGoalStatus returns the status in the response with a result.
func (m *DynamicMessage) GetGoalStatus() int8 { return int8(m.mustField("status").Int()) }

// GetGoalResult returns the result in such a response.
func (m *DynamicMessage) GetGoalResult() types.Message { return m.part(fieldResult) }

// GetGoalFeedback returns the feedback in a message of the feedback topic.
func (m *DynamicMessage) GetGoalFeedback() types.Message { return m.part(fieldFeedback) }
