package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// again is how long after a signal another one is taken for the same wish: Ctrl-C reaches a process from the terminal
// and from whoever started it, and launch and systemd each send one of their own.
const again = time.Second

// signals returns a channel of the requests to stop, and of more signals, and what ends it.
func signals(more ...os.Signal) (<-chan os.Signal, func()) {
	raw, wishes := make(chan os.Signal, 4), make(chan os.Signal, 4)
	signal.Notify(raw, append(more, syscall.SIGINT, syscall.SIGTERM)...)
	go distinct(raw, wishes)
	return wishes, func() { signal.Stop(raw); close(raw) }
}

// serviceSignals is signals for what runs on its own. SIGHUP stops it too, unless it was ignored from the beginning, as
// nohup does. A reader that closes stdout or stderr does not: SIGPIPE has no effect, and the write fails.
func serviceSignals() (<-chan os.Signal, func()) {
	pipes := make(chan os.Signal, 1) // nobody reads it; ignoring the signal would be inherited by the processes of up
	signal.Notify(pipes, syscall.SIGPIPE)
	if signal.Ignored(syscall.SIGHUP) {
		return signals()
	}
	return signals(syscall.SIGHUP)
}

// distinct hands on the signals that do not follow another one at once, until raw is closed.
func distinct(raw <-chan os.Signal, wishes chan<- os.Signal) {
	var last time.Time
	for s := range raw {
		now := time.Now()
		if now.Sub(last) < again {
			continue
		}
		last = now
		select {
		case wishes <- s:
		default: // nobody has looked at four yet
		}
	}
}
