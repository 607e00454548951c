#include "seam.h"

#include <stdio.h>

#include <rcl/expand_topic_name.h>
#include <rcl/remap.h>
#include <rcl/validate_topic_name.h>
#include <rmw/validate_full_topic_name.h>

rclgo_args rclgo_args_parse(int argc, char **argv) {
  rclgo_args r = {{0}};
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_arguments_t args = rcl_get_zero_initialized_arguments();
  rcl_ret_t rc = rcl_parse_arguments(argc, (const char *const *)argv, al, &args);
  if (rc != RCL_RET_OK) {
    r.ret = rclgo_done(rc);
    return r;
  }
  r.nrest = rcl_arguments_get_count_unparsed(&args);
  r.nunknown = rcl_arguments_get_count_unparsed_ros(&args);
  if (r.nrest > 0) rc = rcl_arguments_get_unparsed(&args, al, &r.rest);
  if (rc == RCL_RET_OK && r.nunknown > 0)
    rc = rcl_arguments_get_unparsed_ros(&args, al, &r.unknown);
  rcl_ret_t end = rcl_arguments_fini(&args);
  r.ret = rclgo_done(rc != RCL_RET_OK ? rc : end);
  return r;
}

// The context lives on the C heap: rcl keeps pointers to it in everything made from it.
rclgo_ptr rclgo_context_new(int argc, char **argv, bool has_domain, size_t domain) {
  rclgo_ptr r = {{0}};
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  rcl_ret_t rc = rcl_init_options_init(&options, rcl_get_default_allocator());
  if (rc != RCL_RET_OK) {
    r.ret = rclgo_done(rc);
    return r;
  }
  if (has_domain) rc = rcl_init_options_set_domain_id(&options, domain);
  rcl_context_t *ctx = rclgo_alloc(sizeof *ctx);
  *ctx = rcl_get_zero_initialized_context();
  if (rc == RCL_RET_OK) rc = rcl_init(argc, (const char *const *)argv, &options, ctx);
  r.ret = rclgo_done(rc);
  rc = rcl_init_options_fini(&options);
  if (r.ret.code == RCL_RET_OK) r.ret = rclgo_done(rc); else rcutils_reset_error();
  if (r.ret.code == RCL_RET_OK) r.p = ctx; else free(ctx);
  return r;
}

// Both steps always run: a process that ends between them may corrupt its heap.
rclgo_ret rclgo_context_free(rcl_context_t *ctx) {
  rclgo_ret r = rclgo_done(rcl_shutdown(ctx));
  rclgo_ret f = rclgo_done(rcl_context_fini(ctx));
  free(ctx);
  if (r.code == RCL_RET_OK) return f;
  free(f.text);
  return r;
}

rclgo_i64 rclgo_context_domain(rcl_context_t *ctx) {
  size_t id = 0;
  rcl_ret_t rc = rcl_context_get_domain_id(ctx, &id);
  rclgo_i64 r = {rclgo_done(rc), (int64_t)id};
  return r;
}

static rmw_discovery_options_t *discovery_of(rcl_context_t *ctx) {
  rmw_context_t *rmw = rcl_context_get_rmw_context(ctx);
  return rmw ? &rmw->options.discovery_options : NULL;
}

// peers and each of them are malloc'd, owned by the receiver.
rclgo_discovery rclgo_context_discovery(rcl_context_t *ctx) {
  rclgo_discovery r = {{0}};
  rmw_discovery_options_t *d = discovery_of(ctx);
  if (!d) {
    r.ret = rclgo_fail(RCL_RET_NOT_INIT, "the context is not valid");
    return r;
  }
  r.range = d->automatic_discovery_range;
  if (d->static_peers_count > 0) r.peers = rclgo_alloc(d->static_peers_count * sizeof *r.peers);
  for (; r.npeers < d->static_peers_count; r.npeers++)
    r.peers[r.npeers] = rclgo_copy(d->static_peers[r.npeers].peer_address);
  return r;
}

