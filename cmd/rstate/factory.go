//go:build ros

package main

import (
	"os"

	"go.uber.org/zap"

	"rstate/internal/factory"
	"rstate/internal/logs"
	"rstate/internal/sdnotify"
)

// mostSimulations is how many simulations a factory takes by default.
const mostSimulations = 100

func factoryVerb(e *env, f *options) action {
	console := &logs.Console{File: os.Stderr}
	experiments := f.String("experiments", "", "the `folder` of the experiments, which are network files; needed")
	most := f.Int("most", mostSimulations, "largest `number` of simulations at a time")
	first := f.Uint64("first-id", 0, "least `id`; give factories of one domain ids of their own, because simulations of one id are peers")
	serve := httpFlagsOn(f)
	journal := f.String("journal", "", "keep the journals below that `folder`; without it, below $ROS_HOME/rstate or ~/.ros/rstate")
	ready := f.Int("ready-fd", 0, "`number` of an open file; the factory writes its name to it when its services answer")
	logger := logFlagsOn(f, console)
	return func([]string) int {
		log, _, err := logger()
		if err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		defer func() { _ = log.Sync() }()
		switch {
		case *experiments == "":
			return e.fail(exitBadInput, "cannot make simulations: --experiments is missing; it names the folder of the experiments")
		case *most < 1:
			return e.fail(exitBadInput, "cannot make simulations: --most cannot be %d; write at least 1", *most)
		}
		service, err := sdnotify.FromEnv(warning(log))
		if err != nil {
			log.Warn(err.Error())
		}
		stop, quiet := serviceSignals()
		defer quiet()
		factory, err := factory.New(factory.Config{
			Experiments: *experiments, Most: *most, FirstID: *first, ROSArgs: e.ros, Journal: *journal,
			Version: version, Log: log, Console: console, Service: service,
		})
		if err != nil {
			return codeOf(e, err)
		}
		server, err := serve(factory.Simulations(), factory, log)
		if err != nil {
			factory.Stop("it cannot serve HTTP")
			return e.fail(exitBadInput, "%v", err)
		}
		if server != nil {
			server.Serve()
		}
		service.Ready()
		if *ready > 0 {
			now := make(chan struct{})
			close(now)
			tellReady(*ready, factory.Name(), now, nil)
		}
		why := "it got " + (<-stop).String()
		ended := make(chan bool, 1)
		go func() {
			clean := factory.Stop(why)
			if server != nil { // last: clients that do not read must not delay a disarm
				server.Stop()
			}
			ended <- clean
		}()
		select {
		case s := <-stop:
			if factory.IsClean() { // all have ended, and only closing takes its time
				log.Warn("leaving before all is closed: other nodes may see this process for a while",
					zap.Stringer("signal", s))
				return exitDone
			}
			return e.fail(exitUnclean, "leaving at once, as %v came again: nodes may stay armed", s)
		case clean := <-ended:
			if !clean {
				return e.fail(exitUnclean, "a simulation did not end cleanly: the log tells which")
			}
			return exitDone
		}
	}
}
