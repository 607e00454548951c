#include "action.h"

#include <rcl/wait.h>

rclgo_ptr rclgo_waiter_new(rcl_context_t *ctx) {
  rclgo_ptr r = {{0}};
  rclgo_waiter *w = rclgo_alloc(sizeof *w);
  w->set = rcl_get_zero_initialized_wait_set();
  r.ret = rclgo_done(rcl_wait_set_init(&w->set, 0, 1, 0, 0, 0, 0, ctx, rcl_get_default_allocator()));
  w->room[RCLGO_WAIT_GUARD] = 1;
  if (r.ret.code == RCL_RET_OK) r.p = w; else free(w);
  return r;
}

rclgo_ret rclgo_waiter_free(rclgo_waiter *w) {
  rclgo_ret r = rclgo_done(rcl_wait_set_fini(&w->set));
  free(w->slots);
  free(w);
  return r;
}

// The new slots are zero. A pointer to the old ones is invalid afterwards.
rclgo_ret rclgo_waiter_resize(rclgo_waiter *w, size_t nslots) {
  free(w->slots);
  w->slots = calloc(nslots ? nslots : 1, sizeof *w->slots);
  w->nslots = w->slots ? nslots : 0;
  return rclgo_done(w->slots ? RCL_RET_OK : RCL_RET_BAD_ALLOC);
}

// Room is doubled, so that entities which come one by one rarely make rcl allocate.
static rcl_ret_t make_room(rclgo_waiter *w) {
  size_t need[RCLGO_WAIT_KINDS] = {0};
  bool grow = false;
  for (size_t i = 0; i < w->nslots; i++) {
    if (w->slots[i].kind < RCLGO_WAIT_KINDS) need[w->slots[i].kind]++;
    else rclgo_action_wait_need(&w->slots[i], need);
  }
  for (int k = 0; k < RCLGO_WAIT_KINDS; k++) {
    if (need[k] <= w->room[k]) continue;
    grow = true;
    w->room[k] = 2 * need[k];
  }
  if (!grow) return RCL_RET_OK;
  size_t *m = w->room;
  return rcl_wait_set_resize(&w->set, m[RCLGO_WAIT_SUBSCRIPTION], m[RCLGO_WAIT_GUARD], m[RCLGO_WAIT_TIMER],
                             m[RCLGO_WAIT_CLIENT], m[RCLGO_WAIT_SERVICE], m[RCLGO_WAIT_EVENT]);
}

static rcl_ret_t add(rcl_wait_set_t *set, rclgo_slot *s) {
  switch (s->kind) {
    case RCLGO_WAIT_SUBSCRIPTION: return rcl_wait_set_add_subscription(set, s->handle, &s->index);
    case RCLGO_WAIT_GUARD: return rcl_wait_set_add_guard_condition(set, s->handle, &s->index);
    case RCLGO_WAIT_TIMER: return rcl_wait_set_add_timer(set, s->handle, &s->index);
    case RCLGO_WAIT_CLIENT: return rcl_wait_set_add_client(set, s->handle, &s->index);
    case RCLGO_WAIT_SERVICE: return rcl_wait_set_add_service(set, s->handle, &s->index);
    case RCLGO_WAIT_EVENT: return rcl_wait_set_add_event(set, s->handle, &s->index);
    case RCLGO_WAIT_ACTION_CLIENT:
    case RCLGO_WAIT_ACTION_SERVER: return rclgo_action_wait_add(set, s);
  }
  return RCL_RET_INVALID_ARGUMENT;
}

static uint8_t is_ready(const rcl_wait_set_t *set, const rclgo_slot *s) {
  switch (s->kind) {
    case RCLGO_WAIT_SUBSCRIPTION: return set->subscriptions[s->index] != NULL;
    case RCLGO_WAIT_GUARD: return set->guard_conditions[s->index] != NULL;
    case RCLGO_WAIT_TIMER: return set->timers[s->index] != NULL;
    case RCLGO_WAIT_CLIENT: return set->clients[s->index] != NULL;
    case RCLGO_WAIT_SERVICE: return set->services[s->index] != NULL;
    case RCLGO_WAIT_EVENT: return set->events[s->index] != NULL;
    case RCLGO_WAIT_ACTION_CLIENT:
    case RCLGO_WAIT_ACTION_SERVER: return rclgo_action_wait_ready(set, s);
  }
  return 0;
}

// One round: waits, without a limit, on every armed slot and marks the ready ones,
// whose number is v. rcl itself wakes for timers.
rclgo_i64 rclgo_waiter_wait(rclgo_waiter *w) {
  rclgo_i64 r = {{0}};
  rcl_ret_t rc = make_room(w);
  if (rc == RCL_RET_OK) rc = rcl_wait_set_clear(&w->set);
  for (size_t i = 0; i < w->nslots && rc == RCL_RET_OK; i++) {
    w->slots[i].ready = 0;
    if (w->slots[i].armed) rc = add(&w->set, &w->slots[i]);
  }
  if (rc == RCL_RET_OK) rc = rcl_wait(&w->set, -1);
  if (rc == RCL_RET_OK) {
    for (size_t i = 0; i < w->nslots; i++) {
      rclgo_slot *s = &w->slots[i];
      if (s->armed) s->ready = is_ready(&w->set, s);
      if (s->ready) r.v++;
    }
  } else if (rc == RCL_RET_TIMEOUT) {
    rc = RCL_RET_OK;
  }
  r.ret = rclgo_done(rc);
  return r;
}
