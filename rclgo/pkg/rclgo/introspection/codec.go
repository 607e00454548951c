package introspection

import (
	"errors"
	"fmt"
	"reflect"
	"unicode/utf16"
	"unsafe"
)

// A coder copies one value between a Go variable at g and a C one at c. The C side is
// initialised memory that its owner finalises; whatever a coder allocates there is
// allocated by rosidl's own functions, so that finalising frees it. The Go side never
// keeps a pointer into C memory.
type coder interface {
	encode(c, g unsafe.Pointer) error
	decode(g, c unsafe.Pointer) error
}

var (
	errMemory = errors.New("out of memory")
	errBuffer = errors.New("a buffer of C++ holds it (rosidl::Buffer), which Go cannot read; " +
		"send it from the memory of the processor")
)

// fieldError names the field in which encoding failed, outermost first.
type fieldError struct {
	path  string
	cause error
}

func (e *fieldError) Error() string { return fmt.Sprintf("field %q: %v", e.path, e.cause) }
func (e *fieldError) Unwrap() error { return e.cause }

// within puts a step in front of an error's path.
func within(step string, err error) error {
	var fe *fieldError
	if !errors.As(err, &fe) {
		return &fieldError{step, err}
	}
	if fe.path[0] != '[' {
		step += "."
	}
	return &fieldError{step + fe.path, fe.cause}
}

// plainCoder copies values, one or several in a row, that have the same representation in
// both languages.
type plainCoder struct{ size uintptr }

func (p plainCoder) encode(c, g unsafe.Pointer) error { copyBytes(c, g, p.size); return nil }
func (p plainCoder) decode(g, c unsafe.Pointer) error { copyBytes(g, c, p.size); return nil }

