//go:build !ros

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rstate/internal/network"
	"rstate/internal/outline"
)

// loadUsable reads a network file. Which types are installed is not known.
func loadUsable(file string) (*network.Network, error) { return network.Load(file) }

// builtWith describes this binary.
const (
	builtWith = "built without ROS"
	hasROS    = false
)

// withoutROS replaces a verb that needs ROS.
func withoutROS(e *env, f *options) action {
	f.cmd.DisableFlagParsing = true
	return func(words []string) int {
		if slices.Contains(words, "--help") || slices.Contains(words, "-h") {
			if err := f.cmd.Help(); err != nil {
				return e.fail(exitFailed, "%v", err)
			}
			fmt.Fprintln(e.out, "\nSource a ROS 2 to see its options here.")
			return exitDone
		}
		return e.fail(exitNoROS, "cannot do %q: %s", f.cmd.Name(), whyNoROS())
	}
}

// askDaemon asks no daemon.
func askDaemon(context.Context, *env, string, bool) (b book, told string) {
	return nil, "this rstate has no ROS 2, and asks no daemon"
}

// survey sees no graph.
func survey(_ context.Context, e *env, _ time.Duration) (outline.Robot, int) {
	return outline.Robot{}, e.fail(exitNoROS,
		"cannot look at the graph: %s; or read a launch file with --from-launch", whyNoROS())
}

var (
	runVerb     = withoutROS
	factoryVerb = withoutROS
	upVerb      = withoutROS
	batchVerb   = withoutROS
	simVerb     = withoutROS
	stepVerb    = withoutROS
	triggerVerb = withoutROS
	sendVerb    = withoutROS

	acknowledgeVerb = withoutROS
	nav2Verb        = withoutROS

	statusVerb = withoutROS
	peersVerb  = withoutROS
	watchVerb  = withoutROS
	nodeVerb   = withoutROS
	doctorVerb = withoutROS
	guardVerb  = withoutROS
	demoVerb   = withoutROS
)
