package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"rstate/internal/clean"
	"rstate/internal/launchfile"
	"rstate/internal/network"
	"rstate/internal/outline"
)

// initFor is how long init looks for nodes at most, unless the user says otherwise.
const initFor = 5 * time.Second

// initVerb drafts a network file from what runs, or from a launch file.
func initVerb(e *env, f *options) action {
	var w wantedDraft
	f.DurationVar(&w.within, "for", initFor, "how long to look for nodes at most")
	f.StringVar(&w.launch, "from-launch", "", "read that launch `file` instead of the graph: its Python code runs, and no process starts")
	f.StringArrayVar(&w.given, "launch-arg", nil, "an argument of the launch file, as `name:=value`; repeatable")
	f.StringVar(&w.daemon, "from-daemon", "", "write the network that the running daemon of that full `name` drives")
	force := f.Bool("force", false, "replace a file that exists")
	output := f.output("how to print what was seen, with the text of the file")
	return func(words []string) int {
		file := ""
		if len(words) > 0 {
			file = words[0]
		}
		if bad := w.bad(); bad != "" {
			return e.fail(exitBadInput, "cannot draft a network: %s", bad)
		}
		if there, err := os.Lstat(file); file != "" && err == nil {
			if err := stays(there, *force); err != nil {
				return e.fail(exitBadInput, "cannot write %s: %v", file, err)
			}
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		robot, code := w.look(ctx, e)
		stop() // from here on, a signal ends the process at once
		if code != exitDone {
			return code
		}
		draft, code := w.draft(e, robot, file)
		if code != exitDone {
			return code
		}
		return deliver(e, draft, file, *output, *force)
	}
}

// wantedDraft is what the user wants to have a draft of.
type wantedDraft struct {
	within time.Duration
	launch string   // a launch file; empty: the graph
	given  []string // the arguments of the launch file
	daemon string   // the daemon whose network is wanted; empty: a draft
}

// bad says which options do not go together.
func (w *wantedDraft) bad() string {
	switch {
	case w.launch != "" && w.daemon != "":
		return "--from-launch and --from-daemon exclude each other"
	case w.launch == "" && len(w.given) > 0:
		return "--launch-arg belongs to --from-launch"
	case w.within <= 0:
		return "--for wants a time above 0, like 5s"
	}
	for _, arg := range w.given {
		if name, _, ok := strings.Cut(arg, ":="); !ok || name == "" {
			return fmt.Sprintf("--launch-arg cannot be %q: write it like use_sim_time:=true", arg)
		}
	}
	return ""
}

// look describes the robot.
func (w *wantedDraft) look(ctx context.Context, e *env) (outline.Robot, int) {
	if w.launch == "" {
		return survey(ctx, e, w.within)
	}
	robot, err := launchfile.Read(ctx, w.launch, w.given)
	var none *launchfile.NoLaunch
	switch {
	case ctx.Err() != nil:
		return robot, e.fail(exitCancelled, "stopped before the launch file was read")
	case errors.As(err, &none):
		return robot, e.fail(exitNoROS, "%v", err)
	case err != nil:
		return robot, e.fail(exitBadInput, "%v", err)
	}
	return robot, exitDone
}

// draft makes the network file of what was seen.
func (w *wantedDraft) draft(e *env, robot outline.Robot, file string) (outline.Draft, int) {
	if w.daemon != "" {
		d, err := ofDaemon(robot, path.Join("/", w.daemon))
		if err != nil {
			return d, e.fail(exitNoROS, "%v", err)
		}
		return d, exitDone
	}
	d, err := outline.Of(robot, file)
	if err != nil {
		return d, e.fail(w.codeOfNone(), "%v; %s", err, w.adviceOfNone())
	}
	return d, exitDone
}

func (w *wantedDraft) codeOfNone() int {
	if w.launch != "" {
		return exitBadInput
	}
	return exitNoROS
}

func (w *wantedDraft) adviceOfNone() string {
	if w.launch != "" {
		return "name the launch file that starts the robot's nodes"
	}
	return "start the robot; if it runs, compare ROS_DOMAIN_ID, RMW_IMPLEMENTATION and " +
		"ROS_AUTOMATIC_DISCOVERY_RANGE here and there, or ask rstate doctor"
}

// ofDaemon is a draft whose text is the network that a daemon drives. Any participant can answer in the name of a daemon,
// so its text is read, and what was understood is written anew.
func ofDaemon(robot outline.Robot, name string) (outline.Draft, error) {
	var known []string
	for _, d := range robot.Daemons {
		if d.Name == name && d.Text != "" {
			net, err := network.Parse(name, []byte(d.Text))
			if err != nil {
				return outline.Draft{}, fmt.Errorf(
					"cannot take the network of %s: it is none of this version of rstate: %w", name, err)
			}
			return outline.Draft{Seen: robot, Order: []outline.Link{}, ToDo: []string{}, Text: net.YAML()}, nil
		}
		known = append(known, d.Name)
	}
	hint := "there is no daemon; rstate init without --from-daemon drafts a network"
	if slices.Contains(known, name) {
		hint = "it runs, and has not told its network; look again when rstate status answers"
	} else if len(known) > 0 {
		hint = "there is " + strings.Join(known, ", ")
	}
	return outline.Draft{}, fmt.Errorf("cannot ask %s for its network: %s", name, hint)
}

// deliver writes the draft where the user wants it.
func deliver(e *env, d outline.Draft, file, form string, force bool) int {
	if file != "" {
		if err := writeNew(file, d.Text, force); err != nil {
			return e.fail(exitFailed, "cannot write %s: %v", file, err)
		}
	}
	switch {
	case form != asTable:
		return e.print(form, d)
	case file == "":
		if _, err := fmt.Fprint(e.out, d.Text); err != nil {
			return e.fail(exitFailed, "cannot print the network: %v", err)
		}
		return exitDone
	}
	fmt.Fprintf(e.out, "%s is written", file)
	if n := len(d.ToDo); n > 0 {
		fmt.Fprintf(e.out, "; you decide %s in it: grep -n TODO: %s", clean.Count(n, "thing"), file)
	}
	fmt.Fprintf(e.out, "\n\n    rstate check %[1]s\n    rstate graph %[1]s\n    rstate run %[1]s\n", file)
	return exitDone
}
