// What Lyrical's header of this name declares. With RCLGO_UNKNOWN_LAYOUT a description is longer still, as one of a
// release that rclgo does not know may be.
#ifndef RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_
#define RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rosidl_runtime_c/message_initialization.h>
#include <rosidl_runtime_c/message_type_support_struct.h>

typedef struct rosidl_typesupport_introspection_c__MessageMember_s {
  const char *name_;
  uint8_t type_id_;
  size_t string_upper_bound_;
  const rosidl_message_type_support_t *members_;
  bool is_key_, is_array_;
  size_t array_size_;
  bool is_upper_bound_;
  uint32_t offset_;
  const void *default_value_;
  size_t (*size_function)(const void *);
  const void *(*get_const_function)(const void *, size_t);
  void *(*get_function)(void *, size_t);
  void (*fetch_function)(const void *, size_t, void *);
  void (*assign_function)(void *, size_t, const void *);
  bool (*resize_function)(void *, size_t);
  bool is_rosidl_buffer_;
#ifdef RCLGO_UNKNOWN_LAYOUT
  void *unknown_[2];
#endif
} rosidl_typesupport_introspection_c__MessageMember;

typedef struct rosidl_typesupport_introspection_c__MessageMembers_s {
  const char *message_namespace_, *message_name_;
  uint32_t member_count_;
  size_t size_of_;
  bool has_any_key_member_;
  const rosidl_typesupport_introspection_c__MessageMember *members_;
  void (*init_function)(void *, enum rosidl_runtime_c__message_initialization);
  void (*fini_function)(void *);
} rosidl_typesupport_introspection_c__MessageMembers;

#endif
