//go:build ros

package measure

import (
	"fmt"
	"math"
	"reflect"
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
	switch {
	case fault != "":
		return fault
	case bound.Is != nil:
		return never(kind, msg, path, *bound.Is)
	case bound.Above == nil && bound.Below == nil:
		return ""
	}
	plain, _ := msg.(*introspection.DynamicMessage).Get(path)
	least, most := limits(reflect.TypeOf(plain))
	switch {
	case bound.Above != nil && *bound.Above >= most:
		return fmt.Sprintf("of %s is at most %v; write a smaller number as above:", kind, network.Number(most))
	case bound.Below != nil && *bound.Below <= least:
		return fmt.Sprintf("of %s is at least %v; write a greater number as below:", kind, network.Number(least))
	}
	return ""
}

// never says why a field never has a value; empty: it may.
func never(kind string, msg types.Message, path string, is network.Scalar) string {
	words := fmt.Sprintf("of %s is never %v", kind, is)
	if err := msg.(*introspection.DynamicMessage).Set(path, is.Plain()); err != nil {
		return words + "; correct the network file"
	}
	switch value, _ := Field(kind, msg, path); {
	case value.Equal(is):
		return ""
	case is.Kind == network.NumberScalar && !math.IsInf(value.Number, 0):
		return fmt.Sprintf("%s: as a float32 that is %v; write %[2]v", words, network.Number(value.Number))
	}
	return words + "; correct the network file"
}

// limits returns the least and the greatest number that a type of Go's holds, which is that of a field.
func limits(t reflect.Type) (least, most float64) {
	bits := float64(t.Bits())
	switch zero := reflect.Zero(t); {
	case zero.CanInt():
		return -math.Exp2(bits - 1), math.Exp2(bits-1) - 1
	case zero.CanUint():
		return 0, math.Exp2(bits) - 1
	case bits == 32:
		return -math.MaxFloat32, math.MaxFloat32
	}
	return -math.MaxFloat64, math.MaxFloat64
}

// Field returns the value of a field of a message of that type, or why there is none.
func Field(kind string, msg types.Message, path string) (value network.Scalar, fault string) {
	dynamic, ok := msg.(*introspection.DynamicMessage)
	if !ok {
		return value, "cannot be read"
	}
	plain, err := dynamic.Get(path)
	if err != nil && len(dynamic.Fields()) == 0 {
		return value, fmt.Sprintf("is no field of %s: the type has no fields, so no value can be compared or say stop; "+
			"use a type with a field", kind)
	}
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
