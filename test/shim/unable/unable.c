// A middleware that can do less than the installed one, for tests.
//
// The process loads this library before all others (LD_PRELOAD). Each function here takes the place of the
// middleware's function of that name, for rcl and for the program, and calls the middleware's own one. RMW_UNABLE
// lists the faults, separated by commas; see faults below. Without it, nothing changes.
//
// Programs without ROS load this library too, so it needs no other library: it looks up what it calls when it is
// called.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rcutils/types/string_array.h"
#include "rmw/event.h"
#include "rmw/features.h"
#include "rmw/get_network_flow_endpoints.h"
#include "rmw/get_topic_endpoint_info.h"
#include "rmw/get_topic_names_and_types.h"
#include "rmw/rmw.h"

// The names of the faults in RMW_UNABLE, and what stands for what.
enum {
  NO_EVENTS = 1 << 0,        // the middleware says that it has no events, and refuses to create one
  SILENT_EVENTS = 1 << 1,    // liveliness events are unsupported by word; they can be created, and never fire
  LYING_EVENTS = 1 << 2,     // the same, but by word they are supported
  OTHER_GIDS = 1 << 3,       // messages and requests carry other GIDs than the graph
  HIDDEN_REQUESTS = 1 << 4,  // there are no topics of requests and responses, and no prefixes of topics
  TAKE_401 = 1 << 5,         // every third take of each kind takes nothing although the wait set reported data
  OTHER_NAME = 1 << 6,       // the middleware is called rmw_unable_cpp
  NO_EXTRAS = 1 << 7,        // network flow endpoints, content filters, callbacks and the like are unsupported
  HALF_EVENTS = 1 << 8,      // liveliness events tell that a publisher has come, and never that one is lost
  SCATTERED_GIDS = 1 << 9,   // GIDs of one process have no common beginning, and no process id
};

static const struct {
  const char * name;
  int faults;
} faults[] = {
  {"no_events", NO_EVENTS},
  {"silent_events", SILENT_EVENTS},
  {"lying_events", LYING_EVENTS},
  {"half_events", HALF_EVENTS},
  {"other_gids", OTHER_GIDS},
  {"scattered_gids", SCATTERED_GIDS},
  {"hidden_requests", HIDDEN_REQUESTS},
  {"take_401", TAKE_401},
  {"other_name", OTHER_NAME},
  {"no_extras", NO_EXTRAS},
  {"all", NO_EVENTS | OTHER_GIDS | HIDDEN_REQUESTS | TAKE_401 | OTHER_NAME | NO_EXTRAS},
};

// setting is getenv, which finds nothing before the libraries of the process are initialized.
static const char * setting(const char * name)
{
  if (environ != NULL) {
    return getenv(name);
  }
  static char all[1 << 17];
  int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  ssize_t size = file >= 0 ? read(file, all, sizeof all - 1) : 0;
  if (file >= 0) {
    close(file);
  }
  size_t length = strlen(name);
  for (const char * entry = all; entry < all + size; entry += strlen(entry) + 1) {
    if (strncmp(entry, name, length) == 0 && entry[length] == '=') {
      return entry + length + 1;
    }
  }
  return NULL;
}

// A name that is none ends the process: a test must not pass because of a typing error.
static int chosen(void)
{
  static atomic_int known = -1;
  int all = known;
  if (all >= 0) {
    return all;
  }
  const char * list = setting("RMW_UNABLE");
  all = 0;
  while (list != NULL && *list != '\0') {
    size_t length = strcspn(list, ","), i = 0, count = sizeof faults / sizeof faults[0];
    while (i < count && (strlen(faults[i].name) != length || strncmp(faults[i].name, list, length) != 0)) {
      i++;
    }
    if (i == count) {
      fprintf(stderr, "RMW_UNABLE: there is no fault %.*s\n", (int)length, list);
      abort();
    }
    all |= faults[i].faults;
    list += length;
    list += *list == ',';
  }
  known = all;
  return all;
}

