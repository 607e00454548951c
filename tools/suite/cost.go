package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// cost is what a stage or a package took.
type cost struct {
	name       string
	took       time.Duration
	processors time.Duration // user and system time, with that of the children that were waited for
}

// printCosts prints what each stage cost, the dearest first, and with packages what each binary of tests did.
func printCosts(out io.Writer, stages, packages []cost, tabled bool) {
	var all time.Duration
	for _, c := range stages {
		all += c.processors
	}
	fmt.Fprintf(out, "\n%10s %10s  stage\n", "processors", "took")
	for _, c := range dearest(stages) {
		fmt.Fprintf(out, "%8.1f s %8.1f s  %s\n", c.processors.Seconds(), c.took.Seconds(), c.name)
	}
	fmt.Fprintf(out, "%8.1f s             all\n", all.Seconds())
	if !tabled {
		return
	}
	fmt.Fprintf(out, "\n%10s %10s  tests of a package, without compilation\n", "processors", "took")
	for _, c := range dearest(packages) {
		fmt.Fprintf(out, "%8.1f s %8.1f s  %s\n", c.processors.Seconds(), c.took.Seconds(), c.name)
	}
}

func dearest(costs []cost) []cost {
	return slices.SortedFunc(slices.Values(costs), func(a, b cost) int { return cmp.Compare(b.processors, a.processors) })
}

// A meter collects what the binaries of tests cost. go test runs each through this program (-exec), which then writes a line.
type meter struct{ file string }

const (
	measuredWord = "measured"    // the first argument of this program then
	meterFile    = "SUITE_COSTS" // the environment variable with the file of the meter
)

func newMeter() (*meter, error) {
	file, err := os.CreateTemp("", "rstate-costs-")
	if err != nil {
		return nil, fmt.Errorf("cannot measure what tests cost: %w", err)
	}
	file.Close()
	return &meter{file: file.Name()}, os.Setenv(meterFile, file.Name())
}

func (m *meter) end() {
	os.Unsetenv(meterFile)
	_ = os.Remove(m.file)
}

// measure is a line in the file of a meter.
type measure struct {
	Folder           string
	Took, Processors time.Duration
}

// packages returns the costs of packages so far.
func (m *meter) packages() []cost {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return nil
	}
	sums := map[string]cost{}
	for line := range strings.Lines(string(text)) {
		var one measure
		if json.Unmarshal([]byte(line), &one) == nil {
			c := sums[one.Folder]
			sums[one.Folder] = cost{one.Folder, c.took + one.Took, c.processors + one.Processors}
		}
	}
	var all []cost
	for _, c := range sums {
		all = append(all, c)
	}
	return all
}

// measured runs a command as if it were this process, and writes what it cost to the file of the meter.
func measured(args []string) int {
	begin := time.Now()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGINT, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	_ = cmd.Wait() // ProcessState has the result
	if file, err := os.OpenFile(os.Getenv(meterFile), os.O_WRONLY|os.O_APPEND, 0); err == nil {
		folder, _ := os.Getwd()
		if root, err := filepath.Abs(rootOf(folder)); err == nil {
			folder, _ = filepath.Rel(root, folder)
		}
		line, _ := json.Marshal(measure{folder, time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()})
		_, _ = file.Write(append(line, '\n'))
		file.Close()
	}
	return cmd.ProcessState.ExitCode()
}

// rootOf returns the highest folder above one that has a go.mod.
func rootOf(folder string) string {
	root := folder
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir
		}
	}
	return root
}
