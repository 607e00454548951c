#include "action.h"

#include <rcl/service.h>
#include <rcl/wait.h>
#include <stdio.h>

// Ends every operation on actions. Older releases of rcl number the action codes in the 2000s,
// like their event codes; this function translates them to the codes of newer releases.
static rclgo_ret action_done(rcl_ret_t rc) {
  rclgo_ret r = rclgo_done(rc);
  switch (rc) {
    case RCL_RET_ACTION_NAME_INVALID: r.code = 4000; break;
    case RCL_RET_ACTION_GOAL_ACCEPTED: r.code = 4100; break;
    case RCL_RET_ACTION_GOAL_REJECTED: r.code = 4101; break;
    case RCL_RET_ACTION_CLIENT_INVALID: r.code = 4102; break;
    case RCL_RET_ACTION_CLIENT_TAKE_FAILED: r.code = 4103; break;
    case RCL_RET_ACTION_SERVER_INVALID: r.code = 4200; break;
    case RCL_RET_ACTION_SERVER_TAKE_FAILED: r.code = 4201; break;
    case RCL_RET_ACTION_GOAL_HANDLE_INVALID: r.code = 4300; break;
    case RCL_RET_ACTION_GOAL_EVENT_INVALID: r.code = 4301; break;
  }
  return r;
}

rclgo_ptr rclgo_action_client_new(rcl_node_t *n, const void *ts, const char *name,
                                  const rclgo_action_qos *qos) {
  rclgo_ptr r = {{0}};
  rcl_action_client_t *c = rclgo_alloc(sizeof *c);
  *c = rcl_action_get_zero_initialized_client();
  rcl_action_client_options_t options = rcl_action_client_get_default_options();
  options.goal_service_qos = qos->goal;
  options.cancel_service_qos = qos->cancel;
  options.result_service_qos = qos->result;
  options.feedback_topic_qos = qos->feedback;
  options.status_topic_qos = qos->status;
  r.ret = action_done(rcl_action_client_init(c, n, ts, name, &options));
  if (r.ret.code == RCL_RET_OK) r.p = c; else free(c);
  return r;
}

rclgo_ret rclgo_action_client_free(rcl_action_client_t *c, rcl_node_t *n) {
  rclgo_ret r = action_done(rcl_action_client_fini(c, n));
  free(c);
  return r;
}

rclgo_i64 rclgo_action_send(rcl_action_client_t *c, int what, const void *msg) {
  int64_t seq = 0;
  rcl_ret_t rc = RCL_RET_INVALID_ARGUMENT;
  switch (what) {
    case RCLGO_GOAL: rc = rcl_action_send_goal_request(c, msg, &seq); break;
    case RCLGO_CANCEL: rc = rcl_action_send_cancel_request(c, msg, &seq); break;
    case RCLGO_RESULT: rc = rcl_action_send_result_request(c, msg, &seq); break;
  }
  rclgo_i64 r = {action_done(rc), seq};
  return r;
}

rclgo_header rclgo_action_take_response(rcl_action_client_t *c, int what, void *msg) {
  rclgo_header r = {{0}};
  rcl_ret_t rc = RCL_RET_INVALID_ARGUMENT;
  rmw_request_id_t *id = &r.info.request_id;
  switch (what) {
    case RCLGO_GOAL: rc = rcl_action_take_goal_response(c, id, msg); break;
    case RCLGO_CANCEL: rc = rcl_action_take_cancel_response(c, id, msg); break;
    case RCLGO_RESULT: rc = rcl_action_take_result_response(c, id, msg); break;
  }
  r.ret = action_done(rc);
  return r;
}

rclgo_ret rclgo_action_take_topic(rcl_action_client_t *c, int what, void *msg) {
  return action_done(what == RCLGO_STATUS ? rcl_action_take_status(c, msg) : rcl_action_take_feedback(c, msg));
}

rclgo_i64 rclgo_action_available(rcl_node_t *n, rcl_action_client_t *c) {
  bool yes = false;
  rcl_ret_t rc = rcl_action_server_is_available(n, c, &yes);
  rclgo_i64 r = {action_done(rc), yes};
  return r;
}

