// Two functions of libfastcdr that this program calls in place of the library's own. Versions 2.x of the
// library trust the message in two places:
//
//   - Cdr::read_encapsulation cuts off as many bytes at the end as the header says, up to 3, also
//     where nothing follows the header. The end is then before the beginning, so no later read is
//     checked, and a message of 4 bytes ends the process.
//   - Cdr::jump, with which the type supports check the length of a sequence, enlarges a buffer that is
//     the library's own instead of saying no. Requests and responses of services have such a buffer,
//     so one request can take all memory.
//
// Subscriptions are checked in Go before they get here. Services, actions and the middleware's own topic
// ros_discovery_info are decoded inside the middleware, so this is the only place to check them.
//
// The loader prefers a symbol of the program to that of a library. If the middleware does not use
// libfastcdr, or one with other symbols, nothing calls these functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CDR "_ZN8eprosima7fastcdr3Cdr"
#define CONSTRUCT CDR "C1ERNS0_10FastBufferENS1_10EndiannessENS0_10CdrVersionE"
#define READ CDR "18read_encapsulationEv"
#define JUMP CDR "4jumpEm"
#define BEGIN CDR "18get_buffer_pointerEv"
#define DONE "_ZNK8eprosima7fastcdr3Cdr26get_serialized_data_lengthEv"

enum { header = 4, padding = 3 };

// The beginning of a FastBuffer.
typedef struct { void *vtable; unsigned char *bytes; size_t size; } fastbuffer;

// The Cdr that this thread has made last, and its buffer.
static _Thread_local struct { void *cdr; const fastbuffer *buffer; bool reads; } last;

// own returns the library's function of that name. The caller's library is linked to it, so it is found
// from there, wherever it was loaded.
static void *own(_Atomic(void *) *cache, const char *name, void *caller) {
  void *f = atomic_load_explicit(cache, memory_order_acquire);
  if (f) return f;
  Dl_info info;
  void *lib = NULL;
  if (dladdr(caller, &info) && info.dli_fname) lib = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!lib) lib = dlopen("libfastcdr.so.2", RTLD_LAZY | RTLD_NOLOAD);
  if (lib) {
    f = dlsym(lib, name);
    dlclose(lib); // the caller keeps it loaded
  }
  if (!f) __builtin_trap(); // the caller could not have been loaded
  atomic_store_explicit(cache, f, memory_order_release);
  return f;
}

#define OWN(type, name) \
  ({ static _Atomic(void *) cache; (type)own(&cache, name, __builtin_return_address(0)); })

// bytes returns the buffer of a Cdr; NULL if it is not certain.
static const fastbuffer *buffer_of(void *cdr, unsigned char *begin) {
  return last.cdr == cdr && last.buffer && last.buffer->bytes == begin ? last.buffer : NULL;
}

void rclgo_cdr_construct(void *, const fastbuffer *, unsigned, unsigned) __asm__(CONSTRUCT);
void *rclgo_cdr_read(void *) __asm__(READ);
bool rclgo_cdr_jump(void *, size_t) __asm__(JUMP);

__attribute__((visibility("default"), used))
void rclgo_cdr_construct(void *cdr, const fastbuffer *buffer, unsigned endian, unsigned version) {
  last.cdr = cdr;
  last.buffer = buffer;
  last.reads = false;
  OWN(void (*)(void *, const fastbuffer *, unsigned, unsigned), CONSTRUCT)(cdr, buffer, endian, version);
}

__attribute__((visibility("default"), used))
void *rclgo_cdr_read(void *cdr) {
  unsigned char *begin = OWN(unsigned char *(*)(void *), BEGIN)(cdr);
  const fastbuffer *b = buffer_of(cdr, begin);
  last.reads = b != NULL;
  // Nothing follows the header, so there is no padding. The buffer is the receiver's own copy.
  if (b && b->size == header) begin[header - 1] &= (unsigned char)~padding;
  return OWN(void *(*)(void *), READ)(cdr);
}

__attribute__((visibility("default"), used))
bool rclgo_cdr_jump(void *cdr, size_t n) {
  const fastbuffer *b = NULL;
  if (last.cdr == cdr && last.reads) b = buffer_of(cdr, OWN(unsigned char *(*)(void *), BEGIN)(cdr));
  if (b && n > b->size - OWN(size_t (*)(const void *), DONE)(cdr)) return false;
  return OWN(bool (*)(void *, size_t), JUMP)(cdr, n);
}
