// Package sdnotify tells systemd, or another manager that speaks sd_notify(3), how this service is:
// that it is ready, what it does, that its loop turns, and that it stops. Each message is a
// datagram of NAME=value lines to the socket that $NOTIFY_SOCKET names.
//
// The loop of a daemon sends them, so no call waits: what cannot be sent now is sent with a later
// call, and a socket that is gone changes nothing else.
//
// It imports the standard library only.
package sdnotify