rclgo_ptr rclgo_action_status_topic(rcl_node_t *n, rcl_action_client_t *c) {
  static const char suffix[] = "/_action/status";
  rclgo_ptr r = {{0}};
  const char *name = rcl_action_client_get_action_name(c);
  if (!name) {
    r.ret = action_done(RCL_RET_ACTION_CLIENT_INVALID);
    return r;
  }
  size_t size = strlen(name) + sizeof suffix;
  char *topic = rclgo_alloc(size), *resolved = NULL;
  snprintf(topic, size, "%s%s", name, suffix);
  r.ret = action_done(rcl_node_resolve_name(n, topic, rcl_get_default_allocator(), false, false, &resolved));
  free(topic);
  r.p = resolved;
  return r;
}

// A server, and the service from which it takes the requests for goals; NULL if that is not known. Every
// rcl_action_server_t of this file is the first member of one.
typedef struct { rcl_action_server_t s; const rcl_service_t *goals; } server;

// The service that takes the requests for goals, which rcl_action does not tell; NULL if it cannot be found. rcl_action
// puts it into a wait set, and a wait set shows what is in it. It lives as long as the server.
static const rcl_service_t *goal_service(rcl_action_server_t *s, rcl_context_t *ctx) {
  static const char suffix[] = "/_action/send_goal";
  size_t n[5] = {0}; // subscriptions, guard conditions, timers, clients and services of the server
  rcl_wait_set_t set = rcl_get_zero_initialized_wait_set();
  const rcl_service_t *found = NULL;
  if (rcl_action_server_wait_set_get_num_entities(s, &n[0], &n[1], &n[2], &n[3], &n[4]) == RCL_RET_OK &&
      rcl_wait_set_init(&set, n[0], n[1], n[2], n[3], n[4], 0, ctx, rcl_get_default_allocator()) == RCL_RET_OK) {
    if (rcl_action_wait_set_add_action_server(&set, s, NULL) == RCL_RET_OK) {
      for (size_t i = 0; i < set.size_of_services && !found; i++) {
        const char *name = set.services[i] ? rcl_service_get_service_name(set.services[i]) : NULL;
        size_t size = name ? strlen(name) : 0;
        if (size >= sizeof suffix && !strcmp(name + size + 1 - sizeof suffix, suffix)) found = set.services[i];
      }
    }
    if (rcl_wait_set_fini(&set) != RCL_RET_OK) found = NULL;
  }
  rcutils_reset_error();
  return found;
}

rclgo_ptr rclgo_action_server_new(rcl_node_t *n, rcl_clock_t *clock, const void *ts, const char *name,
                                  const rclgo_action_qos *qos, int64_t timeout) {
  rclgo_ptr r = {{0}};
  server *own = rclgo_alloc(sizeof *own);
  rcl_action_server_t *s = &own->s;
  *s = rcl_action_get_zero_initialized_server();
  rcl_action_server_options_t options = rcl_action_server_get_default_options();
  options.goal_service_qos = qos->goal;
  options.cancel_service_qos = qos->cancel;
  options.result_service_qos = qos->result;
  options.feedback_topic_qos = qos->feedback;
  options.status_topic_qos = qos->status;
  options.result_timeout.nanoseconds = timeout;
  r.ret = action_done(rcl_action_server_init(s, n, clock, ts, name, &options));
  if (r.ret.code != RCL_RET_OK) {
    free(own);
    return r;
  }
  own->goals = goal_service(s, n->context);
  r.p = s;
  return r;
}

rclgo_ret rclgo_action_server_free(rcl_action_server_t *s, rcl_node_t *n) {
  rclgo_ret r = action_done(rcl_action_server_fini(s, n));
  free(s);
  return r;
}

// rcl_action takes a request for a goal without the time at which it was sent, so that is taken from its service. Where
// that is not known, the time is 0.
rclgo_header rclgo_action_take_request(rcl_action_server_t *s, int what, void *msg) {
  rclgo_header r = {{0}};
  const rcl_service_t *goals = ((server *)s)->goals;
  rmw_request_id_t *id = &r.info.request_id;
  if (what == RCLGO_RESULT) {
    r.ret = action_done(rcl_action_take_result_request(s, id, msg));
  } else if (!goals) {
    r.ret = action_done(rcl_action_take_goal_request(s, id, msg));
  } else {
    rcl_ret_t rc = rcl_take_request_with_info(goals, &r.info, msg);
    r.ret = action_done(rc == RCL_RET_SERVICE_TAKE_FAILED ? RCL_RET_ACTION_SERVER_TAKE_FAILED : rc);
  }
  return r;
}

