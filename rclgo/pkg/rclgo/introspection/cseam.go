package introspection

// This file is the package's only contact with C. Everything below takes and returns
// raw pointers to C memory and plain Go values.

// #include "seam.h"
import "C"

import (
	"errors"
	"unsafe"
)

// typeID is the introspection library's number of a field's type.
type typeID uint8

const (
	idFloat      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_FLOAT
	idDouble     typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_DOUBLE
	idLongDouble typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_LONG_DOUBLE
	idChar       typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_CHAR
	idWChar      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_WCHAR
	idBool       typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_BOOLEAN
	idOctet      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_OCTET
	idUint8      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_UINT8
	idInt8       typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_INT8
	idUint16     typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_UINT16
	idInt16      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_INT16
	idUint32     typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_UINT32
	idInt32      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_INT32
	idUint64     typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_UINT64
	idInt64      typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_INT64
	idString     typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_STRING
	idWString    typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_WSTRING
	idMessage    typeID = C.rosidl_typesupport_introspection_c__ROS_TYPE_MESSAGE
)

// builtStride is the size of the description of a member in the headers with which this program was built.
const builtStride = uintptr(C.rclgo_member_size)

const longDoubleSize = uintptr(C.rclgo_long_double_size)

// dlopen loads a library for the rest of the process's life; it is never closed,
// because type supports point into it.
func dlopen(file string) (unsafe.Pointer, error) {
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	var why *C.char
	lib := C.rclgo_dlopen(name, &why)
	if lib == nil {
		defer C.free(unsafe.Pointer(why))
		return nil, errors.New(C.GoString(why))
	}
	return lib, nil
}

// handleOf calls the getter called symbol and returns the type support, which belongs
// to the library; nil if the library has no such getter.
func handleOf(lib unsafe.Pointer, symbol string) unsafe.Pointer {
	name := C.CString(symbol)
	defer C.free(unsafe.Pointer(name))
	return unsafe.Pointer(C.rclgo_handle(lib, name))
}

// readLayout copies the description of one C struct, with those nested in it.
// handle is the introspection library's type support.
func readLayout(handle unsafe.Pointer) (*layout, error) {
	raw := C.rclgo_members_of(handle)
	l := &layout{
		name: C.GoString(raw.message_name_),
		size: uintptr(raw.size_of_),
		raw:  unsafe.Pointer(raw),
	}
	stride := C.rclgo_stride(raw)
	if stride == 0 {
		return nil, errLayout
	}
	l.stride = uintptr(stride)
	for i := range C.size_t(raw.member_count_) {
		m, err := readMember(C.rclgo_member_at(raw, stride, i))
		if err != nil {
			return nil, err
		}
		l.members = append(l.members, m)
	}
	return l, l.flagSequences(stride == C.rclgo_member_flagged)
}

func readMember(raw *C.rclgo_member) (m member, err error) {
	m = member{
		name:        C.GoString(raw.name_),
		id:          typeID(raw.type_id_),
		stringBound: int(raw.string_upper_bound_),
		offset:      uintptr(raw.offset_),
		count:       int(raw.array_size_),
		raw:         unsafe.Pointer(raw),
	}
	switch {
	case !bool(raw.is_array_):
		m.shape = single
	case m.count > 0 && !bool(raw.is_upper_bound_):
		m.shape = array
	default:
		m.shape = sequence
	}
	if m.id == idMessage {
		m.nested, err = readLayout(unsafe.Pointer(raw.members_))
	}
	return m, err
}

// The sizes of a sequence of primitives, without and with flags.
const (
	plainSequence   = uintptr(C.rclgo_sequence_plain)
	flaggedSequence = uintptr(C.rclgo_sequence_flagged)
)

// flaggedMember is the size of the description of a member since Lyrical.
const flaggedMember = uintptr(C.rclgo_member_flagged)

// newStruct returns an initialised struct in C memory; nil when memory is short. The
// caller owns it until deleteStruct.
func newStruct(l *layout) unsafe.Pointer {
	return C.rclgo_new((*C.rclgo_members)(l.raw))
}

// deleteStruct finalises and frees a struct made by newStruct.
func deleteStruct(l *layout, p unsafe.Pointer) {
	C.rclgo_delete((*C.rclgo_members)(l.raw), p)
}

// resize makes the sequence at p n elements long, each initialised; the memory is the
// struct's own and freed with it. False when memory is short.
func resize(m unsafe.Pointer, p unsafe.Pointer, n int) bool {
	return bool(C.rclgo_resize((*C.rclgo_member)(m), p, C.size_t(n)))
}

// assignString stores a copy of s, with its length, in the rosidl string at p.
func assignString(p unsafe.Pointer, s string) bool {
	if s == "" {
		s = "\x00" // C needs a pointer even if nothing is copied
		return bool(C.rclgo_assign(p, (*C.char)(unsafe.Pointer(unsafe.StringData(s))), 0))
	}
	return bool(C.rclgo_assign(p, (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))))
}

// assignU16 stores a copy of s in the rosidl wide string at p.
func assignU16(p unsafe.Pointer, s []uint16) bool {
	n := len(s)
	if n == 0 {
		s = []uint16{0}
	}
	return bool(C.rclgo_assign16(p, (*C.uint16_t)(unsafe.Pointer(unsafe.SliceData(s))), C.size_t(n)))
}

func longDouble(p unsafe.Pointer) float64 { return float64(C.rclgo_long_double(p)) }

func setLongDouble(p unsafe.Pointer, v float64) { C.rclgo_set_long_double(p, C.double(v)) }