static bool is(int fault) {return (chosen() & fault) != 0;}

// The library that has the real functions: the one that chooses a middleware at run time, else the middleware. It is
// needed where that is not in the global scope, as in Python.
static void * library(void)
{
  static _Atomic(void *) opened;
  void * handle = opened;
  if (handle == NULL) {
    const char * names[] = {"librmw_implementation.so", getenv("RMW_UNABLE_REAL"), "librmw_fastrtps_cpp.so"};
    for (size_t i = 0; handle == NULL && i < sizeof names / sizeof names[0]; i++) {
      handle = names[i] != NULL ? dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD) : NULL;
    }
    opened = handle;
  }
  return handle;
}

// A program may ask for the name of the middleware before the libraries of the process are initialized (rclgo does).
// dlopen would initialize them too early, RTLD_NEXT does not.
static void * look_up(const char * name)
{
  void * found = dlsym(RTLD_NEXT, name);
  if (found == NULL && library() != NULL) {
    found = dlsym(library(), name);
  }
  if (found == NULL) {
    fprintf(stderr, "RMW_UNABLE: no library of this process has %s\n", name);
    abort();
  }
  return found;
}

// REAL(f) is the middleware's own function, looked up once.
#define REAL(function) \
  ({ \
    static _Atomic(void *) found; \
    void * address = found; \
    if (address == NULL) { \
      found = address = look_up(#function); \
    } \
    (__typeof__(&function))address; \
  })

static rmw_ret_t unsupported(const char * what, const char * function, size_t line)
{
  char message[200];
  snprintf(message, sizeof message, "%s: %s not supported by rmw_unable_cpp", function, what);
  REAL(rcutils_set_error_state)(message, __FILE__, line);
  return RMW_RET_UNSUPPORTED;
}

#define UNSUPPORTED(what) unsupported(what, __func__, __LINE__)

const char * rmw_get_implementation_identifier(void)
{
  return is(OTHER_NAME) ? "rmw_unable_cpp" : REAL(rmw_get_implementation_identifier)();
}

// ---- events

static bool is_liveliness(rmw_event_type_t type)
{
  return type == RMW_EVENT_LIVELINESS_CHANGED || type == RMW_EVENT_LIVELINESS_LOST;
}

bool rmw_event_type_is_supported(rmw_event_type_t type)
{
  if (is(NO_EVENTS) || (is(SILENT_EVENTS) && is_liveliness(type))) {
    return false;
  }
  return REAL(rmw_event_type_is_supported)(type);
}

rmw_ret_t rmw_publisher_event_init(rmw_event_t * event, const rmw_publisher_t * publisher, rmw_event_type_t type)
{
  if (is(NO_EVENTS)) {
    return UNSUPPORTED("provided event_type is");
  }
  return REAL(rmw_publisher_event_init)(event, publisher, type);
}

rmw_ret_t rmw_subscription_event_init(
  rmw_event_t * event, const rmw_subscription_t * subscription, rmw_event_type_t type)
{
  if (is(NO_EVENTS)) {
    return UNSUPPORTED("provided event_type is");
  }
  return REAL(rmw_subscription_event_init)(event, subscription, type);
}

rmw_ret_t rmw_event_set_callback(rmw_event_t * event, rmw_event_callback_t callback, const void * user_data)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a callback of an event is");
  }
  if (is(SILENT_EVENTS | LYING_EVENTS) && is_liveliness(event->event_type)) {
    return RMW_RET_OK;
  }
  return REAL(rmw_event_set_callback)(event, callback, user_data);
}

