package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"rstate/internal/engine"
)

// Result is what is left of a simulation that has ended, for a file.
type Result struct {
	Simulation string       `json:"simulation"`
	Machine    string       `json:"machine"`
	File       string       `json:"file"`
	Version    string       `json:"version"`
	Run        string       `json:"run"`
	Outcome    string       `json:"outcome"` // empty: it is undecided, or the machine has none
	ExitCode   int          `json:"exit_code"`
	Why        string       `json:"why"`
	State      string       `json:"state"`
	Steps      uint64       `json:"steps"` // since the last reset
	Time       float64      `json:"time_s"`
	Began      time.Time    `json:"began"`
	Ended      time.Time    `json:"ended"`
	Times      []ResultTime `json:"times"`
	Recording  []string     `json:"recording"` // the files, one for each beginning of the loop
}

// ResultTime is how long a participant took for a phase, in the last run of the loop.
type ResultTime struct {
	Node  string  `json:"node"`
	Phase string  `json:"phase"`
	Count uint64  `json:"count"`
	Mean  float64 `json:"mean_s"`
	Max   float64 `json:"max_s"`
}

// resultOfRun describes an instance that has ended. The snapshot is its last.
func (w *whose) resultOfRun(exit engine.Exit, s *engine.Snapshot, now time.Time) Result {
	r := Result{
		Simulation: w.net.Simulation, Machine: w.net.Machine.Name, File: w.net.File, Version: w.version,
		Run: w.instance, Outcome: exit.Outcome,
		ExitCode: exit.Code, Why: exit.Why, State: s.State, Steps: s.Loop.Step, Time: s.Loop.Now.Seconds(),
		Began: w.created, Ended: now,
		Times: []ResultTime{}, Recording: append([]string{}, s.Loop.Recordings...),
	}
	for _, t := range s.Loop.Times {
		r.Times = append(r.Times, ResultTime{t.Node, t.Phase.String(), t.Count, t.Mean.Seconds(), t.Max.Seconds()})
	}
	return r
}

// ClearResult removes the result of an earlier run, and reports whether a new one can be written. Without a file it
// does nothing.
func ClearResult(file string) error {
	if file == "" {
		return nil
	}
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	if dir, err := os.Stat(filepath.Dir(file)); err != nil || !dir.IsDir() {
		return fmt.Errorf("cannot write the result %s: there is no such folder", file)
	}
	return nil
}

// Write writes the result as a whole file, or leaves none.
func (r Result) Write(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	if err := WriteWhole(file, func(out io.Writer) error { _, err := out.Write(append(text, '\n')); return err }); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}

// WriteWhole writes a file, or leaves the one that was there.
func WriteWhole(file string, write func(io.Writer) error) error {
	part := file + ".part"
	out, err := os.Create(part)
	if err != nil {
		return err
	}
	if err := errors.Join(write(out), out.Close()); err != nil {
		return err
	}
	return os.Rename(part, file)
}
