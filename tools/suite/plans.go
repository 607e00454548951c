package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// choice is what of everything runs.
type choice struct {
	title   string
	stages  []stage
	leftOut []string
	eighths []string // the units that run for the eighth alone
	tabled  bool     // the costs of packages are printed too
}

// plans are the choices by name.
var plans = map[string]func(situation) choice{
	"test": forTest, "ci": forCI, "everything": forEverything, "nightly": forNightly, "promises": forPromises, "ros": forROS, "bare": forBare,
	"lockstep": forLockstep,
}

func planNames() string { return strings.Join(slices.Sorted(maps.Keys(plans)), ", ") }

// basics are the stages that come first, and cost little.
func basics() []stage {
	return []stage{made(rehearsal, "rehearsal", prepares, 8*time.Minute), made("format", "fmt", prepares, time.Minute)}
}

func (s situation) checked() stage {
	d := s.distros[0]
	return stage{name: "bindings are those of the interfaces", lane: prepares, after: []string{called("ROS 2", d)}, limit: 5 * time.Minute,
		folder: ".", env: []string{"ROS_DISTRO=" + d}, args: s.onROS("make", "--no-print-directory", "check-generated")}
}

func forTest(s situation) choice {
	chosen := keep(s.units, s.waited)
	c := choice{title: fmt.Sprintf("test on %s, changes since %s", s.distros[0], s.change.since)}
	c.stages = slices.Concat(basics(), s.real(chosen, false), []stage{s.checked(), pureTests("packages without ROS", s.pure),
		explored("orders of events")})
	for _, l := range lives {
		c.stages = append(c.stages, l.tenth())
	}
	c.without(s.distros[0], s.units, chosen)
	c.leftOut = append(c.leftOut, "nine tenths of the simulated lives, orders of events with two deviations, the race detector, lint: make everything has them",
		"other distributions than "+s.distros[0]+": ROS_DISTRO names one")
	return c
}

func forCI(s situation) choice {
	due := func(u unit) bool { return s.waited(u) || s.isChanged(u) || s.isBeside(u, true) }
	chosen := keep(s.units, func(u unit) bool { return due(u) || s.mine(u.id()) })
	c := choice{title: fmt.Sprintf("ci, changes since %s, eighth %d (%s)", s.change.since, s.eighth, s.whose)}
	for _, u := range chosen {
		if !due(u) {
			c.eighths = append(c.eighths, u.id())
		}
	}
	c.stages = append(basics(), s.real(chosen, false)...)
	c.without(s.distros[0], s.units, chosen)
	c.eighthOfPure(s)
	c.eighthOfOdds(s)
	for _, d := range s.distros[1:] {
		there := keep(s.units, s.onEach)
		chosen := keep(there, func(u unit) bool { return s.isPromise(u) || s.mine(u.id()) })
		c.stages = append(c.stages, s.second(d, chosen)...)
		c.without(d, there, chosen)
	}
	c.absent(s)
	return c
}

// mine reports whether something with a name belongs to the eighth of this run.
func (s situation) mine(name string) bool { return eighth(name) == s.eighth }

// ofDistribution are the folders whose tests are about what a distribution brings: rcl, the middleware, the types.
var ofDistribution = []string{"rclgo/pkg", "rclgo/internal", "internal/rosnet", "internal/gather", "msgs/gen", "test/shim"}

// onEach reports whether everything runs a unit on each distribution: it is about the distribution, or named in the list
// of promises.
func (s situation) onEach(u unit) bool {
	about := slices.ContainsFunc(ofDistribution, func(f string) bool { return u.folder == f || strings.HasPrefix(u.folder, f+"/") })
	return about || s.isPromise(u) || s.isBeside(u, false)
}

// eighthOfPure adds what needs no ROS 2: all packages once, those that the change reaches and an eighth with the race
// detector; a tenth of the lives, and an eighth of the others.
func (c *choice) eighthOfPure(s situation) {
	var raced, rest []string
	for _, name := range s.pure {
		if slices.Contains(s.races, name) && (s.isReached(name) || s.mine(name)) {
			raced = append(raced, name)
		} else {
			rest = append(rest, name)
		}
	}
	c.stages = append(c.stages, s.checked(), pureTests("packages without ROS", rest))
	if len(raced) > 0 {
		c.stages = append(c.stages, pureTests("packages with the race detector", raced, "-race"))
	}
	part := fmt.Sprintf("%d/%d", s.eighth+1, eighths)
	c.stages = append(c.stages, explored("orders of events"),
		explored("orders of events, an eighth of those with two deviations", "-single", "2", "-part", part))
	for _, l := range lives {
		c.stages = append(c.stages, l.tenth(), l.more(s.eighth))
	}
	c.leftOut = append(c.leftOut,
		fmt.Sprintf("the race detector in %d of %d packages with goroutines", len(s.races)-len(raced), len(s.races)),
		"seven eighths of the simulated lives and of the orders of events that test does not have")
}

// eighthOfOdds adds the odd stages of this eighth, and lint.
func (c *choice) eighthOfOdds(s situation) {
	for _, odd := range s.odds() {
		if s.mine(odd.name) {
			c.stages = append(c.stages, odd)
		} else {
			c.leftOut = append(c.leftOut, fmt.Sprintf("%s: eighth %d", odd.name, eighth(odd.name)))
		}
	}
	c.stages = append(c.stages, linted())
}

