package network

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"rstate/internal/strict"
)

// Single values, which are read from a message or a parameter and compared with the network file.

// Scalar is a number, a truth value or a text.
type Scalar struct {
	Kind   ScalarKind
	Number float64
	Truth  bool
	Text   string
	Single bool // the number was measured as a float32, and is shown as one
}

// ScalarKind says which of its fields a Scalar has.
type ScalarKind uint8

// The kinds of values.
const (
	NoScalar ScalarKind = iota
	NumberScalar
	TruthScalar
	TextScalar
)

func (k ScalarKind) String() string {
	return [...]string{"without a value", "a number", "true or false", "a text"}[k]
}

// Number is a number as a Scalar.
func Number(n float64) Scalar { return Scalar{Kind: NumberScalar, Number: n} }

// Truth is a truth value as a Scalar.
func Truth(yes bool) Scalar { return Scalar{Kind: TruthScalar, Truth: yes} }

// Text is a text as a Scalar.
func Text(text string) Scalar { return Scalar{Kind: TextScalar, Text: text} }

// ScalarOf returns a value of Go's as a Scalar. ok is false if it is no single value.
func ScalarOf(plain any) (s Scalar, ok bool) {
	switch v := reflect.ValueOf(plain); {
	case v.Kind() == reflect.Bool:
		return Truth(v.Bool()), true
	case v.Kind() == reflect.String:
		return Text(v.String()), true
	case v.CanInt():
		return Number(float64(v.Int())), true
	case v.CanUint():
		return Number(float64(v.Uint())), true
	case v.CanFloat():
		s = Number(v.Float())
		s.Single = v.Kind() == reflect.Float32
		return s, true
	}
	return s, false
}

func (s Scalar) String() string {
	switch s.Kind {
	case NumberScalar:
		bits := 64
		if s.Single {
			bits = 32
		}
		return strconv.FormatFloat(s.Number, 'g', -1, bits)
	case TruthScalar:
		return strconv.FormatBool(s.Truth)
	case TextScalar:
		return strconv.Quote(s.Text)
	}
	return "nothing"
}

// Equal reports whether two values are the same, however they were measured.
func (s Scalar) Equal(o Scalar) bool {
	s.Single, o.Single = false, false
	return s == o
}

// Said reads a value as people write it: true, false, a number, or a text, also in double quotes.
func Said(text string) Scalar {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return Number(n)
	}
	if quoted, err := strconv.Unquote(text); err == nil {
		return Text(quoted)
	}
	if text == "true" || text == "false" {
		return Truth(text == "true")
	}
	return Text(text)
}

// ParameterSaid reads the value of a parameter as the parameter files of ROS do, which are YAML: 1 is an integer, 1.0 a
// double, true a bool, and "1" a string.
func ParameterSaid(text string) any {
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		return whole
	}
	if s := Said(text); s.Kind != NumberScalar {
		return s.Plain()
	}
	return Said(text).Number
}

// Plain returns the value as one of Go's. A whole number is an int64.
func (s Scalar) Plain() any {
	switch whole := int64(s.Number); {
	case s.Kind == TruthScalar:
		return s.Truth
	case s.Kind == TextScalar:
		return s.Text
	case float64(whole) == s.Number:
		return whole
	}
	return s.Number
}

// scalarKind reads a single value. A text in quotes stays a text: "1" is not 1.
func scalarKind() strict.Kind[Scalar] {
	return strict.Kind[Scalar]{
		Schema: strict.Schema{"type": []string{"number", "boolean", "string"}},
		Read: func(v strict.Value, into *Scalar) {
			const wanted = "a number, true, false or a text"
			text, ok := v.Text(wanted)
			*into = Scalar{} // what is faulty has no value, not that of the default
			switch {
			case !ok:
			case v.IsBool():
				*into = Truth(strings.EqualFold(text, "true"))
			case v.IsNumber():
				n := math.NaN()
				if strict.FloatOf(wanted).Read(v, &n); !math.IsNaN(n) {
					*into = Number(n)
				}
			case !v.IsQuoted() && tooLarge(text):
				v.Fault(fmt.Sprintf("%q is no finite number", text), "write a smaller number, or put a text in quotes")
			default:
				*into = Text(text)
			}
		},
		Show: Scalar.Plain,
		Write: func(s Scalar) strict.Written {
			switch s.Kind {
			case NumberScalar:
				return strict.Scalar(s.Number)
			case TruthScalar:
				return strict.Scalar(s.Truth)
			}
			return strict.Quoted(s.Text)
		},
	}
}

// tooLarge reports whether a text is a number that no float64 holds.
func tooLarge(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return errors.Is(err, strconv.ErrRange)
}

// Bound is what a measured value is compared with.
type Bound struct {
	Above, Below *float64 // the value is greater than the one and smaller than the other; nil: no limit
	Is           *Scalar  // the value is equal to it; nil: any
}

// Given reports whether the bound says anything.
func (b Bound) Given() bool { return b.Above != nil || b.Below != nil || b.Is != nil }

// empty reports whether no number is within the bound.
func (b Bound) empty() bool { return b.Above != nil && b.Below != nil && *b.Above >= *b.Below }

// Example returns a value within the bound, a whole number if one is.
func (b Bound) Example() Scalar {
	switch {
	case b.Is != nil:
		return *b.Is
	case b.Above == nil && b.Below == nil:
		return Scalar{}
	case b.Above == nil:
		return Number(math.Ceil(*b.Below) - 1)
	}
	next := math.Floor(*b.Above) + 1
	if b.Below != nil && next >= *b.Below {
		next = (*b.Above + *b.Below) / 2
	}
	return Number(next)
}

func (b Bound) String() string {
	var words []string
	if b.Above != nil {
		words = append(words, "above "+Number(*b.Above).String())
	}
	if b.Below != nil {
		words = append(words, "below "+Number(*b.Below).String())
	}
	if b.Is != nil {
		words = append(words, b.Is.String())
	}
	return strings.Join(words, " and ")
}

// kind is the kind of values that a bound compares.
func (b Bound) kind() ScalarKind {
	if b.Is != nil {
		return b.Is.Kind
	}
	return NumberScalar
}

// Admits reports whether a value is within the bound. fault says why the two cannot be compared, and what to do.
func (b Bound) Admits(v Scalar) (within bool, fault string) {
	switch {
	case v.Kind != b.kind():
		return false, fmt.Sprintf("is %v, and the network file compares it with %v; correct the network file", v.Kind,
			b.kind())
	case math.IsNaN(v.Number):
		return false, "is no number (NaN)"
	case b.Above != nil && v.Number <= *b.Above, b.Below != nil && v.Number >= *b.Below:
		return false, ""
	}
	return b.Is == nil || b.Is.Equal(v), ""
}
