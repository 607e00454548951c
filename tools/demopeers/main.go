// Command demopeers demonstrates two instances of rstate, each on a host of its own, while the wire between them is cut
// and healed. The hosts are network namespaces of this machine, so it needs the right to make them. It touches and
// reaches nothing else on this machine.
//
//	demopeers [--pace 1.5s] RSTATE
//
// RSTATE is the program, built with ROS. Without the right to make namespaces, the demo says that it is left out; with
// CI=true that is an error. The exit status is 0 if every scene went as expected, 1 if not, 2 for a bad command line, 6
// if it was stopped.
//
// It may import the standard library, internal/narrate and test/bed/wire.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"rstate/internal/narrate"
	"rstate/test/bed/wire"
)

// The exit codes are those of rstate.
const (
	exitDone      = 0
	exitFailed    = 1
	exitBadInput  = 2
	exitCancelled = 6
)

// demoIn is the time limit of the demo, which takes half of it.
const demoIn = 55 * time.Second

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, wire.New)) }

// newWire is wire.New, or the replacement of a test.
type newWire func(seed uint64, hosts ...string) (*wire.Wire, error)

func run(args []string, out, errs io.Writer, lay newWire) int {
	fail := func(code int, format string, args ...any) int {
		fmt.Fprintf(errs, "demopeers: "+format+"\n", args...)
		return code
	}
	f := flag.NewFlagSet("demopeers", flag.ContinueOnError)
	f.SetOutput(errs)
	pace := f.Duration("pace", 1500*time.Millisecond, "the `time` to read what comes next")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitBadInput
	case f.NArg() != 1:
		return fail(exitBadInput, "cannot start: name one program, as in demopeers bin/rstate")
	case *pace < 0 || *pace > 3*time.Second:
		return fail(exitBadInput, "cannot wait %v before each scene: write --pace with a time from 0s to 3s", *pace)
	}
	program, err := filepath.Abs(f.Arg(0))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return fail(exitBadInput, "cannot use %q: %v; build it with make build", f.Arg(0), err)
	}
	w, err := lay(1, "base", "arm")
	if err != nil {
		if os.Getenv("CI") == "true" {
			return fail(exitFailed, "cannot make two hosts on this machine: %v; with CI=true nothing may be left out",
				err)
		}
		fmt.Fprintf(out, "left out: the demo of peers, since this user cannot make two hosts on this machine: %v. Try it as root.\n", err)
		return exitDone
	}
	defer w.Close()
	folder, err := os.MkdirTemp("", "rstate-demo-")
	if err != nil {
		return fail(exitFailed, "cannot make a folder for the demo: %v", err)
	}
	defer os.RemoveAll(folder)
	return show(w, &stage{
		wire: w, program: program, folder: folder, exit: fail,
		Teller: narrate.Teller{Out: out, Pace: *pace, Logs: &narrate.Tail{}},
	})
}

// show plays the scenes until the end, the time limit, or a signal.
func show(w *wire.Wire, s *stage) int {
	limited, cancel := context.WithTimeoutCause(context.Background(), demoIn, errors.New("the demo took too long"))
	defer cancel()
	ctx, giveUp := context.WithCancelCause(limited)
	defer giveUp(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case got := <-signals:
			giveUp(fmt.Errorf("it got %v", got))
		case <-ctx.Done():
		}
	}()
	s.ctx = ctx
	for _, at := range w.Hosts {
		h, err := s.furnish(at)
		if err != nil {
			return s.exit(exitFailed, "%v", err)
		}
		s.hosts = append(s.hosts, h)
	}
	s.base, s.arm = s.hosts[0], s.hosts[1]
	defer s.end()
	end := s.Tell(ctx, s.story())
	return map[narrate.End]int{narrate.AsExpected: exitDone, narrate.Failed: exitFailed, narrate.Stopped: exitCancelled}[end]
}
