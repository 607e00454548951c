//go:build ros

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"go.uber.org/zap"

	"rstate/internal/batch"
	"rstate/internal/clean"
	"rstate/internal/daemon"
	"rstate/internal/factory"
	"rstate/internal/logs"
	"rstate/internal/network"
)

// batchName is the default name of the node of a batch.
const batchName = "rstate_batch"

// batchLimit is how long a scenario may take by default.
const batchLimit = 10 * time.Minute

// The causes of a scenario that does not come to its end.
var (
	errBatchInterrupted = errors.New("the batch was interrupted")
	errBatchLimit       = errors.New("it did not end in time")
)

// batchVerb runs every simulation of a folder to its end.
func batchVerb(e *env, f *options) action {
	jobs := f.Int("jobs", runtime.NumCPU(), "largest `number` of scenarios at a time")
	limit := f.Duration("timeout", batchLimit, "how long a scenario may take, with its start and its end")
	result := f.String("result", "", "write the results to that `file`, as JSON")
	junit := f.String("junit", "", "also write the results to that `file`, as JUnit XML for build servers")
	logs := f.String("logs", "", "keep the log, the journals and the output of the processes in that `folder`")
	return func(words []string) int {
		b := &batchRun{env: e, limit: *limit, logs: *logs,
			files: []batchFile{{*result, (*batch.Report).JSON}, {*junit, (*batch.Report).JUnit}}}
		switch {
		case *jobs < 1:
			return e.fail(exitBadInput, "cannot run scenarios: --jobs cannot be %d; write at least 1", *jobs)
		case *limit <= 0:
			return e.fail(exitBadInput, "cannot run scenarios: --timeout cannot be %v; write a time like 10m", *limit)
		}
		list, ok := b.find(words[0])
		if !ok {
			return exitBadInput
		}
		return b.run(list, *jobs)
	}
}

// batchRun is one run of a batch.
type batchRun struct {
	env       *env
	limit     time.Duration
	logs      string
	files     []batchFile
	report    batch.Report
	results   []batch.Result // those that have ended
	factory   *factory.Factory
	processes processes
	broken    bool // the results cannot be written
}

// batchFile is a file with the results.
type batchFile struct {
	name  string
	write func(*batch.Report, io.Writer) error
}

// find lists the scenarios, and ensures that their results can be written.
func (b *batchRun) find(dir string) ([]batch.Scenario, bool) {
	e := b.env
	whole, err := filepath.Abs(dir)
	if err != nil {
		e.fail(exitBadInput, "cannot find the folder %q: %v", dir, err)
		return nil, false
	}
	list, others, err := batch.Find(whole)
	if err != nil {
		e.fail(exitBadInput, "cannot read the folder of the scenarios: %v", err)
		return nil, false
	}
	for _, o := range others {
		fmt.Fprintf(e.out, "skip  %s: %s\n", clean.Text(o.Name), o.Why)
	}
	if len(list) == 0 {
		e.fail(exitBadInput, "cannot run scenarios: no file in %q has a loop; docs/batch.md explains what a scenario is", dir)
		return nil, false
	}
	for _, f := range b.files {
		if err := daemon.ClearResult(f.name); err != nil {
			e.fail(exitBadInput, "%v", err)
			return nil, false
		}
	}
	b.report = batch.Report{Folder: dir, Version: version, Began: time.Now(), Scenarios: len(list)}
	return list, true
}

// run runs the scenarios. The calling thread starts their processes, which end with it.
func (b *batchRun) run(list []batch.Scenario, jobs int) int {
	e := b.env
	stop, quiet := serviceSignals()
	defer quiet()
	folder, done, err := b.folder()
	if err != nil {
		return e.fail(exitBadInput, "%v", err)
	}
	defer done()
	log, closed, err := b.logger()
	if err != nil {
		return e.fail(exitBadInput, "%v", err)
	}
	defer closed()
	b.factory, err = factory.New(factory.Config{
		Name: batchName, Private: true, Experiments: filepath.Dir(list[0].File), Most: jobs, ROSArgs: e.ros,
		Journal: folder, Version: version, Log: log,
	})
	if err != nil {
		return codeOf(e, err)
	}
	b.processes.starts = make(chan func())
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		all := batch.Run(ctx, list, jobs, b.scenario, b.take)
		b.report.Interrupted = ctx.Err() != nil
		b.results = all
		b.factory.Stop("the batch is over")
	}()
	for signals := 0; ; {
		select {
		case start := <-b.processes.starts:
			start()
		case s := <-stop:
			if signals++; signals > 1 {
				b.processes.kill()
				return e.fail(exitUnclean, "leaving at once, as %v came again: nodes may stay armed", s)
			}
			fmt.Fprintf(e.err, "rstate: ending the scenarios that run, as %v came\n", s)
			cancel(errBatchInterrupted)
		case <-ended:
			return b.conclude()
		}
	}
}

// conclude writes the results and returns the exit code.
func (b *batchRun) conclude() int {
	b.write()
	fmt.Fprintln(b.env.out, b.report.Summary())
	switch {
	case b.report.Interrupted:
		return exitCancelled
	case b.broken || b.report.Met < b.report.Scenarios:
		return exitFailed
	}
	return exitDone
}

