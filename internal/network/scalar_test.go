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

// TestA11PlainValues: a value becomes the one of Go's that it was made of.
func TestA11PlainValues(t *testing.T) {
	for _, want := range []any{true, false, "", "1", int64(1), int64(-3), 0.5, 1e300} {
		if s, ok := ScalarOf(want); !ok || s.Plain() != want {
			t.Errorf("%v (%T) became %v (%T)", want, want, s.Plain(), s.Plain())
		}
	}
}
