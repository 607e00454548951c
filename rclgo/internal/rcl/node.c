#include "seam.h"

rclgo_ptr rclgo_node_new(rcl_context_t *ctx, const char *name, const char *ns, bool use_global,
                         bool rosout, int argc, char **argv) {
  rclgo_ptr r = {{0}};
  rcl_node_options_t options = rcl_node_get_default_options();
  options.use_global_arguments = use_global;
  options.enable_rosout = rosout;
  // Also where there are none: a node that uses no global arguments must have its own.
  rcl_ret_t rc = rcl_parse_arguments(argc, (const char *const *)argv, options.allocator, &options.arguments);
  if (rc == RCL_RET_OK && rcl_arguments_get_count_unparsed_ros(&options.arguments) > 0) {
    r.ret = rclgo_fail(RCL_RET_INVALID_ROS_ARGS, "unknown ROS argument");
    rc = RCL_RET_INVALID_ROS_ARGS;
  }
  rcl_node_t *n = rclgo_alloc(sizeof *n);
  *n = rcl_get_zero_initialized_node();
  if (rc == RCL_RET_OK) rc = rcl_node_init(n, name, ns, ctx, &options);
  if (r.ret.code == RCL_RET_OK) r.ret = rclgo_done(rc);
  if (rcl_node_options_fini(&options) != RCL_RET_OK) rcutils_reset_error();
  if (rc == RCL_RET_OK) r.p = n; else free(n);
  return r;
}

rclgo_ret rclgo_node_free(rcl_node_t *n) {
  rclgo_ret r = rclgo_done(rcl_node_fini(n));
  free(n);
  return r;
}

rclgo_ptr rclgo_type_description_new(rcl_node_t *n) {
  rclgo_ptr r = {{0}};
  rcl_service_t *s = rclgo_alloc(sizeof *s);
  *s = rcl_get_zero_initialized_service();
  r.ret = rclgo_done(rcl_node_type_description_service_init(s, n));
  if (r.ret.code == RCL_RET_OK) r.p = s; else free(s);
  return r;
}

// What goes wrong is said in the response.
void rclgo_type_description_answer(rcl_node_t *n, rmw_request_id_t id, const void *request, void *response) {
  rcl_node_type_description_service_handle_request(n, &id, request, response);
  rcutils_reset_error();
}
