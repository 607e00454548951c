#include "seam.h"

rclgo_ptr rclgo_clock_new(int type) {
  rclgo_ptr r = {{0}};
  rcl_clock_t *c = rclgo_alloc(sizeof *c);
  rcl_allocator_t al = rcl_get_default_allocator();
  r.ret = rclgo_done(rcl_clock_init((rcl_clock_type_t)type, c, &al));
  if (r.ret.code == RCL_RET_OK) r.p = c; else free(c);
  return r;
}

rclgo_ret rclgo_clock_free(rcl_clock_t *c) {
  rclgo_ret r = rclgo_done(c->type == RCL_CLOCK_UNINITIALIZED ? RCL_RET_OK : rcl_clock_fini(c));
  free(c);
  return r;
}

rclgo_i64 rclgo_clock_now(rcl_clock_t *c) {
  rcl_time_point_value_t now = 0;
  rcl_ret_t rc = rcl_clock_get_now(c, &now);
  rclgo_i64 r = {rclgo_done(rc), now};
  return r;
}

rclgo_ret rclgo_clock_override(rcl_clock_t *c, bool on, int64_t now) {
  rcl_ret_t rc;
  if (!on) return rclgo_done(rcl_disable_ros_time_override(c));
  rc = rcl_set_ros_time_override(c, now);
  bool enabled = false;
  if (rc == RCL_RET_OK) rc = rcl_is_enabled_ros_time_override(c, &enabled);
  if (rc == RCL_RET_OK && !enabled) rc = rcl_enable_ros_time_override(c);
  return rclgo_done(rc);
}

rclgo_ptr rclgo_timer_new(rcl_context_t *ctx, rcl_clock_t *c, int64_t period) {
  rclgo_ptr r = {{0}};
  rcl_timer_t *t = rclgo_alloc(sizeof *t);
  *t = rcl_get_zero_initialized_timer();
  r.ret = rclgo_done(rcl_timer_init2(t, c, ctx, period, NULL, rcl_get_default_allocator(), true));
  if (r.ret.code == RCL_RET_OK) r.p = t; else free(t);
  return r;
}

rclgo_ret rclgo_timer_free(rcl_timer_t *t) {
  rclgo_ret r = rclgo_done(rcl_timer_fini(t));
  free(t);
  return r;
}

rclgo_ret rclgo_timer_call(rcl_timer_t *t) { return rclgo_done(rcl_timer_call(t)); }

rclgo_ret rclgo_timer_reset(rcl_timer_t *t) { return rclgo_done(rcl_timer_reset(t)); }

rclgo_i64 rclgo_timer_until_next(rcl_timer_t *t) {
  int64_t ns = 0;
  rcl_ret_t rc = rcl_timer_get_time_until_next_call(t, &ns);
  rclgo_i64 r = {rclgo_done(rc), ns};
  return r;
}
