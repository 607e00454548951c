package rclgo

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// ParameterType is the type of a parameter's value, with the numbers of
// rcl_interfaces/msg/ParameterType.
type ParameterType uint8

// The types of parameters.
const (
	ParameterNotSet ParameterType = iota
	ParameterBool
	ParameterInteger
	ParameterDouble
	ParameterString
	ParameterByteArray
	ParameterBoolArray
	ParameterIntegerArray
	ParameterDoubleArray
	ParameterStringArray
)

var parameterTypeNames = [...]string{"not set", "bool", "integer", "double", "string",
	"byte array", "bool array", "integer array", "double array", "string array"}

func (t ParameterType) String() string {
	if int(t) < len(parameterTypeNames) {
		return parameterTypeNames[t]
	}
	return "ParameterType(" + strconv.Itoa(int(t)) + ")"
}

// ParameterValue is the Go type of a parameter's value, one for each ParameterType but
// ParameterNotSet.
type ParameterValue interface {
	bool | int64 | float64 | string | []byte | []bool | []int64 | []float64 | []string
}

// Parameter is a parameter's name and value. The value is nil or of one of the types of
// ParameterValue. Methods that take a Parameter also accept other integers and floats, and
// slices of ints. They copy slices.
type Parameter struct {
	Name  string
	Value any
}

// ParameterDescriptor describes a parameter.
type ParameterDescriptor struct {
	Name string // filled in by Describe
	// Type may be left out if there is a default value, whose type then applies.
	Type                  ParameterType
	Description           string
	AdditionalConstraints string // free text
	ReadOnly              bool   // the value cannot be changed after the declaration
	DynamicTyping         bool   // values may be of any type; setting nil undeclares it
	// At most one of the ranges, for numbers and arrays of numbers.
	FloatingPointRange *FloatingPointRange
	IntegerRange       *IntegerRange
}

// FloatingPointRange bounds a double. From and To are allowed. With a Step, values must also
// be a multiple of Step above From, up to a rounding error.
type FloatingPointRange struct{ From, To, Step float64 }

// IntegerRange bounds an integer. From and To are allowed. With a Step, values must also be
// a multiple of Step above From.
type IntegerRange struct {
	From, To int64
	Step     uint64
}

func (r *FloatingPointRange) contains(v float64) bool {
	switch {
	case !(v >= r.From && v <= r.To):
		return false
	case r.Step == 0 || v == r.To:
		return true
	}
	steps := (v - r.From) / r.Step
	return math.Abs(steps-math.Round(steps)) <= 1e-6
}

func (r *FloatingPointRange) String() string {
	return rangeText(fmt.Sprint(r.From), fmt.Sprint(r.To), fmt.Sprint(r.Step), r.Step == 0)
}

func (r *IntegerRange) contains(v int64) bool {
	switch {
	case v < r.From || v > r.To:
		return false
	case r.Step == 0 || v == r.To:
		return true
	}
	return uint64(v-r.From)%r.Step == 0
}

func (r *IntegerRange) String() string {
	return rangeText(fmt.Sprint(r.From), fmt.Sprint(r.To), fmt.Sprint(r.Step), r.Step == 0)
}

func rangeText(from, to, step string, any bool) string {
	if any {
		return "from " + from + " to " + to
	}
	return "from " + from + " to " + to + " in steps of " + step
}

// normalValue returns v as one of the types of ParameterValue, copied, and its type.
func normalValue(v any) (any, ParameterType, error) {
	switch v := v.(type) {
	case nil:
		return nil, ParameterNotSet, nil
	case bool:
		return v, ParameterBool, nil
	case int64:
		return v, ParameterInteger, nil
	case float64:
		return v, ParameterDouble, nil
	case string:
		return v, ParameterString, nil
	case []byte:
		return slices.Clone(v), ParameterByteArray, nil
	case []bool:
		return slices.Clone(v), ParameterBoolArray, nil
	case []int64:
		return slices.Clone(v), ParameterIntegerArray, nil
	case []float64:
		return slices.Clone(v), ParameterDoubleArray, nil
	case []string:
		return slices.Clone(v), ParameterStringArray, nil
	}
	return convertedValue(v)
}

