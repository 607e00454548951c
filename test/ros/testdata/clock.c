// A wall clock that is wrong by CLOCK_OFF seconds, for a process that preloads it: no test may set the clock of its
// machine.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t) {
  long r = syscall(SYS_clock_gettime, id, t);
  const char *off = getenv("CLOCK_OFF");
  if (r == 0 && id == CLOCK_REALTIME && off) t->tv_sec += atol(off);
  return (int)r;
}
