package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
	ImportPath, FailedBuild       string
	Elapsed                       float64
}

// tally counts tests. Only the subtests of a test with subtests count, unless the test fails and
// they do not.
type tally struct {
	out             io.Writer
	skipFails       bool
	passed, failed  int
	skipped, faults []string
	packages        map[string]*pkg
	builds          map[string][]string // the compiler's output, by import path
}

// pkg is a package whose tests are running.
type pkg struct {
	tests  map[string]*test    // running tests, and those with subtests
	output map[string][]string // by top-level test; the package's own under ""
	passed int
	failed int
}

type test struct {
	subtests, ended bool
	failedBelow     bool
}

func newTally(out io.Writer, skipFails bool) *tally {
	return &tally{out: out, skipFails: skipFails, packages: map[string]*pkg{}, builds: map[string][]string{}}
}

func (t *tally) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		_, _ = t.out.Write(line) // output of the go command itself
		return
	}
	switch {
	case e.Action == "build-output":
		t.builds[e.ImportPath] = append(t.builds[e.ImportPath], e.Output)
	case e.Action == "build-fail":
	case e.Test == "":
		t.packageEvent(e)
	default:
		t.testEvent(e)
	}
}

func (t *tally) of(name string) *pkg {
	if t.packages[name] == nil {
		t.packages[name] = &pkg{tests: map[string]*test{}, output: map[string][]string{}}
	}
	return t.packages[name]
}

func (t *tally) testEvent(e event) {
	p := t.of(e.Package)
	top, _, _ := strings.Cut(e.Test, "/")
	switch e.Action {
	case "run":
		p.tests[e.Test] = &test{}
		if parent := p.tests[parentOf(e.Test)]; parent != nil {
			parent.subtests = true
		}
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") { // a test runs, pauses or continues
			p.output[top] = append(p.output[top], e.Output)
		}
	case "pass", "fail", "skip":
		t.testEnded(p, e)
		if e.Test == top {
			if e.Action == "fail" {
				t.print(p.output[top])
			}
			delete(p.output, top)
		}
	}
}

func (t *tally) testEnded(p *pkg, e event) {
	this := p.tests[e.Test]
	if this == nil {
		this = &test{}
		p.tests[e.Test] = this
	}
	this.ended = true
	name := e.Package + "." + e.Test
	switch {
	case e.Action == "fail":
		for up := parentOf(e.Test); up != ""; up = parentOf(up) {
			if parent := p.tests[up]; parent != nil {
				parent.failedBelow = true
			}
		}
		if !this.failedBelow {
			p.failed++
			t.fail(name)
		}
	case this.subtests:
	case e.Action == "pass":
		p.passed++
		t.passed++
	default:
		t.skip(name)
	}
}

func parentOf(name string) string {
	at := strings.LastIndexByte(name, '/')
	if at < 0 {
		return ""
	}
	return name[:at]
}

func (t *tally) packageEvent(e event) {
	p := t.of(e.Package)
	switch e.Action {
	case "output":
		p.output[""] = append(p.output[""], e.Output)
	case "pass":
		fmt.Fprintf(t.out, "ok    %s  %.1fs  %d passed\n", e.Package, e.Elapsed, p.passed)
		delete(t.packages, e.Package)
	case "skip": // the package has no tests
		delete(t.packages, e.Package)
	case "fail":
		t.print(t.builds[e.FailedBuild])
		t.packageFailed(e.Package, p)
		fmt.Fprintf(t.out, "FAIL  %s  %.1fs  %d passed, %d failed\n", e.Package, e.Elapsed, p.passed, p.failed)
		delete(t.packages, e.Package)
	}
}

// packageFailed prints the end of a failed package, and counts a failure outside of a test: a
// build, a panic, a timeout.
func (t *tally) packageFailed(name string, p *pkg) {
	for top, output := range p.output {
		if top != "" {
			t.print(output)
		}
	}
	t.print(p.output[""])
	if p.failed > 0 {
		return
	}
	running := name
	for testName, this := range p.tests {
		if !this.ended && !this.subtests {
			running = name + "." + testName
		}
	}
	p.failed++
	t.fail(running)
}

// endOfStream counts the packages that did not end, because their process was ended.
func (t *tally) endOfStream() {
	for name, p := range t.packages {
		t.packageFailed(name, p)
		delete(t.packages, name)
	}
}

func (t *tally) print(output []string) {
	_, _ = io.WriteString(t.out, strings.Join(output, ""))
}

func (t *tally) fail(name string) {
	t.failed++
	t.faults = append(t.faults, name)
}

func (t *tally) skip(name string) {
	t.skipped = append(t.skipped, name)
	if t.skipFails {
		t.fail(name + " (skipped, which CI does not allow)")
	}
}

// add counts what a stage has counted.
func (t *tally) add(o *tally) {
	t.passed, t.failed = t.passed+o.passed, t.failed+o.failed
	t.faults, t.skipped = append(t.faults, o.faults...), append(t.skipped, o.skipped...)
}

// finish prints the totals and returns the exit status.
func (t *tally) finish(leftOut []string) int {
	if t.passed+t.failed == 0 {
		t.fail("no test ran")
	}
	for _, name := range t.faults {
		fmt.Fprintln(t.out, "failed: "+name)
	}
	for _, name := range t.skipped {
		fmt.Fprintln(t.out, "skipped: "+name)
	}
	for _, text := range leftOut {
		fmt.Fprintln(t.out, "left out: "+text)
	}
	if n := len(t.skipped) + len(leftOut); n > 0 {
		fmt.Fprintf(t.out, "%d left out\n", n)
	}
	fmt.Fprintf(t.out, "%d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 {
		return 1
	}
	return 0
}
