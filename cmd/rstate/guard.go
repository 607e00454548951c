//go:build ros

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"rstate/internal/guard"
	"rstate/internal/network"
	"rstate/internal/sdnotify"
)

// guardVerb disarms nodes that do not follow the arm lease by themselves.
func guardVerb(e *env, f *options) action {
	logger := logFlags(f)
	var c guard.Config
	daemon := f.daemon("full `name` of the daemon that renews the lease")
	exit := f.oneOf("on-exit", "what to do with armed nodes when the guard ends", "disarm", "leave")
	return func(words []string) int {
		c.Daemon = *daemon
		var ok bool
		if c.Services, ok = guarded(e, words); !ok {
			return exitBadInput
		}
		var err error
		if c.Log, _, err = logger(); err != nil {
			return e.fail(exitBadInput, "%v", err)
		}
		defer func() { _ = c.Log.Sync() }()
		if c.Service, err = sdnotify.FromEnv(warning(c.Log)); err != nil {
			c.Log.Warn(err.Error())
		}
		c.ROSArgs, c.Leave = e.ros, *exit == "leave"
		return runGuard(e, c)
	}
}

// runGuard runs until a signal. A second signal ends it at once.
func runGuard(e *env, c guard.Config) int {
	stop, quiet := serviceSignals()
	defer quiet()
	g, err := guard.New(c)
	if err != nil {
		return codeOf(e, err)
	}
	defer g.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	<-stop
	cancel()
	select {
	case s := <-stop:
		return e.fail(exitUnclean, "leaving at once, as %v came again: nodes may stay armed", s)
	case err = <-ended:
	}
	var armed *guard.StillArmed
	switch {
	case errors.As(err, &armed):
		return e.fail(exitUnclean, "%v", err)
	case err != nil:
		return codeOf(e, err)
	}
	return exitDone
}

// guarded returns the services that disarm the nodes of the command line. A word with a dot is a
// network file, because names in ROS have no dot. Of a file, guarded returns the services of the
// nodes that do not follow the lease.
func guarded(e *env, words []string) (services []string, ok bool) {
	for _, word := range words {
		if strings.Contains(word, ".") {
			found, ok := unfollowing(e, word)
			if !ok {
				return nil, false
			}
			services = append(services, found...)
			continue
		}
		if problem, hint := network.ServiceName(word); problem != "" {
			e.fail(exitBadInput, "cannot guard %q: it %s; %s", word, problem, hint)
			return nil, false
		}
		services = append(services, word)
	}
	slices.Sort(services)
	return slices.Compact(services), true
}

// unfollowing returns the arming services of the nodes of a file that do not follow the lease.
func unfollowing(e *env, file string) (services []string, ok bool) {
	net, err := network.Load(file)
	var faults network.Faults
	switch {
	case errors.As(err, &faults):
		list(e.err, "", faults)
		return nil, false
	case err != nil:
		e.fail(exitBadInput, "cannot read network file %q: %v", file, err)
		return nil, false
	}
	for _, n := range net.Nodes {
		switch {
		case n.Arm == nil || n.Arm.DeadMan != network.DeadManNone:
		case n.Arm.Type != network.DefaultArmType:
			e.fail(exitBadInput, "cannot guard %q: %s is disarmed by a %s; a guard calls %s", file, n.Name, n.Arm.Type,
				network.DefaultArmType)
			return nil, false
		default:
			services = append(services, n.Arm.Service)
		}
	}
	if len(services) == 0 {
		e.fail(exitBadInput, "cannot guard %q: it has no node with dead_man: none; a node that follows the lease needs no guard", file)
		return nil, false
	}
	return services, true
}