rclgo_ret rclgo_action_respond(rcl_action_server_t *s, int what, rmw_request_id_t id, void *msg) {
  return action_done(what == RCLGO_RESULT ? rcl_action_send_result_response(s, &id, msg)
                                          : rcl_action_send_goal_response(s, &id, msg));
}

rclgo_cancel rclgo_action_take_cancel(rcl_action_server_t *s) {
  rclgo_cancel r = {{0}};
  rcl_action_cancel_request_t request = rcl_action_get_zero_initialized_cancel_request();
  rcl_ret_t rc = rcl_action_take_cancel_request(s, &r.id, &request);
  if (rc != RCL_RET_OK) {
    r.ret = action_done(rc);
    return r;
  }
  memcpy(r.asked.b, request.goal_info.goal_id.uuid, UUID_SIZE);
  rcl_action_cancel_response_t response = rcl_action_get_zero_initialized_cancel_response();
  r.ret = action_done(rcl_action_process_cancel_request(s, &request, &response));
  if (r.ret.code != RCL_RET_OK) return r;
  r.code = response.msg.return_code;
  r.n = response.msg.goals_canceling.size;
  if (r.n == 0) return r;
  r.ids = rclgo_alloc(r.n * sizeof *r.ids);
  for (size_t i = 0; i < r.n; i++)
    memcpy(r.ids[i].b, response.msg.goals_canceling.data[i].goal_id.uuid, UUID_SIZE);
  if (rcl_action_cancel_response_fini(&response) != RCL_RET_OK) rcutils_reset_error();
  return r;
}

rclgo_ret rclgo_action_answer_cancel(rcl_action_server_t *s, rmw_request_id_t id, int8_t code,
                                     size_t n, const rclgo_goal_info *goals) {
  rcl_action_cancel_response_t response = rcl_action_get_zero_initialized_cancel_response();
  rcl_ret_t rc = RCL_RET_OK;
  // rcl refuses to allocate an empty list.
  if (n > 0) rc = rcl_action_cancel_response_init(&response, n, rcl_get_default_allocator());
  for (size_t i = 0; i < n && rc == RCL_RET_OK; i++) {
    action_msgs__msg__GoalInfo *info = &response.msg.goals_canceling.data[i];
    memcpy(info->goal_id.uuid, goals[i].id.b, UUID_SIZE);
    info->stamp.sec = (int32_t)(goals[i].stamp / 1000000000);
    info->stamp.nanosec = (uint32_t)(goals[i].stamp % 1000000000);
  }
  response.msg.return_code = code;
  if (rc == RCL_RET_OK) rc = rcl_action_send_cancel_response(s, &id, &response.msg);
  rclgo_ret r = action_done(rc);
  if (n > 0 && rcl_action_cancel_response_fini(&response) != RCL_RET_OK) rcutils_reset_error();
  return r;
}

rclgo_goal rclgo_action_accept(rcl_action_server_t *s, rclgo_uuid id) {
  rclgo_goal r = {{0}};
  rcl_action_goal_info_t info = rcl_action_get_zero_initialized_goal_info();
  memcpy(info.goal_id.uuid, id.b, UUID_SIZE);
  rcl_action_goal_handle_t *theirs = rcl_action_accept_new_goal(s, &info);
  rcl_ret_t rc = theirs ? rcl_action_goal_handle_get_info(theirs, &info) : RCL_RET_ERROR;
  r.ret = action_done(rc);
  if (!theirs) return r;
  // The server frees its struct, but not the struct's contents.
  r.p = rclgo_alloc(sizeof *r.p);
  *r.p = *theirs;
  r.stamp = (int64_t)info.stamp.sec * 1000000000 + info.stamp.nanosec;
  return r;
}