func copyBytes(dst, src unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// boolCoder reads any byte but 0 as true, since Go knows no other bools.
type boolCoder struct{}

func (boolCoder) encode(c, g unsafe.Pointer) error { *(*bool)(c) = *(*bool)(g); return nil }
func (boolCoder) decode(g, c unsafe.Pointer) error { *(*bool)(g) = *(*uint8)(c) != 0; return nil }

// longDoubleCoder loses the precision that a float64 does not have.
type longDoubleCoder struct{}

func (longDoubleCoder) encode(c, g unsafe.Pointer) error {
	setLongDouble(c, *(*float64)(g))
	return nil
}
func (longDoubleCoder) decode(g, c unsafe.Pointer) error {
	*(*float64)(g) = longDouble(c)
	return nil
}

// stringCoder copies bytes as they are, with their number: a zero byte inside a string
// survives the codec. (The middleware writes C strings, so on the wire a string ends
// at its first zero byte, as it does for every other client library.)
type stringCoder struct{ bound int }

func (s stringCoder) encode(c, g unsafe.Pointer) error {
	text := *(*string)(g)
	n := uintptr(len(text))
	if s.bound > 0 && len(text) > s.bound {
		return fmt.Errorf("%d bytes, at most %d are allowed", n, s.bound)
	}
	str := (*cString)(c)
	if str.data == nil || str.capacity <= n {
		if !assignString(c, text) {
			return errMemory
		}
		return nil
	}
	buf := unsafe.Slice((*byte)(str.data), n+1)
	copy(buf, text)
	buf[n] = 0
	// Middlewares check that the capacity is that of the text, though there may be more room.
	str.size, str.capacity = n, n+1
	return nil
}

func (stringCoder) decode(g, c unsafe.Pointer) error {
	str := (*cString)(c)
	*(*string)(g) = ""
	if str.data != nil && str.size > 0 {
		*(*string)(g) = string(unsafe.Slice((*byte)(str.data), str.size))
	}
	return nil
}

// wstringCoder converts between UTF-8 and UTF-16; invalid input becomes U+FFFD.
type wstringCoder struct{ bound int }

func (w wstringCoder) encode(c, g unsafe.Pointer) error {
	units := utf16.Encode([]rune(*(*string)(g)))
	if w.bound > 0 && len(units) > w.bound {
		return fmt.Errorf("%d UTF-16 units, at most %d are allowed", len(units), w.bound)
	}
	if !assignU16(c, units) {
		return errMemory
	}
	return nil
}

func (wstringCoder) decode(g, c unsafe.Pointer) error {
	str := (*cString)(c)
	*(*string)(g) = ""
	if str.data != nil && str.size > 0 {
		*(*string)(g) = string(utf16.Decode(unsafe.Slice((*uint16)(str.data), str.size)))
	}
	return nil
}

// structCoder copies the fields that both sides have.
type structCoder struct {
	fields []fieldCoder
	goSize uintptr
	cSize  uintptr
}

type fieldCoder struct {
	name        string
	goOff, cOff uintptr
	coder       coder
}

func (s *structCoder) encode(c, g unsafe.Pointer) error {
	for i := range s.fields {
		f := &s.fields[i]
		if err := f.coder.encode(unsafe.Add(c, f.cOff), unsafe.Add(g, f.goOff)); err != nil {
			return within(f.name, err)
		}
	}
	return nil
}

func (s *structCoder) decode(g, c unsafe.Pointer) error {
	for i := range s.fields {
		f := &s.fields[i]
		if err := f.coder.decode(unsafe.Add(g, f.goOff), unsafe.Add(c, f.cOff)); err != nil {
			return within(f.name, err)
		}
	}
	return nil
}

// elements copies n values that lie side by side.
type elements struct {
	coder  coder
	goSize uintptr
	cSize  uintptr
	plain  bool // one copy suffices for all
}

func newElements(c coder, goSize, cSize uintptr) elements {
	size, ok := plainSize(c)
	return elements{c, goSize, cSize, ok && size == goSize && size == cSize}
}

func (e *elements) encode(c, g unsafe.Pointer, n int) error {
	if e.plain {
		copyBytes(c, g, uintptr(n)*e.cSize)
		return nil
	}
	for i := range uintptr(n) {
		if err := e.coder.encode(unsafe.Add(c, i*e.cSize), unsafe.Add(g, i*e.goSize)); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

func (e *elements) decode(g, c unsafe.Pointer, n int) error {
	if e.plain {
		copyBytes(g, c, uintptr(n)*e.cSize)
		return nil
	}
	for i := range uintptr(n) {
		if err := e.coder.decode(unsafe.Add(g, i*e.goSize), unsafe.Add(c, i*e.cSize)); err != nil {
			return within(fmt.Sprintf("[%d]", i), err)
		}
	}
	return nil
}

// arrayCoder copies an array that lies inside its struct.
type arrayCoder struct {
	elements
	count int
}

func (a *arrayCoder) encode(c, g unsafe.Pointer) error { return a.elements.encode(c, g, a.count) }
func (a *arrayCoder) decode(g, c unsafe.Pointer) error { return a.elements.decode(g, c, a.count) }

// sequenceCoder copies between a slice and a rosidl sequence. An empty sequence is
// read as a nil slice; others get a backing array of their own each time, so a slice
// taken from a message stays good when the message is read into again.
type sequenceCoder struct {
	elements
	bound   int            // 0 is none
	member  unsafe.Pointer // knows how to resize the sequence
	slice   reflect.Type
	flagged bool
}

// lent reports whether a buffer of C++ holds the elements.
func (s *sequenceCoder) lent(c unsafe.Pointer) bool { return s.flagged && (*cFlagged)(c).isBuffer != 0 }

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

func (s *sequenceCoder) encode(c, g unsafe.Pointer) error {
	slice, seq := (*sliceHeader)(g), (*cSequence)(c)
	if s.bound > 0 && slice.len > s.bound {
		return fmt.Errorf("%d elements, at most %d are allowed", slice.len, s.bound)
	}
	// Resizing gives back a buffer of C++.
	if (uintptr(slice.len) != seq.size || s.lent(c)) && !resize(s.member, c, slice.len) {
		return errMemory
	}
	if s.lent(c) {
		return errBuffer
	}
	if slice.len == 0 {
		return nil
	}
	return s.elements.encode(seq.data, slice.data, slice.len)
}

func (s *sequenceCoder) decode(g, c unsafe.Pointer) error {
	if s.lent(c) {
		return errBuffer
	}
	seq := (*cSequence)(c)
	n := int(seq.size)
	if n == 0 {
		*(*sliceHeader)(g) = sliceHeader{}
		return nil
	}
	data := reflect.MakeSlice(s.slice, n, n).UnsafePointer()
	err := s.elements.decode(data, seq.data, n)
	*(*sliceHeader)(g) = sliceHeader{data, n, n}
	return err
}

// plainSize returns the size of a value that is copied as a whole.
func plainSize(c coder) (uintptr, bool) {
	switch c := c.(type) {
	case plainCoder:
		return c.size, true
	case *arrayCoder:
		return uintptr(c.count) * c.cSize, c.plain
	case *structCoder:
		if len(c.fields) == 1 && c.fields[0].cOff == 0 && c.fields[0].goOff == 0 {
			size, ok := plainSize(c.fields[0].coder)
			return size, ok && size == c.goSize && size == c.cSize
		}
	}
	return 0, false
}
