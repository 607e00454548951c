package httpapi

import (
	"math"
	"reflect"
)

// finite replaces the numbers in a message that JSON does not have by the texts "NaN", "Infinity" and
// "-Infinity", as the JSON of protocol buffers does. A laser scan is full of them.
func finite(value any) any {
	switch v := value.(type) {
	case map[string]any:
		fields := make(map[string]any, len(v))
		for name, field := range v {
			fields[name] = finite(field)
		}
		return fields
	case []any:
		return each(reflect.ValueOf(v))
	case float32:
		return numeral(float64(v), v)
	case float64:
		return numeral(v, v)
	}
	if list := reflect.ValueOf(value); list.IsValid() && hasFloats(list) {
		return each(list)
	}
	return value
}

// hasFloats reports whether a value is a list of floats, of any length and size.
func hasFloats(v reflect.Value) bool {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return false
	}
	kind := v.Type().Elem().Kind()
	return kind == reflect.Float32 || kind == reflect.Float64
}

func each(list reflect.Value) []any {
	all := make([]any, list.Len())
	for i := range all {
		all[i] = finite(list.Index(i).Interface())
	}
	return all
}

// numeral returns a number as it is, or the text of one that is not finite.
func numeral(n float64, asIs any) any {
	switch {
	case math.IsNaN(n):
		return "NaN"
	case math.IsInf(n, 1):
		return "Infinity"
	case math.IsInf(n, -1):
		return "-Infinity"
	}
	return asIs
}
