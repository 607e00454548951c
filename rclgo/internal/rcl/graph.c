#include "seam.h"

#include <rcl/graph.h>
#include <rcl_action/graph.h>

static rcl_names_and_types_t *fresh(void) {
  rcl_names_and_types_t *p = rclgo_alloc(sizeof *p);
  *p = rcl_get_zero_initialized_names_and_types();
  return p;
}

static rclgo_names_types finish(rcl_ret_t rc, rcl_names_and_types_t *p) {
  rclgo_names_types r = {rclgo_done(rc), p};
  if (rc != RCL_RET_OK) {
    rclgo_names_types_free(p);
    r.p = NULL;
  }
  return r;
}

rclgo_names_types rclgo_names_types_by_node(rcl_node_t *n, int what, bool no_demangle,
                                            const char *name, const char *ns) {
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_names_and_types_t *p = fresh();
  rcl_ret_t rc = RCL_RET_INVALID_ARGUMENT;
  switch (what) {
    case RCLGO_PUBLISHERS:
      rc = rcl_get_publisher_names_and_types_by_node(n, &al, no_demangle, name, ns, p); break;
    case RCLGO_SUBSCRIBERS:
      rc = rcl_get_subscriber_names_and_types_by_node(n, &al, no_demangle, name, ns, p); break;
    case RCLGO_SERVICES:
      rc = rcl_get_service_names_and_types_by_node(n, &al, name, ns, p); break;
    case RCLGO_CLIENTS:
      rc = rcl_get_client_names_and_types_by_node(n, &al, name, ns, p); break;
    case RCLGO_ACTION_SERVERS:
      rc = rcl_action_get_server_names_and_types_by_node(n, &al, name, ns, p); break;
    case RCLGO_ACTION_CLIENTS:
      rc = rcl_action_get_client_names_and_types_by_node(n, &al, name, ns, p); break;
  }
  return finish(rc, p);
}

rclgo_names_types rclgo_topics(rcl_node_t *n, bool no_demangle) {
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_names_and_types_t *p = fresh();
  return finish(rcl_get_topic_names_and_types(n, &al, no_demangle, p), p);
}

rclgo_names_types rclgo_services(rcl_node_t *n) {
  rcl_allocator_t al = rcl_get_default_allocator();
  rcl_names_and_types_t *p = fresh();
  return finish(rcl_get_service_names_and_types(n, &al, p), p);
}

void rclgo_names_types_free(rcl_names_and_types_t *p) {
  if (!p) return;
  if (rcl_names_and_types_fini(p) != RCL_RET_OK) rcutils_reset_error();
  free(p);
}

rclgo_nodes rclgo_node_names(rcl_node_t *n) {
  rclgo_nodes r = {{0}};
  r.names = rcutils_get_zero_initialized_string_array();
  r.namespaces = rcutils_get_zero_initialized_string_array();
  rcl_ret_t rc = rcl_get_node_names(n, rcl_get_default_allocator(), &r.names, &r.namespaces);
  r.ret = rclgo_done(rc);
  return r;
}

void rclgo_nodes_free(rclgo_nodes *r) {
  if (rcutils_string_array_fini(&r->names) != RCUTILS_RET_OK) rcutils_reset_error();
  if (rcutils_string_array_fini(&r->namespaces) != RCUTILS_RET_OK) rcutils_reset_error();
}

rclgo_endpoints rclgo_endpoints_by_topic(rcl_node_t *n, bool publishers, bool no_mangle,
                                         const char *topic) {
  rclgo_endpoints r = {{0}};
  rcutils_allocator_t al = rcutils_get_default_allocator();
  r.p = rclgo_alloc(sizeof *r.p);
  *r.p = rcl_get_zero_initialized_topic_endpoint_info_array();
  rcl_ret_t rc = publishers ? rcl_get_publishers_info_by_topic(n, &al, topic, no_mangle, r.p)
                            : rcl_get_subscriptions_info_by_topic(n, &al, topic, no_mangle, r.p);
  r.ret = rclgo_done(rc);
  if (rc != RCL_RET_OK) {
    rclgo_endpoints_free(r.p);
    r.p = NULL;
  }
  return r;
}