rmw_ret_t rmw_take_event(const rmw_event_t * event, void * info, bool * taken)
{
  if (is(SILENT_EVENTS | LYING_EVENTS) && is_liveliness(event->event_type)) {
    *taken = false;
    return RMW_RET_OK;
  }
  rmw_ret_t ret = REAL(rmw_take_event)(event, info, taken);
  if (ret == RMW_RET_OK && *taken && is(HALF_EVENTS) && is_liveliness(event->event_type)) {
    if (event->event_type == RMW_EVENT_LIVELINESS_LOST) {
      *taken = false;
      return ret;
    }
    rmw_liveliness_changed_status_t * status = info;
    *taken = status->alive_count_change > 0 || status->alive_count > 0;
    status->alive_count += status->not_alive_count;
    status->not_alive_count = status->not_alive_count_change = 0;
  }
  return ret;
}

// Liveliness events that never fire are not given to the middleware. An entry of NULL is one that is not ready.
rmw_ret_t rmw_wait(
  rmw_subscriptions_t * subscriptions, rmw_guard_conditions_t * guard_conditions, rmw_services_t * services,
  rmw_clients_t * clients, rmw_events_t * events, rmw_wait_set_t * wait_set, const rmw_time_t * timeout)
{
  if (!is(SILENT_EVENTS | LYING_EVENTS) || events == NULL || events->event_count == 0) {
    return REAL(rmw_wait)(subscriptions, guard_conditions, services, clients, events, wait_set, timeout);
  }
  size_t count = events->event_count, kept = 0;
  void ** others = malloc(count * sizeof *others);
  size_t * places = malloc(count * sizeof *places);
  if (others == NULL || places == NULL) {
    abort();
  }
  for (size_t i = 0; i < count; i++) {
    rmw_event_t * event = events->events[i];
    if (event != NULL && !is_liveliness(event->event_type)) {
      others[kept] = event;
      places[kept++] = i;
    }
  }
  rmw_events_t some = {.event_count = kept, .events = others};
  rmw_ret_t ret = REAL(rmw_wait)(subscriptions, guard_conditions, services, clients, &some, wait_set, timeout);
  memset(events->events, 0, count * sizeof *events->events);
  for (size_t i = 0; i < kept; i++) {
    events->events[places[i]] = others[i];
  }
  free(places);
  free(others);
  return ret;
}

// ---- taking, and the GIDs of what is taken

// Messages, requests and responses are counted apart: together, those of a client and a service in lockstep would
// always hit the same kind.
static atomic_uint takes_of_messages, takes_of_requests, takes_of_responses;

static bool takes_nothing(atomic_uint * takes)
{
  return is(TAKE_401) && atomic_fetch_add(takes, 1) % 3 == 2;
}

// A handle, as Cyclone's: eight bytes that are the same for each message of a writer, and zeros.
static void other_gid(rmw_ret_t ret, bool taken, rmw_message_info_t * info)
{
  if (!is(OTHER_GIDS) || ret != RMW_RET_OK || !taken || info == NULL) {
    return;
  }
  uint64_t handle = 14695981039346656037u;
  for (size_t i = 0; i < sizeof info->publisher_gid.data; i++) {
    handle = (handle ^ (uint8_t)info->publisher_gid.data[i]) * 1099511628211u;
  }
  memset(info->publisher_gid.data, 0, sizeof info->publisher_gid.data);
  memcpy(info->publisher_gid.data, &handle, sizeof handle);
}

// scatter gives a GID a beginning of its own, made from the number of its endpoint, which it leaves as it is. The same
// function undoes it.
static void scatter(uint8_t * gid)
{
  uint64_t number = 14695981039346656037u;
  for (size_t i = 12; i < 16; i++) {
    number = (number ^ gid[i]) * 1099511628211u;
  }
  for (size_t i = 0; i < 12; i++) {
    number = (number ^ i) * 1099511628211u;
    gid[i] ^= (uint8_t)(number >> 32);
  }
}

static void scatter_message(rmw_ret_t ret, bool taken, rmw_message_info_t * info)
{
  if (is(SCATTERED_GIDS) && ret == RMW_RET_OK && taken && info != NULL) {
    scatter((uint8_t *)info->publisher_gid.data);
  }
}

