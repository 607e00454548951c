// Package primitives copies strings and lists of primitive types between Go and the C structs of
// rosidl. The bindings of this module do not need it. It is for programs with cgo of their own
// that were written for the original library, and keeps the original's names.
//
// Functions that copy to C allocate with malloc, as rosidl does. They do not free what the
// destination points to, which may be uninitialized. rosidl's fini functions free what they
// allocate.
package primitives

/*
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

// Since Lyrical a sequence of primitives has flags at its end. Without the headers of ROS it has none.
#if __has_include(<rosidl_runtime_c/primitives_sequence.h>)
#include <rosidl_runtime_c/primitives_sequence.h>
typedef rosidl_runtime_c__octet__Sequence rclgo_sequence;
#else
typedef struct { void *data; size_t size, capacity; } rclgo_sequence;
#endif
// The layout of strings, and of sequences of them.
typedef struct { void *data; size_t size, capacity; } rclgo_text;

static void *rclgo_allocate(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  if (!p) {
    fputs("rclgo: out of memory\n", stderr);
    abort();
  }
  return p;
}
*/
import "C"

import (
	"unicode/utf16"
	"unsafe"
)

// A Sequence has the layout of rosidl's sequences of a primitive type.
type Sequence[T any] struct{ c C.rclgo_sequence }

// A StringSequence has the layout of rosidl's sequences of strings.
type StringSequence[T any] struct{ c C.rclgo_text }

func allocate[T any](n int) *T {
	var element T
	return (*T)(C.rclgo_allocate(C.size_t(n), C.size_t(unsafe.Sizeof(element))))
}

// elementsOf returns elements in C memory.
func elementsOf[T any](data unsafe.Pointer, size C.size_t) []T {
	if size == 0 {
		return nil
	}
	return unsafe.Slice((*T)(data), int(size))
}

func (s Sequence[T]) elements() []T       { return elementsOf[T](unsafe.Pointer(s.c.data), s.c.size) }
func (s StringSequence[T]) elements() []T { return elementsOf[T](s.c.data, s.c.size) }

// reset replaces s by a sequence of n zero elements.
func (s *Sequence[T]) reset(n int) []T {
	s.c = C.rclgo_sequence{}
	if n > 0 {
		data := allocate[T](n)
		*(*unsafe.Pointer)(unsafe.Pointer(&s.c.data)) = unsafe.Pointer(data) // the type of data differs between headers
		s.c.size, s.c.capacity = C.size_t(n), C.size_t(n)
	}
	return s.elements()
}

// reset replaces s by a sequence of n zero elements.
func (s *StringSequence[T]) reset(n int) []T {
	s.c = C.rclgo_text{}
	if n > 0 {
		s.c.data, s.c.size, s.c.capacity = unsafe.Pointer(allocate[T](n)), C.size_t(n), C.size_t(n)
	}
	return s.elements()
}

// toGo leaves *dst unchanged if the sequence is empty, as the original does.
func toGo[T any](dst *[]T, src Sequence[T]) {
	if all := src.elements(); len(all) > 0 {
		*dst = append([]T(nil), all...)
	}
}

func toC[T any](dst *Sequence[T], src []T) { copy(dst.reset(len(src)), src) }

// CString and CU16String have the layout of rosidl's strings.
type (
	CString              struct{ text StringSequence[byte] }
	CString__Sequence    = StringSequence[CString]
	CU16String           struct{ text StringSequence[uint16] }
	CU16String__Sequence = StringSequence[CU16String]
)

// StringAsCStruct copies m to the rosidl_runtime_c__String at dst.
func StringAsCStruct(dst unsafe.Pointer, m string) {
	text := &(*CString)(dst).text
	copy(text.reset(len(m)+1), m)
	text.c.size-- // the capacity counts the NUL at the end, and the size does not
}

// StringAsGoStruct copies the rosidl_runtime_c__String at src to m.
func StringAsGoStruct(m *string, src unsafe.Pointer) { *m = string((*CString)(src).text.elements()) }

// U16StringAsCStruct copies m to the rosidl_runtime_c__U16String at dst.
func U16StringAsCStruct(dst unsafe.Pointer, m string) {
	units := utf16.Encode([]rune(m))
	text := &(*CU16String)(dst).text
	copy(text.reset(len(units)+1), units)
	text.c.size--
}

// U16StringAsGoStruct copies the rosidl_runtime_c__U16String at src to m.
func U16StringAsGoStruct(m *string, src unsafe.Pointer) {
	*m = string(utf16.Decode((*CU16String)(src).text.elements()))
}

// stringsToGo leaves *dst unchanged if the sequence is empty.
func stringsToGo[T any](dst *[]string, src StringSequence[T], one func(*string, unsafe.Pointer)) {
	if all := src.elements(); len(all) > 0 {
		*dst = make([]string, len(all))
		arrayToGo(*dst, all, one)
	}
}

func arrayToGo[T any](dst []string, src []T, one func(*string, unsafe.Pointer)) {
	for i := range src {
		one(&dst[i], unsafe.Pointer(&src[i]))
	}
}

func arrayToC[T any](dst []T, src []string, one func(unsafe.Pointer, string)) {
	for i := range src {
		one(unsafe.Pointer(&dst[i]), src[i])
	}
}

func String__Sequence_to_Go(goSlice *[]string, cSlice CString__Sequence) {
	stringsToGo(goSlice, cSlice, StringAsGoStruct)
}
func String__Sequence_to_C(cSlice *CString__Sequence, goSlice []string) {
	arrayToC(cSlice.reset(len(goSlice)), goSlice, StringAsCStruct)
}
func String__Array_to_Go(goSlice []string, cSlice []CString) {
	arrayToGo(goSlice, cSlice, StringAsGoStruct)
}
func String__Array_to_C(cSlice []CString, goSlice []string) {
	arrayToC(cSlice, goSlice, StringAsCStruct)
}

func U16String__Sequence_to_Go(goSlice *[]string, cSlice CU16String__Sequence) {
	stringsToGo(goSlice, cSlice, U16StringAsGoStruct)
}
func U16String__Sequence_to_C(cSlice *CU16String__Sequence, goSlice []string) {
	arrayToC(cSlice.reset(len(goSlice)), goSlice, U16StringAsCStruct)
}
func U16String__Array_to_Go(goSlice []string, cSlice []CU16String) {
	arrayToGo(goSlice, cSlice, U16StringAsGoStruct)
}
func U16String__Array_to_C(cSlice []CU16String, goSlice []string) {
	arrayToC(cSlice, goSlice, U16StringAsCStruct)
}
