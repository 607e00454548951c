// The functions of rmw that tests replace. The loader prefers a symbol of the program to that of a
// library, so librcl calls these. Without a fault each calls the middleware's own.
#define _GNU_SOURCE
#include "rmwfault.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include <rmw/error_handling.h>
#include <rmw/event.h>
#include <rmw/get_topic_endpoint_info.h>
#include <rmw/get_topic_names_and_types.h>
#include <rmw/rmw.h>

static atomic_bool mute_events, other_gids, no_request_topics, late_requests;
static atomic_long no_events, empty[RMWFAULT_KINDS], calls[RMWFAULT_KINDS], duplicates;

void rmwfault_no_events(long bits) { atomic_store(&no_events, bits); }
static bool lacks(rmw_event_type_t type) { return atomic_load(&no_events) >> type & 1; }
void rmwfault_mute_events(bool on) { atomic_store(&mute_events, on); }
void rmwfault_late_requests(bool on) { atomic_store(&late_requests, on); }
void rmwfault_other_gids(bool on) { atomic_store(&other_gids, on); }
void rmwfault_no_request_topics(bool on) { atomic_store(&no_request_topics, on); }
void rmwfault_empty(int kind, long n) { atomic_store(&empty[kind], n); }
long rmwfault_left(int kind) { return atomic_load(&empty[kind]); }
long rmwfault_calls(int kind) { return atomic_load(&calls[kind]); }
long rmwfault_duplicates(void) { return atomic_load(&duplicates); }

// OWN is the middleware's function of that name.
#define OWN(name) \
  ({ static _Atomic(void *) cache; \
     void *f = atomic_load(&cache); \
     if (!f && !(f = dlsym(RTLD_NEXT, #name))) __builtin_trap(); \
     atomic_store(&cache, f); \
     (__typeof__(&name))f; })

// REPLACES marks a function that librcl has to find in the program.
#define REPLACES __attribute__((visibility("default"), used))

// empties reports whether this take finds nothing, and counts it.
static bool empties(int kind) {
  atomic_fetch_add(&calls[kind], 1);
  long left = atomic_load(&empty[kind]);
  while (left > 0)
    if (atomic_compare_exchange_weak(&empty[kind], &left, left - 1)) return true;
  return false;
}

REPLACES bool rmw_event_type_is_supported(rmw_event_type_t type) {
  if (atomic_load(&mute_events)) {
    RMW_SET_ERROR_MSG("failed to resolve symbol 'rmw_event_type_is_supported'");
    return false;
  }
  return !lacks(type) && OWN(rmw_event_type_is_supported)(type);
}

REPLACES rmw_ret_t rmw_subscription_event_init(rmw_event_t *event, const rmw_subscription_t *s, rmw_event_type_t type) {
  if (!lacks(type)) return OWN(rmw_subscription_event_init)(event, s, type);
  RMW_SET_ERROR_MSG("provided event_type is not supported");
  return RMW_RET_UNSUPPORTED;
}

REPLACES rmw_ret_t rmw_publisher_event_init(rmw_event_t *event, const rmw_publisher_t *p, rmw_event_type_t type) {
  if (!lacks(type)) return OWN(rmw_publisher_event_init)(event, p, type);
  RMW_SET_ERROR_MSG("provided event_type is not supported");
  return RMW_RET_UNSUPPORTED;
}

static void change(rmw_message_info_t *info) {
  if (atomic_load(&other_gids)) info->publisher_gid.data[0] ^= 0xff;
}

REPLACES rmw_ret_t rmw_take_with_info(const rmw_subscription_t *s, void *message, bool *taken,
                                      rmw_message_info_t *info, rmw_subscription_allocation_t *a) {
  *taken = false;
  if (empties(RMWFAULT_MESSAGE)) return RMW_RET_OK;
  rmw_ret_t r = OWN(rmw_take_with_info)(s, message, taken, info, a);
  change(info);
  return r;
}

REPLACES rmw_ret_t rmw_take_serialized_message_with_info(const rmw_subscription_t *s, rmw_serialized_message_t *message,
                                                         bool *taken, rmw_message_info_t *info,
                                                         rmw_subscription_allocation_t *a) {
  *taken = false;
  if (empties(RMWFAULT_SERIALIZED)) return RMW_RET_OK;
  rmw_ret_t r = OWN(rmw_take_serialized_message_with_info)(s, message, taken, info, a);
  change(info);
  return r;
}

REPLACES rmw_ret_t rmw_take_request(const rmw_service_t *s, rmw_service_info_t *info, void *request, bool *taken) {
  *taken = false;
  return empties(RMWFAULT_REQUEST) ? RMW_RET_OK : OWN(rmw_take_request)(s, info, request, taken);
}

REPLACES rmw_ret_t rmw_take_response(const rmw_client_t *c, rmw_service_info_t *info, void *response, bool *taken) {
  *taken = false;
  return empties(RMWFAULT_RESPONSE) ? RMW_RET_OK : OWN(rmw_take_response)(c, info, response, taken);
}

REPLACES rmw_ret_t rmw_take_event(const rmw_event_t *event, void *info, bool *taken) {
  *taken = false;
  return empties(RMWFAULT_EVENT) ? RMW_RET_OK : OWN(rmw_take_event)(event, info, taken);
}

// hides reports whether a query is for a topic that carries requests.
static bool hides(const char *topic) {
  return (atomic_load(&no_request_topics) || atomic_load(&late_requests)) && strncmp(topic, "rq/", 3) == 0;
}

REPLACES rmw_ret_t rmw_get_topic_names_and_types(const rmw_node_t *node, rcutils_allocator_t *a, bool no_demangle,
                                                 rmw_names_and_types_t *found) {
  return OWN(rmw_get_topic_names_and_types)(node, a, no_demangle && !atomic_load(&no_request_topics), found);
}

REPLACES rmw_ret_t rmw_get_publishers_info_by_topic(const rmw_node_t *node, rcutils_allocator_t *a, const char *topic,
                                                    bool no_mangle, rmw_topic_endpoint_info_array_t *found) {
  if (hides(topic)) return RMW_RET_OK;
  return OWN(rmw_get_publishers_info_by_topic)(node, a, topic, no_mangle, found);
}

REPLACES rmw_ret_t rmw_get_subscriptions_info_by_topic(const rmw_node_t *node, rcutils_allocator_t *a,
                                                       const char *topic, bool no_mangle,
                                                       rmw_topic_endpoint_info_array_t *found) {
  if (hides(topic)) return RMW_RET_OK;
  return OWN(rmw_get_subscriptions_info_by_topic)(node, a, topic, no_mangle, found);
}

static void count_twins(void **all, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      if (all[i] && all[i] == all[j]) atomic_fetch_add(&duplicates, 1);
}

// A wait set of a newer ROS 2 refuses an entity that is in it already.
REPLACES rmw_ret_t rmw_wait(rmw_subscriptions_t *subscriptions, rmw_guard_conditions_t *guards,
                            rmw_services_t *services, rmw_clients_t *clients, rmw_events_t *events,
                            rmw_wait_set_t *set, const rmw_time_t *timeout) {
  if (subscriptions) count_twins(subscriptions->subscribers, subscriptions->subscriber_count);
  if (guards) count_twins(guards->guard_conditions, guards->guard_condition_count);
  if (services) count_twins(services->services, services->service_count);
  if (clients) count_twins(clients->clients, clients->client_count);
  if (events) count_twins(events->events, events->event_count);
  return OWN(rmw_wait)(subscriptions, guards, services, clients, events, set, timeout);
}
