#ifndef RCLGO_RMWFAULT_H_
#define RCLGO_RMWFAULT_H_

#include <stdbool.h>

enum { RMWFAULT_MESSAGE, RMWFAULT_SERIALIZED, RMWFAULT_REQUEST, RMWFAULT_RESPONSE, RMWFAULT_EVENT, RMWFAULT_KINDS };

void rmwfault_no_events(long bits); // one for each rmw_event_type_t
void rmwfault_other_gids(bool on);
void rmwfault_no_request_topics(bool on);
void rmwfault_mute_events(bool on);
void rmwfault_late_requests(bool on);
void rmwfault_empty(int kind, long n);
long rmwfault_left(int kind);
long rmwfault_calls(int kind);
long rmwfault_duplicates(void);

#endif
