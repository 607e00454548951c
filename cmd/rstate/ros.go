//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"

	"rstate/internal/client"
	"rstate/internal/daemon"
	"rstate/internal/factory"
	"rstate/internal/host"
	"rstate/internal/logs"
	"rstate/internal/network"
	"rstate/internal/session"
)

// builtWith describes this binary.
const (
	builtWith = "built with ROS"
	hasROS    = true
)

// handOver does nothing: this program is the one for ROS 2.
func handOver([]string) {}

// loadUsable reads a network file whose types must be usable here.
func loadUsable(file string) (*network.Network, error) { return daemon.LoadUsable(file) }

// codeOf prints an error, and returns its exit code.
func codeOf(e *env, err error) int {
	var faults network.Faults
	var badArgs *session.BadArgs
	var noROS *session.NoROS
	var noDaemon *client.NoDaemon
	var rejected *client.Rejected
	var ownName *daemon.OwnName
	var badParameter *session.BadParameter
	var noNetwork *daemon.NoNetwork
	var noDomain *session.NoDomain
	var held *host.NameHeld
	var badExperiments *factory.BadExperiments
	switch {
	case errors.As(err, &faults):
		list(e.err, "", faults)
		return exitBadInput
	case errors.As(err, &badArgs), errors.As(err, &ownName), errors.As(err, &badParameter), errors.As(err, &noNetwork),
		errors.As(err, &noDomain),
		errors.As(err, &badExperiments):
		return e.fail(exitBadInput, "%v", err)
	case errors.As(err, &noROS), errors.As(err, &noDaemon):
		return e.fail(exitNoROS, "%v", err)
	case errors.As(err, &rejected):
		return e.fail(exitRejected, "%s", inLines(err.Error()))
	case errors.As(err, &held):
		return e.fail(exitRejected, "%v", err)
	case errors.Is(err, context.Canceled):
		return e.fail(exitCancelled, "%v", err)
	}
	return e.fail(exitFailed, "%v", err)
}

// logFlags adds the options of verbs that log. The returned function makes the logger and its
// level, once the options are parsed.
func logFlags(f *options) func() (*zap.Logger, zap.AtomicLevel, error) {
	return logFlagsOn(f, &logs.Console{File: os.Stderr})
}

// logFlagsOn is logFlags for a console that the caller needs later.
func logFlagsOn(f *options, console *logs.Console) func() (*zap.Logger, zap.AtomicLevel, error) {
	format := f.oneOf("log", "form of the log; auto is text on a terminal, else json; journal is for journald, with levels", logs.Auto, logs.Text,
		logs.JSON, logs.Journal)
	level := f.oneOf("log-level", "lowest level that is logged", "info", "debug", "warn", "error")
	return func() (*zap.Logger, zap.AtomicLevel, error) {
		at, err := logs.Level(*level)
		follows := zap.NewAtomicLevelAt(at)
		return logs.New(console, *format, follows), follows, err
	}
}

// hangsIn is how long after a signal connect waits for the client.
const hangsIn = 2 * time.Second

// connect makes a client. A signal meanwhile does not end the process at once, so that the client
// leaves ROS; the caller acts on the signal when the client exists. If the middleware hangs, the
// process ends a moment after the signal.
func connect(e *env, newClient func() (*client.Client, error)) (*client.Client, error) {
	asked, made := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(asked)
	defer close(made)
	go func() {
		select {
		case <-made:
			return
		case <-asked:
		}
		select {
		case <-made:
		case <-time.After(hangsIn):
			os.Exit(exitCancelled)
		}
	}()
	conn, err := newClient()
	if err == nil && e.again != nil {
		conn.Widen = func(began time.Time) error {
			fmt.Fprintln(e.err, "nothing answers where the daemon has noted that it listens; looking everywhere")
			conn.Close()
			return e.again(client.LookEverywhere(began))
		}
	}
	return conn, err
}
