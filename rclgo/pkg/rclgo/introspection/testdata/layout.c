// Three messages with their descriptions, as a generator of ROS 2 writes them. The test compiles this file with the
// headers of one or the other ROS 2, so that the compiler decides where everything lies, and runs the codec over it.
#include "../seam.h"

#include <stdio.h>
#include <rosidl_runtime_c/string_functions.h>

#if defined RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_
enum { lyrical = true };
#define BUFFER(is) .is_rosidl_buffer_ = is
#else
enum { lyrical = false };
#define BUFFER(is) .offset_ = 0
#endif

typedef rosidl_runtime_c__uint8__Sequence bytes_t;
typedef rosidl_runtime_c__double__Sequence doubles_t;
typedef rosidl_runtime_c__String string_t;
typedef rosidl_runtime_c__String__Sequence strings_t;

typedef struct { bytes_t data; } blob;
typedef struct { blob *data; size_t size, capacity; } blobs_t;
typedef struct {
  bool flag;
  bytes_t bytes;
  doubles_t numbers;
  string_t text;
  strings_t words;
  long double precise; // 32 bytes after words, in both layouts
  blob inner;
  blobs_t list;
  uint8_t last;
} mixed;

// The end of a lifecycle_msgs/msg/TransitionEvent: its time has another name and type since Lyrical.
typedef struct { int32_t sec; uint32_t nanosec; } stamp_t;
typedef struct {
#if defined RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_
  stamp_t stamp;
#else
  uint64_t timestamp;
#endif
  uint8_t transition;
} event;

static mixed *newest;
static int returned; // buffers that were given back
static char verdict[200];

static void drop(void *data, bool buffer) {
  if (buffer) returned++;
  else free(data);
}

#if defined RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_
#define IS_BUFFER(s) ((s)->is_rosidl_buffer)
#define NO_BUFFER(s) ((s)->is_rosidl_buffer = (s)->owns_rosidl_buffer = false)
#else
#define IS_BUFFER(s) false
#define NO_BUFFER(s) ((void)0)
#endif

#define RESIZES(NAME, TYPE) \
  static bool NAME(void *p, size_t n) { \
    TYPE *s = p; \
    drop(s->data, IS_BUFFER(s)); \
    NO_BUFFER(s); \
    s->data = calloc(n ? n : 1, sizeof *s->data); \
    s->size = s->capacity = n; \
    return s->data != NULL; \
  }
RESIZES(resize_bytes, bytes_t)
RESIZES(resize_doubles, doubles_t)

// A blob of zero bytes is an empty one.
static bool resize_blobs(void *p, size_t n) {
  blobs_t *s = p;
  for (size_t i = 0; i < s->size; i++) free(s->data[i].data.data);
  free(s->data);
  s->data = calloc(n ? n : 1, sizeof *s->data);
  s->size = s->capacity = n;
  return s->data != NULL;
}

static bool resize_strings(void *p, size_t n) {
  rosidl_runtime_c__String__Sequence__fini(p);
  return rosidl_runtime_c__String__Sequence__init(p, n);
}

static void init_mixed(void *p, enum rosidl_runtime_c__message_initialization how) {
  (void)how;
  newest = memset(p, 0, sizeof *newest);
  rosidl_runtime_c__String__init(&newest->text);
}
static void fini_mixed(void *p) {
  mixed *m = p;
  drop(m->bytes.data, IS_BUFFER(&m->bytes));
  free(m->numbers.data);
  rosidl_runtime_c__String__fini(&m->text);
  rosidl_runtime_c__String__Sequence__fini(&m->words);
  free(m->inner.data.data);
  for (size_t i = 0; i < m->list.size; i++) free(m->list.data[i].data.data);
  free(m->list.data);
  newest = NULL;
}
static void init_blob(void *p, enum rosidl_runtime_c__message_initialization how) {
  (void)how;
  memset(p, 0, sizeof(blob));
}
static void fini_blob(void *p) { free(((blob *)p)->data.data); }
static void init_event(void *p, enum rosidl_runtime_c__message_initialization how) {
  (void)how;
  memset(p, 0, sizeof(event));
}
static void fini_event(void *p) { (void)p; }

#define TYPE(T) rosidl_typesupport_introspection_c__ROS_TYPE_##T
#define FIELD(S, NAME, T) .name_ = #NAME, .type_id_ = TYPE(T), BUFFER(false), .offset_ = offsetof(S, NAME)
#define LIST(RESIZE) .is_array_ = true, .resize_function = RESIZE
#define COUNT(a) (sizeof(a) / sizeof *(a))