// convertedValue converts types whose underlying type is one of ParameterValue.
func convertedValue(v any) (any, ParameterType, error) {
	switch v := v.(type) {
	case int:
		return int64(v), ParameterInteger, nil
	case int32:
		return int64(v), ParameterInteger, nil
	case int16:
		return int64(v), ParameterInteger, nil
	case int8:
		return int64(v), ParameterInteger, nil
	case uint8:
		return int64(v), ParameterInteger, nil
	case uint16:
		return int64(v), ParameterInteger, nil
	case uint32:
		return int64(v), ParameterInteger, nil
	case float32:
		return float64(v), ParameterDouble, nil
	case []int:
		list := make([]int64, len(v))
		for i, n := range v {
			list[i] = int64(n)
		}
		return list, ParameterIntegerArray, nil
	}
	return nil, ParameterNotSet, fmt.Errorf("a %T is no value of a parameter; use bool, int64, float64, string or a slice of them or of bytes", v)
}

// copyValue copies a normal value.
func copyValue(v any) any {
	c, _, _ := normalValue(v)
	return c
}

// complete fills in the type and reports what is wrong with the descriptor of a parameter
// with that default.
func (d *ParameterDescriptor) complete(defaultType ParameterType) error {
	if d.Type == ParameterNotSet {
		d.Type = defaultType
	}
	switch {
	case d.Type > ParameterStringArray:
		return fmt.Errorf("its descriptor has the unknown type %v", d.Type)
	case d.Type == ParameterNotSet && !d.DynamicTyping:
		return errors.New("it has no type; give it a default value, or a type in its descriptor")
	case d.IntegerRange != nil && d.FloatingPointRange != nil:
		return errors.New("it has two ranges; leave one out")
	}
	if r := d.IntegerRange; r != nil && r.From > r.To {
		return fmt.Errorf("its range is empty: %v", r)
	}
	if r := d.FloatingPointRange; r != nil && !(r.From <= r.To && r.Step >= 0) {
		return fmt.Errorf("its range is empty: %v", r)
	}
	return nil
}

// admits reports why the parameter cannot have a value of that type; nil if it can.
func (d *ParameterDescriptor) admits(v any, t ParameterType) error {
	if t == ParameterNotSet && !d.DynamicTyping {
		return fmt.Errorf("it is of type %v, and cannot be unset", d.Type)
	}
	if t != d.Type && !d.DynamicTyping {
		hint := ""
		if d.Type == ParameterDouble && t == ParameterInteger {
			hint = fmt.Sprintf("; write %v.0", v)
		}
		return fmt.Errorf("it is of type %v, and %v is of type %v%s", d.Type, v, t, hint)
	}
	switch v := v.(type) {
	case int64:
		return d.admitsIntegers(v)
	case []int64:
		return d.admitsIntegers(v...)
	case float64:
		return d.admitsDoubles(v)
	case []float64:
		return d.admitsDoubles(v...)
	}
	return nil
}

func (d *ParameterDescriptor) admitsIntegers(list ...int64) error {
	for _, v := range list {
		if d.IntegerRange != nil && !d.IntegerRange.contains(v) {
			return fmt.Errorf("%d is out of range, which is %v", v, d.IntegerRange)
		}
	}
	return nil
}

func (d *ParameterDescriptor) admitsDoubles(list ...float64) error {
	for _, v := range list {
		if d.FloatingPointRange != nil && !d.FloatingPointRange.contains(v) {
			return fmt.Errorf("%v is out of range, which is %v", v, d.FloatingPointRange)
		}
	}
	return nil
}

// clone copies what a descriptor points to.
func (d ParameterDescriptor) clone() ParameterDescriptor {
	if d.FloatingPointRange != nil {
		r := *d.FloatingPointRange
		d.FloatingPointRange = &r
	}
	if d.IntegerRange != nil {
		r := *d.IntegerRange
		d.IntegerRange = &r
	}
	return d
}
