// Command simulate runs drawn schedules of the scripted world and looks for what must never be. Its last line is "N of N
// schedules whole" with the time that they took, and its exit status says the same. A schedule that is not whole is
// reported with the command that has it again, to the last line.
//
//	simulate [-seeds N] [-from N] [-workers N] [-reports N] [-peers N]
//	simulate -seed N [-peers N] [-tell]
//	simulate -what [-seeds N]
//	simulate -digest [-texts] [-seeds N] [-from N] [-peers N]
//
// With -peers a schedule is one of so many instances that hear of each other; with -peers drawn each seed draws how many.
// With -what it also counts in how many schedules each kind of thing happens that may.
//
// With -digest it also prints a digest of all inputs and effects of each schedule, in the order of the seeds. Two versions of the
// engine that print the same digests decide the same. With -texts sentences for people count too.
//
// It may import the standard library and internal/simnet/schedule.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rstate/internal/simnet/schedule"
)

// gcPercent lets garbage gather: a run lives for a millisecond, and of a heap of a few megabytes a third of the time would go
// into collecting it.
const gcPercent = 800

// plan is what to run.
type plan struct {
	from, seeds uint64
	workers     int
	reports     int // so many schedules that are not whole are reported; what comes after is only counted
	tell, what  bool
	digest      bool   // of each schedule
	texts       bool   // sentences for people count in it
	peers       string // how many instances a schedule has; empty: one, which is alone
}

// life is a schedule that was run: its files, all that happened, and, where something must never be, the report of it.
type life struct {
	files  string
	trace  fmt.Stringer
	report string
	kinds  []string // of what happened, if it is counted
	digest uint64   // of inputs and effects, if it is asked for
}

// live draws and runs the schedule of a seed.
func (p plan) live(seed uint64) life {
	if p.peers == "" {
		s := schedule.Draw(seed)
		trace := s.Run()
		l := life{files: s.Files(), trace: trace}
		if len(trace.Faults) > 0 {
			l.report = schedule.Report(seed, trace.Faults)
		}
		if p.what {
			l.kinds = s.Kinds(trace)
		}
		if p.digest {
			l.digest = trace.Digest(p.texts)
		}
		return l
	}
	n, _ := strconv.Atoi(p.peers) // drawn is 0
	s := schedule.DrawPeers(seed, n)
	trace := s.Run()
	l := life{files: s.Files(), trace: trace}
	if len(trace.Faults) > 0 {
		l.report = s.Report(trace.Faults)
	}
	if p.what {
		l.kinds = s.Kinds(trace)
	}
	if p.digest {
		l.digest = trace.Digest(p.texts)
	}
	return l
}

func main() {
	p, ok := parse(os.Args[1:], os.Stderr)
	if !ok {
		os.Exit(2)
	}
	debug.SetGCPercent(gcPercent)
	if !run(p, os.Stdout) {
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (plan, bool) {
	var p plan
	var seed uint64
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Uint64Var(&p.seeds, "seeds", 10_000, "how many schedules to run")
	flags.Uint64Var(&p.from, "from", 1, "the first seed")
	flags.IntVar(&p.workers, "workers", runtime.GOMAXPROCS(0), "how many to run side by side")
	flags.IntVar(&p.reports, "reports", 20, "how many schedules that are not whole to report")
	flags.Uint64Var(&seed, "seed", 0, "run the schedule of this one seed")
	flags.StringVar(&p.peers, "peers", "", "how many instances a schedule has, 2 or more, or drawn")
	flags.BoolVar(&p.tell, "tell", false, "print the network files and all that happens")
	flags.BoolVar(&p.what, "what", false, "count in how many schedules each kind of thing happens")
	flags.BoolVar(&p.digest, "digest", false, "print a digest of the inputs and effects of each schedule")
	flags.BoolVar(&p.texts, "texts", false, "with -digest: sentences for people count too")
	if flags.Parse(args) != nil {
		return p, false
	}
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "seed" {
			p.from, p.seeds = seed, 1
		}
	})
	if flags.NArg() > 0 || p.workers < 1 {
		fmt.Fprintln(out, "simulate: takes no arguments, and at least one worker")
		return p, false
	}
	if n, err := strconv.Atoi(p.peers); p.peers != "" && p.peers != "drawn" && (err != nil || n < 2) {
		fmt.Fprintln(out, "simulate: -peers takes a number from 2 up, or drawn")
		return p, false
	}
	return p, true
}

// run runs the plan and says whether every schedule was whole.
func run(p plan, out io.Writer) bool {
	var next, whole atomic.Uint64
	var mu sync.Mutex // of out, told and counts
	told, counts := 0, map[string]int{}
	var digests []uint64 // by seed
	if p.digest {
		digests = make([]uint64, p.seeds)
	}
	began := time.Now()
	var workers sync.WaitGroup
	for range p.workers {
		workers.Go(func() {
			for {
				k := next.Add(1) - 1
				if k >= p.seeds {
					return
				}
				l := p.live(p.from + k)
				if l.report == "" {
					whole.Add(1)
				}
				if p.digest {
					digests[k] = l.digest // each worker has seeds of its own
				}
				mu.Lock()
				for _, k := range l.kinds {
					counts[k]++
				}
				if p.tell {
					fmt.Fprintf(out, "%s%v", l.files, l.trace)
				}
				if l.report != "" {
					if told++; told <= p.reports {
						fmt.Fprintln(out, l.report)
					}
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	for k, d := range digests {
		fmt.Fprintf(out, "%d %016x\n", p.from+uint64(k), d)
	}
	if p.what {
		kinds := schedule.Kinds()
		if p.peers != "" {
			kinds = schedule.Meetings()
		}
		for _, k := range kinds {
			fmt.Fprintf(out, "%7d  %s\n", counts[k], strings.TrimSpace(k))
		}
	}
	fmt.Fprintf(out, "%d of %d schedules whole, in %v\n", whole.Load(), p.seeds, time.Since(began).Round(time.Second/10))
	return whole.Load() == p.seeds
}