static const rclgo_member blob_fields[] = {
  {FIELD(blob, data, UINT8), LIST(resize_bytes)},
};
static const rclgo_members blob_type = {
  "test__msg", "Blob", COUNT(blob_fields), sizeof(blob), false, blob_fields, init_blob, fini_blob};
static const rosidl_message_type_support_t blob_handle = {.data = &blob_type};

static const rclgo_member mixed_fields[] = {
  {FIELD(mixed, flag, BOOLEAN)},
  {FIELD(mixed, bytes, UINT8), LIST(resize_bytes)},
  {FIELD(mixed, numbers, DOUBLE), LIST(resize_doubles)},
  {FIELD(mixed, text, STRING)},
  {FIELD(mixed, words, STRING), LIST(resize_strings)},
  {FIELD(mixed, precise, LONG_DOUBLE)},
  {FIELD(mixed, inner, MESSAGE), .members_ = &blob_handle},
  {FIELD(mixed, list, MESSAGE), LIST(resize_blobs), .members_ = &blob_handle},
  {FIELD(mixed, last, UINT8)},
};
static const rclgo_members mixed_type = {
  "test__msg", "Mixed", COUNT(mixed_fields), sizeof(mixed), false, mixed_fields, init_mixed, fini_mixed};
static const rosidl_message_type_support_t mixed_handle = {.data = &mixed_type};

static const rclgo_member stamp_fields[] = {
  {FIELD(stamp_t, sec, INT32)},
  {FIELD(stamp_t, nanosec, UINT32)},
};
static const rclgo_members stamp_type = {
  "test__msg", "Stamp", COUNT(stamp_fields), sizeof(stamp_t), false, stamp_fields, init_event, fini_event};
static const rosidl_message_type_support_t stamp_handle = {.data = &stamp_type};

static const rclgo_member event_fields[] = {
#if defined RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_
  {FIELD(event, stamp, MESSAGE), .members_ = &stamp_handle},
#else
  {FIELD(event, timestamp, UINT64)},
#endif
  {FIELD(event, transition, UINT8)},
};
static const rclgo_members event_type = {
  "test__msg", "Event", COUNT(event_fields), sizeof(event), false, event_fields, init_event, fini_event};
static const rosidl_message_type_support_t event_handle = {.data = &event_type};

// What the test calls: functions without arguments that return a pointer.
const void *layout_blob(void) { return &blob_handle; }
const void *layout_mixed(void) { return &mixed_handle; }
const void *layout_event(void) { return &event_handle; }
const void *layout_stamp(void) { return &stamp_handle; }
const void *layout_sizes(void) {
  snprintf(verdict, sizeof verdict, "member %zu, sequence %zu, lyrical %d", sizeof(rclgo_member), sizeof(doubles_t),
           lyrical);
  return verdict;
}

// layout_check says what of the newest message is not as the test has set it, or "".
const void *layout_check(void) {
  const mixed *m = newest;
  *verdict = '\0';
#define MUST(c) \
  if (!(c)) return memcpy(verdict, #c, sizeof #c)
  MUST(m->flag && m->last == 9);
  MUST(m->bytes.size == 3 && memcmp(m->bytes.data, "\1\2\3", 3) == 0 && !IS_BUFFER(&m->bytes));
  MUST(m->numbers.size == 2 && m->numbers.data[0] == 1.5 && m->numbers.data[1] == -2 && !IS_BUFFER(&m->numbers));
  MUST(strcmp(m->text.data, "text") == 0 && m->text.size == 4 && m->text.capacity == 5);
  MUST(m->words.size == 2 && strcmp(m->words.data[1].data, "b") == 0);
  MUST(m->precise == 2.5 && offsetof(mixed, precise) - offsetof(mixed, words) == 32);
  MUST(m->inner.data.size == 1 && m->inner.data.data[0] == 7);
  MUST(m->list.size == 2 && m->list.data[1].data.size == 2 && m->list.data[1].data.data[1] == 5);
  return verdict;
}

// layout_lend replaces the bytes of the newest message by an object of C++, if this ROS 2 has such.
const void *layout_lend(void) {
#if defined RCLGO_LYRICAL_MESSAGE_INTROSPECTION_H_
  free(newest->bytes.data);
  newest->bytes.data = (void *)0x10; // must not be read, and not be freed
  newest->bytes.is_rosidl_buffer = newest->bytes.owns_rosidl_buffer = true;
  return verdict;
#endif
  return NULL;
}

const void *layout_returned(void) {
  snprintf(verdict, sizeof verdict, "%d", returned);
  return verdict;
}
