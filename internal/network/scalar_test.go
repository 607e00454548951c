package network

import (
	"math"
	"testing"
)

// TestA12WhatAMessageSays: a field is compared with a value of its own kind, and all else is a fault. The text "1" is
// not the number 1.
func TestA12WhatAMessageSays(t *testing.T) {
	yes, no := Truth(true), Truth(false)
	for _, row := range []struct {
		value Scalar
		field any
		stop  bool
		fault bool
	}{
		{yes, true, true, false}, {yes, false, false, false}, {no, false, true, false}, {no, true, false, false},
		{Number(2), true, false, true}, {Text("true"), true, false, true},
		{Number(2), uint8(2), true, false}, {Number(2), uint8(1), false, false}, {Number(16), uint32(16), true, false},
		{Number(-1), uint8(255), false, false}, {Number(-1), int8(-1), true, false},
		{Text("STOP"), int64(0), false, true}, {Text("1"), int64(1), false, true}, {yes, int64(1), false, true},
		{Number(1.5), 1.5, true, false}, {Number(1), float32(1), true, false}, {Number(1), math.NaN(), false, true},
		{Text("STOP"), "STOP", true, false}, {Text("STOP"), "stop", false, false}, {Text("1"), "1", true, false},
		{Number(1), "1", false, true}, {yes, "true", false, true},
		{yes, []any{true}, false, true}, {yes, map[string]any{}, false, true}, {yes, nil, false, true},
	} {
		s := Stop{Topic: "/estop", Type: "a/msg/B", Field: "data", Value: row.value}
		field, _ := ScalarOf(row.field)
		if stop, fault := s.Says(field); stop != row.stop || (fault != "") != row.fault {
			t.Errorf("%v with the value %v: stop %v, fault %q", row.field, row.value, stop, fault)
		}
	}
}

// TestA11AFloat32IsShownAsOne: with the shortest text that is the same float32, and compared as the number that it is.
func TestA11AFloat32IsShownAsOne(t *testing.T) {
	for _, c := range []struct {
		field any
		shown string
	}{
		{float32(0.3), "0.3"}, {float32(0.1), "0.1"}, {float32(16777216), "1.6777216e+07"}, {float32(1), "1"},
		{float32(-2.5), "-2.5"}, {float32(math.MaxFloat32), "3.4028235e+38"}, {float32(math.Inf(1)), "+Inf"},
		{0.3, "0.3"}, {float64(float32(0.3)), "0.30000001192092896"}, {int32(3), "3"},
	} {
		if s, _ := ScalarOf(c.field); s.String() != c.shown {
			t.Errorf("%T %v is shown as %v, not %s", c.field, c.field, s, c.shown)
		}
	}
	third, _ := ScalarOf(float32(0.3))
	same, above := Number(float64(float32(0.3))), 0.3
	for b, want := range map[*Bound]bool{{Is: &same}: true, {Is: &Scalar{Kind: NumberScalar, Number: 0.3}}: false,
		{Above: &above}: true, {Below: &above}: false} {
		if within, fault := b.Admits(third); within != want || fault != "" {
			t.Errorf("%v admits it: %v, %s", b, within, fault)
		}
	}
}

// TestA11ParametersAreReadAsROSDoes: the text decides on the type.
func TestA11ParametersAreReadAsROSDoes(t *testing.T) {
	for text, want := range map[string]any{
		"1": int64(1), "-3": int64(-3), "1.0": 1.0, "0.5": 0.5, "-2.0": -2.0, "1e3": 1000.0, "1.": 1.0,
		"9223372036854775807": int64(math.MaxInt64), "9223372036854775808": 9223372036854775808.0,
		"true": true, "false": false, `"1"`: "1", `"1.0"`: "1.0", `"true"`: "true", "front": "front", "": "",
	} {
		if got := ParameterSaid(text); got != want {
			t.Errorf("%q is read as %v (%[2]T), not %v (%[3]T)", text, got, want)
		}
	}
}

// TestA11PlainValues: a value becomes the one of Go's that it was made of.
func TestA11PlainValues(t *testing.T) {
	for _, want := range []any{true, false, "", "1", int64(1), int64(-3), 0.5, 1e300} {
		if s, ok := ScalarOf(want); !ok || s.Plain() != want {
			t.Errorf("%v (%T) became %v (%T)", want, want, s.Plain(), s.Plain())
		}
	}
}

// TestA11AnExampleIsWithinItsBound, so that a demo node passes its checks.
func TestA11AnExampleIsWithinItsBound(t *testing.T) {
	at := func(n float64) *float64 { return &n }
	yes, word := Truth(true), Text("automatic")
	for _, c := range []struct {
		Bound
		want Scalar
	}{
		{Bound{Is: &yes}, yes},
		{Bound{Is: &word}, word},
		{Bound{Above: at(0.2)}, Number(1)},
		{Bound{Above: at(1)}, Number(2)},
		{Bound{Above: at(-1.5)}, Number(-1)},
		{Bound{Below: at(60)}, Number(59)},
		{Bound{Below: at(0.5)}, Number(0)},
		{Bound{Above: at(0), Below: at(2)}, Number(1)},
		{Bound{Above: at(0.25), Below: at(0.75)}, Number(0.5)},
	} {
		if got := c.Example(); got != c.want {
			t.Errorf("%v: %v, not %v", c.Bound, got, c.want)
		}
		if ok, fault := c.Admits(c.want); !ok {
			t.Errorf("%v does not admit its example: %s", c.Bound, fault)
		}
		if said := Said(c.want.String()); said != c.want {
			t.Errorf("%v is read as %v", c.want, said)
		}
	}
	for text, want := range map[string]Scalar{
		"0.8": Number(0.8), "-3": Number(-3), "true": Truth(true), "True": Text("True"), "": Text(""),
		"ready": Text("ready"), `"1"`: Text("1"), `"a`: Text(`"a`),
	} {
		if got := Said(text); got != want {
			t.Errorf("%q is read as %v, not %v", text, got, want)
		}
	}
}
