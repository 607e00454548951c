//go:build ros

package measure

import (
	"fmt"
	"strings"

	"github.com/tiiuae/rclgo/pkg/rclgo/introspection"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"

	"rstate/internal/network"
	rcl_interfaces_msg "rstate/msgs/gen/rcl_interfaces/msg"
)

// The numbers of rcl_interfaces/msg/ParameterType.
const (
	parameterNotSet = iota
	parameterBool
	parameterInteger
	parameterDouble
	parameterString
)

// Unfit says why a field of messages of a type cannot be compared with a bound, and what to write; empty: it can.
func Unfit(kind string, support types.MessageTypeSupport, path string, bound network.Bound) string {
	msg := support.New()
	value, fault := Field(kind, msg, path)
	if fault == "" {
		_, fault = bound.Admits(value)
	}
	if fault != "" || bound.Is == nil {
		return fault
	}
	never := fmt.Sprintf("of %s is never %v; correct the network file", kind, *bound.Is)
	if err := msg.(*introspection.DynamicMessage).Set(path, bound.Is.Plain()); err != nil {
		return never
	}
	if value, _ := Field(kind, msg, path); value != *bound.Is {
		return never
	}
	return ""
}

// Field returns the value of a field of a message of that type, or why there is none.
func Field(kind string, msg types.Message, path string) (value network.Scalar, fault string) {
	dynamic, ok := msg.(*introspection.DynamicMessage)
	if !ok {
		return value, "cannot be read"
	}
	plain, err := dynamic.Get(path)
	if err != nil {
		return value, fmt.Sprintf("is no field of %s; correct the network file, the fields are %s", kind,
			strings.Join(dynamic.Fields(), ", "))
	}
	if value, ok = network.ScalarOf(plain); !ok {
		return value, fmt.Sprintf("of %s is no number, truth value or text; name a field of it", kind)
	}
	return value, ""
}

// Parameter returns the value of a parameter, or why there is none.
func Parameter(p *rcl_interfaces_msg.ParameterValue) (value network.Scalar, fault string) {
	switch p.Type {
	case parameterNotSet:
		return value, "is not set; set it, or correct its name in the network file"
	case parameterBool:
		return network.Truth(p.BoolValue), ""
	case parameterInteger:
		return network.Number(float64(p.IntegerValue)), ""
	case parameterDouble:
		return network.Number(p.DoubleValue), ""
	case parameterString:
		return network.Text(p.StringValue), ""
	}
	return value, "is a list, which no check can compare"
}
