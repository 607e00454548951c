// Command testsum runs the stages of a test run and counts their tests. Its last line is "N passed,
// N failed", and the exit status is 0 if none failed. The lines before it list the skipped tests.
//
//	testsum [-at-once N] [-show] [-left-out TEXT]... STAGE [-- STAGE | ++ STAGE | ~~ STAGE]...
//
// A STAGE is: NAME LIMIT FOLDER COMMAND ARGUMENT... A command `go test … -json …` is counted test
// by test; any other command is one test, passed if it exits with 0. The output of passed tests is
// not shown. A skipped test is listed, and is a failure if CI=true, because a test that never runs
// would go unnoticed there.
//
// A stage after -- waits for all stages before it. A stage after ++ may run beside the previous one; at most N stages
// run at a time, one without -at-once. The stages after ~~ begin with the run, one after another, and get the time of
// the processors that all others leave: they are for work that computes only, beside tests that wait now and then.
//
// With -show the output of a command that is not go test is printed also if it passes.
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
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"rstate/test/bed/domain"
)

// stage is one command of the run.
type stage struct {
	name   string
	show   bool // its output is printed also if it passes
	beside bool // it may run at the same time as the previous one
	idle   bool // it gets the time that others leave
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
	atOnce := flags.Int("at-once", 1, "how many stages may run at the same time")
	show := flags.Bool("show", false, "print the output of stages that pass, unless they are go test")
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

	t := newTally(&lockedWriter{out: out}, os.Getenv("CI") == "true")
	idle := slices.DeleteFunc(slices.Clone(stages), func(s stage) bool { return !s.idle })
	stages = slices.DeleteFunc(stages, func(s stage) bool { return s.idle })
	leftovers := make(chan []*tally)
	go func() { leftovers <- runIdle(ctx, idle, *show, t) }()
	for len(stages) > 0 {
		n := 1
		for n < len(stages) && stages[n].beside {
			n++
		}
		for _, done := range runBeside(ctx, stages[:n], max(1, *atOnce), *show, t) {
			t.add(done)
		}
		stages = stages[n:]
	}
	for _, done := range <-leftovers {
		t.add(done)
	}
	return t.finish(leftOut)
}

// runBeside runs stages, at most atOnce at a time in their order, and returns the count of each.
func runBeside(ctx context.Context, stages []stage, atOnce int, show bool, sum *tally) []*tally {
	counts := make([]*tally, len(stages))
	free := make(chan bool, atOnce)
	var all sync.WaitGroup
	for k, s := range stages {
		free <- true
		t := newTally(sum.out, sum.skipFails)
		counts[k] = t
		all.Go(func() {
			defer func() { <-free }()
			s.begin(ctx, show, t)
		})
	}
	all.Wait()
	return counts
}

// runIdle runs stages one after another as processes that get a processor when no other wants it.
func runIdle(ctx context.Context, stages []stage, show bool, sum *tally) []*tally {
	// A process inherits the policy of the thread that starts it. This thread ends with the goroutine.
	runtime.LockOSThread()
	becomeIdle()
	counts := make([]*tally, len(stages))
	for k, s := range stages {
		counts[k] = newTally(sum.out, sum.skipFails)
		s.begin(ctx, show, counts[k])
	}
	return counts
}

// lockedWriter lets several stages write.
type lockedWriter struct {
	lock sync.Mutex
	out  io.Writer
}

func (w *lockedWriter) Write(text []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.out.Write(text)
}

// parseStages splits the command line at each "--", "++" and "~~".
func parseStages(args []string) ([]stage, error) {
	var stages []stage
	how := "--"
	for len(args) > 0 {
		words, next := args, how
		if end := slices.IndexFunc(args, func(a string) bool { return a == "--" || a == "++" || a == "~~" }); end >= 0 {
			next = args[end]
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
		stages = append(stages, stage{name: words[0], beside: how == "++", idle: how == "~~", limit: limit,
			folder: words[2], args: words[3:]})
		how = next
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
