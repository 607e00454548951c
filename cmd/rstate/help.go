package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

func helpVerb(e *env, args []string) int {
	if len(args) > 0 && args[0] != "help" {
		return dispatch(e, []string{args[0], "--help"})
	}
	usage(e.out)
	return exitDone
}

func usage(out io.Writer) {
	fmt.Fprintln(out, "rstate takes a whole ROS 2 network through its life as one thing.\n\nusage: rstate VERB …")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range verbs() {
		fmt.Fprintf(table, "  %s %s\t%s\n", v.name, v.args, v.summary)
	}
	table.Flush()
	fmt.Fprintln(out, "\nrstate help VERB tells the options of a verb.")
	fmt.Fprintln(out, "exit codes: 0 done, 1 transition failed, 2 bad input, 3 rejected, 4 no ROS or no daemon,")
	fmt.Fprintln(out, "            5 unclean shutdown, 6 cancelled")
}
