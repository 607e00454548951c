// Command explore runs all orders of events in small networks, with a counted number of deviations from a
// normal day. Its last line is "N of M networks clean, S schedules". It fails if a schedule violates what
// must never be, and prints the id of one schedule for each violation.
//
//	explore [-run NAME] [-depth N] [-single N] [-limit N] [-part K/N]
//	explore -list
//	explore -replay ID...
//
// With -single networks of one node, without `when`, stop buttons, guards and foreign servers, have up to N deviations.
// With -part a long run is divided, also among machines: N parts together are the whole. With -replay it prints what
// happens in a schedule, event by event.
//
// It may import the standard library and internal/explore.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"rstate/internal/explore"
)

// Garbage is collected seldom, since a schedule allocates much and keeps little, until the worlds that were met fill
// much memory.
const (
	seldom = 400
	often  = 50
	much   = 2 << 30
)

// collects lets garbage be collected as often as the memory in use asks for.
func collects() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > much {
		debug.SetGCPercent(often)
	}
}

func main() {
	debug.SetGCPercent(seldom)
	run := flag.String("run", "", "only networks whose name contains `NAME`")
	depth := flag.Int("depth", 1, "deviations in a schedule at most")
	single := flag.Int("single", 0, "deviations in a network of one node and nothing else at most; 0: as many as in others")
	limit := flag.Int("limit", 0, "schedules of a network at most; 0: all")
	only := flag.String("only", "", "only these deviations, separated by commas")
	part := flag.String("part", "", "`K/N`: only the schedules whose first deviation belongs to this part of them")
	list := flag.Bool("list", false, "list networks and deviations")
	replay := flag.Bool("replay", false, "tell the schedules of the ids that follow")
	flag.Parse()
	var ok bool
	var err error
	switch {
	case *list:
		ok, err = lists(os.Stdout)
	case *replay:
		ok, err = replays(os.Stdout, flag.Args())
	default:
		opt := explore.Options{Depth: *depth, Limit: *limit, Only: words(*only), News: newsTo(os.Stderr)}
		if opt.Part, err = explore.ParsePart(*part); err == nil {
			ok, err = explores(os.Stdout, *run, *single, opt)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func lists(out io.Writer) (bool, error) {
	setups, err := explore.Setups()
	if err != nil {
		return false, err
	}
	for _, s := range setups {
		fmt.Fprintf(out, "%-10s %s\n", s.Name, s.About)
	}
	fmt.Fprint(out, "\n", explore.Menu())
	return true, nil
}

func replays(out io.Writer, ids []string) (bool, error) {
	clean := true
	for _, id := range ids {
		story, err := explore.Replay(id, true)
		if err != nil {
			return false, fmt.Errorf("cannot replay %s: %w", id, err)
		}
		for _, line := range story.Lines {
			fmt.Fprintln(out, line)
		}
		for _, m := range story.Missed {
			fmt.Fprintln(out, "was not possible:", m)
		}
		for _, v := range story.Violations {
			fmt.Fprintln(out, "violates:", v)
		}
		clean = clean && len(story.Violations) == 0
	}
	return clean, nil
}

func explores(out io.Writer, name string, single int, opt explore.Options) (bool, error) {
	setups, err := explore.Setups()
	if err != nil {
		return false, err
	}
	setups = slices.DeleteFunc(setups, func(s *explore.Setup) bool { return !strings.Contains(s.Name, name) })
	results, took := make([]explore.Result, len(setups)), make([]time.Duration, len(setups))
	opt.Hands = runtime.GOMAXPROCS(0)
	for i, s := range setups {
		began := time.Now()
		results[i] = explore.Explore(s, deeper(opt, s, single))
		took[i] = time.Since(began)
	}
	clean, schedules := 0, 0
	for i, r := range results {
		report(out, r, took[i])
		schedules += r.Schedules
		if len(r.Violations) == 0 && r.Finished {
			clean++
		}
	}
	fmt.Fprintf(out, "%d of %d networks clean, %d schedules\n", clean, len(setups), schedules)
	return len(setups) > 0 && clean == len(setups), nil
}

// newsEach is the time between two lines about a network that is explored.
const newsEach = 30 * time.Second

// newsTo returns a function that says now and then how far each network is, and at once what is violated. It also sees
// to the memory.
func newsTo(out io.Writer) func(explore.Result, string) {
	type told struct {
		at         time.Time
		violations int
	}
	var one sync.Mutex
	last, began := map[string]told{}, time.Now()
	return func(r explore.Result, id string) {
		one.Lock()
		defer one.Unlock()
		t, known := last[r.Name]
		if !known {
			t.at = began
		}
		for _, v := range r.Violations[t.violations:] {
			fmt.Fprintf(out, "%s: %s\n    %s\n", r.Name, v.Words, v.ID)
		}
		collects()
		if time.Since(t.at) >= newsEach {
			t.at = time.Now()
			fmt.Fprintf(out, "%s: %d schedules in %.0f s, now %s\n", r.Name, r.Schedules, time.Since(began).Seconds(),
				id)
		}
		t.violations = len(r.Violations)
		last[r.Name] = t
	}
}

// deeper returns the options for a network, of which one with a single node and nothing else may have more deviations.
func deeper(opt explore.Options, s *explore.Setup, single int) explore.Options {
	if s.Parts() == 1 {
		opt.Depth = max(opt.Depth, single)
	}
	return opt
}

func report(out io.Writer, r explore.Result, took time.Duration) {
	end := "complete"
	if !r.Finished {
		end = "not finished"
	}
	fmt.Fprintf(out, "%-10s %d deviations: %s, %d schedules, %d of them merged, %d worlds, %d violations (%.1f s)\n",
		r.Name, r.Depth, end, r.Schedules, r.Merged, r.Worlds, len(r.Violations), took.Seconds())
	for _, v := range r.Violations {
		fmt.Fprintf(out, "    %s (%d schedules)\n        %s\n", v.Words, v.Count, v.ID)
	}
}