func linted() stage { return made("lint", "lint", computes, 30*time.Minute) }

func forEverything(s situation) choice {
	rest := slices.DeleteFunc(slices.Clone(s.pure), func(name string) bool { return slices.Contains(s.races, name) })
	c := choice{title: "everything", tabled: true}
	c.stages = slices.Concat(basics(), s.real(s.units, true), []stage{s.checked(), pureTests("packages without goroutines", rest),
		pureTests("packages with goroutines, with the race detector", s.races, "-race"), explored("orders of events", "-single", "2")})
	for _, l := range lives {
		c.stages = append(c.stages, l.whole())
	}
	c.stages = append(append(c.stages, s.odds()...), linted())
	for _, d := range s.distros[1:] {
		there := keep(s.units, s.onEach)
		c.stages = append(c.stages, s.second(d, there)...)
		c.without(d, s.units, there)
	}
	c.absent(s)
	return c
}

func forPromises(s situation) choice {
	chosen := keep(s.units, s.isPromise)
	c := choice{title: "the promises on " + s.distros[0], stages: append(basics()[:1], s.real(chosen, false)...)}
	c.without(s.distros[0], s.units, chosen)
	return c
}

func forROS(s situation) choice {
	chosen := keep(s.units, func(u unit) bool { return u.needs != browser })
	c := choice{title: "all tests on ROS 2, " + s.distros[0], tabled: true}
	c.stages = append(basics()[:1], s.real(chosen, false)...)
	c.without(s.distros[0], s.units, chosen)
	return c
}

func forBare(s situation) choice {
	c := choice{title: "what needs no ROS 2", stages: append(basics(), pureTests("packages without ROS", s.pure))}
	c.leftOut = []string{"everything on real ROS 2 and in a browser (make test has the tests of the promises)"}
	return c
}

func forLockstep(s situation) choice {
	return choice{title: "data in lockstep", stages: append(append(basics()[:1], s.readies(s.distros[0], nil)...), s.lockstep())}
}

// without names what of some units is not chosen, by folder.
func (c *choice) without(distro string, all, chosen []unit) {
	counts, of := map[string]int{}, map[string]int{}
	for _, u := range all {
		of[u.folder]++
		if !slices.Contains(chosen, u) {
			counts[u.folder]++
		}
	}
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d of %d", f, counts[f], of[f]))
	}
	if len(parts) > 0 {
		c.leftOut = append(c.leftOut, fmt.Sprintf("tests on %s that the plan does not name: %s", distro, strings.Join(parts, ", ")))
	}
}

// absent names the distributions that this machine cannot run.
func (c *choice) absent(s situation) {
	for _, d := range s.notHere {
		c.leftOut = append(c.leftOut, fmt.Sprintf("%s: %s is sourced, and is used as it is", d, s.distros[0]))
	}
}

// print prints a choice that does not run.
func (c choice) print(out io.Writer) {
	fmt.Fprintln(out, "== "+c.title)
	for _, s := range c.stages {
		what := s.args
		if at := slices.Index(what, onROSWord); at >= 0 {
			what = what[at+2:]
		}
		if len(s.units) > 0 {
			what = namesOf(s.units)
		}
		fmt.Fprintf(out, "%s:\n\t%s\n", s.name, strings.Join(what, " "))
	}
	for _, text := range c.leftOut {
		fmt.Fprintln(out, "left out: "+text)
	}
}

// forNightly has what takes hours. Everything runs in it as it would alone.
func forNightly(situation) choice {
	long := func(name string, limit time.Duration, args ...string) stage {
		return stage{name: name, lane: prepares, limit: limit, folder: ".", args: args, shows: true}
	}
	target := func(name string, limit time.Duration, args ...string) stage {
		return long(name, limit, append([]string{"make", "--no-print-directory"}, args...)...)
	}
	const million, many = "SEEDS=1000000", "SEEDS=100000"
	return choice{title: "nightly", stages: []stage{
		target("everything", 3*time.Hour, "everything"),
		long("all tests on ROS, on Kilted", 2*time.Hour, "env", "ROS_DISTRO=kilted", "make", "--no-print-directory", "test", "PLAN=ros"),
		long("lists of work, with the race detector", 30*time.Minute, append([]string{"go", "test", tester, "-timeout", "28m", "-race"}, raceless...)...),
		target("rules broken on purpose", 3*time.Hour, "mutate"),
		target("random places broken", 4*time.Hour, "mutants"),
		target("schedules", 2*time.Hour, "simulate", million),
		target("schedules of peers", 4*time.Hour, "simulate", "PEERS=drawn", many),
		target("orders of events", 4*time.Hour, "explore", "DEPTH=2"),
		target("drawn machines", 2*time.Hour, "simulate", "MACHINES=1", million),
		target("peers with drawn machines", 2*time.Hour, "simulate", "MACHINES=1", "PEERS=drawn", many),
		target("generated requests over HTTP", 20*time.Minute, "fuzz-http"),
		target("packages for all machines", time.Hour, "dist"),
		target("bytes that are no messages", 20*time.Minute, "fuzz-bytes"),
		target("data in lockstep", 20*time.Minute, "lockstep", "LOCKSTEPS=10000"),
		target("measurements", 90*time.Minute, "bench"),
	}}
}
