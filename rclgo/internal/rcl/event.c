#include "seam.h"

#include <rcl/event.h>
#include <rmw/event.h>
#include <rmw/events_statuses/events_statuses.h>
#include <rmw/rmw.h>

// An older release has no such function, neither in its headers nor in its libraries. Then making the event tells.
extern bool rmw_event_type_is_supported(rmw_event_type_t) __attribute__((weak));

// The answer no with an error means that the middleware cannot be asked: librmw_implementation has the function even if
// the middleware that it has loaded lacks it.
bool rclgo_event_supported(int rmw_type) {
  rcutils_reset_error();
  bool yes = !rmw_event_type_is_supported || rmw_event_type_is_supported((rmw_event_type_t)rmw_type) ||
             rcutils_error_is_set();
  rcutils_reset_error();
  return yes;
}

const char *rclgo_middleware(void) {
  const char *name = rmw_get_implementation_identifier();
  return name ? name : "";
}

rclgo_ptr rclgo_publisher_event_new(rcl_publisher_t *p, int type) {
  rclgo_ptr r = {{0}};
  rcl_event_t *e = rclgo_alloc(sizeof *e);
  *e = rcl_get_zero_initialized_event();
  r.ret = rclgo_done(rcl_publisher_event_init(e, p, (rcl_publisher_event_type_t)type));
  if (r.ret.code == RCL_RET_OK) r.p = e; else free(e);
  return r;
}

rclgo_ptr rclgo_subscription_event_new(rcl_subscription_t *s, int type) {
  rclgo_ptr r = {{0}};
  rcl_event_t *e = rclgo_alloc(sizeof *e);
  *e = rcl_get_zero_initialized_event();
  r.ret = rclgo_done(rcl_subscription_event_init(e, s, (rcl_subscription_event_type_t)type));
  if (r.ret.code == RCL_RET_OK) r.p = e; else free(e);
  return r;
}

rclgo_ret rclgo_event_free(rcl_event_t *e) {
  rclgo_ret r = rclgo_done(rcl_event_fini(e));
  free(e);
  return r;
}

// The middleware fills a struct that differs from event to event; status says which.
rclgo_status rclgo_event_take(rcl_event_t *e, int status) {
  rclgo_status r = {{0}};
  union {
    rmw_offered_deadline_missed_status_t count;  // liveliness lost and incompatible type look the same
    rmw_liveliness_changed_status_t liveliness;
    rmw_qos_incompatible_event_status_t qos;
    rmw_matched_status_t matched;
    rmw_message_lost_status_t lost;
  } u;
  memset(&u, 0, sizeof u);
  r.ret = rclgo_done(rcl_take_event(e, &u));
  if (r.ret.code != RCL_RET_OK) return r;
  switch (status) {
    case RCLGO_STATUS_COUNT:
      r.total = u.count.total_count;
      r.total_change = u.count.total_count_change;
      break;
    case RCLGO_STATUS_LIVELINESS:
      r.current = u.liveliness.alive_count;
      r.current_change = u.liveliness.alive_count_change;
      r.total = u.liveliness.not_alive_count;
      r.total_change = u.liveliness.not_alive_count_change;
      break;
    case RCLGO_STATUS_QOS:
      r.total = u.qos.total_count;
      r.total_change = u.qos.total_count_change;
      r.policy = u.qos.last_policy_kind;
      break;
    case RCLGO_STATUS_MATCHED:
      r.total = (int64_t)u.matched.total_count;
      r.total_change = (int64_t)u.matched.total_count_change;
      r.current = (int64_t)u.matched.current_count;
      r.current_change = u.matched.current_count_change;
      break;
    case RCLGO_STATUS_LOST:
      r.total = (int64_t)u.lost.total_count;
      r.total_change = (int64_t)u.lost.total_count_change;
      break;
  }
  return r;
}
