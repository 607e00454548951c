// pthread_mutexattr_settype
#define _GNU_SOURCE
#include "seam.h"

#include <pthread.h>
#include <stdatomic.h>

#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rcutils/logging.h>
#include <rcutils/time.h>

// rcl's log handlers and the /rosout registry are not thread-safe: all of them run
// under this lock, handlers in Go do not. It is recursive, because publishing to /rosout
// may log.
static pthread_mutex_t mu;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool configured, to_go;

static void make_lock(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mu, &a);
  pthread_mutexattr_destroy(&a);
}

// How often this thread holds the lock. What is logged meanwhile does not go to Go.
static _Thread_local int held;

static void lock(void) {
  pthread_once(&once, make_lock);
  pthread_mutex_lock(&mu);
  held++;
}

static void unlock(void) {
  held--;
  pthread_mutex_unlock(&mu);
}

// Exported by log.go.
extern void rclgoLogToGo(void *location, int severity, void *name, int64_t stamp, void *format, void *args);

void rclgo_log_default(void *location, int severity, void *name, int64_t stamp, void *format, void *args) {
  lock();
  if (atomic_load(&configured))
    rcl_logging_multiple_output_handler(location, severity, name, stamp, format, args);
  else
    rcutils_logging_console_output_handler(location, severity, name, stamp, format, args);
  unlock();
}

static void handler(const rcutils_log_location_t *location, int severity, const char *name,
                    rcutils_time_point_value_t stamp, const char *format, va_list *args) {
  if (atomic_load(&to_go) && held == 0)
    rclgoLogToGo((void *)location, severity, (void *)name, stamp, (void *)format, args);
  else
    rclgo_log_default((void *)location, severity, (void *)name, stamp, (void *)format, args);
}

void rclgo_log_use_go(bool on) {
  lock();
  RCUTILS_LOGGING_AUTOINIT;
  atomic_store(&to_go, on);
  rcutils_logging_set_output_handler(handler);
  unlock();
}

rclgo_ret rclgo_log_configure(int argc, char **argv) {
  lock();
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_arguments_t args = rcl_get_zero_initialized_arguments();
  rcl_ret_t rc = rcl_parse_arguments(argc, (const char *const *)argv, al, &args);
  if (rc == RCL_RET_OK) rc = rcl_logging_configure_with_output_handler(&args, &al, handler);
  if (rc == RCL_RET_OK) atomic_store(&configured, true);
  rclgo_ret r = rclgo_done(rc);
  if (args.impl && rcl_arguments_fini(&args) != RCL_RET_OK) rcutils_reset_error();
  unlock();
  return r;
}

rclgo_ret rclgo_log_fini(void) {
  lock();
  atomic_store(&configured, false);
  rclgo_ret r = rclgo_done(rcl_logging_fini());
  // rcl puts its console handler back, which knows neither our lock nor Go's handler.
  rcutils_logging_set_output_handler(handler);
  unlock();
  return r;
}

// The lock is not held here: the handler may be one in Go, which may wait for others.
static void to_handler(const rcutils_log_location_t *at, int severity, const char *name,
                       rcutils_time_point_value_t stamp, const char *format, ...) {
  va_list args;
  va_start(args, format);
  handler(at, severity, name, stamp, format, &args);
  va_end(args);
  rcutils_reset_error();
}

void rclgo_log_write(int severity, const char *name, const char *text, const char *function,
                     const char *file, size_t line) {
  rcutils_log_location_t at = {function, file, line};
  rcutils_time_point_value_t now = 0;
  lock();
  RCUTILS_LOGGING_AUTOINIT;
  bool enabled = rcutils_logging_logger_is_enabled_for(name, severity);
  if (rcutils_system_time_now(&now) != RCUTILS_RET_OK) now = 0;
  rcutils_reset_error();
  unlock();
  if (enabled) to_handler(&at, severity, name, now, "%s", text);
}

static void to_rosout(const rcutils_log_location_t *at, int severity, const char *name,
                      rcutils_time_point_value_t stamp, const char *format, ...) {
  va_list args;
  va_start(args, format);
  rcl_logging_rosout_output_handler(at, severity, name, stamp, format, &args);
  va_end(args);
}

void rclgo_log_rosout(int severity, const char *name, const char *text, const char *function,
                      const char *file, size_t line) {
  rcutils_log_location_t at = {function, file, line};
  rcutils_time_point_value_t now = 0;
  lock();
  if (atomic_load(&configured) && rcl_logging_rosout_enabled() && rcutils_system_time_now(&now) == RCUTILS_RET_OK)
    to_rosout(&at, severity, name, now, "%s", text);
  rcutils_reset_error();
  unlock();
}

// -1 where rcutils cannot say. Looking a level up writes into a cache, hence the lock.
int rclgo_log_level(const char *name, bool effective) {
  lock();
  RCUTILS_LOGGING_AUTOINIT;
  int level = effective ? rcutils_logging_get_logger_effective_level(name)
                        : rcutils_logging_get_logger_level(name);
  rcutils_reset_error();
  unlock();
  return level;
}

rclgo_ret rclgo_log_set_level(const char *name, int level) {
  lock();
  RCUTILS_LOGGING_AUTOINIT;
  rcutils_ret_t rc = rcutils_logging_set_logger_level(name, level);
  rclgo_ret r = rclgo_done(rc == RCUTILS_RET_OK ? RCL_RET_OK
                           : rc == RCUTILS_RET_INVALID_ARGUMENT ? RCL_RET_INVALID_ARGUMENT
                                                                : RCL_RET_ERROR);
  unlock();
  return r;
}

rclgo_ret rclgo_rosout_open(rcl_node_t *n) {
  lock();
  bool wanted = rcl_logging_rosout_enabled() && rcl_node_get_options(n)->enable_rosout;
  rclgo_ret r = rclgo_done(wanted ? rcl_logging_rosout_init_publisher_for_node(n) : RCL_RET_OK);
  unlock();
  return r;
}

rclgo_ret rclgo_rosout_close(rcl_node_t *n) {
  lock();
  bool wanted = rcl_logging_rosout_enabled() && rcl_node_get_options(n)->enable_rosout;
  rclgo_ret r = rclgo_done(wanted ? rcl_logging_rosout_fini_publisher_for_node(n) : RCL_RET_OK);
  unlock();
  return r;
}

// Lets what is logged as parent.child reach /rosout; a parent that is no node's logger
// has no place there, which is no error.
rclgo_ret rclgo_rosout_add(const char *parent, const char *child) {
  lock();
  rcl_ret_t rc = RCL_RET_OK;
  if (atomic_load(&configured) && rcl_logging_rosout_enabled())
    rc = rcl_logging_rosout_add_sublogger(parent, child);
  if (rc == RCL_RET_NOT_FOUND) rc = RCL_RET_OK;
  rclgo_ret r = rclgo_done(rc);
  unlock();
  return r;
}
