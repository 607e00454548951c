#include "lifecycle.h"

// The transition graph is served with the type of the available transitions.
rclgo_ptr rclgo_lifecycle_new(rcl_node_t *n, rclgo_lifecycle_types types) {
  rclgo_ptr r = {{0}};
  rcl_lifecycle_state_machine_t *m = rclgo_alloc(sizeof *m);
  *m = rcl_lifecycle_get_zero_initialized_state_machine();
  rcl_lifecycle_state_machine_options_t options = rcl_lifecycle_get_default_state_machine_options();
  r.ret = rclgo_done(rcl_lifecycle_state_machine_init(
      m, n, types.transition_event, types.change_state, types.get_state, types.get_available_states,
      types.get_available_transitions, types.get_available_transitions, &options));
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
