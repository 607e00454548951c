package types

import (
	"errors"
	"unsafe"
)

// The interfaces in this file are optional: type supports and messages of this module
// implement them, others may lack them. Use the functions in this file, which fall back on
// the methods that every type support has.

// Checker is implemented by type supports (of messages, services and actions) that are
// loaded on first use.
type Checker interface {
	// Check loads the type and returns the reason if it cannot be used. It is cheap after it
	// has succeeded once.
	Check() error
}

// Encoder is AsCStruct with an error: a value that does not fit its type (a sequence or
// string beyond its bound) is an error, and dst stays valid for ReleaseMemory.
type Encoder interface {
	Encode(dst unsafe.Pointer, src Message) error
}

// Decoder is AsGoStruct with an error.
type Decoder interface {
	Decode(dst Message, src unsafe.Pointer) error
}

// WireChecker is implemented by type supports that can tell whether bytes are a message of
// their type, before a middleware decodes them.
type WireChecker interface {
	// CheckWire returns what is wrong with a serialized message, with its representation
	// header: it ends before all its fields, or a text or sequence is longer than what follows
	// or than its type allows.
	CheckWire(buf []byte) error
}

// PaddingClearer is implemented by type supports that can tell which bytes of a serialized message
// belong to no field.
type PaddingClearer interface {
	// ClearPadding makes equal bytes of equal messages: it sets the bytes between fields to zero,
	// in place, and cuts those after the last one.
	ClearPadding(buf []byte) []byte
}

// TypeNamer is implemented by type supports that know their ROS name, such as
// "std_msgs/msg/String".
type TypeNamer interface {
	TypeName() string
}

var errNoType = errors.New("its type is nil; if it was looked up by name, import the package of its bindings")

// Check returns the reason if a type support (of a message, service or action) cannot be used.
// Call it before you create an entity, so that a type which is not installed is an error and
// not a crash.
func Check(typeSupport any) error {
	if typeSupport == nil {
		return errNoType
	}
	if c, ok := typeSupport.(Checker); ok {
		return c.Check()
	}
	return nil
}

// CheckWire returns what is wrong with a serialized message. It is nil for a type support that
// cannot tell.
func CheckWire(ts MessageTypeSupport, buf []byte) error {
	if c, ok := ts.(WireChecker); ok {
		return c.CheckWire(buf)
	}
	return nil
}

// ClearPadding makes equal bytes of equal messages. It returns buf as it is for a type support that
// cannot tell.
func ClearPadding(ts MessageTypeSupport, buf []byte) []byte {
	if c, ok := ts.(PaddingClearer); ok {
		return c.ClearPadding(buf)
	}
	return buf
}

// Encode copies src into the C struct dst.
func Encode(ts MessageTypeSupport, dst unsafe.Pointer, src Message) error {
	if e, ok := ts.(Encoder); ok {
		return e.Encode(dst, src)
	}
	ts.AsCStruct(dst, src)
	return nil
}

// Decode copies the C struct src into dst.
func Decode(ts MessageTypeSupport, dst Message, src unsafe.Pointer) error {
	if d, ok := ts.(Decoder); ok {
		return d.Decode(dst, src)
	}
	ts.AsGoStruct(dst, src)
	return nil
}

// The messages that make up an action implement the following interfaces, so that the client
// library reads and fills them without reflection. Every getter returns a part of the message
// itself, not a copy; every setter copies the top level of its argument.

// GoalIDMessage is a message about one goal: A_SendGoal_Request,
// A_GetResult_Request, A_FeedbackMessage.
type GoalIDMessage interface {
	Message
	GetGoalID() *GoalID
	SetGoalID(id *GoalID)
}

// GoalRequestMessage is A_SendGoal_Request.
type GoalRequestMessage interface {
	GoalIDMessage
	GetGoalDescription() Message
	// SetGoalDescription panics if goal is not of the action's goal type.
	SetGoalDescription(goal Message)
}

// GoalResponseMessage is A_SendGoal_Response.
type GoalResponseMessage interface {
	Message
	GetGoalAccepted() bool
}

// ResultResponseMessage is A_GetResult_Response.
type ResultResponseMessage interface {
	Message
	GetGoalStatus() int8
	GetGoalResult() Message
}

// FeedbackMessage is A_FeedbackMessage.
type FeedbackMessage interface {
	GoalIDMessage
	GetGoalFeedback() Message
}
