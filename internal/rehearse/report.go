package rehearse

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rstate/internal/clean"
	"rstate/internal/junit"
	"rstate/internal/simnet"
)

// Report is the results of a rehearsal, in the order of its cases.
type Report struct {
	Network string
	Script  string // empty: every single fault
	Results []Result
}

// Met counts the cases that ended as they must.
func (r *Report) Met() (n int) {
	for i := range r.Results {
		if r.Results[i].Met() {
			n++
		}
	}
	return n
}

// Text writes the report for a person. It ends with one line: how many of how many cases are met.
func (r *Report) Text(out io.Writer) error {
	var b strings.Builder
	if r.Script == "" {
		r.table(&b)
	} else {
		r.list(&b)
	}
	fmt.Fprintf(&b, "%d of %d met\n", r.Met(), len(r.Results))
	_, err := io.WriteString(out, b.String())
	return err
}

// orphaned is the verdict on a goal whose daemon ended before the goal.
const orphaned = "orphaned"

// Verdicts on a goal that has not ended.
const (
	Open       = "open"
	NeverAsked = "never asked"
)

// list writes one line for each case of a script, and what is missed below it.
func (r *Report) list(b *strings.Builder) {
	for i := range r.Results {
		c := &r.Results[i]
		word := "ok  "
		if !c.Met() {
			word = "FAIL"
		}
		fmt.Fprintf(b, "%s  %s: %s", word, clean.Text(c.Case.Name), whereIn(c.State, c.Intact))
		switch {
		case c.Ended:
			fmt.Fprintf(b, ", %s in %s", c.Goal, short(c.Took))
		case c.Goal == orphaned:
			b.WriteString(", orphaned (the daemon ended without an answer)")
		case c.Goal != "":
			fmt.Fprintf(b, ", %s", c.Goal)
		}
		b.WriteByte('\n')
		for k, s := range c.Scenes {
			fmt.Fprintf(b, "      %d. %s\n         %s, %s after the start\n", k+1, clean.Text(s.Scene.Title),
				whereIn(s.State, s.Intact), short(s.At))
		}
		for _, m := range c.Missed {
			fmt.Fprintf(b, "      %s\n", clean.Text(m))
		}
		for _, m := range c.Broken {
			fmt.Fprintf(b, "      a rule of rstate is broken: %s\n", clean.Text(m))
		}
	}
}

// whereIn is the state of a network, in words.
func whereIn(state string, intact bool) string {
	if intact {
		return state
	}
	return state + ", not intact"
}

// table writes where the network ends up after every single fault: a line for each step of each node, a column for each
// fault.
func (r *Report) table(b *strings.Builder) {
	rows := [][]string{{"node", "step"}}
	for _, f := range Tried {
		rows[0] = append(rows[0], string(f))
	}
	var broken []string
	marked := false
	for i := range r.Results {
		c := &r.Results[i]
		last := rows[len(rows)-1]
		if last[0] != c.Node || last[1] != c.Step {
			last = append([]string{c.Node, c.Step}, slices.Repeat([]string{"-"}, len(Tried))...)
			rows = append(rows, last)
		}
		cell := c.State
		if !c.Intact {
			cell, marked = cell+" *", true
		}
		if !c.Met() {
			cell += " !"
			for _, words := range append(c.Missed, c.Broken...) {
				broken = append(broken, c.Case.Name+": "+words)
			}
		}
		if c.Goal == Open {
			cell += " " + Open
		} else {
			cell += " " + short(c.Took)
		}
		last[2+slices.Index(Tried, c.Fault)] = cell
	}
	fmt.Fprintf(b, "Where %s ends up after one fault, and how long the goal took:\n\n", r.Network)
	align(b, rows)
	b.WriteByte('\n')
	if marked {
		b.WriteString("* the network is not intact there\n")
	}
	for _, words := range broken {
		fmt.Fprintf(b, "! %s\n", words)
	}
}

// align writes rows in columns.
func align(b *strings.Builder, rows [][]string) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			wide[k] = max(wide[k], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for k, cell := range row {
			fmt.Fprintf(&line, "%-*s  ", wide[k], cell)
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
}

// short writes a time with two or three digits.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// tellLast is how many records of a case fit on a screen.
const tellLast = 30

// told returns the last records of a life, with the time since its beginning.
func told(trace *simnet.Trace) []string {
	all := trace.Entries
	shown := all[max(0, len(all)-tellLast):]
	var lines []string
	if n := len(all) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("%d records before; rstate rehearse with --trace prints all that happened",
			n))
	}
	for _, e := range shown {
		text := e.Sentence
		if e.Cause != "" && !strings.Contains(text, e.Cause) {
			text += " (" + e.Cause + ")"
		}
		lines = append(lines, fmt.Sprintf("%8s  %s", short(e.At.Sub(all[0].At)), text))
	}
	return lines
}

// JUnit writes the report for a build server. Times are virtual seconds.
func (r *Report) JUnit(out io.Writer) error {
	name := r.Script
	if name == "" {
		name = r.Network
	}
	suite := junit.Suite{Name: name}
	for i := range r.Results {
		c := &r.Results[i]
		one := junit.Case{Name: c.Case.Name, Class: name, Time: c.lasted()}
		if !c.Met() {
			one.Failure = &junit.Fault{Message: strings.Join(append(slices.Clone(c.Missed), c.Broken...), "; "),
				Told: strings.Join(c.Told, "\n")}
		}
		suite.Time += one.Time
		suite.Cases = append(suite.Cases, one)
	}
	return suite.Write(out)
}
