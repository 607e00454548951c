package checking

import (
	"fmt"

	"rstate/internal/network"
)

// within compares a value with a bound. A value of another kind, and one that is no number, is not within any.
func within(value network.Scalar, bound network.Bound) Verdict {
	v := Verdict{Known: true, Value: value.String() + ", " + bound.String()}
	within, fault := bound.Admits(value)
	if v.Fault = fault; fault == "" && !within {
		v.Fault = fmt.Sprintf(nowWords+"%v, not %v", value, bound)
	}
	if fault == "" && value.Kind == network.NumberScalar {
		v.Number = value
	}
	return v
}
