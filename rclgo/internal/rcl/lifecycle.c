#include "lifecycle.h"

// Since Lyrical the machine takes a clock. The compiler tells by the type of the function which of the two
// this ROS 2 has: a version number would not tell for what is between two releases.
#define MACHINE rcl_lifecycle_state_machine_t *, rcl_node_t *
#define TYPES                                                                                             \
  const rosidl_message_type_support_t *, const rosidl_service_type_support_t *,                          \
      const rosidl_service_type_support_t *, const rosidl_service_type_support_t *,                      \
      const rosidl_service_type_support_t *, const rosidl_service_type_support_t *,                      \
      const rcl_lifecycle_state_machine_options_t *
typedef rcl_ret_t (*init_plain)(MACHINE, TYPES);
typedef rcl_ret_t (*init_with_clock)(MACHINE, rcl_clock_t *, TYPES);
enum { PLAIN, WITH_CLOCK, UNKNOWN };
#define INIT                                                                                               \
  _Generic(&rcl_lifecycle_state_machine_init, init_plain: PLAIN, init_with_clock: WITH_CLOCK, default: UNKNOWN)
_Static_assert(INIT != UNKNOWN, "rclgo does not know the arguments of rcl_lifecycle_state_machine_init of this ROS 2");

// The transition graph is served with the type of the available transitions.
rclgo_ptr rclgo_lifecycle_new(rcl_node_t *n, rcl_clock_t *clock, rclgo_lifecycle_types types) {
  rclgo_ptr r = {{0}};
  rcl_lifecycle_state_machine_t *m = rclgo_alloc(sizeof *m);
  *m = rcl_lifecycle_get_zero_initialized_state_machine();
  rcl_lifecycle_state_machine_options_t options = rcl_lifecycle_get_default_state_machine_options();
  void (*init)(void) = (void (*)(void))rcl_lifecycle_state_machine_init;
  rcl_ret_t rc = INIT == WITH_CLOCK
    ? ((init_with_clock)init)(m, n, clock, types.transition_event, types.change_state, types.get_state,
                              types.get_available_states, types.get_available_transitions,
                              types.get_available_transitions, &options)
    : ((init_plain)init)(m, n, types.transition_event, types.change_state, types.get_state,
                         types.get_available_states, types.get_available_transitions,
                         types.get_available_transitions, &options);
  r.ret = rclgo_done(rc);
  if (r.ret.code == RCL_RET_OK) r.p = m; else free(m);
  return r;
}

rclgo_ret rclgo_lifecycle_free(rcl_lifecycle_state_machine_t *m, rcl_node_t *n) {
  rclgo_ret r = rclgo_done(rcl_lifecycle_state_machine_fini(m, n));
  free(m);
  return r;
}

rclgo_ret rclgo_lifecycle_trigger(rcl_lifecycle_state_machine_t *m, uint8_t transition) {
  return rclgo_done(rcl_lifecycle_trigger_transition_by_id(m, transition, true));
}
