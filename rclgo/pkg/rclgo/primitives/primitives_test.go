package primitives_test

import (
	"slices"
	"testing"
	"unsafe"

	test_msgs_msg "github.com/tiiuae/rclgo/internal/testmsgs/test_msgs/msg"
	"github.com/tiiuae/rclgo/pkg/rclgo/primitives"
	"github.com/tiiuae/rclgo/pkg/rclgo/types"
)

// inC lends memory for a message in C, which rosidl initializes and finalizes.
func inC(t *testing.T, ts types.MessageTypeSupport, use func(p unsafe.Pointer)) {
	t.Helper()
	p := ts.PrepareMemory()
	if p == nil {
		t.Fatal("no memory")
	}
	defer ts.ReleaseMemory(p)
	use(p)
}

// TestLayoutIsRosidls writes fields with this package and reads them with the type support, and
// the other way round.
func TestLayoutIsRosidls(t *testing.T) {
	words := []string{"", "grüße", "😀"}
	t.Run("string", func(t *testing.T) {
		inC(t, test_msgs_msg.StringsTypeSupport, func(p unsafe.Pointer) {
			var m test_msgs_msg.Strings
			for _, w := range words {
				primitives.StringAsCStruct(p, w) // string_value is the first field
				test_msgs_msg.StringsTypeSupport.AsGoStruct(&m, p)
				if m.StringValue != w {
					t.Errorf("C got %q, want %q", m.StringValue, w)
				}
				m.StringValue = w + w
				test_msgs_msg.StringsTypeSupport.AsCStruct(p, &m)
				var back string
				if primitives.StringAsGoStruct(&back, p); back != w+w {
					t.Errorf("Go got %q", back)
				}
			}
		})
	})
	t.Run("wide string", func(t *testing.T) {
		inC(t, test_msgs_msg.WStringsTypeSupport, func(p unsafe.Pointer) {
			var m test_msgs_msg.WStrings
			for _, w := range words {
				primitives.U16StringAsCStruct(p, w)
				test_msgs_msg.WStringsTypeSupport.AsGoStruct(&m, p)
				if m.WstringValue != w {
					t.Errorf("C got %q, want %q", m.WstringValue, w)
				}
				var back string
				if primitives.U16StringAsGoStruct(&back, p); back != w {
					t.Errorf("Go got %q", back)
				}
			}
		})
	})
	t.Run("sequence", func(t *testing.T) {
		inC(t, test_msgs_msg.UnboundedSequencesTypeSupport, func(p unsafe.Pointer) {
			// bool_values is the first field.
			s := (*primitives.CBool__Sequence)(p)
			primitives.Bool__Sequence_to_C(s, []bool{true, false, true})
			var m test_msgs_msg.UnboundedSequences
			test_msgs_msg.UnboundedSequencesTypeSupport.AsGoStruct(&m, p)
			if !slices.Equal(m.BoolValues, []bool{true, false, true}) {
				t.Errorf("C got %v", m.BoolValues)
			}
			m.BoolValues = []bool{false, true}
			test_msgs_msg.UnboundedSequencesTypeSupport.AsCStruct(p, &m)
			var back []bool
			if primitives.Bool__Sequence_to_Go(&back, *s); !slices.Equal(back, m.BoolValues) {
				t.Errorf("Go got %v", back)
			}
		})
	})
	t.Run("array", func(t *testing.T) {
		inC(t, test_msgs_msg.ArraysTypeSupport, func(p unsafe.Pointer) {
			s := unsafe.Slice((*primitives.CBool)(p), 3) // bool_values is the first field
			primitives.Bool__Array_to_C(s, []bool{true, false, true})
			var m test_msgs_msg.Arrays
			test_msgs_msg.ArraysTypeSupport.AsGoStruct(&m, p)
			if m.BoolValues != [3]bool{true, false, true} {
				t.Errorf("C got %v", m.BoolValues)
			}
			back := make([]bool, 3)
			if primitives.Bool__Array_to_Go(back, s); !slices.Equal(back, m.BoolValues[:]) {
				t.Errorf("Go got %v", back)
			}
		})
	})
}

// TestEveryKind copies values of each type to C and back.
func TestEveryKind(t *testing.T) {
	kind(t, "bool", []bool{true, false}, primitives.Bool__Sequence_to_C, primitives.Bool__Sequence_to_Go)
	kind(t, "byte", []byte{0, 255}, primitives.Byte__Sequence_to_C, primitives.Byte__Sequence_to_Go)
	kind(t, "char", []byte{0, 255}, primitives.Char__Sequence_to_C, primitives.Char__Sequence_to_Go)
	kind(t, "float32", []float32{1.5, -2}, primitives.Float32__Sequence_to_C, primitives.Float32__Sequence_to_Go)
	kind(t, "float64", []float64{1.5, -2}, primitives.Float64__Sequence_to_C, primitives.Float64__Sequence_to_Go)
	kind(t, "int8", []int8{-128, 127}, primitives.Int8__Sequence_to_C, primitives.Int8__Sequence_to_Go)
	kind(t, "int16", []int16{-1 << 15, 7}, primitives.Int16__Sequence_to_C, primitives.Int16__Sequence_to_Go)
	kind(t, "int32", []int32{-1 << 31, 7}, primitives.Int32__Sequence_to_C, primitives.Int32__Sequence_to_Go)
	kind(t, "int64", []int64{-1 << 63, 7}, primitives.Int64__Sequence_to_C, primitives.Int64__Sequence_to_Go)
	kind(t, "uint8", []uint8{255, 7}, primitives.Uint8__Sequence_to_C, primitives.Uint8__Sequence_to_Go)
	kind(t, "uint16", []uint16{1<<16 - 1, 7}, primitives.Uint16__Sequence_to_C, primitives.Uint16__Sequence_to_Go)
	kind(t, "uint32", []uint32{1<<32 - 1, 7}, primitives.Uint32__Sequence_to_C, primitives.Uint32__Sequence_to_Go)
	kind(t, "uint64", []uint64{1<<64 - 1, 7}, primitives.Uint64__Sequence_to_C, primitives.Uint64__Sequence_to_Go)
	kind(t, "string", []string{"", "ü"}, primitives.String__Sequence_to_C, primitives.String__Sequence_to_Go)
	kind(t, "wstring", []string{"", "😀"}, primitives.U16String__Sequence_to_C, primitives.U16String__Sequence_to_Go)

	text, wide := make([]primitives.CString, 2), make([]primitives.CU16String, 2)
	primitives.String__Array_to_C(text, []string{"a", "b"})
	primitives.U16String__Array_to_C(wide, []string{"a", "😀"})
	got := make([]string, 4)
	primitives.String__Array_to_Go(got[:2], text)
	primitives.U16String__Array_to_Go(got[2:], wide)
	if want := []string{"a", "b", "a", "😀"}; !slices.Equal(got, want) {
		t.Errorf("arrays of strings: %q, want %q", got, want)
	}
}

func kind[T comparable, S any](t *testing.T, name string, values []T, toC func(*S, []T), toGo func(*[]T, S)) {
	t.Helper()
	var s S
	toC(&s, values)
	var back []T
	if toGo(&back, s); !slices.Equal(back, values) {
		t.Errorf("%s: %v became %v", name, values, back)
	}
	// An empty sequence leaves the slice alone.
	toC(&s, nil)
	if toGo(&back, s); !slices.Equal(back, values) {
		t.Errorf("%s: an empty sequence made %v", name, back)
	}
}
