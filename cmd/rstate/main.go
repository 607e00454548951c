// Command rstate runs a network of lifecycle nodes. It also shows the network and gives it
// commands.
//
// Each verb has a file. Files that need ROS carry the build tag ros; noros.go answers for them
// without it. A verb returns its exit code, and writes an error as one line that says what to do.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"rstate/internal/nav2"
	"rstate/internal/term"
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

// env is the process as a verb sees it: its streams, and its arguments for ROS 2.
type env struct {
	in       io.Reader
	out, err io.Writer
	ros      []string // the arguments for ROS 2

	again func(variables ...string) error // starts this process over with more in its environment; nil: it must go on
}

// fail writes one line to the error stream and returns the code.
func (e *env) fail(code int, format string, args ...any) int {
	term.Print(e.err, term.Text("rstate: "+fmt.Sprintf(format, args...), term.Red))
	return code
}

// print prints a value in a format for programs.
func (e *env) print(form string, value any) int {
	if err := printAs(e.out, form, value); err != nil {
		return e.fail(exitFailed, "%v", err)
	}
	return exitDone
}

func main() {
	handOver(os.Args)
	os.Exit(dispatch(&env{in: os.Stdin, out: os.Stdout, err: os.Stderr, again: startOver}, argsOf(os.Args)))
}

// argsOf returns the arguments of a command line. The name of nav2's executable, to which rstate may be linked, stands
// for a verb.
func argsOf(line []string) []string {
	if len(line) > 0 && filepath.Base(line[0]) == nav2.NodeName {
		return append([]string{"nav2"}, line[1:]...)
	}
	return line[min(1, len(line)):]
}

// startOver starts this process over. It returns only if that is not possible.
func startOver(variables ...string) error {
	self, err := os.Executable()
	if err == nil {
		err = syscall.Exec(self, os.Args, append(os.Environ(), variables...))
	}
	return fmt.Errorf("cannot start over: %w", err)
}
