// What the benchmarks measure, done over rcl alone: the least that a client library can cost. One JSON command a line in,
// one JSON line of nanoseconds out, as bench.py. The server at the other end is the same as for Go. Ends when its input does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <rcl/rcl.h>
#include <rcl_action/rcl_action.h>
#include <rcl_action/wait.h>
#include <rosidl_runtime_c/string_functions.h>
#include <std_msgs/msg/string.h>
#include <std_srvs/srv/set_bool.h>
#include <test_msgs/action/fibonacci.h>

#define CHECK(call) do { rcl_ret_t rc_ = (call); if (rc_ != RCL_RET_OK) fatal(#call, rc_); } while (0)
#define PATIENCE_NS 30000000000LL

static rcl_context_t context;
static rcl_node_t node;

static void fatal(const char *what, int code) {
  fprintf(stderr, "floor: %s: %d %s\n", what, code, rcl_error_is_set() ? rcl_get_error_string().str : "");
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static rcl_wait_set_t wait_set(size_t subscriptions, size_t timers, size_t clients) {
  rcl_wait_set_t set = rcl_get_zero_initialized_wait_set();
  CHECK(rcl_wait_set_init(&set, subscriptions, 0, timers, clients, 0, 0, &context, rcl_get_default_allocator()));
  return set;
}

// A message that is published, and heard back on one of many subscriptions.
typedef struct {
  rcl_publisher_t publisher;
  rcl_subscription_t *subscriptions;
  size_t count;
  rcl_wait_set_t set;
  std_msgs__msg__String out, in;
} message_bench;

static int hear(message_bench *b, int64_t patience) {
  int heard = 0;
  CHECK(rcl_wait_set_clear(&b->set));
  for (size_t i = 0; i < b->count; i++) CHECK(rcl_wait_set_add_subscription(&b->set, &b->subscriptions[i], NULL));
  rcl_ret_t rc = rcl_wait(&b->set, patience);
  if (rc == RCL_RET_TIMEOUT) return 0;
  CHECK(rc);
  for (size_t i = 0; i < b->count; i++) {
    if (!b->set.subscriptions[i]) continue;
    rmw_message_info_t info;
    rc = rcl_take(&b->subscriptions[i], &b->in, &info, NULL);
    if (rc == RCL_RET_OK) heard++;
    else rcl_reset_error();
  }
  return heard;
}

static void once_message(void *p) {
  message_bench *b = p;
  CHECK(rcl_publish(&b->publisher, &b->out, NULL));
  while (!hear(b, -1)) {}
}

static message_bench *new_message(const char *out, size_t count) {
  message_bench *b = calloc(1, sizeof *b);
  b->count = count;
  b->subscriptions = calloc(count, sizeof *b->subscriptions);
  b->set = wait_set(count, 0, 0);
  const rosidl_message_type_support_t *ts = ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String);
  rcl_publisher_options_t options = rcl_publisher_get_default_options();
  b->publisher = rcl_get_zero_initialized_publisher();
  CHECK(rcl_publisher_init(&b->publisher, &node, ts, out, &options));
  std_msgs__msg__String__init(&b->out);
  std_msgs__msg__String__init(&b->in);
  rosidl_runtime_c__String__assign(&b->out.data, "xxxxxxxxxxxxxxxxxxxx");
  return b;
}

static void subscribe(message_bench *b, size_t i, const char *topic) {
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  b->subscriptions[i] = rcl_get_zero_initialized_subscription();
  CHECK(rcl_subscription_init(&b->subscriptions[i], &node, ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String), topic, &options));
}

// Until everybody has found the topics, messages are lost; what was under way then is of no use.
static message_bench *settle(message_bench *b) {
  for (int heard = 0; !heard; heard = hear(b, 100000000)) CHECK(rcl_publish(&b->publisher, &b->out, NULL));
  while (hear(b, 500000000)) {}
  return b;
}

static void *make_message(const char *prefix) {
  char out[256], in[256];
  snprintf(out, sizeof out, "%s/floor/ping", prefix);
  snprintf(in, sizeof in, "%s/floor/pong", prefix);
  message_bench *b = new_message(out, 1);
  subscribe(b, 0, in);
  return settle(b);
}

