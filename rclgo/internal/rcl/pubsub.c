#include "seam.h"

#include <rmw/rmw.h>

rclgo_ptr rclgo_publisher_new(rcl_node_t *n, const void *ts, const char *topic,
                              const rmw_qos_profile_t *qos) {
  rclgo_ptr r = {{0}};
  rcl_publisher_t *p = rclgo_alloc(sizeof *p);
  *p = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = *qos;
  r.ret = rclgo_done(rcl_publisher_init(p, n, ts, topic, &options));
  if (r.ret.code == RCL_RET_OK) r.p = p; else free(p);
  return r;
}

rclgo_ret rclgo_publisher_free(rcl_publisher_t *p, rcl_node_t *n) {
  rclgo_ret r = rclgo_done(rcl_publisher_fini(p, n));
  free(p);
  return r;
}

rclgo_ret rclgo_publish(rcl_publisher_t *p, const void *msg) {
  return rclgo_done(rcl_publish(p, msg, NULL));
}

// buf is only read, although the C struct has no const for it.
static rcl_serialized_message_t borrowed(void *buf, size_t len) {
  rcl_serialized_message_t m = rmw_get_zero_initialized_serialized_message();
  m.buffer = buf;
  m.buffer_length = m.buffer_capacity = len;
  m.allocator = rcl_get_default_allocator();
  return m;
}

rclgo_ret rclgo_publish_bytes(rcl_publisher_t *p, void *buf, size_t len) {
  rcl_serialized_message_t m = borrowed(buf, len);
  return rclgo_done(rcl_publish_serialized_message(p, &m, NULL));
}

rclgo_ret rclgo_publisher_assert(rcl_publisher_t *p) {
  return rclgo_done(rcl_publisher_assert_liveliness(p));
}

rclgo_i64 rclgo_publisher_matched(rcl_publisher_t *p) {
  size_t count = 0;
  rcl_ret_t rc = rcl_publisher_get_subscription_count(p, &count);
  rclgo_i64 r = {rclgo_done(rc), (int64_t)count};
  return r;
}

rclgo_ret rclgo_publisher_acked(rcl_publisher_t *p, int64_t timeout) {
  return rclgo_done(rcl_publisher_wait_for_all_acked(p, timeout));
}

rclgo_ret rclgo_publisher_gid(rcl_publisher_t *p, rmw_gid_t *gid) {
  rmw_publisher_t *h = rcl_publisher_get_rmw_handle(p);
  return rclgo_done(h ? rmw_get_gid_for_publisher(h, gid) : RCL_RET_PUBLISHER_INVALID);
}

rclgo_ptr rclgo_subscription_new(rcl_node_t *n, const void *ts, const char *topic,
                                 const rmw_qos_profile_t *qos) {
  rclgo_ptr r = {{0}};
  rcl_subscription_t *s = rclgo_alloc(sizeof *s);
  *s = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  options.qos = *qos;
  rcl_ret_t rc = rcl_subscription_init(s, n, ts, topic, &options);
  r.ret = rclgo_done(rc);
  if (rcl_subscription_options_fini(&options) != RCL_RET_OK) rcutils_reset_error();
  if (rc == RCL_RET_OK) r.p = s; else free(s);
  return r;
}

rclgo_ret rclgo_subscription_free(rcl_subscription_t *s, rcl_node_t *n) {
  rclgo_ret r = rclgo_done(rcl_subscription_fini(s, n));
  free(s);
  return r;
}

rclgo_taken rclgo_take(rcl_subscription_t *s, void *msg) {
  rclgo_taken r = {{0}};
  r.info = rmw_get_zero_initialized_message_info();
  r.ret = rclgo_done(rcl_take(s, msg, &r.info, NULL));
  return r;
}

// buf is malloc'd and the receiver's.
rclgo_taken rclgo_take_bytes(rcl_subscription_t *s) {
  rclgo_taken r = {{0}};
  r.info = rmw_get_zero_initialized_message_info();
  rcl_serialized_message_t m = rmw_get_zero_initialized_serialized_message();
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_ret_t rc = rmw_serialized_message_init(&m, 0, &al);
  if (rc == RCL_RET_OK) rc = rcl_take_serialized_message(s, &m, &r.info, NULL);
  r.ret = rclgo_done(rc);
  if (rc == RCL_RET_OK) {
    r.buf = m.buffer;
    r.len = m.buffer_length;
  } else {
    free(m.buffer);
  }
  return r;
}

rclgo_i64 rclgo_subscription_matched(rcl_subscription_t *s) {
  size_t count = 0;
  rcl_ret_t rc = rcl_subscription_get_publisher_count(s, &count);
  rclgo_i64 r = {rclgo_done(rc), (int64_t)count};
  return r;
}

// buf is malloc'd and the receiver's.
rclgo_bytes rclgo_serialize(const void *msg, const void *ts) {
  rclgo_bytes r = {{0}};
  rcl_serialized_message_t m = rmw_get_zero_initialized_serialized_message();
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_ret_t rc = rmw_serialized_message_init(&m, 0, &al);
  if (rc == RCL_RET_OK) rc = rmw_serialize(msg, ts, &m);
  r.ret = rclgo_done(rc);
  if (rc == RCL_RET_OK) {
    r.buf = m.buffer;
    r.len = m.buffer_length;
  } else {
    free(m.buffer);
  }
  return r;
}

rclgo_ret rclgo_deserialize(void *buf, size_t len, const void *ts, void *msg) {
  rcl_serialized_message_t m = borrowed(buf, len);
  return rclgo_done(rmw_deserialize(&m, ts, msg));
}