static rmw_ret_t scatter_all(rmw_ret_t ret, rmw_topic_endpoint_info_array_t * found)
{
  for (size_t i = 0; is(SCATTERED_GIDS) && ret == RMW_RET_OK && i < found->size; i++) {
    scatter(found->info_array[i].endpoint_gid);
  }
  return ret;
}

// The GID of a request's writer must lead back to the client, so the same function makes and undoes it.
static void turn(rmw_request_id_t * id)
{
  if (is(SCATTERED_GIDS)) {
    scatter((uint8_t *)id->writer_guid);
  }
  if (is(OTHER_GIDS)) {
    for (size_t i = 0; i < sizeof id->writer_guid; i++) {
      id->writer_guid[i] ^= 0x55;
    }
  }
}

rmw_ret_t rmw_take(
  const rmw_subscription_t * subscription, void * message, bool * taken, rmw_subscription_allocation_t * allocation)
{
  if (takes_nothing(&takes_of_messages)) {
    *taken = false;
    return RMW_RET_OK;
  }
  return REAL(rmw_take)(subscription, message, taken, allocation);
}

rmw_ret_t rmw_take_with_info(
  const rmw_subscription_t * subscription, void * message, bool * taken, rmw_message_info_t * info,
  rmw_subscription_allocation_t * allocation)
{
  if (takes_nothing(&takes_of_messages)) {
    *taken = false;
    return RMW_RET_OK;
  }
  rmw_ret_t ret = REAL(rmw_take_with_info)(subscription, message, taken, info, allocation);
  scatter_message(ret, *taken, info);
  other_gid(ret, *taken, info);
  return ret;
}

rmw_ret_t rmw_take_sequence(
  const rmw_subscription_t * subscription, size_t count, rmw_message_sequence_t * messages,
  rmw_message_info_sequence_t * infos, size_t * taken, rmw_subscription_allocation_t * allocation)
{
  if (takes_nothing(&takes_of_messages)) {
    *taken = 0;
    return RMW_RET_OK;
  }
  rmw_ret_t ret = REAL(rmw_take_sequence)(subscription, count, messages, infos, taken, allocation);
  for (size_t i = 0; i < *taken; i++) {
    scatter_message(ret, true, &infos->data[i]);
    other_gid(ret, true, &infos->data[i]);
  }
  return ret;
}

rmw_ret_t rmw_take_serialized_message(
  const rmw_subscription_t * subscription, rmw_serialized_message_t * message, bool * taken,
  rmw_subscription_allocation_t * allocation)
{
  if (takes_nothing(&takes_of_messages)) {
    *taken = false;
    return RMW_RET_OK;
  }
  return REAL(rmw_take_serialized_message)(subscription, message, taken, allocation);
}

rmw_ret_t rmw_take_serialized_message_with_info(
  const rmw_subscription_t * subscription, rmw_serialized_message_t * message, bool * taken,
  rmw_message_info_t * info, rmw_subscription_allocation_t * allocation)
{
  if (takes_nothing(&takes_of_messages)) {
    *taken = false;
    return RMW_RET_OK;
  }
  rmw_ret_t ret = REAL(rmw_take_serialized_message_with_info)(subscription, message, taken, info, allocation);
  scatter_message(ret, *taken, info);
  other_gid(ret, *taken, info);
  return ret;
}

rmw_ret_t rmw_take_request(const rmw_service_t * service, rmw_service_info_t * header, void * request, bool * taken)
{
  if (takes_nothing(&takes_of_requests)) {
    *taken = false;
    return RMW_RET_OK;
  }
  rmw_ret_t ret = REAL(rmw_take_request)(service, header, request, taken);
  if (ret == RMW_RET_OK && *taken) {
    turn(&header->request_id);
  }
  return ret;
}

rmw_ret_t rmw_send_response(const rmw_service_t * service, rmw_request_id_t * header, void * response)
{
  rmw_request_id_t real = *header;
  turn(&real);
  return REAL(rmw_send_response)(service, &real, response);
}

