// Command testsum runs the stages of a test run and counts their tests. Its last line is "N passed,
// N failed", and the exit status is 0 if none failed. The lines before it list the skipped tests.
//
//	testsum [-left-out TEXT]... STAGE [-- STAGE]...
//
// A STAGE is: NAME LIMIT FOLDER COMMAND ARGUMENT... A command `go test … -json …` is counted test
// by test; any other command is one test, passed if it exits with 0. The output of passed tests is
// not shown. A skipped test is listed, and is a failure if CI=true, because a test that never runs
// would go unnoticed there.
//
// The stages share a ROS domain that no other run on this machine uses, unless ROS_DOMAIN_ID is set.
//
// It may import the standard library and test/bed/domain.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"rstate/test/bed/domain"
)

// stage is one command of the run.
type stage struct {
	name   string
	limit  time.Duration
	folder string
	args   []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out io.Writer) int {
	var leftOut []string
	flags := flag.NewFlagSet("testsum", flag.ContinueOnError)
	flags.Func("left-out", "what this run does not cover, and why", func(text string) error {
		leftOut = append(leftOut, text)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return 2
	}
	stages, err := parseStages(flags.Args())
	if err != nil {
		fmt.Fprintln(out, "testsum: "+err.Error())
		return 2
	}
	_, release, err := domain.Take()
	if err != nil {
		fmt.Fprintln(out, "testsum: "+err.Error())
		return 2
	}
	defer release()

	t := newTally(out, os.Getenv("CI") == "true")
	for _, s := range stages {
		if ctx.Err() != nil {
			t.fail(s.name + " (interrupted before it began)")
			continue
		}
		fmt.Fprintf(out, "== %s\n", s.name)
		s.run(ctx, t, out)
	}
	return t.finish(leftOut)
}

// parseStages splits the command line at each "--".
func parseStages(args []string) ([]stage, error) {
	var stages []stage
	for len(args) > 0 {
		words := args
		if end := slices.Index(args, "--"); end >= 0 {
			words, args = args[:end], args[end+1:]
		} else {
			args = nil
		}
		if len(words) < 4 {
			return nil, fmt.Errorf("cannot read stage %q: want NAME LIMIT FOLDER COMMAND", strings.Join(words, " "))
		}
		limit, err := time.ParseDuration(words[1])
		if err != nil {
			return nil, fmt.Errorf("cannot read stage %q: %w", words[0], err)
		}
		stages = append(stages, stage{name: words[0], limit: limit, folder: words[2], args: words[3:]})
	}
	if len(stages) == 0 {
		return nil, fmt.Errorf("cannot run: no stage is named")
	}
	return stages, nil
}

// countsTests reports whether the stage's output is the event stream of go test.
func (s stage) countsTests() bool {
	at := slices.Index(s.args, "test")
	return at >= 1 && strings.HasSuffix(s.args[at-1], "go") && slices.Contains(s.args, "-json")
}
