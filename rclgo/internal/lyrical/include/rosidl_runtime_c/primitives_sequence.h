// What Lyrical's header of this name declares, as far as rclgo uses it.
#ifndef RCLGO_LYRICAL_PRIMITIVES_SEQUENCE_H_
#define RCLGO_LYRICAL_PRIMITIVES_SEQUENCE_H_
#define ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sequences of strings have no flags.
#define ROSIDL_RUNTIME_C__PRIMITIVE_SEQUENCE(NAME, TYPE) \
  typedef struct rosidl_runtime_c__##NAME##__Sequence { \
    TYPE *data; \
    size_t size, capacity; \
  } rosidl_runtime_c__##NAME##__Sequence;

#define SEQUENCE_OF(NAME, TYPE) \
  typedef struct rosidl_runtime_c__##NAME##__Sequence { \
    TYPE *data; \
    size_t size, capacity; \
    bool is_rosidl_buffer, owns_rosidl_buffer; \
  } rosidl_runtime_c__##NAME##__Sequence;

SEQUENCE_OF(float, float)
SEQUENCE_OF(double, double)
SEQUENCE_OF(long_double, long double)
SEQUENCE_OF(char, signed char)
SEQUENCE_OF(wchar, uint16_t)
SEQUENCE_OF(boolean, bool)
SEQUENCE_OF(octet, uint8_t)
SEQUENCE_OF(uint8, uint8_t)
SEQUENCE_OF(int8, int8_t)
SEQUENCE_OF(uint16, uint16_t)
SEQUENCE_OF(int16, int16_t)
SEQUENCE_OF(uint32, uint32_t)
SEQUENCE_OF(int32, int32_t)
SEQUENCE_OF(uint64, uint64_t)
SEQUENCE_OF(int64, int64_t)
#undef SEQUENCE_OF

#endif
