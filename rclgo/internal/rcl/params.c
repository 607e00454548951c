#include "seam.h"

#include <rcl/arguments.h>

// p is a copy of the parameters that the context's arguments (own is false) or the
// node's give, for nodes of any name; owned by the receiver, NULL where there are none.
rclgo_ptr rclgo_param_overrides(rcl_node_t *n, bool own) {
  rclgo_ptr r = {{0}};
  const rcl_node_options_t *options = rcl_node_get_options(n);
  if (!own && !options->use_global_arguments) return r;
  rcl_params_t *params = NULL;
  const rcl_arguments_t *args = own ? &options->arguments : &n->context->global_arguments;
  r.ret = rclgo_done(rcl_arguments_get_param_overrides(args, &params));
  r.p = params;
  return r;
}

void rclgo_param_overrides_free(rcl_params_t *p) { rcl_yaml_node_struct_fini(p); }
