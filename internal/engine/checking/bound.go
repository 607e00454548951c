package checking

import (
	"fmt"
	"math"

	"rstate/internal/network"
)

// within compares a value with a bound. A value of another kind, and one that is no number, is not within any.
func within(value network.Scalar, bound network.Bound) Verdict {
	v := Verdict{Known: true, Value: value.String() + ", " + bound.String()}
	switch wanted := kindOf(bound); {
	case value.Kind == network.NumberScalar && math.IsNaN(value.Number):
		v.Fault = nowWords + "no number (NaN), not " + bound.String()
	case value.Kind != wanted:
		v.Fault = fmt.Sprintf("is %s, and the network file compares it with %s; correct the network file",
			kindWords[value.Kind], kindWords[wanted])
	case !holds(value, bound):
		v.Fault = fmt.Sprintf(nowWords+"%v, not %v", value, bound)
	}
	return v
}

var kindWords = [...]string{
	network.NoScalar: "without a value", network.NumberScalar: "a number", network.TruthScalar: "true or false",
	network.TextScalar: "a text",
}

// kindOf is the kind of values that a bound compares.
func kindOf(b network.Bound) network.ScalarKind {
	if b.Is != nil {
		return b.Is.Kind
	}
	return network.NumberScalar
}

func holds(v network.Scalar, b network.Bound) bool {
	switch {
	case b.Above != nil && !(v.Number > *b.Above), b.Below != nil && !(v.Number < *b.Below):
		return false
	}
	return b.Is == nil || *b.Is == v
}
