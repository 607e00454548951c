// Command simulate runs random lives of the scripted world and checks invariants. It prints a table
// of the events in them, and its last line is "N of N schedules whole" with the time that they
// took. It fails if a life violates an invariant, or if an event did not happen in as many lives as
// required (schedule.Enough). From schedule.Few lives on, it also runs the lives that have violated an
// invariant once. For a life that violates an invariant it prints the command that repeats the life
// exactly.
//
//	simulate [-seeds N] [-from N] [-workers N] [-reports N] [-peers N] [-machines]
//	simulate -seed N [-peers N] [-machines] [-tell]
//	simulate -digest [-texts] [-seeds N] [-from N] [-peers N]
//
// With -peers a life has that many instances that are peers; with -peers drawn the seed determines
// the number.
//
// With -machines a life has a machine that was drawn too, and is driven through its commands and
// states. A machine that the reader refuses has no life; the last line says how many were taken.
//
// With -digest it also prints a digest of all inputs and effects of each schedule, in the order of
// the seeds. Two versions of the engine with equal digests make the same decisions. With -texts the
// digest includes sentences for people.
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

// gcPercent reduces garbage collection: a run takes a millisecond, and with a heap of a few
// megabytes a third of the time would be spent in collections.
const gcPercent = 800

// plan describes what to run.
type plan struct {
	from, seeds uint64
	workers     int
	reports     int // how many schedules that are not whole are reported; the others are only counted
	tell        bool
	digest      bool   // of each schedule
	texts       bool   // includes sentences for people
	peers       string // the number of instances in a schedule; empty: one without peers
	machines    bool   // are drawn
}

// life is the result of a seed: its files, all events, and a report if an invariant was violated.
type life struct {
	files  string
	trace  fmt.Stringer
	report string
	digest uint64 // of inputs and effects, with -digest
	none   bool   // the machine was refused
}

// live runs the life of a seed, and counts the events in it.
func (p plan) live(seed uint64, cover *schedule.Coverage) life {
	n, _ := strconv.Atoi(p.peers) // drawn is 0
	if p.machines && p.peers != "" {
		k, taken := schedule.DrawKin(seed, n)
		if !taken {
			return life{files: k.File, none: true}
		}
		trace := k.Live()
		l := life{files: strings.Join(k.Texts, "---\n"), trace: trace, report: report(trace.Faults, k.Report)}
		if p.digest {
			l.digest = trace.Digest(p.texts)
		}
		return l
	}
	if p.machines {
		m := schedule.DrawMachine(seed)
		trace, faults, taken := m.Live()
		l := life{files: m.File, trace: trace, report: report(faults, m.Report), none: !taken}
		if taken && p.digest {
			l.digest = trace.Digest(p.texts)
		}
		return l
	}
	if p.peers == "" {
		s := schedule.Draw(seed)
		s.Cover = cover
		trace := s.Run()
		l := life{files: s.Files(), trace: trace,
			report: report(trace.Faults, func(f []string) string { return schedule.Report(seed, f) })}
		if p.digest {
			l.digest = trace.Digest(p.texts)
		}
		return l
	}
	s := schedule.DrawPeers(seed, n)
	s.Cover = cover
	trace := s.Run()
	l := life{files: s.Files(), trace: trace, report: report(trace.Faults, s.Report)}
	if p.digest {
		l.digest = trace.Digest(p.texts)
	}
	return l
}

func report(faults []string, of func([]string) string) string {
	if len(faults) == 0 {
		return ""
	}
	return of(faults)
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
	flags.BoolVar(&p.machines, "machines", false, "draw a machine for each schedule")
	flags.BoolVar(&p.tell, "tell", false, "print the network files and all that happens")
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

// run runs the plan and reports whether every life was whole and every required event happened.
func run(p plan, out io.Writer) bool {
	var next, whole, refused atomic.Uint64
	var mu sync.Mutex // of out, told and all
	told, all := 0, schedule.NewCoverage(p.peers != "")
	var digests []uint64 // by seed
	if p.digest {
		digests = make([]uint64, p.seeds)
	}
	print := func(l life) {
		mu.Lock()
		defer mu.Unlock()
		if p.tell {
			fmt.Fprint(out, l.files)
			if !l.none {
				fmt.Fprint(out, l.trace)
			}
		}
		if l.report != "" {
			if told++; told <= p.reports {
				fmt.Fprintln(out, l.report)
			}
		}
	}
	began := time.Now()
	var workers sync.WaitGroup
	for range p.workers {
		workers.Go(func() {
			cover := schedule.NewCoverage(p.peers != "")
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				for c, n := range cover.Count {
					all.Count[c] += n
				}
			}()
			for {
				k := next.Add(1) - 1
				if k >= p.seeds {
					return
				}
				l := p.live(p.from+k, cover)
				if p.digest {
					digests[k] = l.digest // each worker has its own seeds
				}
				switch {
				case l.none:
					refused.Add(1)
				case l.report == "":
					whole.Add(1)
				}
				print(l)
			}
		})
	}
	workers.Wait()
	for k, d := range digests {
		fmt.Fprintf(out, "%d %016x\n", p.from+uint64(k), d)
	}
	return p.sum(out, whole.Load(), refused.Load(), all, time.Since(began).Round(time.Second/10))
}

// sum prints the last lines, and reports whether every life was whole and every required event happened.
func (p plan) sum(out io.Writer, whole, refused uint64, all *schedule.Coverage, took time.Duration) bool {
	if p.machines {
		taken := p.seeds - refused
		fmt.Fprintf(out, "%d machines were refused\n%d of %d machines whole, in %v\n", refused, whole, taken, took)
		return whole == taken && (taken > 0 || p.seeds < schedule.Few)
	}
	covered := p.seeds < schedule.Few || covers(all, p, out) && mended(p, out)
	fmt.Fprintf(out, "%d of %d schedules whole, in %v\n", whole, p.seeds, took)
	return whole == p.seeds && covered
}

// mended plays the lives that were broken once, and reports whether all are whole.
func mended(p plan, out io.Writer) bool {
	reports := schedule.Broken(p.peers != "")
	for _, report := range reports {
		fmt.Fprintln(out, report)
	}
	return len(reports) == 0
}

// covers prints the events, and reports whether all required ones happened, if there were enough
// lives for that.
func covers(all *schedule.Coverage, p plan, out io.Writer) bool {
	table, missing := schedule.Cover(all, p.seeds, p.peers != "")
	fmt.Fprint(out, table)
	if len(missing) == 0 {
		return true
	}
	for _, c := range missing {
		fmt.Fprintf(out, "%s: %s\n", map[bool]string{true: "never happened",
			false: "cannot happen, and did"}[all.Count[c] == 0], schedule.Describe(c))
	}
	fmt.Fprintf(out, "%d cells that can occur have not. Make a story of internal/simnet/schedule draw them, "+
		"or list them in its coverage.go with the reason why they cannot occur.\n", len(missing))
	return false
}
