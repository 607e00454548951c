// The action part of the seam; seam.h tells how results are returned. Nothing of a
// client or server here is thread-safe but sending requests and responses, publishing
// feedback and reading names. (rcl_action's comments promise less for two of the three
// responses; all three are no more than rcl_send_response, which is thread-safe.)
#ifndef RCLGO_ACTION_H_
#define RCLGO_ACTION_H_

#include "seam.h"

#include <rcl_action/rcl_action.h>
#include <rcl_action/wait.h>

enum { RCLGO_GOAL, RCLGO_CANCEL, RCLGO_RESULT };
enum { RCLGO_FEEDBACK, RCLGO_STATUS };

// Bits of what is ready.
enum { RCLGO_READY_GOAL = 1, RCLGO_READY_CANCEL = 2, RCLGO_READY_RESULT = 4,
       RCLGO_READY_FEEDBACK = 8, RCLGO_READY_STATUS = 16, RCLGO_READY_EXPIRED = 32 };

typedef struct { rmw_qos_profile_t goal, cancel, result, feedback, status; } rclgo_action_qos;
typedef struct { uint8_t b[UUID_SIZE]; } rclgo_uuid;

// client
rclgo_ptr rclgo_action_client_new(rcl_node_t *n, const void *ts, const char *name,
                                  const rclgo_action_qos *qos);
rclgo_ret rclgo_action_client_free(rcl_action_client_t *c, rcl_node_t *n);
rclgo_i64 rclgo_action_send(rcl_action_client_t *c, int what, const void *msg);
rclgo_header rclgo_action_take_response(rcl_action_client_t *c, int what, void *msg);
rclgo_ret rclgo_action_take_topic(rcl_action_client_t *c, int what, void *msg);
rclgo_i64 rclgo_action_available(rcl_node_t *n, rcl_action_client_t *c);
// The status topic, expanded and remapped: a malloc'd string.
rclgo_ptr rclgo_action_status_topic(rcl_node_t *n, rcl_action_client_t *c);

// server
typedef struct { rclgo_ret ret; rcl_action_goal_handle_t *p; int64_t stamp; } rclgo_goal;
// A request to cancel: ids is malloc'd, the receiver's. code is what rcl would answer.
typedef struct { rclgo_ret ret; rmw_request_id_t id; rclgo_uuid asked; int8_t code; size_t n; rclgo_uuid *ids; } rclgo_cancel;
typedef struct { rclgo_ret ret; size_t n; rclgo_uuid id; } rclgo_expired;
typedef struct { rclgo_uuid id; int64_t stamp; } rclgo_goal_info;
rclgo_ptr rclgo_action_server_new(rcl_node_t *n, rcl_clock_t *clock, const void *ts, const char *name,
                                  const rclgo_action_qos *qos, int64_t timeout);
rclgo_ret rclgo_action_server_free(rcl_action_server_t *s, rcl_node_t *n);
rclgo_header rclgo_action_take_request(rcl_action_server_t *s, int what, void *msg);
rclgo_ret rclgo_action_respond(rcl_action_server_t *s, int what, rmw_request_id_t id, void *msg);
rclgo_cancel rclgo_action_take_cancel(rcl_action_server_t *s);
rclgo_ret rclgo_action_answer_cancel(rcl_action_server_t *s, rmw_request_id_t id, int8_t code,
                                     size_t n, const rclgo_goal_info *goals);
// The goal belongs to the caller and must outlive the server's knowledge of it: it is
// freed after it has expired or the server has been freed.
rclgo_goal rclgo_action_accept(rcl_action_server_t *s, rclgo_uuid id);
rclgo_ret rclgo_goal_free(rcl_action_goal_handle_t *g);
rclgo_ret rclgo_goal_update(rcl_action_goal_handle_t *g, int event);
int rclgo_goal_state(rcl_action_goal_handle_t *g);
rclgo_ret rclgo_action_goal_done(rcl_action_server_t *s);
rclgo_expired rclgo_action_expire(rcl_action_server_t *s);
rclgo_ret rclgo_action_publish_feedback(rcl_action_server_t *s, void *msg);
rclgo_ptr rclgo_action_status(rcl_action_server_t *s);
rclgo_ret rclgo_action_publish_status(rcl_action_server_t *s, rcl_action_goal_status_array_t *status);
void rclgo_action_status_free(rcl_action_goal_status_array_t *status);

// wait.c calls these for slots of an action kind.
void rclgo_action_wait_need(const rclgo_slot *s, size_t *need);
rcl_ret_t rclgo_action_wait_add(rcl_wait_set_t *set, rclgo_slot *s);
uint8_t rclgo_action_wait_ready(const rcl_wait_set_t *set, const rclgo_slot *s);

#endif
