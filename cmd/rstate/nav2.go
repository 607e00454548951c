//go:build ros

package main

import (
	"rstate/internal/daemon"
	"rstate/internal/logs"
)

// nav2Verb runs a daemon in place of nav2's lifecycle manager.
func nav2Verb(e *env, f *options) action {
	run := daemonVerb(e, f, func([]string) daemon.Config { return daemon.Config{Nav2: true} })
	form := f.Lookup("log") // its log is read by people, under ros2 launch too
	_ = form.Value.Set(logs.Text)
	form.DefValue = logs.Text
	return run
}
