// Command suite runs the tests of rstate: one list of stages, and the choice of what of it runs. Its last line is "N
// passed, N failed", and the exit status is 0 if none failed. The lines before it say what each stage cost, and name
// what was left out.
//
//	suite [-list] [-eighth K] [-stalls SEED] PLAN
//
// The plans:
//
//	test        what a person waits for: every test that needs nothing real, the real test of each promise, and the
//	            tests in files that have changed
//	ci          what has to pass before a change lands: test on two distributions, and what the change reaches, and an
//	            eighth of all the rest. Eight commits in a row run all of everything
//	everything  every test
//	nightly     everything, and what takes hours
//	promises    the real tests of the promises only
//	ros         every test on real ROS 2, on one distribution
//	bare        every test that needs no ROS 2
//	lockstep    two stepped runs beside busy processes
//
// A change is what the checkout has beyond its upstream branch, or else what is not committed, or else the last commit. The
// eighth is the number of commits before this one, modulo 8, where -eighth does not name one. With -list the choice is
// printed, and nothing runs. With -stalls processes of the tests stand still for seconds now and then.
//
// It may import the standard library, test/bed/domain and test/promises.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"rstate/test/bed/domain"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == measuredWord {
		os.Exit(measured(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP, syscall.SIGPIPE) // nothing goes on of which no one sees the end
	code := do(ctx, os.Args[1:], os.Stdout)
	stop()
	os.Exit(code)
}

// do is the whole program but for the signals.
func do(ctx context.Context, args []string, out io.Writer) int {
	flags := flag.NewFlagSet("suite", flag.ContinueOnError)
	flags.SetOutput(out)
	list := flags.Bool("list", false, "print what would run, and what would be left out")
	eighth := flags.Int("eighth", -1, "the `eighth`, 0 to 7, of the rest that the plan ci has; without it, that of the commit")
	stalls := flags.String("stalls", "", "let processes of the tests stand still at moments drawn from this `seed`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	choose, known := plans[flags.Arg(0)]
	if !known || flags.NArg() != 1 {
		fmt.Fprintf(out, "suite: cannot run %q: want one of %s\n", strings.Join(flags.Args(), " "), planNames())
		return 2
	}
	s, err := look(".")
	if err != nil {
		fmt.Fprintln(out, "suite: "+err.Error())
		return 2
	}
	if *eighth >= 0 {
		s.eighth, s.whose = *eighth%eighths, "as asked for"
	}
	s.stalls = *stalls
	if s.meter, err = os.Executable(); err != nil {
		fmt.Fprintln(out, "suite: "+err.Error())
		return 2
	}
	c := choose(s)
	if *list {
		c.print(out)
		return 0
	}
	_, release, err := domain.Take()
	if err != nil {
		fmt.Fprintln(out, "suite: "+err.Error())
		return 2
	}
	defer release()
	return c.run(ctx, s, out)
}
