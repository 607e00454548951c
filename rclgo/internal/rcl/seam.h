// What the C files of this package share: result structs and the functions that Go
// calls. Results are returned by value, so that no Go pointer goes into C.
#ifndef RCLGO_SEAM_H_
#define RCLGO_SEAM_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <rcl/rcl.h>
#include <rcl/types.h>
#include <rcl_yaml_param_parser/parser.h>

// The outcome of one operation. text is malloc'd, owned by the receiver, and NULL
// where rcl said nothing.
typedef struct { int32_t code; char *text; } rclgo_ret;

typedef struct { rclgo_ret ret; void *p; } rclgo_ptr;
typedef struct { rclgo_ret ret; int64_t v; } rclgo_i64;

// rclgo_alloc returns zeroed memory, and rclgo_copy a copy of text. Like Go's own
// allocation, and Go's C.malloc, they end the program if there is no memory.
static inline void *rclgo_alloc(size_t size) {
  void *p = calloc(1, size ? size : 1);
  if (!p) {
    fputs("rclgo: out of memory\n", stderr);
    abort();
  }
  return p;
}

static inline char *rclgo_copy(const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(rclgo_alloc(size), text, size);
}

// Ends every operation: copies and resets the calling thread's error string.
static inline rclgo_ret rclgo_done(rcl_ret_t code) {
  rclgo_ret r = {code, NULL};
  if (rcutils_error_is_set()) {
    if (code != RCL_RET_OK) r.text = rclgo_copy(rcutils_get_error_string().str);
    rcutils_reset_error();
  }
  return r;
}

// Ends an operation with a text of our own.
static inline rclgo_ret rclgo_fail(rcl_ret_t code, const char *text) {
  rclgo_ret r = rclgo_done(code);
  if (!r.text) r.text = rclgo_copy(text);
  return r;
}

// context.c
typedef struct { rclgo_ret ret; int *rest; int nrest; int *unknown; int nunknown; } rclgo_args;
rclgo_args rclgo_args_parse(int argc, char **argv);
rclgo_ptr rclgo_context_new(int argc, char **argv, bool has_domain, size_t domain);
rclgo_ret rclgo_context_free(rcl_context_t *ctx);
rclgo_i64 rclgo_context_domain(rcl_context_t *ctx);
typedef struct { rclgo_ret ret; int range; char **peers; size_t npeers; } rclgo_discovery;
rclgo_discovery rclgo_context_discovery(rcl_context_t *ctx);
rclgo_ret rclgo_context_leave_discovery(rcl_context_t *ctx);
rclgo_ptr rclgo_remap_node(rcl_context_t *ctx, const char *name, const char *ns);
rclgo_ptr rclgo_guard_new(rcl_context_t *ctx);
rclgo_ret rclgo_guard_free(rcl_guard_condition_t *g);
rclgo_ret rclgo_guard_trigger(rcl_guard_condition_t *g);
rclgo_ptr rclgo_expand_name(const char *name, const char *node, const char *ns,
                            char **keys, char **values, int n);

// time.c
rclgo_ptr rclgo_clock_new(int type);
rclgo_ret rclgo_clock_free(rcl_clock_t *c);
rclgo_i64 rclgo_clock_now(rcl_clock_t *c);
rclgo_ret rclgo_clock_override(rcl_clock_t *c, bool on, int64_t now);
rclgo_ptr rclgo_timer_new(rcl_context_t *ctx, rcl_clock_t *c, int64_t period);
rclgo_ret rclgo_timer_free(rcl_timer_t *t);
rclgo_ret rclgo_timer_call(rcl_timer_t *t);
rclgo_ret rclgo_timer_reset(rcl_timer_t *t);
rclgo_i64 rclgo_timer_until_next(rcl_timer_t *t);

// node.c
rclgo_ptr rclgo_node_new(rcl_context_t *ctx, const char *name, const char *ns, bool use_global,
                         bool rosout, int argc, char **argv);
rclgo_ret rclgo_node_free(rcl_node_t *n);
rclgo_ptr rclgo_type_description_new(rcl_node_t *n);
void rclgo_type_description_answer(rcl_node_t *n, rmw_request_id_t id, const void *request, void *response);

