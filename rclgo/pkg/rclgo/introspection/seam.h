// The C part of this package: what its Go files call. Programs in testdata include it too.
#ifndef RCLGO_INTROSPECTION_SEAM_H_
#define RCLGO_INTROSPECTION_SEAM_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <rosidl_runtime_c/primitives_sequence.h>
#include <rosidl_runtime_c/string_functions.h>
#include <rosidl_runtime_c/u16string_functions.h>
#include <rosidl_typesupport_introspection_c/field_types.h>
#include <rosidl_typesupport_introspection_c/message_introspection.h>

typedef rosidl_typesupport_introspection_c__MessageMember rclgo_member;
typedef rosidl_typesupport_introspection_c__MessageMembers rclgo_members;

// The sizes that are known, where a pointer has 8 bytes. A description of a field has 112 bytes up to
// Kilted and 120 since Lyrical, which marks fields that a device may hold. A sequence of primitives has
// 24 bytes, and 32 since Lyrical, with the flag is_rosidl_buffer after the capacity.
enum {
	rclgo_member_size = sizeof(rclgo_member),
	rclgo_member_plain = 112,
	rclgo_member_flagged = 120,
	rclgo_sequence_plain = 24,
	rclgo_sequence_flagged = 32,
};

#define RCLGO_UNKNOWN "rclgo does not know the layout of this ROS 2; it knows those of Jazzy, Kilted and Lyrical"
_Static_assert(sizeof(void *) != 8 || sizeof(rclgo_member) == rclgo_member_plain ||
                   sizeof(rclgo_member) == rclgo_member_flagged,
               RCLGO_UNKNOWN);
_Static_assert(sizeof(void *) != 8 || sizeof(rosidl_runtime_c__double__Sequence) == rclgo_sequence_plain ||
                   sizeof(rosidl_runtime_c__double__Sequence) == rclgo_sequence_flagged,
               RCLGO_UNKNOWN);
_Static_assert(offsetof(rosidl_runtime_c__double__Sequence, data) == 0 &&
                   offsetof(rosidl_runtime_c__double__Sequence, size) == sizeof(void *) &&
                   offsetof(rosidl_runtime_c__double__Sequence, capacity) == 2 * sizeof(void *),
               RCLGO_UNKNOWN);
_Static_assert(sizeof(rosidl_runtime_c__String) == 3 * sizeof(void *) &&
                   sizeof(rosidl_runtime_c__String__Sequence) == 3 * sizeof(void *),
               RCLGO_UNKNOWN);

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

static const rclgo_member *rclgo_member_at(const rclgo_members *m, size_t size, size_t i) {
	return (const rclgo_member *)((const char *)m->members_ + i * size);
}

// A name is a text in a library. What is no name, because the size of the descriptions is another one, is
// not read.
static bool rclgo_is_name(const char *name) {
	Dl_info info;
	if (name == NULL || dladdr((void *)name, &info) == 0 || *name == '\0') {
		return false;
	}
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static bool rclgo_is_bool(const bool *b) { return *(const uint8_t *)b <= 1; }

// Reports whether the descriptions can have that size: each says something that is possible.
static bool rclgo_fits(const rclgo_members *m, size_t size) {
	for (size_t i = 0; i < m->member_count_; i++) {
		const rclgo_member *f = rclgo_member_at(m, size, i);
		if (!rclgo_is_name(f->name_) || f->type_id_ < rosidl_typesupport_introspection_c__ROS_TYPE_FLOAT ||
		    f->type_id_ > rosidl_typesupport_introspection_c__ROS_TYPE_MESSAGE || !rclgo_is_bool(&f->is_array_) ||
		    !rclgo_is_bool(&f->is_upper_bound_) || f->offset_ >= m->size_of_) {
			return false;
		}
	}
	return true;
}

// Returns the size of the descriptions of a message's fields, or 0 if it is none of those that are known. The
// library may be of another ROS 2 than the headers.
static size_t rclgo_stride(const rclgo_members *m) {
	const size_t sizes[] = {sizeof(rclgo_member), rclgo_member_plain, rclgo_member_flagged};
	for (size_t i = 0; i < (sizeof(void *) == 8 ? 3 : 1); i++) {
		if (rclgo_fits(m, sizes[i])) {
			return sizes[i];
		}
	}
	return 0;
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

#endif
