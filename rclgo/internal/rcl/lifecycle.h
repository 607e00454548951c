// What lifecycle.c adds to seam.h.
#ifndef RCLGO_LIFECYCLE_H_
#define RCLGO_LIFECYCLE_H_

#include "seam.h"

#include <rcl_lifecycle/rcl_lifecycle.h>

// The type supports of lifecycle_msgs, borrowed; they live as long as the process.
typedef struct {
  const void *transition_event, *change_state, *get_state, *get_available_states,
      *get_available_transitions;
} rclgo_lifecycle_types;

// The clock must outlive the machine: newer releases stamp events with it.
rclgo_ptr rclgo_lifecycle_new(rcl_node_t *n, rcl_clock_t *clock, rclgo_lifecycle_types types);
rclgo_ret rclgo_lifecycle_free(rcl_lifecycle_state_machine_t *m, rcl_node_t *n);
rclgo_ret rclgo_lifecycle_trigger(rcl_lifecycle_state_machine_t *m, uint8_t transition);

#endif