// params.c
rclgo_ptr rclgo_param_overrides(rcl_node_t *n, bool own);
void rclgo_param_overrides_free(rcl_params_t *p);

// graph.c
typedef struct { rclgo_ret ret; rcl_names_and_types_t *p; } rclgo_names_types;
enum { RCLGO_PUBLISHERS, RCLGO_SUBSCRIBERS, RCLGO_SERVICES, RCLGO_CLIENTS,
       RCLGO_ACTION_SERVERS, RCLGO_ACTION_CLIENTS };
rclgo_names_types rclgo_names_types_by_node(rcl_node_t *n, int what, bool no_demangle,
                                            const char *name, const char *ns);
rclgo_names_types rclgo_topics(rcl_node_t *n, bool no_demangle);
rclgo_names_types rclgo_services(rcl_node_t *n);
void rclgo_names_types_free(rcl_names_and_types_t *p);
typedef struct { rclgo_ret ret; rcutils_string_array_t names, namespaces; } rclgo_nodes;
rclgo_nodes rclgo_node_names(rcl_node_t *n);
void rclgo_nodes_free(rclgo_nodes *r);
typedef struct { rclgo_ret ret; rcl_topic_endpoint_info_array_t *p; } rclgo_endpoints;
rclgo_endpoints rclgo_endpoints_by_topic(rcl_node_t *n, bool publishers, bool no_mangle,
                                         const char *topic);
void rclgo_endpoints_free(rcl_topic_endpoint_info_array_t *p);
// The clients or servers of a service. all is malloc'd, and so are the texts of each.
typedef struct {
  char *node, *space, *type;
  size_t endpoints;
  uint8_t gids[2][RMW_GID_STORAGE_SIZE];
  rmw_qos_profile_t qos[2];
} rclgo_service_endpoint;
typedef struct { rclgo_ret ret; size_t n; rclgo_service_endpoint *all; } rclgo_service_endpoints;
rclgo_service_endpoints rclgo_endpoints_by_service(rcl_node_t *n, bool clients, const char *service);
void rclgo_service_endpoints_free(rclgo_service_endpoints *r);
rclgo_i64 rclgo_count(rcl_node_t *n, int what, const char *name);
rclgo_i64 rclgo_server_available(rcl_node_t *n, rcl_client_t *c);

// pubsub.c
rclgo_ptr rclgo_publisher_new(rcl_node_t *n, const void *ts, const char *topic,
                              const rmw_qos_profile_t *qos);
rclgo_ret rclgo_publisher_free(rcl_publisher_t *p, rcl_node_t *n);
rclgo_ret rclgo_publish(rcl_publisher_t *p, const void *msg);
rclgo_ret rclgo_publish_bytes(rcl_publisher_t *p, void *buf, size_t len);
rclgo_ret rclgo_publisher_assert(rcl_publisher_t *p);
rclgo_i64 rclgo_publisher_matched(rcl_publisher_t *p);
rclgo_ret rclgo_publisher_acked(rcl_publisher_t *p, int64_t timeout);
rclgo_ret rclgo_publisher_gid(rcl_publisher_t *p, rmw_gid_t *gid);
typedef struct { rclgo_ret ret; rmw_message_info_t info; uint8_t *buf; size_t len; } rclgo_taken;
rclgo_ptr rclgo_subscription_new(rcl_node_t *n, const void *ts, const char *topic,
                                 const rmw_qos_profile_t *qos);
rclgo_ret rclgo_subscription_free(rcl_subscription_t *s, rcl_node_t *n);
rclgo_taken rclgo_take(rcl_subscription_t *s, void *msg);
rclgo_taken rclgo_take_bytes(rcl_subscription_t *s);
rclgo_i64 rclgo_subscription_matched(rcl_subscription_t *s);
typedef struct { rclgo_ret ret; uint8_t *buf; size_t len; } rclgo_bytes;
rclgo_bytes rclgo_serialize(const void *msg, const void *ts);
rclgo_ret rclgo_deserialize(void *buf, size_t len, const void *ts, void *msg);

