package introspection

// This file is the package's only contact with C. Everything below takes and returns
// raw pointers to C memory and plain Go values.

/*
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <rosidl_runtime_c/string_functions.h>
#include <rosidl_runtime_c/u16string_functions.h>
#include <rosidl_typesupport_introspection_c/field_types.h>
#include <rosidl_typesupport_introspection_c/message_introspection.h>

typedef rosidl_typesupport_introspection_c__MessageMember rclgo_member;
typedef rosidl_typesupport_introspection_c__MessageMembers rclgo_members;

// dlerror() is per thread: it is read and copied in the call that failed. The caller
// frees *err.
static void *rclgo_dlopen(const char *file, char **err) {
	void *h = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
	if (h == NULL) {
		const char *why = dlerror();
		*err = strdup(why != NULL ? why : "unknown reason");
	}
	return h;
}

// Calls the type support getter called symbol; NULL if the library has none.
static const void *rclgo_handle(void *lib, const char *symbol) {
	const void *(*get)(void) = (const void *(*)(void))dlsym(lib, symbol);
	return get == NULL ? NULL : get();
}

static const rclgo_members *rclgo_members_of(const void *handle) {
	return ((const rosidl_message_type_support_t *)handle)->data;
}

static void *rclgo_new(const rclgo_members *m) {
	void *p = calloc(1, m->size_of_ > 0 ? m->size_of_ : 1);
	if (p != NULL) {
		m->init_function(p, ROSIDL_RUNTIME_C_MSG_INIT_ALL);
	}
	return p;
}

static void rclgo_delete(const rclgo_members *m, void *p) {
	m->fini_function(p);
	free(p);
}

static bool rclgo_resize(const rclgo_member *m, void *p, size_t n) {
	return m->resize_function != NULL && m->resize_function(p, n);
}

static bool rclgo_assign(void *str, const char *text, size_t n) {
	return rosidl_runtime_c__String__assignn(str, text, n);
}

static bool rclgo_assign16(void *str, const uint16_t *text, size_t n) {
	return rosidl_runtime_c__U16String__assignn(str, text, n);
}

enum { rclgo_long_double_size = sizeof(long double) };
static double rclgo_long_double(const void *p) { return (double)*(const long double *)p; }
static void rclgo_set_long_double(void *p, double v) { *(long double *)p = v; }
*/
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
func readLayout(handle unsafe.Pointer) *layout {
	raw := C.rclgo_members_of(handle)
	l := &layout{
		name: C.GoString(raw.message_name_),
		size: uintptr(raw.size_of_),
		raw:  unsafe.Pointer(raw),
	}
	if raw.member_count_ == 0 {
		return l
	}
	for i := range unsafe.Slice(raw.members_, raw.member_count_) {
		l.members = append(l.members, readMember(&unsafe.Slice(raw.members_, raw.member_count_)[i]))
	}
	return l
}

func readMember(raw *C.rclgo_member) member {
	m := member{
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
		m.nested = readLayout(unsafe.Pointer(raw.members_))
	}
	return m
}

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