// folder returns the folder of the journals, and what removes a folder that the user has not asked for.
func (b *batchRun) folder() (string, func(), error) {
	if b.logs != "" {
		if err := os.MkdirAll(b.logs, 0o755); err != nil {
			return "", nil, fmt.Errorf("cannot make the folder of the logs: %w", err)
		}
		return b.logs, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "rstate_batch")
	if err != nil {
		return "", nil, fmt.Errorf("cannot make a folder for the journals: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// logger logs into the folder of the logs. Without one it logs nothing: the results have the causes.
func (b *batchRun) logger() (*zap.Logger, func(), error) {
	if b.logs == "" {
		return zap.NewNop(), func() {}, nil
	}
	file, err := os.Create(filepath.Join(b.logs, "rstate.log"))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot write the log: %w", err)
	}
	log := logs.New(&logs.Console{File: file}, logs.JSON, zap.NewAtomicLevelAt(zap.InfoLevel))
	return log, func() { _ = errors.Join(log.Sync(), file.Close()) }, nil
}

// take prints a result and writes all results so far: a batch that is killed leaves them.
func (b *batchRun) take(r *batch.Result) {
	b.results = append(b.results, *r)
	fmt.Fprintln(b.env.out, r.Line())
	b.write()
}

func (b *batchRun) write() {
	b.report.Take(b.results, time.Now())
	for _, f := range b.files {
		if f.name == "" {
			continue
		}
		if err := daemon.WriteWhole(f.name, func(out io.Writer) error { return f.write(&b.report, out) }); err != nil &&
			!b.broken {
			b.broken = true
			b.env.fail(exitFailed, "cannot write the results: %v", err)
		}
	}
}

// scenario runs one scenario in a slot of the factory, with its processes, within its limit.
func (b *batchRun) scenario(ctx context.Context, s *batch.Scenario) (r batch.Result) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, b.limit, errBatchLimit)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	slot, err := b.factory.Slot(s.File)
	if err == nil {
		r, err = b.within(ctx, slot, s, fail)
	}
	b.judge(&r, err)
	r.Wall = time.Since(began).Seconds()
	return r
}

// within runs a scenario in its slot.
func (b *batchRun) within(ctx context.Context, slot *factory.Slot, s *batch.Scenario,
	fail context.CancelCauseFunc) (r batch.Result, err error) {
	own, err := b.start(slot, s, fail)
	if err != nil {
		slot.GiveUp()
	} else {
		var end daemon.Result
		end, err = slot.Run(ctx)
		r = resultOf(&end)
	}
	r.Simulation = slot.ID
	b.processes.end(own)
	r.Told = lastOf(own)
	return r, err
}

// resultOf takes over what a result file of rstate run has, too.
func resultOf(end *daemon.Result) batch.Result {
	return batch.Result{
		Outcome: network.Outcome(end.Outcome), ExitCode: end.ExitCode, State: end.State, Steps: end.Steps,
		Time: end.Time, Message: end.Why,
	}
}

// judge replaces the outcome of a scenario that did not come to its end.
func (b *batchRun) judge(r *batch.Result, err error) {
	if err == nil {
		return
	}
	r.Outcome, r.Message = batch.Error, strings.ReplaceAll(err.Error(), "\n", "; ")
	var cut *factory.Cut
	switch {
	case errors.Is(err, errBatchLimit):
		r.Outcome = batch.Timeout
		if errors.As(err, &cut) {
			r.Message = fmt.Sprintf("it did not end within %v; %s", b.limit, cut.Where)
		}
	case errors.Is(err, errBatchInterrupted):
		r.Outcome = batch.Interrupted
	case errors.As(err, new(*factory.Stall)):
		r.Outcome = batch.Stalled
	case errors.As(err, new(network.Faults)):
		r.Outcome = batch.Invalid
	}
	if r.ExitCode == exitDone {
		r.ExitCode = exitFailed
		if r.Outcome == batch.Invalid {
			r.ExitCode = exitBadInput
		}
	}
}

// start starts the processes of a simulation. One that ends badly before the loop has begun ends the scenario.
func (b *batchRun) start(slot *factory.Slot, s *batch.Scenario, fail context.CancelCauseFunc) (all []*process,
	err error) {
	for i := range slot.Net.Nodes {
		n := &slot.Net.Nodes[i]
		if n.Process == "" {
			continue
		}
		log := ""
		if b.logs != "" {
			log = filepath.Join(b.logs, s.Name+strings.ReplaceAll(n.Name, "/", ".")+".log")
		}
		p, err := b.processes.start(n.Name, n.Process, filepath.Dir(s.File), log)
		if err != nil {
			return all, err
		}
		all = append(all, p)
		go func() {
			<-p.done
			if !p.ending.Load() && !p.cmd.ProcessState.Success() && !slot.HasBegun() {
				fail(fmt.Errorf("the process of %s ended before the loop began: %v%s", p.node, p.cmd.ProcessState,
					p.tail.because()))
			}
		}()
	}
	return all, nil
}
