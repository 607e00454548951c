// Package types holds the interfaces between generated message bindings and the client
// library: those of a message, a message type, a service type and an action type. Both sides
// import it, so it imports the standard library only.
package types

import (
	"encoding/hex"
	"time"
	"unsafe"
)

// Message is one ROS message as a Go value: a pointer to a generated struct, or a
// dynamic message.
type Message interface {
	// CloneMsg returns a deep copy.
	CloneMsg() Message
	// SetDefaults sets every field to its default value, or to zero if the interface file
	// declares none.
	SetDefaults()
	// GetTypeSupport returns the type support of the message's type.
	GetTypeSupport() MessageTypeSupport
}

// MessageTypeSupport translates one message type between Go and the C structs that
// the middleware reads and writes. Pointers are to C memory.
//
// TypeSupport, PrepareMemory, AsCStruct and AsGoStruct panic if the type is not installed or a
// value does not fit, because they have no error result. Callers that want an error call Check,
// Encode and Decode of this package first.
type MessageTypeSupport interface {
	// New returns a message with default values.
	New() Message
	// PrepareMemory allocates an initialised C struct. The caller owns it and returns it with
	// ReleaseMemory.
	PrepareMemory() unsafe.Pointer
	// ReleaseMemory finalises and frees what PrepareMemory returned; nil is allowed.
	ReleaseMemory(p unsafe.Pointer)
	// AsCStruct copies src into dst, which must come from PrepareMemory and stays
	// the caller's.
	AsCStruct(dst unsafe.Pointer, src Message)
	// AsGoStruct copies src into dst. Nothing in dst refers to C memory afterwards.
	AsGoStruct(dst Message, src unsafe.Pointer)
	// TypeSupport returns the rosidl_message_type_support_t, which lives as long as
	// the process.
	TypeSupport() unsafe.Pointer
}

// ServiceTypeSupport describes one service type.
type ServiceTypeSupport interface {
	Request() MessageTypeSupport
	Response() MessageTypeSupport
	// TypeSupport returns the rosidl_service_type_support_t, which lives as long as
	// the process.
	TypeSupport() unsafe.Pointer
}

// ActionTypeSupport describes one action type and makes the messages that the client library
// itself sends.
type ActionTypeSupport interface {
	Goal() MessageTypeSupport

	SendGoal() ServiceTypeSupport
	NewSendGoalResponse(accepted bool, stamp time.Duration) Message

	Result() MessageTypeSupport

	GetResult() ServiceTypeSupport
	NewGetResultResponse(status int8, result Message) Message

	CancelGoal() ServiceTypeSupport

	Feedback() MessageTypeSupport

	FeedbackMessage() MessageTypeSupport
	NewFeedbackMessage(goalID *GoalID, feedback Message) Message

	GoalStatusArray() MessageTypeSupport

	// TypeSupport returns the rosidl_action_type_support_t, which lives as long as
	// the process.
	TypeSupport() unsafe.Pointer
}

// GoalIDLen is the length of a goal's id in bytes.
const GoalIDLen = 16

// GoalID is the UUID of one action goal.
type GoalID [GoalIDLen]byte

// String returns the id as 32 hexadecimal digits.
func (id *GoalID) String() string { return hex.EncodeToString(id[:]) }
