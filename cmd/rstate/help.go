package main

import (
	"fmt"
	"io"
	"slices"

	"rstate/internal/term"
)

// chapters are the verbs by what a person wants to do, in the order in which most people come to want it. Those that are
// in none come last.
var chapters = []struct {
	title string
	verbs []string
}{
	{"run a network", []string{"demo", "up", "run", "factory"}},
	{"command it", []string{"send"}},
	{"see where it is, and why", []string{"status", "watch", "why", "history", "peers", "doctor"}},
	{"work on its file", []string{"check", "graph", "plan", "rehearse"}},
	{"small helpers", []string{"node", "guard", "completion", "version", "help"}},
}

// examples are command lines as people write them, by verb.
var examples = map[string][]string{
	"run":     {"run config/demo.yaml", "run robot.yaml --log json --ros-args -r __ns:=/base -p use_sim_time:=true"},
	"demo":    {"demo", "demo --pace 3s"},
	"doctor":  {"doctor", "doctor robot.yaml", "doctor --node /base/rstate -o json"},
	"up":      {"up config/demo.yaml", "up robot.yaml --ros-args -r __node:=trial"},
	"send":    {"send active", "send arm --reason \"shift starts\" --authority-file ~/.rstate.key", "send active --wait-peers --node /base/rstate", "send shutdown --node /base/rstate -o json"},
	"status":  {"status", "status --node /base/rstate -o yaml"},
	"watch":   {"watch", "watch --until active --for 60s", "watch -o json"},
	"why":     {"why", "why --dir ./journal-of-the-robot"},
	"history": {"history --since 10m --follow", "history --about /slam --kind step -o json"},
	"peers":   {"peers", "peers --node /base/rstate -o json", "peers --simulation mobile_manipulator"},
	"plan":    {"plan config/demo.yaml", "plan robot.yaml shutdown --from armed"},
	"graph":   {"graph config/demo.yaml", "graph robot.yaml machine -o mermaid", "graph robot.yaml -o dot > robot.dot"},
	"node":    {"node /lidar /slam", "node /arm --arm --configure-delay 2s --fail activate"},
	"guard":   {"guard robot.yaml", "guard /arm_driver/arm --node /base/rstate"},
	"check":   {"check robot.yaml", "check robot.yaml -o json"},
	"completion": {
		"completion bash > ~/.local/share/bash-completion/completions/rstate",
		"completion zsh > ~/.zfunc/_rstate",
		"completion fish > ~/.config/fish/completions/rstate.fish",
	},
	"version": {"version", "version -o json"},
	"help":    {"help", "help send"},
}

func helpVerb(e *env, args []string) int {
	f := newFlags(e, "help", "[VERB]")
	words, code, ok := f.parse(args, 0, 1)
	switch {
	case !ok:
		return code
	case len(words) > 0:
		return dispatch(e, []string{words[0], "--help"})
	}
	usage(e.out)
	return exitDone
}

func usage(out io.Writer) {
	fmt.Fprintln(out, "rstate takes a whole ROS 2 network through its life as one thing.\n\nusage: rstate VERB …")
	all, width := verbs(), 0
	for _, v := range all {
		width = max(width, term.Width(v.name+" "+v.args))
	}
	tell := func(title string, in func(verb) bool) {
		for _, v := range all {
			if !in(v) {
				continue
			}
			if title != "" {
				fmt.Fprintf(out, "\n%s\n", title)
				title = ""
			}
			fmt.Fprintf(out, "  %-*s  %s\n", width, v.name+" "+v.args, v.summary)
		}
	}
	slices.SortStableFunc(all, func(a, b verb) int { return placeOf(a.name) - placeOf(b.name) })
	for _, c := range chapters {
		tell(c.title, func(v verb) bool { return slices.Contains(c.verbs, v.name) })
	}
	tell("more", func(v verb) bool { return placeOf(v.name) == unplaced })
	fmt.Fprintln(out, "\nrstate help VERB tells the options of a verb, with examples.")
	fmt.Fprintln(out, "exit codes: 0 done, 1 transition failed, 2 bad input, 3 rejected, 4 no ROS or no daemon,")
	fmt.Fprintln(out, "            5 unclean shutdown, 6 cancelled")
}

// unplaced is the place of a verb that is in no chapter.
const unplaced = 1000

func placeOf(name string) int {
	place := 0
	for _, c := range chapters {
		for _, v := range c.verbs {
			if v == name {
				return place
			}
			place++
		}
	}
	return unplaced
}
