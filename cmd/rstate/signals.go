package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// again is the time in which a second signal counts as the same request. Ctrl-C can reach a process
// twice: from the terminal and from its parent. launch and systemd send a signal of their own as
// well.
const again = time.Second

// signals returns a channel of the signals that stop a process and of more signals, and a function
// that ends it.
func signals(more ...os.Signal) (<-chan os.Signal, func()) {
	raw, wishes := make(chan os.Signal, 4), make(chan os.Signal, 4)
	signal.Notify(raw, append(more, syscall.SIGINT, syscall.SIGTERM)...)
	go distinct(raw, wishes)
	return wishes, func() { signal.Stop(raw); close(raw) }
}

// serviceSignals is signals for long-running verbs. SIGHUP stops them too, unless the process
// inherited it as ignored, as nohup makes it. A closed stdout or stderr does not stop them: SIGPIPE
// has no effect, and the write fails.
func serviceSignals() (<-chan os.Signal, func()) {
	// Nothing reads it. The processes of up would inherit a signal that is ignored.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	if signal.Ignored(syscall.SIGHUP) {
		return signals()
	}
	return signals(syscall.SIGHUP)
}

// distinct passes on signals that do not follow another one within again, until raw is closed.
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
		default: // the receiver has four to read
		}
	}
}
