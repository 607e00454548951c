// Lyrical tells the clients and servers of a service.
#ifndef RCLGO_LYRICAL_GRAPH_H_
#define RCLGO_LYRICAL_GRAPH_H_

#include_next <rcl/graph.h>
#include <rmw/service_endpoint_info_array.h>

typedef rmw_service_endpoint_info_array_t rcl_service_endpoint_info_array_t;

rcl_ret_t rcl_get_clients_info_by_service(const rcl_node_t *node, rcutils_allocator_t *allocator, const char *service,
                                          bool no_mangle, rcl_service_endpoint_info_array_t *clients);
rcl_ret_t rcl_get_servers_info_by_service(const rcl_node_t *node, rcutils_allocator_t *allocator, const char *service,
                                          bool no_mangle, rcl_service_endpoint_info_array_t *servers);

#endif