rmw_ret_t rmw_take_response(const rmw_client_t * client, rmw_service_info_t * header, void * response, bool * taken)
{
  if (takes_nothing(&takes_of_responses)) {
    *taken = false;
    return RMW_RET_OK;
  }
  rmw_ret_t ret = REAL(rmw_take_response)(client, header, response, taken);
  if (ret == RMW_RET_OK && *taken) {
    turn(&header->request_id);
  }
  return ret;
}

// ---- the graph, as one without topics for requests and without prefixes of topics

static bool has_prefix(const char * topic)
{
  return topic != NULL && (strncmp(topic, "rq/", 3) == 0 || strncmp(topic, "rr/", 3) == 0 ||
         strncmp(topic, "rt/", 3) == 0);
}

rmw_ret_t rmw_get_topic_names_and_types(
  const rmw_node_t * node, rcutils_allocator_t * allocator, bool no_demangle, rmw_names_and_types_t * found)
{
  no_demangle = no_demangle && !is(HIDDEN_REQUESTS);
  return REAL(rmw_get_topic_names_and_types)(node, allocator, no_demangle, found);
}

rmw_ret_t rmw_get_publisher_names_and_types_by_node(
  const rmw_node_t * node, rcutils_allocator_t * allocator, const char * name, const char * space, bool no_demangle,
  rmw_names_and_types_t * found)
{
  no_demangle = no_demangle && !is(HIDDEN_REQUESTS);
  return REAL(rmw_get_publisher_names_and_types_by_node)(node, allocator, name, space, no_demangle, found);
}

rmw_ret_t rmw_get_subscriber_names_and_types_by_node(
  const rmw_node_t * node, rcutils_allocator_t * allocator, const char * name, const char * space, bool no_demangle,
  rmw_names_and_types_t * found)
{
  no_demangle = no_demangle && !is(HIDDEN_REQUESTS);
  return REAL(rmw_get_subscriber_names_and_types_by_node)(node, allocator, name, space, no_demangle, found);
}

rmw_ret_t rmw_get_publishers_info_by_topic(
  const rmw_node_t * node, rcutils_allocator_t * allocator, const char * topic, bool no_mangle,
  rmw_topic_endpoint_info_array_t * found)
{
  if (is(HIDDEN_REQUESTS) && no_mangle && has_prefix(topic)) {
    return RMW_RET_OK; // found is empty
  }
  no_mangle = no_mangle && !is(HIDDEN_REQUESTS);
  return scatter_all(REAL(rmw_get_publishers_info_by_topic)(node, allocator, topic, no_mangle, found), found);
}

rmw_ret_t rmw_get_subscriptions_info_by_topic(
  const rmw_node_t * node, rcutils_allocator_t * allocator, const char * topic, bool no_mangle,
  rmw_topic_endpoint_info_array_t * found)
{
  if (is(HIDDEN_REQUESTS) && no_mangle && has_prefix(topic)) {
    return RMW_RET_OK; // found is empty
  }
  no_mangle = no_mangle && !is(HIDDEN_REQUESTS);
  return scatter_all(REAL(rmw_get_subscriptions_info_by_topic)(node, allocator, topic, no_mangle, found), found);
}

rmw_ret_t rmw_count_publishers(const rmw_node_t * node, const char * topic, size_t * count)
{
  if (is(HIDDEN_REQUESTS) && has_prefix(topic)) {
    *count = 0;
    return RMW_RET_OK;
  }
  return REAL(rmw_count_publishers)(node, topic, count);
}

rmw_ret_t rmw_count_subscribers(const rmw_node_t * node, const char * topic, size_t * count)
{
  if (is(HIDDEN_REQUESTS) && has_prefix(topic)) {
    *count = 0;
    return RMW_RET_OK;
  }
  return REAL(rmw_count_subscribers)(node, topic, count);
}

// Newer releases report the endpoints of services.
#if __has_include("rmw/get_service_endpoint_info.h")
#include "rmw/get_service_endpoint_info.h"

