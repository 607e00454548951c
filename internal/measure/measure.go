//go:build ros

package measure

import (
	"fmt"
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

// Unfit says why a field of messages of a type cannot be compared, and what to write; empty: it can.
func Unfit(kind string, support types.MessageTypeSupport, path string) string {
	_, fault := Field(kind, support.New(), path)
	return fault
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
	if value, ok = scalar(plain); !ok {
		return value, fmt.Sprintf("of %s is no number, truth value or text; name a field of it", kind)
	}
	return value, ""
}

func scalar(plain any) (value network.Scalar, ok bool) {
	switch v := reflect.ValueOf(plain); {
	case v.Kind() == reflect.Bool:
		return network.Scalar{Kind: network.TruthScalar, Truth: v.Bool()}, true
	case v.Kind() == reflect.String:
		return network.Scalar{Kind: network.TextScalar, Text: v.String()}, true
	case v.CanInt():
		return number(float64(v.Int())), true
	case v.CanUint():
		return number(float64(v.Uint())), true
	case v.CanFloat():
		return number(v.Float()), true
	}
	return value, false
}

func number(n float64) network.Scalar { return network.Scalar{Kind: network.NumberScalar, Number: n} }

// Parameter returns the value of a parameter, or why there is none.
func Parameter(p *rcl_interfaces_msg.ParameterValue) (value network.Scalar, fault string) {
	switch p.Type {
	case parameterNotSet:
		return value, "is not set; set it, or correct its name in the network file"
	case parameterBool:
		return network.Scalar{Kind: network.TruthScalar, Truth: p.BoolValue}, ""
	case parameterInteger:
		return number(float64(p.IntegerValue)), ""
	case parameterDouble:
		return number(p.DoubleValue), ""
	case parameterString:
		return network.Scalar{Kind: network.TextScalar, Text: p.StringValue}, ""
	}
	return value, "is a list, which no check can compare"
}
