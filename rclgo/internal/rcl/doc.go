// Package rcl is the one seam between Go and the ROS client library in C: a small C
// function per operation, and a Go function around each. It holds no state of its own
// beyond the lock below, starts no goroutines and decides nothing; pkg/rclgo does that.
// It may import only the standard library and roscheck.
//
// All functions obey these rules:
//
//   - rcl's error string belongs to the thread that failed, so it is copied and reset
//     inside the same C call. An [Error] carries code and text.
//   - rcl must not make or close two objects at the same time, not even in different
//     contexts. Every New and Close here takes one lock for the whole process.
//   - Handles are C memory. New hands it out, Close finalises and frees it, and the
//     caller makes sure that nothing uses it during the call or afterwards.
//   - Pointers to messages and type supports are the caller's, borrowed for the call.
package rcl

import _ "github.com/tiiuae/rclgo/internal/roscheck"