// service.c
typedef struct { rclgo_ret ret; rmw_service_info_t info; } rclgo_header;
rclgo_ptr rclgo_client_new(rcl_node_t *n, const void *ts, const char *name,
                           const rmw_qos_profile_t *qos);
rclgo_ret rclgo_client_free(rcl_client_t *c, rcl_node_t *n);
rclgo_i64 rclgo_send_request(rcl_client_t *c, const void *msg);
rclgo_header rclgo_take_response(rcl_client_t *c, void *msg);
rclgo_ptr rclgo_service_new(rcl_node_t *n, const void *ts, const char *name,
                            const rmw_qos_profile_t *qos);
rclgo_ret rclgo_service_free(rcl_service_t *s, rcl_node_t *n);
rclgo_header rclgo_take_request(rcl_service_t *s, void *msg);
rclgo_ret rclgo_send_response(rcl_service_t *s, rmw_request_id_t id, void *msg);
rclgo_ret rclgo_client_introspect(rcl_client_t *c, rcl_node_t *n, rcl_clock_t *clock, const void *ts,
                                  const rmw_qos_profile_t *qos, int state);
rclgo_ret rclgo_service_introspect(rcl_service_t *s, rcl_node_t *n, rcl_clock_t *clock, const void *ts,
                                   const rmw_qos_profile_t *qos, int state);

// event.c
bool rclgo_event_supported(int rmw_type);
const char *rclgo_middleware(void);
typedef struct { rclgo_ret ret; int64_t total, total_change, current, current_change, policy; } rclgo_status;
rclgo_ptr rclgo_publisher_event_new(rcl_publisher_t *p, int type);
rclgo_ptr rclgo_subscription_event_new(rcl_subscription_t *s, int type);
rclgo_ret rclgo_event_free(rcl_event_t *e);
rclgo_status rclgo_event_take(rcl_event_t *e, int status);
enum { RCLGO_STATUS_COUNT, RCLGO_STATUS_LIVELINESS, RCLGO_STATUS_QOS, RCLGO_STATUS_MATCHED,
       RCLGO_STATUS_LOST };

// wait.c
enum { RCLGO_WAIT_SUBSCRIPTION, RCLGO_WAIT_GUARD, RCLGO_WAIT_TIMER, RCLGO_WAIT_CLIENT,
       RCLGO_WAIT_SERVICE, RCLGO_WAIT_EVENT, RCLGO_WAIT_KINDS,
       // Made of several handles: action.c tells of which.
       RCLGO_WAIT_ACTION_CLIENT = RCLGO_WAIT_KINDS, RCLGO_WAIT_ACTION_SERVER };
typedef struct {
  const void *handle;
  int32_t kind;
  uint8_t armed;    // in: wait on it in this round
  uint8_t ready;    // out: 0, or what is ready of it (1 where the kind has no parts)
  size_t index;     // its place in the wait set in this round
} rclgo_slot;
typedef struct {
  rcl_wait_set_t set;
  size_t room[RCLGO_WAIT_KINDS];
  rclgo_slot *slots;
  size_t nslots;
} rclgo_waiter;
rclgo_ptr rclgo_waiter_new(rcl_context_t *ctx);
rclgo_ret rclgo_waiter_free(rclgo_waiter *w);
rclgo_ret rclgo_waiter_resize(rclgo_waiter *w, size_t nslots);
rclgo_i64 rclgo_waiter_wait(rclgo_waiter *w);

// log.c
rclgo_ret rclgo_log_configure(int argc, char **argv);
rclgo_ret rclgo_log_fini(void);
void rclgo_log_use_go(bool on);
void rclgo_log_default(void *location, int severity, void *name, int64_t stamp, void *format, void *args);
void rclgo_log_write(int severity, const char *name, const char *text, const char *function,
                     const char *file, size_t line);
void rclgo_log_rosout(int severity, const char *name, const char *text, const char *function,
                      const char *file, size_t line);
int rclgo_log_level(const char *name, bool effective);
rclgo_ret rclgo_log_set_level(const char *name, int level);
rclgo_ret rclgo_rosout_open(rcl_node_t *n);
rclgo_ret rclgo_rosout_close(rcl_node_t *n);
rclgo_ret rclgo_rosout_add(const char *parent, const char *child);

#endif
