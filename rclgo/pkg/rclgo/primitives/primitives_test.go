package primitives_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tiiuae/rclgo/internal/lyrical"
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

// TestCapacityOfStrings: in memory that is used again the capacity is that of the text, as middlewares check.
func TestCapacityOfStrings(t *testing.T) {
	type header struct{ data, size, capacity uintptr }
	check := func(what string, p unsafe.Pointer, units int) {
		if h := (*header)(p); h.size != uintptr(units) || h.capacity != h.size+1 {
			t.Errorf("%s of %d: size %d, capacity %d", what, units, h.size, h.capacity)
		}
	}
	var text primitives.CString
	var wide primitives.CU16String
	var texts primitives.CString__Sequence
	for _, m := range []string{"a long text", "short", "", "x"} {
		primitives.StringAsCStruct(unsafe.Pointer(&text), m)
		check("string", unsafe.Pointer(&text), len(m))
		primitives.U16StringAsCStruct(unsafe.Pointer(&wide), m)
		check("wide string", unsafe.Pointer(&wide), len(m))
		primitives.String__Sequence_to_C(&texts, []string{m, m})
		for i := range 2 {
			check("string of a sequence", unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&texts)), uintptr(i)*24), len(m))
		}
	}
}

// TestSequencesHaveTheSizeOfC: those of primitives have flags since Lyrical, and reset clears them.
func TestSequencesHaveTheSizeOfC(t *testing.T) {
	want := uintptr(24)
	if strings.HasPrefix(rosidlSequence(t), "32") {
		want = 32
	}
	if got := unsafe.Sizeof(primitives.CFloat64__Sequence{}); got != want {
		t.Errorf("a sequence of numbers has %d bytes, in C %d", got, want)
	}
	if got := unsafe.Sizeof(primitives.CString__Sequence{}); got != 24 {
		t.Errorf("a sequence of strings has %d bytes", got)
	}
	var words [4]uint64
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&words)), unsafe.Sizeof(words))
	for i := range memory {
		memory[i] = 0xAA // what the destination may hold
	}
	primitives.Float64__Sequence_to_C((*primitives.CFloat64__Sequence)(unsafe.Pointer(&words)), nil)
	for i, b := range memory[:want] {
		if b != 0 && i < 26 { // what follows the flags is padding
			t.Errorf("byte %d is %#x", i, b)
		}
	}
}

// rosidlSequence asks the C compiler for the size of a sequence of numbers.
func rosidlSequence(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "size")
	source := file + ".c"
	if err := os.WriteFile(source, []byte("#include <stdio.h>\n#include <rosidl_runtime_c/primitives_sequence.h>\n"+
		"int main(void) { printf(\"%zu\", sizeof(rosidl_runtime_c__double__Sequence)); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := lyrical.Compile(false, "-o", file, source); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(file).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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
