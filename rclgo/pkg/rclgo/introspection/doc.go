// Package introspection maps every installed ROS type to Go without generated cgo. It looks
// type supports up by name on their first use (dlopen, dlsym), reads the layout of the C
// structs from rosidl_typesupport_introspection_c, and copies messages between those structs
// and plain Go structs.
//
// API outline: NewMessageType, NewServiceType and NewActionType make the type
// supports of generated bindings; LoadDynamic and LoadDynamicService make them from
// a name alone. All of them implement types.Checker; message types implement
// types.Encoder and types.Decoder too.
//
// It imports types and, in cseam.go alone, C. Package rclgo imports it; it must not import
// package rclgo.
package introspection

import _ "github.com/tiiuae/rclgo/internal/roscheck"
