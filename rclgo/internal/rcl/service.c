#include "seam.h"

rclgo_ptr rclgo_client_new(rcl_node_t *n, const void *ts, const char *name,
                           const rmw_qos_profile_t *qos) {
  rclgo_ptr r = {{0}};
  rcl_client_t *c = rclgo_alloc(sizeof *c);
  *c = rcl_get_zero_initialized_client();
  rcl_client_options_t options = rcl_client_get_default_options();
  options.qos = *qos;
  r.ret = rclgo_done(rcl_client_init(c, n, ts, name, &options));
  if (r.ret.code == RCL_RET_OK) r.p = c; else free(c);
  return r;
}

rclgo_ret rclgo_client_free(rcl_client_t *c, rcl_node_t *n) {
  rclgo_ret r = rclgo_done(rcl_client_fini(c, n));
  free(c);
  return r;
}

rclgo_i64 rclgo_send_request(rcl_client_t *c, const void *msg) {
  int64_t seq = 0;
  rcl_ret_t rc = rcl_send_request(c, msg, &seq);
  rclgo_i64 r = {rclgo_done(rc), seq};
  return r;
}

rclgo_header rclgo_take_response(rcl_client_t *c, void *msg) {
  rclgo_header r = {{0}};
  r.ret = rclgo_done(rcl_take_response_with_info(c, &r.info, msg));
  return r;
}

rclgo_ptr rclgo_service_new(rcl_node_t *n, const void *ts, const char *name,
                            const rmw_qos_profile_t *qos) {
  rclgo_ptr r = {{0}};
  rcl_service_t *s = rclgo_alloc(sizeof *s);
  *s = rcl_get_zero_initialized_service();
  rcl_service_options_t options = rcl_service_get_default_options();
  options.qos = *qos;
  r.ret = rclgo_done(rcl_service_init(s, n, ts, name, &options));
  if (r.ret.code == RCL_RET_OK) r.p = s; else free(s);
  return r;
}

rclgo_ret rclgo_service_free(rcl_service_t *s, rcl_node_t *n) {
  rclgo_ret r = rclgo_done(rcl_service_fini(s, n));
  free(s);
  return r;
}

rclgo_header rclgo_take_request(rcl_service_t *s, void *msg) {
  rclgo_header r = {{0}};
  r.ret = rclgo_done(rcl_take_request_with_info(s, &r.info, msg));
  return r;
}

rclgo_ret rclgo_send_response(rcl_service_t *s, rmw_request_id_t id, void *msg) {
  return rclgo_done(rcl_send_response(s, &id, msg));
}

rclgo_ret rclgo_client_introspect(rcl_client_t *c, rcl_node_t *n, rcl_clock_t *clock, const void *ts,
                                  const rmw_qos_profile_t *qos, int state) {
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = *qos;
  return rclgo_done(rcl_client_configure_service_introspection(
      c, n, clock, ts, options, (rcl_service_introspection_state_t)state));
}

rclgo_ret rclgo_service_introspect(rcl_service_t *s, rcl_node_t *n, rcl_clock_t *clock, const void *ts,
                                   const rmw_qos_profile_t *qos, int state) {
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  options.qos = *qos;
  return rclgo_done(rcl_service_configure_service_introspection(
      s, n, clock, ts, options, (rcl_service_introspection_state_t)state));
}