rmw_ret_t rmw_get_clients_info_by_service(
  const rmw_node_t * node, rcutils_allocator_t * allocator, const char * service, bool no_mangle,
  rmw_service_endpoint_info_array_t * found)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("the clients of a service are");
  }
  return REAL(rmw_get_clients_info_by_service)(node, allocator, service, no_mangle, found);
}

rmw_ret_t rmw_get_servers_info_by_service(
  const rmw_node_t * node, rcutils_allocator_t * allocator, const char * service, bool no_mangle,
  rmw_service_endpoint_info_array_t * found)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("the servers of a service are");
  }
  return REAL(rmw_get_servers_info_by_service)(node, allocator, service, no_mangle, found);
}
#endif

// ---- what a middleware may leave out, and programs can do without

bool rmw_feature_supported(rmw_feature_t feature)
{
  return is(NO_EXTRAS) ? false : REAL(rmw_feature_supported)(feature);
}

rmw_ret_t rmw_publisher_get_network_flow_endpoints(
  const rmw_publisher_t * publisher, rcutils_allocator_t * allocator, rmw_network_flow_endpoint_array_t * found)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("network flow endpoints are");
  }
  return REAL(rmw_publisher_get_network_flow_endpoints)(publisher, allocator, found);
}

rmw_ret_t rmw_subscription_get_network_flow_endpoints(
  const rmw_subscription_t * subscription, rcutils_allocator_t * allocator, rmw_network_flow_endpoint_array_t * found)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("network flow endpoints are");
  }
  return REAL(rmw_subscription_get_network_flow_endpoints)(subscription, allocator, found);
}

rmw_ret_t rmw_subscription_set_content_filter(
  rmw_subscription_t * subscription, const rmw_subscription_content_filter_options_t * options)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a content filter is");
  }
  return REAL(rmw_subscription_set_content_filter)(subscription, options);
}

rmw_ret_t rmw_subscription_get_content_filter(
  const rmw_subscription_t * subscription, rcutils_allocator_t * allocator,
  rmw_subscription_content_filter_options_t * options)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a content filter is");
  }
  return REAL(rmw_subscription_get_content_filter)(subscription, allocator, options);
}

rmw_ret_t rmw_subscription_set_on_new_message_callback(
  rmw_subscription_t * subscription, rmw_event_callback_t callback, const void * user_data)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a callback of a subscription is");
  }
  return REAL(rmw_subscription_set_on_new_message_callback)(subscription, callback, user_data);
}

rmw_ret_t rmw_service_set_on_new_request_callback(
  rmw_service_t * service, rmw_event_callback_t callback, const void * user_data)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a callback of a service is");
  }
  return REAL(rmw_service_set_on_new_request_callback)(service, callback, user_data);
}

rmw_ret_t rmw_client_set_on_new_response_callback(
  rmw_client_t * client, rmw_event_callback_t callback, const void * user_data)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a callback of a client is");
  }
  return REAL(rmw_client_set_on_new_response_callback)(client, callback, user_data);
}

rmw_ret_t rmw_publisher_wait_for_all_acked(const rmw_publisher_t * publisher, rmw_time_t timeout)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("waiting for acknowledgements is");
  }
  return REAL(rmw_publisher_wait_for_all_acked)(publisher, timeout);
}

rmw_ret_t rmw_publisher_assert_liveliness(const rmw_publisher_t * publisher)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("asserting liveliness is");
  }
  return REAL(rmw_publisher_assert_liveliness)(publisher);
}

rmw_ret_t rmw_set_log_severity(rmw_log_severity_t severity)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a log severity is");
  }
  return REAL(rmw_set_log_severity)(severity);
}

rmw_ret_t rmw_borrow_loaned_message(
  const rmw_publisher_t * publisher, const rosidl_message_type_support_t * type_support, void ** message)
{
  if (is(NO_EXTRAS)) {
    return UNSUPPORTED("a loaned message is");
  }
  return REAL(rmw_borrow_loaned_message)(publisher, type_support, message);
}
