package batch

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/junit"
	"rstate/internal/network"
)

// What becomes of a scenario that has no outcome of its own. No file can expect it.
const (
	Invalid network.Outcome = "invalid" // the file has faults
	Error   network.Outcome = "error"   // the simulation could not be made, or broke down
	Timeout network.Outcome = "timeout" // it did not end within its limit
	// the process of the batch did not run for a while, which interrupted it
	Stalled     network.Outcome = "stalled"
	Interrupted network.Outcome = "interrupted" // it was ended with the batch
	NotRun      network.Outcome = "not_run"     // the batch was interrupted before
)

// invalidExit is the exit code of rstate for a file with faults.
const invalidExit = 2

// Result is what came of a scenario.
type Result struct {
	Name       string          `json:"file"`
	Simulation string          `json:"simulation"` // the id; empty: there was none
	Expected   network.Outcome `json:"expected"`
	Outcome    network.Outcome `json:"outcome"`
	Met        bool            `json:"as_expected"`
	ExitCode   int             `json:"exit_code"` // that rstate run ends with
	State      string          `json:"state"`     // the last one
	Steps      uint64          `json:"steps"`
	Time       float64         `json:"time_s"` // simulated
	Wall       float64         `json:"wall_s"`
	Message    string          `json:"message"` // why it has ended so
	Told       []string        `json:"output"`  // the last lines of its processes
}

// of completes the result of a scenario.
func (r *Result) of(s *Scenario) {
	r.Name, r.Expected, r.Met = s.Name, s.Expected, r.Outcome == s.Expected
	r.Message = clean.Text(r.Message)
	if r.Told == nil {
		r.Told = []string{}
	}
}

// ran reports whether the scenario has come to an outcome of its own.
func (r *Result) ran() bool {
	switch r.Outcome {
	case Invalid, Error, Timeout, Stalled, Interrupted, NotRun:
		return false
	}
	return true
}

// Line describes the result on a line.
func (r *Result) Line() string {
	var b strings.Builder
	if r.Met {
		b.WriteString("ok    ")
	} else {
		b.WriteString("FAIL  ")
	}
	fmt.Fprintf(&b, "%s: %s", clean.Text(r.Name), r.Outcome)
	if !r.Met {
		fmt.Fprintf(&b, ", expected %s", r.Expected)
	}
	if r.Steps > 0 {
		fmt.Fprintf(&b, ", %s, %ss of simulated time", clean.Count(int(r.Steps), "step"),
			strconv.FormatFloat(r.Time, 'f', -1, 64))
	}
	fmt.Fprintf(&b, ", in %.1fs", r.Wall)
	if !r.Met && r.Message != "" {
		b.WriteString(": " + r.Message)
	}
	return b.String()
}

// Report is the results of a batch.
type Report struct {
	Folder      string    `json:"folder"`
	Version     string    `json:"version"`
	Began       time.Time `json:"began"`
	Ended       time.Time `json:"ended"`
	Scenarios   int       `json:"scenarios"`
	Met         int       `json:"as_expected"`
	Interrupted bool      `json:"interrupted"`
	Results     []Result  `json:"results"`
}

// Take takes the results so far, at that time.
func (r *Report) Take(results []Result, now time.Time) {
	r.Results, r.Ended, r.Met = results, now, 0
	for i := range results {
		if results[i].Met {
			r.Met++
		}
	}
}

// Summary is the last line of a batch.
func (r *Report) Summary() string { return fmt.Sprintf("%d of %d as expected", r.Met, r.Scenarios) }

// JSON writes the report for programs.
func (r *Report) JSON(out io.Writer) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// JUnit writes the report for build servers, with a test case for each file.
func (r *Report) JUnit(out io.Writer) error {
	suite := junit.Suite{Name: r.Folder, Time: r.Ended.Sub(r.Began)}
	for i := range r.Results {
		one := &r.Results[i]
		c := junit.Case{Name: one.Name, Class: r.Folder, Time: time.Duration(one.Wall * float64(time.Second))}
		fault := &junit.Fault{Message: fmt.Sprintf("%s, expected %s: %s", one.Outcome, one.Expected, one.Message),
			Told: strings.Join(one.Told, "\n")}
		switch {
		case one.Met:
		case one.Outcome == NotRun:
			c.Skipped = fault
		case one.ran():
			c.Failure = fault
		default:
			c.Error = fault
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.Write(out)
}
