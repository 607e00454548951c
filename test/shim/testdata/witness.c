// Reports what the middleware of this process can do, a line each: a word and a value. The argument is a suffix
// for names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rcl/rcl.h"
#include "rcl/error_handling.h"
#include "rcl/event.h"
#include "rcl/graph.h"
#include "rcl/network_flow_endpoints.h"
#include "rmw/features.h"
#include "std_msgs/msg/string.h"
#include "std_srvs/srv/empty.h"

#define MESSAGES 12

static void must(const char * what, rcl_ret_t ret)
{
  if (ret != RCL_RET_OK) {
    fprintf(stderr, "%s: %d %s\n", what, ret, rcl_get_error_string().str);
    exit(1);
  }
}

// refused prints the code and the error string of a call, and resets its error.
static void refused(const char * what, rcl_ret_t ret)
{
  printf("%s %d\n", what, ret);
  if (rcl_error_is_set()) {
    printf("%s_error %s\n", what, rcl_get_error_string().str);
    rcl_reset_error();
  }
}

static bool has(const rcl_names_and_types_t * found, const char * name)
{
  for (size_t i = 0; i < found->names.size; i++) {
    if (strcmp(found->names.data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

// named appends the suffix of this process, so that several witnesses at a time do not meet.
static const char * suffix;

static char * named(const char * format)
{
  char * name = malloc(200);
  if (name == NULL) {
    abort();
  }
  snprintf(name, 200, format, suffix);
  return name;
}

// take takes a liveliness event, and counts those that tell of a life and of a loss.
static void take(rcl_event_t * event, rmw_liveliness_changed_status_t * status, int * fired, int * lost)
{
  rcl_ret_t ret = rcl_take_event(event, status);
  if (ret == RCL_RET_EVENT_TAKE_FAILED) {
    rcl_reset_error();
    return;
  }
  must("take event", ret);
  *fired += status->alive_count > 0;
  *lost += status->not_alive_count > 0;
}

int main(int argc, char ** argv)
{
  if (argc != 2) {
    return 2;
  }
  suffix = argv[1];
  const char * topic = named("/witnessed_%s"), * asked_service = named("/asked_%s");
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  must("options", rcl_init_options_init(&options, allocator));
  rcl_context_t context = rcl_get_zero_initialized_context();
  must("init", rcl_init(0, NULL, &options, &context));
  rcl_node_t node = rcl_get_zero_initialized_node();
  rcl_node_options_t node_options = rcl_node_get_default_options();
  must("node", rcl_node_init(&node, named("witness_%s"), "", &context, &node_options));

  const rosidl_message_type_support_t * string = ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String);
  const rosidl_service_type_support_t * empty = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Empty);
  rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t publisher_options = rcl_publisher_get_default_options();
  publisher_options.qos.liveliness = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
  publisher_options.qos.liveliness_lease_duration.nsec = 300000000;
  must("publisher", rcl_publisher_init(&publisher, &node, string, topic, &publisher_options));
  rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t subscription_options = rcl_subscription_get_default_options();
  subscription_options.qos.liveliness = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
  subscription_options.qos.liveliness_lease_duration.nsec = 300000000;
  must("subscription", rcl_subscription_init(&subscription, &node, string, topic, &subscription_options));
  rcl_service_t service = rcl_get_zero_initialized_service();
  rcl_service_options_t service_options = rcl_service_get_default_options();
  must("service", rcl_service_init(&service, &node, empty, asked_service, &service_options));
  rcl_client_t client = rcl_get_zero_initialized_client();
  rcl_client_options_t client_options = rcl_client_get_default_options();
  must("client", rcl_client_init(&client, &node, empty, asked_service, &client_options));

  printf("name %s\n", rmw_get_implementation_identifier());
  printf("claims_liveliness %d\n", rmw_event_type_is_supported(RMW_EVENT_LIVELINESS_CHANGED));
  rcl_event_t event = rcl_get_zero_initialized_event();
  rcl_ret_t has_event = rcl_subscription_event_init(&event, &subscription, RCL_SUBSCRIPTION_LIVELINESS_CHANGED);
  refused("liveliness_event", has_event);
  rcl_event_t matched = rcl_get_zero_initialized_event();
  rcl_ret_t has_matched = rcl_publisher_event_init(&matched, &publisher, RCL_PUBLISHER_MATCHED);
  refused("matched_event", has_matched);

  // One message or request is on its way at a time. Both sides are in this process.
  rcl_wait_set_t set = rcl_get_zero_initialized_wait_set();
  must("wait set", rcl_wait_set_init(&set, 1, 0, 0, 1, 1, 2, &context, allocator));
  std_msgs__msg__String message;
  std_msgs__msg__String__init(&message);
  std_srvs__srv__Empty_Request request;
  std_srvs__srv__Empty_Request__init(&request);
  std_srvs__srv__Empty_Response response;
  std_srvs__srv__Empty_Response__init(&response);
  size_t readers = 0;
  bool served = false;
  int received = 0, asked = 0, answered = 0, fired = 0, lost = 0, fits = 0;
  int misses = 0, missed_requests = 0, missed_responses = 0;
  int64_t sent = 0;
  rmw_message_info_t info = rmw_get_zero_initialized_message_info();
  rmw_service_info_t header;
  uint8_t first[16] = {0};
  int changes = 0, sent_messages = 0, sent_requests = 0;
  while (received < MESSAGES || answered < MESSAGES || (has_matched == RCL_RET_OK && fits == 0)) {
    must("readers", rcl_publisher_get_subscription_count(&publisher, &readers));
    must("served", rcl_service_server_is_available(&node, &client, &served));
    if (readers > 0 && sent_messages == received && received < MESSAGES) {
      must("publish", rcl_publish(&publisher, &message, NULL));
      sent_messages++;
    }
    if (served && sent_requests == answered && answered < MESSAGES) {
      must("ask", rcl_send_request(&client, &request, &sent));
      sent_requests++;
    }
    must("clear", rcl_wait_set_clear(&set));
    must("add", rcl_wait_set_add_subscription(&set, &subscription, NULL));
    must("add", rcl_wait_set_add_service(&set, &service, NULL));
    must("add", rcl_wait_set_add_client(&set, &client, NULL));
    size_t liveliness_at = 0, matched_at = 0;
    if (has_event == RCL_RET_OK) {
      must("add", rcl_wait_set_add_event(&set, &event, &liveliness_at));
    }
    if (has_matched == RCL_RET_OK) {
      must("add", rcl_wait_set_add_event(&set, &matched, &matched_at));
    }
    rcl_ret_t ret = rcl_wait(&set, RCL_MS_TO_NS(20));
    if (ret == RCL_RET_TIMEOUT) {
      continue;
    }
    must("wait", ret);
    if (has_event == RCL_RET_OK && set.events[liveliness_at] != NULL) {
      rmw_liveliness_changed_status_t status;
      take(&event, &status, &fired, &lost);
    }
    if (has_matched == RCL_RET_OK && set.events[matched_at] != NULL) {
      rmw_matched_status_t status;
      must("take matched", rcl_take_event(&matched, &status));
      fits++;
    }
    if (set.subscriptions[0] != NULL) {
      ret = rcl_take(&subscription, &message, &info, NULL);
      if (ret == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
        misses++;
        rcl_reset_error();
      } else {
        must("take", ret);
        if (received == 0) {
          memcpy(first, info.publisher_gid.data, sizeof first);
        }
        changes += memcmp(first, info.publisher_gid.data, sizeof first) != 0;
        received++;
      }
    }
    if (set.services[0] != NULL) {
      ret = rcl_take_request_with_info(&service, &header, &request);
      if (ret == RCL_RET_SERVICE_TAKE_FAILED) {
        missed_requests++;
        rcl_reset_error();
      } else {
        must("take request", ret);
        must("answer", rcl_send_response(&service, &header.request_id, &response));
        asked++;
      }
    }
    if (set.clients[0] != NULL) {
      rmw_service_info_t got;
      ret = rcl_take_response_with_info(&client, &got, &response);
      if (ret == RCL_RET_CLIENT_TAKE_FAILED) {
        missed_responses++;
        rcl_reset_error();
      } else {
        must("take response", ret);
        answered += got.request_id.sequence_number == sent;
      }
    }
  }
  // The publisher says nothing more, and so is lost after its lease.
  rcl_wait_set_t loss = rcl_get_zero_initialized_wait_set();
  must("wait set", rcl_wait_set_init(&loss, 0, 0, 0, 0, 0, 1, &context, allocator));
  for (int k = 0; has_event == RCL_RET_OK && lost == 0 && k < 50; k++) {
    must("clear", rcl_wait_set_clear(&loss));
    must("add", rcl_wait_set_add_event(&loss, &event, NULL));
    rcl_ret_t ret = rcl_wait(&loss, RCL_MS_TO_NS(100));
    if (ret == RCL_RET_TIMEOUT) {
      continue;
    }
    must("wait", ret);
    if (loss.events[0] != NULL) {
      rmw_liveliness_changed_status_t status;
      take(&event, &status, &fired, &lost);
    }
  }
  must("fini", rcl_wait_set_fini(&loss));
  printf("fired %d\nlost %d\nmatched %d\n", fired > 0, lost > 0, fits > 0);
  printf("misses %d\nmissed_requests %d\nmissed_responses %d\n", misses, missed_requests, missed_responses);
  printf("received %d\nasked %d\nanswered %d\ngid_changes %d\n", received, asked, answered, changes);

  rcl_topic_endpoint_info_array_t writers = rcl_get_zero_initialized_topic_endpoint_info_array();
  must("writers", rcl_get_publishers_info_by_topic(&node, &allocator, topic, false, &writers));
  printf("writers %zu\n", writers.size);
  printf("gid_as_in_graph %d\n",
    writers.size == 1 && memcmp(writers.info_array[0].endpoint_gid, info.publisher_gid.data, 16) == 0);
  rcl_topic_endpoint_info_array_t readers_of_it = rcl_get_zero_initialized_topic_endpoint_info_array();
  must("readers", rcl_get_subscriptions_info_by_topic(&node, &allocator, topic, false, &readers_of_it));
  printf("common_beginning %d\n", writers.size == 1 && readers_of_it.size == 1 &&
    memcmp(writers.info_array[0].endpoint_gid, readers_of_it.info_array[0].endpoint_gid, 12) == 0);
  must("fini", rcl_topic_endpoint_info_array_fini(&readers_of_it, &allocator));
  must("fini", rcl_topic_endpoint_info_array_fini(&writers, &allocator));
  must("writers of requests",
    rcl_get_publishers_info_by_topic(&node, &allocator, named("rq/asked_%sRequest"), true, &writers));
  printf("writers_of_requests %zu\n", writers.size);
  must("fini", rcl_topic_endpoint_info_array_fini(&writers, &allocator));
  must("readers of requests",
    rcl_get_subscriptions_info_by_topic(&node, &allocator, named("rq/asked_%sRequest"), true, &writers));
  printf("readers_of_requests %zu\n", writers.size);
  must("fini", rcl_topic_endpoint_info_array_fini(&writers, &allocator));
  must("readers of replies",
    rcl_get_subscriptions_info_by_topic(&node, &allocator, named("rr/asked_%sReply"), true, &writers));
  printf("readers_of_replies %zu\n", writers.size);
  // Fast DDS names the client of a request by its reader.
  printf("request_gid_as_in_graph %d\n",
    writers.size == 1 && memcmp(writers.info_array[0].endpoint_gid, header.request_id.writer_guid, 16) == 0);
  must("fini", rcl_topic_endpoint_info_array_fini(&writers, &allocator));
  rcl_names_and_types_t names = rcl_get_zero_initialized_names_and_types();
  must("topics", rcl_get_topic_names_and_types(&node, &allocator, true, &names));
  printf("request_topic %d\n", has(&names, named("rq/asked_%sRequest")));
  printf("reply_topic %d\n", has(&names, named("rr/asked_%sReply")));
  printf("prefixed_topic %d\n", has(&names, named("rt/witnessed_%s")));
  printf("plain_topic %d\n", has(&names, topic));
  must("fini", rcl_names_and_types_fini(&names));
  must("services", rcl_get_service_names_and_types_by_node(&node, &allocator, named("witness_%s"), "/", &names));
  printf("service_of_node %d\n", has(&names, asked_service));
  must("fini", rcl_names_and_types_fini(&names));

  rcl_network_flow_endpoint_array_t flows = rcl_get_zero_initialized_network_flow_endpoint_array();
  refused("flows_of_publisher", rcl_publisher_get_network_flow_endpoints(&publisher, &allocator, &flows));
  (void)!rcl_network_flow_endpoint_array_fini(&flows);
  flows = rcl_get_zero_initialized_network_flow_endpoint_array();
  refused("flows_of_subscription", rcl_subscription_get_network_flow_endpoints(&subscription, &allocator, &flows));
  (void)!rcl_network_flow_endpoint_array_fini(&flows);
  refused("acknowledgements", rcl_publisher_wait_for_all_acked(&publisher, RCL_S_TO_NS(1)));
  refused("assert", rcl_publisher_assert_liveliness(&publisher));
  refused("callback_of_subscription", rcl_subscription_set_on_new_message_callback(&subscription, NULL, NULL));
  refused("callback_of_service", rcl_service_set_on_new_request_callback(&service, NULL, NULL));
  refused("callback_of_client", rcl_client_set_on_new_response_callback(&client, NULL, NULL));
  printf("numbered %d\n", rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_PUBLICATION_SEQUENCE_NUMBER));

  must("fini", rcl_wait_set_fini(&set));
  if (has_event == RCL_RET_OK) {
    must("fini", rcl_event_fini(&event));
  }
  if (has_matched == RCL_RET_OK) {
    must("fini", rcl_event_fini(&matched));
  }
  must("fini", rcl_client_fini(&client, &node));
  must("fini", rcl_service_fini(&service, &node));
  must("fini", rcl_subscription_fini(&subscription, &node));
  must("fini", rcl_publisher_fini(&publisher, &node));
  must("fini", rcl_node_fini(&node));
  must("shutdown", rcl_shutdown(&context));
  must("fini", rcl_context_fini(&context));
  must("fini", rcl_init_options_fini(&options));
  return 0;
}
