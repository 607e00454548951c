//go:build ros

package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"rstate/internal/app"
)

// steps are what a demo node can be told to do badly.
var steps = []string{"configure", "cleanup", "activate", "deactivate", "shutdown", "arm", "disarm"}

func nodeVerb(e *env, args []string) int {
	own, ros := splitROS(args)
	f := newFlags(e, "node", "NAME… [--ros-args …]")
	logger := logFlags(f)
	spec := app.DemoNode{Delay: map[string]time.Duration{}}
	arm := f.Bool("arm", false, "offer ~/arm (std_srvs/srv/SetBool)")
	f.StringVar(&spec.ArmService, "arm-service", "", "offer that `service` for arming")
	f.BoolVar(&spec.Plain, "plain", false, "be a node without a lifecycle")
	count := f.Int("count", 1, "make so many of every name: /n_1, /n_2, …")
	for _, s := range steps {
		f.Func(s+"-delay", "the `time` that "+s+" takes, like 2s", func(text string) (err error) {
			spec.Delay[s], err = time.ParseDuration(text)
			return err
		})
	}
	f.Func("fail", "refuse the `step`: "+strings.Join(steps, ", ")+"; may be repeated", addStep(&spec.Refuse))
	f.Func("err", "err in the `step`; may be repeated", addStep(&spec.Err))
	words, code, ok := f.parse(own, 1, -1)
	if !ok {
		return code
	}
	if *count < 1 {
		return e.fail(exitBadInput, "cannot make %d nodes: write --count with 1 or more", *count)
	}
	log, _, err := logger()
	if err != nil {
		return e.fail(exitBadInput, "%v", err)
	}
	if *arm && spec.ArmService == "" {
		spec.ArmService = "~/arm"
	}
	stop, quiet := signals()
	defer quiet()
	demo, err := app.NewDemo(demoNodes(words, *count, spec), ros, log)
	if err != nil {
		return codeOf(e, err)
	}
	<-stop
	demo.Stop()
	return exitDone
}

func addStep(list *[]string) func(string) error {
	return func(step string) error {
		if !slices.Contains(steps, step) {
			return fmt.Errorf("write one of %s", strings.Join(steps, ", "))
		}
		*list = append(*list, step)
		return nil
	}
}

// demoNodes makes a node of every name, or so many.
func demoNodes(names []string, count int, like app.DemoNode) []app.DemoNode {
	var nodes []app.DemoNode
	for _, name := range names {
		for i := range count {
			n := like
			n.Name = path.Join("/", name)
			if count > 1 {
				n.Name = fmt.Sprintf("%s_%d", n.Name, i+1)
			}
			nodes = append(nodes, n)
		}
	}
	return nodes
}
