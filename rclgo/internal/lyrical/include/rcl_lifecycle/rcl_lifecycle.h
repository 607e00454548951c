// Lyrical's machine takes a clock, from which it stamps its events, and keeps it.
#ifndef RCLGO_LYRICAL_RCL_LIFECYCLE_H_
#define RCLGO_LYRICAL_RCL_LIFECYCLE_H_

#define rcl_lifecycle_state_machine_init rcl_lifecycle_state_machine_init_before_lyrical
#include_next <rcl_lifecycle/rcl_lifecycle.h>
#undef rcl_lifecycle_state_machine_init

#include <rcl/time.h>

rcl_ret_t rcl_lifecycle_state_machine_init(
    rcl_lifecycle_state_machine_t *machine, rcl_node_t *node, rcl_clock_t *clock,
    const rosidl_message_type_support_t *transition_event, const rosidl_service_type_support_t *change_state,
    const rosidl_service_type_support_t *get_state, const rosidl_service_type_support_t *get_available_states,
    const rosidl_service_type_support_t *get_available_transitions,
    const rosidl_service_type_support_t *get_transition_graph,
    const rcl_lifecycle_state_machine_options_t *options);

#endif
