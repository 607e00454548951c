// Command rstate runs a network of lifecycle nodes, and is the tool to look at it and to give it commands.
//
// There is one file per verb; main finds the verb, parses and exits. A verb returns its exit code and writes errors as
// one line that says what to do. The command may import everything; files that need ROS carry the build tag ros, and
// noros.go answers for them without it.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"rstate/internal/clean"
	"rstate/internal/strict"
)

// The exit codes. Scripts rely on them.
const (
	exitDone      = 0 // it was done
	exitFailed    = 1 // the transition failed
	exitBadInput  = 2 // a file or the command line is wrong
	exitRejected  = 3 // the goal was rejected, or another daemon has the name; and nothing changed
	exitNoROS     = 4 // there is no ROS, or no daemon
	exitUnclean   = 5 // the shutdown left something behind
	exitCancelled = 6 // the goal was cancelled
)

// version is set by the Makefile.
var version = "devel"

// env is what a verb sees of the process that it runs in.
type env struct {
	in       io.Reader
	out, err io.Writer
	asked    func(*flags) // set: a verb hands its options here, and does nothing
}

// fail writes one line to the error stream and returns the code.
func (e *env) fail(code int, format string, args ...any) int {
	fmt.Fprintln(e.err, "rstate: "+clean.Text(fmt.Sprintf(format, args...)))
	return code
}

// print prints a value in a form for programs.
func (e *env) print(form string, value any) int {
	if err := printAs(e.out, form, value); err != nil {
		return e.fail(exitFailed, "%v", err)
	}
	return exitDone
}

// verb is one thing that rstate does.
type verb struct {
	name    string
	args    string
	summary string
	run     func(*env, []string) int
}

// verbs returns the verbs in the order of the help. It is a function because help is one of them.
func verbs() []verb {
	return []verb{
		{"run", "[FILE] [--ros-args …]", "run the daemon of a network file", runVerb},
		{"demo", "", "show what rstate is for: the life of a network, told as it happens, in half a minute", demoVerb},
		{"up", "FILE", "run the daemon and a demo node for every node of the file", upVerb},
		{"send", "COMMAND", "give a command, or name a state to reach, and follow it", sendVerb},
		{"status", "", "show where a network and its nodes stand", statusVerb},
		{"watch", "", "show that live, or what changes as lines; wait for a state", watchVerb},
		{"why", "", "say why the network is where it is, and what to try; works without a daemon", whyVerb},
		{"history", "", "show what happened; works without a daemon", historyVerb},
		{"peers", "", "show the instances of a simulation: who has seen what, and what is wrong between them", peersVerb},
		{"plan", "FILE [COMMAND]", "show what a command would ask of which node, and in what order", planVerb},
		{"graph", "FILE [nodes|machine]", "draw the order of a network, or its machine", graphVerb},
		{"node", "NAME…", "run demo lifecycle nodes", nodeVerb},
		{"doctor", "[FILE]", "say what is wrong with this ROS 2 and a network in it, and what to do", doctorVerb},
		{"guard", "FILE…", "disarm the nodes of a file, or services that are named, when the daemon is gone that has armed them", guardVerb},
		{"check", "FILE", "find every fault of a network file", checkVerb},
		{"completion", "bash|zsh|fish", "print what completes rstate's command line in that shell", completionVerb},
		{"version", "", "print the version", versionVerb},
		{"help", "[VERB]", "print this, or the options of a verb", helpVerb},
	}
}

func main() {
	os.Exit(dispatch(&env{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:]))
}

func dispatch(e *env, args []string) int {
	if len(args) == 0 {
		usage(e.err)
		return exitBadInput
	}
	name := args[0]
	switch name {
	case "-h", "--help":
		name = "help"
	case "--version":
		name = "version"
	}
	if i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == name }); i >= 0 {
		return verbs()[i].run(e, args[1:])
	}
	if slices.Contains(later, name) {
		return notYet(e, name)
	}
	return e.fail(exitBadInput, "cannot do %q: there is no such verb; %s", name,
		strict.Suggest(name, verbNames(), "rstate help lists them"))
}

func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}