static void *make_cycle(const char *prefix, size_t count) {
  char topic[256];
  snprintf(topic, sizeof topic, "%s/floor_%zu/entity_%zu", prefix, count, count / 2);
  message_bench *b = new_message(topic, count);
  for (size_t i = 0; i < count; i++) {
    snprintf(topic, sizeof topic, "%s/floor_%zu/entity_%zu", prefix, count, i);
    subscribe(b, i, topic);
  }
  return settle(b);
}

// A call of a service.
typedef struct {
  rcl_client_t client;
  rcl_wait_set_t set;
  std_srvs__srv__SetBool_Request request;
  std_srvs__srv__SetBool_Response response;
} call_bench;

static void *make_call(const char *prefix) {
  call_bench *b = calloc(1, sizeof *b);
  char name[256];
  snprintf(name, sizeof name, "%s/call", prefix);
  rcl_client_options_t options = rcl_client_get_default_options();
  b->client = rcl_get_zero_initialized_client();
  CHECK(rcl_client_init(&b->client, &node, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool), name, &options));
  std_srvs__srv__SetBool_Request__init(&b->request);
  std_srvs__srv__SetBool_Response__init(&b->response);
  b->set = wait_set(0, 0, 1);
  bool there = false;
  for (int64_t start = now(); !there;) {
    CHECK(rcl_service_server_is_available(&node, &b->client, &there));
    if (now() - start > PATIENCE_NS) fatal("no service", 0);
  }
  return b;
}

static void once_call(void *p) {
  call_bench *b = p;
  int64_t sequence;
  CHECK(rcl_send_request(&b->client, &b->request, &sequence));
  for (;;) {
    CHECK(rcl_wait_set_clear(&b->set));
    CHECK(rcl_wait_set_add_client(&b->set, &b->client, NULL));
    CHECK(rcl_wait(&b->set, -1));
    rmw_service_info_t info;
    rcl_ret_t rc = rcl_take_response_with_info(&b->client, &info, &b->response);
    if (rc == RCL_RET_OK && info.request_id.sequence_number == sequence) return;
    rcl_reset_error();
  }
}

// A goal, from its request to its result.
typedef struct {
  rcl_action_client_t client;
  rcl_wait_set_t set;
  test_msgs__action__Fibonacci_SendGoal_Request goal;
  test_msgs__action__Fibonacci_SendGoal_Response accepted;
  test_msgs__action__Fibonacci_GetResult_Request ask;
  test_msgs__action__Fibonacci_GetResult_Response result;
  action_msgs__msg__GoalStatusArray status;
  test_msgs__action__Fibonacci_FeedbackMessage feedback;
  uint64_t number;
} goal_bench;

static void *make_goal(const char *prefix) {
  goal_bench *b = calloc(1, sizeof *b);
  char name[256];
  snprintf(name, sizeof name, "%s/goal", prefix);
  rcl_action_client_options_t options = rcl_action_client_get_default_options();
  b->client = rcl_action_get_zero_initialized_client();
  CHECK(rcl_action_client_init(&b->client, &node, ROSIDL_GET_ACTION_TYPE_SUPPORT(test_msgs, Fibonacci), name, &options));
  test_msgs__action__Fibonacci_SendGoal_Request__init(&b->goal);
  test_msgs__action__Fibonacci_SendGoal_Response__init(&b->accepted);
  test_msgs__action__Fibonacci_GetResult_Request__init(&b->ask);
  test_msgs__action__Fibonacci_GetResult_Response__init(&b->result);
  action_msgs__msg__GoalStatusArray__init(&b->status);
  test_msgs__action__Fibonacci_FeedbackMessage__init(&b->feedback);
  b->goal.goal.order = 1;
  b->set = wait_set(2, 0, 3);
  bool there = false;
  for (int64_t start = now(); !there;) {
    CHECK(rcl_action_server_is_available(&node, &b->client, &there));
    if (now() - start > PATIENCE_NS) fatal("no action", 0);
  }
  return b;
}