// rmw reads the range when the context's first node is made.
rclgo_ret rclgo_context_leave_discovery(rcl_context_t *ctx) {
  rmw_discovery_options_t *d = discovery_of(ctx);
  if (!d) return rclgo_fail(RCL_RET_NOT_INIT, "the context is not valid");
  d->automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT;
  return rclgo_done(RCL_RET_OK);
}

// p is the malloc'd full name, owned by the receiver.
rclgo_ptr rclgo_remap_node(rcl_context_t *ctx, const char *name, const char *ns) {
  rclgo_ptr r = {{0}};
  rcl_allocator_t al = rcl_get_default_allocator();
  char *as = NULL, *in = NULL; // NULL where no rule applies
  rcl_ret_t rc = rcl_remap_node_name(NULL, &ctx->global_arguments, name, al, &as);
  if (rc == RCL_RET_OK) rc = rcl_remap_node_namespace(NULL, &ctx->global_arguments, name, al, &in);
  r.ret = rclgo_done(rc);
  if (rc == RCL_RET_OK) {
    const char *space = in ? in : ns, *base = as ? as : name;
    while (*space == '/') space++;
    size_t size = strlen(space) + strlen(base) + 3;
    r.p = rclgo_alloc(size);
    snprintf(r.p, size, "/%s%s%s", space, *space ? "/" : "", base);
  }
  free(as);
  free(in);
  return r;
}

rclgo_ptr rclgo_guard_new(rcl_context_t *ctx) {
  rclgo_ptr r = {{0}};
  rcl_guard_condition_t *g = rclgo_alloc(sizeof *g);
  *g = rcl_get_zero_initialized_guard_condition();
  r.ret = rclgo_done(rcl_guard_condition_init(g, ctx, rcl_guard_condition_get_default_options()));
  if (r.ret.code == RCL_RET_OK) r.p = g; else free(g);
  return r;
}

rclgo_ret rclgo_guard_free(rcl_guard_condition_t *g) {
  rclgo_ret r = rclgo_done(rcl_guard_condition_fini(g));
  free(g);
  return r;
}

rclgo_ret rclgo_guard_trigger(rcl_guard_condition_t *g) {
  return rclgo_done(rcl_trigger_guard_condition(g));
}

// p is the malloc'd expanded name, owned by the receiver.
rclgo_ptr rclgo_expand_name(const char *name, const char *node, const char *ns,
                            char **keys, char **values, int n) {
  rclgo_ptr r = {{0}};
  rcl_allocator_t al = rcl_get_default_allocator();
  rcutils_string_map_t map = rcutils_get_zero_initialized_string_map();
  if (rcutils_string_map_init(&map, 0, al) != RCUTILS_RET_OK) {
    r.ret = rclgo_fail(RCL_RET_BAD_ALLOC, "no memory for substitutions");
    return r;
  }
  rcl_ret_t rc = rcl_get_default_topic_name_substitutions(&map);
  for (int i = 0; i < n && rc == RCL_RET_OK; i++)
    rc = rcutils_string_map_set(&map, keys[i], values[i]) == RCUTILS_RET_OK ? RCL_RET_OK : RCL_RET_ERROR;
  char *out = NULL;
  if (rc == RCL_RET_OK) rc = rcl_expand_topic_name(name, node, ns, &map, al, &out);
  r.ret = rclgo_done(rc);
  if (rcutils_string_map_fini(&map) != RCUTILS_RET_OK) rcutils_reset_error();
  if (rc != RCL_RET_OK) return r;
  int verdict = RMW_TOPIC_VALID;
  size_t at = 0;
  if (rmw_validate_full_topic_name(out, &verdict, &at) != RMW_RET_OK || verdict != RMW_TOPIC_VALID) {
    const char *why = rmw_full_topic_name_validation_result_string(verdict);
    r.ret = rclgo_fail(RCL_RET_TOPIC_NAME_INVALID, why ? why : "invalid name");
    free(out);
    return r;
  }
  r.p = out;
  return r;
}
