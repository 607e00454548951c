package network

import (
	"math"
	"testing"
)

// TestA12WhatAMessageSays: the value is compared in the type that the field has, and what cannot be compared is a fault.
func TestA12WhatAMessageSays(t *testing.T) {
	for _, row := range []struct {
		value string
		field any
		stop  bool
		fault bool
	}{
		{"true", true, true, false}, {"true", false, false, false}, {"false", false, true, false},
		{"false", true, false, false}, {"2", true, false, true},
		{"2", uint8(2), true, false}, {"2", uint8(1), false, false}, {"0x10", uint32(16), true, false},
		{"-1", uint8(255), false, true}, {"-1", int8(-1), true, false}, {"STOP", int64(0), false, true},
		{"1.5", 1.5, true, false}, {"1", float32(1), true, false}, {"1", math.NaN(), false, true},
		{"STOP", 1.0, false, true},
		{"STOP", "STOP", true, false}, {"STOP", "stop", false, false}, {"true", "true", true, false},
		{"true", []any{true}, false, true}, {"true", map[string]any{}, false, true}, {"true", nil, false, true},
	} {
		s := Stop{Topic: "/estop", Type: "a/msg/B", Field: "data", Value: row.value}
		if stop, fault := s.Says(row.field); stop != row.stop || (fault != "") != row.fault {
			t.Errorf("%v with the value %s: stop %v, fault %q", row.field, row.value, stop, fault)
		}
	}
}
