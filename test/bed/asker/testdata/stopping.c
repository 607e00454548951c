// Suspends a process that preloads it, before a datagram leaves that has the words "stops-before-it-leaves-N" in it: once
// for each N that is greater than all before. So a request can be written at one moment and leave at a later one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

static void look(const struct iovec *part, size_t count) {
  static const char word[] = "stops-before-it-leaves-";
  static atomic_int last = '0';
  for (size_t k = 0; k < count; k++) {
    const char *found = memmem(part[k].iov_base, part[k].iov_len, word, sizeof word - 1);
    int before = last, n = found ? found[sizeof word - 1] : 0;
    if (n > before && atomic_compare_exchange_strong(&last, &before, n)) {
      raise(SIGSTOP);
    }
  }
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  ssize_t (*real)(int, const struct msghdr *, int) = dlsym(RTLD_NEXT, "sendmsg");
  look(message->msg_iov, message->msg_iovlen);
  return real(socket, message, flags);
}

ssize_t sendto(int socket, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
  ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "sendto");
  struct iovec part = {(void *)data, size};
  look(&part, 1);
  return real(socket, data, size, flags, to, length);
}
