package rcl

// #include "seam.h"
import "C"

import (
	"regexp"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Error is a return code other than OK with the text that rcl left with it, which may
// be empty. Codes are those of newer releases of rcl (10): the functions for actions
// translate the action codes of older ones.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string {
	if e.Text == "" {
		return "rcl error"
	}
	return e.Text
}

// makeMu is held while an rcl object is made or closed.
var makeMu sync.Mutex

// place is the location of an error in rcl's sources; one error may have several.
var place = regexp.MustCompile(`(, at [^ ]+:\d+)+$`)

// check turns an outcome into an error and frees its text, without the place.
func check(r C.rclgo_ret) error {
	if r.code == C.RCL_RET_OK {
		return nil
	}
	e := &Error{Code: int(r.code)}
	if r.text != nil {
		e.Text = place.ReplaceAllString(C.GoString(r.text), "")
		C.free(unsafe.Pointer(r.text))
	}
	return e
}

// live counts the handles that are not yet freed.
var live atomic.Int64

// LiveHandles returns the number of open handles in the process. Parts of another handle,
// such as the services of a lifecycle, do not count.
func LiveHandles() int64 { return live.Load() }

// made is check for an operation that returns a handle.
func made[T any](r C.rclgo_ptr) (*T, error) {
	if err := check(r.ret); err != nil {
		return nil, err
	}
	live.Add(1)
	return (*T)(r.p), nil
}

// freed is check for an operation that frees a handle, which it does even if rcl reports an
// error.
func freed(r C.rclgo_ret) error {
	live.Add(-1)
	return check(r)
}

// cStrings copies values to C; free frees all of it.
func cStrings(values []string) (v **C.char, free func()) {
	if len(values) == 0 {
		return nil, func() {}
	}
	p := C.malloc(C.size_t(len(values)) * C.size_t(unsafe.Sizeof(v)))
	list := unsafe.Slice((**C.char)(p), len(values))
	for i, s := range values {
		list[i] = C.CString(s)
	}
	return (**C.char)(p), func() {
		for _, s := range list {
			C.free(unsafe.Pointer(s))
		}
		C.free(p)
	}
}

// cString copies s to C; free frees it.
func cString(s string) (c *C.char, free func()) {
	c = C.CString(s)
	return c, func() { C.free(unsafe.Pointer(c)) }
}
