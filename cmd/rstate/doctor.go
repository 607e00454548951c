package main

import (
	"fmt"
	"io"
	"strings"

	"rstate/internal/doctor"
)

// widest is the width limit of the first column. A longer name has a line of its own.
const widest = 20

// printReport prints a report for people. A fault or warning comes with its evidence and with what
// to do.
func printReport(out io.Writer, r doctor.Report) {
	width := 0
	for _, f := range r.Findings {
		if n := len(f.About); n <= widest {
			width = max(width, n)
		}
	}
	last := ""
	for _, f := range r.Findings {
		about := f.About
		if about == last {
			about = ""
		} else if last = about; len(about) > width {
			fmt.Fprintln(out, about)
			about = ""
		}
		printFinding(out, fmt.Sprintf("%-*s", width, about), f)
	}
	fmt.Fprintf(out, "\n%s\n", r.Summary)
}

// printFinding prints one finding, beside the first column.
func printFinding(out io.Writer, first string, f doctor.Finding) {
	if f.Level == doctor.OK {
		fmt.Fprintf(out, "%s  ok       %s\n", first, f.What)
		return
	}
	fmt.Fprintf(out, "%s  %-8s %s\n", first, strings.ToUpper(string(f.Level)), f.What)
	below := strings.Repeat(" ", len(first)) + "           "
	for i, part := range strings.Split(f.Evidence, "; ") {
		word := "seen: "
		if i > 0 {
			word = "      "
		}
		if part != "" {
			fmt.Fprintln(out, below+word+part)
		}
	}
	fmt.Fprintln(out, below+"do:   "+f.Do)
}

// writeReport prints a report in the given format.
func writeReport(out io.Writer, format string, r doctor.Report) error {
	if format != asTable {
		return printAs(out, format, r)
	}
	printReport(out, r)
	return nil
}
