package main

import (
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"rstate/internal/doctor"
)

// printReport prints a report for people: what is well in a line, what is not with what was seen and what to do.
func printReport(out io.Writer, r doctor.Report) {
	about := ""
	for _, f := range r.Findings {
		if f.About != about {
			about = f.About
			fmt.Fprintln(out, about)
		}
		level := string(f.Level)
		if f.Level != doctor.OK {
			level = strings.ToUpper(level)
		}
		fmt.Fprintf(out, "  %-8s %s\n", level, f.What)
		if f.Evidence != "" {
			fmt.Fprintf(out, "           seen: %s\n", f.Evidence)
		}
		if f.Do != "" {
			fmt.Fprintf(out, "           do:   %s\n", f.Do)
		}
	}
	fmt.Fprintf(out, "\n%s\n", r.Summary)
}

// writeReport prints a report in a form.
func writeReport(out io.Writer, format string, r doctor.Report) error {
	switch format {
	case "json":
		return printJSON(out, r)
	case "yaml":
		text, err := yaml.Marshal(r)
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	}
	printReport(out, r)
	return nil
}
