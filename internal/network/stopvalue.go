package network

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Says reports whether a value of the field says stop. fault says why the value cannot be compared with that of
// the network file, and what to do; such a message counts as one that cannot be read.
func (s *Stop) Says(field any) (stop bool, fault string) {
	v := reflect.ValueOf(field)
	wants := func(kind string) string {
		return fmt.Sprintf("%s of %s is %s, and %q is none: correct `value` or `field` of the stop input", s.Field,
			s.Type, kind, s.Value)
	}
	switch {
	case v.Kind() == reflect.Bool:
		want, err := strconv.ParseBool(s.Value)
		if err != nil {
			return false, wants("true or false")
		}
		return v.Bool() == want, ""
	case v.CanInt():
		want, err := strconv.ParseInt(s.Value, 0, 64)
		if err != nil {
			return false, wants("a whole number")
		}
		return v.Int() == want, ""
	case v.CanUint():
		want, err := strconv.ParseUint(s.Value, 0, 64)
		if err != nil {
			return false, wants("a whole number that is not negative")
		}
		return v.Uint() == want, ""
	case v.CanFloat():
		want, err := strconv.ParseFloat(s.Value, 64)
		if err != nil {
			return false, wants("a number")
		}
		if math.IsNaN(v.Float()) {
			return false, s.Field + " is no number"
		}
		return v.Float() == want, ""
	case v.Kind() == reflect.String:
		return v.String() == s.Value, ""
	}
	return false, fmt.Sprintf("%s of %s is no single value: name a field of it in `field` of the stop input", s.Field,
		s.Type)
}
