//go:build ros

package main

import (
	"fmt"
	"os"

	"go.uber.org/zap"

	"rstate/internal/daemon"
	"rstate/internal/instances"
	"rstate/internal/logs"
	"rstate/internal/sdnotify"
)

func runVerb(e *env, f *options) action {
	return daemonVerb(e, f, func(words []string) daemon.Config {
		if len(words) > 0 {
			return daemon.Config{File: words[0]}
		}
		return daemon.Config{}
	})
}

// daemonVerb runs one daemon. what says which network it is of.
func daemonVerb(e *env, f *options, what func(words []string) daemon.Config) action {
	console := &logs.Console{File: os.Stderr}
	logger := logFlagsOn(f, console)
	ready := f.Int("ready-fd", 0, "`number` of an open file; the daemon writes its name to it when it knows the state of the network")
	journal := f.String("journal", "", "keep the journal in that `folder`; without it, in rstate/<node> below $ROS_HOME or ~/.ros")
	result := f.String("result", "", "write how a simulation has ended to that `file`, as JSON, when the daemon has ended")
	serve := httpFlagsOn(f)
	return func(words []string) int {
		log, level, err := logger()
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		defer func() { _ = log.Sync() }()
		config := what(words)
		config.ROSArgs, config.Journal, config.Version = e.ros, *journal, version
		config.Log, config.Level, config.Console = log, &level, console
		if err := daemon.ClearResult(*result); err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		if config.Service, err = sdnotify.FromEnv(warning(log)); err != nil {
			log.Warn(err.Error())
		}
		simulations := instances.NewSimulations(false)
		server, err := serve(simulations, nil, log)
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		stop, quiet := serviceSignals()
		defer quiet()
		a, err := daemon.New(config)
		if err != nil {
			return codeOf(e, err)
		}
		if err := a.Start(); err != nil {
			return codeOf(e, err)
		}
		if server != nil {
			simulations.Add(a)
			server.Serve()
			defer server.Stop()
		}
		if *ready > 0 {
			go tellReady(*ready, a.Name(), a.Ready(), a.Done())
		}
		select {
		case s := <-stop:
			go a.Stop("it got " + s.String())
		case <-a.Done():
		}
		select {
		case s := <-stop:
			return e.fail(exitUnclean, "leaving at once, as %v came again: nodes may stay armed", s)
		case <-a.Done():
		}
		return endOf(e, a, *result)
	}
}

// warning returns what logs an error that ends nothing.
func warning(log *zap.Logger) func(error) { return func(err error) { log.Warn(err.Error()) } }

// endOf returns the exit code of a daemon that ends, and writes its result to the file, if one is given.
func endOf(e *env, a *daemon.Daemon, result string) int {
	code, err := a.Wait()
	if err != nil {
		code = e.fail(code, "%v", err)
	}
	if result == "" {
		return code
	}
	if err := a.Result().Write(result); err != nil {
		return e.fail(max(code, exitFailed), "%v", err)
	}
	return code
}

// readyAs begins the line of tellReady; the full name of the daemon follows.
const readyAs = "ready as "

// tellReady writes one line for the parent process when the node of that name takes commands.
func tellReady(fd int, name string, ready, done <-chan struct{}) {
	out := os.NewFile(uintptr(fd), "ready")
	defer out.Close()
	select {
	case <-ready:
		fmt.Fprintln(out, readyAs+name)
	case <-done:
	}
}
