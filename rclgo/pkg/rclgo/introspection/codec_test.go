package introspection

import (
	"testing"
	"unsafe"
)

// No installed test message has a long double, a wchar or a byte that is no bool.

func TestLongDouble(t *testing.T) {
	if longDoubleSize < 8 {
		t.Fatalf("a long double has %d bytes", longDoubleSize)
	}
	for _, want := range []float64{0, -1.25, 1e300, 3.1415} {
		c := make([]uint64, (longDoubleSize+7)/8+1)
		got := 0.0
		if err := (longDoubleCoder{}).encode(unsafe.Pointer(&c[0]), unsafe.Pointer(&want)); err != nil {
			t.Fatal(err)
		}
		longDoubleCoder{}.decode(unsafe.Pointer(&got), unsafe.Pointer(&c[0]))
		if got != want {
			t.Errorf("%v came back as %v", want, got)
		}
	}
}

func TestAnyByteButZeroIsTrue(t *testing.T) {
	for c, want := range map[uint8]bool{0: false, 1: true, 2: true, 255: true} {
		var got bool
		boolCoder{}.decode(unsafe.Pointer(&got), unsafe.Pointer(&c))
		if got != want {
			t.Errorf("%d is read as %v", c, got)
		}
	}
}

func TestNeighboursBecomeOneCopyAndGapsNone(t *testing.T) {
	var s structCoder
	for _, f := range []fieldCoder{
		{"a", 0, 0, plainCoder{4}}, {"b", 4, 4, plainCoder{4}}, // side by side
		{"c", 8, 8, plainCoder{1}},
		{"d", 16, 16, plainCoder{8}}, // after padding
		{"e", 24, 24, stringCoder{}},
		{"f", 40, 48, plainCoder{2}}, // at another place in C
		{"g", 42, 50, &arrayCoder{newElements(plainCoder{2}, 2, 2), 3}},
	} {
		s.add(f)
	}
	sizes := map[string]uintptr{}
	for _, f := range s.fields {
		sizes[f.name], _ = plainSize(f.coder)
	}
	if want := (map[string]uintptr{"a": 9, "d": 8, "e": 0, "f": 8}); len(sizes) != len(want) ||
		sizes["a"] != 9 || sizes["d"] != 8 || sizes["f"] != 8 {
		t.Errorf("copies are %v, want %v", sizes, want)
	}
}