rclgo_ret rclgo_goal_free(rcl_action_goal_handle_t *g) {
  rclgo_ret r = action_done(rcl_action_goal_handle_fini(g));
  free(g);
  return r;
}

rclgo_ret rclgo_goal_update(rcl_action_goal_handle_t *g, int event) {
  return action_done(rcl_action_update_goal_state(g, (rcl_action_goal_event_t)event));
}

int rclgo_goal_state(rcl_action_goal_handle_t *g) {
  rcl_action_goal_state_t state = GOAL_STATE_UNKNOWN;
  if (rcl_action_goal_handle_get_status(g, &state) != RCL_RET_OK) rcutils_reset_error();
  return state;
}

rclgo_ret rclgo_action_goal_done(rcl_action_server_t *s) { return action_done(rcl_action_notify_goal_done(s)); }

// One goal at a time; n is 0 when there are no more.
rclgo_expired rclgo_action_expire(rcl_action_server_t *s) {
  rclgo_expired r = {{0}};
  rcl_action_goal_info_t info = rcl_action_get_zero_initialized_goal_info();
  r.ret = action_done(rcl_action_expire_goals(s, &info, 1, &r.n));
  memcpy(r.id.b, info.goal_id.uuid, UUID_SIZE);
  return r;
}

rclgo_ret rclgo_action_publish_feedback(rcl_action_server_t *s, void *msg) {
  return action_done(rcl_action_publish_feedback(s, msg));
}

rclgo_ptr rclgo_action_status(rcl_action_server_t *s) {
  rclgo_ptr r = {{0}};
  rcl_action_goal_status_array_t *status = rclgo_alloc(sizeof *status);
  *status = rcl_action_get_zero_initialized_goal_status_array();
  r.ret = action_done(rcl_action_get_goal_status_array(s, status));
  if (r.ret.code == RCL_RET_OK) r.p = status; else free(status);
  return r;
}

rclgo_ret rclgo_action_publish_status(rcl_action_server_t *s, rcl_action_goal_status_array_t *status) {
  return action_done(rcl_action_publish_status(s, &status->msg));
}

void rclgo_action_status_free(rcl_action_goal_status_array_t *status) {
  if (status->msg.status_list.data && rcl_action_goal_status_array_fini(status) != RCL_RET_OK)
    rcutils_reset_error();
  free(status);
}

void rclgo_action_wait_need(const rclgo_slot *s, size_t *need) {
  if (s->kind == RCLGO_WAIT_ACTION_CLIENT) {
    need[RCLGO_WAIT_CLIENT] += 3;
    need[RCLGO_WAIT_SUBSCRIPTION] += 2;
  } else {
    need[RCLGO_WAIT_SERVICE] += 3;
    need[RCLGO_WAIT_TIMER] += 1;
  }
}

rcl_ret_t rclgo_action_wait_add(rcl_wait_set_t *set, rclgo_slot *s) {
  return s->kind == RCLGO_WAIT_ACTION_CLIENT ? rcl_action_wait_set_add_action_client(set, s->handle, NULL, NULL)
                                             : rcl_action_wait_set_add_action_server(set, s->handle, NULL);
}

uint8_t rclgo_action_wait_ready(const rcl_wait_set_t *set, const rclgo_slot *s) {
  bool goal = false, cancel = false, result = false, feedback = false, status = false, expired = false;
  rcl_ret_t rc = s->kind == RCLGO_WAIT_ACTION_CLIENT
    ? rcl_action_client_wait_set_get_entities_ready(set, s->handle, &feedback, &status, &goal, &cancel, &result)
    : rcl_action_server_wait_set_get_entities_ready(set, s->handle, &goal, &cancel, &result, &expired);
  if (rc != RCL_RET_OK) rcutils_reset_error();
  return (uint8_t)((goal ? RCLGO_READY_GOAL : 0) | (cancel ? RCLGO_READY_CANCEL : 0) |
                   (result ? RCLGO_READY_RESULT : 0) | (feedback ? RCLGO_READY_FEEDBACK : 0) |
                   (status ? RCLGO_READY_STATUS : 0) | (expired ? RCLGO_READY_EXPIRED : 0));
}