void rclgo_endpoints_free(rcl_topic_endpoint_info_array_t *p) {
  rcutils_allocator_t al = rcutils_get_default_allocator();
  if (!p) return;
  if (rcl_topic_endpoint_info_array_fini(p, &al) != RCL_RET_OK) rcutils_reset_error();
  free(p);
}

#if __has_include(<rmw/service_endpoint_info_array.h>)
#include <rmw/service_endpoint_info_array.h>
#pragma weak rcl_get_clients_info_by_service
#pragma weak rcl_get_servers_info_by_service
#pragma weak rmw_service_endpoint_info_array_fini

rclgo_service_endpoints rclgo_endpoints_by_service(rcl_node_t *n, bool clients, const char *service) {
  rclgo_service_endpoints r = {{0}};
  rcutils_allocator_t al = rcutils_get_default_allocator();
  if (!rcl_get_clients_info_by_service || !rcl_get_servers_info_by_service || !rmw_service_endpoint_info_array_fini) {
    r.ret = rclgo_fail(RCL_RET_UNSUPPORTED, "this ROS 2 does not tell the clients and servers of a service");
    return r;
  }
  rcl_service_endpoint_info_array_t found = {0};
  rcl_ret_t rc = clients ? rcl_get_clients_info_by_service(n, &al, service, false, &found)
                         : rcl_get_servers_info_by_service(n, &al, service, false, &found);
  r.ret = rclgo_done(rc);
  if (rc != RCL_RET_OK) return r;
  r.all = rclgo_alloc(found.size * sizeof *r.all);
  for (; r.n < found.size; r.n++) {
    const rmw_service_endpoint_info_t *from = &found.info_array[r.n];
    rclgo_service_endpoint *to = &r.all[r.n];
    to->node = rclgo_copy(from->node_name);
    to->space = rclgo_copy(from->node_namespace);
    to->type = rclgo_copy(from->service_type);
    to->endpoints = from->endpoint_count < 2 ? from->endpoint_count : 2;
    for (size_t i = 0; i < to->endpoints; i++) {
      memcpy(to->gids[i], from->endpoint_gids[i], sizeof to->gids[i]);
      to->qos[i] = from->qos_profiles[i];
    }
  }
  if (rmw_service_endpoint_info_array_fini(&found, &al) != RMW_RET_OK) rcutils_reset_error();
  return r;
}
#else
rclgo_service_endpoints rclgo_endpoints_by_service(rcl_node_t *n, bool clients, const char *service) {
  (void)n, (void)clients, (void)service;
  rclgo_service_endpoints r = {{0}};
  r.ret = rclgo_fail(RCL_RET_UNSUPPORTED, "this ROS 2 does not tell the clients and servers of a service");
  return r;
}
#endif

void rclgo_service_endpoints_free(rclgo_service_endpoints *r) {
  for (size_t i = 0; i < r->n; i++) {
    free(r->all[i].node);
    free(r->all[i].space);
    free(r->all[i].type);
  }
  free(r->all);
}

rclgo_i64 rclgo_count(rcl_node_t *n, int what, const char *name) {
  size_t count = 0;
  rcl_ret_t rc = RCL_RET_INVALID_ARGUMENT;
  switch (what) {
    case RCLGO_PUBLISHERS: rc = rcl_count_publishers(n, name, &count); break;
    case RCLGO_SUBSCRIBERS: rc = rcl_count_subscribers(n, name, &count); break;
    case RCLGO_SERVICES: rc = rcl_count_services(n, name, &count); break;
    case RCLGO_CLIENTS: rc = rcl_count_clients(n, name, &count); break;
  }
  rclgo_i64 r = {rclgo_done(rc), (int64_t)count};
  return r;
}

rclgo_i64 rclgo_server_available(rcl_node_t *n, rcl_client_t *c) {
  bool yes = false;
  rcl_ret_t rc = rcl_service_server_is_available(n, c, &yes);
  rclgo_i64 r = {rclgo_done(rc), yes};
  return r;
}
