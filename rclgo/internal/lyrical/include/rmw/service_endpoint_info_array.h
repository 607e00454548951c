// The clients or servers of one service, since Lyrical.
#ifndef RCLGO_LYRICAL_SERVICE_ENDPOINT_INFO_ARRAY_H_
#define RCLGO_LYRICAL_SERVICE_ENDPOINT_INFO_ARRAY_H_

#include <rcutils/allocator.h>
#include <rmw/types.h>
#include <rosidl_runtime_c/type_hash.h>

typedef struct rmw_service_endpoint_info_s {
  const char *node_name, *node_namespace, *service_type;
  rosidl_type_hash_t service_type_hash;
  rmw_endpoint_type_t endpoint_type;
  size_t endpoint_count; // 2 (reader, writer) where a service is two topics, else 1
  uint8_t (*endpoint_gids)[RMW_GID_STORAGE_SIZE];
  rmw_qos_profile_t *qos_profiles;
} rmw_service_endpoint_info_t;

typedef struct rmw_service_endpoint_info_array_s {
  size_t size;
  rmw_service_endpoint_info_t *info_array;
} rmw_service_endpoint_info_array_t;

rmw_ret_t rmw_service_endpoint_info_array_fini(rmw_service_endpoint_info_array_t *array,
                                               rcutils_allocator_t *allocator);

#endif