// Waits once, takes status and feedback, and says whether the awaited response came.
static bool turn(goal_bench *b, bool result, int64_t sequence) {
  bool feedback = false, status = false, goal = false, cancel = false, done = false;
  rmw_request_id_t id;
  CHECK(rcl_wait_set_clear(&b->set));
  CHECK(rcl_action_wait_set_add_action_client(&b->set, &b->client, NULL, NULL));
  CHECK(rcl_wait(&b->set, -1));
  CHECK(rcl_action_client_wait_set_get_entities_ready(&b->set, &b->client, &feedback, &status, &goal, &cancel, &done));
  if (status && rcl_action_take_status(&b->client, &b->status) != RCL_RET_OK) rcl_reset_error();
  if (feedback && rcl_action_take_feedback(&b->client, &b->feedback) != RCL_RET_OK) rcl_reset_error();
  if (!(result ? done : goal)) return false;
  rcl_ret_t rc = result ? rcl_action_take_result_response(&b->client, &id, &b->result)
                        : rcl_action_take_goal_response(&b->client, &id, &b->accepted);
  if (rc != RCL_RET_OK) rcl_reset_error();
  return rc == RCL_RET_OK && id.sequence_number == sequence;
}

static void once_goal(void *p) {
  goal_bench *b = p;
  int64_t sequence;
  b->number++;
  uint64_t id[2] = {(uint64_t)now(), b->number};
  memcpy(b->goal.goal_id.uuid, id, sizeof id);
  CHECK(rcl_action_send_goal_request(&b->client, &b->goal, &sequence));
  while (!turn(b, false, sequence)) {}
  if (!b->accepted.accepted) fatal("the goal is rejected", 0);
  b->ask.goal_id = b->goal.goal_id;
  CHECK(rcl_action_send_result_request(&b->client, &b->ask, &sequence));
  while (!turn(b, true, sequence)) {}
}

typedef struct { char what[32]; void *bench; void (*once)(void *); } entry;

static entry *find(const char *what, const char *prefix) {
  static entry made[16];
  for (entry *e = made; e < made + 16; e++) {
    if (strcmp(e->what, what) == 0) return e;
    if (e->what[0]) continue;
    snprintf(e->what, sizeof e->what, "%s", what);
    if (strcmp(what, "call") == 0) e->bench = make_call(prefix), e->once = once_call;
    else if (strcmp(what, "goal") == 0) e->bench = make_goal(prefix), e->once = once_goal;
    else if (strncmp(what, "cycle/", 6) == 0) e->bench = make_cycle(prefix, (size_t)atoi(what + 6)), e->once = once_message;
    else e->bench = make_message(prefix), e->once = once_message;
    e->once(e->bench);
    return e;
  }
  fatal("too many benchmarks", 0);
  return NULL;
}

int main(void) {
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  CHECK(rcl_init_options_init(&options, rcl_get_default_allocator()));
  context = rcl_get_zero_initialized_context();
  CHECK(rcl_init(0, NULL, &options, &context));
  node = rcl_get_zero_initialized_node();
  rcl_node_options_t node_options = rcl_node_get_default_options();
  CHECK(rcl_node_init(&node, "bench_floor", "", &context, &node_options));
  printf("[]\n");
  fflush(stdout);
  char line[1024], what[32], prefix[128];
  int count;
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "{\"count\":%d,\"prefix\":\"%127[^\"]\",\"what\":\"%31[^\"]\"}", &count, prefix, what) != 3) fatal(line, 0);
    entry *e = find(what, prefix);
    printf("[");
    for (int i = 0; i < count; i++) {
      int64_t start = now();
      e->once(e->bench);
      printf("%s%lld", i ? "," : "", (long long)(now() - start));
    }
    printf("]\n");
    fflush(stdout);
  }
  CHECK(rcl_node_fini(&node));
  CHECK(rcl_shutdown(&context));
  CHECK(rcl_context_fini(&context));
  return 0;
}
