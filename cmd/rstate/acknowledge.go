//go:build ros

package main

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"

	"go.uber.org/zap"

	"rstate/internal/clean"
	"rstate/internal/client"
)

// acknowledgeVerb acknowledges all stops, so that the network can be armed again.
func acknowledgeVerb(e *env, f *options) action {
	daemon := f.daemon("full `name` of the daemon")
	who := f.String("who", "", "your `name`, for the journal; this user, host and process are named in any case")
	key := f.String("authority-file", "", "`file` with the authority that arming asks for; without it, the value of $"+
		authorityVariable)
	patience := f.Duration("timeout", client.Patience, "how long to wait for an unresponsive daemon, a `time` like 30s")
	return func([]string) int {
		secret, err := authority(*key)
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		conn, err := connect(e, func() (*client.Client, error) { return client.NewBrief(*daemon, e.ros, zap.NewNop()) })
		if err != nil {
			return codeOf(e, err)
		}
		defer conn.Close()
		conn.Patience = *patience
		conn.Waits = func(text string) { fmt.Fprintln(e.err, text) }
		said, err := conn.Acknowledge(ctx, *who, secret)
		if err != nil {
			return codeOf(e, err)
		}
		fmt.Fprintln(e.out, clean.Text(said))
		return exitDone
	}
}
